#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Notes of ULPs, from rdmaev_note() to the command: what they are about,
# their texts, limits and causes, and who may see them.
#
# jq has variables of its own:
# shellcheck disable=SC2016
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

modules=$top/selftests/modules
sim=/sys/kernel/debug/rdmaev_sim
ulp=/sys/kernel/debug/rdmaev_ulp
params=/sys/module/rdmaev/parameters
default_ms=$(<$params/note_ms)

insmod "$modules/rdmaev_ulp.ko"
echo "note0 2 ib" >$sim/create
echo test >$ulp/source
echo "note0 1" >$ulp/create
qp=$(awk '$1 == "note0" && $2 == "qp" { print $3; exit }' $ulp/objects)

# note DEV QP PORT SEVERITY COUNT TEXT
note() { echo "$*" >$gen/note; }
# lines TEXT: in one write, as echo writes each line
lines() { printf 'note0 - 0 1 1 %s' "$1" | cat >$gen/note; }
# notes FILTER: of the notes since the mark, by FILTER
notes() { rdmaev log -j --since "$from" | jq -rs "[.[] | select(.kind == \"note\")] | $1"; }

### What a note is about

mark
note note0 "$qp" 0 3 1 "nvme0: keep-alive expired, reconnecting"
note note0 "$qp" 2 1 1 "nvme0: connected"
note note0 - 2 2 1 "two of four paths left"
note note0 - 0 1 1 "device found"
note - - 0 3 1 "no device has address 192.0.2.1"
note - - 0 0 1 "less than INFO"
note - - 0 9 1 "more than ERROR"
rdmaev log -v --since "$from" >"$tmp/text"
is "in words" "$(cut -c25- "$tmp/text" | sed 's/  #.*//')" \
	"note0/1         NOTE_ERROR           QP $qp of rdmaev_gen: nvme0: keep-alive expired, reconnecting
note0/2         NOTE_INFO            QP $qp of rdmaev_gen: nvme0: connected
note0/2         NOTE_WARNING         rdmaev_gen: two of four paths left
note0           NOTE_INFO            rdmaev_gen: device found
-               NOTE_ERROR           rdmaev_gen: no device has address 192.0.2.1
-               NOTE_INFO            rdmaev_gen: less than INFO
-               NOTE_ERROR           rdmaev_gen: more than ERROR"
rdmaev log -j --since "$from" >"$tmp/json"
rdmaev --netlink log -j --since "$from" >"$tmp/json.netlink"
is "found by name" "$(rdmaev log -j -e note-warning,NOTE_INFO --since "$from" | jq -r .note.text | xargs -d '\n')" \
	"nvme0: connected two of four paths left device found less than INFO"
is "... device and port" "$(rdmaev --netlink log -j -e NOTE_INFO,NOTE_ERROR note0/1 --since "$from" | jq -r .note.text | xargs -d '\n')" \
	"nvme0: keep-alive expired, reconnecting device found"
# counted [PROGRAM...]: notes of the device, by port and event
counted() { "$@" rdmaev stats -j note0 | jq -c '[.. | objects | select(.port?) | .port as $p | .counters[]? | select(.kind == "note") | [$p, .event, .count]]'; }
is "counted" "$(counted)" '[[1,"NOTE_ERROR",1],[2,"NOTE_INFO",1],[2,"NOTE_WARNING",1]]'
is "by netlink the same as from the node" "$(<"$tmp/json.netlink")" "$(<"$tmp/json")"
is "an object a line, as short as can be" "$(jq -c . "$tmp/json" | diff - "$tmp/json")" ""
is "the keys, in this order" "$(jq -r '[keys_unsorted[], (.note | keys_unsorted[])] | join(" ")' "$tmp/json" | sort -u)" \
	"seq instance time boottime_ns kind event code severity device index generation port object object_id count cause$(
	) pid comm note source ring suppressed owner text"
is "values" "$(jq -c '[.code, .severity, .device, .generation > 0, .port, .object, .object_id, .count, .cause,
	.source, .ring, .note.suppressed, .note.owner]' "$tmp/json")" \
	"[3,\"error\",\"note0\",true,1,\"qp\",$qp,1,0,\"ulp\",\"error\",0,\"rdmaev_gen\"]
