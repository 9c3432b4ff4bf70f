#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The JSON Schema fits all that the command prints with -j: every kind of record, and
# what each command prints of a host on which everything has happened.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
needs_module "its log is smaller here"

if ! python3 -c 'import jsonschema' 2>/dev/null; then
	echo "1..0 # SKIP no python3-jsonschema here"
	exit 4
fi

modules=$top/selftests/modules
sim=/sys/kernel/debug/rdmaev_sim
ulp=/sys/kernel/debug/rdmaev_ulp
odd='ü"{\ b'

# collect DEFINITION ARGUMENT...: lines of a command
collect() { LC_ALL=C rdmaev "${@:2}" -j | LC_ALL=C sed "s/^/$1 /" >>"$tmp/lines"; }
check() { python3 "$top/selftests/tests/command/schema_check.py" "$top/include/rdmaev.schema.json" "$@" <"$tmp/lines" 2>&1; }
numbers() { rdmaev devices -j "$1" | jq -r '"\(.index) \(.generation)"'; }
hold() { echo "hold sch0 $*" >$ulp/run; }

### Ports and devices, with an outage, odd names and a loss

echo 1 >/sys/module/rdmaev/parameters/outage_ms
echo "sch0 2 ib" >$sim/create
rxe_add sch1
still_down sch0
within 30 rdmaev wait -q sch0 PORT_OUTAGE --since start -t 1
collect wait wait sch0/1 down
collect device devices
collect status status
echo 4 >$sim/sch0/1/state
echo "queue sch0 9 1 1" >$gen/run
rdmaev wait -q sch0 PORT_OUTAGE_END --since start -t 30
ip addr add 10.9.0.1/24 dev sch1_d
rdmaev wait -q sch1 PORT_GID --since start -t 30
for event in {0..20} 77 65535; do
	echo "process sch1 $event 1 1" >$gen/run
done
rdma dev set sch1 name "$odd"
rdmaev wait -q "$odd" DEVICE_RENAME --since start -t 30

### Objects: of ULPs, of programs that are made up, and of CQs

insmod "$modules/rdmaev_ulp.ko"
echo 1 >$gen/report
device=$(numbers sch0)
echo schema >$ulp/source
echo "sch0 1" >$ulp/create
qp=$(awk '$1 == "sch0" && $2 == "qp" { print $3; exit }' $ulp/objects)
echo "sch0 qp $qp 1" >$gen/raise
echo "sch0 $qp 0 3 1 words of a \"ULP\"" >$gen/note
if [ -e $gen/qp ]; then
	echo "$device 20 6 3 0 0 0 $$ nvmet_rdma_delete_ctrl" >$gen/qp
	echo "$device 17 2 1 -22 0 $$ $$" >$gen/qp
	echo "$device 17 32 -1 0 9 $$ $$" >$gen/qp
	echo "$device 20 8 8 $$" >$gen/cm
	echo "$device 22 7 -110 0" >$gen/cm
	echo "0 0 0 1 -101 $$" >$gen/cm
	echo "5 2 4 4000000000 1 0" >$gen/observer
fi
echo 400 >/sys/module/rdmaev/parameters/stall_ms
hold create created 1 public
hold bad
hold poll 16
hold flushed
start stalled -e CQ_STALLED -n 1
hold arm next
hold write 1
seen stalled CQ_STALLED
collect cq cqs
collect qp_owner qps
collect qp_owner qps -v
collect stats stats
collect status status
hold poll 16
# The same records by the netlink spec
PYTHONPATH=$top/selftests/tests/netlink/fast_yaml python3 "$top/selftests/tests/netlink/ynl_dump.py" "$top/build/tests/ynl" "$top/include/rdmaev.yaml" \
	history-get >"$tmp/history"
# Records may still come, of the address for example: those that it has seen
newest=$(jq '[.[] | select(.kind) | .seq] | max' "$tmp/history")
is "the kernel's YNL tool reads every record" \
	"$(jq -c '.[] | select(.kind) | [.seq, if .event == "" then "EVENT_\(.code)" else .event end]' "$tmp/history")" \
	"$(rdmaev log -j --since 1 | jq -c --argjson newest "$newest" 'select(.seq and .seq <= $newest) | [.seq, .event]')"
# Of what has been done by now there are more than these
ok "... and they are many" test "$newest" -gt 30
# Of a newer kernel, which the tool would not know
echo "77 $((1 << 31 | 1)) 272 1 1 0" >$gen/observer
collect record log --show-cursor
sed -i 's/^record {"cursor"/cursor {"cursor"/' "$tmp/lines"
collect incident why -n 100
collect fact observer
insmod "$top/kmod/rdmaev_observe.ko" && collect fact observer && rmmod rdmaev_observe

### A device that was removed, and a reader that is too slow

hold destroy
rmmod rdmaev_ulp
still_del sch0
rdma dev set "$odd" name sch1
collect wait wait sch0 down
collect device devices --removed
collect stats stats --removed
rmmod rdmaev_gen
rmmod rdmaev_sim
rmmod rdmaev
load records=64
insmod "$modules/rdmaev_gen.ko"
echo "process sch1 15 1 300" >$gen/run
collect record log --since 1

collect explained_event explain PORT_ERR QP_FATAL WR_FLUSH_ERR RETRY_EXC_ERR CM_REJECTED PORT_STATE LOST
collect explained_qp_state explain SQD ERR
collect explained_reason explain STALE_CONN INVALID_SERVICE_ID
collect explained_port_state explain ARMED
collect explained_phys_state explain POLLING
collect explained_fault explain --fault

# After 104 days
line=$(grep -m 1 '^record {"seq"' "$tmp/lines")
sed -E 's/("boottime_ns":)"[0-9]+"/\1"9007199254740993"/' <<<"$line" >>"$tmp/lines"

wanted="cq cursor device explained_event explained_fault explained_phys_state explained_port_state explained_qp_state
explained_reason fact incident record.async record.completion record.device record.lost record.note record.port
record.cm record.observer record.qp record.wc stats status wait"
is "all that is printed fits, of each sort something" "$(check)" "$(tr ' ' '\n' <<<"$wanted" | LC_ALL=C sort)"
is "a key more or less does not fit" "$(check --strict)" ""
is "the definitions are those of lines, and what they use" "$(python3 - "$top/include/rdmaev.schema.json" <<-'END'
	import json, sys
	text = open(sys.argv[1]).read()
	for name in json.loads(text)["definitions"]:
	    if f'"#/definitions/{name}"' not in text:
	        print(name)
	END
	)" ""
plan
