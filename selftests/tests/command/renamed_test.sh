#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Devices that were renamed: what happened to them before is found by the name that they
# have now, also if another device has the old name since.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

sim=/sys/kernel/debug/rdmaev_sim

# seqs FILTER: of all records that jq selects
seqs() { rdmaev log -j | jq -c "select($1) | .seq" | xargs; }
# of ARGUMENT...: seqs that rdmaev log prints
of() { rdmaev log -jq "$@" | jq .seq | xargs; }
# change LID NAME: of the device, whose folder keeps the name that it was made with
change()
{
	echo "$1" >$sim/old0/1/lid
	echo "queue $2 11 1 1" >$gen/run
	within 30 eval "[ -n \"\$(rdmaev log -jq -e PORT_LID | jq 'select(.change.after == $1)')\" ]" ||
		echo "# no LID $1"
}

still_add old0
still_down old0
generation=$(rdmaev devices -j old0 | jq .generation)
rdma dev set old0 name new0
within 30 rdmaev wait -q new0 DEVICE_RENAME --since start -t 1
for c in status devices stats probe ack cqs; do
	fails "$c: the name of before" 2 "old0: the device has another name now: new0" $c old0
done
fails "... with a port" 2 "old0/1: the device has another name now: new0" status old0/1
change 21 new0
rxe_add old0
within 30 rdmaev wait -q old0/1 up -t 1
all=$(seqs ".generation == $generation")

is "log: of the new name, all" "$(of new0)" "$all"
is "... of a pattern" "$(of 'new*')" "$all"
is "... of its port" "$(of new0/1)" "$all"
is "... of no other port" "$(of new0/2)" "$(seqs ".generation == $generation and (.port // 0) == 0")"
is "... by netlink" "$(of --netlink new0)" "$all"
is "... with what else selects" "$(of new0 -e PORT_STATE)" "$(seqs ".generation == $generation and .event == \"PORT_STATE\"")"
is "... each with its name" "$(rdmaev log -j new0 -e PORT_STATE,PORT_LID | jq -r .device | xargs)" "old0 new0"
is "... of the old name: what had it" "$(of old0)" "$(seqs '.device == "old0" or .node.old_name? == "old0"')"
is "watch: of the past" "$(rdmaev watch -jq --since start -t 0 new0 | jq .seq | xargs)" "$all"
is "why: what happened before" "$(rdmaev why -j new0 | jq -c '[.device, .event]')" '["old0","PORT_ERR"]'
rdmaev report -o "$tmp/page" new0
like "report" "$(<"$tmp/page")" "PORT_STATE"
like "... of both names" "$(<"$tmp/page")" "old0"
rdmaev record -q "$tmp/recording" --since start -t 0
is "a recording" "$(of --file "$tmp/recording" new0)" "$all"

# A device that gets yet another name while we look
start w new0 --since start
rdma dev set new0 name third0
within 30 rdmaev wait -q third0 DEVICE_RENAME --since start -t 1
change 23 third0
seen w "DEVICE_RENAME"
stop w
is "later records: by the name that they have" "$(grep -c 'third0.* LID 21 -> 23' "$tmp/w")" 0
all=$(seqs ".generation == $generation")
is "... which is the newest" "$(of third0)" "$all"
still_del old0
within 30 rdmaev wait -q third0 DEVICE_REMOVE --since start -t 1
is "... also when it is removed" "$(of third0)" "$(seqs ".generation == $generation")"
for c in status cqs; do
	fails "$c: it was removed" 2 "third0: the device was removed \(rdmaev log third0 has what happened\)" $c third0
done
rxe_del old0
plan
