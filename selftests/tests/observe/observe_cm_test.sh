#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Connections of rdma_cm: refused, closed by either end, without an answer, without an
# address, with another address, and with their device removed. Real rping over soft RoCE,
# unmodified.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
needs_module "so is the observer, or it is not there"

if ! command -v rping >/dev/null; then
	echo "1..0 # SKIP there is no rping"
	exit 4
fi

observe=$top/kmod/rdmaev_observe.ko
ip=10.9.3.1
ip6=fd00:9:3::1
server_ip=$ip
# Nobody has it, and the network device drops what is sent there
nobody=10.9.3.77
# Nobody answers ARP for it, on a network device without RDMA
no_answer=10.9.4.77

records() { rdmaev log -j --since "$from" "$@"; }
cms() { records | jq -c 'select(.kind == "cm")'; }
# of PID EVENT: records of that event of a process
of() { cms | jq -c "select(.pid == $1 and .event == \"CM_$2\")"; }
has() { [ -n "$(of "$@")" ]; }
# cause RECORD: the record that it names
cause() { records --since 1 | jq -c "select(.seq == $(jq .cause <<<"$1"))"; }
# qp_of PID: the QP of a process, once it is connected
qp_of()
{
	rdma resource show qp -j |
		jq -r ".[] | select(.pid == $1 and .state == \"RTS\") | .lqpn"
}
has_qp() { [ -n "$(qp_of "$1")" ]; }
gone() { ! kill -0 "$1" 2>/dev/null; }
rm_cm() { modprobe -r rdma_ucm rdma_cm; }

# serve PORT, client PORT [OPTION]...: start one end, of server_ip; sets server, client
serve()
{
	rping -s -a "$server_ip" -p "$1" >/dev/null 2>&1 &
	server=$!
	within 10 is_listening "$1" || echo "# rping does not listen"
}
is_listening() { rdma resource show cm_id | grep -q "state LISTEN .*src-addr [^ ]*:$1 "; }
client()
{
	rping -c -a "$server_ip" -p "$@" >/dev/null 2>&1 &
	client=$!
}
# connect PORT [COMMAND...]: both, until they are connected, and until it succeeds; sets
# their QPs, too. Stopped, as they would ping each other without a pause
connect()
{
	serve "$1"
	client "$1"
	within 20 has_qp $server
	within 20 has_qp $client
	[ $# = 1 ] || within 20 "${@:2}"
	server_qp=$(qp_of $server)
	client_qp=$(qp_of $client)
	kill -STOP $server $client
}
# end PID...: wait for programs that end, so that what they cause is on record
end()
{
	local pid
	for pid; do
		within 20 gone "$pid" || kill -9 "$pid"
		wait "$pid"
	done
} 2>/dev/null
killed()
{
	kill -9 "$@"
	wait "$@"
} 2>/dev/null

rm_cm 2>/dev/null
rxe_add conn0
ip addr add $ip/24 dev conn0_d
insmod "$observe"
# facts: what of connections the observer observes
facts()
{
	rdmaev log -j -e OBSERVER_STARTED | tail -n 1 |
		jq -c '.observer.facts | map(select(test("connection")))'
}
is "what is observed" "$(facts)" '["connections","connection owners"]'
[ -e /sys/module/rdma_cm ] || loaded_first=1
modprobe rdma_ucm
if [ -n "${loaded_first-}" ]; then
	mark
	client 7171
	end $client
	ok "rdma_cm is loaded later: a refused connection" within 10 has $client REJECTED
	if rm_cm; then
		modprobe rdma_ucm
		mark
		client 7171
		end $client
		ok "... and once more" within 10 has $client REJECTED
	else
		skip "... and once more" "something else uses rdma_cm"
	fi
else
	skip "rdma_cm is loaded later" "something else uses it"
	skip "... and once more" "something else uses it"
fi
rmmod rdmaev_observe

# The order in which a device is removed from modules is that of their loading, backwards
if rmmod rdmaev 2>/dev/null; then
	load
fi
insmod "$observe"

# Without an answer: takes a minute, in which nothing is done
unreachable_from=$from
rping -c -a $nobody -p 7199 >/dev/null 2>&1 &
unreachable=$!

# Nobody listens
mark
client 7172
end $client
ok "nobody listens" within 10 has $client REJECTED
got=$(of $client REJECTED)
is "... the reason, and the addresses" "$(jq -c '[.code, .severity, .source, .ring, .cm.status, .cm.family,
	.cm.port_space, .cm.local_addr, .cm.peer_addr, .cm.peer_port, .cm.qp_type]' <<<"$got")" \
	"[8,\"warning\",\"observer\",\"user\",8,2,262,\"$ip\",\"$ip\",7172,\"RC\"]"
is "... the device and the owner" "$(jq -c '[.device, .port, .object, .comm, .cm.owner, .cm.uid]' <<<"$got")" \
	'["conn0",1,"qp","rping","rping",0]'
like "... the QP, and the port of this end" "$(jq -c '[.object_id, .cm.local_port]' <<<"$got")" \
	'^\[[0-9]+,[0-9]+\]$'
