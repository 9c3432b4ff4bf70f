#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev --netlink: every command prints the same as over the node, and does not
# open the node.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

rxe_add nl0
ip link set nl0_d down
rdmaev wait -q nl0 PORT_PHYS_STATE --since start -t 30
echo "process nl0 15 1 1" >$gen/run
rdmaev wait -q nl0 SRQ_LIMIT_REACHED --since start -t 30

# Values that change with time are left out.
alike() { rdmaev "$@" -j | jq -c 'del(.. | objects | .state_ns?, .down_ns?)'; }
for c in log devices stats; do
	is "$c: the same" "$(alike $c --netlink)" "$(alike $c)"
done
is "... and is something" "$(alike --netlink stats | jq -r .device)" nl0
is "cqs" "$(rdmaev cqs --netlink 2>&1)" "rdmaev: no visible CQs"
is "explain needs neither" "$(rdmaev explain --netlink PORT_ERR)" "$(rdmaev explain PORT_ERR)"
is "wait: status 0, the same line" "$(rdmaev wait nl0/1 PORT_ERR --since start --netlink; echo $?)" \
	"$(rdmaev log -v -e PORT_ERR -n 1)
0"

timeout 60 rdmaev --netlink watch -v nl0 -e PORT_ACTIVE -n 1 >"$tmp/watch" &
pid=$!
# the program started by timeout, which may not exist yet
within 30 child_watches $pid
ip link set nl0_d up
wait $pid
is "watch: status 0, the same line" "$? $(<"$tmp/watch")" "0 $(rdmaev log -v -e PORT_ACTIVE -n 1)"
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups rdmaev --netlink "$@"; }
is "nobody is told of ports, and of no queues" \
	"$(nobody log -j | jq -r 'select(.kind == "async") | .event' | sort -u | xargs)" "PORT_ACTIVE PORT_ERR"
is "without a node: by itself" "$(mv $node $node.away; rdmaev devices | awk 'NR == 2 { print $1 }'; mv $node.away $node)" nl0

if is_built_in; then
	skip "the module can be unloaded meanwhile" "rdmaev is built in"
	rxe_del nl0
	plan
	exit
fi
rdmaev watch -v --netlink >"$tmp/watch" 2>"$tmp/err" &
pid=$!
within 30 watches $pid
rmmod rdmaev_gen rdmaev_sim
ok "the module can be unloaded meanwhile" rmmod rdmaev
wait $pid
is "... which ends it" "$? $(<"$tmp/err")" "3 rdmaev: cannot read: all readers were hung up (rdmaev release), or the module was unloaded"
fails "no module" 2 "no generic netlink family rdmaev: load the module .*" --netlink stats

rxe_del nl0
plan
