#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# One line of watch and log for the records that belong together: links that flap,
# seven ports that come up, addresses; -v, JSON, cursors, colours.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

sim=/sys/kernel/debug/rdmaev_sim
date='[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}'
took='[0-9]+(us|ms|s|m[0-9]{2}s)'
esc=$'\033'

# lines ARGUMENT...: of log, since mark
lines() { rdmaev log --since "$from" "$@"; }
# records LINE...: how many records lines on standard input stand for
records() { awk '{ n += match($0, /\([0-9]+ records\)/) ? substr($0, RSTART + 1) : 1 } END { print n + 0 }'; }
# recorded PATTERN N: so many records since mark match
recorded()
{
	[ "$(rdmaev log -j --since "$from" | grep -cE "$1")" = "$2" ] && return
	sleep .3
	return 1
}
# newest: its seq
newest() { rdmaev log -j -n 1 | sed -E 's/^\{"seq":([0-9]+).*/\1/'; }
# live NAME ARGUMENT...: watch in the background, as a person does
live()
{
	rdmaev watch "${@:2}" >"$tmp/$1" 2>"$tmp/$1.err" &
	pids[$1]=$!
	within 30 watches $! || echo "# rdmaev watch ${*:2} does not start"
}
has_lines() { [ "$(wc -l <"$tmp/$1")" = "$2" ]; }
# port DEV/PORT STATE EVENT...: set the state of a simulated port, and report
port()
{
	local event
	echo "$2" >"$sim/$1/state"
	for event in "${@:3}"; do
		echo "queue ${1%/*} $event ${1#*/} 1" >$gen/run
	done
}

### Seven ports of an HCA

# A busy machine can take seconds between two records that belong together: again, then
for ((try = 0; try < 5; try++)); do
	echo "hca$try 7 ib" >$sim/create
	rdmaev wait -q hca$try DEVICE_ADD --since start -t 30
	mark
	for p in {1..7}; do
		port "hca$try/$p" 1 10
	done
	within 30 recorded '"after":"DOWN"' 7 || echo "# not all ports are down"
	down=$(rdmaev log -v --since "$from")
	downs=$(lines)
	mark
	for p in {1..7}; do
		echo "$p" >"$sim/hca$try/$p/lid"
		echo 99 >"$sim/hca$try/$p/sm_lid"
		port "hca$try/$p" 4 11 13 17 9
	done
	within 30 recorded '"event":"PORT_SM_LID"' 7 || echo "# not all ports are up"
	within 30 recorded '"event":"PORT_ACTIVE"' 7 || echo "# not all events are there"
	within 30 recorded '"after":"ACTIVE"' 7 || echo "# not all ports are ACTIVE"
	up=$(rdmaev log -v --since "$from")
	ups=$(lines)
	[ "$(wc -l <<<"$downs$ups") $(wc -l <<<"$ups")" != "13 7" ] || break
done
echo "# seven ports down: $(wc -l <<<"$down") lines before, $(wc -l <<<"$downs") now; up: $(wc -l <<<"$up") and $(wc -l <<<"$ups")"
is "seven ports go down: 14 records, 7 lines" "$(wc -l <<<"$down") $(wc -l <<<"$downs")" "14 7"
like "... a line" "$downs" "^$date E hca$try/7 +DOWN +\(was ACTIVE for $took; outage 1\)  #[0-9]+-#[0-9]+ \(2 records\)\$"
# Some kernels report more than what was asked for
is "seven ports come up: 49 records or some more, 7 lines" \
	"$(($(wc -l <<<"$up") >= 49)) $(wc -l <<<"$ups")" "1 7"
like "... a line" "$ups" \
	"^$date I hca$try/7 +ACTIVE +\(was DOWN for $took; LID [0-9]+ -> 7; SM LID [0-9]+ -> 99; CLIENT_REREGISTER\)  #[0-9]+-#[0-9]+ \([0-9]+ records\)\$"
is "... in the order of their first records" "$(awk '{ print $4 }' <<<"$ups" | xargs)" \
	"$(printf "hca$try/%d\n" {1..7} | xargs)"
is "... which stand for all of them" "$(records <<<"$ups")" "$(wc -l <<<"$up")"
is "-v is the same as JSON" "$(sed -E 's/ <- .*//; s/.*#//' <<<"$up")" "$(rdmaev log -j --since "$from" | sed -E 's/^\{"seq":([0-9]+).*/\1/')"
is "... and has no severity" "$(grep -vcE "^$date hca$try/[1-7] " <<<"$up")" 0
is "netlink has the same lines" "$(rdmaev --netlink log --since "$from")" "$ups"
seqs=$(sed -nE "s,.* hca$try/7 .*#([0-9]+)-#([0-9]+) .*,\1 \2,p" <<<"$ups")
is "the records of a line are found by its numbers" \
	"$(rdmaev log -v "hca$try/7" --since "#${seqs% *}" --until "#${seqs#* }" | wc -l)" \
	"$(grep " hca$try/7 " <<<"$ups" | records)"

### Selection, -n and cursors

