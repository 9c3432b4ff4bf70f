#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev cqs, stats, log and watch --notify, where a ULP has CQs accounted for
# and completions fail.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

sim=/sys/kernel/debug/rdmaev_sim
run=/sys/kernel/debug/rdmaev_ulp/run

# hold WORD...: one step with a CQ; result KEY: a number of its result
hold() { echo "hold sim0 $*" >$run; }
result() { sed -En "s/.*\b$1=(-?[0-9]+).*/\1/p" $run; }

# row [COLUMN]...: of the first CQ, by its title
row()
{
	rdmaev cqs sim0 | awk -v titles="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR == 2 { n = split(titles, t); for (i = 1; i <= n; i++) printf "%s%s", (i > 1 ? " " : ""), $(at[t[i]]) }'
}

# records FILTER...: all of completions, each formatted by jq
records() { rdmaev log -j --since start | jq -c "select(.kind == \"wc\" or .kind == \"completion\") | $1"; }

echo "sim0 2 ib" >$sim/create
insmod "$top/selftests/modules/rdmaev_ulp.ko"

### Counters

hold create created 1 public
hold recv 5
hold send 3
hold write 2
hold arm next
hold poll 16
qp=$(result qp) cq=$(rdmaev cqs -j | jq .cq)
is "a CQ" "$(row DEVICE CQ OWNER KIND NOTIFIED POLLS COMPLETED FAILED FLUSHED FLAGS)" \
	"sim0 $cq cqtest created 0 1 8 0 0 -"
rdmaev cqs -j >"$tmp/json"
is "-j: as short as can be" "$(jq -c . "$tmp/json")" "$(<"$tmp/json")"
is "... its keys" "$(jq -r 'keys_unsorted | join(" ")' "$tmp/json")" \
	"device index generation id cq owner pid uid kind cqe stalled notified since_ns last_ns notifications polls empty_polls completions failures flags seq"
is "... and values" "$(jq -c '[.cq, .owner, .kind, .polls, .completions, .failures]' "$tmp/json")" \
	"[$cq,\"cqtest\",\"created\",1,{\"SEND\":3,\"WRITE\":2,\"RECV\":3},{}]"

### Failures

hold bad
hold poll 16
hold flushed
is "failures" "$(row COMPLETED FAILED FLUSHED)" "8 1 2"
wanted="LOC_QP_OP_ERR +QP $qp of cqtest \(CQ $cq\): SEND, wr_id 0x[0-9a-f]+, vendor error 0x82  #[0-9]+"
like "a line for the cause" "$(rdmaev log -v)" "^[0-9-]+ [0-9:.]+ sim0/1 +$wanted\$"
like "and one for what was flushed" "$(rdmaev log -v)" \
	"sim0/1 +WR_FLUSH_ERR +QP $qp of cqtest \(CQ $cq\) x2: first request, wr_id 0x[0-9a-f]+, vendor error 0x85  #[0-9]+ <- #[0-9]+\$"
cause=$(records 'select(.event == "LOC_QP_OP_ERR") | .seq')
is "-j: heads" "$(records '[.event, .severity, .object, .object_id, .count, .cause, .port, .source]')" \
	"[\"LOC_QP_OP_ERR\",\"error\",\"qp\",$qp,1,0,1,\"ulp\"]
