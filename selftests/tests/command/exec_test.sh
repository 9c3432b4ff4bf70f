#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev watch --exec: each event is handled, at most so many at once, whatever becomes
# of handlers; what does not fit is lost exactly, and none is left out over a restart.
#
# Commands are for the shell of the handlers.
# shellcheck disable=SC2016
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

export tmp
# make CODE: an event, which is in the log then
make()
{
	echo "process ex0 $1 1 1" >$gen/run
	within 30 rdmaev wait -q ex0 "$1" --since start -t 1
}
lines() { [ "$(wc -l <"$1")" -ge "$2" ]; }

still_add ex0
for code in 101 102 103 104; do
	make $code
done

### Each event

rdmaev watch --since 1 -n 5 --exec 'echo "$RDMAEV_SEQ $RDMAEV_KIND $RDMAEV_EVENT $RDMAEV_SEVERITY $RDMAEV_DEVICE $RDMAEV_PORT $RDMAEV_CAUSE $RDMAEV_COUNT" >>$tmp/env; cat >>$tmp/json' >"$tmp/out" 2>"$tmp/err"
is "five events, five handlers" "$? $(wc -l <"$tmp/json") $(<"$tmp/err")" "0 5 "
is "... with the event on standard input" "$(<"$tmp/json")" "$(rdmaev log -j)"
is "... and in the environment" "$(<"$tmp/env")" \
	"$(rdmaev log -j | jq -r '"\(.seq) \(.kind) \(.event) \(.severity) \(.device) \(.port // "") \(.cause) \(.count)"')"
is "... and each is a line" "$(<"$tmp/out")" "$(rdmaev log -v)"
rm "$tmp/json"
rdmaev --netlink watch --since 1 -n 9 -t 1 -e 'EVENT_103' --exec 'cat >>$tmp/json' >/dev/null
is "by netlink, selected, with -t" "$(jq -r .event "$tmp/json")" "EVENT_103"
is "a handler does not have the node open" "$(rdmaev watch --since 1 -n 1 --exec 'ls -l /proc/self/fd' | grep -c infiniband)" 0
is "... nor signals blocked" "$(rdmaev watch --since 1 -n 1 --exec 'grep SigBlk /proc/self/status' | grep -o 'SigBlk.*' | tr -d '\t')" \
	"SigBlk:0000000000000000"

### So many at once

rdmaev watch -q --since 1 -n 5 --exec 'mkdir $tmp/one || echo overlap >>$tmp/bad; sleep .1; rmdir $tmp/one' >/dev/null
ok "one by one" not test -e "$tmp/bad"
mkdir "$tmp/run"
rdmaev watch -q --since 1 -n 5 --exec-jobs 3 >/dev/null --exec 'touch $tmp/run/$RDMAEV_SEQ $tmp/all.$RDMAEV_SEQ
	[ $(ls $tmp/run | wc -l) -le 3 ] || echo more >>$tmp/bad
	until [ $(ls $tmp/all.* | wc -l) -ge 3 ]; do sleep .1; done
	rm $tmp/run/$RDMAEV_SEQ'
is "three at once" "$? $(find "$tmp" -name 'all.*' | wc -l)" "0 5"
ok "... no more" not test -e "$tmp/bad"

### Handlers that fail

is "a status: reported, and the next is run" "$(rdmaev watch --since 1 -n 2 --exec 'exit $RDMAEV_SEQ' 2>&1 >/dev/null; echo $?)" \
	"rdmaev: --exec: the handler of #1 ended with status 1
rdmaev: --exec: the handler of #2 ended with status 2
0"
is "... a signal" "$(rdmaev watch --since 1 -n 1 --exec 'kill -KILL $$' 2>&1 >/dev/null; echo $?)" \
	"rdmaev: --exec: the handler of #1 was killed by signal 9
0"
is "... no such command" "$(rdmaev watch --since 1 -n 1 --exec /nowhere 2>&1 >/dev/null | tail -n 1)" \
	"rdmaev: --exec: the handler of #1 ended with status 127"
is "... not with -q" "$(rdmaev watch -q --since 1 -n 1 --exec 'exit 1' 2>&1 >/dev/null; echo $?)" 0
(trap '' CHLD; exec rdmaev watch --since 1 -n 1 --exec 'exit 5') >/dev/null 2>"$tmp/err"
is "... SIGCHLD ignored by the parent" "$(<"$tmp/err")" "rdmaev: --exec: the handler of #1 ended with status 5"

### Over a restart

file=$tmp/cursor
instance=$(rdmaev log -j -n 1 | jq -r .instance)
handler='echo $RDMAEV_SEQ >>$tmp/begun; [ $RDMAEV_SEQ != 3 ] || until [ -e $tmp/go ]; do sleep .1; done; echo $RDMAEV_SEQ >>$tmp/done'
is_kept() { [ "$(<"$file")" = "$instance:$1" ]; }
rdmaev watch --since 1 --cursor-file "$file" --exec "$handler" >"$tmp/out" 2>&1 &
pid=$!
ok "a slow handler holds the cursor" within 30 is_kept 3
is "... while lines are printed" "$(wc -l <"$tmp/out")" 5
kill -KILL $pid
wait $pid 2>/dev/null
rdmaev watch --cursor-file "$file" --exec "$handler" --exec-jobs 2 >/dev/null 2>&1 &
pid=$!
others() { [ "$(sort -u "$tmp/done" | xargs)" = "1 2 4 5" ]; }
ok "others go on beside it" within 30 others
is "... which the cursor waits for" "$(<"$file")" "$instance:3"
kill $pid
wait $pid
is "SIGTERM: ends at once, and does not wait for it" "$? $(<"$file")" "0 $instance:3"
touch "$tmp/go"
within 30 lines "$tmp/done" 6
rdmaev watch --cursor-file "$file" --exec "$handler" -t 0 >/dev/null 2>&1
is "after a restart: from the one that was not done" "$(tail -n 3 "$tmp/done" | xargs) $(<"$file")" "3 4 5 $instance:6"
is "... none is left out" "$(sort -u "$tmp/done" | xargs)" "1 2 3 4 5"
is "... and none is repeated when all are done" "$(rdmaev watch --cursor-file "$file" --exec 'echo again' -t 0)" ""
is "--show-cursor" "$(rdmaev watch --since 1 -n 2 --exec true --show-cursor | tail -n 1)" "-- cursor: $instance:3"

### No process to be had

# The limit of a user: rdmaev itself is all that it allows
mkdir -m 777 "$tmp/user"
chmod 755 "$tmp"
setpriv --reuid=65533 --regid=65533 --clear-groups prlimit --nproc=1 \
	rdmaev watch -q --since 1 -n 2 --exec 'echo "$RDMAEV_SEQ" >>$tmp/user/seqs' >/dev/null 2>"$tmp/err" &
pid=$!
ok "no process for a handler: reported" within 30 grep -q "^rdmaev: --exec: cannot start the handler of #1: Resource temporarily unavailable; trying again$" "$tmp/err"
sleep 2.5
is "... once, and it goes on" "$(wc -l <"$tmp/err"; kill -0 $pid && echo running)" "1
running"
prlimit --pid $pid --nproc=100
wait $pid
is "... as soon as there is one" "$? $(xargs <"$tmp/user/seqs")" "0 1 2"

### More than there is room for

if is_built_in; then
	skip "what is lost" "rdmaev is built in"
	skip "... the rest is handled" "rdmaev is built in"
	skip "... in order" "rdmaev is built in"
else
	rmmod rdmaev
	load records=64
	rm -f "$tmp/go" "$tmp/json" "$tmp/out"
	rdmaev watch --since 1 --exec '[ $RDMAEV_SEQ != 1 ] || until [ -e $tmp/go ]; do sleep .1; done; read -r event; echo "$event" >>$tmp/json' >"$tmp/out" 2>&1 &
	pid=$!
	within 30 lines "$tmp/out" 1
	for _ in 1 2; do
		echo "process ex0 15 1 100" >$gen/run
		sleep .3
	done
	echo "process ex0 15 1 200" >$gen/run
	echo "process ex0 11 1 1" >$gen/run
	within 30 rdmaev wait -q ex0 LID_CHANGE --since start -t 1
	touch "$tmp/go"
	ended() { grep -q LID_CHANGE "$tmp/json"; }
	within 100 ended
	kill $pid
	wait $pid
	last=$(rdmaev log -j -n 1 | jq .seq)
	like "what is lost is an event" "$(jq -c 'select(.kind == "lost") | .lost.count > 100' "$tmp/json")" true
	is "... the rest is handled: nothing is missing, nothing twice" \
		"$(jq -r 'if .kind == "lost" then range(.lost.first; .lost.last + 1) else .seq end' "$tmp/json" | sort -n | xargs)" \
		"$(seq "$last" | xargs)"
	is "... in order" "$(jq .seq "$tmp/json")" "$(jq .seq "$tmp/json" | sort -n)"
fi

fails "--exec without a command" 2 "--exec : must be a command" watch --exec ''
fails "--exec-jobs 0" 2 "--exec-jobs 0: must be a number from 1 to 64" watch --exec-jobs 0
fails "... too many" 2 "--exec-jobs 65: must be .*" watch --exec-jobs 65
fails "not of log" 2 "--exec: not an option of rdmaev log .*" log --exec true
still_del ex0
plan
