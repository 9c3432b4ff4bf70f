#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The observer tries with objects of its own whether it sees what it says: another module
# replaces operations and does not call what was there; one that does is no reason.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
needs_module "so is the observer, or it is not there"

observe=$top/kmod/rdmaev_observe.ko
sim=/sys/kernel/debug/rdmaev_sim
run=/sys/kernel/debug/rdmaev_ulp/run

put() { printf '%s\n' "$2" >"$1"; }
cover() { put $sim/sim0/cover "$1"; }
states() { rdmaev observer -j | jq -r 'select(.state == "'"$1"'") | .fact' | xargs; }
# events NAME: since mark, what they are about
events()
{
	rdmaev log -j --since "$from" -e OBSERVER_"$1" |
		jq -r '.observer | "\(.facts[])"' | sort | xargs
}
is_blind() { [ "$(states blind)" = "$1" ]; }
objects() { rdma resource show sim0 | sed 's/^[0-9]*: //'; }

insmod "$top/selftests/modules/rdmaev_ulp.ko"
put $sim/create "sim0 1 ib verbs"
# Those of the core's own clients
within 10 test "$(objects | grep -o 'qp [0-9]*')" = "qp 2"
before=$(objects)
mark
insmod "$observe" polls=1
is "all is seen at once" "$(states blind)" ""
is "... of objects that are gone" "$(objects)" "$before"
is "... without a record of them" \
	"$(rdmaev log -j --since "$from" | jq -r 'select(.device == "sim0").event' | xargs)" ""
is "... or a CQ" "$(rdmaev cqs -j sim0 | jq -r 'select(.owner | startswith("rdmaev")) | .cq')" ""

# Another module replaces operations
mark
cover 1
is_held() { [ "$(</sys/module/rdmaev_observe/refcnt)" = 1 ]; }
ok "another module that calls the observer is found" within 20 is_held
sleep 3
is "... and no reason" "$(events BLIND)" ""
cover 0
within 20 not is_held
cover 2
ok "one that does not is found" within 15 is_blind "QP states QP ends polled CQs"
is "... and recorded" "$(events BLIND)" \
	"QP ends QP states polled CQs"
for op in modify_qp destroy_qp poll_cq; do
	like "... $op, in the kernel log" "$(dmesg)" "sim0: rdmaev_observe is not called for $op"
done
is "... once" "$(dmesg | grep -c 'is not called for')" 3
is "... for people" "$(rdmaev observer | grep '^QP ends' | tr -s ' ')" \
	"QP ends blind ib_core does not call it as expected dmesg | grep rdmaev_observe"
# More than one trial later
put $sim/sim0/fault "create_cq -12"
sleep 20
is "... also while the driver refuses what would show it" "$(states blind)$(events SEEING)" \
	"QP states QP ends polled CQs"
put $sim/sim0/fault "create_cq 0"
cover 1
ok "it calls the observer again: found" within 30 is_blind ""
is "... and recorded, with the cause" \
	"$(rdmaev log -j --since "$from" -e OBSERVER_BLIND,OBSERVER_SEEING | jq -rs '
		[.[] | select(.event == "OBSERVER_BLIND").seq] ==
		[.[] | select(.event == "OBSERVER_SEEING").cause]')" true
cover 0
ok "the observer is unloaded" within 20 rmmod rdmaev_observe

# It was there before
cover 1
mark
insmod "$observe" polls=1
is "under another module all is seen" "$(states blind)" ""
put $run "load sim0 polled 2 200"
is "... all completions" "$(rdmaev cqs -j sim0 | jq '[.completions[], .failures[]] | add')" \
	"$(grep -o 'posted=[0-9]*' $run | cut -d= -f2)"
rmmod rdmaev_observe
cover 0
is "... and as before without the observer" "$(put $run "load sim0 polled 2 200" && grep -o 'lost=0' $run)" lost=0

# A device that comes later
insmod "$observe" polls=1
put $sim/create "sim1 1 ib verbs"
put $sim/sim1/cover 2
ok "a device that came later" within 15 is_blind "QP states QP ends polled CQs"
put $sim/destroy sim1
ok "... has gone: nothing is blind any more" within 30 is_blind ""
rmmod rdmaev_observe
put $sim/destroy sim0
rmmod rdmaev_ulp
plan
