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

rxe_add trace0
ip link set trace0_d down
ip link set trace0_d up
ip addr add 10.7.0.1/24 dev trace0_d
for mode in dispatch process softirq hardirq; do
	echo "$mode trace0 77 1 500" >$gen/run
done
# Each name that there is
for event in {0..20}; do
	echo "process trace0 $event 1 1" >$gen/run
done
rdma dev set trace0 name trace1
rdma link del trace1
ip link del trace0_d
sleep 0.5
echo 0 >$trace/events/rdmaev/rdmaev_record/enable

# Traced outside the log's lock, so not in order. A number is shown where there
# is no name.
traced=$(grep -o 'rdmaev_record: .*' $trace/trace | sort -t= -k2n |
	sed -E 's/.*seq=([0-9]+) cause=([0-9]+) (kind=[a-z]+ code=[0-9]+ event=[A-Z_]*) device=([0-9]+) generation=([0-9]+) port=([0-9]+) .* severity=([a-z]+) .* ring=([0-9]+)/\1 \2 \3 \4 \5 \6 \7 \8/')
logged=$(rdmaev log -j --since start | jq -r \
	'[.seq, .cause, "kind=\(.kind)", "code=\(.code)", "event=\(.event | sub("^EVENT_.*"; ""))",
	  .index, .generation, .port // 0, .severity, ({port: 0, error: 1, info: 2})[.ring]] | join(" ")')
is "as many as records" "$(wc -l <<<"$traced")" "$(wc -l <<<"$logged")"
ok "and the same" diff <(echo "$traced") <(echo "$logged")
is "all names of events" \
	"$(grep -oE 'kind=async code=[0-9]+ event=[A-Z_]+' <<<"$traced" | sort -u | wc -l)" 21
like "the generator's are among them" "$(grep -c 'code=77' $trace/trace)" '^2000$'
echo >$trace/trace
echo 1408 >$trace/buffer_size_kb
plan
