# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Helpers of the tests of the command, above all for commands that watch in the
# background during the test. To be sourced after tap.sh. Output of watcher NAME
# is in $tmp/NAME and $tmp/NAME.err.
# shellcheck shell=bash

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
declare -A pids

# watches PID: it has its signalfd, so it is ready and signals end it properly
watches()
{
	local f
	for f in /proc/"$1"/fdinfo/*; do
		[[ $(<"$f") != *sigmask:* ]] || return 0
	done 2>/dev/null
	return 1
}

# child_watches PID: its only child does so (PID is timeout(1), for example)
child_watches() { watches "$(pgrep -P "$1")"; }

# start NAME ARGUMENT...: with a line for each record
start()
{
	rdmaev watch -v "${@:2}" >"$tmp/$1" 2>"$tmp/$1.err" &
	pids[$1]=$!
	within 30 watches $! || echo "# rdmaev watch ${*:2} does not start"
}

# stop NAME [SIGNAL]: returns its exit status
stop()
{
	kill "-${2-TERM}" "${pids[$1]}"
	wait "${pids[$1]}"
}

# seen NAME PATTERN: wait for it; prints a message if it does not come
seen()
{
	within 30 grep -qE -- "$2" "$tmp/$1" ||
		echo "# nothing like '$2' was seen by $1"
}

# still_add NAME: a simulated device with one port. Nothing of it is on record but what the
# test causes; the addresses of a network device come and go
still_add()
{
	echo "$1 1 ib" >/sys/kernel/debug/rdmaev_sim/create
	rdmaev wait -q "$1" DEVICE_ADD --since start -t 30
}
still_del() { echo "$1" >/sys/kernel/debug/rdmaev_sim/destroy; }
still_down()
{
	echo 1 >/sys/kernel/debug/rdmaev_sim/"$1"/1/state
	echo "queue $1 10 1 1" >$gen/run
	rdmaev wait -q "$1" PORT_STATE --since start -t 30
}

# fails NAME STATUS PATTERN ARGUMENT...: with this status and message
fails()
{
	local got=0 out
	rdmaev "${@:4}" >"$tmp/out" 2>&1 </dev/null || got=$?
	out=$(<"$tmp/out")
	[[ $out =~ ^"rdmaev: "$3$ ]] && out='as wanted'
	is "$1" "$got $out" "$2 as wanted"
}

# Numbers and names of asynchronous events
# shellcheck disable=SC2034
event_names=$(awk '$1 == "async" { print $2, $3 }' "$top/selftests/tests/host/explain.golden")
