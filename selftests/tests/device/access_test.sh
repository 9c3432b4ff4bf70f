#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Who sees what, from the node and by netlink, which is the same: administrators,
# owners, others, namespaces of users, processes and networks, in both sharing modes,
# while a device moves between them.
# shellcheck disable=SC2086	# the node as transport is no word at all
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

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

is "everybody may read" "$(stat -c '%a %U:%g' $node)" "444 root:0"
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
happen
for t in "" --netlink; do
	n=${t:---node}
	is "$n: the administrator sees all" "$(told "$t" as root)" "$all"
	is "$n: a user its own, and ports" "$(told "$t" as $member)" "SM_CHANGE QP_ACCESS_ERR"
	is "$n: another user ports" "$(told "$t" as $other)" "SM_CHANGE"
	is "$n: everybody the devices" "$(devices "$t" as $other)" "acc0 sim0"
	is "$n: the administrator counts all" "$(counted "$t" as root)" 1
	is "$n: a user what is not of objects" "$(counted "$t" as $member)" 0
done

# Containers: a pid namespace of their own, and none of users
contained() { (exec unshare --pid --fork --kill-child bash -c "$(declare -f become); become \"\$@\"" - "$@"); }
for t in "" --netlink; do
	n=${t:---node}
	is "$n: root without a capability: its own, and ports" "$(told "$t" as powerless)" \
		"SM_CHANGE PATH_MIG_ERR"
	is "$n: ... in a container: ports" "$(told "$t" contained powerless)" "SM_CHANGE"
	is "$n: a user in a container: ports" "$(told "$t" contained $member)" "SM_CHANGE"
	is "$n: the administrator in a container: all" "$(told "$t" contained root)" "$all"
done

# uid and pid, as the reader has them
owner() { "$@" log -j --since "$from" 2>/dev/null | jq -rs "[.[] | select(.event == \"QP_ACCESS_ERR\") | .async.uid, .pid] | join(\" \")"; }
for t in "" --netlink; do
	n=${t:---node}
	is "$n: owner and user" "$(owner as root rdmaev $t)" "$member $member_pid"
	is "$n: of another pid namespace" "$(owner as root unshare --pid --fork rdmaev $t)" "$member 0"
	is "$n: of another user namespace" \
		"$(owner as $member unshare --user --map-root-user rdmaev $t)" "0 $member_pid"
done

# A namespace of users and network of its own: nobody is an administrator there
inside() { as $member unshare --user --map-root-user --net "$@"; }
for t in "" --netlink; do
	n=${t:---node}
	is "$n: shared, root of its own namespaces: its own, and ports" \
		"$(told "$t" inside)" "SM_CHANGE QP_ACCESS_ERR"
	is "$n: and all devices" "$(devices "$t" inside)" "acc0 sim0"
	is "$n: and no counters of objects" "$(counted "$t" inside)" 0
done

# A container with a program that has a QP
unshare --pid --fork --kill-child sleep 1000 &
container=$!
has_first() { init=$(pgrep -P $container); }
within 10 has_first
enter() { (exec nsenter --target "$init" --pid bash -c "$(declare -f become); become \"\$@\"" - "$@"); }
enter $member ibv_rc_pingpong -d acc0 -g 0 -p 18602 >"$tmp/program.in" 2>&1 &
entered=$!
has_program() { pid=$(pgrep -x -f "ibv_rc_pingpong -d acc0 -g 0 -p 18602") && has_qp "$pid"; }
within 10 has_program
qp=$(qp_of "$pid")
mark
exec 3<$node
put $inject "acc0 qp $qp 3 1"
is "no reader gets the id of a pid namespace" \
	"$(dd bs=128 count=1 status=none <&3 | od -An -tx1 -j124 -N4)" " 00 00 00 00"
exec 3<&-
for t in "" --netlink; do
	n=${t:---node}
	is "$n: an event of a container, to its user there" "$(told "$t" enter $member)" "QP_ACCESS_ERR"
	is "$n: ... to another user there" "$(told "$t" enter $other)" ""
	is "$n: ... to its user in another container" "$(told "$t" contained $member)" ""
	is "$n: ... to its user on the host" "$(told "$t" as $member)" "QP_ACCESS_ERR"
