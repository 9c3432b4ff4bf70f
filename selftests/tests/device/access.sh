# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Sourced by the tests of who sees what: readers of all sorts, and two programs and a
# kernel ULP with objects that have events.
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../watching.sh"

sim=/sys/kernel/debug/rdmaev_sim
ulp=/sys/kernel/debug/rdmaev_ulp
inject=/sys/kernel/debug/rdmaev_inject/raise
modules=$top/selftests/modules
chmod 755 "$tmp"
member=1000 other=2000

put() { printf '%s\n' "$2" >"$1"; }

# become USER COMMAND...: in no group; powerless is root without any capability
become()
{
	local user=$1
	shift
	case $user in
	root)      exec "$@" ;;
	powerless) exec setpriv --clear-groups --inh-caps=-all --bounding-set=-all "$@" ;;
	*)         exec setpriv --reuid="$user" --regid="$user" --clear-groups "$@" ;;
	esac
}

as() { (become "$@"); }

qp_of() { rdma resource show qp | sed -nE "s/.* lqpn ([0-9]+) .* pid $1 .*/\1/p"; }
has_qp() { [ -n "$(qp_of "$1")" ]; }

# program USER PORT: one with a QP of its own on acc0, that waits; sets pid and qp
program()
{
	become "$1" ibv_rc_pingpong -d acc0 -g 0 -p "$2" >"$tmp/program.$1" 2>&1 &
	pid=$!
	within 10 has_qp $pid
	qp=$(qp_of $pid)
}

# kernel_qp: number of the first QP that rdmaev_ulp has on sim0
kernel_qp() { awk '$1 == "sim0" && $2 == "qp" { print $3; exit }' $ulp/objects; }

# Each sort of event once: of a port, of a kernel ULP, of the programs
happen()
{
	mark
	put $sim/sim0/event "13 1"
	put $sim/sim0/raise "qp $(kernel_qp) 1 process 1"
	put $inject "acc0 qp $member_qp 3 1"
	put $inject "acc0 qp $root_qp 7 1"
}

# told TRANSPORT COMMAND...: names of events that a reader gets, run by COMMAND
told()
{
	local t=$1
	shift
	"$@" rdmaev $t log -j --since "$from" 2>/dev/null |
		jq -rs '[.[] | select(.kind == "async") | .event] | join(" ")'
}

devices() { local t=$1; shift; "$@" rdmaev $t devices -j 2>/dev/null | jq -r .device | sort | xargs; }

# counted TRANSPORT COMMAND...: does it have counters of the ULP's QPs
counted()
{
	local t=$1
	shift
	"$@" rdmaev $t stats -j sim0 2>/dev/null |
		jq -rs '[.. | objects | select(.event? == "QP_FATAL")] | length'
}

chmod 666 /dev/infiniband/uverbs* 2>/dev/null || :
insmod "$modules/rdmaev_ulp.ko"
insmod "$modules/rdmaev_inject.ko"
put $sim/create "sim0 2 ib"
put $ulp/source test
put $ulp/create "sim0 1"
rxe_add acc0
chmod 666 /dev/infiniband/uverbs*
program $member 18600
member_qp=$qp member_pid=$pid
program root 18601
root_qp=$qp
ok "two programs with QPs" test "$member_qp" -gt 1 -a "$root_qp" -gt 1 -a "$member_qp" != "$root_qp"

all="SM_CHANGE QP_FATAL QP_ACCESS_ERR PATH_MIG_ERR"

# In a pid namespace of its own, and none of users
contained() { (exec unshare --pid --fork --kill-child bash -c "$(declare -f become); become \"\$@\"" - "$@"); }
