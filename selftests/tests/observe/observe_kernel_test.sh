#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Events of objects of a ULP that does not report them: the observer hooks the
# handlers of new objects and of those that exist when it is loaded.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
. "$(dirname "$0")/../ulp.sh"
needs_module "so is the observer, or it is not there"

observe=$top/kmod/rdmaev_observe.ko
reaches_qps=
if grep -q ' __ib_qp_event_handler' /proc/kallsyms; then
	reaches_qps=core
elif [ "$(printf '%s\n' 5.11 "$(uname -r)" | sort -V | head -n 1)" = 5.11 ]; then
	reaches_qps=handler
fi

hooks=/sys/kernel/debug/rdmaev_observe/hooks
# hooked MODULE: a handler of the module is hooked
hooked() { awk -v m="$1" '$2 == m && $3 == "ftrace" && $4 == "armed" { n++ } END { exit !n }' $hooks; }
listed() { awk -v m="$1" '$2 == m { print $1 }' $hooks | sort -u | xargs; }
# What is observed is up to two seconds old.
fact() { sleep 2.5; rdmaev observer -j | jq -r 'select(.fact == "kernel events") | .state'; }

# Each event by itself
put /sys/module/rdmaev/parameters/burst_ms 0
insmod "$modules/rdmaev_ulp.ko"
put $ulp/source ""
put $sim/create "sim0 2 ib"
put $ulp/create "sim0 2"
insmod "$observe"

head='map([.event, .object, .object_id, .port, .source, .async.owner, .pid])'
# expect TYPE NUMBER PORT: a record of the observer
expect() { printf '"%s", %s, %s, "observer", "rdmaev_ulp", 0' "$1" "$2" "$3"; }
# raise_all DEV: an event of each object but the WQ
raise_all()
{
	scq=$(object "$1" cq 1) rcq=$(object "$1" cq 2) srq=$(object "$1" srq)
	sqp=$(object "$1" qp 1) qp=$(object "$1" qp 2)
	srqn=null
	! srqs_have_numbers || srqn=$srq
	mark
	raise "$1" "cq $rcq 0"
	raise "$1" "srq $srq 15"
	raise "$1" "qp $sqp 4"
	raise "$1" "qp $qp 7"
	raise "$1" "cq $scq 0"
}
all_records()
{
	jq -nc "[[\"CQ_ERR\", $(expect cq "$rcq" null)], [\"SRQ_LIMIT_REACHED\", $(expect srq "$srqn" null)],
		[\"COMM_EST\", $(expect qp "$sqp" "$1")], [\"PATH_MIG_ERR\", $(expect qp "$qp" "$1")],
		[\"CQ_ERR\", $(expect cq "$scq" null)]]"
}

### Objects from before

ok "handler of objects from before: hooked" within 20 hooked rdmaev_ulp
is "... with its name" "$(listed rdmaev_ulp)" reporting
is "... the fact is observed" "$(fact)" observed
if [ -n "$reaches_qps" ] && srqs_have_numbers; then
	raise_all sim0
	records_are "... each event has a record" "$head" "$(all_records 2)"
else
	mark
	raise sim0 "cq $(object sim0 cq 1)"
	raise sim0 "cq $(object sim0 cq 1) 0"
	records_are "... of CQs; QPs, or SRQs, cannot be reached on this kernel" "$head" \
		"[[\"CQ_ERR\",$(expect cq "$(object sim0 cq 1)" null | sed 's/, /,/g')]]"
fi
is "... and reaches the ULP" "$(calls sim0 cq 1)" "calls=1 last=0"

### New objects

put $sim/create "sim1 1 ib"
put $ulp/create "sim1 1"
raise_all sim1
records_are "of new objects: each event has a record" "$head" "$(all_records 1)"
is "... and reaches the ULP" "$(calls sim1 qp 2)" "calls=1 last=7"

### Nothing twice

put $ulp/source tester
mark
raise sim1 "qp $qp 7"
raise sim1 "cq $scq 0"
raise sim1 "srq $srq 15"
records_are "a ULP that reports: one record for each event, its own" 'map([.event, .source, .async.owner])' \
	'[["PATH_MIG_ERR","ulp","tester"],["CQ_ERR","ulp","tester"],["SRQ_LIMIT_REACHED","ulp","tester"]]'
put $ulp/source ""
mark
raise sim1 "cq $scq 0"
records_are "... no more: the observer's" 'map([.event, .source])' '[["CQ_ERR","observer"]]'

### Modules come and go

insmod "$modules/rdmaev_stubs.ko" dev=sim1
ok "another ULP: hooked, too" within 20 hooked rdmaev_stubs
cq=$(grep -o 'cq=[0-9]*' /sys/kernel/debug/rdmaev_stubs)
mark
raise sim1 "cq ${cq#cq=} 0"
records_are "... its event has a record" 'map([.event, .object_id, .source, .async.owner])' \
	"[[\"CQ_ERR\",${cq#cq=},\"observer\",\"rdmaev_stubs\"]]"
ok "its module goes" rmmod rdmaev_stubs
is "... and is not listed any more" "$(listed rdmaev_stubs)" ""
rmmod rdmaev_ulp
is "the first one, too" "$(listed rdmaev_ulp)" ""
insmod "$modules/rdmaev_ulp.ko"
put $ulp/source ""
put $ulp/create "sim1 1"
ok "... comes again: hooked again" within 20 hooked rdmaev_ulp
raise_all sim1
records_are "... each event has a record" "$head" "$(all_records 1)"

### Objects that come while it is blind

sysctl=/proc/sys/kernel/ftrace_enabled
is_blind() { [ "$(fact)" = blind ]; }
sees() { [ "$(fact)" = observed ]; }
if put $sysctl 0 2>/dev/null; then
	within 10 is_blind
	insmod "$modules/rdmaev_stubs.ko" dev=sim1
	put $sysctl 1
	within 10 sees
	ok "a ULP that came while the observer was blind is hooked" within 20 hooked rdmaev_stubs
	rmmod rdmaev_stubs
else
	skip "a ULP that came while the observer was blind is hooked" "ftrace cannot be switched off on this kernel"
fi

### A QP that is connected by LID

hold() { echo "hold sim0 $*" >$ulp/run; }
hold create created 1
mark
hold error
qp=$(records | jq 'select(.event == "QP_ERR") | .object_id')
records_are "the record has QP and LID of its peer" 'map([.event, .qp.before, .qp.peer_qpn, .qp.peer_lid, .qp.peer_gid])' \
	"[[\"QP_ERR\",\"RTS\",$qp,4711,null]]"
hold destroy

### The observer goes

rmmod rdmaev_observe
mark
raise sim1 "cq $scq 0"
records_are "without the observer no record" length 0
is "... and the ULP gets its event" "$(calls sim1 cq 1)" "calls=2 last=0"
insmod "$observe" kernel=0
is "kernel=0: no handler is hooked" "$(listed rdmaev_ulp) $(fact)" " off"
mark
raise sim1 "cq $scq 0"
records_are "... and no record" length 0
rmmod rdmaev_observe
plan
