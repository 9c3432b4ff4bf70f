#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A removal that takes long: since when, and by whom, in the lists and on record.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

sim=/sys/kernel/debug/rdmaev_sim
stay=/sys/module/rdmaev_stay/parameters/stay

put() { printf '%s\n' "$2" >"$1"; }
# device KEYS: what the list has of rem0
device() { rdmaev devices -j rem0 2>/dev/null | jq -c "$1"; }
is_leaving() { [ "$(device .removing)" = true ]; }
removal() { rdmaev log -j rem0 --since "$from" -e DEVICE_REMOVE -q | jq -c "$1"; }

# elsewhere ARGUMENT...: rdmaev in a pid namespace of its own
elsewhere()
{
	[ "$1" = --netlink ] || shift
	unshare -p -f rdmaev "$@"
}

# Written by a process of its own, whose pid is $remover
destroy()
{
	mark
	bash -c "echo $1 >$sim/destroy" &
	remover=$!
}

# waits PID: in the client of the test
waits() { grep -q stay_remove /proc/"$1"/stack; }

put $sim/create "rem0 1 ib"
is "not being removed" "$(device '[.removing, .removing_since_ns, .remover_pid, .remover_comm]')" \
	'[false,null,null,null]'

### By a client that came after rdmaev, and so is removed before it

insmod "$top/selftests/modules/rdmaev_stay.ko" stay=Y
# Longer than the heralds take to come after it
sleep 4
destroy rem0
ok "a removal waits for another client" within 20 waits "$remover"
ok "... it is listed" is_leaving
is "... since when, and by whom" \
	"$(device "[(.removing_since_ns | tonumber) > (.since_ns | tonumber), .remover_pid == $remover, .remover_comm]")" \
	'[true,true,"bash"]'
is "... by netlink, too" "$(rdmaev --netlink devices -j rem0 | jq -c "[.removing_since_ns, .remover_pid, .remover_comm]")" \
	"$(device '[.removing_since_ns, .remover_pid, .remover_comm]')"
for t in --node --netlink; do
	is "... $t: not by whom, in a pid namespace without that" \
		"$(elsewhere $t devices -j rem0 | jq -c "[.removing_since_ns == $(device .removing_since_ns), .remover_pid, .remover_comm]")" \
		'[true,null,null]'
done
is "... its port has no state" "$(device '.ports[].state')" null
like "... for people" "$(rdmaev status rem0 | tail -n 1)" \
	"^rem0/1 unknown: being removed for [0-9]+(us|ms|s|m[0-9]+s), by bash\[$remover\], which waits in rdmaev_stay$"
since=$(device .removing_since_ns)
is "... which is no record" "$(removal .event)" ""
put $stay N
wait "$remover"
ok "... until the client returns" rdmaev wait -q rem0 DEVICE_REMOVE --since "$from" -t 30
is "... on record: since when, and by whom" \
	"$(removal "[.node | .removing_since_ns == $since, .remover_pid == $remover, .remover_comm]")" \
	'[true,true,"bash"]'
for t in --node --netlink; do
	is "... $t: not by whom, in a pid namespace without that" \
		"$(elsewhere $t log -j rem0 --since "$from" -e DEVICE_REMOVE -q | jq -c '.node | [.remover_pid, .remover_comm]')" \
		'[null,null]'
done
is "... it took that long" "$(removal "(.boottime_ns | tonumber) > (.node.removing_since_ns | tonumber)")" true
like "... for people" "$(rdmaev log -v rem0 --since "$from" -e DEVICE_REMOVE)" \
	" rem0 +DEVICE_REMOVE +after [0-9]+(us|ms|s|m[0-9]+s), by bash\[$remover\]  #"

### By a kernel thread

put $stay N
ip link add rem0_d up type dummy
rdma link add rem0 type rxe netdev rem0_d
mark
ip link del rem0_d
ok "removed by a kernel thread" within 20 rdmaev wait -q rem0 DEVICE_REMOVE --since "$from" -t 1
is "... nobody's process" "$(removal '[.node | (.removing_since_ns | tonumber > 0), .remover_pid, .remover_comm]')" \
	'[true,null,null]'
is "... but why is known" "$(removal '.node | [.netdev, .netdev_change]')" '["rem0_d","deleted"]'
like "... for people" "$(rdmaev log -v rem0 --since "$from" -e DEVICE_REMOVE)" \
	" rem0 +DEVICE_REMOVE +after [0-9]+(us|ms|s), network device rem0_d was deleted  #"
is "other events are by nobody" \
	"$(rdmaev log -j rem0 --since "$from" -e DEVICE_ADD,DEVICE_RENAME -q | jq -c '.node.removing_since_ns' | sort -u)" ""

### The network device moves; and what is no reason

# other WHAT COMMAND...: soft RoCE over a new dummy device is removed by this
other()
{
	ip link add rem0_d up type dummy
	rdma link add rem0 type rxe netdev rem0_d
	mark
	"${@:2}"
	ok "$1" within 20 rdmaev wait -q rem0 DEVICE_REMOVE --since "$from" -t 1
}
ip netns add removing
other "removed, as its network device moves" ip link set rem0_d netns removing
is "... to another namespace" "$(removal '.node | [.netdev, .netdev_change, .remover_pid]')" \
	'["rem0_d","moved",null]'
ip -n removing link del rem0_d
ip netns del removing
other "removed by hand" rdma link del rem0
is "... which is the reason" "$(removal '.node | [.netdev, .netdev_change, .remover_comm]')" \
	'[null,null,"rdma"]'
mark
ip link del rem0_d

# It leaves while the device is being removed already
put $stay Y
ip link add rem0_d up type dummy
rdma link add rem0 type rxe netdev rem0_d
mark
rdma link del rem0 &
remover=$!
within 20 waits "$remover"
is_gone() { ! ip link show rem0_d; }
ip link del rem0_d 2>/dev/null &
deleter=$!
within 20 is_gone
put $stay N
wait "$remover" "$deleter"
ok "the network device leaves during the removal" rdmaev wait -q rem0 DEVICE_REMOVE --since "$from" -t 30
is "... which is no reason" "$(removal '.node | [.netdev, .netdev_change, .remover_comm]')" \
	'[null,null,"rdma"]'
rmmod rdmaev_stay
plan
