#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A device that is removed and added again, also under another name: its node GUID says that
# it is the same one, unless two devices have it.
. "$(dirname "$0")/../tap.sh"

tmp=$(mktemp -d)
cleanup()
{
	local d
	for d in pv0 pv1 pv2 pv3; do rdma link del $d; done 2>/dev/null
	for d in pv_d pv2_d; do ip link del $d; done 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT

# add NAME [TYPE NETDEV]: generation of the new device
add()
{
	rdma link add "$1" type "${2:-rxe}" netdev "${3:-pv_d}"
	within 30 rdmaev wait -q "$1" DEVICE_ADD --since "$from" -t 1
	rdmaev devices -j "$1" | jq .generation
}
# del NAME
del()
{
	rdma link del "$1"
	within 30 rdmaev wait -q "$1" DEVICE_REMOVE --since "$from" -t 1
	mark
}
# before NAME [OPTION]: what the list says
before() { rdmaev devices -j "${@:2}" "$1" | jq -c '[.previous, .old_name]'; }
# added NAME: what the record says
added() { rdmaev log -jq "$1" -e DEVICE_ADD | tail -n 1 | jq -c '[.device, .node.old_name]'; }

ip link add pv_d up type dummy
first=$(add pv0)
is "a new device was none before" "$(before pv0) $(added pv0)" '[null,null] ["pv0",null]'
del pv0
second=$(add pv0)
is "added again: it is the same" "$(before pv0) $(added pv0)" "[$first,null] [\"pv0\",null]"
is "... by netlink, too" "$(before pv0 --netlink)" "[$first,null]"
is "... nothing to say for people" "$(rdmaev devices pv0 | grep -c before)" 0
is "... after the first, which was none" "$(rdmaev devices -j --removed pv0 | jq -c '[.generation, .previous]' | xargs)" \
	"[$first,null] [$second,$first]"
del pv0
third=$(add pv1)
is "under another name" "$(before pv1) $(added pv1)" "[$second,\"pv0\"] [\"pv1\",\"pv0\"]"
is "... in words" "$(rdmaev devices pv1 | tail -n 2)" "
pv1, before: pv0 (same node GUID)"
like "... in the log" "$(rdmaev log -v pv1 -e DEVICE_ADD)" " pv1 +DEVICE_ADD +node guid [0-9a-f:]+, before: pv0 "
is "... the name before finds it" "$(rdmaev log -jq pv0 -e DEVICE_ADD | tail -n 1 | jq -r .device)" pv1
is "... by netlink, too" "$(rdmaev log --netlink -jq pv0 -e DEVICE_ADD | tail -n 1 | jq -r .device)" pv1
rdmaev record -q "$tmp/recording" --since start -t 0
is "... in a recording, too" "$(rdmaev log --file "$tmp/recording" -jq pv0 -e DEVICE_ADD | tail -n 1 | jq -r .device)" pv1
fails "... is no name now" 2 "pv0: the device has another name now: pv1" status pv0
del pv1
add pv1 >/dev/null
is "once more: the name before is that of a generation before" "$(before pv1) $(added pv1)" "[$third,\"pv0\"] [\"pv1\",null]"

### Two devices with the same node GUID at the same time: which one comes again?

mac=$(<"/sys/class/net/pv_d/address")
ip link add pv2_d address "$mac" up type dummy
add pv2 rxe pv2_d >/dev/null
is "another device has the GUID" "$(rdmaev devices -j 'pv*' | jq -s 'map(.node_guid) | unique | length')" 1
is "... it was none before" "$(before pv2) $(added pv2)" '[null,null] ["pv2",null]'
is "... the first one was" "$(before pv1)" "[$third,\"pv0\"]"
del pv1
add pv1 >/dev/null
is "... one of them again: unknown" "$(before pv1)" "[null,null]"
del pv1
del pv2
add pv1 >/dev/null
is "... both removed, one added: unknown" "$(before pv1)" "[null,null]"
del pv1
last=$(rdmaev devices -j --removed pv1 | jq .generation | tail -n 1)
add pv3 >/dev/null
is "... alone since: it is that" "$(before pv3)" "[$last,\"pv1\"]"
if [ -d /sys/module/siw ]; then
	del pv3
	add pv3 siw >/dev/null
	is "another driver: another device" "$(before pv3)" "[null,null]"
fi
plan
