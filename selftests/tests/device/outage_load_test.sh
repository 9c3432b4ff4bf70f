#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Outages of soft RoCE and siw: network device set down, carrier lost, and ports
# that were down when rdmaev was loaded or the device was added.
. "$(dirname "$0")/../tap.sh"
needs_module "this test loads and unloads it"

took='[0-9]+(us|ms|s|m[0-9]{2}s)'
tmp=$(mktemp -d)
siws=
cleanup()
{
	local d
	for d in $siws; do
		rdma link del "$d"
		ip link del "${d}_d"
	done
	ip link del rxe0_d
	rm -rf "$tmp"
}
trap cleanup EXIT

siw_add()
{
	siws+=" $1"
	ip link add "$1_d" up type dummy && rdma link add "$1" type siw netdev "$1_d"
}

# port DEVICE FILTER: it is true of its port in stats
port()
{
	rdmaev stats -j "$1" | counted >"$tmp/stats"
	jq -e ".ports[0] | $2" "$tmp/stats" >/dev/null
}

# of DEVICE FILTER: print what it makes of the device's records, as an array
of() { rdmaev log -jq "$1" | counted | jq -cs "$2"; }

names="rxe0"
rxe_add rxe0
if [ -d /sys/module/siw ]; then
	names+=" siw0"
	siw_add siw0
fi
echo 300 >/sys/module/rdmaev/parameters/outage_ms
last='map(select(.event == "PORT_OUTAGE_END"))[-1]'
# The record of the end has what those of both events say.
# shellcheck disable=SC2016
exact='(map({key: "\(.seq)", value: .}) | from_entries) as $at |
	map(select(.event == "PORT_OUTAGE_END")) | map($at["\(.cause)"] as $o | $at["\($o.cause)"] as $err |
	[$o.event, $err.event, .change.outage.since_ns == $err.boottime_ns,
	.change.outage.ns >= 300000000, .change.outage.ns <= .boottime_ns - $err.boottime_ns,
	.change.outage.begin, .change.outage.end, .severity, $o.severity])[-1]'
sums='.down_since_ns == null and .down_ns == null and .down_last_ns == .down_longest_ns and
	.down_total_ns == .down_last_ns and .outages == 1'

for d in $names; do
	within 20 rdmaev wait -q "$d" DEVICE_ADD --since start -t 1
	within 30 port "$d" '.state == "ACTIVE"'
	sleep 1		# the first query of a new device, and its addresses
	ip link set "${d}_d" down
	ok "$d: an outage is recorded" rdmaev wait -q "$d" PORT_OUTAGE --since start -t 30
	ok "$d: ... and goes on in stats" port "$d" '.down_ns > 300000000 and .down_begin == "event" and
		.down_admin == true and .down_last_ns == null and .down_total_ns == 0'
	ip link set "${d}_d" up
	ok "$d: ... and its end is" rdmaev wait -q "$d" PORT_OUTAGE_END --since start -t 30
	is "$d: exact times" "$(of "$d" "$exact")" \
		'["PORT_OUTAGE","PORT_ERR",true,true,true,"event","event","warning","error"]'
	is "$d: administrative, all of it" "$(of "$d" "$last | .change.outage | [.admin, .admin_ns == .ns]")" \
		'[true,true]'
	ok "$d: sums of one outage" port "$d" "$sums and .down_admin_ns == .down_total_ns"
done

# A dummy has a carrier to lose; siw does not look at it.
ip link set rxe0_d carrier off
ok "rxe0: carrier lost: another outage" within 30 port rxe0 '.down_ns > 300000000'
ip link set rxe0_d carrier on
ok "... which ends" within 30 port rxe0 '.down_since_ns == null and .outages == 2'
like "... recorded for people" "$(rdmaev log -v rxe0 -e PORT_OUTAGE_END | tail -n 1)" \
	" rxe0/1 +PORT_OUTAGE_END +ACTIVE after an outage of [0-9]+[.][0-9]{3}s, outage 2 "
is "... not administrative" "$(of rxe0 "$last | .change.outage | [.admin, .admin_ns]")" '[false,0]'
ok "... in the sums, too" port rxe0 '.down_admin_ns > 0 and .down_admin_ns == .down_total_ns - .down_last_ns'
like "stats for people" "$(rdmaev stats -v rxe0 | sed -n 4p)" \
	"^rxe0 +1 +ACTIVE +$took +4 +2 +$took +$took +$took +$took$"

