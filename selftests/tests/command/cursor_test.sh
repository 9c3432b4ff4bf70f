#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Cursors of rdmaev watch and log: --cursor-file, --show-cursor, the instance in JSON,
# and a log that is another one after the module was reloaded.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

# seqs COMMAND...: of the records that a command prints
seqs() { rdmaev "$@" | sed -E 's/ <- .*//; s/.*#//' | xargs; }
# make CODE: an event, which is in the log then
make()
{
	echo "process cur0 $1 1 1" >$gen/run
	within 30 rdmaev wait -q cur0 "$1" --since start -t 1
}
end() { rdmaev log -v -n 1 | sed 's/.*#//'; }
file=$tmp/cursor

still_add cur0
for code in 101 102 103; do
	make $code
done
instance=$(rdmaev log -j | jq -r .instance | sort -u)
like "the instance is that of every record" "$instance" '^[0-9a-f]{16}$'
is "... of watch and wait, too" "$(rdmaev watch -j --since 1 -n 1 | jq -r .instance) $(
	rdmaev wait -j cur0 101 --since 1 | jq -r .instance)" "$instance $instance"
is "... by netlink" "$(rdmaev --netlink log -j -n 1 | jq -r .instance)" "$instance"

### --show-cursor

is "--show-cursor: the last line" "$(rdmaev log -v --show-cursor | tail -n 1)" "-- cursor: $instance:$(($(end) + 1))"
is "... the others are the log" "$(rdmaev log -v --show-cursor | head -n -1)" "$(rdmaev log -v)"
is "... as JSON" "$(rdmaev log -j --show-cursor | tail -n 1)" "{\"cursor\":\"$instance:$(($(end) + 1))\"}"
is "... after the last that was printed" "$(rdmaev watch -v --since 2 -n 2 --show-cursor | tail -n 1)" \
	"-- cursor: $instance:4"
is "... after all that was looked at" "$(rdmaev log -v -e DEVICE_ADD --show-cursor | tail -n 1)" \
	"-- cursor: $instance:$(($(end) + 1))"
is "... with --until" "$(rdmaev log -v --until 3 --show-cursor | tail -n 1)" "-- cursor: $instance:4"
is "... with -n" "$(rdmaev log -v -n 1 --show-cursor | tail -n 1)" "-- cursor: $instance:$(($(end) + 1))"
is "... of watch, nothing printed" "$(rdmaev watch -v -t 0 --show-cursor)" "-- cursor: $instance:$(($(end) + 1))"
is "... before the first record after a time" "$(rdmaev log -v --until boot+0.000001 --show-cursor)" "-- cursor: $instance:1"
is "--since CURSOR" "$(seqs log --since "$instance:3")" "$(seqs log --since 3)"
is "--until CURSOR" "$(seqs log --until "$instance:3")" "1 2 3"
is "--since a cursor at the end" "$(rdmaev log -v --since "$instance:$(($(end) + 1))" 2>&1; echo $?)" 0

### --cursor-file

is "no file yet: the whole log" "$(seqs log --cursor-file "$file")" "$(seqs log)"
is "... and the cursor after it" "$(<"$file")" "$instance:$(($(end) + 1))"
is "nothing new" "$(rdmaev log -v --cursor-file "$file" 2>&1; echo $?)" 0
make 104
is "what is new" "$(seqs log --cursor-file "$file")" "$(end)"
is "... once" "$(seqs log --cursor-file "$file")" ""
make 105
make 106
is "a filter: what it leaves out is not looked at again" "$(seqs log --cursor-file "$file" -e 105) $(
	seqs log --cursor-file "$file")" "$(($(end) - 1)) "
is "--until before the cursor: it stays" "$(seqs log --cursor-file "$file" --until 3) $(<"$file")" \
	" $instance:$(($(end) + 1))"
make 107
is "by netlink" "$(seqs --netlink log --cursor-file "$file") $(seqs log --cursor-file "$file")" "$(end) "
rm "$file"
is "--since: for the first time" "$(seqs log --cursor-file "$file" --since 3 --until 3)" 3
is "... and not again" "$(seqs log --cursor-file "$file" --since 3 --until 5)" "4 5"
is "... a time" "$(seqs log --cursor-file "$file" --since 2100-01-01 --until 6)" 6
is "watch goes on there, and ends after N" "$(seqs watch --cursor-file "$file" -n 1)" 7
is "... from one to the next" "$(seqs watch --cursor-file "$file" -n 1)" 8
: >"$file"
is "an empty file is as none" "$(seqs log --cursor-file "$file" --until 1)" 1