has_gid() { grep -qx "fd00:0009:0003:0000:0000:0000:0000:0001" /sys/class/infiniband/conn0/ports/1/gids/*; }
ip addr add $ip6/64 dev conn0_d nodad
within 20 has_gid
mark
server_ip=$ip6
client 7172
end $client
server_ip=$ip
ok "... over IPv6" within 10 has $client REJECTED
is "... the addresses" "$(of $client REJECTED | jq -c '[.device, .cm.family, .cm.local_addr, .cm.peer_addr, .cm.peer_port]')" \
	"[\"conn0\",10,\"$ip6\",\"$ip6\",7172]"
seq=$(jq .seq <<<"$got")
is "by netlink the same" "$(rdmaev --netlink log -j --since "$seq" --until "$seq")" \
	"$(rdmaev log -j --since "$seq" --until "$seq")"

# counted: how many events were, one of each end
counted()
{
	rdmaev stats -j | jq -sr '[.. | objects | select(.kind? == "cm") | {key: .event, value: .count}] |
		from_entries | "\(.CM_CONNECT_RESPONSE // 0) \(.CM_ESTABLISHED // 0)"'
}

both_counted()
{
	local now
	now=$(counted)
	((${now% *} > ${before% *} && ${now#* } > ${before#* }))
}

# connecting [FROM]: how many connections were accepted after so long, from bucket FROM on
connecting() { rdmaev stats -j conn0 | jq ".connecting[${1-0}:] | add"; }

# One end is killed
for victim in client server; do
	mark
	before=$(counted)
	fast=$(connecting)
	connect 7173 both_counted
	is "connected, which is counted, on both ends" "$(counted)" \
		"$((${before% *} + 1)) $((${before#* } + 1))"
	is "... and once by the time that it took" "$(connecting)" $((fast + 1))
	is "... and not on record, but if it took long" "$(cms | jq -c 'select(.event != "CM_UNREACHABLE" and
		(.cm.connecting_ns | tonumber) <= 1000000000)')" ""
	case $victim in
	client) killed $client; other=$server qp=$server_qp ;;
	server) killed $server; other=$client qp=$client_qp ;;
	esac
	ok "the $victim is killed: the other end is disconnected" within 20 has "$other" DISCONNECTED
	got=$(of "$other" DISCONNECTED)
	is "... once" "$(wc -l <<<"$got")" 1
	is "... QP, owner and addresses" \
		"$(jq -c '[.object_id, .comm, .severity, .cause, .cm.status, .cm.local_addr, .cm.peer_addr]' <<<"$got")" \
		"[$qp,\"rping\",\"info\",0,0,\"$ip\",\"$ip\"]"
	kill -CONT "$other"
	end "$other"
	is "... and its QP is moved to ERR because of that" \
		"$(records | jq -c "select(.event == \"QP_ERR\" and .object_id == $qp) | .cause" | head -n 1)" \
		"$(jq .seq <<<"$got")"
done

# has_moved PID: its QP was moved to ERR
has_moved() { [ -n "$(records | jq -c "select(.event == \"QP_ERR\" and .pid == $1)")" ]; }
# is_connecting PID: it has resolved the address, and waits for the answer of the peer
is_connecting()
{
	rdma resource show cm_id -j |
		jq -e ".[] | select(.pid == $1 and .state == \"CONNECT\")" >/dev/null
}

# The peer's program does not accept at once
mark
slow=$(connecting 19)
serve 7173
kill -STOP $server
client 7173 -C 1
within 20 is_connecting $client
sleep 1.1
kill -CONT $server
end $client $server
ok "the peer accepts after more than a second, which is on record" within 10 has $client CONNECT_RESPONSE
is "... of the one that connects, and once" "$(cms | jq -r 'select(.cm.connecting_ns | tonumber > 1000000000) |
	"\(.pid) \(.event) \(.severity)"')" "$client CM_CONNECT_RESPONSE info"
is "... how long that took" "$(of $client CONNECT_RESPONSE |
	jq '.cm.connecting_ns | tonumber | . > 1000000000 and . < 60000000000')" true
is "... it is counted among those that took half a second and more" "$(connecting 19)" $((slow + 1))
like "... which stats -v shows" "$(rdmaev stats -v conn0)" 'Time to connect on conn0, number of connections'
ok "... then this end is closed" within 10 has_moved $client
is "... which does not follow from that" \
	"$(records | jq -c "select(.cause == $(of $client CONNECT_RESPONSE | jq .seq)) | .event")" ""

# This end closes. Whether it gets an event then, before it destroys its id, is up to the
# other end.
mark
serve 7174
client 7174 -C 3
end $client $server
is "this end closes: its QP is moved to ERR" \
	"$(records | jq -c "select(.event == \"QP_ERR\" and .pid == $client) | .cause" | head -n 1)" 0
got=$(of $server DISCONNECTED)
is "... the other end without a cause" "$(jq -c '[.event, .cause]' <<<"$got")" '["CM_DISCONNECTED",0]'

# No hardware address, so no device: of the owner, and of nobody else but the administrator
mark
ip link add conn_d type dummy
ip link set conn_d arp on up
ip addr add 10.9.4.1/24 dev conn_d
chmod 666 /dev/infiniband/* 2>/dev/null
other() { setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"; }
other 1234 rping -c -a $no_answer -p 7175 >/dev/null 2>&1
ip link del conn_d
addr_errors() { cms | jq -c 'select(.event == "CM_ADDR_ERROR")'; }
has_addr_error() { [ -n "$(addr_errors)" ]; }
ok "no hardware address" within 10 has_addr_error
is "... whose" "$(addr_errors | jq -c '[.event, .device, .index, .generation, .object_id, .cm.peer_addr, .cm.uid, .severity]')" \
	"[\"CM_ADDR_ERROR\",null,null,0,null,\"$no_answer\",1234,\"error\"]"
like "... with the errno" "$(addr_errors | jq .cm.status)" '^-[0-9]+$'
seen_by() { other "$1" "$top/ulib/rdmaev" log -j --since "$from" | jq -r 'select(.kind == "cm") | .event' | xargs; }
is "... seen by its owner" "$(seen_by 1234)" CM_ADDR_ERROR
is "... not by others" "$(seen_by 1235)" ""
mark
client 7172
end $client
is "a connection of root is not seen by others" "$(of $client REJECTED | wc -l) $(seen_by 1234)" "1 "

# The network device gets another hardware address: a bond, of which another member
# becomes active
if modprobe bonding max_bonds=0 2>/dev/null; then
	ip link add conn_b type bond mode active-backup fail_over_mac active miimon 100
	for m in conn_b1 conn_b2; do
		ip link add $m type dummy
		ip link set $m master conn_b
	done
	ip link set conn_b up
	server_ip=10.9.5.1
	ip addr add $server_ip/24 dev conn_b
	rdma link add conn_bond type rxe netdev conn_b
	mark
	connect 7177
	ip link set conn_b type bond active_slave conn_b2
	ok "another hardware address: both ends" within 20 has $server ADDR_CHANGE
	ok "... of the connection" within 20 has $client ADDR_CHANGE
	is "... whose" "$(of $client ADDR_CHANGE | jq -c '[.device, .comm, .object_id, .severity, .cm.peer_addr]')" \
		"[\"conn_bond\",\"rping\",$client_qp,\"info\",\"$server_ip\"]"
	is "... as one incident" "$(rdmaev why -j "$(of $client ADDR_CHANGE | jq .seq)" |
		jq -c '[.event, ([.records[] | select(.event == "CM_ADDR_CHANGE" and .by != "same_change")] | length)]')" \
		'["CM_ADDR_CHANGE",1]'
	killed $server $client
	rdma link del conn_bond
	for m in conn_b conn_b1 conn_b2; do ip link del $m; done
	modprobe -r bonding
	server_ip=$ip
else
	skip "another hardware address" "this kernel has no bonding"
fi

# The rest of the minute
from=$unreachable_from
wait $unreachable
ok "no answer: unreachable" has $unreachable UNREACHABLE
got=$(of $unreachable UNREACHABLE)
is "... from whom" "$(jq -c '[.severity, .cm.peer_addr, .cm.peer_port, .cm.status, .comm]' <<<"$got")" \
	"[\"error\",\"$nobody\",7199,-110,\"rping\"]"
is "... after how long: rdma_cm repeats the request for seconds" \
	"$(jq '.cm.connecting_ns | tonumber > 1000000000' <<<"$got")" true

# The device goes. Who listens on all devices has an id for each, and no connection
mark
connect 7176
rping -s -p 7178 >/dev/null 2>&1 &
everywhere=$!
within 10 is_listening 7178
rxe_del conn0 &
removal=$!
ok "the device goes: both ends" within 20 has $server DEVICE_REMOVAL
ok "... of the connection" within 20 has $client DEVICE_REMOVAL
killed $server $client $everywhere
wait $removal
is "... which is nothing for who listens on all devices" \
	"$(cms | jq -c "select(.event == \"CM_DEVICE_REMOVAL\" and .pid != $server and .pid != $client)")" ""
got=$(of $client DEVICE_REMOVAL | head -n 1)
is "... the device, owner and QP; it is connected" \
	"$(jq -c '[.device, .comm, .object_id, .severity, .cm.connecting_ns]' <<<"$got")" \
	"[\"conn0\",\"rping\",$client_qp,\"warning\",\"0\"]"
is "... because of the removal" "$(cause "$got" | jq -c '[.event, .device]')" '["DEVICE_REMOVE","conn0"]'

rmmod rdmaev_observe
rxe_add conn1
ip addr add $ip/24 dev conn1_d
insmod "$observe" connections=0
is "connections=0" "$(facts)" '[]'
mark
client 7172
end $client
is "... nothing is recorded, ..." "$(cms)" ""
is "... or counted" "$(counted)" "0 0"
rmmod rdmaev_observe
rxe_del conn1
plan
