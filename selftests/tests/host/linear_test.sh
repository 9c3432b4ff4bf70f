#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Twice as many records take commands that read all of the log twice as many instructions,
# whatever the log is full of. valgrind counts them, so load and speed of the machine make no
# difference.
. "$(dirname "$0")/../tap.sh"
. "$top/selftests/bench/instructions.sh"
if ! command -v valgrind >/dev/null || [ ! -x "$top/build/tests/make_log" ]; then
	echo "1..0 # SKIP valgrind is not installed, or build/tests/make_log not built"
	exit 4
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# More than what can be open or wait behind an open line
n=4096

# linear SORT COMMAND [ARGUMENT]...: a tenth more than twice as much, at most, without what
# one record takes
linear()
{
	local one less more
	one=$(instructions "$1" 1 "${@:2}") && less=$(instructions "$1" $n "${@:2}") &&
		more=$(instructions "$1" $((2 * n)) "${@:2}") || return
	echo "1: $one, $n: $less, $((2 * n)): $more"
	[ $((10 * (more - one))) -le $((21 * (less - one))) ]
}

for sort in joined gids qps ends flap ports devices orphans wc behind cm; do
	ok "log: $sort" linear $sort log
done
for sort in qps cm; do
	ok "why: $sort" linear $sort why
done
ok "log -j" linear wc log -j
ok "status: wc" linear wc status
ok "status: cm" linear cm status
ok "report" linear devices report -o /dev/null
plan
