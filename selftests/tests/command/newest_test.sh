#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Which part of the log rdmaev log prints: -n, -f, --since, --until, and what it says of
# records that were overwritten before.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

export TZ=CET-1CEST,M3.5.0,M10.5.0/3
# seqs [OPTION]...: of the records that log prints
seqs() { rdmaev log -v "$@" | sed -E 's/ <- .*//; s/.*#//' | xargs; }
# follow NAME ARGUMENT...: log -f in the background
follow()
{
	rdmaev log -v -f "${@:2}" >"$tmp/$1" 2>"$tmp/$1.err" &
	pids[$1]=$!
	within 30 watches $! || echo "# rdmaev log -v -f ${*:2} does not start"
}
lines() { [ "$(wc -l <"$tmp/$1")" = "$2" ]; }

rmmod rdmaev
load records=64
is "an empty log" "$(rdmaev log 2>&1; echo $?)" "rdmaev: the log is empty
0"
is "... -q" "$(rdmaev log -q 2>&1)" ""
still_add new0
still_down new0
echo "process new0 11 1 1" >$gen/run
echo "process new0 77 1 6" >$gen/run
rdmaev wait -q new0 77 --since start -t 30
mark
last=$((from - 1))
all=$(seqs)

### -n

is "-n 3: the newest three" "$(seqs -n 3)" "$((last - 2)) $((last - 1)) $last"
is "... as the last three of all" "$(rdmaev log -v -n 3)" "$(rdmaev log -v | tail -n 3)"
is "-n 1" "$(seqs -n 1)" "$last"
is "-n: more than there are" "$(seqs -n 99999)" "$all"
is "... the largest number" "$(seqs -n 18446744073709551615)" "$all"
is "-n with -e: the newest of these" "$(seqs -n 1 -e LID_CHANGE)" "$((last - 6))"
is "-n with --since" "$(seqs -n 2 --since 2)" "$((last - 1)) $last"
is "-n with --until" "$(seqs -n 2 --until $((last - 3)))" "$((last - 4)) $((last - 3))"
is "-n by netlink" "$(rdmaev --netlink log -v -n 3)" "$(rdmaev log -v -n 3)"
is "-n as JSON" "$(rdmaev log -j -n 3 | jq .seq | xargs)" "$((last - 2)) $((last - 1)) $last"
is "watch -n: the first" "$(rdmaev watch -v --since 2 -n 2 | sed -E 's/ <- .*//; s/.*#//' | xargs)" "2 3"

### -f

follow all
follow two -n 2
follow event -e LID_CHANGE -n 1
echo "process new0 13 1 1" >$gen/run
echo "process new0 11 1 1" >$gen/run
within 30 lines all $((last + 2)) || echo "# log -f does not go on"
within 30 lines two 4 || echo "# log -f -n does not go on"
within 30 lines event 2 || echo "# log -f -e does not go on"
for w in all two event; do
	stop $w
	is "log -f $w ends with status 0" "$? $(<"$tmp/$w.err")" "0 "
done
is "log -f: the log, and what follows" "$(<"$tmp/all")" "$(rdmaev log -v)"
is "log -f -n 2: the newest two, and what follows" "$(<"$tmp/two")" "$(rdmaev log -v -n 4)"
is "log -f -n 1 -e: the same of an event" "$(<"$tmp/event")" "$(rdmaev log -v -e LID_CHANGE)"
rdmaev log -v -f nobody >"$tmp/out" 2>&1
like "log -f: no such device" "$? $(<"$tmp/out")" "^2 rdmaev: nobody: no such device, .*"

### --since and --until

mark
last=$((from - 1))
all=$(seqs)
is "--since SEQ" "$(seqs --since 4)" "$(seq -s ' ' 4 $last)"
is "--since '#SEQ'" "$(seqs --since '#4')" "$(seqs --since 4)"
is "--until SEQ" "$(seqs --until 4)" "1 2 3 4"
is "both: one record" "$(seqs --since 4 --until 4)" 4
is "--until a later one" "$(seqs --until 99999)" "$all"
is "--until start: nothing" "$(seqs --until start)" ""
is "--since boot: all" "$(seqs --since boot)" "$all"
is "--since a day ago" "$(seqs --since '1 day ago')" "$all"
is "--since -1d" "$(seqs --since -1d)" "$all"
is "--since yesterday" "$(seqs --since yesterday)" "$all"
is "--until yesterday" "$(seqs --until yesterday)" ""
is "--since now" "$(seqs --since now)" ""
is "--until now" "$(seqs --until now)" "$all"

