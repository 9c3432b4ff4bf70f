#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev wait for a state: at once if the port has it already, otherwise when it gets
# it, also if the device is removed or added meanwhile.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

sim=/sys/kernel/debug/rdmaev_sim
took='[0-9.]+(us|ms|s|m[0-9]{2}s)'

# change PORT STATE EVENT: of wt0
change()
{
	echo "$2" >$sim/wt0/"$1"/state
	echo "queue wt0 $3 $1 1" >$gen/run
}
# is_state PORT STATE
is_state() { [ "$(rdmaev devices -j wt0 | jq -r ".ports[$1 - 1].state")" = "$2" ]; }
down() { change "$1" 1 10; within 30 is_state "$1" DOWN; }
up() { change "$1" 4 9; within 30 is_state "$1" ACTIVE; }

# begin ARGUMENT...: a wait in the background, once signals end it properly
begin()
{
	rdmaev wait "$@" >"$tmp/out" 2>&1 &
	pid=$!
	within 30 watches $pid
}
# ends: sets ended to the exit status and the output of it
ends()
{
	local status=0
	wait $pid || status=$?
	ended="$status $(<"$tmp/out")"
}
waits() { kill -0 $pid 2>/dev/null; }

echo "wt0 2 ib" >$sim/create
rdmaev wait -q wt0 DEVICE_ADD --since start -t 30

### Already

like "up already: at once" "$(rdmaev wait wt0/1 up; echo $?)" "^wt0/1 up: ACTIVE for $took$"
like "... both ports" "$(rdmaev wait wt0 up | xargs)" "^wt0/1 up: ACTIVE for $took wt0/2 up: ACTIVE for $took$"
is "... in capitals, and -q: the status alone" "$(rdmaev wait -q wt0/1 UP 2>&1; echo $?)" 0
is "... a name with *" "$(rdmaev wait 'wt*/2' up -j | jq -c '[.device, .port]')" '["wt0",2]'
is "... JSON" "$(rdmaev wait -j wt0/1 up | jq -c 'keys_unsorted, [.device, .port, .up, .state, (.state_ns | tonumber > 0)]')" \
	'["device","index","generation","port","up","state","never_active","state_since_ns","state_ns","seq"]
["wt0",1,true,"ACTIVE",true]'
is "... by netlink" "$(rdmaev --netlink wait -j wt0/2 up | jq -c '[.port, .up]')" "[2,true]"
is "not down: time is up" "$(rdmaev wait wt0/1 down -t 0 2>&1; echo $?)" 1
is "... a little later, too" "$(rdmaev wait wt0/1 down -t .2 2>&1; echo $?)" 1
down 1
like "down already" "$(rdmaev wait wt0/1 down; echo $?)" "^wt0/1 down: DOWN for $took$"
is "... not the device: a port of it is up" "$(rdmaev wait wt0 down -t 0; echo $?)" 1
is "... which is not up either" "$(rdmaev wait wt0 up -t 0; echo $?)" 1
is "... but the other port is" "$(rdmaev wait -q wt0/2 up -t 0; echo $?)" 0

### When it happens

begin wt0/1 up
echo "queue wt0 12 1 1" >$gen/run
within 30 rdmaev wait -q wt0/1 PKEY_CHANGE --since start -t 1
ok "another event is not it" waits
up 1
ends
like "it comes up" "$ended" "^0 wt0/1 up: ACTIVE for $took$"
begin wt0 down -t 600
down 1
ok "one port of two is not all" waits
down 2
ends
like "both are down" "$(xargs <<<"$ended")" "^0 wt0/1 down: DOWN for $took wt0/2 down: DOWN for $took$"
begin --netlink wt0/2 up
up 2
ends
like "by netlink" "$ended" "^0 wt0/2 up: ACTIVE for $took$"
change 1 2 9
within 30 is_state 1 INIT
like "INIT is not up" "$(rdmaev wait wt0/1 down -t 0; echo $?)" "^wt0/1 down: INIT for $took$"
up 1
begin wt0/1 down
kill $pid
ends
is "interrupted is an error" "$ended" "2 "

### Removed and added

begin wt0/1 down
echo wt0 >$sim/destroy
ends
like "a device that is removed is down" "$ended" "^0 wt0/1 down: (no such device now|REMOVING for $took)$"
within 30 rdmaev wait -q wt0 DEVICE_REMOVE --since start -t 1
is "... was removed before" "$(rdmaev wait wt0/1 down -t 0; echo $?)" "wt0/1 down: no such device now
0"
is "... JSON" "$(rdmaev wait wt0/1 down -j | jq -c 'del(.seq)')" \
	'{"device":"wt0","index":null,"generation":0,"port":1,"up":false,"state":null,"never_active":null,"state_since_ns":null,"state_ns":null}'
is "... is not up" "$(rdmaev wait wt0/1 up -t 0 2>&1; echo $?)" "rdmaev: wt0/1: no such device now; waiting for it
1"
is "... by a pattern, too" "$(rdmaev wait -q 'wt*' down; echo $?)" 0
begin wt0/1 up -q
echo "wt0 2 ib" >$sim/create
ends
is "... until it comes back" "$ended" "0 "
if ! is_built_in; then
	begin wt0/1 down
	rdmaev release >/dev/null
	ends
	like "hung up: status 3" "$ended" "^3 rdmaev: "
fi

### Wrong

fails "no such device: what is meant?" 2 "wt1: no such device, now or before, did you mean wt0\? .*" wait wt1 up
fails "... nor this" 2 "wt7/1: no such device, now or before.*" wait wt7/1 down
fails "no device matches: none is down" 2 "zz\*: matches no device, now or before \(rdmaev devices --removed lists them\)" wait 'zz*' down
fails "... nor a port of it, also with -q" 2 "zz\*/1: matches no device, now or before .*" wait -q 'zz*/1' down
like "... one may come up" "$(rdmaev wait 'zz*' up -t 0 2>&1; echo $?)" "^rdmaev: zz\*: no such device now; waiting for it$"
is "... which is one line" "$(rdmaev wait 'zz*' up -t 0 2>&1 | wc -l)" 1
is "... not in this time" "$(rdmaev wait -q 'zz*' up -t 0; echo $?)" 1
fails "no such port" 2 "wt0/3: the device has 2 ports" wait wt0/3 up
fails "... to be down" 2 "wt0/3: the device has 2 ports" wait wt0/3 down
fails "no event is selected" 2 "up is a state: .*" wait wt0 up --severity error
fails "nothing has passed" 2 "down is a state: .*" wait wt0 down --since start
fails "up is no device" 2 "up: no such device, now or before.*" wait up down
fails "... the device comes first" 2 "up: is a state; wait needs the device first: rdmaev wait wt0 up" wait up wt0
fails "states have other names" 2 "Active: is a state of a port: wait for up, which is ACTIVE, .*" wait wt0/1 Active
echo wt0 >$sim/destroy
plan
