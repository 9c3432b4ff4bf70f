#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev stats -v: ports, counters, description of a device, also of a removed one;
# repeatedly with --watch, on a terminal and elsewhere.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

sim=/sys/kernel/debug/rdmaev_sim
took='[0-9]+(us|ms|s|m[0-9]{2}s)'

rdmaev stats >"$tmp/out" 2>&1
is "no devices" "$? $(<"$tmp/out")" "0 rdmaev: no RDMA devices"

# becomes DEV PORT STATE: true if it does in time
state() { rdmaev devices -j "$1" | jq -r ".ports[$2 - 1].state"; }
is_state() { [ "$(state "$1" "$2")" = "$3" ]; }
becomes() { within 30 is_state "$@" || echo "# $1/$2 does not become $3"; }

# change PORT STATE EVENT: of sim0
change()
{
	echo "$2" >$sim/sim0/"$1"/state
	echo "queue sim0 $3 $1 1" >$gen/run
}

echo "sim0 2 ib" >$sim/create
for ((i = 0; i < 3; i++)); do
	change 1 1 10
	becomes sim0 1 DOWN
	change 1 4 9
	becomes sim0 1 ACTIVE
done
change 2 1 10
becomes sim0 2 DOWN
rxe_add st0
ip link set st0_d down
becomes st0 1 DOWN
ip link set st0_d up
becomes st0 1 ACTIVE
for event in 15 15 77 65535; do
	echo "process st0 $event 1 1" >$gen/run
done
within 30 rdmaev wait -q st0 EVENT_65535 --since start -t 1

### Counters

rdmaev log -j >"$tmp/log"
rdmaev stats -j >"$tmp/json"
is "an object a line, as short as can be" "$(jq -c . "$tmp/json")" "$(<"$tmp/json")"
is "keys of devices, ports, counters" \
	"$(jq -r '., .ports[], .counters[] | keys_unsorted | join(" ")' "$tmp/json" | sort -u)" \
	"device index generation driver removed removing removing_since_ns remover_pid remover_comm sources missing seq ports counters connecting cqs
event kind code count last_seq last_time last_boottime_ns
port state never_active outages state_since_ns state_ns transitions down_since_ns down_ns $(
	)down_begin down_admin down_last_ns down_longest_ns down_total_ns down_admin_ns counters"
is "seq is the newest" "$(jq .seq "$tmp/json" | sort -u)" "$(tail -n 1 "$tmp/log" | jq .seq)"
# Codes without their own counter are counted together.
is "counters: what the log has" "$(jq -c '.generation as $g | (.counters[], .ports[].counters[]) |
	[$g, .kind, .event, .count, .last_seq, .last_time, .last_boottime_ns]' "$tmp/json" | sort)" \
	"$(jq -cs 'map(if .kind == "async" and .code > 62 then .event = "EVENT_OTHER" else . end) |
		group_by([.generation, .port, .kind, .event])[] | max_by(.seq) as $l |
		[$l.generation, $l.kind, $l.event, (map(.count) | add), $l.seq, $l.time, $l.boottime_ns]' "$tmp/log" | sort)"
is "... each with its port" "$(jq -c '.ports[] | [.port, (.counters[] | select(.event == "PORT_ERR") | .count)]' "$tmp/json")" \
	"[1,3]
[2,1]
[1,1]"
is "... and of one number and name" "$(jq -c '.counters[], .ports[].counters[] |
	select(.code > 62) | [.event, .code, .count]' "$tmp/json")" '["EVENT_OTHER",65535,2]'
is "who tells of them" "$(jq -c '[.device, .driver, .removed, .sources]' "$tmp/json")" \
	'["sim0","rdmaev_sim",false,["rdmaev","handler"]]
["st0","rdma_rxe",false,["rdmaev","handler"]]'
is "ports: state, transitions, outages" "$(jq -c '.ports[] | [.port, .state, .transitions, .outages]' "$tmp/json")" \
	'[1,"ACTIVE",6,3]
[2,"DOWN",1,1]
[1,"ACTIVE",2,1]'

### For people

rdmaev stats -v >"$tmp/out"
like "the head tells when" "$(head -n 1 "$tmp/out")" \
	"^As of #$(jq -s '.[0].seq' "$tmp/json"), [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}$"
