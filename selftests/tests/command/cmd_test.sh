#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The rdmaev command for people: its output, when it ends, and error messages.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

### watch, from a link that goes down to a device that comes back

rxe_add cmd0
rxe_add cmd1
is_down_twice() { [ "$(grep -cE 'cmd0/1 +PORT_STATE .* -> DOWN' "$tmp/port")" = 2 ]; }
start port cmd0/1
start all
start events -e port_err,IBV_EVENT_PORT_ACTIVE --event gid-change --utc
start errors --severity error --mono
start late 'late*' cmd1/1 cmd1/3
start quiet -q cmd1/3 'late*'

ip link set cmd0_d down
seen port 'LINK_UP -> DISABLED'
ip link set cmd0_d up
seen port 'DISABLED -> LINK_UP'
ip addr add 10.8.0.1/24 dev cmd0_d
seen port 'PORT_GID .*10\.8\.0\.1'
echo "process cmd0 77 1 1" >$gen/run
echo "process cmd0 15 1 1" >$gen/run
ip link set cmd1_d down
seen all 'cmd1/1 .*LINK_UP -> DISABLED'
rdma dev set cmd0 name ren0
ip link set cmd0_d down
seen all 'ren0/1 .*LINK_UP -> DISABLED'
ip link set cmd0_d up
seen all 'ren0/1 .*DISABLED -> LINK_UP'
rdma dev set ren0 name cmd0
rdma link del cmd0
rdma link add cmd0 type rxe netdev cmd0_d
seen port 'DEVICE_ADD'
ip link set cmd0_d down
within 30 is_down_twice || echo "# the port did not go down a second time"
rxe_add late0
seen late DEVICE_ADD
seen all 'late0 +DEVICE_ADD'
for w in port all events errors late quiet; do
	stop $w
	is "watch $w ends with status 0" $? 0
done

date='[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}'
took='[0-9]+(us|ms|s|m[0-9]{2}s)'
like "a line: time, port, event, number" "$(<"$tmp/port")" \
	"^$date cmd0/1 +PORT_ERR +#[0-9]+$"
like "... what changed, after how long, which outage, why" "$(<"$tmp/port")" \
	"^$date cmd0/1 +PORT_STATE +ACTIVE -> DOWN after $took, outage 1  #[0-9]+ <- #[0-9]+$"
like "... a table entry" "$(<"$tmp/port")" \
	"^$date cmd0/1 +PORT_GID +\[[0-9]+\] empty -> ::ffff:10\.8\.0\.1 \(RoCE v2, netdev [0-9]+\)  #[0-9]+ <- #[0-9]+$"
like "... about the device" "$(<"$tmp/port")" \
	"^$date cmd0 +DEVICE_ADD +node guid ([0-9a-f]{4}:){3}[0-9a-f]{4}  #[0-9]+$"
like "... a number without a name" "$(<"$tmp/port")" \
	"^$date cmd0/1 +EVENT_77 +#[0-9]+$"
like "... an object" "$(<"$tmp/port")" \
	"^$date cmd0 +SRQ_LIMIT_REACHED +SRQ \\?  #[0-9]+$"
is "every line is like that" "$(grep -vE \
	"^$date [a-z]+[0-9](/1| )( )* [A-Z_0-9]+ .* #[0-9]+( <- #[0-9]+)?$" "$tmp/all")" ""
is "the cause is the event" "$(awk '
	$4 == "PORT_ERR" { last = $NF }
	$4 == "PORT_STATE" && /-> DOWN/ { print $NF == last }' "$tmp/port" | sort -u)" 1
is "a port through rename, removal and coming back" \
	"$(awk '$4 ~ /DEVICE|PORT_STATE/ { print $4, $5, $6, $7 }' "$tmp/port" |
		sed -E 's/ (node|after|#).*//')" \
	"PORT_STATE ACTIVE -> DOWN
