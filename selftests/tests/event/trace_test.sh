#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The tracepoint: one event for each record, with the same numbers.
. "$(dirname "$0")/../tap.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trace=/sys/kernel/tracing
[ -e $trace/events ] || trace=/sys/kernel/debug/tracing

ok "the event is there" test -e $trace/events/rdmaev/rdmaev_record/format
echo 65536 >$trace/buffer_size_kb
echo >$trace/trace
echo 1 >$trace/events/rdmaev/rdmaev_record/enable

qp_records=$gen/qp
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
	jq -r '"\(.index) \(.generation) 20 10 0 0"' >$gen/cm
echo "trace0 - 1 2 1 slow" >$gen/note
echo "3 1 9 2000000000 1 0" >$gen/observer
rdma dev set trace0 name trace1
rdma link del trace1
ip link del trace0_d
sleep 0.5
echo 0 >$trace/events/rdmaev/rdmaev_record/enable

# Tracepoints are outside the log's lock, so not in order. The log has names.
# shellcheck disable=SC2016	# they are jq's
numbers='["device", "port", "async", "wc", "completion", "lost", "qp", "observer", "cm", "note", "probe"] as $kinds |
	["none", "device", "port", "qp", "cq", "srq", "wq"] as $objects |
	["info", "warning", "error"] as $severities |
	["rdmaev", "handler", "ulp", "observer"] as $sources |
	["port", "error", "info", "user"] as $rings |
	.kind as $kind | (.object // "none") as $object | .severity as $severity | .source as $source | .ring as $ring |
	"seq=\(.seq) cause=\(.cause) kind=\(($kinds | index($kind)) + 1) code=\(.code) device=\(.index // 0)" +
	" generation=\(.generation) port=\(.port // -2)" +
	" object=\($objects | index($object)):\(.object_id // 0) count=\(.count) pid=\(.pid // 0)" +
	" severity=\(($severities | index($severity)) + 1) source=\($sources | index($source))" +
	" ring=\($rings | index($ring))"'
grep -o 'rdmaev_record: .*' $trace/trace | cut -d' ' -f2- | sort -t= -k2n >"$tmp/traced"
rdmaev log -j --since start | jq -r "$numbers" >"$tmp/logged"
is "as many as records" "$(wc -l <"$tmp/traced")" "$(wc -l <"$tmp/logged")"
ok "and the same" diff "$tmp/traced" "$tmp/logged"
is "of each kind that was made" "$(grep -o 'kind=[0-9]*' "$tmp/traced" | sort -u | cut -d= -f2 | sort -n | xargs)" \
	"1 2 3 $([ ! -e $qp_records ] || echo "7 ")8$([ ! -e $qp_records ] || echo " 9") 10"
like "the generator's are among them" "$(grep -c 'code=77' $trace/trace)" '^2000$'
echo >$trace/trace
echo 1408 >$trace/buffer_size_kb
plan
