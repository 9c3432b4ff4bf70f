#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev probe: have devices probed, and what the probes find, for people, as JSON, and
# in status. The requests themselves are tested in ../probe.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
needs_module "rdmaev_probe is loaded and unloaded"

sim=/sys/kernel/debug/rdmaev_sim/sim0
took='[0-9.]+(ns|us|ms|s|m[0-9]{2}s)'

# fails TEXT COMMAND...: with exit status 2 and this message
fails()
{
	local got=0
	"${@:2}" >"$tmp/out" 2>&1 || got=$?
	cat "$tmp/out"
	echo "exit status $got"
	[ "$got $(<"$tmp/out")" = "2 $1" ]
}
# field JQ: of sim0/1
field() { rdmaev probe -j sim0/1 | jq -r "$1"; }
is_state() { [ "$(field .state)" = "$1" ]; }
is_now() { within 30 is_state "$1" || { field .state; false; }; }

### Without the module

rxe_add prb0
ok "not loaded: a note" test "$(rdmaev probe 2>&1)" = \
	"rdmaev: no port can be probed: modprobe rdmaev_probe, if it is not loaded"
ok "... cannot be set" fails \
	"rdmaev: prb0: cannot be probed: rdmaev_probe is not loaded (modprobe rdmaev_probe), or the device has no kernel verbs" \
	rdmaev probe prb0 on

### Arguments

modprobe rdma_cm
insmod "$top/kmod/rdmaev_probe.ko" probe_lost_ms=1000
echo "sim0 2 ib verbs" >/sys/kernel/debug/rdmaev_sim/create
ok "no such device" fails "rdmaev: prb1: no such device, did you mean prb0? (rdmaev devices lists them)" \
	rdmaev probe prb1 on
ok "a port cannot be set" fails \
	"rdmaev: sim0/1: all ports of a device are probed, or none: name the device" rdmaev probe sim0/1 on
ok "nothing named" fails "rdmaev: probe on needs a device: rdmaev probe rxe0 on, or '*' for all" rdmaev probe on
ok "too long" fails "rdmaev: 3600001: at most 3600000 milliseconds" rdmaev probe sim0 3600001
ok "far too long" fails "rdmaev: 99999999999999999999: at most 3600000 milliseconds" \
	rdmaev probe sim0 99999999999999999999
ok "not by netlink" fails "rdmaev: probe DEV on works only without --netlink" rdmaev --netlink probe sim0 on
ok "not for everybody" fails "rdmaev: sim0: needs CAP_NET_ADMIN on the host; run as root" \
	setpriv --bounding-set -net_admin rdmaev probe sim0 on
is "completion" "$(rdmaev __complete probe si)" "$(printf 'sim0\nsim0/1\nsim0/2')"

### Off, on, off

is "off at first" "$(rdmaev probe sim0 | tr -s ' ' | sed -E "s/ $took / TIME /")" \
	"PORT STATE FOR METHOD EVERY SENT COMPLETED FAILED LATE LOST NEWEST LONGEST PROBLEM
sim0/1 off TIME - - - - - - - - - -
sim0/2 off TIME - - - - - - - - - -"
is "a device of all" "$(rdmaev probe -j | jq -r '"\(.device)/\(.port)"' | sort | xargs)" "prb0/1 sim0/1 sim0/2"
ok "on" rdmaev probe 'sim*' on
is "... every second" "$(field .interval_ms)" 1000
is "... not the others" "$(rdmaev probe -j prb0 | jq .interval_ms)" null
ok "every 10 ms" rdmaev probe sim0 prb0 10
ok "... it completes" is_now ok
like "... a line" "$(rdmaev probe sim0/1 | tail -n 1 | tr -s ' ')" \
	"^sim0/1 ok $took RC 10ms [0-9]+ [0-9]+ 0 0 0 $took $took -$"
like "-v: requests by latency" "$(rdmaev probe -v sim0/1)" "^  (from|up to) +$took +[0-9]+ #+$"
is "... all of them" "$(rdmaev probe sim0 off && is_now off &&
	rdmaev probe -v sim0/1 | awk '/^  from/ { n += $3 } /^  up to/ { n += $4 } END { print n }')" "$(field .completed)"
