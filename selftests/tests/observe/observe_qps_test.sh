#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev qps: QPs by owner and state, by the node, by netlink and in a recording; those of
# programs that are older than the observer as well, and after the drivers have reported
# more.
. "$(dirname "$0")/../tap.sh"
needs_module "so is the observer, or it is not there"
needs_pyverbs
tmp=$(mktemp -d)
programs=()
trap '{ kill -9 "${programs[@]}"; wait; rxe_del qps0; rxe_del qps1; rmmod rdmaev_observe; } 2>/dev/null; rm -rf "$tmp"' EXIT

rxe_add qps0
rxe_add qps1
ip addr add 10.9.7.1/24 dev qps0_d
ip addr add 10.9.7.2/24 dev qps1_d

# program FILE DEVICE WHAT...: start one that waits
program()
{
	local file=$1
	shift
	mkfifo "$file.in"
	"$(dirname "$0")/verbs_program.py" "$@" <"$file.in" >"$file" 2>&1 &
	programs+=($!)
	eval "exec {keep}>'$file.in'"
	within 60 grep -qx 'done' "$file"
}
qps() { rdmaev qps -j "$@" | counted; }
sums() { jq -c '[.device, .owner, .pid, .uid, .qps, .states]'; }

is "without the observer none is known, and no error" "$(rdmaev qps 2>"$tmp/said")$?" 0
like "... it says why" "$(cat "$tmp/said")" 'QPs are not observed: modprobe rdmaev_observe'

program "$tmp/old" qps0 many 4
insmod "$top/kmod/rdmaev_observe.ko"
# See observe_existing_test.sh
finds_existing() { [ "$(printf '%s\n' 5.11 "$(uname -r)" | sort -V | head -n 1)" = 5.11 ]; }
older="QPs of a program that is older than the observer: as the driver has reported them"
if finds_existing; then
	has_old() { [ "$(qps qps0 | jq -s 'map(select(.pid)) | length')" = 1 ]; }
	within 20 has_old
	is "$older" "$(qps qps0 | jq -c 'select(.pid)' | sums)" \
		"[\"qps0\",\"verbs_program.p\",${programs[0]},0,5,{\"RTS\":3,\"ERR\":2}]"
else
	skip "$older" "this kernel destroys a QP that others have a reference to"
fi

program "$tmp/many" qps1 many 600
is "those of another one, on another device" "$(qps qps1 | jq -c 'select(.pid)' | sums)" \
	"[\"qps1\",\"verbs_program.p\",${programs[1]},0,601,{\"RTS\":301,\"ERR\":300}]"
is "... each once, with its number" \
	"$(qps -v qps1 | jq 'select(.pid).list[].qp' | sort -n)" "$(sed -n 's/^qp //p' "$tmp/many" | sort -n)"
is "... with its state, type and peer, which is itself" \
	"$(qps -v qps1 | jq -c 'select(.pid) | .list[0] | [.port, .qp_type, .qp_state, .peer_qpn == .qp, .peer_gid]')" \
	"[1,\"RC\",\"RTS\",true,\"$(python3 -c 'import ipaddress; print(ipaddress.ip_address(input()))' </sys/class/infiniband/qps1/ports/1/gids/0)\"]"
cq=$(rdma -j resource show cq dev qps1 pid "${programs[1]}" | jq '.[].cqn // .[].cqn')
is "... and its CQ" "$(qps -v qps1 | jq -c 'select(.pid) | [.list[] | [.send_cq, .recv_cq, .srq]] | unique')" \
	"[[$cq,$cq,null]]"
is "a port is selected, too" "$(qps qps1/1 | jq 'select(.pid).qps')" 601
like "the table has a line for an owner" "$(rdmaev qps qps1)" \
	"^qps1 +verbs_program\\.p\\[${programs[1]}\\] +0 +601 +301 RTS, 300 ERR\$"
is "... with -v, one for each QP" "$(rdmaev qps -v qps1 | grep -c "verbs_program.p\\[${programs[1]}\\]")" 601

is "it is the same by netlink" "$(qps --netlink -v | jq -c 'del(.seq)')" "$(qps -v | jq -c 'del(.seq)')"
rdmaev record -t 0 "$tmp/rec"
is "... and in a recording" "$(qps --file "$tmp/rec" -v | jq -c 'del(.seq)')" "$(qps -v | jq -c 'del(.seq)')"
is "... and in Python" \
	"$(RDMAEV_TOP=$top PYTHONPATH=$top/ulib/python LD_LIBRARY_PATH=$top/ulib python3 -c '
import rdmaev
found = [qp for qp in rdmaev.qps() if qp.pid == '"${programs[1]}"']
print(len(found), sum(qp.qp_state == rdmaev.QpState.ERR for qp in found), found[0].owner)')" \
	"601 300 verbs_program.p"

# A QP that fails by itself: known once somebody asks its driver, here the program.
program "$tmp/fails" qps0 fail
states() { qps -q qps0 | jq -c "select(.pid == ${programs[2]}).states"; }
is "a QP has failed by itself: nobody knows" "$(states)" '{"RTS":1}'
echo >"$tmp/fails.in"
within 60 grep -qx asked "$tmp/fails"
is "... its driver has said so to the program: in ERR" "$(states)" '{"ERR":1}'
kill -9 "${programs[2]}"
gone() { [ -z "$(states)" ]; }
ok "... until the program ends" within 20 gone

kill -9 "${programs[1]}"
gone() { [ -z "$(qps qps1 | jq 'select(.pid)')" ]; }
ok "QPs of a program that has ended are gone" within 20 gone
others() { qps -q qps0 | jq 'select(.pid).qps'; }
! finds_existing || is "... those of the other one are not" "$(others)" 5
rxe_del qps1
is "a device that is gone has none" "$(rdmaev qps -q qps1 2>&1; echo $?)" \
	"rdmaev: qps1: the device was removed (rdmaev log qps1 has what happened)
2"
rmmod rdmaev_observe
is "the recording keeps them" "$(qps --file "$tmp/rec" qps1 | jq 'select(.pid).qps')" 601
is "the list is empty when the observer is gone" "$(rdmaev qps -q; echo $?)" 0
plan
