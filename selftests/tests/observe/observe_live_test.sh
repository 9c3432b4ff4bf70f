#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev_observe: its parameters, beside other tracers, and while modules that it
# observes are loaded and unloaded. Real programs of rdma-core, unmodified.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
needs_module "so is the observer, or it is not there"

tracing=/sys/kernel/tracing
observe=$top/kmod/rdmaev_observe.ko

put() { printf '%s\n' "$2" >"$1"; }
qp_of() { rdma resource show qp | sed -nE "s/.* lqpn ([0-9]+) .* pid $1 .*/\1/p"; }
has_qp() { [ -n "$(qp_of "$1")" ]; }

# program PORT: start one with a QP, which waits; sets pid and qp
program()
{
	ibv_rc_pingpong -d live0 -g 0 -p "$1" >"$tmp/program" 2>&1 &
	pid=$!
	within 10 has_qp $pid
	qp=$(qp_of $pid)
}

# seen KIND: names of the records of that kind since mark
seen() { rdmaev log -j --since "$from" | jq -rs "[.[] | select(.kind == \"$1\") | .event] | join(\" \")"; }

# one: a program has an event of its QP, then is killed; prints its records
one()
{
	mark
	program "$1" || return
	put $gen/raise "live0 qp $qp 7 1"
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	echo "$(seen async), $(seen qp)"
}
both="PATH_MIG_ERR, QP_DESTROY"

rxe_add live0

is "nothing without it" "$(one 18700)" ", "
insmod "$observe"
is "an event of a program, and its end by a signal" "$(one 18701)" "$both"
like "for people" "$(rdmaev log -v --since "$from" | tail -n 1)" \
	'QP_DESTROY +QP [0-9]+ of ibv_rc_pingpong\[[0-9]+\].*SIGKILL'
ok "rdmaev cannot be unloaded before it" not rmmod rdmaev
rmmod rdmaev_observe
is "nothing after it" "$(one 18702)" ", "

insmod "$observe" user=0
is "user=0" "$(one 18703)" ", QP_DESTROY"
rmmod rdmaev_observe
insmod "$observe" states=0
is "states=0" "$(one 18704)" "PATH_MIG_ERR, "
rmmod rdmaev_observe

# Other tracers use the same functions
mount -t tracefs tracefs $tracing 2>/dev/null
insmod "$observe"
put $tracing/set_ftrace_filter "ib_uverbs_qp_event_handler ib_destroy_qp_user _ib_modify_qp"
for tracer in function function_graph; do
	if ! grep -qw $tracer $tracing/available_tracers; then
		skip "beside the tracer $tracer" "this kernel has none"
		continue
	fi
	put $tracing/current_tracer $tracer
	is "beside the tracer $tracer" "$(one 18705)" "$both"
	like "... which sees them, too" "$(cat $tracing/trace)" 'ib_destroy_qp_user'
	put $tracing/current_tracer nop
done
if [ -e $tracing/kprobe_events ]; then
	put $tracing/kprobe_events "p:mine ib_destroy_qp_user"
	echo "r:its_return _ib_modify_qp" >>$tracing/kprobe_events
	put $tracing/events/kprobes/enable 1
	is "beside kprobe events" "$(one 18706)" "$both"
	rmmod rdmaev_observe
	insmod "$observe"
	is "... armed while they are there" "$(one 18707)" "$both"
	like "... which see them, too" "$(cat $tracing/trace)" 'mine:'
	put $tracing/events/kprobes/enable 0
	: >$tracing/kprobe_events
else
	skip "beside kprobe events" "this kernel has none"
fi

# A hooked module is unloaded and loaded again
unload()
{
	local m
	for m in rdma_rxe siw rdmaev_sim rdma_ucm; do
		[ ! -d /sys/module/$m ] || rmmod $m || return
	done
	rmmod ib_uverbs
}
come()
{
	local m
	for m in ib_uverbs rdma_ucm siw rdma_rxe; do
		modprobe $m
	done
	rxe_add live0
}
rxe_del live0
ok "ib_uverbs can be unloaded" within 10 unload
come
is "... and is hooked again" "$(one 18708)" "$both"
rxe_del live0
unload
rmmod rdmaev_observe
insmod "$observe"
come
is "a module that comes later" "$(one 18709)" "$both"
rmmod rdmaev_observe
rxe_del live0
plan
