#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What is observed and what is not, why, and the remedy; and the hooks in debugfs.
# shellcheck disable=SC2016	# $fact is jq's
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
needs_module "so is the observer, or it is not there"

observe=$top/kmod/rdmaev_observe.ko
sysctl=/proc/sys/kernel/ftrace_enabled
kprobes=/sys/kernel/debug/kprobes
hooks=/sys/kernel/debug/rdmaev_observe/hooks

put() { printf '%s\n' "$2" >"$1"; }
# look: get what is observed, and the hooks; what follows is about these
look()
{
	rdmaev observer -j >"$tmp/list"
	sed 1d $hooks >"$tmp/hooks"
}
list() { jq -r "$@" <"$tmp/list"; }
facts() { list '"\(.fact): \(.state)"'; }
# fact NAME: its reason and the remedy
fact() { list --arg fact "$1" 'select(.fact == $fact) | "\(.why), \(.remedy)"'; }
# shows FACT STATE: soon
shows() { look && [ "$(list --arg fact "$1" 'select(.fact == $fact) | .state')" = "$2" ]; }
has_symbol() { grep -qw "$1" /proc/kallsyms; }

# unload MODULE: after those that use it
unload()
{
	local user
	for user in /sys/module/"$1"/holders/*; do
		[ ! -e "$user" ] || unload "${user##*/}" || return
	done
	rmmod "$1"
}

### Not loaded

rdmaev observer >"$tmp/out" 2>&1
is "not loaded: it says so, and the remedy" "$? $(<"$tmp/out")" \
	"0 rdmaev: the observer is not loaded; modprobe rdmaev_observe"
is "... -q: nothing" "$(rdmaev observer -q 2>&1; echo $?)" 0
is "... JSON: no object" "$(rdmaev observer -j -q; echo $?)" 0
is "... no hooks" "$(cat $hooks 2>&1 | grep -c 'No such file')" 1
is "... by netlink" "$(rdmaev --netlink observer 2>&1; echo $?)" \
	"rdmaev: the observer is not loaded; modprobe rdmaev_observe
0"

### Loaded

rxe_add hooks0
modprobe rdma_ucm
insmod "$observe" polls=1
all_observed="user events: observed
kernel events: observed
QP states: observed
QP ends: observed
user CQs: observed
kernel CQs: observed
connections: observed
connection owners: observed
polled CQs: observed"
look
is "each fact is listed" "$(facts)" "$all_observed"
is "... by netlink the same" "$(rdmaev --netlink observer -j)" "$(<"$tmp/list")"
rdmaev observer >"$tmp/table"
is "... for people, too" "$(sed -nE '2,$s/ {2,}/: /gp' "$tmp/table" | cut -d: -f1,2)" \
	"$all_observed"
facts >"$tmp/table.facts"
# facts_of: the number of each fact and the mechanism of its hooks
facts_of()
{
	local mechanism mask bit
	while read -r _ _ mechanism _ _ _ mask; do
		for ((bit = 0; bit < 12; bit++)); do
			[ $((mask >> bit & 1)) = 0 ] || echo "$bit $mechanism"
		done
	done | sort -u
}
is "the hooks: those of each fact, by bit" "$(facts_of <"$tmp/hooks")" \
	"0 ftrace
1 ftrace
2 kprobe
2 operation
3 operation
4 ftrace
5 tracepoint
6 tracepoint
7 ftrace
8 operation"
like "... one of them" "$(<"$tmp/hooks")" \
	'ib_uverbs_comp_handler +ib_uverbs +ftrace +armed +0 +0 +0x010'
is "... by root alone" "$(stat -c '%a %U' $hooks)" "400 root"
is "facts of the records about it" "$(rdmaev log -j -e OBSERVER_STARTED | tail -n 1 | jq -c '.observer.facts')" \
	"$(list -sc '[.[] | select(.state == "observed") | .fact]')"
is "the keys" "$(list 'keys_unsorted | join(" ")' | sort -u)" "fact state why remedy gaps seq"
is "what is observed needs no remedy" \
	"$(list -c 'select(.state == "observed") | [.why, .remedy, .gaps]' | sort -u)" '[null,null,false]'
