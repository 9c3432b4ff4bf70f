#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Access to records, the same over the node and netlink: uids and pids as readers have
# them, user and network namespaces, in both sharing modes, while a device moves between
# them. observe_access_test.sh has who sees what.
# shellcheck disable=SC2086	# the node as transport is no word at all
. "$(dirname "$0")/access.sh"

is "everybody may read" "$(stat -c '%a %U:%g' $node)" "444 root:0"
happen

# uid and pid as the reader sees them
owner() { "$@" log -j --since "$from" 2>/dev/null | jq -rs "[.[] | select(.event == \"QP_ACCESS_ERR\") | .async.uid, .pid] | join(\" \")"; }
for t in "" --netlink; do
	n=${t:---node}
	is "$n: owner and user" "$(owner as root rdmaev $t)" "$member $member_pid"
	is "$n: of another pid namespace" "$(owner as root unshare --pid --fork rdmaev $t)" "$member 0"
	is "$n: of another user namespace" \
		"$(owner as $member unshare --user --map-root-user rdmaev $t)" "0 $member_pid"
done

# The same for a request for a QP, and the process that made it
request() { "$@" log -j --since "$from" 2>/dev/null | jq -rs '[.[] | select(.event == "QP_DESTROY") | .qp.uid, .pid, .qp.caller_pid, .qp.owner] | join(" ")'; }
for t in "" --netlink; do
	n=${t:---node}
	for case in "owner, user and caller:$member $member_pid $root_pid:as root rdmaev" \
		"of another pid namespace:$member 0 :as root unshare --pid --fork rdmaev" \
		"of another user namespace:0 $member_pid $root_pid:as $member unshare --user --map-root-user rdmaev"; do
		IFS=: read -r what wanted how <<<"$case"
		if [ -e $gen/qp ]; then
			is "$n: a request for a QP: $what" "$(request $how $t)" "$wanted ibv_rc_pingpong"
		else
			skip "$n: a request for a QP: $what" "this kernel has no kprobes"
		fi
	done
done

# And for a connection
connection() { "$@" log -j --since "$from" 2>/dev/null | jq -rs '[.[] | select(.event == "CM_DISCONNECTED") | .cm.uid, .pid, .cm.owner] | join(" ")'; }
for t in "" --netlink; do
	n=${t:---node}
	for case in "owner and user:$member $member_pid:as root rdmaev" \
		"of another pid namespace:$member 0:as root unshare --pid --fork rdmaev" \
		"of another user namespace:0 $member_pid:as $member unshare --user --map-root-user rdmaev"; do
		IFS=: read -r what wanted how <<<"$case"
		if [ -e $gen/qp ]; then
			is "$n: a connection: $what" "$(connection $how $t)" "$wanted ibv_rc_pingpong"
		else
			skip "$n: a connection: $what" "this kernel has no kprobes"
		fi
	done
done

# A user and network namespace of its own: nobody is an administrator there
inside() { as $member unshare --user --map-root-user --net "$@"; }
for t in "" --netlink; do
	n=${t:---node}
	is "$n: shared, root of its own namespaces: its own, and ports" \
		"$(names_read "$t" inside)" "SM_CHANGE QP_ACCESS_ERR$users"
	is "$n: and all devices" "$(devices "$t" inside)" "acc0 sim0"
	is "$n: and no counters of objects" "$(counted "$t" inside)" 0
done

# No multicast group carries records of a user's own objects: rdmaev queries the
# log
become $member rdmaev --netlink watch -q -j -n 1 -e QP_ACCESS_ERR >"$tmp/own" 2>/dev/null &
watcher=$!
within 20 watches $watcher
put $gen/raise "acc0 qp $member_qp 3 1"
ok "--netlink: a user that waits is told of its own" within 10 test -s "$tmp/own"
kill $watcher 2>/dev/null

# A program with the rights of another user, or group: not for him who has started it
for bit in u+s g+s; do
	cp "$(command -v ibv_rc_pingpong)" "$tmp/private"
	chmod $bit "$tmp/private"
	mark
	program $member 18602 "$tmp/private"
	put $gen/raise "acc0 qp $qp 3 1"
	for t in "" --netlink; do
		n=${t:---node}
		is "$n: $bit: the administrator sees its event" "$(owner as root rdmaev $t)" "$member $pid"
		is "$n: $bit: its user does not" "$(names_read "$t" as $member)" ""
	done
	kill $pid
	wait $pid 2>/dev/null
	rm "$tmp/private"
done

# Exclusive: a device belongs to one namespace
within 10 rdma system set netns exclusive
happen
for t in "" --netlink; do
	n=${t:---node}
	is "$n: exclusive, in another namespace: no device" "$(devices "$t" inside)" ""
	is "$n: and no event" "$(names_read "$t" inside)" ""
	is "$n: in the first all" "$(names_read "$t" as root)" "$all"
done

# sim0 moves to namespaces of the user, while readers in both listen
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
	within 10 grep -q EVENT_77 "$tmp/$f"
done
within 10 grep -q DEVICE_REMOVE "$tmp/here_netlink"
sleep 0.5
kill "${listeners[@]}" 2>/dev/null
wait "${listeners[@]}" 2>/dev/null
seen() { jq -rs '[.[] | select(.device == "sim0" and (.kind == "async" or .kind == "device" or .kind == "note")) | .event] | join(" ")' "$tmp/$1"; }
for t in node netlink; do
	is "$t: who stays sees it go, and nothing more" "$(seen here_$t)" "DEVICE_REMOVE"
	is "$t: who has it now sees it come, and all that happens to it" "$(seen there_$t)" \
		"DEVICE_NETNS SM_CHANGE NOTE_WARNING QP_FATAL EVENT_77"
done
for t in "" --netlink; do
	n=${t:---node}
	is "$n: not there any more" "$(devices "$t" as $other)" "acc0"
	is "$n: there" "$(devices "$t" there)" "sim0"
	is "$n: its events are not for users here" "$(names_read "$t" as $other)" ""
	is "$n: the administrator of the host sees all" "$(names_read "$t" as root)" "$all"
done

# Back again, where the next test expects it
put $ulp/destroy sim0
kill $sleeper
ip netns del mine
within 20 rdma system set netns shared
plan
