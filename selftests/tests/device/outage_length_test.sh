#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# One outage of eight seconds and ten of half a second, with outage_ms as it is by default, of
# soft RoCE, siw and a simulated port at the same time. How long each was is what its own
# records say, so a machine that is slow makes longer outages, but no other result.
#
# jq has variables of its own:
# shellcheck disable=SC2016
. "$(dirname "$0")/../tap.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
sim=/sys/kernel/debug/rdmaev_sim
param=/sys/module/rdmaev/parameters/outage_ms
devices="long_rxe long_siw long_sim"

if [ ! -d /sys/module/siw ]; then
	echo "1..0 # SKIP siw is not loaded"
	exit 4
fi

# add TYPE: a device without IPv6 addresses, which come and go
add()
{
	ip link add "long_$1_d" type dummy
	echo 1 >"/proc/sys/net/ipv6/conf/long_$1_d/disable_ipv6"
	ip link set "long_$1_d" up
	rdma link add "long_$1" type "$1" netdev "long_$1_d"
}
# all STATE: down or up, each port
all()
{
	local state=1 event=10
	[ "$1" = down ] || state=4 event=9
	ip link set long_rxe_d "$1"
	ip link set long_siw_d "$1"
	echo $state >$sim/long_sim/1/state
	echo "queue long_sim $event 1 1" >$gen/run
}
# are STATE N: each port became that for the Nth time
are() { [ "$(rdmaev log -jq 'long_*' -e PORT_STATE | grep -c "\"after\":\"$1\"")" = $((3 * $2)) ]; }
active() { [ "$(rdmaev devices -j 'long_*' | jq '.ports[] | select(.state == "ACTIVE").port' | wc -l)" = 3 ]; }
# outage N SECONDS: of each port
outage()
{
	all down
	within 30 are DOWN "$1" || echo "# outage $1 does not begin"
	sleep "$2"
	all up
	within 30 are ACTIVE "$1" || echo "# outage $1 does not end"
}

add rxe
add siw
echo "long_sim 1 ib" >$sim/create
ok "three ports are ACTIVE" within 30 active
echo 7000 >$param
outage 1 8
for ((i = 2; i <= 11; i++)); do
	outage $i 0.5
done

# Outages as the records of the state have them: begin and end are events, whose times count
cat >"$tmp/outages.jq" <<'END'
(map({key: "\(.seq)", value: .}) | from_entries) as $at |
(map(select(.event == "PORT_STATE")) as $states | [range(0; $states | length; 2) as $i | {
	begin: $at["\($states[$i].cause)"], end: $at["\($states[$i + 1].cause)"],
	is: $states[$i + 1].change.outage
}]) as $outages |
(input | .ports[0]) as $port |
END
# of DEVICE FILTER: what it makes of $outages, of all records, and of $port
of()
{
	{
		rdmaev log -jq "$1" | counted | jq -s .
		rdmaev stats -j "$1" | counted
	} >"$tmp/in"
	jq -c "$(<"$tmp/outages.jq") $2" "$tmp/in"
}

for d in $devices; do
	is "$d: eleven outages, each from an event to an event" \
		"$(of "$d" '$outages | [length, (map([.begin.event, .end.event]) | unique[])]')" '[11,["PORT_ERR","PORT_ACTIVE"]]'
	is "$d: ... of exactly that time" \
		"$(of "$d" '$outages | map(.is.since_ns == .begin.boottime_ns and .is.ns == .end.boottime_ns - .begin.boottime_ns) | unique')" '[true]'
	is "$d: ... the first was long, none was too short" \
		"$(of "$d" '$outages | [.[0].is.ns >= 8e9, all(.[]; .is.ns >= 5e8)]')" '[true,true]'
	# The long one, and no other, unless the machine made it as long
	is "$d: PORT_OUTAGE, once, of each of seven seconds or more, and of no other" \
		"$(of "$d" '(map(select(.event == "PORT_OUTAGE").cause) | sort) ==
			($outages | map(select(.is.ns >= 7e9).begin.seq)), any(.[]; .event == "PORT_OUTAGE")' | xargs)" "true true"
	is "$d: ... after seven seconds" \
		"$(of "$d" 'map(select(.event == "PORT_OUTAGE") | .change.outage.ns >= 7e9 and
			.boottime_ns - .change.outage.since_ns >= 7e9) | unique')" '[true]'
	is "$d: ... its end has the exact time" \
		"$(of "$d" '[.[] | select(.event == "PORT_OUTAGE_END") | [$at["\(.cause)"].cause, .change.outage.ns]] ==
			($outages | map(select(.is.ns >= 7e9) | [.begin.seq, .is.ns]))')" true
	is "$d: stats: how many, last, longest, total" \
		"$(of "$d" '$port | [.outages, .down_since_ns, .down_last_ns, .down_longest_ns, .down_total_ns]')" \
		"$(of "$d" '$outages | map(.is.ns) | [length, null, last, max, add]')"
done

echo long_sim >$sim/destroy
for d in long_rxe long_siw; do rxe_del "$d"; done
plan
