#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Loading and unloading: parameters, refusals, and what remains after a failed
# step.
. "$(dirname "$0")/../tap.sh"
needs_module "this test loads and unloads it"

is "node and mode" "$(stat -c '%A %U %G %F' $node)" \
	"cr--r--r-- root root character special file"
like "alias for the generic netlink family" "$(modinfo -F alias "$top/kmod/rdmaev.ko")" \
	'^net-pf-16-proto-16-family-rdmaev$'
is "records by default" "$(cat /sys/module/rdmaev/parameters/records)" 8192

err=$(mktemp)
exec 3<$node
ok "unloading is refused while a node is open" not rmmod rdmaev
exec 3<&-
ok "and works when it is closed" rmmod rdmaev
ok "no node is left" not test -e $node

for records in 0 1 63 100 32 2097152 4294967295; do
	dmesg -C
	ok "records=$records is refused" not load records=$records
	like "... and told why" "$(dmesg)" \
		"rdmaev: records=$records is not a power of two from 64 to 1048576"
done
ok "... and leaves nothing" not test -e /sys/module/rdmaev

# A node of that name exists already, so the last step of loading fails. Sysfs
# prints a call trace for it; the kernel may print nothing else.
dmesg -C
echo 1 >$gen/block
ok "loading fails if the node cannot be made" not load
ok "... and leaves nothing" not test -e /sys/module/rdmaev
echo 0 >$gen/block
rxe_add mod0
echo 1 >$gen/block
ok "the same with a device there" not load
echo "process mod0 77 1 10" >$gen/run
is "... and its events go on" "$(cut -d' ' -f1 $gen/run)" delivered=10
echo 0 >$gen/block
like "... and sysfs tells why" "$(dmesg)" 'cannot create duplicate filename.*rdmaev'
is "... and nobody else complains" "$(dmesg | grep -E 'BUG|WARNING|KASAN|leak')" ""
dmesg -C

ok "load with records=64" load records=64
is "the devices there are on record" \
	"$(rdmaev log -j --since start | jq -r '.event + " " + .device')" \
	"DEVICE_ADD mod0"
echo "process mod0 15 1 100" >$gen/run
is "64 are kept" "$(rdmaev log -j -e SRQ_LIMIT_REACHED 2>"$err" | wc -l)" 64
oldest=$(rdmaev log -jq -e SRQ_LIMIT_REACHED | head -n 1 | jq .seq)
is "... and log says that others are not" "$(<"$err")" \
	"rdmaev: 36 older records were overwritten, the newest of them #$((oldest - 1))"
is "... by netlink, too" "$(rdmaev --netlink log -e SRQ_LIMIT_REACHED 2>&1 >"$err.out")" "$(<"$err")"
is "... unless told to be quiet" "$(rdmaev log -jq 2>&1 >"$err.out")" ""
is "... nor where all of them are kept" "$(rdmaev log -j -e DEVICE_ADD 2>&1 >"$err.out")" ""
rm -f "$err" "$err.out"

# Records in the log must not change when the record of a rename is evicted
names() { rdmaev "$@" log -jq -e SRQ_LIMIT_REACHED | jq -r .device | sort -u; }
is "the name of then" "$(names)" mod0
rdma dev set mod0 name mod1
is "... after a rename, too" "$(names)" mod0
echo "process mod1 11 1 100" >$gen/run
is "... also when the record of the rename has gone" "$(names) $(names --netlink)" "mod0 mod0"
rdma dev set mod1 name mod0
ok "unload with a device there" rmmod rdmaev

# race_load_test does this beside other work. Fewer rounds on kernels with
# checkers.
slow=${RDMAEV_SLOW:-1}
reload()
{
	local i
	for ((i = 0; i < 20; i += slow)); do
		load || return
		rmmod rdmaev || return
	done
}
ok "loaded and unloaded, again and again" reload

# Events all the while, from the driver and from the generator
reload_under_events()
{
	local i pid
	while :; do
		ip link set mod0_d down
		ip link set mod0_d up
		echo "process mod0 77 1 100" >$gen/run
	done &
	pid=$!
	for ((i = 0; i < 10; i += slow)); do
		load || break
		rmmod rdmaev || break
	done
	kill $pid
	wait $pid 2>/dev/null
	[ $i -ge 10 ]
}
ok "... under events" reload_under_events

rxe_del mod0
plan