[1,\"info\",\"note0\",true,2,\"qp\",$qp,1,0,\"ulp\",\"info\",0,\"rdmaev_gen\"]
[2,\"warning\",\"note0\",true,2,\"port\",null,1,0,\"ulp\",\"info\",0,\"rdmaev_gen\"]
[1,\"info\",\"note0\",true,null,\"device\",null,1,0,\"ulp\",\"info\",0,\"rdmaev_gen\"]
[3,\"error\",null,false,null,null,null,1,0,\"ulp\",\"error\",0,\"rdmaev_gen\"]
[1,\"info\",null,false,null,null,null,1,0,\"ulp\",\"info\",0,\"rdmaev_gen\"]
[3,\"error\",null,false,null,null,null,1,0,\"ulp\",\"error\",0,\"rdmaev_gen\"]"

### Texts

mark
lines $'\033[31mred\tand\nlines\177 \303\244\n\n'
note note0 - 0 1 1 "%s %n 100%"
note note0 - 0 1 1 "$(printf '%0200d' 7)"
note note0 - 0 1 1 "$(printf '%063d' 7)"
is "printable ASCII, not interpreted, cut, without newlines at the end" "$(notes '.[].note.text')" \
	"?[31mred?and?lines? ??
%s %n 100%
$(printf '%063d' 0)
$(printf '%063d' 7)"

### Causes

mark
echo "qp $qp 1 process 1" >$sim/note0/raise
note note0 "$qp" 0 3 1 "error recovery"
note note0 - 0 3 1 "of no QP"
is "the failure of the QP is the cause" "$(rdmaev log -j --since "$from" |
	jq -rs 'map({(.seq | tostring): .event}) as $by | ($by | add) as $e |
		.[] | "\(.event) \($e[.cause | tostring])"')" \
	"QP_FATAL null
NOTE_ERROR QP_FATAL
NOTE_ERROR null"

### Limits

echo 3600000 >$params/note_ms
# Registered again, it has used nothing of its limits.
echo 0 >$gen/report
before=$(counted)
mark
note note0 - 1 3 200 "storm"
note note0 - 1 1 1 "calm"
note note0 - 1 2 65 "warnings"
note note0 - 1 1 100 "chatter"
note note0 - 2 3 1 "suppressed, too"
echo 0 >$params/note_ms
note note0 - 2 3 1 "no limit"
note note0 - 2 3 200 "none suppressed"
# Runs of the same text, with the suppressed ones of the first and of the others
is "64 of each severity at once; the next one recorded has the number of others" \
	"$(notes 'map(.note) | . as $n | [range(length) | select(. == 0 or $n[.].text != $n[. - 1].text)] |
		. + [$n | length] | . as $at | range(length - 1) | $n[$at[.]:$at[. + 1]] |
		"\(length) \(.[0].text) \(.[0].suppressed) \(.[1:] | map(.suppressed) | add // 0)"')" \
	"64 storm 0 0
1 calm 136 0
64 warnings 0 0
63 chatter 1 0
1 no limit 38 0
200 none suppressed 0 0"
is "... in words" "$(rdmaev log -v --since "$from" -e NOTE_INFO | head -n 1 | cut -c25- | sed 's/  #.*//')" \
	"note0/1         NOTE_INFO            rdmaev_gen: calm (136 notes suppressed before)"
is "counters have them all" "$before $(counted)" \
	'[[1,"NOTE_ERROR",2],[2,"NOTE_INFO",1],[2,"NOTE_WARNING",1]] '\
'[[1,"NOTE_INFO",101],[1,"NOTE_WARNING",65],[1,"NOTE_ERROR",202],[2,"NOTE_INFO",1],[2,"NOTE_WARNING",1],[2,"NOTE_ERROR",202]]'
# The limit of an hour is forgotten.
echo 1 >$params/note_ms
mark
recorded() { note note0 - 1 3 1 "again"; [ "$(notes length)" -gt 0 ]; }
ok "a shorter time counts at once" within 20 recorded
echo 0 >$params/note_ms

### Not registered

mark
note note0 "$qp" 1 3 0 "before it is registered"
is "nothing of a ULP that is not registered" "$(notes length)" 0
note note0 "$qp" 1 3 1 "registered again"
is "... and again when it is" "$(notes '.[].note.text')" "registered again"

### Readers

start live -j -e NOTE_WARNING
note note0 - 1 3 1 "not this"
note note0 - 1 2 1 "this"
seen live '"text":"this"'
stop live
is "watch gets what it waits for" "$(jq -r .note.text "$tmp/live")" this
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
for t in "" --netlink; do
	# shellcheck disable=SC2086
	is "${t:---node}: nobody sees notes, also of a port" "$(nobody rdmaev $t log -j --since "$from" | jq -r .event)" ""
done
is "... or counts them" "$(counted nobody)" '[]'
echo "$default_ms" >$params/note_ms

echo note0 >$ulp/destroy
rmmod rdmaev_ulp
echo note0 >$sim/destroy
plan
