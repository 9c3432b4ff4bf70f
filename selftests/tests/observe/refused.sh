# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# For tests of the observer where the kernel refuses what it asks for

# shellcheck disable=SC2034
observe=$top/kmod/rdmaev_observe.ko
# shellcheck disable=SC2034
refuse=$top/selftests/modules/rdmaev_refuse.ko
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

needs_module "so is the observer, or it is not there"
ip link set lo up
ip link add ref_d type dummy
ip link set ref_d up
ip addr add 10.9.8.1/24 dev ref_d
rdma link add ref0 type rxe netdev ref_d
modprobe rdma_ucm

end()
{
	rdma link delete ref0
	ip link delete ref_d
	plan
}
