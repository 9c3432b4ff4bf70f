#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Output of the rdmaev command for programs: every kind of record as JSON with
# all its keys, names of any bytes, and losses.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

rxe_add json0
start live -j
ip link set json0_d down
seen live '"after":"DISABLED"'
ip link set json0_d up
seen live '"after":"LINK_UP"'
ip addr add 10.6.0.1/24 dev json0_d
seen live '"after":"::ffff:10.6.0.1"'
# one of each number, known or not
for event in {0..20} 77 65535; do
	echo "process json0 $event 1 1" >$gen/run
done
rdma dev set json0 name json1
rdma link del json1
rdma link add json0 type rxe netdev json0_d
seen live '"DEVICE_ADD"'
ip link set json0_d down
seen live '"after":"DISABLED".*"outages":1'
stop live
is "watch ends with status 0" $? 0
rdmaev log -j >"$tmp/log"

head="seq instance time boottime_ns kind event code severity device index generation port object object_id count cause pid comm"
tail="source ring"
keys='.kind + ": " + (keys_unsorted | join(" "))'
is "an object a line, as short as can be" "$(jq -c . "$tmp/log" | diff - "$tmp/log")" ""
is "watch and log print the same" "$(tail -n +2 "$tmp/log")" "$(<"$tmp/live")"
is "the keys, in this order" "$(jq -r "$keys" "$tmp/log" | sort -u)" \
	"async: $head async $tail
device: $head node $tail
port: $head change $tail"
is "... of the bodies" "$(jq -r '.node // .change // .async | select(.) | keys_unsorted | join(" ")' "$tmp/log" | sort -u)" \
	"attribute before after index previous_ns outages
attribute before after index previous_ns outages gid_type_before netdev_before gid_type_after netdev_after
attribute before after index previous_ns outages outage
name guid old_name missing removing_since_ns remover_pid remover_comm netdev netdev_change
pid_ns send_cq recv_cq srq owner uid cgroup qp_type qp_state peer_qpn peer_lid peer_gid"

# Prints values of a wrong type or without sense.
odd='def n: type == "number" and . >= 0 and . == floor;
def s: type == "string" and length > 0;
def t: s and test("^(0|[1-9][0-9]*)$");
select((
	(.seq | n and . > 0) and
	(.instance | s and test("^[0-9a-f]{16}$")) and
	(.time | test("^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9][.][0-9]{9}Z$")) and
	(.boottime_ns | t and tonumber > 1000000) and
	(.kind | . == "device" or . == "port" or . == "async" or . == "lost") and
	(.event | s and test("^[A-Z_0-9]+$")) and
	(.code | n) and
	(.severity | . == "error" or . == "warning" or . == "info") and
	(if .kind == "lost" then .device == null and .index == null and .generation == 0
	 else (.device | s) and (.index | n) and (.generation | n and . > 0) end) and
	(.port | . == null or n) and
	(.object | . == null or . == "device" or . == "port" or
		. == "qp" or . == "cq" or . == "srq" or . == "wq") and
	.object_id == null and
	(.count | n and . > 0) and
	(.cause | n) and .cause < .seq and
	(.pid | n) and .comm == null and
	(.source | . == "rdmaev" or . == "handler") and (.source == "handler") == (.kind == "async") and
	(.ring | . == "port" or . == "error" or . == "info" or . == "user") and
	(if .kind == "device" then .node |
		(.name | s) and (.guid | test("^([0-9a-f]{4}:){3}[0-9a-f]{4}$")) and
		(.old_name | . == null or s)
	 elif .kind == "port" then .cause > 0 and (.change |
		(.attribute | s) and (.before | n or s) and (.after | n or s) and
		.before != .after and (.index | n) and (.previous_ns | t) and (.outages | n))
	 elif .kind == "async" then (.async | all(.[]; . == null))
	 elif .kind == "lost" then .lost |
		(.ring | s) and (.first | n) and (.last | n) and (.count | n)
	 else true end)) | not)'
is "types and values" "$(jq -c "$odd" "$tmp/log")" ""
is "... seq, one by one" "$(jq .seq "$tmp/log")" "$(seq "$(wc -l <"$tmp/log")")"
is "... a change's cause is an event of the port" "$(jq -rs '
	(map({key: "\(.seq)", value: .}) | from_entries) as $all |
	.[] | select(.cause > 0) | $all["\(.cause)"] as $c |
	select($c.kind != "async" or $c.port != .port or $c.generation != .generation)' "$tmp/log")" ""
