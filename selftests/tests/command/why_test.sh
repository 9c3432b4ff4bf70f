#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev why: scripted faults on simulated ports, and made-up requests for QPs and
# connections: what belongs together is one incident, what does not is not.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

if [ ! -e $gen/qp ]; then
	echo "1..0 # SKIP this kernel has no kprobes"
	exit 4
fi
sim=/sys/kernel/debug/rdmaev_sim
took='[0-9.]+(us|ms|s|m[0-9]{2}s)'

declare -A device
create()
{
	echo "$1 $2 ib" >$sim/create
	device[$1]=$(rdmaev devices -j "$1" | jq -r '"\(.index) \(.generation)"')
}
# qp DEV NUMBER CODE BEFORE RESULT SIGNAL OWNER CALLER [FUNCTION]
qp() { echo "${device[$1]} ${*:2}" >$gen/qp; }
# cm DEV NUMBER CODE STATUS OWNER
cm() { echo "${device[$1]} ${*:2}" >$gen/cm; }
# change DEV STATE EVENT NAME: of port 1, and wait for the record of its state
change()
{
	mark
	echo "$2" >$sim/"$1"/1/state
	echo "queue $1 $3 1 1" >$gen/run
	within 30 rdmaev wait -q "$1/1" PORT_STATE --since "$from" -t 1 ||
		echo "# $1/1 does not become $4"
}
down() { change "$1" 1 10 DOWN; }
up() { change "$1" 4 9 ACTIVE; }
# why ARGUMENT...: incidents as "EVENT: EVENT<PARENT(BY) ..."
why()
{
	rdmaev why -j "$@" | jq -r '(.records | map({(.seq | tostring): .event}) | add) as $names |
		"\(.device)/\(.port) \(.event): " + (.records[1:] |
		map("\(.event)<\($names[.parent | tostring])" + if .by == "cause" then "" else "(\(.by))" end) | join(" "))'
}

create wy0 2
create wy1 1
is "no incident" "$(rdmaev why 2>&1; echo $?)" "rdmaev: no incident in the log
0"

### One fault

down wy0
qp wy0 20 6 3 0 0 0 0 nvme_rdma_stop_queue
cm wy0 21 7 -110 $$
up wy0
is "a port goes down: what follows is one incident" "$(why)" \
	"wy0/1 PORT_ERR: PORT_STATE<PORT_ERR QP_ERR<PORT_ERR(port_down) CM_UNREACHABLE<PORT_ERR(port_down) PORT_ACTIVE<PORT_ERR(port_down) PORT_STATE<PORT_ACTIVE"
comm=$(<"/proc/$$/comm")
like "... a line" "$(rdmaev why)" \
	"^#[0-9]+ [0-9-]+ [0-9:.]+ wy0/1 PORT_ERR: 6 records, over after $took, hit kernel_ulp, ${comm}\[$$\]$"
is "... whose work, and its end" "$(rdmaev why -j | jq -c '.records as $r | [.hit, (.end == $r[4].seq), .duration_ns == $r[4].after_ns, .severity]')" \
	"[[\"kernel_ulp\",\"${comm}[$$]\"],true,true,\"error\"]"
rdmaev why wy0 >"$tmp/out"
like "... a tree: its root" "$(sed -n 2p "$tmp/out")" '^  \+0us +PORT_ERR +#[0-9]+$'
like "... a consequence by its cause" "$(<"$tmp/out")" "^  \+$took +PORT_STATE +ACTIVE -> DOWN .*outage 1  #[0-9]+$"
like "... and one by a rule" "$(<"$tmp/out")" "^  \+$took +QP_ERR +QP 20 of kernel_ulp.*  #[0-9]+ \(the port was down\)$"
like "... its end" "$(<"$tmp/out")" "^  over after $took: PORT_ACTIVE #[0-9]+$"
like "... whose work" "$(<"$tmp/out")" "^  hit: kernel_ulp, ${comm}\[$$\]$"
is "... and the remedy" "$(sed -n 's/^  remedy: //p' "$tmp/out")" "$(rdmaev explain -j PORT_ERR | jq -r .advice)"

### What is none

mark
qp wy0 22 6 3 0 0 0 $$ nvme_rdma_free_queue
is "an owner closes its QP: no incident" "$(why | wc -l)" 1
like "... but its record can be asked for" "$(rdmaev why "#$from")" "^#$from .* wy0/1 QP_ERR$"
is "... with or without #" "$(rdmaev why "$from")" "$(rdmaev why "#$from")"

### Two faults at the same time

down wy0
echo 1 >$sim/wy0/2/state
echo "queue wy0 10 2 1" >$gen/run
down wy1
qp wy1 30 6 3 0 0 0 0 ipoib_stop
qp wy0 31 6 3 0 0 0 0 ipoib_stop
is "they are two" "$(why -n 3 | sort)" \
	"wy0/1 PORT_ERR: PORT_STATE<PORT_ERR QP_ERR<PORT_ERR(port_down)
