#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Records about the observer, from the log to the command: the same from the node and by
# netlink, found by the filter, and in words. They are made up; see observe_blind_test.sh.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

# append CODE FACTS TIME_NS COUNT CAUSE
append() { echo "$*" >$gen/observer; }

mark
append 1 13 0 1 0
append 3 9 2100000000 1 0
append 4 9 63000000000 1 $((from + 1))
append 5 4 4000000000 1 0
append 5 4 4000000000 5000000000 0
append 2 13 7200000000000 1 0
append 3 0 4000000 1 0
append 77 $((1 << 30 | 16)) 1 1 0
for t in "" --netlink; do
	n=${t:---node}
	# shellcheck disable=SC2086	# the node as transport is no word at all
	rdmaev $t log -v --since "$from" >"$tmp/text"
	is "$n: in words" "$(cut -c25- "$tmp/text" | sed 's/  #.*//')" \
		"-               OBSERVER_STARTED     user events, QP states, QP ends
-               OBSERVER_BLIND       user events, QP ends: not observed for 2s
-               OBSERVER_SEEING      user events, QP ends: observed again after 1m03s
-               OBSERVER_MISSED      QP states: 1 call missed in 4s
-               OBSERVER_MISSED      QP states: 4294967295 calls missed in 4s
-               OBSERVER_STOPPED     user events, QP states, QP ends: observed for 2h00m
-               OBSERVER_BLIND       nothing: not observed for 4ms
-               OBSERVER_77          user CQs, bit 30"
	# shellcheck disable=SC2086
	rdmaev $t log -j --since "$from" >"$tmp/json${t:+.netlink}"
	# shellcheck disable=SC2086
	is "$n: found by name" "$(rdmaev $t log -v -e observer-blind,OBSERVER_SEEING --since "$from" | awk '{ print $4 }' | xargs)" \
		"OBSERVER_BLIND OBSERVER_SEEING OBSERVER_BLIND"
	# shellcheck disable=SC2086
	is "$n: by severity" "$(rdmaev $t log -v --severity warning --since "$from" | awk '{ print $4 }' | xargs)" \
		"OBSERVER_MISSED OBSERVER_MISSED"
	# shellcheck disable=SC2086
	is "$n: with any device" "$(rdmaev $t log -v --since "$from" 'none*' | wc -l)" 8
done
is "by netlink the same as from the node" "$(<"$tmp/json.netlink")" "$(<"$tmp/json")"
is "an object a line, as short as can be" "$(jq -c . "$tmp/json" | diff - "$tmp/json")" ""
is "the keys, in this order" "$(jq -r '[keys_unsorted[], (.observer | keys_unsorted[])] | join(" ")' "$tmp/json" | sort -u)" \
	"seq instance time boottime_ns kind event code severity device index generation port object object_id count cause$(
	) pid comm observer source ring facts time_ns uid"
is "values" "$(jq -c '[.kind, .code, .severity, .device, .index, .generation, .object, .count,
	.cause - '"$from"', .source, .ring, .observer[]]' "$tmp/json" | sed -n '2,4p; 8p')" \
	"[\"observer\",3,\"error\",null,null,0,null,1,-$from,\"observer\",\"port\",[\"user events\",\"QP ends\"],\"2100000000\",null]
[\"observer\",4,\"info\",null,null,0,null,1,1,\"observer\",\"port\",[\"user events\",\"QP ends\"],\"63000000000\",null]
[\"observer\",5,\"warning\",null,null,0,null,1,-$from,\"observer\",\"info\",[\"QP states\"],\"4000000000\",null]
[\"observer\",77,\"info\",null,null,0,null,1,-$from,\"observer\",\"info\",[\"user CQs\",30],\"1\",null]"

# A reader that waits for one is woken
start live -j -e OBSERVER_BLIND
append 4 9 1 1 0
append 3 9 1 1 0
seen live '"event":"OBSERVER_BLIND"'
stop live
is "watch gets what it waits for" "$(jq -r .event "$tmp/live")" OBSERVER_BLIND
plan
