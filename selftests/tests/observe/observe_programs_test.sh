#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Programs as they come, over soft RoCE: one in Python (pyverbs) whose QP fails, whose CQ
# overflows, whose SRQ runs low, and which ends without destroying anything; and
# ib_send_bw (perftest), killed while it sends.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
needs_module "so is the observer, or it is not there"
for what in "command -v ib_send_bw" "python3 -c 'import pyverbs.qp'"; do
	if ! eval "$what" >/dev/null 2>&1; then
		echo "1..0 # SKIP this fails: $what"
		exit 4
	fi
done

# run WHAT [ARGUMENT]: a program until it has done that; sets pid, qp and seq, where the log ends
mkfifo "$tmp/in"
run()
{
	seq=$(rdmaev log -j | jq -s 'last.seq')
	python3 "$(dirname "$0")/verbs_program.py" prog0 "$@" <"$tmp/in" >"$tmp/out" 2>&1 &
	pid=$!
	exec 5>"$tmp/in"
	within 30 grep -q "^done\|Error" "$tmp/out" || echo "# $1 is not done"
	grep -v '^qp\|^connected\|^done' "$tmp/out" | sed 's/^/# /'
	qp=$(awk '$1 == "qp" { print $2 }' "$tmp/out")
}
# end: the program returns from main()
end()
{
	exec 5>&-
	wait $pid
}
# records: of the program, without times; each of several alike once
records()
{
	rdmaev log -j --since "#$((seq + 1))" | jq -c "select(.pid == $pid and .comm == \"$1\") |
		[.event, .object, .object_id] + [.qp.signal | numbers]" | uniq
}

has_limit() { [[ $(records python3) == *LIMIT* ]]; }

rxe_add prog0
insmod "$top/kmod/rdmaev_observe.ko"

run wait
is "Python: a QP that is connected is not on record" "$(records python3)" ""
end
is "... its end without a signal is" "$(records python3)" "[\"QP_DESTROY\",\"qp\",$qp]"
run wait
kill -SEGV $pid
end 2>/dev/null
is "... and its end by a signal" "$(records python3)" "[\"QP_DESTROY\",\"qp\",$qp,11]"
flags() { rdmaev log -j --since "#$((seq + 1))" -e QP_DESTROY | jq -c '[.qp.signal, .qp.flags]'; }
run wait
kill -KILL $pid
end 2>/dev/null
is "... killed" "$(flags)" '[9,[]]'
group=/sys/fs/cgroup/rdmaev-programs
if grep -qw memory /sys/fs/cgroup/cgroup.controllers 2>/dev/null; then
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir $group
	echo $$ >$group/cgroup.procs
	run wait
	echo $$ >/sys/fs/cgroup/cgroup.procs
	echo 0 >$group/memory.max
	end 2>/dev/null
	is "... killed as its cgroup had no memory left" "$(flags)" '[9,["out_of_memory"]]'
	like "... it says so" "$(rdmaev log --since "#$((seq + 1))" -e QP_DESTROY)" \
		"process killed by signal 9 \\(SIGKILL\\), out of memory"
	rmdir $group
else
	skip "... killed as its cgroup had no memory left" "cgroups of this kernel have no limit of memory"
fi
run error
end
is "... a QP that it moves to Error" "$(records python3)" "[\"QP_ERR\",\"qp\",$qp]
[\"QP_DESTROY\",\"qp\",$qp]"
# By a GID that is not the first one, which rdmaev does not list
ip addr add 10.9.4.1/24 dev prog0_d
index() { grep -l 0000:ffff:0a09:0401 /sys/class/infiniband/prog0/ports/1/gids/* 2>/dev/null; }
within 20 index
index=$(index | head -n 1)
run peer "${index##*/}"
end
seq_of() { rdmaev log -j --since "#$((seq + 1))" | jq "select(.event == \"$1\") | .seq"; }
is "... one whose peer it has moved to Error failed because of that" \
	"$(rdmaev why -j "$(seq_of QP_ERR)" | jq -c '[.event, [.records[] | select(.by == "peer_qp") | [.seq, .event]], .hit]')" \
	"[\"QP_ERR\",[[$(seq_of QP_FAILED),\"QP_FAILED\"]],[\"python3[$pid]\"]]"
run overflow
cq=$(rdma resource show cq -j | jq ".[] | select(.pid == $pid) | .cqn")
end
# The driver may flush before the request has returned, which is when it is recorded.
is "... a CQ that has no room for what is flushed" "$(records python3 | sort -u)" "[\"CQ_ERR\",\"cq\",$cq]
[\"QP_DESTROY\",\"qp\",$qp]
[\"QP_ERR\",\"qp\",$qp]"
is "... and then ends" "$(records python3 | tail -n 1)" "[\"QP_DESTROY\",\"qp\",$qp]"
run limit
within 10 has_limit
# Not on Linux 5.10
srq=$(rdma resource show srq -j 2>/dev/null | jq ".[] | select(.pid == $pid) | .srqn")
end
is "... an SRQ that reaches its limit" "$(records python3)" "[\"SRQ_LIMIT_REACHED\",\"srq\",${srq:-null}]
[\"QP_DESTROY\",\"qp\",$qp]"

# The server waits for a connection by TCP.
send_bw() { ib_send_bw -d prog0 -x 0 -e -F -s 512 -p "$port" "$@" >"$tmp/$!.out" 2>&1 & }
listens() { ss -tln | grep -q ":$port "; }
# counted PID: notifications of its CQs
counted() { rdmaev cqs -j prog0 | jq -s "map(select(.pid == $1) | .notifications) | add"; }
has_some() { [ "$(counted "$1")" -gt 0 ]; }
port=18600
send_bw -n 1000000
server=$!
within 20 listens
send_bw -n 1000000 127.0.0.1
pid=$!
ok "ib_send_bw: notifications are counted" within 60 has_some $pid
ok "... those of the other end, too" within 60 has_some $server
seq=$(rdmaev log -j | jq -s 'last.seq')
kill -TERM $pid
wait $pid 2>/dev/null
is "... it is killed" "$(records ib_send_bw | cut -d, -f1,2,4)" '["QP_DESTROY","qp",15]'
is "... nothing more is counted" "$(counted $pid)" null
pid=$server
kill -KILL $pid
wait $pid 2>/dev/null
is "... and so is the other end" "$(records ib_send_bw | cut -d, -f1,2,4)" '["QP_DESTROY","qp",9]'
is "nothing else is on record" "$(rdmaev log -j --since "#$((seq + 1))" | jq -c "[.kind, .event]" | uniq)" '["qp","QP_DESTROY"]'
rmmod rdmaev_observe
rxe_del prog0
plan
