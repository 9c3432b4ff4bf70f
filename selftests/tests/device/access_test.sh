#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Who sees what, from the node and by netlink: administrators, members of the
# group, others, user and network namespaces, in both sharing modes, while a
# device moves between them.
# shellcheck disable=SC2086	# the node as transport is no word at all
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

sim=/sys/kernel/debug/rdmaev_sim
ulp=/sys/kernel/debug/rdmaev_ulp
inject=/sys/kernel/debug/rdmaev_inject/raise
modules=$top/selftests/modules
chmod 755 "$tmp"
group=990 member=1000 other=2000 stranger=3000

put() { printf '%s\n' "$2" >"$1"; }

# become USER COMMAND...: members are in the group, the stranger is in none
become()
{
	local user=$1 groups=--clear-groups
	shift
	[ "$user" != root ] || exec "$@"
	[ "$user" = $stranger ] || groups=--groups=$group
	exec setpriv --reuid="$user" --regid="$user" "$groups" "$@"
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

node_perm() { stat -c '%a %U:%g' $node; }

is "only root, by itself" "$(node_perm)" "640 root:0"
chgrp $group $node
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
	is "$n: a member its own, and ports" "$(told "$t" as $member)" "SM_CHANGE QP_ACCESS_ERR"
	is "$n: another member ports" "$(told "$t" as $other)" "SM_CHANGE"
	is "$n: all of them the devices" "$(devices "$t" as $other)" "acc0 sim0"
	is "$n: the administrator counts all" "$(counted "$t" as root)" 1
	is "$n: a member what is not of objects" "$(counted "$t" as $member)" 0
done
out=$(as $stranger rdmaev --node $node log 2>&1)
like "a stranger cannot open the node" "$?: $out" "^2: .*may not be opened: join group rdma"
is "by netlink it sees ports" "$(told --netlink as $stranger)" "SM_CHANGE"
is "and devices" "$(devices --netlink as $stranger)" "acc0 sim0"

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

# No group tells a member of its own: it looks by itself
become $member rdmaev --netlink watch -q -j -n 1 -e QP_ACCESS_ERR >"$tmp/own" 2>/dev/null &
watcher=$!
within 20 watches $watcher
put $inject "acc0 qp $member_qp 3 1"
ok "--netlink: a member that waits is told of its own" within 10 test -s "$tmp/own"
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

# sim0 moves to namespaces of member's, while readers in both listen
become $member unshare --user --map-root-user --net sleep 1000 &
sleeper=$!
elsewhere() { [ "$(readlink /proc/$sleeper/ns/net)" != "$(readlink /proc/self/ns/net)" ]; }
within 10 elsewhere
ip netns attach mine $sleeper
# With the groups that it had, which may open the node
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
listen here_netlink --netlink $stranger
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
	is "$n: its events are not for members here" "$(told "$t" as $other)" ""
	is "$n: the administrator of the host sees all" "$(told "$t" as root)" "$all"
done

# Back again, so that the next test finds it
put $ulp/destroy sim0
kill $sleeper
ip netns del mine
within 20 rdma system set netns shared
plan
