#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Edge cases of the rdmaev command: names of events, permissions, terminals, pipes, signals.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

date='[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}'
rxe_add cmd0
ip link set cmd0_d down
within 30 rdmaev wait cmd0 PORT_PHYS_STATE --since start -t 1 || echo "# the link is not down"
ip link set cmd0_d up
rdmaev wait -q cmd0 PORT_ACTIVE --since start -t 30

### Names of events

echo "process cmd0 12 1 1" >$gen/run
rdmaev wait -q cmd0 PKEY_CHANGE --since start -t 30
is "explain knows all that log does" "$(rdmaev log -j | jq -r .event | sort -u |
	xargs rdmaev explain -j | jq -r .event)" "$(rdmaev log -j | jq -r .event | sort -u)"
is "-e: a number is that of an event" "$(rdmaev log -v -e 12 | awk '{ print $4 }')" PKEY_CHANGE
for name in RETRY_EXC_ERR retry-exc-err IBV_WC_RETRY_EXC_ERR WC_12; do
	is "... $name is another kind" "$(rdmaev log -v -e $name 2>&1; echo $?)" 0
done

### Wrong use: what needs no module to be told is in usage_test.sh

fails "devices: nearly" 2 "cmd1: no such device, did you mean cmd0\? \(rdmaev devices lists them\)" devices cmd1
fails "stats: an event" 2 "PORT_ERR: no such device: it is an event \(rdmaev log -e PORT_ERR\)" stats PORT_ERR
fails "cqs: a port" 2 "cmd0/1: no such device \(CQs belong to no port: rdmaev cqs cmd0\)" cqs cmd0/1
fails "--since to come" 2 "--since 99999: the log ends at #[0-9]+; .*try start" log --since 99999
fails "nothing is left" 2 "the options exclude every event: check -e, --kind and --severity" log -e PORT_ERR --kind wc
fails "... nor here" 2 "the options exclude every event: .*" log -e 'PORT_*,!PORT_*'
fails "-n without --watch" 2 "-n: needs --watch" stats -n 2
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups rdmaev "$@"; }
nobody watch -t 0 --since start >"$tmp/out" 2>&1
is "everybody may" "$? $(grep -c "cmd0  *DEVICE_ADD" "$tmp/out")" "0 1"
chmod o-r $node
nobody log >"$tmp/out" 2>&1
like "... unless somebody has changed the node's mode" "$? $(<"$tmp/out")" \
	"^2 rdmaev: $node: access denied: its mode is not 0444, .*--netlink$"
ok "... explain works all the same" nobody explain 10
chmod o+r $node

### Terminals, pipes and signals

tty() { script -qec "$*" /dev/null </dev/null | tr -d '\r'; }
esc=$'\033'
like "colours on a terminal" "$(TERM=xterm tty rdmaev log -v -e PORT_ERR -n 1)" \
	" $esc\[31mPORT_ERR +$esc\[0m  ?$esc\[2m#[0-9]+$esc\[0m$"
is "... else the same text" "$(TERM=xterm tty rdmaev log -v | sed "s/$esc\[[0-9]*m//g")" "$(rdmaev log -v)"
is "... none with NO_COLOR" "$(TERM=xterm NO_COLOR=1 tty rdmaev log -v | grep -c "$esc")" 0
is "... none on a dumb one" "$(TERM=dumb tty rdmaev log -v | grep -c "$esc")" 0
is "... none in a pipe" "$(TERM=xterm rdmaev log -v | grep -c "$esc")" 0

# A reader of a pipe that keeps up, and one that is stopped
mkfifo "$tmp/fifo"
for sig in INT TERM HUP; do
	cat "$tmp/fifo" >"$tmp/out" &
	env --default-signal=$sig rdmaev watch -j >"$tmp/fifo" &
	pid=$!
	within 30 watches $pid
	echo "process cmd0 77 1 20000" >$gen/run &
	within 30 test -s "$tmp/out"
	kill -$sig $pid
	wait $pid
	is "SIG$sig in full flow: status 0" $? 0
	wait
	is "... every line whole" "$(tail -c1 "$tmp/out" | od -An -tx1) $(
		jq -c . "$tmp/out" 2>&1 | wc -l)" " 0a $(wc -l <"$tmp/out")"
done
env --ignore-signal=HUP rdmaev watch -v >"$tmp/out" &
pid=$!
within 30 watches $pid
kill -HUP $pid
echo "process cmd0 77 1 1" >$gen/run
ok "SIGHUP ignored by the parent (nohup) stays ignored" within 30 grep -q EVENT_77 "$tmp/out"
kill $pid
wait $pid
exec 5<>"$tmp/fifo"
rdmaev watch -v --since start >&5 &
pid=$!
within 30 watches $pid
# more than a pipe holds: it waits for room, and for the signal
within 30 grep -q poll /proc/$pid/wchan
kill $pid
wait $pid
is "SIGTERM with nobody reading: status 0" $? 0
exec 6<"$tmp/fifo" 5>&-
cat <&6 >"$tmp/out"
exec 6<&-
is "... every line whole" "$(tail -c1 "$tmp/out" | od -An -tx1) $(
	grep -vcE "^$date .* #[0-9]+( <- #[0-9]+)?$" "$tmp/out")" " 0a 0"

{ rdmaev watch -v --since start 2>"$tmp/err"; echo $? >"$tmp/status"; } | head -n 1 >"$tmp/out"
is "a reader that goes: status 0, no word" "$(cat "$tmp/status" "$tmp/err" | xargs) $(wc -l <"$tmp/out")" "0 1"
{ timeout 60 rdmaev watch -v 2>"$tmp/err"; echo $? >"$tmp/status"; } | true
is "... noticed before the next event" "$(cat "$tmp/status" "$tmp/err" | xargs)" 0
rdmaev log -v >/dev/full 2>"$tmp/err"
is "a full disk" "$? $(tail -n 1 "$tmp/err")" "2 rdmaev: cannot write: No space left on device"

### Unloading

start all
ok "the module cannot be unloaded while somebody watches" not rmmod rdmaev
stop all
rmmod rdmaev
fails "no node" 2 "$node does not exist: load the module \(modprobe rdmaev\)" watch
fails "... no family either" 2 "no generic netlink family rdmaev: load .*" --netlink watch
fails "... no devices either" 2 "$node does not exist: .*" devices
rxe_del cmd0
plan
