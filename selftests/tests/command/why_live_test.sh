#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev why: scripted faults of real devices, soft RoCE and siw, as it prints them: a ULP
# that uses a wrong R_Key, or whose peer is gone; programs of rdma-core that are
# killed, or whose link goes down. A program that ends normally is no incident.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
needs_module "so is the observer, or it is not there"

if ! command -v rping >/dev/null; then
	echo "1..0 # SKIP there is no rping"
	exit 4
fi
sample=/sys/kernel/debug/rdmaev_sample
declare -A address=([rxe]=10.9.6.1 [siw]=10.9.7.1)

# add TYPE: the device whyTYPE, without IPv6 addresses, which come and go
add()
{
	ip link add "why$1_d" mtu 9000 type dummy
	echo 1 >"/proc/sys/net/ipv6/conf/why$1_d/disable_ipv6"
	ip link set "why$1_d" up
	ip addr add "${address[$1]}/24" dev "why$1_d"
	rdma link add "why$1" type "$1" netdev "why$1_d"
}
# make TYPE FAULT [EVENTS]: the ULP connects the device with itself, and does this
make() { echo "why$1 ${address[$1]} ${*:2}" 2>/dev/null >$sample/make; }

# shown ARGUMENT...: what rdmaev why prints, with letters for times and numbers: of records,
# objects, processes, and the ports of connections. Without the remedies, which
# explain_test has, and without the messages of ib_core itself on its own QP: how many of
# them fail is up to the core.
shown()
{
	rdmaev why "$@" 2>&1 | sed -E \
		-e 's/^#[0-9]+ [0-9-]+ [0-9:.]+ /#N TIME /' -e 's/^  \+.{6} /  +T /' \
		-e 's/#[0-9]+/#N/g' -e 's/\b(QP|CQ|SRQ) [0-9]+/\1 N/g' -e 's/\[[0-9]+\]/[N]/g' \
		-e 's/wr_id [~0-9a-f]+/wr_id N/' -e 's/(10\.9\.[0-9.]+):[0-9]+/\1:N/g' \
		-e 's/after [0-9.]+(us|ms|s|m[0-9]{2}s)/after T/g' \
		-e '/^  remedy: /d' -e '/ of ib_core/d' -e 's/^(  hit: .*), ib_core$/\1/'
}

qp_of()
{
	rdma resource show qp -j |
		jq -r ".[] | select(.pid == $1 and .state == \"RTS\") | .lqpn"
}
# established DEV: how many ends of connections have been
established()
{
	rdmaev stats -j "$1" | jq -s '[.. | objects |
		select(.event? == "CM_ESTABLISHED" or .event? == "CM_CONNECT_RESPONSE").count] | add // 0'
}
# are_connected TYPE N: both ends, the number of all ends that were before; siw does not move
# its QPs to RTS for all to see
are_connected()
{
	[ "$(established "why$1")" -ge $(($2 + 2)) ] || return
	[ "$1" = siw ] || { [ -n "$(qp_of $server)" ] && [ -n "$(qp_of $client)" ]; }
}
is_listening() { rdma resource show cm_id | grep -q "state LISTEN .*src-addr [^ ]*:7171 "; }
# connect TYPE [OPTION]...: rping, both ends
connect()
{
	rping -s -a "${address[$1]}" -p 7171 >/dev/null 2>&1 &
	server=$!
	within 10 is_listening || echo "# rping does not listen"
	rping -c -a "${address[$1]}" -p 7171 "${@:2}" >/dev/null 2>&1 &
	client=$!
}
# is_quiet TYPE: no packet for a second
is_quiet()
{
	local counters=("/sys/class/infiniband/why$1/ports/1/hw_counters/rcvd_pkts"
			/sys/class/net/lo/statistics/rx_packets) before
	before=$(cat "${counters[@]}" 2>/dev/null)
	sleep 1
	[ "$(cat "${counters[@]}" 2>/dev/null)" = "$before" ]
}
# stopped TYPE: the same, until they are connected. Stopped then, so that what the test does
# comes first, and as they would ping each other without a pause. The server only once it
# waits for the client: it is not to post a request to a connection that has ended
stopped()
{
	local before
	before=$(established "why$1")
	connect "$1"
	within 20 are_connected "$1" "$before" || echo "# rping does not connect"
	kill -STOP $client
	within 20 is_quiet "$1" || echo "# rping does not wait for its client"
	kill -STOP $server
}
killed()
{
	kill -9 "$@"
	wait "$@"
} 2>/dev/null
# has DEV EVENT: a record since the mark
has() { [ -n "$(rdmaev log -jq "$1" --since "$from" -e "$2")" ]; }
# incidents DEV: how many are of it
incidents() { rdmaev why -n 100 -j "$1" | wc -l; }
link()
{
	mark
	ip link set "why$1_d" "$2"
	# Its last record
	within 20 has "why$1" PORT_PHYS_STATE || echo "# $1: the link does not go $2"
}

ip link set lo up
add rxe
add siw
insmod "$top/kmod/rdmaev_observe.ko"
insmod "$top/selftests/modules/rdmaev_sample.ko"
# The address of the device may come later
ok "soft RoCE: a connection of a ULP" within 20 make rxe nothing
ok "siw: a connection of a ULP" within 20 make siw nothing
for t in rxe siw; do
	connect $t -C 3
	wait $client $server
done
is "what its owner closes is no incident" "$(rdmaev why 2>&1)" "rdmaev: no incident in the log"

### A ULP

