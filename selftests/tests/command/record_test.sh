#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev record and --file: what commands print of a recording is what they print of
# the log; files that are cut, rotated, or left behind by a recorder that was killed;
# losses stay reported.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

file=$tmp/rec

# recorder ARGUMENT...: in the background; $recorder is its pid
recorder()
{
	rdmaev record "$@" 2>"$tmp/rec.err" &
	recorder=$!
	within 30 watches $! || echo "# rdmaev record $* does not start"
}
end_recorder()
{
	kill -"${1-TERM}" "$recorder"
	wait "$recorder" 2>/dev/null
}
# has FILE JQ: a record of the recording
has() { rdmaev log -qj --file "$1" | jq -es "any($2)" >/dev/null; }
any_has() { has "$file" "$1" || has "$file.1" "$1" || has "$file.2" "$1"; }
seqs() { rdmaev log -qj --file "$1" | jq .seq; }
# same NAME COMMAND...: prints the same of the recording, but for the time that has passed, and
# for whether programs can open a device, which is known after some seconds, and not recorded
same()
{
	is "$1: as of the log" "$("${@:2}" --file "$file" 2>&1 | ages)" "$("${@:2}" 2>&1 | ages)"
}
ages() { sed -E 's/"openable":[a-z]+/"openable":null/g; s/"(age|state|down)_ns":[0-9"]+/"\1_ns":0/g; s/\b[0-9.]+(ns|us|ms|s|min|m[0-9]{2}s|h[0-9]{2}m|m|h)\b/TIME/g; s/^As of .*/AS OF/; s/ +/ /g'; }

still_add rc0
still_down rc0
for code in 11 12 18 8; do
	echo "process rc0 $code 1 1" >"$gen/run"
done
within 30 rdmaev wait -q rc0 DEVICE_FATAL --since start -t 1

### Once

ok "what is in the log" rdmaev record -t 0 "$file"
is "for its user alone" "$(stat -c %a "$file")" 600
same "log" rdmaev log
same "log -j" rdmaev log -j
same "log of a port" rdmaev log rc0/1 -v --severity error
same "why" rdmaev why
same "why of a device" rdmaev why rc0
same "status" rdmaev status
same "status -j" rdmaev status -j
same "devices -j" rdmaev devices -j
same "stats -v" rdmaev stats -v
same "cqs -j" rdmaev cqs -j
same "observer -j" rdmaev observer -j
same "probe -j" rdmaev probe -jq
like "report: of its host" "$(rdmaev report --file "$file")" "$(uname -n)"
is "since: relative to its end" "$(rdmaev log -j --since -1h --file "$file" | wc -l)" \
	"$(rdmaev log -j --file "$file" | wc -l)"
is "replayed: the same" "$(rdmaev watch -j --pace 1000000 --file "$file")" \
	"$(rdmaev log -j --file "$file")"
like "replayed: not at once" "$(rdmaev watch -j -n 1 --file "$file" -t 0.1)" '"seq":'
like "an unknown device" "$(rdmaev log rc9 --file "$file" 2>&1)" "rc9: no such device"
like "no module is asked" "$(rdmaev cqs --netlink --file "$file" 2>&1)" "exclude each other"
is "the library" "$(rdmaev log -j --node "$file")" "$(rdmaev log -j --file "$file")"
like "follow" "$(rdmaev log -f --file "$file" 2>&1)" "exclude each other"
like "no such file" "$(rdmaev log --file "$tmp/none" 2>&1)" "none does not exist; rdmaev record"
echo text >"$tmp/text"
is "a check: unknown" "$(rdmaev status --format nagios --file "$tmp/none" >/dev/null 2>&1; echo $?)" 3
like "a pace of the log" "$(rdmaev watch --pace 2 2>&1)" "needs a recording"
like "not a recording" "$(rdmaev log --file "$tmp/text" 2>&1)" "text: not a recording"
like "not overwritten" "$(rdmaev record -t 0 "$tmp/text" 2>&1)" "exists, and is no recording"
is "... indeed" "$(<"$tmp/text")" text
like "a node" "$(rdmaev log --file "$node" 2>&1)" "is a node, not a recording"

### Cut

size=$(stat -c %s "$file")
head -c $((size - 5)) "$file" >"$tmp/cut"
like "cut in its end: a message" "$(rdmaev log -j --file "$tmp/cut" 2>&1 >/dev/null)" \
	"is cut or damaged: the last [0-9]+ bytes"
is "... and all records" "$(seqs "$tmp/cut")" "$(seqs "$file")"
head -c 700 "$file" >"$tmp/cut"
is "cut before the records" "$(rdmaev log -qj --file "$tmp/cut"; echo $?)" 0
like "no list" "$(rdmaev devices -q --file "$tmp/cut" 2>&1)" "the recording does not have them"
like "... nor what was observed" "$(rdmaev observer -q --file "$tmp/cut" 2>&1)" "the recording does not have them"
head -c 100 "$file" >"$tmp/cut"
like "cut in its header" "$(rdmaev log --file "$tmp/cut" 2>&1)" "cut in its header"

### It goes on

recorder "$file"
is "a second recorder is refused" \
	"$(rdmaev record -t 0 "$file" 2>&1)" \
	"rdmaev: $file: another rdmaev record writes to it; end that, or name another file"