start keep --cursor-file "$file"
written() { [ "$(<"$file")" = "$instance:$(($(end) + 1))" ]; }
ok "watch writes it" within 30 written
before=$(<"$file")
make 108
ok "... again and again" within 30 written
not_before() { [ "$(<"$file")" != "$before" ]; }
ok "... not what it was" not_before
kill -KILL "${pids[keep]}"
wait "${pids[keep]}"
make 109
rdmaev watch -v --cursor-file "$file" -n 1 >"$tmp/out"
is "... so that none is left out after SIGKILL" "$(sed 's/.*#//' "$tmp/out")" "$(end)"
is "no other file is left" "$(cd "$tmp" && echo cursor*)" cursor

# A reader that goes away has not got what was not written
mkfifo "$tmp/fifo"
rm "$file"
head -n 1 "$tmp/fifo" >"$tmp/out" &
rdmaev log -v --cursor-file "$file" --until 1 >"$tmp/fifo"
wait $!
is "a pipe: written" "$(<"$file")" "$instance:2"
rdmaev log -v --cursor-file "$file" >/dev/full 2>"$tmp/err"
is "a full disk: status 2, and not written" "$? $(<"$file")" "2 $instance:2"
(exec 3>&1; rdmaev log -v --cursor-file "$file" 2>/dev/null | true)
seen=$(<"$file")
like "a pipe that nobody reads: all of it, or none" "$seen" "^$instance:(2|$(($(end) + 1)))$"

fails "a directory" 2 "--cursor-file $tmp: not a regular file" log --cursor-file "$tmp"
fails "a device" 2 "--cursor-file /dev/null: not a regular file" log --cursor-file /dev/null
fails "a FIFO" 2 "--cursor-file $tmp/fifo: not a regular file" log --cursor-file "$tmp/fifo"
fails "no name" 2 "--cursor-file : must be the name of a file" log --cursor-file ''
fails "no such directory" 2 "--cursor-file /nowhere/x: cannot write: No such file or directory" \
	log -e 200 --cursor-file /nowhere/x
echo "banana" >"$file"
fails "something else" 2 "--cursor-file $file: has no cursor in it; name another file, or remove it" \
	log --cursor-file "$file"
is "... which stays" "$(<"$file")" banana
printf '%s:%0100d' "$instance" 1 >"$file"
fails "too long" 2 "--cursor-file $file: has no cursor in it; .*" log --cursor-file "$file"
echo "$instance:99999" >"$file"
fails "past the end" 2 "--cursor-file $file: the log ends at #[0-9]+; name another file, or remove it" \
	log --cursor-file "$file"
fails "... of --since" 2 "--since $instance:99999: the log ends at #[0-9]+; try start" \
	log --since "$instance:99999"

### Another instance

if is_built_in; then
	skip "another instance" "rdmaev is built in"
	still_del cur0
	plan
	exit
fi
rdmaev log -v --cursor-file "$file.2" >/dev/null
rmmod rdmaev
load
make 110
new=$(rdmaev log -j -n 1 | jq -r .instance)
ok "a reload makes another instance" [ "$new" != "$instance" ]
old="is of an earlier log: the module was reloaded, or the host rebooted"
is "--cursor-file: says so" "$(rdmaev log -v --cursor-file "$file.2" 2>&1 >"$tmp/out")" \
	"rdmaev: --cursor-file $file.2: $old; beginning with the first record of the new log"
is "... and goes on from its beginning" "$(<"$tmp/out")" "$(rdmaev log -v)"
is "... once" "$(rdmaev log -v --cursor-file "$file.2" 2>&1; cat "$file.2")" "$new:$(($(end) + 1))"
is "--since" "$(rdmaev log -v --since "$instance:3" 2>&1 >"$tmp/out")" \
	"rdmaev: --since $instance:3: $old; beginning with the first record of the new log"
is "... the same" "$(<"$tmp/out")" "$(rdmaev log -v)"
is "... not with -q" "$(rdmaev log -v -q --since "$instance:3" 2>&1)" "$(rdmaev log -v)"
fails "--until: an error" 2 "--until $instance:3: $old" log --until "$instance:3"
still_del cur0
plan