PORT_STATE DOWN -> ACTIVE
DEVICE_RENAME cmd0 -> ren0
DEVICE_RENAME ren0 -> cmd0
DEVICE_REMOVE
DEVICE_ADD
PORT_STATE ACTIVE -> DOWN"
is "nothing of other names and devices" "$(grep -vE '^.{23} (cmd0|ren0 +DEVICE_RENAME)' "$tmp/port")" ""
is "all numbers of all devices" "$(sed -E 's/ <- #[0-9]+$//; s/.*#//' "$tmp/all")" \
	"$(seq 3 $(($(wc -l <"$tmp/all") + 2)))"

is "-e: these events only" "$(awk '{ print $4 }' "$tmp/events" | sort -u | xargs)" \
	"GID_CHANGE PORT_ACTIVE PORT_ERR"
is "--utc: marked" "$(grep -vE "^${date}Z " "$tmp/events")" ""
is "--severity error: errors only" "$(awk '{ print $3 }' "$tmp/errors" | sort -u | xargs)" \
	"PORT_ERR PORT_STATE"
is "... the port's are those out of ACTIVE" \
	"$(grep PORT_STATE "$tmp/errors" | grep -v "ACTIVE ->")" ""
is "--mono: seconds" "$(grep -vE '^[0-9]+\.[0-9]{6} ' "$tmp/errors")" ""
is "several devices, one to come" \
	"$(awk '$4 ~ /DEVICE|PORT_STATE/ { print $3, $4 }' "$tmp/late")" \
	"cmd1/1 PORT_STATE
late0 DEVICE_ADD"
is "... and it says so" "$(<"$tmp/late.err")" \
	"rdmaev: late*: no such device now; waiting for it
rdmaev: cmd1/3: the device has 1 port now; waiting anyway"
is "... not with -q" "$(<"$tmp/quiet.err")" ""
rxe_del late0

### Names of devices

names() { awk '{ sub("/.*", "", $3); print $3 }' | sort -u | xargs; }
is "log 'c*': all that begin like it, also when one of them was ren0" \
	"$(rdmaev log -v 'c*' | grep -v RENAME | names)" "cmd0 cmd1 ren0"
is "... 'cmd1*'" "$(rdmaev log -v 'cmd1*' | names)" "cmd1"
is "... '*': every one" "$(rdmaev log -v '*')" "$(rdmaev log -v)"
is "... '*'/PORT: that port, and what is about the device" "$(rdmaev log -v '*/2' | awk '{ print $3 }' | sort -u | xargs)" \
	"cmd0 cmd1 late0 ren0"
is "... none begins like it: nothing, and a note" "$(rdmaev log -v 'dmc*' 2>&1; echo $?)" \
	"rdmaev: dmc*: matches no device, now or before (rdmaev devices --removed lists them)
0"
is "... without it" "$(rdmaev log -v -q 'dmc*' 2>&1; echo $?)" 0
is "log: a device that was removed" "$(rdmaev log -v late0 | sed -n '1p;$p' | awk '{ print $3, $4 }' | xargs)" \
	"late0 DEVICE_ADD late0 DEVICE_REMOVE"
is "... a name that one had before" "$(rdmaev log -v ren0 | sed -n '1p;$p' | awk '{ print $4 }' | xargs)" \
	"DEVICE_RENAME DEVICE_RENAME"
is "... as watch has it" "$(rdmaev watch -v -t 0 --since start ren0 late0 2>/dev/null)" "$(rdmaev log -v ren0 late0)"
is "watch: from now on, whatever was looked at" "$(rdmaev watch -v -t 0 ren0 2>&1)" \
	"rdmaev: ren0: no such device now; waiting for it"
for c in log "watch -t 0"; do
	for name in cmd cmd00 nobody/1 cmd0x; do
		# shellcheck disable=SC2086
		fails "$c: nobody has had the name $name" 2 \
			"$name: no such device, now or before(, did you mean .*cmd0.*\?)? \(rdmaev devices --removed lists them\)" \
			$c cmd0 $name
	done
	# shellcheck disable=SC2086
	fails "$c: a name like that of a device" 2 "cdm0: no such device, now or before, did you mean cmd0\? .*" $c cdm0
	# shellcheck disable=SC2086
	fails "$c: an event is no device" 2 "PORT_ERR: is an event, not a device: (use|rdmaev log) -e PORT_ERR" $c PORT_ERR