like "... in UTC" "$(rdmaev stats -v --utc | head -n 1)" "^As of #[0-9]+, 20.*[0-9]Z$"
like "... since boot" "$(rdmaev stats -v --mono | head -n 1)" "^As of #[0-9]+, [0-9]+\.[0-9]{6}$"
# shellcheck disable=SC2016
seen='reduce ((.counters[], .ports[].counters[]) | .event) as $e
	([]; if index($e) then . else . + [$e] end) | join(", ")'
is "tables, an empty line between" "$(grep -A1 -n '^$' "$tmp/out" | grep -oE '(DEVICE|sim0:).*' | tr -s ' ')" \
	"DEVICE PORT STATE FOR TRANSITIONS OUTAGES DOWN LAST DOWN MAX DOWN SUM ADMIN
DEVICE PORT EVENT COUNT LAST SEQ
sim0: driver rdmaev_sim; reported by: rdmaev, handler; events seen: $(jq -r "$seen" "$tmp/json" | head -n 1)"
like "a port" "$(<"$tmp/out")" "^sim0 +1 +ACTIVE +$took +6 +3 +$took +$took +$took +-$"
is "an event each" "$(awk '$4 ~ /^[0-9]+$/ && $6 ~ /^#/ { print $1, $2, $3, $4, $6 }' "$tmp/out")" \
	"$(jq -r '.device as $d | (.counters[] | . + {port: "-"}), (.ports[] | .port as $p | .counters[] | . + {port: $p}) |
		"\($d) \(.port) \(.event) \(.count) #\(.last_seq)"' "$tmp/json")"
is "one port, and what is about the device" "$(rdmaev stats sim0/2 -j | jq -c '[.device, [.ports[].port], [.counters[].event]]')" \
	'["sim0",[2],["DEVICE_ADD"]]'
is "... twice, and a device" "$(rdmaev stats -v sim0/2 st0 sim0/2 | awk 'NF == 10 && $2 ~ /^[0-9]+$/ { print $1, $2 }')" \
	"sim0 2
st0 1"
fails "no such port" 2 "sim0/3: the device has 2 ports" stats sim0/3
fails "no such device" 2 "st7/1: no such device, did you mean st0\? .*" stats st0 st7/1
fails "no port" 2 "st0/0: the device has 1 port" stats st0/0
fails "no number" 2 "st0/x: must be DEVICE or DEVICE/PORT.*" stats st0/x
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups rdmaev "$@"; }
is "nobody is told of queues" "$(nobody stats -j st0 | jq -c '[.counters[].event], [.ports[].counters[].event][-2:]')" \
	'["DEVICE_ADD"]
["PORT_ACTIVE","PORT_ERR"]'

### In short

rdmaev stats >"$tmp/out"
is "in short: ports with outages, then errors and warnings" "$(awk 'NF && $1 != "As" { print $1, $2, $3, $4 }' "$tmp/out")" \
	"DEVICE PORT STATE FOR
