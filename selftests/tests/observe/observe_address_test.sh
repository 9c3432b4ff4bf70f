#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The address of a network device is removed under nvme-rdma, and is back some seconds later
# at another index of the GID table: one incident, whose root is the GID that was removed, which
# hit the ULP, and which is over when the GID is back. The port has no outage.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
. "$(dirname "$0")/nvme.sh"
needs_module "so is the observer, or it is not there"

if m=$(lacks_nvme); then
	echo "1..0 # SKIP this kernel has no $m"
	exit 4
fi

prove_locking=/proc/sys/kernel/prove_locking

# Nvmet of Linux 6.1: see observe_nvme_test.sh
[ ! -e $prove_locking ] || put $prove_locking 0
insmod "$top/kmod/rdmaev_observe.ko"
begin_nvme adr0
ok "nvme-rdma is connected" within 20 is_live

# gid ACTION: seq and index of the record of the GID that was removed or added
gid()
{
	rdmaev log -j adr0 --since "$from" -e PORT_GID |
		jq -sc "map(select(.change.$1 == \"::ffff:$ip\"))[0] | [.seq, .change.index]"
}
mark
reads 4
ip addr flush dev adr0_d
has_gone() { [ "$(gid before)" != "[null,null]" ]; }
ok "the address is removed" within 10 has_gone
while reads 1; do sleep 0.2; done >/dev/null 2>&1 &
load=$!
ok "the ULP loses its connection" within 60 is_down
root=$(gid before | jq '.[0]')
# story FILTER: of the incident
story() { rdmaev why -j "$root" | jq -c "$1"; }
# On others the first completion that fails is a flush, and the ULP moves its QPs to ERR then.
says_why() { [[ $(uname -r) == 6.1.* ]]; }
hit() { [ "$(story '.hit | index("nvme_rdma") != null')" = true ]; }
if says_why; then
	ok "... because of that" within 30 hit
	like "... by requests or connections that failed" "$(story '[.records[] | .event]')" \
		'LOC_QP_OP_ERR|RETRY_EXC_ERR|CM_ADDR_ERROR|CM_ADDR_CHANGE|CM_TIMEWAIT_EXIT|CM_DISCONNECTED|QP_ERR|WR_FLUSH_ERR|CM_UNREACHABLE|CM_ROUTE_ERROR'
else
	skip "... because of that" "soft RoCE of this kernel flushes all requests, and does not say why"
	skip "... by requests or connections that failed" "likewise"
fi
is "... from which all follows, but for the event that the device raises" \
	"$(story ".records[] | select(.seq == $root or .parent == null) | .event")" '"GID_CHANGE"
"PORT_GID"'
incident=$(story .seq)
is "... and not over" "$(story .end)" null

ip addr add 10.9.0.9/24 dev adr0_d
ip addr add $ip/24 dev adr0_d
has_come() { [ "$(gid after)" != "[null,null]" ]; }
ok "the address is back" within 10 has_come
not_at() { [ "$(gid before | jq '.[1]')" != "$(gid after | jq '.[1]')" ]; }
ok "... at another index" not_at
ok "the ULP is connected again" within 90 is_live
is_over() { [ "$(story '.end != null and .duration_ns != null')" = true ]; }
if says_why; then
	ok "the incident is over" within 30 is_over
else
	skip "the incident is over" "the failures are not in it"
fi
kill $load
wait $load 2>/dev/null
if says_why; then
	is "... it was the only one that hit the ULP" \
		"$(rdmaev why -j -n 100 | jq -c "select(.seq >= $from and (.hit | index(\"nvme_rdma\"))) | .seq")" "$incident"
else
	skip "... it was the only one that hit the ULP" "the failures are not in it"
fi
is "the port had no outage" "$(rdmaev status -j adr0/1 | jq -c '[.outages, .health]')" '[0,"ok"]'

end_nvme
ok "the ULPs can be unloaded" within 40 rmmod nvme_rdma nvmet_rdma
rmmod rdmaev_observe
for m in nvme_fabrics nvmet null_blk; do rmmod $m 2>/dev/null; done
rxe_del adr0
[ ! -e $prove_locking ] || put $prove_locking 1
plan
