#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The observer where the kernel refuses what it asks for: each of its registrations. It is not
# loaded, or says what it does not observe.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
. "$(dirname "$0")/refused.sh"

calls=/sys/module/rdmaev_refuse/parameters/calls

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

end
