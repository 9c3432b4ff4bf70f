#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A program in a container, in one with its own user namespace, and in one in that: who is
# shown an event and the end of its QP, and with which pid and uid. Unmodified
# ibv_rc_pingpong over soft RoCE.
# shellcheck disable=SC2086	# the node as transport is no word at all
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
needs_module "so is the observer, or it is not there"

member=1000 other=2000

as() { (exec setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"); }
# contain COMMAND...: begin a container by it; sets init, its first process
contain()
{
	"$@" --pid --fork --kill-child sleep 1000 &
	containers+=($!)
	within 10 has_init $!
}
has_init() { init=$(pgrep -n -x sleep -P "$(pgrep -P "$1" | head -n 1 || echo "$1")" || pgrep -x sleep -P "$1"); }
containers=()

# program PORT COMMAND...: run one by it until it has a QP; sets pid
program()
{
	"${@:2}" ibv_rc_pingpong -d obsc0 -g 0 -p "$1" >/dev/null 2>&1 &
	within 20 has_qp "$1"
}
has_qp()
{
	pid=$(pgrep -x -f "ibv_rc_pingpong -d obsc0 -g 0 -p $1") && rdma resource show qp | grep -q " pid $pid "
}
# pid_in PID: in its own pid namespace
pid_in() { awk '/^NSpid:/ { print $NF }' "/proc/$1/status"; }

# fail: an event of its QP
fail() { echo "obsc0 qp $(rdma resource show qp -j | jq ".[] | select(.pid == $pid) | .lqpn") 3 1" >$gen/raise; }
# kill_by SIGNAL: end it, so that this is on record
kill_by()
{
	kill -s "$1" $pid
	wait $!
	ok "... it is ended: on record" within 20 ended
} 2>/dev/null
ended() { [ -n "$(records QP_DESTROY "$rdmaev")" ]; }
# records EVENT COMMAND...: their pids, uids and signals, as the command shows them
records()
{
	"${@:2}" log -j --since "$from" -e "$1" 2>/dev/null |
		jq -r '[.pid, (.async // .qp).uid, .qp.signal // empty] | join(" ")'
}
# event TITLE PIDS COMMAND...: what is seen by it, by both transports; end likewise
event()
{
	local t
	for t in "" --netlink; do
		is "$1${t:+, by netlink}" "$(records QP_ACCESS_ERR "${@:3}" "$rdmaev" $t)" "$2"
	done
}
end() { is "$1" "$(records QP_DESTROY "${@:3}" "$rdmaev")" "$2"; }

rdmaev=$top/ulib/rdmaev
rxe_add obsc0
chmod 666 /dev/infiniband/*
insmod "$top/kmod/rdmaev_observe.ko"
case $(rdmaev observer -j | jq -r 'select(.fact == "QP states" or .fact == "QP ends") | .state' | sort -u) in
observed) ;;
*)
	rmmod rdmaev_observe
	rxe_del obsc0
	echo "1..0 # SKIP this kernel does not show QP states"
	exit 4 ;;
esac

### A pid namespace alone

contain unshare
in_pid=(nsenter --target "$init" --pid)
user() { (exec "${in_pid[@]}" setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"); }
mark
program 18700 "${in_pid[@]}" setpriv --reuid=$member --regid=$member --clear-groups
inner=$(pid_in $pid)
fail
event "a program in a container: the host is shown its pid" "$pid $member" as 0
event "... its user there, too" "$pid $member" as $member
event "... not another user" "" as $other
event "its user in the container is shown the pid of there" "$inner $member" user $member
event "... not another user of there" "" user $other
kill_by KILL
end "the host is shown its pid" "$pid $member 9" as 0
end "its user in the container is shown no pid" "0 $member 9" user $member

### Its own user namespace, in which the user is root

contain as $member unshare --user --map-root-user
in_user=(nsenter --target "$init" --user --pid)
mark
program 18701 "${in_user[@]}"
inner=$(pid_in $pid)
fail
event "a program in a user namespace: the host is shown the uid of the host" "$pid $member" as 0
event "... its user there, too" "$pid $member" as $member
event "its user in the container is shown that of there" "$inner 0" "${in_user[@]}"
event "... but nothing in the other container" "" user $member
kill_by TERM
end "the host is shown the uid of the host" "$pid $member 15" as 0
end "its user in the container is shown that of there" "0 0 15" "${in_user[@]}"

### A container in that

contain "${in_user[@]}" unshare
in_both=(nsenter --target "$init" --user --pid)
mark
program 18702 "${in_both[@]}"
inner=$(pid_in $pid)
fail
event "a program in a container in a container: the host is shown its pid" "$pid $member" as 0
event "the inner container is shown that of there" "$inner 0" "${in_both[@]}"
event "... the outer one nothing" "" "${in_user[@]}"
kill_by KILL
end "the inner container is shown no pid" "0 0 9" "${in_both[@]}"
end "... the outer one nothing" "" "${in_user[@]}"

kill -9 "${containers[@]}"
wait "${containers[@]}" 2>/dev/null
rmmod rdmaev_observe
rxe_del obsc0
plan
