#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Records about the observer: loaded, unloaded, and blind while tracing is off.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
needs_module "so is the observer, or it is not there"

observe=$top/kmod/rdmaev_observe.ko
tracing=/sys/kernel/tracing
sysctl=/proc/sys/kernel/ftrace_enabled
kprobes=/sys/kernel/debug/kprobes
sim=/sys/kernel/debug/rdmaev_sim

put() { printf '%s\n' "$2" >"$1"; }
records() { rdmaev log -j --since "$from" "$@" | jq -c 'select(.kind == "observer")'; }
# seen: events since mark, and the first fact of each
seen() { records "$@" | jq -r '"\(.event) \(.observer.facts[0])"'; }
traced="user events" probed="QP states"
# has EVENT FACT
has() { seen | grep -qx "OBSERVER_$1 $2"; }
# causes: of each record of SEEING, the event that it names, and its first fact
causes()
{
	records | jq -rs '. as $all | .[] | select(.event == "OBSERVER_SEEING") | .cause as $cause |
		$all[] | select(.seq == $cause) | "\(.event) \(.observer.facts[0])"'
}

mount -t tracefs tracefs $tracing 2>/dev/null

rxe_add live0
mark
insmod "$observe"
is "loaded" "$(records | jq -c '[.event, .severity, .ring, .source, .device, .generation, .object, .observer]')" \
	"[\"OBSERVER_STARTED\",\"info\",\"port\",\"observer\",null,0,null,{$(
	)\"facts\":[\"user events\",\"kernel events\",\"QP states\",\"QP ends\",\"user CQs\",\"kernel CQs\",\"connections\",\"connection owners\"],\"time_ns\":\"0\",\"uid\":null}]"
ok "the observer's own functions can be traced" \
	test "$(grep -c 'rdmaev_canary_.*\[rdmaev_observe\]' $tracing/available_filter_functions)" = 2
rmmod rdmaev_observe
is "unloaded" "$(records | jq -c '[.event, .severity, .ring, .observer.facts[0]]' | tail -n +2)" \
	'["OBSERVER_STOPPED","info","port","user events"]'
like "for people" "$(rdmaev log -v --since "$from" | tail -n 1)" \
	' - +OBSERVER_STOPPED +user events, .*QP states, QP ends, user CQs, kernel CQs, connections, connection owners: observed for .*s  #'
is "by netlink the same" "$(rdmaev --netlink log -j --since "$from")" "$(rdmaev log -j --since "$from")"

# Whoever reads them
is "a filter of one device passes them" "$(seen live0 | wc -l)" 2
is "... of one kind" "$(rdmaev log -v -e OBSERVER_STOPPED,DEVICE_ADD --since "$from" | awk '{ print $4 }')" \
	OBSERVER_STOPPED
within 20 rdma system set netns exclusive
is "in another network namespace, not an administrator" \
	"$(unshare -n setpriv --reuid 1234 --regid 1234 --clear-groups "$top/ulib/rdmaev" log -j |
	jq -r '.event')" "OBSERVER_STARTED
OBSERVER_STOPPED"
rdma system set netns shared

mark
insmod "$observe" user=0
is "user=0" "$(records | jq -c '.observer.facts[0]')" '"kernel events"'
rmmod rdmaev_observe
mark
insmod "$observe" states=0
is "states=0" "$(records | jq -c '.observer.facts')" \
	'["user events","kernel events","user CQs","kernel CQs","connections","connection owners"]'
rmmod rdmaev_observe

# Tracing is switched off and on again
insmod "$observe"
mark
ftrace_off="ftrace_enabled=0: blind"
if put $sysctl 0 2>/dev/null; then
	ok "$ftrace_off" within 10 has BLIND "$traced"
	wanted=1
	if grep -q 'rdmaev_canary_kprobe.*\[FTRACE\]' $kprobes/list; then
		ok "... so are kprobes that need it" within 10 has BLIND "$probed"
		wanted=2
	else
		skip "... so are kprobes that need it" "here they need no ftrace"
	fi
	is "an error, which no flood evicts" \
		"$(records | jq -c 'select(.event == "OBSERVER_BLIND") | [.severity, .ring]' | sort -u)" \
		'["error","port"]'
	is "the time without calls" \
		"$(records | jq 'select(.event == "OBSERVER_BLIND") | .observer.time_ns | tonumber > 0' | sort -u)" true
	ok "the observer stays loaded" not rmmod rdmaev_observe
	# What is not traced is no news, also if a device comes.
	put $sim/create "blind0 1 ib verbs"
	sleep 5
	put $sysctl 1
	ok "=1: seeing" within 10 has SEEING "$traced"
	[ $wanted = 1 ] || ok "... by kprobes, too" within 10 has SEEING "$probed"
	sleep 5
	is "each names the record before it" "$(causes | sort)" "$(seen | grep BLIND | sort)"
	is "once each" "$(seen | grep -c BLIND)" $wanted
	put $sim/destroy blind0
else
	skip "$ftrace_off" "this kernel refuses to switch ftrace off"
fi

if [ -e $kprobes/enabled ]; then
	mark
	put $kprobes/enabled 0
	ok "kprobes/enabled=0: blind" within 10 has BLIND "$probed"
	put $kprobes/enabled 1
	ok "=1: seeing" within 10 has SEEING "$probed"
	is "kprobes alone" "$(seen; causes)" "OBSERVER_BLIND $probed
OBSERVER_SEEING $probed
OBSERVER_BLIND $probed"
else
	skip "kprobes/enabled" "this kernel has none"
fi

# checked: three checks later, as the tracer shows them
calls() { [ "$(grep -c "$1" $tracing/trace)" -ge 4 ]; }
put $tracing/set_ftrace_filter 'rdmaev_canary_*'
for tracer in function function_graph; do
	if ! grep -qw $tracer $tracing/available_tracers; then
		skip "beside the tracer $tracer" "this kernel has none"
		continue
	fi
	mark
	put $tracing/current_tracer $tracer
	ok "beside the tracer $tracer" within 20 calls rdmaev_canary_kprobe
	put $tracing/current_tracer nop
	is "... not blind" "$(seen)" ""
done
if [ -e $tracing/kprobe_events ]; then
	mark
	: >$tracing/trace
	put $tracing/kprobe_events "p:mine rdmaev_canary_ftrace"
	echo "r:its_return rdmaev_canary_kprobe" >>$tracing/kprobe_events
	put $tracing/events/kprobes/enable 1
	ok "beside kprobe events" within 20 calls its_return:
	put $tracing/events/kprobes/enable 0
	: >$tracing/kprobe_events
	is "... not blind" "$(seen)" ""
else
	skip "beside kprobe events" "this kernel has none"
fi
put $tracing/set_ftrace_filter ''
rmmod rdmaev_observe

rxe_del live0
plan
