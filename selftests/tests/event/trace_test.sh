#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The tracepoint: one event for each record, with the same facts.
. "$(dirname "$0")/../tap.sh"

trace=/sys/kernel/tracing
[ -e $trace/events ] || trace=/sys/kernel/debug/tracing

ok "the event is there" test -e $trace/events/rdmaev/rdmaev_record/format
echo 65536 >$trace/buffer_size_kb
echo >$trace/trace
echo 1 >$trace/events/rdmaev/rdmaev_record/enable

insmod "$top/selftests/modules/rdmaev_inject.ko"
qp_records=/sys/kernel/debug/rdmaev_inject/qp
rxe_add trace0
ip link set trace0_d down
ip link set trace0_d up
ip addr add 10.7.0.1/24 dev trace0_d
for mode in dispatch process softirq hardirq; do
	echo "$mode trace0 77 1 500" >$gen/run
done
# Each name in the catalogue
for event in {0..20}; do
	echo "process trace0 $event 1 1" >$gen/run
done
# Kinds that no device of the tests reports
[ ! -e $qp_records ] || rdmaev devices -j trace0 |
	jq -r '"\(.index) \(.generation) 20 6 3 0 0 0 0 function"' >$qp_records
[ ! -e $qp_records ] || rdmaev devices -j trace0 |
	jq -r '"\(.index) \(.generation) 20 10 0 0"' >/sys/kernel/debug/rdmaev_inject/cm
echo "trace0 - 1 2 1 slow" >/sys/kernel/debug/rdmaev_inject/note
echo "3 1 9 2000000000 1 0" >/sys/kernel/debug/rdmaev_inject/observer
rdma dev set trace0 name trace1
rdma link del trace1
ip link del trace0_d
sleep 0.5
echo 0 >$trace/events/rdmaev/rdmaev_record/enable

# Tracepoints are outside the log's lock, so not in order. A code without a name
# is printed as a number.
traced=$(grep -o 'rdmaev_record: .*' $trace/trace | sort -t= -k2n |
	sed -E 's/.*seq=([0-9]+) cause=([0-9]+) (kind=[a-z]+ code=[0-9]+ event=[A-Z_]*) device=([0-9]+) generation=([0-9]+) port=([0-9]+) .* severity=([a-z]+) .* ring=([0-9]+)/\1 \2 \3 \4 \5 \6 \7 \8/')
logged=$(rdmaev log -j --since start | jq -r \
	'[.seq, .cause, "kind=\(.kind)", "code=\(.code)", "event=\(.event | sub("^EVENT_.*"; ""))",
	  .index // 0, .generation, .port // 0, .severity, ({port: 0, error: 1, info: 2, user: 3})[.ring]] | join(" ")')
is "as many as records" "$(wc -l <<<"$traced")" "$(wc -l <<<"$logged")"
ok "and the same" diff <(echo "$traced") <(echo "$logged")
is "all names of events" \
	"$(grep -oE 'kind=async code=[0-9]+ event=[A-Z_]+' <<<"$traced" | sort -u | wc -l)" 21
is "a request for a QP" "$(grep -oE 'kind=qp code=[0-9]+ event=[A-Z_]+' <<<"$traced")" \
	"$([ ! -e $qp_records ] || echo "kind=qp code=6 event=QP_ERR")"
is "a connection" "$(grep -oE 'kind=cm code=[0-9]+ event=[A-Z_]+' <<<"$traced")" \
	"$([ ! -e $qp_records ] || echo "kind=cm code=10 event=CM_DISCONNECTED")"
is "a note" "$(grep -oE 'kind=note code=[0-9]+ event=[A-Z_]+' <<<"$traced")" \
	"kind=note code=2 event=NOTE_WARNING"
is "the observer" "$(grep -oE 'kind=observer code=[0-9]+ event=[A-Z_]+' <<<"$traced")" \
	"kind=observer code=3 event=OBSERVER_BLIND"
like "the generator's are among them" "$(grep -c 'code=77' $trace/trace)" '^2000$'
echo >$trace/trace
echo 1408 >$trace/buffer_size_kb
plan
