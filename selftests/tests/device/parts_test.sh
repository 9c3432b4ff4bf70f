#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Devices without the nodes of ib_uverbs and ib_umad that their kind has: on record once,
# in the lists and in the status, until they have them.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

if [ ! -e /sys/module/ib_uverbs/refcnt ]; then
	echo "1..0 # SKIP ib_uverbs is built in"
	exit 4
fi

sim=/sys/kernel/debug/rdmaev_sim
poll_ms=/sys/module/rdmaev/parameters/poll_ms
# Polls are those of poll alone.
interval=36000000
lid=100

put() { printf '%s\n' "$2" >"$1"; }
# recorded [DEVICE]: what the log has about parts, since the start
recorded() { rdmaev log -j "$@" --since 1 -e DEVICE_INCOMPLETE,DEVICE_COMPLETE -q; }
short() { recorded "$@" | jq -c '[.event, .device, .node.missing]'; }
lids() { rdmaev log -j "$1" --since "$from" -e PORT_LID -q | jq "select(.cause $2 0)"; }
lid_change()
{
	put $sim/"$1"/1/lid $((++lid))
	put $gen/run "queue $1 11 1 1"
	rdmaev wait -q "$1" PORT_LID --since "$from" -t 5
	[ -n "$(lids "$1" '!=')" ]
}

# make NAME WHAT: no query is pending afterwards, not that of a new device either
make()
{
	put $sim/create "$1 1 ib $2"
	within 60 lid_change "$1" || echo "# $1: no LID_CHANGE is followed by PORT_LID"
}

# poll DEVICE...: all devices once; those named are done. Their ports are queried last
poll()
{
	local device
	mark
	lid=$((lid + 1))
	for device; do put $sim/"$device"/1/lid $lid; done
	put $poll_ms $interval
	for device; do
		was_polled() { [ -n "$(lids "$device" '==')" ]; }
		within 30 was_polled || echo "# $device is not polled"
	done
}

