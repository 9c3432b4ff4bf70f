#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Who sees what, in one table, by the node and by netlink alike: events of ports, of objects
# of ULPs and of programs, what was missed or suppressed of a user, lists, sums, and
# what was lost.
# shellcheck disable=SC2086	# the node as transport is no word at all
. "$(dirname "$0")/../tap.sh"
needs_module "so is the observer, or it is not there"

if ! command -v rping >/dev/null; then
	echo "1..0 # SKIP there is no rping"
	exit 4
fi
insmod "$top/kmod/rdmaev_observe.ko"
. "$(dirname "$0")/../device/access.sh"

# Readers. Root of a user namespace, which has a network namespace as well, is the user; in
# a container without one, root is that of the host.
readers=(root owner other powerless in_root in_owner namespace)
read_by()
{
	case $1 in
	root)      as root "${@:2}" ;;
	owner)     as $member "${@:2}" ;;
	other)     as $other "${@:2}" ;;
	powerless) as powerless "${@:2}" ;;
	in_root)   contained root "${@:2}" ;;
	in_owner)  contained $member "${@:2}" ;;
	namespace) as $member unshare --user --map-root-user --net "${@:2}" ;;
	esac
}

# Who sees it; in what, and how it is found there
# shellcheck disable=SC2016	# variables of jq
table='
  root                 without capabilities
  .   owner            .   in a container:
  .   .   another user .   root user           root of a user namespace
  x   x   x            x   x   x               x  log an event of a port: .event == "SM_CHANGE"
  x   x   x            x   x   x               x  log the observer begins: .event == "OBSERVER_STARTED"
  x   x   x            x   x   x               x  devices a device: .device == "acc0"
  x   x   x            x   x   x               x  stats counters of a port: .event? == "SM_CHANGE"
  x   -   -            -   x   -               -  log a note: .event == "NOTE_WARNING"
  x   -   -            -   x   -               -  log an event of a QP of a ULP: .event == "QP_FATAL"
  x   -   -            -   x   -               -  log an unknown event of it: .event == "EVENT_77"
  x   -   -            -   x   -               -  stats its counter: .event? == "QP_FATAL"
  x   -   -            -   x   -               -  cqs a CQ of a ULP: .owner == "cqtest"
  x   -   -            -   x   -               -  stats the sum of CQs: .cqs?.count > 0
  x   -   -            x   x   -               -  log an event of a QP of root: .event == "PATH_MIG_ERR"
  x   -   -            x   x   -               -  log the end of a QP of root: .event == "QP_DESTROY" and .qp.uid == 0
  x   -   -            x   x   -               -  log a connection of root: .event == "CM_REJECTED" and .cm.uid == 0
  x   -   -            x   x   -               -  cqs a CQ of root: .uid == 0 and .owner == "ibv_rc_pingpong"
  x   x   -            -   x   -               x  log an event of a QP: .event == "QP_ACCESS_ERR"
  x   x   -            -   x   -               x  log the end of a QP: .event == "QP_DESTROY" and .object_id == $member_qp and .qp.before != "RTS"
  x   x   -            -   x   -               x  log a connection: .event == "CM_REJECTED" and .cm.uid != 0
  x   x   -            -   x   -               x  cqs a CQ: .uid != 0 and .owner == "ibv_rc_pingpong"
  x   x   -            -   x   -               x  log calls that were missed: .event == "OBSERVER_MISSED"
  x   x   -            -   x   -               x  log suppressed events: .event == "OBSERVER_SUPPRESSED"
  x   x   -            -   x   -               x  log an event of a program that has become root: .event == "QP_REQ_ERR"
  x   -   -            x   x   -               -  qps QPs of root: .uid == 0 and .owner == "ibv_rc_pingpong" and .states.RTS == 1
  x   x   -            -   x   -               x  qps QPs: .uid != 0 and .owner == "ibv_rc_pingpong" and .states.RTS == 1
  x   -   -            -   x   -               -  qps QPs with rights of another user: .owner == "private"
  x   -   -            -   x   -               -  log an event with rights of another user: .event == "PATH_MIG"
  x   x   -            -   x   -               x  log an event of an SRQ: .event == "SRQ_LIMIT_REACHED" and .comm == "its_srq"
  x   -   -            -   x   -               -  log an event of an SRQ with rights of another user: .event == "SRQ_LIMIT_REACHED" and .comm == "private_srq"
  x   -   -            -   x   -               -  log the end with rights of another user: .event == "QP_DESTROY" and .qp.owner == "private"
  x   -   -            -   x   -               -  log a connection with rights of another user: .event == "CM_REJECTED" and .cm.owner == "private_cm"
  x   -   -            -   x   -               -  cqs a CQ with rights of another user: .owner == "private"
  x   x   -            -   x   -               x  log folded events: .event == "SQ_DRAINED" and .count > 1
  x   -   -            -   x   -               -  log folded events with rights of another user: .event == "PATH_MIG" and .count > 1
