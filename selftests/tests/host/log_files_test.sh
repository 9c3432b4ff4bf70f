#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev log on several recordings: one order of time, each line with its host; records of one
# host in their own order, those of two files once; a folder, standard input.
. "$(dirname "$0")/../tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export TZ=UTC

# recording FILE HOST INSTANCE BOOTED FIRST TIME...: a PORT_ERR of rxe0/1 at each of these
# seconds since the epoch, or -TIME: a loss instead, the first one with number FIRST; ends a
# second after the last
recording()
{
	python3 - "$@" <<-'END'
	import struct
	import sys
	import zlib

	name, host, instance, booted, first, *times = sys.argv[1:]
	ns = lambda second: int(float(second) * 10**9)
	booted = ns(booted)


	def frame(kind, rest):
	    head = struct.pack("=4I", kind, len(rest), 0, 0)
	    return struct.pack("=4I", kind, len(rest), zlib.crc32(head + rest), 0) + rest


	def record(number, at):
	    if at < 0:
	        return struct.pack("=4Q3I2H4B3I64s3Q104x", number, -at - booted, -at, 0, 0, 0, 0xffffffff,
	                           6, 0, 0, 2, 0, 255, 0, 1, 0, b"", number, number, 1)
	    return struct.pack("=4Q3I2H4B3I64s128x", number, at - booted, at, 0, 0, 1, 1, 3, 10,
	                       2, 3, 1, 1, 1, 1, 0, b"rxe0")


	end = abs(ns(times[-1])) + 10**9
	at = [ns(t) for t in times]
	records = b"".join(record(int(first) + i, t) for i, t in enumerate(at))
	header = struct.pack("=2I4Q4I40s72s72s", 0x01020304, 1, 0, int(instance), at[0] - booted,
	                     at[0], 1, 4, 8192, 0, b"boot", host.encode(), b"6.1")
	with open(name, "wb") as f:
	    f.write(b"RDMAEV\r\n" + frame(1, header) +
	            frame(2, struct.pack("=2I", 256, len(at)) + records) +
	            # Empty lists
	            b"".join(frame(3, struct.pack("=4I3Q", i, 512, 0, 0, 0, 0, 0)) for i in range(9)) +
	            frame(4, struct.pack("=2Q", end - booted, end)))
	END
}
log() { rdmaev log "$@" 2>&1 | sed 's/ \+/ /g'; }
# order [OPTION]...: host, number and second of each
order() { rdmaev log -j "$@" | jq -r '"\(.host)#\(.seq)@\(.time[17:19])"' | xargs; }

# The clock of n17 was set back.
recording "$tmp/n17" n17 17 1000 5 1700000030 1700000010 1700000020
recording "$tmp/n18.rec" node18 18 99999 1 1700000005 1700000015.5 1700000025
both=(--file "$tmp/n17" --file "$tmp/n18.rec")

is "one order of time, and each host's own" "$(order "${both[@]}")" \
	"node18#1@25 node18#2@35 node18#3@45 n17#5@50 n17#6@30 n17#7@40"
is "whichever is named first" "$(order --file "$tmp/n18.rec" --file "$tmp/n17")" "$(order "${both[@]}")"
is "for people, the host is a column" "$(log -v "${both[@]}" | sed -n '1p;4p')" \
	"node18 2023-11-14 22:13:25.000 rxe0/1 PORT_ERR #1
n17 2023-11-14 22:13:50.000 rxe0/1 PORT_ERR #5"
is "... as wide as the longest name" \
	"$(rdmaev log -v "${both[@]}" | grep -c -E '^(node18|n17   ) 2023')" 6
is "the newest lines of all" "$(order -n 2 "${both[@]}")" "n17#6@30 n17#7@40"
is "JSON begins with the host, and is otherwise that of one recording" \
	"$(rdmaev log -j "${both[@]}" | sed -n '4,6s/"host":"n17",//p')" "$(rdmaev log -j --file "$tmp/n17")"