is "... each number with its name" "$(jq -r 'select(.kind == "async") | "\(.code) \(.event)"' "$tmp/log" |
	sort -un)" \
	"$event_names
77 EVENT_77
65535 EVENT_65535"
is "... and object" "$(jq -r 'select(.kind == "async") | "\(.code) \(.object)"' "$tmp/log" |
	sort -un | xargs)" \
	"0 cq 1 qp 2 qp 3 qp 4 qp 5 qp 6 qp 7 qp 8 device 9 port 10 port 11 port 12 port 13 port$(
	) 14 srq 15 srq 16 qp 17 port 18 port 19 wq 20 device 77 null 65535 null"
is "the device through rename and removal" "$(jq -c 'select(.kind == "device") |
	[.event, .device, .generation, .node.name, .node.old_name]' "$tmp/log")" \
	'["DEVICE_ADD","json0",1,"json0",null]
["DEVICE_RENAME","json1",1,"json1","json0"]
["DEVICE_REMOVE","json1",1,"json1",null]
["DEVICE_ADD","json0",2,"json0","json1"]'
is "a port's way down" "$(jq -c 'select(.generation == 2 and .kind == "port" and .change.attribute != "gid") |
	[.event, .severity, .change.attribute, .change.before, .change.after, .change.outages]' "$tmp/log")" \
	'["PORT_STATE","error","state","ACTIVE","DOWN",1]
["PORT_PHYS_STATE","info","phys_state","LINK_UP","DISABLED",1]'
is "wait prints the same" "$(rdmaev wait -j --since start json1 DEVICE_REMOVE)" \
	"$(grep DEVICE_REMOVE "$tmp/log")"

rdmaev devices -j >"$tmp/devices"
is "devices: an object a line" "$(jq -c . "$tmp/devices")" "$(<"$tmp/devices")"
is "... its keys" "$(jq -r 'keys_unsorted, (.ports[] | keys_unsorted) | join(" ")' "$tmp/devices")" \
	"device index generation node_type node_guid since_ns previous old_name ports seq driver removed removing removing_since_ns remover_pid remover_comm sources missing last
port link_layer protocols state never_active query_error query_failed_since_ns phys_state lid sm_lid speed width rate_mbps best_rate_mbps mtu gid gid_type netdev link_mbps link_common_mbps link_supported_mbps outages gids pkeys$(
	) state_since_ns state_ns transitions down_since_ns down_ns down_begin $(
	)down_admin down_last_ns down_longest_ns down_total_ns down_admin_ns"
is "... of the last record" "$(jq -r '.last | keys_unsorted | join(" ")' "$tmp/devices")" \
	"seq time boottime_ns port kind event code"
is "... which is the newest about it" \
	"$(jq -c '.last | [.seq, .time, .boottime_ns, .port, .kind, .event, .code]' "$tmp/devices")" \
	"$(tail -n 1 "$tmp/log" | jq -c '[.seq, .time, .boottime_ns, .port, .kind, .event, .code]')"
is "... and values" "$(jq -c '[.device, .generation, .node_type, (.ports[] |
	.port, .link_layer, .protocols, .state, .phys_state, .outages, (.state_ns | tonumber > 0), .transitions), .driver, .removed, .sources]' "$tmp/devices")" \
	'["json0",2,"CA",1,"Ethernet",["RoCE"],"DOWN","DISABLED",1,true,1,"rdma_rxe",false,["rdmaev","handler"]]'
is "... seq is the newest" "$(jq .seq "$tmp/devices")" "$(tail -n 1 "$tmp/log" | jq .seq)"

### Names of any bytes, as far as rdma(8) sets them

seq=$(jq .seq "$tmp/devices")
name=json0 taken=()
for next in 'a"b' "a'b" 'a\b' 'a b' 'a,b' '{}' $'\e[31mred' $'t\ty' $'n\nx' $'\x7f' 'ü€' \
	$'\xc2\x9b' $'\xffbad' 'x123456789012345678901234567890123456789012345678901234' json0; do
	if rdma dev set "$name" name "$next" 2>/dev/null; then
		name=$next
		taken+=("$next")
	else
		echo "# rdma does not set the name $(printf %q "$next")"
	fi