is "-j: the keys" "$(field 'keys_unsorted | join(" ")')" \
	"device index generation port state since_ns method interval_ms qp cq call status errno sent completed failed late lost rebuilt newest_ns longest_ns latency seq"
is "by netlink the same" "$(rdmaev --netlink probe -j sim0)" "$(rdmaev probe -j sim0)"

### What it finds

ok "on again" rdmaev probe sim0 20
ok "... ok" is_now ok
is "status says nothing of a probe that is ok" "$(rdmaev status sim0/1 | wc -l)" 2
is "... -j: its state" "$(rdmaev status -j sim0/1 | jq -r .probe)" ok
is "... null of a port that is not probed" "$(rdmaev probe prb0 off; rdmaev status -j prb0 | jq -r .probe)" null
echo 1 >$sim/hold
ok "requests that do not complete are lost" is_now lost
like "... the problem" "$(rdmaev probe sim0/1 | tail -n 1)" ' requests do not complete$'
like "status" "$(rdmaev status sim0/1)" "^sim0/1 +- +IB +NOT COMPLETING +$took "
like "... why" "$(rdmaev status sim0/1 | tail -n 1)" "^sim0/1 down: probe: requests do not complete for $took$"
ok "... exit status 1" not rdmaev status -q sim0/1
is "... -j" "$(rdmaev status -j sim0/1 | jq -c '[.health, .conditions, .probe]')" \
	'["down",["not-completing"],"lost"]'
like "... nagios" "$(rdmaev status --format nagios sim0/1)" "^RDMAEV CRITICAL - sim0/1 probe: requests do not complete"
echo 0 >$sim/hold
ok "it is ok again" is_now ok
echo "post_send -5" >$sim/fault
ok "a call fails" is_now failed
like "... the problem" "$(rdmaev probe sim0/1 | tail -n 1)" ' post_send failed: Input/output error \(-5\)$'
is "... -j" "$(field '"\(.call) \(.errno) \(.status)"')" "post_send -5 null"
echo "post_send 1" >$sim/fault
ok "a call hangs" is_now stuck
like "... the problem" "$(rdmaev probe sim0/1 | tail -n 1)" ' post_send does not return$'
like "status" "$(rdmaev status sim0/1 | tail -n 1)" "^sim0/1 down: probe: post_send does not return for $took$"
echo "post_send 0" >$sim/fault
ok "... and returns" is_now ok
is "the records" "$(rdmaev log -j --kind probe sim0/1 | jq -r .event | uniq | xargs)" \
	"PROBE_LATE PROBE_LOST PROBE_OK PROBE_FAILED PROBE_STUCK PROBE_OK"
like "... for people" "$(rdmaev log --kind probe sim0/1)" \
	" PROBE_LOST +not completed for $took \(request [0-9]+, QP [0-9]+, RC\)  #[0-9]+ <- #"
is "... counted" "$(rdmaev stats -j sim0/1 | jq '[.. | objects | select(.event? == "PROBE_OK") | .count] | add')" 2
echo "$(rdmaev probe -j | jq -c .; rdmaev log -j --kind probe)" >"$tmp/lines"
if python3 -c 'import jsonschema' 2>/dev/null; then
	is "the JSON Schema fits" "$(sed -E '/"kind"/!s/^/port_probe /; /"kind"/s/^/record /' "$tmp/lines" |
		python3 "$top/selftests/tests/command/schema_check.py" "$top/include/rdmaev.schema.json")" \
		"$(printf 'port_probe\nrecord.probe')"
else
	skip "the JSON Schema fits" "no python3-jsonschema here"
fi

### In the end

ok "unloaded while it probes" rmmod rdmaev_probe
is "... nothing of it is left" "$(rdma resource show qp | grep -c rdmaev_probe)" 0
is "status as if it had not been there" "$(rdmaev status -j sim0/1 | jq -c '[.health, .probe]')" '["ok",null]'
echo sim0 >/sys/kernel/debug/rdmaev_sim/destroy
rxe_del prb0
plan