done
is "wait: it may come for the first time" "$(rdmaev wait -t 0 cmd00 DEVICE_ADD 2>&1; echo $?)" \
	"rdmaev: cmd00: no such device now; waiting for it
1"
many=(); for ((i = 0; i < 17; i++)); do many+=(cmd0); done
ok "as many as a filter has" rdmaev log -v "${many[@]:1}"
fails "... and no more" 2 "more than 16 devices; .*" log "${many[@]}"

### Where to begin and where to end

is "--since, -n" "$(rdmaev watch -v --since 5 -n 3 | sed -E 's/ <- .*//; s/.*#//' | xargs)" "5 6 7"
is "log: as much as watch has seen" "$(rdmaev log -v | head -n "$(($(wc -l <"$tmp/all") + 2))" |
	tail -n +3)" "$(<"$tmp/all")"
like "log: the first is the first" "$(rdmaev log -v --since start | head -n 1)" 'cmd0 +DEVICE_ADD .*  #1$'
is "log DEV: nothing else" "$(rdmaev log -v cmd1 | awk '{ print $3 }' | sort -u | xargs)" "cmd1 cmd1/1"
is "watch -t: what there was, then the end" \
	"$(rdmaev watch -v -t .3 --since start cmd1 | wc -l) $?" "$(rdmaev log -v cmd1 | wc -l) 0"
SECONDS=0
rdmaev watch -v -t 1.5 >"$tmp/out"
is "watch -t: ends with status 0, silent" "$? $(<"$tmp/out")" "0 "
like "... at its time" "$SECONDS" '^([1-9]|1[0-9])$'
rdmaev log -j -n 1 >"$tmp/json"
ns=$(jq -r .boottime_ns "$tmp/json")
utc=$(rdmaev log -v --utc -n 1)
is "the same time in JSON" "$(jq -r '.time[:23] + "Z"' "$tmp/json")" "${utc:0:10}T${utc:11:13}"
like "... in seconds" "$(rdmaev log -v --mono -n 1)" \
	"^$(printf '%d.%06d' $((ns / 1000000000)) $((ns / 1000 % 1000000))) "
local=$(TZ=ABC-5:30 rdmaev log -v -n 1)
is "... and in local time" "$(date -u -d "${local:0:23}+0530" '+%F %T.%3NZ')" "${utc:0:24}"

### wait

timeout 60 rdmaev wait cmd0/1 PORT_ACTIVE,17 -t 60 >"$tmp/wait" 2>&1 &
pid=$!
within 30 child_watches $pid
echo "process cmd1 17 1 1" >$gen/run
echo "process cmd0 11 1 1" >$gen/run
ip link set cmd0_d up
wait $pid
like "wait: sees the event, no other" "$? $(<"$tmp/wait")" "^0 $date cmd0/1 +PORT_ACTIVE +#[0-9]+$"
is "... and prints it alone" "$(wc -l <"$tmp/wait")" 1
is "wait -t: time is up" "$(rdmaev wait cmd0/1 SM_CHANGE -t .2 2>&1; echo $?)" 1
is "wait --since: it has happened" "$(rdmaev wait cmd0 LID_CHANGE --since start -t 10 |
	awk '{ print $3, $4 }') ${PIPESTATUS[0]}" "cmd0/1 LID_CHANGE 0"
is "... on another port it has not" "$(rdmaev wait -t 0 cmd1 --since start LID_CHANGE; echo $?)" 1
is "wait --severity" "$(rdmaev wait -t 0 cmd0 LID_CHANGE --since start --severity error; echo $?)" 1
is "wait -q: the status alone" "$(rdmaev wait -q cmd0 11 --since start -t 10 2>&1; echo $?)" 0
rdmaev wait cmd0 SM_CHANGE >"$tmp/wait" &
within 30 watches $!
kill $!
wait $!
is "wait: interrupted is an error" "$?" 2
fails "wait: in the wrong order" 2 "PORT_ERR: is an event; wait needs the device first: rdmaev wait cmd0/1 PORT_ERR" \
	wait PORT_ERR cmd0/1
