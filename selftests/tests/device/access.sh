# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Sourced by the tests of access: readers of every sort, and two programs and a
# ULP with objects that have events.
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../watching.sh"

# The observer has the owners of objects, and nobody else.
if [ ! -e /proc/sys/kernel/ftrace_enabled ]; then
	echo "1..0 # SKIP this kernel has no ftrace"
	exit 4
fi

sim=/sys/kernel/debug/rdmaev_sim
ulp=/sys/kernel/debug/rdmaev_ulp
modules=$top/selftests/modules
chmod 755 "$tmp"
member=1000 other=2000

put() { printf '%s\n' "$2" >"$1"; }

# become USER COMMAND...: without groups; powerless is root without capabilities
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

# program USER PORT [FILE]: start one that has a QP on acc0; sets pid and qp
program()
{
	become "$1" "${3-ibv_rc_pingpong}" -d acc0 -g 0 -p "$2" >"$tmp/program.$1" 2>&1 &
	pid=$!
	within 10 has_qp $pid
	qp=$(qp_of $pid)
}

# kernel_qp: number of the first QP that rdmaev_ulp has on sim0
kernel_qp() { awk '$1 == "sim0" && $2 == "qp" { print $3; exit }' $ulp/objects; }

# qp_record CODE SIGNAL QP OWNER CALLER: of a request for a QP of acc0
qp_record()
{
	[ ! -e $gen/qp ] ||
		put $gen/qp "$(rdmaev devices -j acc0 | jq -r '"\(.index) \(.generation)"') $3 $1 3 0 $2 $4 $5"
}

# cm_record CODE QP OWNER: of a connection of acc0
cm_record()
{
	[ ! -e $gen/qp ] ||
		put $gen/cm "$(rdmaev devices -j acc0 | jq -r '"\(.index) \(.generation)"') $2 $1 0 $3"
}

# Each sort of event once: of a port, a note about it and an event of a kernel
# ULP, of the programs
happen()
{
	mark
	put $gen/run "queue sim0 13 1 1"
	# The core reports it later, from a work item.
	within 20 rdmaev wait -q sim0 SM_CHANGE --since "$from" -t 1
	put $gen/note "sim0 - 1 2 1 slow"
	put $sim/sim0/raise "qp $(kernel_qp) 1 process 1"
	# Of no known event
	put $sim/sim0/raise "qp $(kernel_qp) 77 process 1"
	put $gen/raise "acc0 qp $member_qp 3 1"
	put $gen/raise "acc0 qp $root_qp 7 1"
	qp_record 32 9 "$member_qp" "$member_pid" "$root_pid"
	cm_record 10 "$member_qp" "$member_pid"
	qp_record 6 0 "$root_qp" "$root_pid" "$root_pid"
	cm_record 7 "$root_qp" "$root_pid"
}

# names_read TRANSPORT COMMAND...: names of events that a reader run by COMMAND gets
names_read()
{
	local t=$1
	shift
	"$@" rdmaev $t log -j --since "$from" 2>/dev/null |
		jq -rs '[.[] | select(.kind == "async" or .kind == "qp" or .kind == "cm" or .kind == "note") | .event] | join(" ")'
}

devices() { local t=$1; shift; "$@" rdmaev $t devices -j 2>/dev/null | jq -r .device | sort | xargs; }

# counted TRANSPORT COMMAND...: true if it gets counters of the ULP's QPs
counted()
{
	local t=$1
	shift
	"$@" rdmaev $t stats -j sim0 2>/dev/null |
		jq -rs '[.. | objects | select(.event? == "QP_FATAL")] | length'
}

chmod 666 /dev/infiniband/uverbs* 2>/dev/null || :
insmod "$modules/rdmaev_ulp.ko"
# Without the observer, rdmaev_gen reports the events that it makes.
if [ ! -d /sys/module/rdmaev_observe ]; then
	insmod "$top/kmod/rdmaev_observe.ko" user=0 kernel=0 states=0 connections=0
	put $gen/report 1
fi
put $sim/create "sim0 2 ib"
put $ulp/source test
put $ulp/create "sim0 1"
rxe_add acc0
chmod 666 /dev/infiniband/uverbs*
program $member 18600
member_qp=$qp member_pid=$pid
program root 18601
root_qp=$qp root_pid=$pid
ok "two programs with QPs" test "$member_qp" -gt 1 -a "$root_qp" -gt 1 -a "$member_qp" != "$root_qp"

# Requests for QPs by the user and by root, and their connections
users=' QP_DESTROY CM_DISCONNECTED' roots=' QP_ERR CM_UNREACHABLE'
[ -e $gen/qp ] || users='' roots=''
all="SM_CHANGE NOTE_WARNING QP_FATAL EVENT_77 QP_ACCESS_ERR PATH_MIG_ERR$users$roots"

# In a pid namespace of its own, but not a user namespace
contained() { (exec unshare --pid --fork --kill-child bash -c "$(declare -f become); become \"\$@\"" - "$@"); }