sim0 1 ACTIVE $(awk '/^sim0 +1 +ACTIVE/ { print $4 }' "$tmp/out")
sim0 2 DOWN $(awk '/^sim0 +2 +DOWN/ { print $4 }' "$tmp/out")
st0 1 ACTIVE $(awk '/^st0 +1 +ACTIVE/ { print $4 }' "$tmp/out")
DEVICE PORT EVENT COUNT
$(jq -r '.device as $d | (.counters[] | . + {port: "-"}), (.ports[] | .port as $p | .counters[] | . + {port: $p}) |
	select(.event | . == "PORT_ERR" or . == "EVENT_OTHER") | "\($d) \(.port) \(.event) \(.count)"' "$tmp/json")
$(tail -n 1 "$tmp/out" | cut -d' ' -f1-4)"
like "... a port" "$(<"$tmp/out")" "^sim0 +1 +ACTIVE +$took +3 +$took +$took$"
others=$(jq '(.counters[], .ports[].counters[]) | select(.event | . != "PORT_ERR" and . != "EVENT_OTHER") | .code' "$tmp/json" | wc -l)
is "... what is left out" "$(tail -n 1 "$tmp/out")" \
	"Not shown: $others counters of severity info; -v shows all"
is "... JSON has all" "$(rdmaev stats -j | jq -c '[.counters, [.ports[].counters]]')" \
	"$(rdmaev stats -j -v | jq -c '[.counters, [.ports[].counters]]')"

### Events that are only counted

# A program makes a QP, and moves it to INIT
qp_init() { rdmaev stats -j st0 | jq -c '.counters[], .ports[].counters[] | select(.event == "QP_INIT")'; }
is_counted() { [ -n "$(qp_init)" ]; }
if is_built_in; then
	skip "counted without a record" "so is the observer, or it is not there"
	skip "... for people" "so is the observer, or it is not there"
else
	insmod "$top/kmod/rdmaev_observe.ko"
	ibv_rc_pingpong -d st0 -g 0 -p 18710 >/dev/null 2>&1 &
	pid=$!
	within 20 is_counted
	rdmaev stats -v st0 >"$tmp/out"
	is "counted without a record: no seq, and no time" \
		"$(qp_init | jq -c '[.kind, .code, .count, .last_seq, .last_time, .last_boottime_ns]')" '["qp",1,1,0,null,null]'
	is "... for people" "$(awk '$3 == "QP_INIT" { print $1, $4, $5, $6 }' "$tmp/out")" "st0 1 - -"
	is "... beside those that have" "$(awk '$3 == "DEVICE_ADD" { print $1, $4, $6 ~ /^#[0-9]+$/ }' "$tmp/out")" "st0 1 1"
	kill $pid
	wait $pid 2>/dev/null
	rmmod rdmaev_observe
fi

### Removed devices

last=$(rdmaev stats -j sim0 | jq -c '[.ports[] | [.port, .state, .transitions, .outages, .counters]]')
echo sim0 >$sim/destroy
rdmaev wait -q sim0 DEVICE_REMOVE --since start -t 30
fails "is not there" 2 "sim0: the device was removed .*" stats sim0
rdmaev stats --removed sim0 -j >"$tmp/json"
is "--removed: as it was last seen" \
	"$(jq -c '[.ports[] | [.port, .state, .transitions, .outages, .counters]]' "$tmp/json")" "$last"
is "... no time in state, no CQs" \
	"$(jq -c '[.removed, .cqs, [.counters[].event], (.ports[] | .state_ns)]' "$tmp/json")" \
	'[true,null,["DEVICE_ADD","DEVICE_REMOVE"],null,null]'
like "... for people" "$(rdmaev stats -v --removed)" "^sim0 +1 +was ACTIVE +- +6 +3 +$took +$took +$took +-$"
like "... devices" "$(rdmaev devices --removed)" \
	"^sim0 +2 +- +IB +was DOWN +.* +1 +rdmaev_sim +([0-9a-f]{4}:){3}[0-9a-f]{4} +DEVICE_REMOVE $took$"
is "... devices -j" "$(rdmaev devices --removed -j | jq -c '[.device, .removed, .last.event == "DEVICE_REMOVE"]')" \
	'["sim0",true,true]
["st0",false,false]'
is "... devices without it" "$(rdmaev devices -j | jq -r .device)" st0
echo "sim0 1 ib" >$sim/create
is "another one of its name begins with nothing" "$(rdmaev stats --removed sim0 -j |
	jq -c '[.generation, .removed, (.ports | length), .ports[0].outages, .counters[0].count]')" \
	'[1,true,2,3,1]
[3,false,1,0,1]'
fails "... has its own ports" 2 "sim0/2: the device has 1 port" stats sim0/2
is "... where all is well, nothing else" "$(rdmaev stats sim0 | tail -n +2)" \
	"
Not shown: 1 port without an outage, 1 counter of severity info; -v shows all"
ok "... --removed has those of the other" rdmaev stats -v sim0/2 --removed
echo sim0 >$sim/destroy

### --watch, no terminal

