#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The observer is loaded while nvme-rdma is connected: state and peer of its QPs are known,
# and their events are seen.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
. "$(dirname "$0")/nvme.sh"
needs_module "so is the observer, or it is not there"

if m=$(lacks_nvme); then
	echo "1..0 # SKIP this kernel has no $m"
	exit 4
fi
if [ "$(printf '%s\n' 5.11 "$(uname -r)" | sort -V | head -n 1)" != 5.11 ]; then
	echo "1..0 # SKIP this kernel destroys a QP that others have a reference to"
	exit 4
fi
prove_locking=/proc/sys/kernel/prove_locking

records() { rdmaev log -j --since "$from"; }
qps() { rdma resource show qp -j | jq -r '.[] | select(.type == "RC" and .state == "RTS") | .lqpn' | sort -n; }
# fatal QP: it has an event; its record
fatal() { echo "old0 qp $1 1" >$gen/raise && within 10 recorded "$1"; }
recorded() { [ -n "$(record "$1")" ]; }
record() { records | jq -c "select(.event == \"QP_FATAL\" and .object_id == $1)"; }
errors() { records | jq -c "select(.event == \"QP_ERR\") | select(.object_id as \$qp | [${all// /,}] | index(\$qp))"; }
has_moved() { [ "$(errors | jq .object_id | sort -n | xargs)" = "$all" ]; }
is_hooked() { grep -q "^nvme_rdma_qp_event .* armed " /sys/kernel/debug/rdmaev_observe/hooks; }

# As in observe_nvme_test.sh
[ ! -e $prove_locking ] || put $prove_locking 0
begin_nvme old0
ok "nvme-rdma is connected" within 20 is_live
all=$(qps | xargs)
mark
insmod "$top/kmod/rdmaev_observe.ko"
if grep -q ' __ib_qp_event_handler' /proc/kallsyms; then
	skip "the handler of its QPs is hooked" "this kernel has one for all QPs"
else
	ok "the handler of its QPs is hooked" within 20 is_hooked
fi

# An I/O queue: a QP of each side, each the peer of the other
one=$(qps | tail -n 1)
other=$(rdma resource show qp -j | jq ".[] | select(.lqpn == $one) | .rqpn")
for pair in "$one $other" "$other $one"; do
	read -r qp peer <<<"$pair"
	ok "an event of QP $pair" fatal "$qp"
	like "... of its ULP, with its state and its peer" \
		"$(record "$qp" | jq -r '[.async.owner, .async.qp_state, .async.peer_qpn] | join(" ")')" \
		"^(nvme_rdma|nvmet_rdma) RTS $peer\$"
done
is "... at this address" "$(record "$one" | jq -r .async.peer_gid)" "::ffff:$ip"

mark
unlink_target
ok "the target goes: each QP was moved to ERR" within 20 has_moved
is "... from RTS" "$(errors | jq -r .qp.before | sort -u)" RTS
is "... each with its peer" "$(errors | jq .qp.peer_qpn | sort -n | xargs)" "$all"

link_target
end_nvme
rmmod rdmaev_observe
plan
