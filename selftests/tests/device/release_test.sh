#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Hang up all readers so that the module can be unloaded, with readers that wait in
# every way.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
needs_module "this test unloads it"

nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
hung_up='all readers were hung up (rdmaev release), or the module was unloaded'
opens() { readlink /proc/"$1"/fd/* | grep -qx $node; }
rxe_add rel0

### Permissions

fails "release takes nothing" 2 "rel0: release takes no arguments" release rel0
fails "nor netlink" 2 "--netlink: netlink readers do not hold the module, .*" --netlink release
nobody rdmaev release >"$tmp/out" 2>&1
is "only administrators may" "$? $(<"$tmp/out")" \
	"2 rdmaev: only the administrator of the host can hang up all readers: run as root"
unshare --net rdmaev release >"$tmp/out" 2>&1
is "... of the first network namespace" "$?" 2
setpriv --inh-caps=-all --bounding-set=-all rdmaev release >"$tmp/out" 2>&1
is "... with the capability" "$?" 2
rdmaev release >"$tmp/out" 2>&1
is "nobody to hang up" "$? $(<"$tmp/out")" "0 "

### Those that wait

start watch
start waits rel0 -e DEVICE_FATAL -j
rdmaev wait rel0 DEVICE_FATAL >"$tmp/wait" 2>&1 &
pids[wait]=$!
rdmaev stats --watch 1000 >"$tmp/stats" 2>&1 &
pids[stats]=$!
rdmaev cqs --watch 1000 >"$tmp/cqs" 2>&1 &
pids[cqs]=$!
# Its output is not read: it cannot end, but it can close the node
mkfifo "$tmp/pipe"
exec 4<>"$tmp/pipe"
rdmaev watch --since start -j >"$tmp/pipe" 2>"$tmp/blocked" &
pids[blocked]=$!
cat $node >/dev/null 2>"$tmp/cat" &
pids[cat]=$!
for p in wait stats cqs blocked cat; do
	within 30 opens "${pids[$p]}" || echo "# $p does not open the node"
done
full()
{
	echo "process rel0 77 1 2000" >$gen/run
	! dd if=/dev/zero of="$tmp/pipe" bs=4096 count=1 oflag=nonblock status=none
}
within 30 full || echo "# the pipe is not full"
sleep 0.5
ok "release, although one cannot end" timeout $((60 * ${RDMAEV_SLOW:-1})) rdmaev release
rmmod rdmaev_gen rdmaev_sim
ok "the module can be unloaded" rmmod rdmaev
for p in watch waits wait stats cqs; do
	wait "${pids[$p]}"
	status=$?
	[ ! -e "$tmp/$p.err" ] || cat "$tmp/$p.err" >>"$tmp/$p"
	is "$p ends, and its status tells" "$status $(grep -oF "$hung_up" "$tmp/$p")" "3 $hung_up"
done
wait "${pids[cat]}"
like "cat, too" "$? $(<"$tmp/cat")" "^1 cat: $node: No such device$"
ok "what is blocked goes on when it is read" kill -0 "${pids[blocked]}"
cat <&4 >/dev/null &
drain=$!
wait "${pids[blocked]}"
is "... and ends" "$?" 3
kill $drain
exec 4<&-

### Afterwards

ok "loaded anew" load
start again
ok "again" rdmaev release
wait "${pids[again]}"
is "... hangs up" "$?" 3
ok "the node can be opened again" rdmaev log
start still
exec 5<$node
rdmaev release -q >"$tmp/out" 2>&1
is "one that does not close it is told" "$? $(<"$tmp/out")" \
	"1 rdmaev: 1 of 2 readers still open after 2 s: end these programs (fuser -v $node)"
rdmaev release -q >"$tmp/out" 2>&1
is "... again" "$?" 1
exec 5<&-
wait "${pids[still]}"
is "... the others did" "$?" 3
ok "... and then it is closed" rdmaev release
ok "... so it can be unloaded" rmmod rdmaev
load
rxe_del rel0
plan
