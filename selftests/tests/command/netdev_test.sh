#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The network device of a port, of soft RoCE, whose GIDs have one, and of iWARP, where
# only ib_core knows it.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

ip link add nds_d up type dummy
rdma link add nds type siw netdev nds_d
rxe_add ndr
# netdev COMMAND...: of both devices, as it prints it
netdevs() { "$@" | jq -r '"\(.device) \(.netdev // .ports[0].netdev)"' | sort | xargs; }
both_up() { rdmaev wait -q nds/1 up -t 0 && rdmaev wait -q ndr/1 up -t 0; }
has_both() { [ "$(netdevs rdmaev status -j)" = "ndr ndr_d nds nds_d" ]; }
within 30 both_up

ok "status" within 20 has_both
like "... in the table" "$(rdmaev status nds)" "^nds/1 +nds_d +iWARP +ACTIVE "
is "... by netlink" "$(netdevs rdmaev --netlink status -j)" "ndr ndr_d nds nds_d"
is "... for nobody" "$(netdevs setpriv --reuid=65534 --regid=65534 --clear-groups rdmaev status -j)" "ndr ndr_d nds nds_d"
is "devices" "$(netdevs rdmaev devices -j)" "ndr ndr_d nds nds_d"
like "... in the table" "$(rdmaev devices)" "^nds +1 +nds_d +iWARP +ACTIVE "
is "as rdma link has it" "$(rdma link show -j | jq -r '.[] | "\(.ifname) \(.netdev)"' | sort | xargs)" "ndr ndr_d nds nds_d"
for c in status why log watch devices stats; do
	fails "$c: the name of a network device" 2 "ndr_d: is the network device of ndr/1: use that name" $c ndr_d
done
fails "... wait" 2 "ndr_d: is the network device of ndr/1: use that name" wait -t 0 ndr_d up
fails "... with a port" 2 "nds_d/1: is the network device of nds/1: use that name" status nds_d/1
rdmaev record -q "$tmp/recording" --since start -t 0
fails "... has names, too" 2 "nds_d: is the network device of nds/1: use that name" status --file "$tmp/recording" nds_d
is "... no probes, and nothing to load" "$(rdmaev probe --file "$tmp/recording" 2>&1)" "rdmaev: the recording has no probe"
is "a recording" "$(netdevs rdmaev status -j --file "$tmp/recording")" "ndr ndr_d nds nds_d"
rdma dev set nds name ndt
within 30 rdmaev wait -q ndt DEVICE_RENAME --since start -t 1
is "the device was renamed" "$(netdevs rdmaev status -j ndt)" "ndt nds_d"
ip netns add nd
is "it is in another network namespace" "$(netdevs ip netns exec nd rdmaev status -j ndt)" "ndt null"
ip netns del nd
rdma link del ndt
within 30 rdmaev wait -q ndt DEVICE_REMOVE --since start -t 1
ip link del nds_d
rxe_del ndr
within 30 rdmaev wait -q ndr DEVICE_REMOVE --since start -t 1
is "removed: not known" "$(rdmaev devices -j --removed | jq -r '"\(.device) \(.ports[0].netdev)"' | grep "^nd[rt]" | sort | xargs)" "ndr null ndt null"
is "... as in the table" "$(rdmaev devices --removed | awk '$1 ~ /^nd[rt]$/ { print $1, $3 }' | sort | xargs)" "ndr - ndt -"
plan