# Down before rdmaev is there
ip link set rxe0_d down
within 30 port rxe0 '.state == "DOWN"'
rmmod rdmaev
load outage_ms=300
is "the parameter can be set at load" "$(cat /sys/module/rdmaev/parameters/outage_ms)" 300
ok "down at load: never ACTIVE" within 30 port rxe0 '.state == "DOWN" and .never_active'
sleep 1		# longer than outage_ms
is "... which is no outage" "$(of rxe0 'map(select(.event | startswith("PORT_OUTAGE"))) | length')" 0
none='.outages == 0 and .down_since_ns == null and .down_begin == null and .down_total_ns == 0'
ok "... nor in stats" port rxe0 "$none"
# again: the device is removed and added, as by a reset
again()
{
	mark
	rdma link del rxe0
	within 30 rdmaev wait -q rxe0 DEVICE_REMOVE --since "$from" -t 1
	rdma link add rxe0 type rxe netdev rxe0_d
	within 30 rdmaev wait -q rxe0 DEVICE_ADD --since "$from" -t 1
}
again
ok "added again: still never ACTIVE" within 30 port rxe0 ".state == \"DOWN\" and .never_active and $none"
ip link set rxe0_d up
ok "ACTIVE for the first time" within 30 port rxe0 ".state == \"ACTIVE\" and (.never_active | not) and $none"
is "... which ends no outage" "$(of rxe0 'map(select(.event == "PORT_STATE")) | .[-1].change | [.after, .outage]')" '["ACTIVE",null]'
mark
ip link set rxe0_d down
# recorded before the device goes: it counts in stats at once, its record comes after outage_ms
within 30 rdmaev wait -q rxe0 PORT_OUTAGE --since "$from" -t 1
ok "... then down: an outage" within 30 port rxe0 '.outages == 1 and (.never_active | not) and .down_begin == "event"'

# Down when the device is added, though it was ACTIVE before that
again
ok "down when added again: recorded" rdmaev wait -q rxe0 PORT_OUTAGE --since "$from" -t 30
is "... as a warning, with no cause and no beginning" "$(of rxe0 "map(select(.seq >= $from and .event == \"PORT_OUTAGE\")) |
	map([.severity, .cause, .change.before, .change.after, .change.outages,
		.change.outage.begin, .change.outage.admin])")" \
	'[["warning",0,null,"DOWN",0,"unknown",true]]'
like "... for people" "$(rdmaev log -v rxe0 -e PORT_OUTAGE --since "$from")" \
	"PORT_OUTAGE +DOWN for at least [0-9]+[.][0-9]+s, network device down for [0-9]+[.][0-9]+s, since before the device was added "
ok "... in stats" port rxe0 '.down_begin == "unknown" and .down_ns > 0 and .outages == 0 and (.never_active | not)'
is "... since the device was added" \
	"$(of rxe0 "map(select(.seq >= $from)) | (map(select(.event == \"DEVICE_ADD\"))[0].boottime_ns - map(select(.event == \"PORT_OUTAGE\"))[0].change.outage.since_ns) | fabs < 30e9")" true
ip link set rxe0_d up
ok "... and its end" rdmaev wait -q rxe0 PORT_OUTAGE_END --since "$from" -t 30
is "... of the unknown beginning" "$(of rxe0 "$last | [.change.outage.begin, .change.outage.end, .change.outages]")" \
	'["unknown","event",0]'
ok "... which counts as time, but not as an outage" port rxe0 '.outages == 0 and .down_total_ns > 0 and
	.down_since_ns == null and .down_begin == null and .down_admin == null'

# Removed while down
ip link set rxe0_d down
within 30 port rxe0 '.down_ns > 0'
mark
rdma link del rxe0
within 30 rdmaev wait -q rxe0 DEVICE_REMOVE --since "$from" -t 1
rdmaev stats --removed -j rxe0 | tail -n 1 | counted >"$tmp/stats"
is "removed while down" "$(jq -c '.ports[0] | [.state, .down_since_ns > 0, .down_ns, .down_begin, .down_last_ns > 0]' "$tmp/stats")" \
	'["DOWN",true,null,"event",true]'
rmmod rdmaev
insmod "$top/kmod/rdmaev.ko"
is "seven seconds by default" "$(cat /sys/module/rdmaev/parameters/outage_ms)" 7000
plan