wy0/2 PORT_ERR: PORT_STATE<PORT_ERR
wy1/1 PORT_ERR: PORT_STATE<PORT_ERR QP_ERR<PORT_ERR(port_down)"
is "... not over" "$(rdmaev why -j wy1 | jq -c '[.end, .duration_ns]')" "[null,null]"
is "... by device" "$(why wy1)" "wy1/1 PORT_ERR: PORT_STATE<PORT_ERR QP_ERR<PORT_ERR(port_down)"
is "... by port" "$(why wy0/2)" "wy0/2 PORT_ERR: PORT_STATE<PORT_ERR"
is "... by QP" "$(why --qp 30)" "$(why wy1)"
is "... by process" "$(why --pid $$ | cut -d: -f1)" "wy0/1 PORT_ERR"
is "... by ULP" "$(why --ulp 'kernel_u*')" "$(why wy1)"
is "... of nobody" "$(rdmaev why --qp 4711 2>&1)" "rdmaev: no such incident in the log"
fails "no such device" 2 "wy7: no such device, now or before, did you mean wy0 or wy1\? .*" why wy7
fails "... to be asked for beside one" 2 "wy7: no such device.*" why wy0 wy7
fails "an event is no device" 2 "PORT_ERR: is an event, not a device: rdmaev log -e PORT_ERR" why PORT_ERR
like "no such port" "$(rdmaev why wy0/7 2>&1)" "^rdmaev: wy0/7: the device has 2 ports now$"
like "... of log" "$(rdmaev log wy0/7 2>&1)" "^rdmaev: wy0/7: the device has 2 ports now$"
like "no such module" "$(rdmaev why --ulp nvme_rdmo 2>&1)" "^rdmaev: --ulp nvme_rdmo: no ULP of this name"
for t in '#x' '#0' 0 '#' 99999999999999999999; do
	fails "no record: $t" 2 "$t: must be the number of a record, such as #1041" why "$t"
done
fails "a record beside others" 2 "#1: a record is asked for alone.*" why '#1' wy0
fails "an empty list" 2 '"": an option that selects has nothing in its list' why --qp ''
up wy1
is "it is over" "$(rdmaev why -j wy1 | jq -c '.end != null')" true

### Others

mark
qp wy1 40 2 1 -22 0 $$ $$
is "a refused request is one by itself" "$(why wy1)" "wy1/1 QP_RTR: "
qp wy1 41 32 3 0 9 $$ $$
is "... and a process that is killed" "$(why wy1)" "wy1/1 QP_DESTROY: "
qp wy1 42 2 1 -22 0 $$ $$
qp wy1 42 6 1 0 0 $$ $$
qp wy1 42 32 6 0 9 $$ $$
qp wy1 42 2 1 -22 0 $$ $$
is "one QP: one incident, up to its end" "$(why -n 2 --qp 42)" \
	"wy1/1 QP_RTR: QP_ERR<QP_RTR(same_qp) QP_DESTROY<QP_RTR(same_qp)
wy1/1 QP_RTR: "

### Many of the same

down wy1
for ((i = 100; i < 130; i++)); do
	qp wy1 $i 6 3 0 0 0 0 nvme_rdma_stop_queue
done
rdmaev why wy1 >"$tmp/out"
is "many of the same: some of them" "$(grep -c ' QP_ERR  ' "$tmp/out")" 4
like "... and how many more" "$(<"$tmp/out")" "^ +26 more: QP_ERR, the last [+][0-9]+(us|ms|s)$"
is "... -v: all of them" "$(rdmaev why -v wy1 | grep -c ' QP_ERR  ')" 30
is "... JSON: all of them" "$(rdmaev why -j wy1 | jq '.records | map(select(.event == "QP_ERR")) | length')" 30
is "by netlink the same" "$(rdmaev --netlink why -j -n 10)" "$(rdmaev why -j -n 10)"
is "an object a line, as short as can be" "$(rdmaev why -j | jq -c . | diff - <(rdmaev why -j))" ""

esc=$(printf '\033')
colored=$(rdmaev why --color always wy1)
like "colours: an error" "$colored" "^ +\+[0-9.a-z]+ +$esc\[31mPORT_ERR +$esc\[0m "
is "... the same without" "$(rdmaev why --color always wy1 | sed "s/$esc\[[0-9]*m//g")" "$(rdmaev why wy1)"

### A device that fails

create wy2 1
echo "queue wy2 8 0 1" >$gen/run
within 30 rdmaev wait -q wy2 DEVICE_FATAL --since start -t 1
qp wy2 50 6 3 0 0 0 0 nvme_rdma_stop_queue
qp wy1 51 6 3 0 0 0 0 nvme_rdma_stop_queue
echo wy2 >$sim/destroy
within 30 rdmaev wait -q wy2 DEVICE_REMOVE --since start -t 1
is "a device fails: what follows on it" "$(rdmaev why -j wy2 | jq -c '[.event, (.records[1:] | map([.event, .by])[])]')" \
	'["DEVICE_FATAL",["QP_ERR","device_failed"],["DEVICE_REMOVE","device_failed"]]'

### An event that is not true

create wy3 1
mark
echo "queue wy3 10 1 1" >$gen/run
rdmaev wait -q wy3 PORT_ERR --since "$from" -t 30
qp wy3 60 6 3 0 0 0 0 nvme_rdma_stop_queue
ok "PORT_ERR, and the port stays ACTIVE: a query finds that" \
	rdmaev wait -q wy3 PORT_OUTAGE_UNSEEN --since "$from" -t 60
qp wy3 61 6 3 0 0 0 0 nvme_rdma_stop_queue
is "... up to then, what fails follows from it" "$(why wy3)" \
	"wy3/1 PORT_ERR: QP_ERR<PORT_ERR(port_down) PORT_OUTAGE_UNSEEN<PORT_ERR"
is "... which is its end" "$(rdmaev why -j wy3 | jq -c '.end == .records[-1].seq')" true
is "... after that, nothing does" "$(rdmaev why --qp 61 2>&1)" "rdmaev: no such incident in the log"

### Wrong

fails "no such record" 2 "#999999: no such record, or it was overwritten .*" why 999999
fails "no such port" 2 "wy0/: must be DEVICE .*" why wy0/

for d in wy0 wy1 wy3; do echo $d >$sim/destroy; done
plan