# On a busy machine one may be late, and the next one in time
rdmaev stats -v st0 --watch 1 -n 3 --mono >"$tmp/out"
is "-n 3: three times, status 0" "$? $(grep -c '^As of #' "$tmp/out")" "0 3"
is "... an empty line between" "$(grep -B1 '^As of' "$tmp/out" | grep -c '^$') $(head -c 5 "$tmp/out") $(tail -n 1 "$tmp/out" | cut -c -4)" "2 As of st0:"
is "... each in its time" "$(awk '/^As of/ { if (n++ && $4 - last < 0.1) print; last = $4 }' "$tmp/out")" ""
is "-j: a line a device each time" "$(rdmaev stats --watch .1 -n 2 -j | jq -r .device | xargs)" "st0 st0"
is "cqs, too" "$(rdmaev cqs --watch .1 -n 2 2>&1 | awk '{ print $1 }' | xargs)" "DEVICE DEVICE"
{ timeout 60 rdmaev stats -v --watch .1; echo $? >"$tmp/status"; } | head -n 1 >"$tmp/out"
is "a reader that goes: status 0" "$(<"$tmp/status") $(wc -l <"$tmp/out")" "0 1"
rdmaev stats -v st0 --watch .1 >"$tmp/out" &
pid=$!
within 30 grep -q '^As of' "$tmp/out"
kill $pid
wait $pid
is "SIGTERM: status 0, lines and blocks whole" "$? $(tail -c 1 "$tmp/out" | od -An -tx1) $(tail -n 1 "$tmp/out" | cut -c -4)" "0  0a st0:"
rdmaev stats st0 -j --watch .1 >"$tmp/out" &
pid=$!
within 30 test -s "$tmp/out"
generation=$(jq .generation "$tmp/out" | head -n 1)
rdma link del st0
rdma link add st0 type rxe netdev st0_d
ok "a device may go and come back" within 30 grep -q "\"generation\":$((generation + 2))" "$tmp/out"
kill $pid
wait $pid

### --watch on a terminal

# on_tty ROWS COLUMNS COMMAND: on a terminal of this size
on_tty() { script -qec "stty rows $1 cols $2; tty >$tmp/tty; $3" /dev/null; }
esc=$'\033'
unset NO_COLOR
export TERM=xterm
rdmaev stats -v st0 >"$tmp/plain"
lines=$(wc -l <"$tmp/plain")
on_tty 50 200 "rdmaev stats -v st0 --watch .1 -n 2" </dev/null | tr -d '\r' >"$tmp/out"
is "each begins at the top, and clears what is below" "$(grep -o "$esc\[[HJ]" "$tmp/out" | tr -d "$esc\n")" "[H[J[H[J"
is "... and does nothing else to it" "$(sed "s/$esc\[[HJK]//g" "$tmp/out" | grep -c "$esc")" 0
is "... the same lines" "$(sed "s/$esc\[[HJK]//g" "$tmp/out" | head -n "$lines" | sed -E '1s/, .*//' | awk '{ print $1, $2, $3 }')" \
	"$(sed -E '1s/, .*//' "$tmp/plain" | awk '{ print $1, $2, $3 }')"
on_tty 6 30 "rdmaev stats -v st0 --watch .1 -n 1" </dev/null | tr -d '\r' >"$tmp/out"
is "a small one: so many lines" "$(grep -c . "$tmp/out")" 6
is "... none longer than it is" "$(sed "s/$esc\[[HJK]//g" "$tmp/out" | awk 'length > 30')" ""
is "... what there is no room for" "$(sed -n "s/$esc\[[HJK]//g; s/^(\(.*\) lines more)$/\1/p" "$tmp/out")" $((lines - 4))
is "a dumb one: as if it were none" "$(TERM=dumb on_tty 50 80 "rdmaev stats -v st0 --watch .1 -n 2" </dev/null |
	grep -cE "$esc|^As of")" 2
is "-j: the same" "$(on_tty 50 80 "rdmaev stats st0 --watch .1 -n 2 -j" </dev/null | grep -c "^{.*}.$")" 2

mkfifo "$tmp/keys"
frames() { [ "$(grep -o "$esc\[J" "$tmp/out" | wc -l)" -ge "$1" ]; }
on_tty 6 60 "exec rdmaev stats -v st0 --watch 600" <"$tmp/keys" >"$tmp/out" &
pid=$!
exec 5>"$tmp/keys"
ok "the first at once" within 30 frames 1
stty rows 9 -F "$(<"$tmp/tty")"
ok "another size: another at once" within 30 frames 2
is "... as large as it is now" "$(sed "s/.*$esc\[J//" "$tmp/out" | tr -d '\r' | tail -n +6 | grep -c .)" 8
printf '\003' >&5
wait $pid
is "Ctrl-C: status 0" $? 0
exec 5>&-

rxe_del st0
plan
