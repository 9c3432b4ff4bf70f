#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Records of connections, from the log to the command: the same over the node
# and netlink, filtered, counted, and as text. The test makes up the connections;
# observe_cm_test.sh has real ones.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

cm_records=$gen/cm
if [ ! -e $cm_records ]; then
	echo "1..0 # SKIP this kernel has no kprobes"
	exit 4
fi

rxe_add cm0
device=$(rdmaev devices -j cm0 | jq -r '"\(.index) \(.generation)"')
# append NUMBER CODE STATUS OWNER: of cm0, or with nowhere of no device
append() { echo "$device $*" >$cm_records; }
nowhere() { echo "0 0 $*" >$cm_records; }

mark
append 20 8 8 $$
append 21 8 28 0
append 22 7 -110 $$
append 20 10 0 $$
append 20 11 0 $$
append 20 20 0 $$
append 20 99 0 $$
append 20 63 0 $$
nowhere 0 1 -101 $$
comm=$(<"/proc/$$/comm")
ends="connection from 10.0.0.1:40000 to 10.0.0.2:7174"
for t in "" --netlink; do
	n=${t:---node}
	# shellcheck disable=SC2086	# the node as transport is no word at all
	rdmaev $t log -v --since "$from" >"$tmp/text"
	is "$n: in words" "$(cut -c25- "$tmp/text" | sed 's/  #.*//; s/10.0.0.1:.*:7174/ENDS/')" \
		"cm0/1           CM_REJECTED          QP 20 of ${comm}[$$], peer QP 77: connection from ENDS refused: nobody listens there (INVALID_SERVICE_ID)
cm0/1           CM_REJECTED          QP 21 of kernel_ulp, peer QP 77: connection from ENDS refused: its program or ULP refused (CONSUMER_DEFINED)
cm0/1           CM_UNREACHABLE       QP 22 of ${comm}[$$], peer QP 77: connection from ENDS failed: the peer did not answer
cm0/1           CM_DISCONNECTED      QP 20 of ${comm}[$$], peer QP 77: connection from ENDS closed
cm0/1           CM_DEVICE_REMOVAL    QP 20 of ${comm}[$$], peer QP 77: connection from ENDS: device is being removed
cm0/1           CM_20                QP 20 of ${comm}[$$], peer QP 77: connection from ENDS
cm0/1           CM_99                QP 20 of ${comm}[$$], peer QP 77: connection from ENDS
cm0/1           CM_63                QP 20 of ${comm}[$$], peer QP 77: connection from ENDS
-               CM_ADDR_ERROR        QP 0 of ${comm}[$$], peer QP 77: connection from ENDS failed: address not resolved: Network is unreachable (-101)"
	is "$n: both ends" "$(grep -cF "$ends" "$tmp/text")" 9
	# shellcheck disable=SC2086
	rdmaev $t log -j --since "$from" >"$tmp/json${t:+.netlink}"
	# shellcheck disable=SC2086
	is "$n: found by name" "$(rdmaev $t log -v -e cm-disconnected,CM_REJECTED --since "$from" | awk '{ print $4 }' | xargs)" \
		"CM_REJECTED CM_REJECTED CM_DISCONNECTED"
	# shellcheck disable=SC2086
	is "$n: by device and port" "$(rdmaev $t log -v -e CM_UNREACHABLE,CM_ADDR_ERROR cm0/1 --since "$from" | awk '{ print $4 }' | xargs)" \
		"CM_UNREACHABLE"
	# shellcheck disable=SC2086
	is "$n: by severity" "$(rdmaev $t log -v --severity info --since "$from" | wc -l)" 9
	# shellcheck disable=SC2086
	is "$n: counted, unknown codes together" "$(rdmaev $t stats -j cm0 | jq -c \
		'[.ports[].counters[] | select(.kind == "cm") | [.event, .code, .count]]')" \
		'[["CM_UNREACHABLE",7,1],["CM_REJECTED",8,2],["CM_DISCONNECTED",10,1],["CM_DEVICE_REMOVAL",11,1],["CM_20",20,1],["CM_OTHER",65535,2]]'
done
is "by netlink the same as from the node" "$(<"$tmp/json.netlink")" "$(<"$tmp/json")"
is "an object a line, as short as can be" "$(jq -c . "$tmp/json" | diff - "$tmp/json")" ""
is "the keys, in this order" "$(jq -r '[keys_unsorted[], (.cm | keys_unsorted[])] | join(" ")' "$tmp/json" | sort -u)" \
	"seq instance time boottime_ns kind event code severity device index generation port object object_id count cause$(
	) pid comm cm source ring claimed status reason family port_space local_addr local_port peer_addr peer_port owner uid$(
	) pid_ns cgroup qp_type peer_qpn connecting_ns"
