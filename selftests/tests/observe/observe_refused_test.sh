#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A program that cannot connect its QP, over soft RoCE: nobody has the peer's address, the
# GID index is empty, the own GID is of IPv6 and the peer of IPv4. Each is an incident of its
# own, with owner, addresses, result and remedy, and no problem of the port.
. "$(dirname "$0")/../tap.sh"
needs_module "so is the observer, or it is not there"
needs_pyverbs
trap 'rmmod rdmaev_observe 2>/dev/null; rxe_del ref0' EXIT

rxe_add ref0
# Without it, no answer is waited for.
ip link set ref0_d arp on
ip addr add 10.9.6.1/24 dev ref0_d
insmod "$top/kmod/rdmaev_observe.ko"
gids=/sys/class/infiniband/ref0/ports/1/gids
has_gid() { grep -q 0000:ffff:0a09:0601 $gids/*; }
within 10 has_gid
own=$(grep -l 0000:ffff:0a09:0601 $gids/* 2>/dev/null | sed 's/.*\///')

# refuse GID INDEX: a program whose request to connect to it fails; its incident is in $why
refuse()
{
	mark
	python3 - "$@" <<-'END'
	import sys
	import pyverbs.enums as e
	from pyverbs.addr import GID, AHAttr, GlobalRoute
	from pyverbs.cq import CQ
	from pyverbs.device import Context
	from pyverbs.pd import PD
	from pyverbs.pyverbs_error import PyverbsRDMAError
	from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr

	ctx = Context(name="ref0")
	cq = CQ(ctx, 4)
	qp = QP(PD(ctx), QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap()))
	attr = QPAttr(port_num=1)
	qp.to_init(attr)
	attr.dest_qp_num = 77
	attr.path_mtu = e.IBV_MTU_1024
	route = GlobalRoute(dgid=GID(sys.argv[1]), sgid_index=int(sys.argv[2]), hop_limit=64)
	attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
	try:
	    qp.to_rtr(attr)
	except PyverbsRDMAError:
	    sys.exit(0)
	sys.exit("it was not refused")
	END
	seq=$(rdmaev log -j --since "$from" -e QP_RTR | jq -s 'last.seq')
	why=$(rdmaev why -j "$seq" | jq -c --argjson r "$(rdmaev log -j --since "#$seq" -n 1)" \
		'[.severity, $r.qp.owner, $r.qp.peer_gid, $r.qp.gid_index, $r.qp.gid, $r.qp.result < 0]')
	advice=$(rdmaev why -j "$seq" | jq -r .advice)
}
# On such kernels the own GID is not known.
knows_gid() { [ ! -e /sys/kernel/realtime ]; }
gid_of() { knows_gid && echo "\"$1\"" || echo null; }

is "the address is there" "$(grep -c . <<<"$own")" 1
refuse 0000:0000:0000:0000:0000:ffff:0a09:064d "$own"
is "nobody has the peer's address" "$why" \
	"[\"warning\",\"python3\",\"::ffff:10.9.6.77\",$own,$(gid_of ::ffff:10.9.6.1),true]"
like "... the remedy" "$advice" "Nobody answered for the peer's address"
refuse 0000:0000:0000:0000:0000:ffff:0a09:064d 200
is "the GID index is empty" "$why" '["warning","python3","::ffff:10.9.6.77",200,null,true]'
like "... the remedy" "$advice" "no GID at the index"
first=$(python3 -c 'import ipaddress; print(ipaddress.ip_address(input()))' <$gids/0)
refuse 0000:0000:0000:0000:0000:ffff:0a09:064d 0
is "own GID of IPv6, peer of IPv4" "$why" \
	"[\"warning\",\"python3\",\"::ffff:10.9.6.77\",0,$(gid_of "$first"),true]"
if knows_gid; then
	like "... the remedy" "$advice" "not both of IPv4, or both of IPv6"
else
	skip "... the remedy" "the own GID is not known on kernels with PREEMPT_RT"
fi
is "each is an incident of its own" "$(rdmaev why -j ref0 -n 10 | jq -c 'select(.event == "QP_RTR") | .records | length')" "1
1
1"
is "nothing is wrong with the port" "$(rdmaev status -q ref0 >/dev/null; echo $?)" 0
plan