is "-n: the newest lines" "$(lines -n 2)" "$(tail -n 2 <<<"$ups")"
is "... with -v records" "$(lines -v -n 2)" "$(tail -n 2 <<<"$up")"
is "... of watch: the first lines" "$(rdmaev watch --since "$from" -n 3)" "$(head -n 3 <<<"$ups")"
is "watch -t prints what it has read" "$(rdmaev watch -t 0 --since "$from")" "$ups"
is "-e: what is selected is joined" "$(lines -e 'LID_CHANGE,PORT_LID' | grep -c ' LID_CHANGE  *LID .* (2 records)$')" 7
is "--severity error: what is left is a line by itself" "$(rdmaev log --severity warning,error "hca$try" | grep -c DOWN)" 7

# Lines that had begun are printed the next time
file=$tmp/cursor
rm -f "$file"
end=$(newest)
rdmaev watch --since "$from" -n 3 --cursor-file "$file" >"$tmp/first"
position=$(sed 's/.*://' "$file")
fourth=$(sed -nE '4s/.*#([0-9]+)-#.*/\1/p' <<<"$ups")
is "cursor: that of the first line that was not printed" "$position" "$fourth"
rdmaev log --cursor-file "$file" >"$tmp/rest"
is "... from where the next one goes on" "$(awk '{ print $4 }' "$tmp/first" "$tmp/rest" | sort -u | wc -l)" 7
is "... until the end" "$(sed 's/.*://' "$file")" $((end + 1))
is "... and not again" "$(rdmaev log --cursor-file "$file")" ""

### watch, while it happens

live all
live keeps --cursor-file "$tmp/kept"
mark
port hca$try/1 1 10
ok "a line comes, though nothing follows" within 30 grep -q " hca$try/1 .* DOWN " "$tmp/all"
is_kept() { [ "$(sed 's/.*://' "$tmp/kept")" = $(($(newest) + 1)) ]; }
ok "... and the cursor is past it" within 30 is_kept
mark
# What comes while it is stopped is read at once
kill -STOP "${pids[all]}"
port hca$try/2 1 10
within 30 recorded '"event":"PORT_STATE"' 1 || echo "# the port is not down"
echo "process hca$try 8 1 1" >$gen/run
within 30 recorded '"event":"DEVICE_FATAL"' 1 || echo "# no DEVICE_FATAL"
port hca$try/3 1 10
within 30 recorded '"event":"PORT_STATE"' 2 || echo "# the port is not down"
before=$(wc -l <"$tmp/all")
kill -CONT "${pids[all]}"
within 30 has_lines all $((before + 3)) || echo "# watch does not go on"
is "an error among outages is a line of its own, in order" "$(tail -n 3 "$tmp/all" | awk '{ print $3, $4, $5 }')" \
	"E hca$try/2 DOWN
E hca$try DEVICE_FATAL
E hca$try/3 DOWN"
is "... of log, too" "$(lines)" "$(tail -n 3 "$tmp/all")"
mark
kill -STOP "${pids[all]}"
port hca$try/2 4 9
within 30 recorded '"event":"PORT_STATE"' 1 || echo "# the port is not up"
kill -TERM "${pids[all]}"
kill -CONT "${pids[all]}"
wait "${pids[all]}"
is "SIGTERM: status 0" $? 0
stop keeps
is "... and the end of the one that kept a cursor is printed" "$(tail -n 1 "$tmp/keeps" | awk '{ print $4, $5 }')" "hca$try/2 ACTIVE"
is "... which is past it" "$(sed 's/.*://' "$tmp/kept")" $(($(newest) + 1))

### Colours

