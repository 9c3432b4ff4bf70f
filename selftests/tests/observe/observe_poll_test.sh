#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# CQs that ULPs poll, with polls=1: those of nvme-rdma, and the operation of a device
# that another module replaces, too. observe_cq_test.c has what is counted.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
. "$(dirname "$0")/nvme.sh"
needs_module "so is the observer, or it is not there"

observe=$top/kmod/rdmaev_observe.ko
sim=/sys/kernel/debug/rdmaev_sim
run=/sys/kernel/debug/rdmaev_ulp/run
prove_locking=/proc/sys/kernel/prove_locking
insmod "$top/selftests/modules/rdmaev_ulp.ko"

# polled: the completions of the CQ of the last command, as this ULP and rdmaev counted them
load() { put $run "load sim0 polled 2 200" && grep -q 'lost=0' $run; }
counted() { rdmaev cqs -j sim0 | jq '[.completions[], .failures[]] | add'; }
posted() { grep -o 'posted=[0-9]*' $run | cut -d= -f2; }
held() { ! rmmod rdmaev_observe 2>/dev/null; }
let_go() { rmmod rdmaev_observe 2>/dev/null; }
users() { [ "$(</sys/module/rdmaev_observe/refcnt)" = "$1" ]; }

### Another module replaces the operation, too

put $sim/create "sim0 1 ib"
insmod "$observe" polls=1
load
is "all completions are counted" "$(counted)" "$(posted)"
dmesg -C
put $sim/sim0/cover 1
load
is "... also if another module counts them first" "$(counted)" "$(posted)"
ok "the observer can not be unloaded then" within 20 users 1
ok "... is not" held
like "... and says why" "$(dmesg)" 'sim0: rdmaev_observe cannot be unloaded: covering_modify_qp .* has replaced its modify_qp; unload that first'
load
is "... goes on" "$(counted)" "$(posted)"
put $sim/sim0/cover 0
ok "the other module has gone: it can" within 20 users 0
ok "... and is" let_go
ok "... the ULP polls as before" load

### The device goes with the operation of another module

insmod "$observe" polls=1
put $sim/sim0/cover 1
load
put $sim/destroy sim0
ok "the device has gone: the observer can be unloaded" within 20 let_go
put $sim/create "sim0 1 ib"
insmod "$observe" polls=1
ok "... and counts on a new one" load
is "... all" "$(counted)" "$(posted)"
put $sim/sim0/cover 1
within 20 rdma system set netns exclusive
ip netns add poll_ns
ip netns attach poll_main $$
mark
rdma dev set sim0 netns poll_ns
ip netns exec poll_ns rdma dev set sim0 netns poll_main
is "it moves to another namespace, and back" \
	"$(rdmaev log -j --since "$from" -e DEVICE_NETNS | jq -r .device | xargs)" "sim0 sim0"
ok "... counts on" load
is "... all, once" "$(counted)" "$(posted)"
put $sim/sim0/cover 0
ip netns del poll_ns
ip netns del poll_main
rdma system set netns shared
within 20 users 0
rmmod rdmaev_observe
put $sim/destroy sim0
rmmod rdmaev_ulp

### A real ULP

name="nvme-rdma with a queue that it polls"
if m=$(lacks_nvme); then
	skip "$name" "this kernel has no $m"
else
	[ ! -e $prove_locking ] || put $prove_locking 0
	insmod "$observe" polls=1
	nvme_options=,nr_poll_queues=1
	begin_nvme poll0
	ok "$name" within 20 is_live
	# A request of the connection goes through each queue.
	like "... its completions are counted, without a notification" \
		"$(rdmaev cqs -j poll0 | jq -c 'select(.owner == "nvme_rdma" and .notifications == 0) | [.kind, ([.completions[]] | add) > 0]')" \
		'^\["observed",true\]$'
	end_nvme
	within 40 rmmod nvme_rdma nvmet_rdma
	rmmod rdmaev_observe
fi
plan
