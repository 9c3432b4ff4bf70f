#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A switch: its port has the number 0, which is another than that of what is about no port.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

sim=/sys/kernel/debug/rdmaev_sim

put() { printf '%s\n' "$2" >"$1"; }
# short ARGUMENT...: event and port of each record of the switch
short() { rdmaev "$@" log -j sw0 --since "$from" | jq -c '[.event, .port]'; }
has() { short | grep -qx "\[\"$1\",0\]"; }

mark
put $sim/create "sw0 1 switch"
put $sim/create "hca0 1 ib"
is "a switch, with a port" "$(rdmaev devices -j sw0 | jq -c '[.node_type, [.ports[] | [.port, .state]]]')" \
	'["SWITCH",[[0,"ACTIVE"]]]'
put $sim/sw0/0/state 1
echo "process sw0 10 0 1" >$gen/run
ok "its port goes down" within 20 has PORT_STATE
echo "process sw0 8 0 1" >$gen/run
ok "an event of the device" within 20 rdmaev wait -q sw0 DEVICE_FATAL --since "$from" -t 1
wanted='["DEVICE_ADD",null]
["PORT_ERR",0]
["PORT_STATE",0]
["DEVICE_FATAL",null]'
is "port 0, and no port" "$(short)" "$wanted"
is "... by netlink" "$(short --netlink)" "$wanted"
is "... by netlink, only what there is" "$(rdmaev --netlink log -j sw0 --since "$from" | sed 's/"instance":"[^"]*",//')" \
	"$(rdmaev log -j sw0 --since "$from" | sed 's/"instance":"[^"]*",//')"
like "... for people" "$(rdmaev log -v sw0 --since "$from" -e PORT_STATE,DEVICE_FATAL)" \
	" sw0/0 +PORT_STATE .*
.* sw0 +DEVICE_FATAL "
for t in "" --netlink; do
	n=${t:-the node}
	# shellcheck disable=SC2086	# the node as transport is no word at all
	is "$n: port 0, and what is about the device" "$(rdmaev $t log -j sw0/0 --since "$from" | jq -r .event | xargs)" \
		"DEVICE_ADD PORT_ERR PORT_STATE DEVICE_FATAL"
	# shellcheck disable=SC2086
	is "$n: counters" "$(rdmaev $t stats -j sw0 |
		jq -c '[.counters[].event], [.ports[] | .port, .counters[].event]')" \
		'["DEVICE_ADD","DEVICE_FATAL"]
[0,"PORT_STATE","PORT_ERR"]'
	# shellcheck disable=SC2086
	is "$n: of the newest record" "$(rdmaev $t devices -j sw0 | jq -c '.last | [.port, .event]')" '[null,"DEVICE_FATAL"]'
done
is "another port of a device" "$(rdmaev log -j 'sw*/1' --since "$from" | jq -r .event | xargs)" "DEVICE_ADD DEVICE_FATAL"
like "status" "$(rdmaev status sw0/0)" "sw0/0 +- +IB +DOWN "
fails "no port 1" 2 "sw0/1: the device has 1 port" stats sw0/1
fails "no port 0 of others" 2 "hca0/0: the device has 1 port" stats hca0/0
put $sim/destroy hca0
put $sim/destroy sw0
plan