is "one recording has none" "$(rdmaev log -j --file "$tmp/n17" | jq -c 'has("host")' | sort -u)" false

# The latest end is the present of both: 22:13:46 of node18
recording "$tmp/early" early 19 5 1 1700000018 1700000022
is "times are relative to the latest end" \
	"$(order --since -5s --file "$tmp/early" --file "$tmp/n18.rec")" "early#2@42 node18#3@45"
is "... whose boots have nothing to do with it" "$(order --since boot "${both[@]}" | wc -w)" 6
is "times on the clock" "$(order --since '2023-11-14 22:13:35' --until '2023-11-14 22:13:46' "${both[@]}")" \
	"node18#2@35 n17#7@40 node18#3@45"

# What is in two files of one log
recording "$tmp/n18.1" node18 18 99999 2 1700000015.5 1700000025 1700000040
is "a record that two recordings have is printed once" \
	"$(order --file "$tmp/n18.rec" --file "$tmp/n18.1")" "node18#1@25 node18#2@35 node18#3@45 node18#4@00"
recording "$tmp/behind" node18 18 99999 1 1700000005 -1700000015.5 1700000025
is "... but what one has lost and the other has not, is" \
	"$(order --file "$tmp/behind" --file "$tmp/n18.rec" | tr ' ' '\n' | grep -c '#2@35')" 2
recording "$tmp/other" node18 180 50 2 1700000015.5
is "... but not another log of this host" "$(order --file "$tmp/n18.rec" --file "$tmp/other")" \
	"node18#1@25 node18#2@35 node18#2@35 node18#3@45"

held=$top/selftests/held/1.0/log.rdmaev
# Losses are of all devices.
is "a device that one host has" \
	"$(order -e PORT_ERR --file "$held" --file "$tmp/n17" rxe0 | xargs -n 1 | grep -v held | xargs)" \
	"n17#5@50 n17#6@30 n17#7@40"

mkdir "$tmp/dir" "$tmp/dir/within" "$tmp/none"
cp "$tmp/n17" "$tmp/n18.rec" "$tmp/dir"
echo no recording >"$tmp/dir/README"
is "a folder: the recordings in it" "$(order --file "$tmp/dir")" "$(order "${both[@]}")"
is "... if there is one" "$(log --file "$tmp/none")" \
	"rdmaev: $tmp/none: has no recording; rdmaev record $tmp/none/FILE makes one"
cp "$tmp/n17" "$tmp/none"
is "... which is read as one recording" "$(rdmaev log --file "$tmp/none")" "$(rdmaev log --file "$tmp/n17")"
is "standard input" "$(rdmaev log --file - <"$tmp/n17")" "$(rdmaev log --file "$tmp/n17")"
is "... also a pipe" "$(sed '' "$tmp/n17" | rdmaev log --file -)" "$(rdmaev log --file "$tmp/n17")"
is "... beside others" "$(order --file - --file "$tmp/n18.rec" <"$tmp/n17")" "$(order "${both[@]}")"

head -c 700 "$tmp/n18.rec" >"$tmp/cut"
like "a message names the recording" "$(log -n 1 --file "$tmp/cut" --file "$tmp/n17")" \
	"^rdmaev: $tmp/cut: is cut or damaged: the last [0-9]+ bytes are left out"
refuse() { is "$1" "$(log "${@:3}")$?" "rdmaev: ${2}0"; }
refuse "one that does not exist" "$tmp/no does not exist; rdmaev record $tmp/no makes it" --file "$tmp/no" "${both[@]}"
for option in --cursor-file --show-cursor --mono; do
	value=()
	[ $option != --cursor-file ] || value=(x)
	refuse "$option" "$option: is of one log, and these are several recordings" \
		$option "${value[@]}" "${both[@]}"
done
refuse "a number" "#5: is of one log, and these are several recordings; give a time, such as -1h" --since '#5' "${both[@]}"
is "other commands read one" "$(rdmaev status "${both[@]}" 2>&1; echo $?)" \
	"rdmaev: several recordings: only rdmaev log reads them at once
2"
plan