is "values" "$(jq -c '[.kind, .code, .device, .generation > 0, .object, .object_id, .pid, .comm, .source, .ring,
	(.cm | .status, .reason, .family, .port_space, .local_addr, .local_port, .peer_addr, .peer_port, .owner, .uid,
	.pid_ns, .qp_type, .peer_qpn)]' "$tmp/json" | sed -n '1,3p; 9p')" \
	"[\"cm\",8,\"cm0\",true,\"qp\",20,$$,\"$comm\",\"observer\",\"info\",8,\"INVALID_SERVICE_ID\",2,262,$(
	)\"10.0.0.1\",40000,\"10.0.0.2\",7174,\"$comm\",0,0,\"RC\",77]
[\"cm\",8,\"cm0\",true,\"qp\",21,0,null,\"observer\",\"info\",28,\"CONSUMER_DEFINED\",2,262,$(
	)\"10.0.0.1\",40000,\"10.0.0.2\",7174,\"kernel_ulp\",null,null,\"RC\",77]
[\"cm\",7,\"cm0\",true,\"qp\",22,$$,\"$comm\",\"observer\",\"info\",-110,null,2,262,$(
	)\"10.0.0.1\",40000,\"10.0.0.2\",7174,\"$comm\",0,0,\"RC\",77]
[\"cm\",1,null,false,\"qp\",0,$$,\"$comm\",\"observer\",\"info\",-101,null,2,262,$(
	)\"10.0.0.1\",40000,\"10.0.0.2\",7174,\"$comm\",0,0,\"RC\",77]"

# A reader that waits for one is woken
start live -j -e CM_DISCONNECTED
append 17 8 8 $$
append 17 10 0 $$
seen live '"event":"CM_DISCONNECTED"'
stop live
is "watch gets what it waits for" "$(jq -r .event "$tmp/live")" CM_DISCONNECTED

# Connections of others are not for everybody, also without a device
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
for t in "" --netlink; do
	# shellcheck disable=SC2086
	is "${t:---node}: nobody is told" "$("${nobody[@]}" rdmaev $t log -j --since "$from" | jq -r .event)" ""
done
"${nobody[@]}" sleep 1000 &
pid=$!
slept() { [ "$(<"/proc/$pid/comm")" = sleep ]; }
within 10 slept
mark
append 23 10 0 $pid
nowhere 0 1 -101 $pid
append 24 10 0 $$
for t in "" --netlink; do
	# shellcheck disable=SC2086
	is "${t:---node}: ... but of its own" "$("${nobody[@]}" rdmaev $t log -j --since "$from" | jq -r '"\(.event) \(.cm.owner)"')" \
		"CM_DISCONNECTED sleep
CM_ADDR_ERROR sleep"
done
kill $pid
wait $pid 2>/dev/null

# Whoever reaches a ULP through the network makes its connections fail. Above a quarter of
# the ring they are counted in one sum, whatever the reason, and what happens once keeps its
# object.
burst_ms=/sys/module/rdmaev/parameters/burst_ms
echo 100 >$burst_ms
mark
for ((i = 1; i <= 5000; i++)); do
	append "$i" 8 28 0
done
append 8000 7 -110 0
append 8001 10 0 $$
storm() { rdmaev log -j --since "$from" | jq -s "$1"; }
rejected() { [ "$(storm 'map(select(.event == "CM_REJECTED").count) | add')" = "$1" ]; }
ok "sums are recorded" within 20 rejected 5000
# A quarter of a second later, perhaps: one at a time gets a record
is_unreachable() { [ "$(storm 'any(.event == "CM_UNREACHABLE")')" = true ]; }
ok "... and what happens once" within 20 is_unreachable
first=$from
# A peer can choose the reason. At once, as the share gets four records a second.
mark
for ((i = 1; i <= 1000; i++)); do
	append "$i" 8 $((i % 100)) 0
done
ok "many reasons" within 20 rejected 1000
is "... have one sum" \
	"$(storm 'map(select(.count > 1) | [.cm.owner, .cm.status, .object_id]) | unique' | jq -c .)" '[["kernel_ulp",0,null]]'
storm() { rdmaev log -j --since "$first" --until "$((from - 1))" | jq -s "$1"; }
is "one reason: the first quarter of a ring, and what the share has got meanwhile" \
	"$(storm 'map(select(.event == "CM_REJECTED")) | length | . >= 2000 and . < 4000')" true
is "... a sum names the ULP and the reason, and no object" \
	"$(storm 'map(select(.count > 1) | [.cm.owner, .cm.reason, .object_id, .cm.peer_addr]) | unique' | jq -c .)" \
	'[["kernel_ulp","CONSUMER_DEFINED",null,null]]'
is "... what happens once has its object, and others have shares of their own" \
	"$(storm 'map(select(.object_id >= 8000) | [.object_id, .cm.owner, .count]) | sort' | jq -c .)" \
	"[[8000,\"kernel_ulp\",1],[8001,\"$comm\",1]]"
echo 1000 >$burst_ms
rxe_del cm0
plan
