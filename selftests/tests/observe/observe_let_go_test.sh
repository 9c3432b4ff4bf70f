#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The observer is unloaded while ftrace does not let go of its hooks, or is off: it is not gone
# before all has let go of it, and says why.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
. "$(dirname "$0")/refused.sh"

sysctl=/proc/sys/kernel/ftrace_enabled

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
# Earlier tests may have left modules that use it.
for m in /sys/module/rdma_cm/holders/*; do
	[ "${m##*/}" = rdma_ucm ] || rmmod "${m##*/}"
done
lsmod | grep -E '^rdma_u?cm ' | sed 's/^/# /'
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

end
