#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The observer where the kernel refuses what it asks for: each of its registrations, and the
# opposite; and while ftrace is off. It is not loaded, or says what it does not observe; and
# it is not gone before all has let go of it.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
needs_module "so is the observer, or it is not there"

observe=$top/kmod/rdmaev_observe.ko
refuse=$top/selftests/modules/rdmaev_refuse.ko
calls=/sys/module/rdmaev_refuse/parameters/calls
sysctl=/proc/sys/kernel/ftrace_enabled

hooks=/sys/kernel/debug/rdmaev_observe/hooks

is_loaded() { [ -e "/sys/module/$1" ]; }
is_gone() { ! is_loaded "$1"; }
# is_said: that something is not observed
is_said() { grep -qwE 'failed|blind' $hooks; }
# traffic: QPs, CQs and connections, all of which are observed
traffic()
{
	rping -s -a 10.9.8.1 -p 7171 -C 2 >/dev/null 2>&1 &
	local server=$!
	within 10 rping -c -a 10.9.8.1 -p 7171 -C 2 >/dev/null 2>&1
	wait $server
}

ip link set lo up
ip link add ref_d type dummy
ip link set ref_d up
ip addr add 10.9.8.1/24 dev ref_d
rdma link add ref0 type rxe netdev ref_d
modprobe rdma_ucm

insmod "$observe"
sleep 3
ok "nothing is refused" not is_said
rmmod rdmaev_observe

# refused FUNCTION ERRNO: each of its calls, one after the other; of the many hooks each of
# the first, which see objects end, and every third of those that are alike
refused()
{
	local nth=0 n tries=0 loaded=0 bad=""
	while :; do
		nth=$((nth < 6 ? nth + 1 : nth + 3))
		insmod "$refuse" symbol="$1" error="-$2" nth=$nth || break
		if insmod "$observe" 2>/dev/null; then
			n=$(<$calls)
			rmmod rdmaev_refuse
			if [ "$n" -ge $nth ]; then
				loaded=$((loaded + 1))
				within 10 is_said || bad+=" $nth"
			fi
			rmmod rdmaev_observe || bad+=" $nth:rmmod"
		else
			n=$(<$calls)
			rmmod rdmaev_refuse
			is_loaded rdmaev_observe && bad+=" $nth:loaded"
		fi
		[ "$n" -ge $nth ] || break
		tries=$((tries + 1))
	done
	traffic || bad+=" traffic"
	echo "# $1: $n calls, of $tries it does without $loaded"
	ok "$1 fails: not loaded, or said" test -z "$bad" -a $tries -gt 0
	[ -z "$bad" ] || echo "# $bad"
}
refused register_ftrace_function 12
refused register_kretprobe 22
refused tracepoint_probe_register 12
refused register_module_notifier 12
refused register_tracepoint_module_notifier 12
refused ib_register_client 12

# Nothing is armed: nothing to wait for
insmod "$refuse" symbol=register_ftrace_function error=-19
ok "ftrace has failed: not loaded" not timeout 60 insmod "$observe"
ok "... at once" is_gone rdmaev_observe
rmmod rdmaev_refuse

# leaves NAME: it is being unloaded, and has not gone after a while
leaves()
{
	rmmod rdmaev_observe &
	sleep 3
	ok "$1: it does not go" is_loaded rdmaev_observe
	ok "... and does no harm" traffic
}

# ftrace does not let go: once, and until it does
insmod "$observe"
insmod "$refuse" symbol=unregister_ftrace_function error=-12
leaves "unregister_ftrace_function fails"
ok "... and says why" within 10 sh -c 'dmesg | grep -q "rdmaev_observe: cannot be unloaded: ftrace has failed (-12)"'
rmmod rdmaev_refuse
ok "... until that succeeds" within 10 is_gone rdmaev_observe
wait

insmod "$observe"
insmod "$refuse" symbol=unregister_ftrace_function error=-12
cm_goes() { modprobe -r rdma_ucm rdma_cm; is_gone rdma_cm; }
ok "the module of a hook goes while ftrace does not let go" within 10 cm_goes
ok "... which is said" is_said
rmmod rdmaev_refuse
modprobe rdma_ucm
ok "... and does no harm" traffic
ok "... unloaded" rmmod rdmaev_observe

# off_and_rmmod: rmmod begins before it is known that ftrace is off; then it is refused
off_and_rmmod()
{
	echo 0 >$sysctl
	rmmod rdmaev_observe 2>/dev/null &
	sleep 1
	grep -qs going /sys/module/rdmaev_observe/initstate && return
	echo 1 >$sysctl
	wait
	within 10 not is_said
	return 1
}

if echo 0 2>/dev/null >$sysctl; then
	echo 1 >$sysctl
	insmod "$observe"
	within 10 not is_said
	ok "ftrace is off: rmmod begins" within 60 off_and_rmmod
	sleep 2
	ok "... it does not go" is_loaded rdmaev_observe
	ok "... and does no harm" traffic
	ok "... and says why" within 10 sh -c 'dmesg | grep -q "rdmaev_observe: waiting to be unloaded: ftrace is off"'
	echo 1 >$sysctl
	ok "... until it is on" within 10 is_gone rdmaev_observe
	wait
else
	skip "ftrace is off" "this kernel refuses to switch it off"
fi

rdma link delete ref0
ip link delete ref_d
plan
