# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Commands that watch in the background while the test goes on. To be sourced
# after tap.sh. Output of watcher NAME is in $tmp/NAME and $tmp/NAME.err.
# shellcheck shell=bash

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
declare -A pids

# watches PID: it is open for events, and signals end it as they should
watches()
{
	local f
	for f in /proc/"$1"/fdinfo/*; do
		[[ $(<"$f") != *sigmask:* ]] || return 0
	done 2>/dev/null
	return 1
}

# start NAME ARGUMENT...
start()
{
	rdmaev watch "${@:2}" >"$tmp/$1" 2>"$tmp/$1.err" &
	pids[$1]=$!
	within 30 watches $! || echo "# rdmaev watch ${*:2} does not start"
}

# stop NAME [SIGNAL]: as this command ends, so it is
stop()
{
	kill "-${2-TERM}" "${pids[$1]}"
	wait "${pids[$1]}"
}

# seen NAME PATTERN: it comes; says so if not
seen()
{
	within 30 grep -qE -- "$2" "$tmp/$1" ||
		echo "# nothing like '$2' was seen by $1"
}