'

### Have all of that happen

ip addr add 10.9.2.1/24 dev acc0_d
echo 0 >/sys/module/rdmaev/parameters/burst_ms
echo "hold sim0 create created 1 public" >$ulp/run
happen

# A program of the user with a QP, which then becomes one of root
cp "$(command -v setpriv)" "$tmp/become_root"
chmod u+s "$tmp/become_root"
become $member "$(dirname "$0")/verbs_program.py" acc0 exec \
	"$tmp/become_root" --reuid=0 --regid=0 --clear-groups sleep 1000 >"$tmp/risen" &
risen_pid=$!
programs+=("$risen_pid")
is_root() { grep -q -P '^Uid:\t0\t0\t0' /proc/$1/status && grep -q sleep /proc/$1/comm; }
within 20 is_root $risen_pid
risen_qp=$(sed -n 's/^qp //p' "$tmp/risen")
# A while in which the observer sees nothing does not change that.
has() { [ -n "$(rdmaev log -j --since "$from" -e "$1")" ]; }
if echo 0 2>/dev/null >/proc/sys/kernel/ftrace_enabled; then
	within 20 has OBSERVER_BLIND
	echo 1 >/proc/sys/kernel/ftrace_enabled
	within 20 has OBSERVER_SEEING
fi

# Programs that use a CQ each, and then stand still
listens() { ss -ltn | grep -q ":$1"; }
# pair USER PORT FILE: two that send to each other
pair()
{
	local end
	for end in "" 127.0.0.1; do
		become $1 "$3" -d acc0 -g 0 -p "$2" -e -n 100000000 $end >/dev/null 2>&1 &
		programs+=($!)
		[ -n "$end" ] || within 10 listens "$2"
	done
}
has_two_cqs() { [ "$(rdmaev cqs -j acc0 | jq -s "map(select(.uid == $(id -u "$1"))) | length")" = 2 ]; }
refused() { as "$1" rping -c -a 10.9.2.1 -p 7172 2>&1 | grep -q -i reject; }
for user in $member root; do
	pair $user 18603 ibv_rc_pingpong
	within 20 has_two_cqs $user
	pkill -STOP -f -- "-p 18603"
	within 20 refused $user
done
cp "$(command -v ibv_rc_pingpong)" "$tmp/private"
chmod u+s "$tmp/private"
program $member 18602 "$tmp/private"
setid_pid=$pid
exec {never}< <(exec sleep 1000)
programs+=($!)
for name in its_srq private_srq; do
	cp "$(command -v python3)" "$tmp/$name"
	[ $name = its_srq ] || chmod u+s "$tmp/$name"
	become $member "$tmp/$name" "$(dirname "$0")/verbs_program.py" acc0 limit <&"$never" >/dev/null &
	programs+=($!)
	has_limit() { rdmaev log -j --since "$from" -e SRQ_LIMIT_REACHED | grep -q "\"$name\""; }
	within 60 has_limit
done
put $gen/raise "acc0 qp $qp 6 1"
put $gen/raise "acc0 qp $risen_qp 2 1"
echo 500 >/sys/module/rdmaev/parameters/burst_ms
put $gen/raise "acc0 qp $qp 6 30"
put $gen/raise "acc0 qp $member_qp 5 30"
folded() { [ "$(rdmaev log -j --since "$from" -e "$1" | jq -s 'map(select(.count > 1)) | length')" -ge 1 ]; }
within 20 folded PATH_MIG
within 20 folded SQ_DRAINED
echo 0 >/sys/module/rdmaev/parameters/burst_ms
pair $member 18604 "$tmp/private"
has_private_cq() { rdmaev cqs -j acc0 | grep -q '"private"'; }
within 20 has_private_cq
pkill -STOP -f -- "-p 18604"
cp "$(command -v rping)" "$tmp/private_cm"
chmod u+s "$tmp/private_cm"
refused_private() { as $member "$tmp/private_cm" -c -a 10.9.2.1 -p 7172 2>&1 | grep -q -i reject; }
within 20 refused_private
kill -9 $setid_pid $member_pid $root_pid
wait $setid_pid $member_pid $root_pid 2>/dev/null