is "no record twice" "$(seqs "$file")" ""
echo "process rc0 8 1 1" >"$gen/run"
ok "a new record is in the file" within 30 has "$file" '.event == "DEVICE_FATAL"'
like "it is being recorded" "$(rdmaev log --file "$file" 2>&1 >/dev/null)" "still being recorded"
end_recorder KILL
like "killed" "$(rdmaev status --file "$file" 2>&1)" "until the recorder was killed"
ok "... the record is there" has "$file" '.event == "DEVICE_FATAL"'
ok "a recorder after it" rdmaev record -t 0 "$file"
is "all files together: the log" \
	"$(for f in "$file".2 "$file".1 "$file"; do rdmaev log -qj --file "$f"; done)" \
	"$(rdmaev log -qj)"

### Files of a size

rm -f "$file"*
recorder --size 4K --keep 2 "$file"
for code in {101..160}; do
	[ ! -e "$file.2" ] || break
	echo "process rc0 $code 1 1" >"$gen/run"
	within 30 any_has ".code == $code" || echo "# EVENT_$code is in no file"
done
end_recorder
is "ended by a signal" "$?" 0
is "older files" "$(cd "$tmp" && echo rec*[0-9])" "rec.1 rec.2"
ok "the newest record" rdmaev log -qj --file "$file".1
is "each ends" "$(rdmaev log --file "$file".2 2>&1 >/dev/null)" ""

rm -f "$file"*
recorder --age 100ms --keep 1 "$file"
ok "a file of an age" within 30 test -e "$file.1"
end_recorder
ok "... it goes on where that ends" [ "$(any_has '.kind == "lost"'; echo $?)" = 1 ]

### Losses: a recorder that is stopped for too long

rm -f "$file"*
still_del rc0
if is_built_in; then
	skip "losses" "rdmaev is built in"
	plan
	exit
fi
rmmod rdmaev
load records=64
recorder "$file"
still_add rc0
within 30 has "$file" '.event == "DEVICE_ADD"' || echo "# nothing is recorded"
kill -STOP "$recorder"
for code in {100..239}; do
	echo "process rc0 $code 1 1" >"$gen/run"
done
kill -CONT "$recorder"
newest=$(rdmaev log -qj -n 1 | jq .seq)
ok "it goes on" within 30 has "$file" ".seq == $newest"
end_recorder
ok "a loss is in the file" has "$file" '.kind == "lost"'
is "... all seqs are there or lost" "$(rdmaev log -qj --file "$file" |
	jq -s 'map(if .kind == "lost" then .lost.count else 1 end) | add')" "$newest"
like "... a message at the end" "$(<"$tmp/rec.err")" "records were lost while recording; .*rec has where"

### A full disk

mkdir "$tmp/disk"
mount -t tmpfs -o size=4096 disk "$tmp/disk"
echo x >"$tmp/disk/filler"
like "a full disk: an error that names the remedy" "$(rdmaev record -t 0 "$tmp/disk/rec" 2>&1; echo $?)" \
	"^rdmaev: $tmp/disk/rec: cannot create it: No space left on device; free some space, or limit it by --size and --keep$"
ok "... no file is left" not test -e "$tmp/disk/rec"
rm "$tmp/disk/filler"

# It becomes full while something is recorded: what does not fit waits in the log.
mount -t tmpfs -o remount,size=1M disk "$tmp/disk"
file=$tmp/disk/rec
recorder --since now "$file"
newest() { rdmaev log -qj -n 1 | jq .seq; }
is_recorded() { any_has ".seq == $(newest)" 2>/dev/null; }
fill() { dd if=/dev/zero bs=4k >"$tmp/disk/filler" 2>/dev/null; }
events() { for ((i = 0; i < $1; i++)); do echo "process rc0 $((100 + i % 100)) 1 1" >"$gen/run"; done; }
events 1
within 30 is_recorded || echo "# nothing is recorded"
# said NUMBER TEXT
said() { [ "$(grep -c "$2" "$tmp/rec.err")" -ge "$1" ]; }
fill
events 40
ok "it becomes full: said" within 30 said 1 "$file: cannot write: No space left on device; waiting for room"
ok "... the recorder goes on" kill -0 "$recorder"
ok "... what is there can be read" rdmaev log -qj --file "$file"
rm "$tmp/disk/filler"
ok "there is room again: all is there" within 30 is_recorded
ok "... said" within 30 said 1 "there is room again"
fill
events 140
within 30 said 2 "waiting for room"
rm "$tmp/disk/filler"
ok "more than the log can hold: it goes on, too" within 30 is_recorded
end_recorder
is "... ends well" $? 0
ok "... the loss is in the file" has "$file" '.kind == "lost" and .lost.first > 1'
is "... all seqs are there or lost" "$(rdmaev log -qj --file "$file" |
	jq -s '.[0].seq - 1 + (map(if .kind == "lost" then .lost.count else 1 end) | add)')" "$(newest)"

# A new file is due while the disk is full.
rm -f "$file"
recorder --size 16K --keep 1 "$file"
within 30 is_recorded
fill
events 140
within 30 said 1 "waiting for room"
rm "$tmp/disk/filler"
ok "a new file when there is room" within 30 is_recorded
ok "... and the older one" test -e "$file.1"
end_recorder
rm -f "$file"*
recorder "$file"
within 30 is_recorded
fill
events 40
within 30 said 1 "waiting for room"
waits=$recorder
file=$tmp/rec

### The module is wanted back

rm -f "$file"*
recorder "$file"
rdmaev release -q
wait "$recorder"
is "released: status 3" "$?" 3
is "... the file has its end" "$(rdmaev log -j --file "$file" 2>&1 >/dev/null | grep -v overwritten)" ""
wait "$waits"
is "... also one that waits for room" "$?" 3
umount "$tmp/disk"
still_del rc0
plan