make rxe write-rkey
is "soft RoCE: a wrong R_Key" "$(shown whyrxe)" \
"#N TIME whyrxe/1 REM_ACCESS_ERR
  +T REM_ACCESS_ERR     QP N of rdmaev_sample (send CQ N, receive CQ N), peer QP N at ::ffff:10.9.6.1: request from CQ N, wr_id N  #N
  +T   QP_ERR             QP N of rdmaev_sample, peer QP N at ::ffff:10.9.6.1: RTS -> ERR by why_live_test.s[N] in sample_disconnect  #N
  hit: rdmaev_sample"
make siw write-rkey-closed 1
# The end that asked may know first that the connection is closed, or even before it is known
# why: then it is not shown.
is "siw: a wrong R_Key, which ends the connection" \
	"$(shown whysiw | sed '/(the other end, on this host)$/,+1d')" \
"#N TIME whysiw/1 QP_ACCESS_ERR
  +T QP_ACCESS_ERR      QP N of rdmaev_sample (send CQ N, receive CQ N, SRQ N)  #N
  +T   CM_DISCONNECTED    QP N of rdmaev_sample: connection from 10.9.7.1:N to 10.9.7.1:N closed  #N
  +T   QP_ERR             QP N of rdmaev_sample: RTR -> ERR by why_live_test.s[N] in end_qp  #N
  hit: rdmaev_sample"
make rxe peer-gone
is "soft RoCE: the peer is gone" "$(shown whyrxe)" \
"#N TIME whyrxe/1 RETRY_EXC_ERR
  +T RETRY_EXC_ERR      QP N of rdmaev_sample (send CQ N, receive CQ N), peer QP N at ::ffff:10.9.6.1: request from CQ N, wr_id N  #N
  +T   QP_ERR             QP N of rdmaev_sample, peer QP N at ::ffff:10.9.6.1: RTS -> ERR by why_live_test.s[N] in sample_disconnect  #N
  hit: rdmaev_sample"
is "... three incidents, and none of what went well" "$(incidents whyrxe) $(incidents whysiw)" "2 1"

### A program that is killed

for t in rxe siw; do
	mark
	stopped $t
	kill -9 $client
	wait $client 2>/dev/null
	within 20 has why$t CM_DISCONNECTED
	kill -CONT $server
	wait $server
	shown why$t >"$tmp/$t"
done
is "soft RoCE: a killed process, and its peer" "$(<"$tmp/rxe")" \
"#N TIME whyrxe/1 QP_DESTROY
  +T QP_DESTROY         QP N of rping[N], peer QP N at ::ffff:10.9.6.1: destroyed, process killed by signal 9 (SIGKILL)  #N
  +T   CM_DISCONNECTED    QP N of rping[N]: connection from 10.9.6.1:N to 10.9.6.1:N closed  #N (the other end, on this host)
  +T     QP_ERR             QP N of rping[N], peer QP N at ::ffff:10.9.6.1: RTS -> ERR  #N
  hit: rping[N], rping[N]"
is "siw: a killed process, and its peer" "$(<"$tmp/siw")" \
"#N TIME whysiw/1 QP_DESTROY
  +T QP_DESTROY         QP N of rping[N]: destroyed, process killed by signal 9 (SIGKILL)  #N
  +T   CM_DISCONNECTED    QP N of rping[N]: connection from 10.9.7.1:N to 10.9.7.1:N closed  #N (of the same QP)
  +T     CM_DISCONNECTED    QP N of rping[N]: connection from 10.9.7.1:N to 10.9.7.1:N closed  #N (the other end, on this host)
  +T       QP_SQD             QP N of rping[N]: RTR -> SQD  #N
  hit: rping[N], rping[N]"

### The link goes down under traffic

stopped rxe
link rxe down
seq=$(rdmaev log -jq whyrxe --since "$from" -e PORT_ERR | jq .seq)
kill -CONT $server $client
within 60 has whyrxe CM_DISCONNECTED
killed $server $client
down="#N TIME whyrxe/1 PORT_ERR
  +T PORT_ERR           #N
  +T   PORT_STATE         ACTIVE -> DOWN after T, outage 1  #N
  +T   PORT_PHYS_STATE    LINK_UP -> DISABLED after T  #N
  +T   QP_ERR             QP N of rping[N], peer QP N at ::ffff:10.9.6.1: RTS -> ERR  #N (the port was down)
  +T     CM_DISCONNECTED    QP N of rping[N]: connection from 10.9.6.1:N to 10.9.6.1:N closed: the peer did not answer  #N"
is "soft RoCE: the link goes down under rping" "$(shown "#$seq")" "$down
  hit: rping[N]"
link rxe up
is "... and up" "$(shown "#$seq")" "$down
  +T   PORT_ACTIVE        #N (the port was down)
  +T     PORT_STATE         DOWN -> ACTIVE after T  #N
  +T     PORT_PHYS_STATE    DISABLED -> LINK_UP after T  #N
  over after T: PORT_ACTIVE #N
  hit: rping[N]"

### Two faults at the same time

before=$(($(incidents whyrxe) + $(incidents whysiw)))
# siw closes connections before its port is down, so there is none.
link rxe down
link siw down
is "two devices: two incidents" "$(shown -n 2 whyrxe whysiw)" \
"#N TIME whyrxe/1 PORT_ERR
  +T PORT_ERR           #N
  +T   PORT_STATE         ACTIVE -> DOWN after T, outage 2  #N
  +T   PORT_PHYS_STATE    LINK_UP -> DISABLED after T  #N

#N TIME whysiw/1 PORT_ERR
  +T PORT_ERR           #N
  +T   PORT_STATE         ACTIVE -> DOWN after T, outage 1  #N
  +T   PORT_PHYS_STATE    LINK_UP -> DISABLED after T  #N"
is "... no more" $(($(incidents whyrxe) + $(incidents whysiw) - before)) 2

rmmod rdmaev_sample rdmaev_observe
for t in rxe siw; do rxe_del why$t; done
plan
