#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
sim=/sys/kernel/debug/rdmaev_sim
echo "hca0 7 ib" >$sim/create
rdmaev wait -q hca0 DEVICE_ADD --since start -t 30
mark
start live
for p in 1 2 3 4 5 6 7; do
 cat $sim/hca0/$p/{state,phys_state,lid,sm_lid,speed,width} | xargs
	echo 1 >$sim/hca0/$p/state
	echo "10 $p" >$sim/hca0/event
done
rdmaev wait hca0/7 PORT_STATE --since "$from"
for p in 1 2 3 4 5 6 7; do
	echo 4 >$sim/hca0/$p/state
	echo $p >$sim/hca0/$p/lid
	echo 99 >$sim/hca0/$p/sm_lid
	for e in 11 13 17 9; do echo "$e $p" >$sim/hca0/event; done
done
sleep 2
echo "# sim"
rdmaev log -v --since "$from"
rdmaev log --since "$from" | tee $tmp/a
echo "# live"
cat $tmp/live; cat $tmp/live.err
mark
rxe_add rxe0
sleep 3
mark
ip link set rxe0_d down
sleep 1
ip link set rxe0_d up
sleep 2
rdmaev log -v --since "$from"
rdmaev log --since "$from"
mark
for i in {1..20}; do echo "addr add 10.9.0.$i/24 dev rxe0_d"; done | ip -batch -
sleep 3
rdmaev log -v --since "$from"
rdmaev log --since "$from" --color=always
echo "# live"
cat $tmp/live; cat $tmp/live.err
rdmaev log -n 5
plan