# More ids than the user has room for, and more records than he may cause
as $member python3 -c '
import ctypes, os, socket, struct
cm = os.open("/dev/infiniband/rdma_cm", os.O_RDWR)
resp = ctypes.create_string_buffer(8)
for i in range(8192 + 10):
    os.write(cm, struct.pack("=IHHQQHB5x", 0, 24, 4, 1, ctypes.addressof(resp), 0x106, 2))
    addr = struct.pack("=HH4s20x", socket.AF_INET, 0, socket.inet_aton("10.9.2.77"))
    try:
        os.write(cm, struct.pack("=IHHQ", 2, 40, 0, 0) + addr + resp.raw[:4])
    except OSError:
        pass
'
put $gen/raise "acc0 qp $risen_qp 3 300"
within 20 has OBSERVER_MISSED
within 20 has OBSERVER_SUPPRESSED

### The table

# The same record, CQ or process for all, as uids and pids are those of the reader
declare -A names=([node]='' [netlink]=--netlink) key=([log]=seq [cqs]=id [qps]=started_ns)
for t in node netlink; do
	for r in "${readers[@]}"; do
		for what in "log --since start" stats devices cqs qps; do
			read_by $r rdmaev ${names[$t]} $what -j >"$tmp/${what%% *}.$t.$r" 2>/dev/null
		done
	done
	while IFS= read -r line; do
		[[ $line =~ ^\ +([x-].*[x-])\ +([a-z]+)\ (.*):\ (\..*)$ ]] || continue
		read -ra marks <<<"${BASH_REMATCH[1]}"
		what=${BASH_REMATCH[2]} title=${BASH_REMATCH[3]} query=${BASH_REMATCH[4]}
		if [ -n "${key[$what]-}" ]; then
			# shellcheck disable=SC2154	# of access.sh
			query=".${key[$what]} == $(jq -n --argjson member_qp "$member_qp" \
				"first(inputs | select($query)) | .${key[$what]}" "$tmp/$what.$t.root")"
		fi
		sees=$(jq -rn "inputs | select(any(.. | objects; $query)) | input_filename" \
			"${readers[@]/#/$tmp/$what.$t.}" | sed 's/.*\.//' | uniq | xargs)
		wanted=''
		for i in "${!readers[@]}"; do
			[ "${marks[i]}" != x ] || wanted+=" ${readers[i]}"
		done
		is "$t: who sees $title" "$sees" "${wanted# }"
	done <<<"$table"
done

### What was lost

put $gen/raise "acc0 qp $(qp_of "${programs[3]}") 7 9000"
# losses READER EVENT [SEQ]: what it learns of them, who asks for these events
losses() { read_by $1 rdmaev ${names[$t]} log --since "${3-start}" -e "$2" 2>&1; }
for t in node netlink; do
	lost=$(losses root SRQ_ERR)
	like "$t: something was lost" "$lost" '^rdmaev: [0-9]+ older records were overwritten'
	for r in "${readers[@]:1}"; do
		is "$t: the same was lost for $r, whatever it may see" "$(losses $r SRQ_ERR)" "$lost"
	done
	# Where it was, and of which kind, is not told by a search, either.
	seqs=$(sed -nE 's/^rdmaev: ([0-9]+) older.*/\1/p' <<<"$lost")
	for at in $((seqs / 2)) "$seqs"; do
		lost=$(losses root SQ_DRAINED "$at" | grep -o '[0-9]* records lost.*')
		for kind in QP_DESTROY CM_REJECTED; do
			for r in owner other; do
				is "$t: $r, who asks for $kind from $at on, learns the same as root of others" \
					"$(losses $r $kind "$at" | grep -o '[0-9]* records lost.*')" "$lost"
			done
		done
	done
	for r in "${readers[@]}"; do
		is "$t: nothing for $r, who asks for events of ports" "$(losses $r CLIENT_REREGISTER)" ""
	done
done

{
	kill -9 "${programs[@]}"
	wait "${programs[@]}"
} 2>/dev/null
plan