[\"WR_FLUSH_ERR\",\"error\",\"qp\",$qp,2,$cause,1,\"ulp\"]"
is "... bodies" "$(records '.wc | del(.wr_id)')" \
	"{\"vendor_err\":130,\"opcode\":\"SEND\",\"wr_id_hash\":null,\"cq\":$cq,\"folded\":0,\"pid_ns\":null,\"send_cq\":$cq,\"recv_cq\":$cq,\"srq\":null,\"owner\":\"cqtest\",\"uid\":null,\"cgroup\":null,\"qp_type\":\"RC\",\"qp_state\":null,\"peer_qpn\":null,\"peer_lid\":null,\"peer_gid\":null}
{\"vendor_err\":133,\"opcode\":\"RECV\",\"wr_id_hash\":null,\"cq\":$cq,\"folded\":0,\"pid_ns\":null,\"send_cq\":$cq,\"recv_cq\":$cq,\"srq\":null,\"owner\":\"cqtest\",\"uid\":null,\"cgroup\":null,\"qp_type\":\"RC\",\"qp_state\":null,\"peer_qpn\":null,\"peer_lid\":null,\"peer_gid\":null}"
is "... wr_id as for people, a string" "$(records .wc.wr_id | tr -d '"')" \
	"$(rdmaev log --kind wc sim0 | grep -o 'wr_id 0x[0-9a-f]*' | cut -d' ' -f2)"
is "... as posted" "$(for id in $(records .wc.wr_id | tr -d '"'); do echo $((id > 1000 && id < 1100)); done | sort -u)" 1
is "... counted" "$(rdmaev stats -j | jq -c '.ports[0].counters[] | select(.kind == "wc") | [.event, .code, .count]')" \
	'["LOC_QP_OP_ERR",2,1]
["WR_FLUSH_ERR",5,2]'
titles="NOTIFIED POLLS EMPTY COMPLETED FAILED FLUSHED LAST"
like "stats: a row of the CQs of a device" "$(rdmaev stats | tr -s ' ' | grep -A1 '^DEVICE CQS' | xargs)" \
	"^DEVICE CQS $titles sim0 1 1 2 0 8 1 2 "
is "filter by status" "$(rdmaev log -e LOC_QP_OP_ERR -j | jq -r .event)" LOC_QP_OP_ERR
is "filter by severity" "$(rdmaev log --severity error sim0 -j | jq -r .event | xargs)" "LOC_QP_OP_ERR WR_FLUSH_ERR"
is "an older status is not there" "$(rdmaev log -v -e RETRY_EXC_ERR)" ""
hold reset
rdmaev wait sim0/1 LOC_QP_OP_ERR -t 60 >"$tmp/wait" &
within 30 watches $!
hold bad
hold poll 16
wait $!
like "$? rdmaev wait sees one" "$(<"$tmp/wait")" "$wanted"
hold reset

### Notification records

start notified --notify "sim0:$cq:2:0" -e CQ_NOTIFIED -n 1
asked() { [ "$(row FLAGS)" = notified ]; }
ok "somebody has asked" within 30 asked
fails "not for two" 2 "--notify sim0:$cq: its notifications are recorded for another reader already" watch -t 0 --notify "sim0:$cq"
for i in 1 2; do
	hold arm next
	hold write $i
	hold poll 16
done
wait "${pids[notified]}"
like "$? told after two" "$(<"$tmp/notified")" \
	"sim0 +CQ_NOTIFIED +CQ $cq of cqtest: 2 notifications in [0-9.]+[mu]?s, [123] completed  #[0-9]+\$"
is "and no more when it ends" "$(row FLAGS)" -
is "-j" "$(records 'select(.kind == "completion") | [.event, .severity, .object, .object_id, .count, .completion.notifications,
	.completion.failures, .completion.empty_polls, .completion.owner, (.completion.time_ns | tonumber > 0)]')" \
	"[\"CQ_NOTIFIED\",\"info\",\"cq\",$cq,2,2,0,0,\"cqtest\",true]"

### Stalls

echo 400 >/sys/module/rdmaev/parameters/stall_ms
start stalled -e CQ_STALLED,CQ_RECOVERED -n 2
hold arm next
hold write 1
seen stalled "CQ_STALLED +CQ $cq of cqtest: not polled for [0-9.]+m?s after 1 notification  #"
is "a stalled CQ" "$(row FLAGS)" STALLED
is "-j" "$(rdmaev cqs -j | jq .stalled)" true
is "its device is not well" "$(rdmaev status -j sim0/1 | jq -c '[.health, .conditions, .stalled_cqs]')" '["degraded",["stalled"],1]'
hold poll 16
wait "${pids[stalled]}"
like "$? recovers" "$(<"$tmp/stalled")" "CQ_RECOVERED +CQ $cq of cqtest: polled again after [0-9.]+m?s  #([0-9]+) <- #[0-9]+\$"
is "the one follows from the other" "$(records 'select(.event == "CQ_RECOVERED") | .cause')" \
	"$(records 'select(.event == "CQ_STALLED") | .seq')"
is "and is over" "$(row FLAGS) $(rdmaev cqs -j | jq .stalled) $(rdmaev status -j sim0/1 | jq -r .health)" "- false ok"
rdmaev stats sim0 -j | jq -c .cqs.completions >"$tmp/before"
hold destroy
is "the sums outlast the CQ" "$(rdmaev stats sim0 -j | jq -c .cqs.completions)" "$(<"$tmp/before")"
is "... which is gone" "$(rdmaev cqs -q; rdmaev stats -j | jq .cqs.count)" 0

### CQs of the core, and many

hold create attached
hold write 3
counted() { [ "$(row COMPLETED)" = 3 ]; }
ok "an attached one counts" within 30 counted
is "... and shows what it cannot count as such" "$(row KIND NOTIFIED POLLS EMPTY)" "attached - - -"
cq=$(rdmaev cqs -j | jq .cq)
fails "... nor has it notifications" 2 "--notify sim0:$cq: its notifications are ib_core.s \(attached\)" watch -t 0 --notify "sim0:$cq"
hold more 300
is "301 of them" "$(rdmaev cqs -q | wc -l) $(rdmaev cqs -jq | jq .id | sort -un | wc -l)" "302 301"
is "... and nothing for another device" "$(rdmaev cqs nowhere 2>&1)" \
	"rdmaev: nowhere: no such device (rdmaev devices lists them)"
is "nobody sees none" "$(setpriv --reuid=65534 --regid=65534 --clear-groups rdmaev cqs 2>/dev/null)" ""
hold destroy

rmmod rdmaev_ulp
plan