# By the time of one of the records; others can have the same millisecond
time_of() { rdmaev log -v --since "$1" --until "$1" "${@:2}" | cut -c -"${len-23}"; }
at=$(time_of 4)
like "--since a time of a line: with that line" " $(seqs --since "$at") " " 4 .* $last $"
like "--until a time of a line: with that line" " $(seqs --until "$at") " "^ 1 .* 4 "
is "... in UTC" "$(seqs --since "$(len=24 time_of 4 --utc)")" "$(seqs --since "$at")"
is "... the time alone" "$(seqs --since "${at#* }")" "$(seqs --since "$at")"
is "... in another time zone" "$(TZ=IST-5:30 seqs --since "$(TZ=IST-5:30 time_of 4)")" "$(seqs --since "$at")"
ns=$(rdmaev log -j --since 4 --until 4 | jq -r .time)
is "... of JSON, to the nanosecond" "$(seqs --since "$ns" --until "$ns")" \
	"$(rdmaev log -j | jq -r --arg t "$ns" 'select(.time == $t) | .seq' | xargs)"
mono=$(rdmaev log -v --mono --since 4 --until 4 | cut -d ' ' -f 1)
like "... since boot, as --mono prints it" " $(seqs --since "boot+$mono" --until "boot+$mono") " " 4 "
is "wait --since, a time" "$(rdmaev wait -t 0 new0 LID_CHANGE --since -1d | sed 's/.*#//')" \
	"$(rdmaev log -v -e LID_CHANGE | head -n 1 | sed 's/.*#//')"
is "watch --since, a time" "$(rdmaev watch -v -t 0 --since -1d)" "$(rdmaev log -v)"
is "a time to come: a note" "$(rdmaev log -v --since 2100-01-01 2>&1)" "rdmaev: --since 2100-01-01: is in the future"
is "... since boot" "$(rdmaev log -v --since boot+1000000h 2>&1)" "rdmaev: --since boot+1000000h: is in the future"

### Overwritten records

note='rdmaev: [0-9]+ older records were overwritten, the newest of them #'
stderr() { { rdmaev "$@" >/dev/null; } 2>&1; }
# Each code is a burst of its own
for ((i = 0; i < 80; i++)); do
	echo "process new0 $((100 + i)) 1 1" >$gen/run
done
within 30 rdmaev wait -q new0 179 --since start -t 1
mark
last=$((from - 1))
oldest=$(rdmaev log -q --kind async -j | jq -s 'map(select(.code >= 100))[0].seq')
like "log: how many were overwritten" "$(stderr log)" "^$note$((oldest - 1))$"
like "... once" "$(stderr log | wc -l)" '^1$'
is "... before the first line" "$(stdbuf -o0 rdmaev log -v 2>&1 | grep -n overwritten | cut -d: -f1)" 1
like "... also with --since, if it is before them" "$(stderr log --since -1d)" "^$note$((oldest - 1))$"
is "... not if all since then is kept" "$(stderr log --since now)" ""
is "... nor if the newest are wanted, which are kept" "$(stderr log -n 5)" ""
like "... but if there are no more" "$(stderr log -n 500)" "^$note$((oldest - 1))$"
is "... nor of other events" "$(stderr log -e DEVICE_ADD)" ""
is "... nor with -q" "$(stderr log -q)" ""
like "... --since 0 is the same as start" "$(stderr log --since 0)" "^$note$((oldest - 1))$"
like "... if there is nothing to print" "$(stderr log --until 2 -e 100,GID_CHANGE)" "^$note"
like "log -f: the same" "$(timeout 5 rdmaev log -v -f -n 500 2>&1 >/dev/null | head -n 1)" "^$note$((oldest - 1))$"
still_del new0
plan
