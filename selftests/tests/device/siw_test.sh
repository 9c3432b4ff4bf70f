#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# iWARP: events of a siw device, alone and beside a soft RoCE device, as the
# rdmaev command prints them.
set -uo pipefail

top=$(cd "$(dirname "$0")/../../.." && pwd)
rdmaev=$top/ulib/rdmaev
. "$top/selftests/tests/jq.sh"

skip() { echo "1..0 # SKIP $*"; exit 4; }
bail() { echo "Bail out! $*"; exit 1; }
[ -x "$rdmaev" ] || skip "ulib/rdmaev is not built"
[ -n "$(command -v jq)" ] || skip "there is no jq"
[ -d /sys/module/siw ] || skip "siw is not loaded"
[ -d /sys/module/rdma_rxe ] || skip "rdma_rxe is not loaded"

dir=$(mktemp -d)
points=0 failed=0

cleanup()
{
	local d
	for d in siw0 rxe0; do
		rdma link del $d
		ip link del ${d}_d
	done 2>/dev/null
	rm -rf "$dir"
}
trap cleanup EXIT

# check NAME COMMAND...: a test point; prints the records if it fails
check()
{
	local name=$1
	shift
	points=$((points + 1))
	if "$@"; then
		echo "ok $points $name"
	else
		failed=$((failed + 1))
		echo "not ok $points $name"
		sed 's/^/# /' "$dir/last"
	fi
}

add()
{
	ip link add "$1_d" up type dummy &&
		rdma link add "$1" type "$2" netdev "$1_d"
}

# Records from here on about the device $1
from=1
remember()
{
	local last
	last=$("$rdmaev" log -j --since "$from" 2>/dev/null | tail -n 1)
	[[ ! $last =~ \"seq\":([0-9]+) ]] || from=$((BASH_REMATCH[1] + 1))
}
records()
{
	"$rdmaev" log -j -q --since "$from" | jq -c --arg d "$1" 'select(.device == $d)' >"$dir/last"
}

# now DEVICE FILTER: wait 5 s until it is true of the records, as an array
now()
{
	local end=$((SECONDS + 6))
	while [ $SECONDS -lt $end ]; do
		records "$1" && jq -es "$2" "$dir/last" >/dev/null && return
		sleep 0.1
	done
	return 1
}

# port DEVICE FILTER: it is true of the port in the list of devices
port()
{
	"$rdmaev" devices -j "$1" >"$dir/last" &&
		jq -es "length == 1 and (.[0].ports | length == 1) and (.[0].ports[0] | $2)" \
			"$dir/last" >/dev/null
}

apart()
{
	"$rdmaev" devices -j >"$dir/last" &&
		jq -es 'map(select(.device == "siw0" or .device == "rxe0")) | length == 2 and
			(map(.index) | unique | length == 2) and
			(map(.generation) | unique | length == 2)' "$dir/last" >/dev/null
}

# changed EVENT ATTRIBUTE BEFORE AFTER: at least one record of the event, and
# one of the change, which has such an event as its cause
changed()
{
	cat <<-END
		map(select(.kind == "async" and .event == "$1" and .port == 1) | .seq) as \$e |
		map(select(.kind == "port" and .change.attribute == "$2")) as \$c |
		(\$e | length) >= 1 and (\$c | length) == 1 and (\$c[0] |
			.port == 1 and .change.before == "$3" and .change.after == "$4" and
			(.cause as \$cause | any(\$e[]; . == \$cause)))
	END
}

# silent DEVICE: it has no record, after enough time for one
silent()
{
	sleep 0.5
	records "$1" && [ ! -s "$dir/last" ]
}

echo "TAP version 13"
echo 1..19

remember
add siw0 siw || bail "siw0 cannot be made"
check "siw0 is recorded as new" now siw0 'any(.[]; .kind == "device" and .code == 1)'
check "siw0 speaks iWARP and nothing else" port siw0 '.protocols == ["iWARP"]'
check "siw0 is ACTIVE on Ethernet" port siw0 '.state == "ACTIVE" and .link_layer == "Ethernet"'

# its IPv6 address and the first query of a new device
sleep 2
remember
ip link set siw0_d down
check "link down: an error" now siw0 'any(.[]; .event == "PORT_ERR" and .severity == "error")'
check "link down: the state" now siw0 "$(changed PORT_ERR state ACTIVE DOWN)"
check "link down: the physical state" now siw0 "$(changed PORT_ERR phys_state LINK_UP DISABLED)"
check "link down: one outage" port siw0 '.state == "DOWN" and .outages == 1'

remember
ip link set siw0_d up
check "link up: information" now siw0 'any(.[]; .event == "PORT_ACTIVE" and .severity == "info")'
check "link up: the state" now siw0 "$(changed PORT_ACTIVE state DOWN ACTIVE)"
check "link up: no further outage" port siw0 '.state == "ACTIVE" and .outages == 1'

# siw reports a new hardware address like this. It has no LID that could change.
sleep 2
remember
ip link set siw0_d address 02:00:00:00:00:42
check "another address: LID_CHANGE" now siw0 'any(.[]; .event == "LID_CHANGE" and .port == 1)'
sleep 0.5
check "another address: no LID" now siw0 'all(.[]; .change.attribute != "lid")'

add rxe0 rxe || bail "rxe0 cannot be made"
check "rxe0 speaks RoCE, and siw0 still iWARP" \
	eval 'port rxe0 ".protocols == [\"RoCE\"]" && port siw0 ".protocols == [\"iWARP\"]"'
check "rxe0 and siw0 are two devices" apart

sleep 2
remember
ip link set rxe0_d down
check "link of rxe0 down: recorded" now rxe0 "$(changed PORT_ERR state ACTIVE DOWN)"
check "link of rxe0 down: nothing of siw0" silent siw0

remember
ip link set siw0_d down
check "link of siw0 down: recorded" now siw0 "$(changed PORT_ERR state ACTIVE DOWN)"
check "link of siw0 down: nothing of rxe0" silent rxe0

remember
rdma link del siw0
check "siw0 goes, and rxe0 stays" \
	eval 'now siw0 ".[-1].kind == \"device\" and .[-1].code == 2" && port rxe0 ".state == \"DOWN\""'

[ $failed = 0 ]