awk '$4 == "armed" && $3 ~ /ftrace|kprobe/ { print $1 }' "$tmp/hooks" | while read -r s; do
	has_symbol "$s" || echo "$s"
done >"$tmp/out"
is "armed: functions that this kernel has" "$(<"$tmp/out")" ""
wanted="missing armed"
! has_symbol rdma_restrack_commit_del || wanted="armed armed"
is "the end of a CQ: the functions that the kernel has" \
	"$(awk '/rdma_restrack_.*del/ { print $1, $4 }' "$tmp/hooks")" "rdma_restrack_commit_del ${wanted% *}
rdma_restrack_del ${wanted#* }
rdma_restrack_begin_del ${wanted% *}"
is "seq is the newest record" "$(list .seq | sort -u)" "$(rdmaev log -j | tail -n 1 | jq .seq)"
for how in "" --netlink; do
	# shellcheck disable=SC2086
	is "a user without privileges sees the same $how" \
		"$(setpriv --reuid 1234 --regid 1234 --clear-groups "$top/ulib/rdmaev" $how observer -j)" \
		"$(<"$tmp/list")"
done
fails "no arguments" 2 "hooks0: observer takes no arguments" observer hooks0

# A device of a driver with this name, which its folder has, too
rmmod rdmaev_sim
LC_ALL=C sed 's/rdmaev_sim\x00/mlx5_ib\x00\x00\x00\x00/g' "$top/selftests/modules/rdmaev_sim.ko" >"$tmp/mlx5_ib.ko"
insmod "$tmp/mlx5_ib.ko"
echo "devx0 1" >/sys/kernel/debug/mlx5_ib/create
is "a device with DEVX: a fact that is not observed" \
	"$(rdmaev observer -j | tail -n 1 | jq -c 'del(.seq)')" \
	'{"fact":"DEVX objects","state":"missing","why":"programs on mlx5 (DPDK, DOCA, UCX) make them past ib_core","remedy":null,"gaps":false}'
is "... for people, too" "$(rdmaev observer | tail -n 1 | sed -E 's/ {2,}/: /g')" \
	"DEVX objects: missing: programs on mlx5 (DPDK, DOCA, UCX) make them past ib_core: -"
echo devx0 >/sys/kernel/debug/mlx5_ib/destroy
rmmod mlx5_ib
insmod "$top/selftests/modules/rdmaev_sim.ko"
look
is "... no such device: no such fact" "$(facts)" "$all_observed"

### Blind

if put $sysctl 0 2>/dev/null; then
	ok "ftrace_enabled=0: blind" within 10 shows "user events" blind
	remedy="sysctl kernel.ftrace_enabled=1; echo 1 > /sys/kernel/debug/kprobes/enabled"
	is "... why, and the remedy" "$(fact "user events")" "tracing is switched off, or has failed, $remedy"
	needs_ftrace="user events, kernel events, user CQs, connection owners"
	if grep -q 'rdmaev_canary_kprobe.*\[FTRACE\]' $kprobes/list; then
		ok "... kprobes that need it" within 10 shows "QP states" blind
		needs_ftrace=${needs_ftrace/user CQs/QP states, user CQs}
	else
		skip "... kprobes that need it" "here they need no ftrace"
	fi
	rdmaev status >"$tmp/status"
	is "... status says so, for all of them" "$? $(grep '^observer' "$tmp/status")" \
		"0 observer: $needs_ftrace: tracing is switched off, or has failed; $remedy"
	is "... each fact that needs ftrace" "$(facts | grep -v 'observed\|QP states')" "user events: blind
kernel events: blind
user CQs: blind
connection owners: blind"
	ok "... tracepoints go on" shows "kernel CQs" observed
	sh -c "$(list 'select(.fact == "user events") | .remedy')" >/dev/null 2>&1
	ok "the remedy helps" within 10 shows "user events" observed
	ok "... kprobes, too" within 10 shows "QP states" observed
	is "... all as before" "$(facts)" "$all_observed"
	is "... status has nothing to say" "$(rdmaev status | grep observer)" ""
else
	skip "ftrace_enabled=0: blind" "this kernel refuses to switch ftrace off"
fi
if [ -e $kprobes/enabled ]; then
	put $kprobes/enabled 0
	ok "kprobes/enabled=0: blind" within 10 shows "QP states" blind
	is "... these alone" "$(facts | grep blind)" "QP states: blind"
	sh -c "$(list 'select(.fact == "QP states") | .remedy')" >/dev/null 2>&1
	ok "the remedy helps" within 10 shows "QP states" observed
else
	skip "kprobes/enabled=0: blind" "this kernel has none"
fi

### A module that comes and goes

user_hooks() { awk '$2 == "ib_uverbs" { print $4 }' "$tmp/hooks" | sort -u; }
waiting="user events: waiting
user CQs: waiting"
rxe_del hooks0
if unload ib_uverbs 2>"$tmp/out"; then
	ok "its module goes: waiting" within 10 shows "user events" waiting
	# The hooks of a module are disarmed and armed one after the other
	within 10 shows "user CQs" waiting
	is "... its hooks, too" "$(user_hooks)" waiting
	is "... why" "$(fact "user events")" \
		"module ib_uverbs is not loaded, none needed: observed once it is loaded"
	is "... both facts" "$(facts | grep waiting)" "$waiting"
	rmmod rdmaev_observe
	insmod "$observe" polls=1
	look
	is "loaded without it: waiting" "$(user_hooks)" waiting
	is "... and nothing else" "$(facts | grep waiting)" "$waiting"
	modprobe ib_uverbs
	ok "it comes: observed" within 10 shows "user events" observed
	within 10 shows "user CQs" observed
	is "... its hooks: armed" "$(user_hooks)" armed
	is "... all as before" "$(facts)" "$all_observed"
else
	skip "its module goes: waiting" "ib_uverbs cannot be unloaded: $(head -n 1 "$tmp/out")"
fi
rmmod rdmaev_observe
is "unloaded: no hooks" "$(rdmaev observer -j -q)" ""

### Parameters

# off PARAMETER FACTS
off()
{
	insmod "$observe" polls=1 "$1=0"
	look
	is "$1=0: off" "$(facts | sed -n 's/: off//p' | xargs -d '\n')" "$2"
	is "... why, and the remedy" "$(list 'select(.state == "off") | "\(.why), \(.remedy)"' | sort -u)" \
		"parameter $1 of rdmaev_observe is 0, rmmod rdmaev_observe; modprobe rdmaev_observe $1=1"
	rmmod rdmaev_observe
}
off user "user events user CQs"
off kernel "kernel events kernel CQs"
off states "QP states QP ends"
off connections "connections connection owners"
off polls "polled CQs"

### Loaded and unloaded while it is listed

lister()
{
	local n=0
	until [ -e "$tmp/stop" ]; do
		rdmaev "$@" observer -j -q >"$tmp/list$1" || break
		n=$(wc -l <"$tmp/list$1")
		# all or none
		[ "$n" = 0 ] || [ "$n" = "$wanted" ] || break
		echo >>"$tmp/listed.$n"
	done
	[ -e "$tmp/stop" ] || echo "$n of $wanted facts" >>"$tmp/odd"
}
wanted=$(wc -l <"$tmp/table.facts")
: >"$tmp/odd"
lister &
lister --netlink &
both() { [ -s "$tmp/listed.0" ] && [ -s "$tmp/listed.$wanted" ]; }
for ((i = 0; i < 2; i++)); do
	rm -f "$tmp"/listed.*
	insmod "$observe" polls=1
	within 20 test -s "$tmp/listed.$wanted"
	rmmod rdmaev_observe
	within 20 test -s "$tmp/listed.0"
	both || echo "not listed with and without it" >>"$tmp/odd"
done
: >"$tmp/stop"
wait
is "listed while it is loaded and unloaded: all or none" "$(<"$tmp/odd")" ""
plan