fails "wait: a device and an event" 2 "wait needs a device and an event or a state: .*" wait cmd0

### devices

rdmaev devices >"$tmp/out"
is "devices: a row each" "$(awk '{ print $1 }' "$tmp/out" | xargs)" "DEVICE cmd1 cmd0"
like "... with its port" "$(<"$tmp/out")" \
	"^cmd1 +1 +cmd1_d +RoCE +DOWN +[0-9.]+ Gb/sec \(.*\) +1024 +- +1 +rdma_rxe +([0-9a-f]{4}:){3}[0-9a-f]{4} +[A-Z_]+ $took$"
is "... and the last that happened" "$(grep '^cmd1' "$tmp/out" | sed -E 's/.* ([A-Z_]+) [^ ]+$/\1/')" \
	"$(rdmaev log -j cmd1 | tail -n 1 | jq -r .event)"
is "... columns under their titles" "$(awk '
	NR == 1 { at = index($0, "STATE") }
	NR > 1 { print substr($0, at, 4) }' "$tmp/out" | xargs)" "DOWN ACTI"
is "... no wider than it must be" "$(awk 'length > 145' "$tmp/out")" ""
is "devices DEV" "$(rdmaev devices cmd1 | awk '{ print $1 }' | xargs)" "DEVICE cmd1"
is "devices DEV/PORT" "$(rdmaev devices cmd1/1 | awk '{ print $1 }' | xargs)" "DEVICE cmd1"
fails "devices: no such port" 2 "cmd1/2: the device has 1 port" devices cmd1/2
fails "devices: no such" 2 "cmd7: no such device, did you mean cmd[01] or cmd[01]\? .*" devices cmd7
fails "... that there was" 2 "late0: the device was removed \(rdmaev log late0 has what happened\)" devices late0
is "devices 'DEV*'" "$(rdmaev devices 'cmd*' | awk '{ print $1 }' | xargs)" "DEVICE cmd1 cmd0"
is "... 'DEV*/PORT'" "$(rdmaev devices 'cmd1*/1' | awk '{ print $1 }' | xargs)" "DEVICE cmd1"
is "... of which there is none" "$(rdmaev devices 'late*' 2>&1; echo $?)" "rdmaev: no such device
0"
is "... as with --removed" "$(rdmaev devices --removed 'late*' | awk '{ print $1 }' | xargs)" "DEVICE late0"
is "stats 'DEV*'" "$(rdmaev stats -j 'cmd*' | jq -r .device | xargs)" "$(rdmaev stats -j | jq -r .device | xargs)"
is "cqs 'DEV*': none need be there" "$(rdmaev cqs -q 'late*'; echo $?)" 0

### Real names

echo "rocep1s0f1v12 2 ib" >/sys/kernel/debug/rdmaev_sim/create
rdmaev wait -q rocep1s0f1v12/2 up -t 60
rdmaev devices >"$tmp/out"
like "a long name" "$(<"$tmp/out")" \
	"^rocep1s0f1v12 +2 +- +IB +ACTIVE +[0-9.]+ Gb/sec \(.*\) +4096 +([0-9]+|-) +0 +rdmaev_sim +([0-9a-f]{4}:){3}"
is "... in columns" "$(awk '
	NR == 1 { at = index($0, "NODE GUID") }
	NR > 1 { print substr($0, at + 4, 1) }' "$tmp/out" | sort -u)" ":"
echo rocep1s0f1v12 >/sys/kernel/debug/rdmaev_sim/destroy

### No devices

rxe_del cmd0
rxe_del cmd1
rdmaev devices >"$tmp/out" 2>&1
is "no devices" "$? $(<"$tmp/out")" "0 rdmaev: no RDMA devices"
plan