done
kill "$pid"
wait $entered 2>/dev/null
is "also when the process has ended" "$(told "" enter $member)" "QP_ACCESS_ERR"

# The numbers of namespaces are given again: another container with that of this one
was=$(readlink "/proc/$init/ns/pid")
kill -9 "$init"
wait $container 2>/dev/null
containers=()
for ((i = 0; i < 50; i++)); do
	unshare --pid --fork --kill-child sleep 1000 &
	container=$!
	containers+=($!)
	within 10 has_first
	[ "$(readlink "/proc/$init/ns/pid")" != "$was" ] || break
done
is "another container of the same number" "$(readlink "/proc/$init/ns/pid")" "$was"
is "... is told nothing" "$(told "" enter $member)" ""
is "... nor by netlink" "$(told --netlink enter $member)" ""
kill -9 "${containers[@]}"
wait "${containers[@]}" 2>/dev/null

# No group tells a user of its own: it looks by itself
become $member rdmaev --netlink watch -q -j -n 1 -e QP_ACCESS_ERR >"$tmp/own" 2>/dev/null &
watcher=$!
within 20 watches $watcher
put $inject "acc0 qp $member_qp 3 1"
ok "--netlink: a user that waits is told of its own" within 10 test -s "$tmp/own"
kill $watcher 2>/dev/null

# Exclusive: a device belongs to one namespace
within 10 rdma system set netns exclusive
happen
for t in "" --netlink; do
	n=${t:---node}
	is "$n: exclusive, in another namespace: no device" "$(devices "$t" inside)" ""
	is "$n: and no event" "$(told "$t" inside)" ""
	is "$n: in the first all" "$(told "$t" as root)" "$all"
done

# sim0 moves to namespaces of the user's, while readers in both listen
become $member unshare --user --map-root-user --net sleep 1000 &
sleeper=$!
elsewhere() { [ "$(readlink /proc/$sleeper/ns/net)" != "$(readlink /proc/self/ns/net)" ]; }
within 10 elsewhere
ip netns attach mine $sleeper
enter="nsenter --preserve-credentials --target $sleeper --user --net"
there() { as $member $enter "$@"; }
listen()
{
	local f=$1 t=$2
	shift 2
	become "$@" rdmaev $t watch -q -j >"$tmp/$f" 2>/dev/null &
	listeners+=($!)
	within 20 watches $!
}
listeners=()
put $ulp/destroy sim0
listen here_node "" $other
listen here_netlink --netlink $other
listen there_node "" $member $enter
listen there_netlink --netlink $member $enter
sleep 1
rdma dev set sim0 netns mine
put $ulp/create "sim0 1"
happen
for f in there_node there_netlink; do
	within 10 grep -q QP_FATAL "$tmp/$f"
done
within 10 grep -q DEVICE_REMOVE "$tmp/here_netlink"
sleep 0.5
kill "${listeners[@]}" 2>/dev/null
wait "${listeners[@]}" 2>/dev/null
seen() { jq -rs '[.[] | select(.device == "sim0" and (.kind == "async" or .kind == "device")) | .event] | join(" ")' "$tmp/$1"; }
for t in node netlink; do
	is "$t: who stays sees it go, and nothing more" "$(seen here_$t)" "DEVICE_REMOVE"
	is "$t: who has it now sees it come, and all that happens to it" "$(seen there_$t)" \
		"DEVICE_NETNS SM_CHANGE QP_FATAL"
done
for t in "" --netlink; do
	n=${t:---node}
	is "$n: not there any more" "$(devices "$t" as $other)" "acc0"
	is "$n: there" "$(devices "$t" there)" "sim0"
	is "$n: its events are not for users here" "$(told "$t" as $other)" ""
	is "$n: the administrator of the host sees all" "$(told "$t" as root)" "$all"
done

# Back again, so that the next test finds it
put $ulp/destroy sim0
kill $sleeper
ip netns del mine
within 20 rdma system set netns shared
plan
