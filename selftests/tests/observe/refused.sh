# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# For tests of the observer where the kernel refuses what it asks for

# shellcheck disable=SC2034
observe=$top/kmod/rdmaev_observe.ko
# shellcheck disable=SC2034
refuse=$top/selftests/modules/rdmaev_refuse.ko
hooks=/sys/kernel/debug/rdmaev_observe/hooks
calls=/sys/module/rdmaev_refuse/parameters/calls

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