# has_node DEVICE CLASS
has_node() { grep -qx "$1" /sys/class/"$2"/*/ibdev 2>/dev/null; }
missing() { rdmaev "${@:2}" devices -j "$1" | jq -c .missing; }
status_of() { rdmaev status -j "$1" | jq -c '[.health, .conditions, .missing]'; }

put $poll_ms $interval
# They need ib_uverbs
rmmod rdma_rxe siw rdma_ucm

### One has a node, one has not, and the kind of the third has none

make pa0 user
make pb0 late
make pc0 parent
ok "a device with its node" has_node pa0 infiniband_verbs
ok "... without" not has_node pb0 infiniband_verbs
ok "... that can have none" not has_node pc0 infiniband_verbs
poll pa0 pb0 pc0
is "the first poll: not on record" "$(short)" ""
is "... nor in the list" "$(missing pb0)" '[]'
poll pa0 pb0 pc0
is "the second: on record" "$(short)" '["DEVICE_INCOMPLETE","pb0",["uverbs"]]'
poll pa0 pb0 pc0
is "the third: once" "$(short | wc -l)" 1
is "a warning of the device" "$(recorded | jq -c '[.severity, .ring, .object, .port, .cause, .count, .source]')" \
	'["warning","port","device",null,0,1,"rdmaev"]'
like "... for people" "$(rdmaev log -v pb0 --since 1 -e DEVICE_INCOMPLETE)" \
	' pb0 +DEVICE_INCOMPLETE +missing device files: uverbs  #[0-9]+$'
for t in "" --netlink; do
	# shellcheck disable=SC2086	# the node as transport is no word at all
	is "the list of devices ${t:-by the node}" "$(missing pa0 $t) $(missing pb0 $t) $(missing pc0 $t)" '[] ["uverbs"] []'
done
is "the counters have it, too" "$(rdmaev stats -j pb0 | jq -c '[.missing, (.counters[] | select(.event == "DEVICE_INCOMPLETE").count)]')" \
	'[["uverbs"],1]'

### The status, without what sysfs says

mkdir "$tmp/empty"
mount --bind "$tmp/empty" /sys/class/infiniband_verbs
is "status: degraded" "$(status_of pb0)" '["degraded",["incomplete"],["uverbs"]]'
is "... in words" "$(rdmaev status pb0 | tail -n 1)" \
	"pb0/1 degraded: no uverbs device file, as other devices have; reload ib_uverbs"
is "... the others are well" "$(status_of pa0) $(status_of pc0)" '["ok",[],[]] ["ok",[],[]]'
umount /sys/class/infiniband_verbs

### Complete

reload() { rmmod "$1" && modprobe "$1"; }
reload ib_uverbs
ok "ib_uverbs makes the node when it is loaded" has_node pb0 infiniband_verbs
is "... unnoticed until the next poll" "$(missing pb0)" '["uverbs"]'
poll pa0 pb0 pc0
is "complete: on record" "$(short | tail -n +2)" '["DEVICE_COMPLETE","pb0",[]]'
is "... with the cause" "$(recorded | jq -s '.[1].cause == .[0].seq')" true
is "... as information" "$(recorded | jq -s -c '.[1] | [.severity, .ring, .count]')" '["info","port",1]'
like "... for people" "$(rdmaev log -v pb0 --since 1 -e DEVICE_COMPLETE)" \
	' pb0 +DEVICE_COMPLETE +no device file is missing  #[0-9]+ <- #[0-9]+$'
is "... in the lists" "$(missing pb0) $(status_of pb0)" '[] ["ok",[],[]]'
poll pa0 pb0 pc0
is "... once" "$(short | wc -l)" 2

### Removed while a node is missing

make pd0 late
poll pa0 pd0
poll pa0 pd0
is "another one" "$(short pd0)" '["DEVICE_INCOMPLETE","pd0",["uverbs"]]'
is "... has no cause" "$(recorded pd0 | jq .cause)" 0
put $sim/destroy pd0
is "... is removed" "$(rdmaev log -j pd0 --since 1 -e 'DEVICE_*' -q | jq -r .event | xargs)" \
	"DEVICE_ADD DEVICE_INCOMPLETE DEVICE_REMOVE"

### Nobody has nodes

make pe0 late
poll pa0 pe0
poll pa0 pe0
is "a third one" "$(short pe0)" '["DEVICE_INCOMPLETE","pe0",["uverbs"]]'
before=$(short)
rmmod ib_uverbs
ok "ib_uverbs is not loaded" not has_node pa0 infiniband_verbs
poll pa0 pb0 pc0 pe0
poll pa0 pb0 pc0 pe0
is "nothing is missing that no device has" "$(short)" "$before"
is "... but what was missing before" "$(missing pa0) $(missing pe0)" '[] ["uverbs"]'
closed() { rdmaev status | grep '^no program'; }
openable() { rdmaev status -j pa0 | jq -c .openable; }
is "... status says that no program can open a device" "$(closed) $(openable)" \
	"no program can open a device: ib_uverbs is not loaded; modprobe ib_uverbs false"
modprobe ib_uverbs
ok "loaded: programs can" within 20 sh -c "[ \$($top/ulib/rdmaev status -j pa0 | jq .openable) = true ]"
is "... so status does not say it" "$(closed)" ""
poll pa0 pb0 pc0 pe0
is "... complete" "$(short | tail -n 1)" '["DEVICE_COMPLETE","pe0",[]]'
put $sim/destroy pe0

### Nodes of ib_umad, too

both_parts()
{
	ok "ib_umad makes a node for a port" has_node pb0 infiniband_mad
	make pf0 late
	poll pa0 pb0 pf0
	is "two parts: not at once" "$(short pf0)" ""
	poll pa0 pb0 pf0
	is "... both" "$(short pf0)" '["DEVICE_INCOMPLETE","pf0",["uverbs","umad"]]'
	is "... in the status" "$(rdmaev status pf0 | tail -n 1)" \
		"pf0/1 degraded: no uverbs and umad device file, as other devices have; reload ib_uverbs ib_umad"
	reload ib_uverbs
	poll pa0 pb0 pf0
	is "... one of them" "$(short pf0 | tail -n +2)" '["DEVICE_INCOMPLETE","pf0",["umad"]]'
	reload ib_umad
	poll pa0 pb0 pf0
	is "... none" "$(short pf0 | tail -n +3)" '["DEVICE_COMPLETE","pf0",[]]'
	is "... each with the one before as cause" "$(recorded pf0 | jq -s -c '[.[1].cause == .[0].seq, .[2].cause == .[1].seq]')" '[true,true]'
	is "the others need no nodes of ib_umad" "$(short pa0)$(short pc0)" ""
	rmmod ib_umad
	put $sim/destroy pf0
}
if modprobe ib_umad 2>/dev/null; then
	both_parts
else
	skip "two parts" "the kernel has no ib_umad"
fi

### Two devices with the same parent

make ps0 "late shared"
make ps1 "late shared"
poll pa0 ps0 ps1
poll pa0 ps0 ps1
is "two with the same parent: whose the nodes are is not known" "$(short ps0)$(short ps1)" ""
put $sim/destroy ps1
poll pa0 ps0
is "... alone" "$(short ps0)" '["DEVICE_INCOMPLETE","ps0",["uverbs"]]'
plan