tty() { script -qec "$*" /dev/null </dev/null | tr -d '\r'; }
plain=$(rdmaev log)
colored=$(TERM=xterm tty rdmaev log)
is "the text is the same on a terminal" "$(TERM=xterm tty rdmaev log | sed "s/$esc\[[0-9]*m//g")" "$plain"
like "... with colours: error" "$colored" "^$date $esc\[31mE$esc\[0m hca$try/2 +$esc\[31mDOWN +$esc\[0m \(was "
like "... and good" "$colored" "^$date $esc\[32mI$esc\[0m hca$try/2 +$esc\[32mACTIVE +$esc\[0m \(was "
is "--color=never" "$(TERM=xterm tty rdmaev log --color=never)" "$plain"
is "--color=always, in a pipe" "$(rdmaev log --color always)" "$colored"
is "... also with NO_COLOR" "$(NO_COLOR=1 rdmaev log --color=always)" "$colored"
is "--color=auto, in a pipe" "$(rdmaev log --color=auto)" "$plain"
is "... with NO_COLOR" "$(NO_COLOR=1 TERM=xterm tty rdmaev log --color=auto)" "$plain"
is "-v has them, too" "$(rdmaev log -v --color=always | sed "s/$esc\[[0-9]*m//g")" "$(rdmaev log -v)"
is "JSON never" "$(rdmaev log -j --color=always)" "$(rdmaev log -j)"
is "wait" "$(rdmaev wait hca$try/2 PORT_ERR --since "$from" --since start --color=always | grep -c "$esc\[31mPORT_ERR")" 1
fails "--color: no other" 2 "--color sometimes: must be auto, always or never" log --color sometimes

### A loss

rmmod rdmaev
load records=64
last=$(newest)
live slow
kill -STOP "${pids[slow]}"
port hca$try/4 1 10
within 30 recorded '"event":"PORT_STATE"' 1 || echo "# the port is not down"
echo "process hca$try 15 1 300" >$gen/run
for i in {100..167}; do
	echo "process hca$try $i 1 1" >$gen/run
done
rdmaev wait -q "hca$try" 167 --since start -t 60
kill -CONT "${pids[slow]}"
within 30 grep -q EVENT_167 "$tmp/slow" || echo "# watch does not go on"
stop slow
is "a loss is a line of its own" "$(grep -c ' LOST .* lost (#[0-9]* to #[0-9]*)' "$tmp/slow")" 1
lost=$(sed -nE 's/.* ([0-9]+) records? lost .*/\1/p' "$tmp/slow")
is "... and nothing else is missing" "$(($(grep -v LOST "$tmp/slow" | records) + lost))" \
	"$(($(newest) - last))"
for ((i = 0; i <= try; i++)); do
	echo hca$i >$sim/destroy
done

### Soft RoCE and iWARP

for type in rxe siw; do
	if [ ! -d /sys/module/$type ] && [ ! -d /sys/module/rdma_$type ]; then
		skip "$type" "$type is not loaded"
		continue
	fi
	ip link add hap0_d up type dummy
	rdma link add hap0 type $type netdev hap0_d
	rdmaev wait -q hap0 DEVICE_ADD --since start -t 30
	port_events=(-e 'PORT_*,!PORT_GID')
	mark
	ip link set hap0_d down
	within 30 recorded '"after":"DOWN"' 1 || echo "# the link is not down"
	ip link set hap0_d up
	within 30 recorded '"after":"ACTIVE"' 1 || echo "# the link is not up"
	within 30 recorded '"event":"PORT_PHYS_STATE"' 2 || echo "# no physical state"
	echo "# $type: $(lines -v "${port_events[@]}" | wc -l) lines before, $(lines "${port_events[@]}" | wc -l) now"
	is "$type: an outage is two lines" "$(lines "${port_events[@]}" | awk '{ print $3, $4, $5 }')" \
		"E hap0/1 DOWN
I hap0/1 ACTIVE"
	is "$type: ... which stand for all records" "$(lines "${port_events[@]}" | records)" \
		"$(lines -v "${port_events[@]}" | wc -l)"
	like "$type: ... with the physical state" "$(lines "${port_events[@]}")" \
		"DOWN +\(was ACTIVE for $took; outage 1; physical state LINK_UP -> DISABLED\)  #"
	[ $type = rxe ] || { rdma link del hap0; ip link del hap0_d; continue; }
	# Within one burst, however busy the machine; what is more than a second after another
	# is another line: again, then
	echo 10000 >/sys/module/rdmaev/parameters/burst_ms
	for ((again = 0; again < 5; again++)); do
		# The next one is not to join what was there before
		mark
		live addresses -e 'GID_CHANGE,PORT_GID'
		kill -STOP "${pids[addresses]}"
		for i in {1..20}; do
			echo "address add 10.9.0.$i/24 dev hap0_d"
		done | ip -batch -
		within 30 recorded '"PORT_GID".*"after":"::ffff:10\.9\.0\.' 20 ||
			echo "# not all addresses are there"
		took_ms=$(rdmaev log -jv --since "$from" -e PORT_GID |
			jq -s 'map(.boottime_ns | tonumber) | (max - min) / 1000000 | floor')
		[ "$took_ms" -ge 800 ] || break
		echo "# the addresses took $took_ms ms"
		kill -CONT "${pids[addresses]}"
		stop addresses
		ip -4 address flush dev hap0_d
		sleep 12
	done
	kill -CONT "${pids[addresses]}"
	within 30 recorded '"GID_CHANGE".*"count":[0-9]{2}' 1 || echo "# no end of the burst"
	ip address add 10.9.1.1/24 dev hap0_d
	within 30 grep -q '10\.9\.1\.1' "$tmp/addresses" || echo "# no line of the last address"
	stop addresses
	like "twenty addresses are a line" "$(head -n 1 "$tmp/addresses")" \
		"^$date I hap0/1 +GID_CHANGE +2[0-9] GIDs added \(.*::ffff:10\.9\.0\.[0-9]+\)  #[0-9]+-#[0-9]+ \([0-9]+ records\)\$"
	is "... the count of the burst, later, makes none" "$(wc -l <"$tmp/addresses")" 2
	like "one address says which" "$(tail -n 1 "$tmp/addresses")" \
		"GID_CHANGE +GID \[[0-9]+\] empty -> ::ffff:10\.9\.1\.1 \(RoCE v2, netdev [0-9]+\)  #"
	echo 1000 >/sys/module/rdmaev/parameters/burst_ms
	rdma link del hap0
	ip link del hap0_d
done
plan
