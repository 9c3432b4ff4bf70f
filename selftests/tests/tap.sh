# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Helpers of test scripts: TAP, and soft RoCE devices. To be sourced; the script
# prints the plan at its end by plan.
# shellcheck shell=bash

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
PATH=$top/ulib:$PATH
. "$top/selftests/tests/jq.sh"
# shellcheck disable=SC2034
node=/dev/infiniband/rdmaev
# shellcheck disable=SC2034
gen=/sys/kernel/debug/rdmaev_gen
points=0

# ok NAME COMMAND...: a point, passed if the command is
ok()
{
	local name=$1 out
	shift
	points=$((points + 1))
	if out=$("$@" 2>&1); then
		echo "ok $points $name"
	else
		echo "not ok $points $name"
		printf '%s\n' "$out" | sed 's/^/# /'
	fi
}

# is NAME GOT WANTED
is()
{
	points=$((points + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $points $1"
	else
		echo "not ok $points $1"
		printf 'got:    %s\nwanted: %s\n' "$2" "$3" | sed 's/^/# /'
	fi
}

# like NAME TEXT PATTERN: an extended regular expression somewhere in a text
like()
{
	points=$((points + 1))
	if printf '%s\n' "$2" | grep -qE -- "$3"; then
		echo "ok $points $1"
	else
		echo "not ok $points $1"
		printf 'no line matches: %s\nin:\n%s\n' "$3" "$2" | sed 's/^/# /'
	fi
}

# skip NAME REASON
skip()
{
	points=$((points + 1))
	echo "ok $points $1 # SKIP $2"
}

is_built_in() { [ -e /sys/module/rdmaev ] && [ ! -e /sys/module/rdmaev/refcnt ]; }

# needs_module REASON: ends the script if rdmaev is built into the kernel
needs_module()
{
	if is_built_in; then
		echo "1..0 # SKIP rdmaev is built in: $1"
		exit 4
	fi
}

# needs_pyverbs: ends the script if there is none
needs_pyverbs()
{
	python3 -c 'import pyverbs.qp' 2>/dev/null && return
	echo "1..0 # SKIP there is no pyverbs"
	exit 4
}

plan() { echo "1..$points"; }

not() { ! "$@"; }

# within SEC COMMAND...: it succeeds before that time, or three times that, as
# the machine may be busy. Longer on kernels with checkers
within()
{
	local end=$((SECONDS + 3 * $1 * ${RDMAEV_SLOW:-1}))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep "0.${RDMAEV_SLOW:-1}"
	done
}

# mark: later records start at seq $from
from=1
mark()
{
	local last
	last=$(rdmaev log -j --since "$from" 2>/dev/null | tail -n 1)
	[[ ! $last =~ \"seq\":([0-9]+) ]] || from=$((BASH_REMATCH[1] + 1))
}

# Objects of rdmaev -j, with times as numbers instead of strings
counted()
{
	jq -c 'walk(if type == "object" then with_entries(if (.key | test("(^|_)ns$")) and
		(.value | type == "string") then .value |= tonumber else . end) else . end)'
}

# True if SRQs have a number, as in common.h. Needs a device.
srqs_have_numbers() { rdma resource show | grep -qw srq; }

# It is ACTIVE, and the event that says so was delivered: see rdma_settle() in links.h
rxe_add()
{
	ip link add "$1_d" up type dummy &&
		rdma link add "$1" type rxe netdev "$1_d" || return
	[ ! -e $gen ] || echo "dispatch $1 77 1 0" 2>/dev/null >$gen/run || :
}

rxe_del()
{
	rdma link del "$1"
	ip link del "$1_d"
}

# shellcheck disable=SC2120
load()
{
	from=1
	# As in run_tests: the machine may be slow
	insmod "$top/kmod/rdmaev.ko" outage_ms=0 stuck_ms=0 poll_ms=0 "$@"
}
