#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Access to records of processes in containers: a pid namespace of their own,
# but not a user namespace.
# shellcheck disable=SC2086	# the node as transport is no word at all
. "$(dirname "$0")/access.sh"

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
exec 3<$node
put $gen/raise "acc0 qp $qp 3 1"
pid_ns() { dd bs=256 count=1 status=none <&3 | od -An -tu4 -j148 -N4; }
first=$(pid_ns)
mark
put $gen/raise "acc0 qp $qp 3 1"
is "its pid namespace has a number, always the same" "$((first != 0)) $(pid_ns)" "1 $first"
exec 3<&-
for t in "" --netlink; do
	n=${t:---node}
	is "$n: an event of a container, to its user there" "$(names_read "$t" enter $member)" "QP_ACCESS_ERR"
	is "$n: ... to another user there" "$(names_read "$t" enter $other)" ""
	is "$n: ... to its user in another container" "$(names_read "$t" contained $member)" ""
	is "$n: ... to its user on the host" "$(names_read "$t" as $member)" "QP_ACCESS_ERR"
done

# In records of requests for its QP, pids are those of the reader's namespace,
# too
inner=$(awk '/^NSpid:/ { print $NF }' "/proc/$pid/status")
request() { "$@" log -j --since "$from" 2>/dev/null | jq -rs '[.[] | select(.kind == "qp") | .pid, .qp.caller_pid, .qp.uid] | join(" ")'; }
mark
qp_record 6 0 "$qp" "$pid" "$pid"
qp_record 6 0 "$qp" "$pid" "$root_pid"
for t in "" --netlink; do
	n=${t:---node}
	for case in "to its user there:$inner $inner $member $inner  $member:enter $member" \
		"to the administrator there:$inner $inner $member $inner  $member:enter root" \
		"to its user on the host:$pid $pid $member $pid $root_pid $member:as $member" \
		"to another user there::enter $other" "to its user in another container::contained $member"; do
		IFS=: read -r what wanted how <<<"$case"
		if [ -e $gen/qp ]; then
			is "$n: a request for its QP, $what" "$(request $how rdmaev $t)" "$wanted"
		else
			skip "$n: a request for its QP, $what" "this kernel has no kprobes"
		fi
	done
done
mark
put $gen/raise "acc0 qp $qp 3 1"
kill "$pid"
wait $entered 2>/dev/null
is "also when the process has ended" "$(names_read "" enter $member)" "QP_ACCESS_ERR"

# Namespace numbers are reused: another container with the number of this one
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
is "... is told nothing" "$(names_read "" enter $member)" ""
is "... nor by netlink" "$(names_read --netlink enter $member)" ""
kill -9 "${containers[@]}"
wait "${containers[@]}" 2>/dev/null
plan
