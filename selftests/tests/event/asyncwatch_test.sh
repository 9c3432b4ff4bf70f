#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The reference: rdmaev watch prints all events that ibv_asyncwatch prints, in
# the same order, on soft RoCE and on siw.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

# theirs DEV, ours DEV: "EVENT (NUMBER) PORT", a line each. The core sets no
# port in events of the device; ibv_asyncwatch then prints whatever is there.
theirs()
{
	sed -nE 's/^ *event_type IBV_EVENT_([A-Z_]+) \(([0-9]+)\), port ([0-9]+)$/\1 (\2) \3/p' \
		"$tmp/$1.ibv" | sed -E 's/^(DEVICE_FATAL.*) [0-9]+$/\1 0/'
}
ours() { jq -r 'select(.kind == "async") | "\(.event) (\(.code)) \(.port // 0)"' "$tmp/$1"; }

# counts DEV: number of events in each
counts() { echo "$(grep -c event_type "$tmp/$1.ibv") $(grep -c '"kind":"async"' "$tmp/$1")"; }
both() { [ "$(counts "$1")" = "$2 $2" ]; }

# quiet DEV: both have printed as many, and no more follow. The next events are
# triggered only then: events of two triggers may come in either order.
quiet()
{
	local before='' now n
	for ((n = 0; n < 60; n++)); do
		now=$(counts "$1")
		if [ "$now" = "$before" ] && [ "${now% *}" = "${now#* }" ]; then
			return
		fi
		before=$now
		sleep 0.2
	done
	echo "# ibv_asyncwatch and rdmaev saw $now events"
}

# beside DEV: run both
beside()
{
	stdbuf -oL ibv_asyncwatch -d "$1" >"$tmp/$1.ibv" 2>&1 &
	pids[$1.ibv]=$!
	within 30 grep -q 'async event FD' "$tmp/$1.ibv" || echo "# ibv_asyncwatch does not start"
	start "$1" -j "$1"
}

same()
{
	stop "$1"
	stop "$1.ibv" 2>/dev/null
	is "$1: the same events in the same order" "$(ours "$1")" "$(theirs "$1")"
	is "$1: every event printed there was understood here" \
		"$(grep -c event_type "$tmp/$1.ibv")" "$(theirs "$1" | wc -l)"
}

# flap DEV, repeatedly; address changes separately
flap()
{
	local i
	for ((i = 0; i < 3; i++)); do
		ip link set "$1_d" down
		quiet "$1"
		ip link set "$1_d" up
		quiet "$1"
	done
}

# Verbs report each event by itself
echo 0 >/sys/module/rdmaev/parameters/burst_ms
rxe_add aw0
# a second device, whose events must not be printed
rxe_add aw1
beside aw0
flap aw0
like "soft RoCE: link outages were seen" "$(theirs aw0 | sort | uniq -c | tr -s ' ' | xargs)" \
	"3 PORT_ERR \(10\) 1"
for a in 1 2; do
	ip addr add 10.5.$a.1/24 dev aw0_d
	quiet aw0
done
ip addr del 10.5.2.1/24 dev aw0_d
quiet aw0
ip link set aw0_d address 02:00:00:00:05:05
quiet aw0
like "soft RoCE: address changes were seen" "$(theirs aw0)" '^GID_CHANGE \(18\) 1$'
for event in 11 12 13 17 8 9 10 11 13 12; do
	echo "dispatch aw0 $event 1 1" >$gen/run
	echo "dispatch aw1 $event 1 1" >$gen/run
done
quiet aw0
# Many with the same number, from two threads at once
before=$(counts aw0)
before=${before% *}
for event in 13 11; do
	echo "dispatch aw0 $event 1 300" >$gen/run
done
within 30 both aw0 $((before + 600)) || echo "# not all of 600 came"
like "soft RoCE: generated events were seen" "$(theirs aw0 | sort | uniq -c | tr -s ' ' | xargs)" \
	"^1 CLIENT_REREGISTER \(17\) 1 1 DEVICE_FATAL \(8\) 0 .*302 LID_CHANGE \(11\) 1 2 PKEY_CHANGE \(12\) 1 .*302 SM_CHANGE \(13\) 1$"
same aw0
rxe_del aw0
rxe_del aw1

# iWARP, where there is a driver for it
if ip link add iw0_d type dummy && ip link set iw0_d up &&
   rdma link add iw0 type siw netdev iw0_d 2>/dev/null; then
	beside iw0
	flap iw0
	like "siw: link outages were seen" "$(theirs iw0 | sort | uniq -c | tr -s ' ' | xargs)" \
		"3 PORT_ERR \(10\) 1"
	ip link set iw0_d address 02:00:00:00:05:06
	quiet iw0
	for event in 11 13 12 17; do
		echo "dispatch iw0 $event 1 1" >$gen/run
	done
	quiet iw0
	like "siw: the address change was seen, and what was generated" "$(theirs iw0 | tail -n 4 | xargs)" \
		"^LID_CHANGE \(11\) 1 SM_CHANGE \(13\) 1 PKEY_CHANGE \(12\) 1 CLIENT_REREGISTER \(17\) 1$"
	same iw0
	rxe_del iw0
else
	points=$((points + 1))
	echo "ok $points # SKIP siw is not loaded"
fi
plan