done
ok "rdma sets some" [ ${#taken[@]} -ge 5 ]
rdmaev log -j --since $((seq + 1)) >"$tmp/odd"
is "odd names: one line each" "$(wc -l <"$tmp/odd")" "${#taken[@]}"
is "... each of them as it is" "$(jq -c .node.name "$tmp/odd")" \
	"$(jq -nc --args '$ARGS.positional[]' -- "${taken[@]}")"
is "... the name before too" "$(jq -c .node.old_name "$tmp/odd")" \
	"$(jq -nc --args '$ARGS.positional[]' -- json0 "${taken[@]}" | head -n -1)"
is "... nothing that acts on a terminal" "$(LC_ALL=C grep -c $'[^ -~\x80-\xff]' "$tmp/odd")" 0
rdmaev log -v --since $((seq + 1)) >"$tmp/odd"
is "... for people: one line each" "$(wc -l <"$tmp/odd")" "${#taken[@]}"
is "... in plain characters" "$(LC_ALL=C grep -c '[^ -~]' "$tmp/odd")" 0
is "... found by it" "$(rdmaev log -v "${taken[0]}" | wc -l)" 2

### A reader that is too slow

rmmod rdmaev
load records=64
start slow -e SRQ_LIMIT_REACHED
kill -STOP "${pids[slow]}"
echo "process json0 15 1 300" >$gen/run
echo "process json0 11 1 1" >$gen/run
kill -CONT "${pids[slow]}"
all_there() { [ "$(wc -l <"$tmp/slow")" = 65 ]; }
within 30 all_there
stop slow
like "LOST tells what is missing" "$(head -n1 "$tmp/slow")" \
	"^.{23} - {15}LOST {17}info ring: 236 records lost \(#2 to #237\)  #237$"
is "... the rest is there" "$(tail -n +2 "$tmp/slow" | grep -o '#[0-9]*' | xargs)" "$(seq -f '#%g' -s ' ' 238 301)"
is "LOST in its place, not counted by -n" \
	"$(rdmaev watch -v --since 1 -n 2 | sed -E 's/.* (LOST|DEVICE_ADD|SRQ_LIMIT_REACHED) .*/\1/' | xargs)" \
	"DEVICE_ADD LOST SRQ_LIMIT_REACHED"
is "... of log" "$(rdmaev log -v --since 1 -n 66 | awk '{ print $4 }' | uniq | xargs)" \
	"DEVICE_ADD LOST SRQ_LIMIT_REACHED LID_CHANGE"
is "... not where it is before the newest" "$(rdmaev log -v --since 1 -n 65 | awk '{ print $4 }' | uniq | xargs)" \
	"SRQ_LIMIT_REACHED LID_CHANGE"
is "LOST is never filtered away" \
	"$(rdmaev log -v --since 1 -e SRQ_LIMIT_REACHED --severity info "nobody*" | awk '{ print $4 }')" LOST
is "--since start: what is kept, nothing is lost" \
	"$(rdmaev log -v --since start | awk '{ print $4 }' | uniq -c | xargs)" \
	"1 DEVICE_ADD 64 SRQ_LIMIT_REACHED 1 LID_CHANGE"
is "... as JSON" "$(rdmaev log -j --since 1 | tee "$tmp/lost" | jq -c 'select(.kind == "lost") |
	[.seq, .event, .code, .severity, .device, .index, .generation, .port, .object, .count, .cause, .lost]')" \
	'[237,"LOST",0,"error",null,null,0,null,null,236,0,{"ring":"info","first":1,"last":237,"count":236}]'
is "... with all keys" "$(jq -r "$keys" "$tmp/lost" | sort -u | grep lost)" "lost: $head lost $tail"
is "... and types" "$(jq -c "$odd" "$tmp/lost")" ""
rdmaev wait json0 SM_CHANGE --since 1 -t 0 >"$tmp/out" 2>&1
is "wait says nothing of losses of another ring" "$? $(<"$tmp/out")" "1 "
echo "process json0 4 1 1" >$gen/run
echo "process json0 15 1 64" >$gen/run
rdmaev wait json0 COMM_EST --since 1 -t 0 >"$tmp/out" 2>&1
like "wait reports a loss of its event apart" "$? $(<"$tmp/out")" \
	"^1 rdmaev: 301 records lost \(#1 to #[0-9]+\); the event may be among them$"


rxe_del json0
plan
