#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A removal that goes on after rdmaev was called: the device is listed until it has ended.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
needs_module "this test loads it after another client"

sim=/sys/kernel/debug/rdmaev_sim
stay=/sys/module/rdmaev_stay/parameters/stay

put() { printf '%s\n' "$2" >"$1"; }
waits() { grep -q stay_remove /proc/"$1"/stack; }
# listed KEYS [OPTION]: what the list has of rem0, oldest first
listed() { rdmaev devices -j rem0 "${@:2}" 2>/dev/null | jq -c "[.removing, .removed, $1]"; }
is_recorded() { rdmaev wait -q rem0 DEVICE_REMOVE --since "$from" -t 1; }

rmmod rdmaev
insmod "$top/selftests/modules/rdmaev_stay.ko" stay=Y
load

rxe_add rem0
mark
rdma link del rem0 &
remover=$!
ok "a removal waits for a client that came before rdmaev" within 20 waits "$remover"
ok "... and is on record" within 20 is_recorded
is "... the device is listed" "$(listed .remover_comm)" '[true,false,"rdma"]'
is "... as a port without a state" "$(rdmaev status -j rem0 | jq -c '[.state, .health]')" '[null,"unknown"]'
is "... once, with removed ones" "$(listed .index --removed | wc -l)" 1
not_in_core() { ! rdma dev show rem0; }
ok "... while ib_core shows it no more" not_in_core
is "... where the removal waits" "$(rdmaev status -j rem0 | jq -r .waits_in)" rdmaev_stay
like "... for people" "$(rdmaev status rem0 | tail -n 1)" ", by rdma\[$remover\], which waits in rdmaev_stay$"
# ends: of removals of rem0 that are on record
ends() { rdmaev log -j rem0 --since "$from" -q -e DEVICE_REMOVED; }
# Longer than what has no record, and twice as long as rdmaev waits between looks
sleep $((8 * ${RDMAEV_SLOW:-1}))
is "... its end is not on record" "$(ends)" ""
put $stay N
wait "$remover"
is "the end: not listed" "$(listed .index)" ""
is "... but as removed" "$(listed '.removing_since_ns, .remover_pid' --removed)" '[false,true,null,null]'
has_ended() { [ -n "$(ends)" ]; }
ok "... which is on record, as it took long" within 20 has_ended
removal=$(rdmaev log -j rem0 --since "$from" -e DEVICE_REMOVE)
is "... as what follows from the removal" "$(ends | jq -c '[.cause, .node.remover_comm, .node.remover_pid, .severity]')" \
	"[$(jq .seq <<<"$removal"),\"rdma\",$remover,\"info\"]"
is "... since when, and that it took that long" \
	"$(ends | jq -c "[.node.removing_since_ns == $(jq .node.removing_since_ns <<<"$removal"),
		((.boottime_ns | tonumber) - (.node.removing_since_ns | tonumber) > 8000000000)]")" '[true,true]'
like "... for people" "$(rdmaev log -v rem0 --since "$from" -e DEVICE_REMOVED)" \
	" rem0 +DEVICE_REMOVED +removal took [0-9]+(s|m[0-9]+s), by rdma\[$remover\]  #"
ip link del rem0_d

### A move

# ib_core moves no soft RoCE
put $stay Y
put $sim/create "rem0 1 ib"
rdma system set netns exclusive
ip netns add removing
mark
rdma dev set rem0 netns removing &
remover=$!
within 20 waits "$remover"
ok "a device that is being moved" within 20 is_recorded
is "... is listed" "$(listed .remover_comm)" '[true,false,"rdma"]'
put $stay N
wait "$remover"
is "... and only its new generation when it was" "$(listed .remover_pid)" '[false,false,null]'
is "... the old one as removed" "$(listed .remover_pid --removed | head -n 1)" '[false,true,null]'
put $sim/destroy rem0
ip netns del removing
rdma system set netns shared

### Programs have it open

# holders: who holds rem0
holders() { rdmaev status -j rem0 | jq -c '[.holders[] | [.pid, .comm]]'; }
is_held() { [ "$(holders)" = "[[$holder,\"sleep\"]]" ]; }
# has_file: the program has the node open
has_file() { [ -c /proc/$holder/fd/7 ]; }

put $stay Y
rxe_add rem0
node=$(dirname "$(grep -lx rem0 /sys/class/infiniband_verbs/*/ibdev)")
sleep 1000 7<>"/dev/infiniband/${node##*/}" &
holder=$!
within 20 has_file
is "a device that stays is held by nobody" "$(holders)" "[]"
rdma link del rem0 &
remover=$!
within 20 waits "$remover"
ok "a program has the device open that is being removed" within 20 is_held
ok "... its node is there" test -e "$node"
put $stay N
# has_ended: the driver, of Linux 7.3 for example, takes the device from programs
has_ended() { ! kill -0 "$remover"; }
is_held_or_has_ended() { { [ ! -e "$node" ] && is_held; } || has_ended; }
within 20 is_held_or_has_ended
if has_ended 2>/dev/null; then
	skip "... and which node is gone" "the removal does not wait for programs"
else
	ok "... and which node is gone" is_held
	like "... for people" "$(rdmaev status rem0 | tail -n 1)" ", by rdma\[$remover\], which waits in [a-z_]+, held by sleep\[$holder\]$"
fi
kill "$holder"
wait "$remover"
is "... which ends when the program does" "$(listed .index)" ""
is "no end of a removal that took less than five seconds is on record" \
	"$(rdmaev log -j rem0 --since start -q -e DEVICE_REMOVED |
		jq -c 'select((.boottime_ns | tonumber) - (.node.removing_since_ns | tonumber) < 5000000000)')" ""
ip link del rem0_d
rmmod rdmaev_stay
plan
