#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A limit of the rdma cgroup: what a process may not make, or open, is on record with the
# process, its cgroup and the result, each attempt once; and is no problem of the device.
. "$(dirname "$0")/../tap.sh"
needs_module "so is the observer, or it is not there"
needs_pyverbs
tmp=$(mktemp -d)
group=$tmp/cgroup/few
trap '{ umount "$tmp/cgroup"; rxe_del lim0; rmmod rdmaev_observe; } 2>/dev/null; rm -rf "$tmp"' EXIT
mkdir "$tmp/cgroup"
mount -t cgroup2 none "$tmp/cgroup"
if ! grep -qw rdma "$tmp/cgroup/cgroup.controllers"; then
	echo "1..0 # SKIP this kernel has no rdma cgroup"
	exit 4
fi
echo +rdma >"$tmp/cgroup/cgroup.subtree_control"
mkdir "$group"
id=$(stat -c %i "$group")
rxe_add lim0
insmod "$top/kmod/rdmaev_observe.ko"

# limit HANDLES OBJECTS: of the group
limit() { echo "lim0 hca_handle=$1 hca_object=$2" >"$group/rdma.max"; }
# attempt OF TIMES: a process of the group that tries to make objects, or to open the device
# once more; its pid, and the errnos, are in $pid and $errnos
attempt()
{
	mark
	read -r pid errnos < <(sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$group" \
		python3 - "$@" <<-'END'
	import os
	import sys
	import pyverbs.enums as e
	from pyverbs.cq import CQ
	from pyverbs.device import Context
	from pyverbs.mr import MR
	from pyverbs.pd import PD
	from pyverbs.pyverbs_error import PyverbsRDMAError
	from pyverbs.qp import QP, QPCap, QPInitAttr

	ctx = Context(name="lim0")
	pd = PD(ctx)
	cq = CQ(ctx, 4)
	make = {
	    "context": lambda: Context(name="lim0"),
	    "mr": lambda: MR(pd, 64, e.IBV_ACCESS_LOCAL_WRITE),
	    "qp": lambda: QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap())),
	}
	made, errnos = [], {}
	for _ in range(int(sys.argv[2])):
	    try:
	        made.append(make[sys.argv[1]]())
	    except PyverbsRDMAError as error:
	        errnos[error.error_code] = errnos.get(error.error_code, 0) + 1
	print(os.getpid(), errnos, flush=True)
	END
	)
}
# refusals: records since the attempt
refusals()
{
	rdmaev log -j --since "$from" lim0 |
		jq -c 'select(.kind == "qp") | [.event, .severity, .object, .pid, .comm, .qp.uid, .qp.cgroup, .qp.result]'
}
record() { echo "[\"$1\",\"warning\",$2,$pid,\"python3\",0,$id,-11]"; }

# PD and CQ are two objects; nothing else of a process is counted.
limit 1 3
attempt qp 2
is "the second QP is refused" "$errnos" "{11: 1}"
is "... on record with process, user, cgroup and result" "$(refusals)" "$(record CREATE_OBJECT null)"
like "... in words" "$(rdmaev log --since "$from" lim0)" \
	"CREATE_OBJECT .*of python3\[$pid\]: creation of an object failed: .*\(-11\), limit hca_object of its rdma cgroup"
seq=$(rdmaev log -j --since "$from" -e CREATE_OBJECT | jq .seq)
like "... with a remedy" "$(rdmaev why -j "$seq" | jq -r .advice)" 'rdma\.current with rdma\.max'
attempt mr 2
is "an MR is refused" "$errnos $(refusals)" "{11: 1} $(record CREATE_OBJECT null)"
attempt context 2
is "to open the device twice more is refused: hca_handle" "$errnos" "{11: 2}"
is "... each on record" "$(refusals)" "$(record CREATE_CONTEXT '"device"')
$(record CREATE_CONTEXT '"device"')"
like "... in words" "$(rdmaev log --since "$from" lim0)" \
	"CREATE_CONTEXT .*of python3\[$pid\].*: opening the device failed: .*\(-11\), limit hca_handle of its rdma cgroup"

attempt qp 201
is "200 QPs are refused" "$errnos" "{11: 200}"
# The rest of a burst has its record a second later.
refused() { rdmaev log -j --since "$from" -e CREATE_OBJECT | jq -s 'map(.count) | add'; }
has_all() { [ "$(refused)" -ge 200 ]; }
within 10 has_all
is "... an exact count" \
	"$(rdmaev log -j --since "$from" -e CREATE_OBJECT | jq -s 'map(.count) | add')" 200

limit max max
attempt qp 8
is "without a limit nothing is refused, and there is no record" "$errnos $(refusals)" "{} "
is "nothing is wrong with the port" "$(rdmaev status -q lim0 >/dev/null; echo $?)" 0
is "no call was missed" "$(grep -c 'ib_rdmacg_try_charge.* armed .* 0 ' /sys/kernel/debug/rdmaev_observe/hooks)" 1
plan
