#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Records of requests for QPs, from the log to the command: the same over the
# node and netlink, filtered, counted, and as text. The test makes up the
# requests.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

qp_records=$gen/qp
if [ ! -e $qp_records ]; then
	echo "1..0 # SKIP this kernel has no kprobes"
	exit 4
fi

rxe_add qp0
device=$(rdmaev devices -j qp0 | jq -r '"\(.index) \(.generation)"')
# append NUMBER CODE BEFORE RESULT SIGNAL OWNER CALLER [FUNCTION]
append() { echo "$device $*" >$qp_records; }

mark
append 20 6 3 0 0 0 $$ nvmet_rdma_delete_ctrl
append 19 6 3 0 0 0 0 nvme_rdma_stop_queue
append 17 2 1 -22 0 $$ $$
append 17 4 -1 0 0 $$ $$
append 17 32 3 0 9 $$ $$
append 17 32 6 0 0 $$ $$
append 17 15 3 0 0 $$ $$
append 17 99 3 0 0 $$ $$
comm=$(<"/proc/$$/comm")
for t in "" --netlink; do
	n=${t:---node}
	# shellcheck disable=SC2086	# the node as transport is no word at all
	rdmaev $t log -v --since "$from" >"$tmp/text"
	is "$n: in words" "$(cut -c25- "$tmp/text" | sed 's/  #.*//')" \
		"qp0/1           QP_ERR               QP 20 of kernel_ulp, peer QP 77 at fe80::1: RTS -> ERR by ${comm}[$$] in nvmet_rdma_delete_ctrl
qp0/1           QP_ERR               QP 19 of kernel_ulp, peer QP 77 at fe80::1: RTS -> ERR by kworker/0:1 in nvme_rdma_stop_queue
qp0/1           QP_RTR               QP 17 of ${comm}[$$], peer QP 77 at fe80::1: INIT -> RTR failed: Invalid argument (-22)
qp0/1           QP_SQD               QP 17 of ${comm}[$$], peer QP 77 at fe80::1: -> SQD
qp0/1           QP_DESTROY           QP 17 of ${comm}[$$], peer QP 77 at fe80::1: destroyed, process killed by signal 9 (SIGKILL)
qp0/1           QP_DESTROY           QP 17 of ${comm}[$$], peer QP 77 at fe80::1: destroyed, process exited
qp0/1           QP_15                QP 17 of ${comm}[$$], peer QP 77 at fe80::1: RTS -> state 15
qp0/1           QP_99                QP 17 of ${comm}[$$], peer QP 77 at fe80::1: RTS -> state 99"
	# shellcheck disable=SC2086
	rdmaev $t log -j --since "$from" >"$tmp/json${t:+.netlink}"
	# shellcheck disable=SC2086
	is "$n: found by name" "$(rdmaev $t log -v -e qp-destroy,QP_SQD --since "$from" | awk '{ print $4 }' | xargs)" \
		"QP_SQD QP_DESTROY QP_DESTROY"
	# shellcheck disable=SC2086
	is "$n: by severity" "$(rdmaev $t log -v --severity warning --since "$from" | awk '{ print $4 }' | xargs)" \
		"QP_RTR QP_DESTROY"
	# shellcheck disable=SC2086
	is "$n: counted, unknown codes together" "$(rdmaev $t stats -j qp0 | jq -c \
		'[.ports[].counters[] | select(.kind == "qp") | [.event, .code, .count]]')" \
		'[["QP_RTR",2,1],["QP_SQD",4,1],["QP_ERR",6,2],["QP_15",15,1],["QP_DESTROY",32,2],["QP_OTHER",65535,1]]'
done
is "by netlink the same as from the node" "$(<"$tmp/json.netlink")" "$(<"$tmp/json")"
is "an object a line, as short as can be" "$(jq -c . "$tmp/json" | diff - "$tmp/json")" ""
is "the keys, in this order" "$(jq -r '[keys_unsorted[], (.qp | keys_unsorted[])] | join(" ")' "$tmp/json" | sort -u)" \
	"seq instance time boottime_ns kind event code severity device index generation port object object_id count cause$(
	) pid comm qp source ring before result signal owner uid pid_ns cgroup qp_type caller caller_pid caller_comm$(
	) gid_index gid path_mtu peer_qpn peer_lid peer_gid flags"
is "values" "$(jq -c '[.kind, .code, .severity, .object, .object_id, .pid, .comm, .source, .ring,
	(.qp | .before, .result, .signal, .owner, .uid, .pid_ns, .qp_type, .caller, .caller_pid, .caller_comm)]' "$tmp/json" |
	sed -n '2,3p; 5p')" \
	"[\"qp\",6,\"info\",\"qp\",19,0,null,\"observer\",\"info\",\"RTS\",0,null,\"kernel_ulp\",null,null,\"RC\",\"nvme_rdma_stop_queue\",null,\"kworker/0:1\"]
[\"qp\",2,\"warning\",\"qp\",17,$$,\"$comm\",\"observer\",\"info\",\"INIT\",-22,null,\"$comm\",0,0,\"RC\",null,$$,\"$comm\"]
[\"qp\",32,\"warning\",\"qp\",17,$$,\"$comm\",\"observer\",\"info\",\"RTS\",0,9,\"$comm\",0,0,\"RC\",null,$$,\"$comm\"]"

# A reader that waits for one is woken
start live -j -e QP_ERR
append 17 4 3 0 0 $$ $$
append 17 6 3 0 0 $$ $$
seen live '"event":"QP_ERR"'
stop live
is "watch gets what it waits for" "$(jq -r .event "$tmp/live")" QP_ERR
rxe_del qp0
plan
