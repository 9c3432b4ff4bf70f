#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Queries of a port that do not return from the driver: on record, in the status, and of no
# consequence for other devices.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

sim=/sys/kernel/debug/rdmaev_sim
param=/sys/module/rdmaev/parameters

put() { printf '%s\n' "$2" >"$1"; }
# query: all ports of all devices
query() { put $param/poll_ms 30000; }
# recorded EVENT: of sim0, since the mark
recorded() { rdmaev log -j sim0 --since "$from" -e "$1" -q; }
has() { [ -n "$(recorded "$1")" ]; }
status_of() { rdmaev status -j "$1" | jq -c '[.state, .health, .conditions]'; }

put $sim/create "sim0 2 ib"
put $sim/create "sim1 1 ib"
put $param/stuck_ms 300
mark
put $sim/sim0/1/hang 1
query
ok "a query does not return: recorded" within 20 has PORT_QUERY_STUCK
is "... as an error of the port" \
	"$(recorded PORT_QUERY_STUCK | jq -c '[.severity, .ring, .object, .port, .cause, .count, .source]')" \
	'["error","port","port",1,0,1,"rdmaev"]'
is "... with how long" \
	"$(recorded PORT_QUERY_STUCK | jq -c '.change | [.attribute, .before, .after, (.previous_ns | tonumber >= 300000000)]')" \
	'["query",null,null,true]'
like "... for people" "$(rdmaev log -v sim0 --since "$from" -e PORT_QUERY_STUCK)" \
	' sim0/1 +PORT_QUERY_STUCK +the driver has not answered for [0-9]+\.[0-9]{3}s  #'
for t in "" --netlink; do
	# shellcheck disable=SC2086	# the node as transport is no word at all
	is "status ${t:-by the node}: the port is degraded" \
		"$(rdmaev $t status -j sim0/1 | jq -c '[.state, .health, .conditions]')" '["ACTIVE","degraded",["stuck"]]'
done
rdmaev status >"$tmp/status"
is "... its exit status" $? 1
like "... in words" "$(<"$tmp/status")" '^sim0/1 degraded: a query of the port does not return$'
is "the other port is well" "$(status_of sim0/2)" '["ACTIVE","ok",[]]'
is "the other device, too" "$(status_of sim1/1)" '["ACTIVE","ok",[]]'
put $sim/sim1/1/lid 77
put $gen/run "queue sim1 11 1 1"
ok "... and goes on being queried" rdmaev wait -q sim1 PORT_LID --since "$from" -t 30
ok "all is listed" rdmaev stats -q

put $sim/sim0/1/lid 99
put $sim/sim0/1/hang 0
ok "it returns: recorded" within 20 has PORT_QUERY_RETURNED
is "... once, with the cause" "$(recorded PORT_QUERY_RETURNED | jq -c '[.severity, .port, .cause]')" \
	"[\"warning\",1,$(recorded PORT_QUERY_STUCK | jq -s 'map(.seq)[0]')]"
is "... and how long it took" \
	"$(recorded 'PORT_QUERY_*' | jq -s 'map(.change.previous_ns | tonumber) | .[1] > .[0]')" true
like "... for people" "$(rdmaev log -v sim0 --since "$from" -e PORT_QUERY_RETURNED)" \
	' sim0/1 +PORT_QUERY_RETURNED +the driver has answered after [0-9]+\.[0-9]{3}s  #.* <- #'
ok "... what it found is recorded" within 20 has PORT_LID
is "... the port is well again" "$(status_of sim0/1)" '["ACTIVE","ok",[]]'

# Repeated in each round; both ports one after the other
mark
put $sim/sim0/2/hang 1
query
ok "the other port, too" within 20 has PORT_QUERY_STUCK
is "... its number" "$(recorded PORT_QUERY_STUCK | jq .port)" 2
put $sim/sim0/2/hang 0
ok "... until it returns" within 20 has PORT_QUERY_RETURNED

# The removal has to wait for the driver
mark
put $sim/sim0/1/hang 1
query
within 20 has PORT_QUERY_STUCK
put $sim/destroy sim0 &
leaves() { [ "$(rdmaev stats -j sim0 | jq .removing)" = true ]; }
ok "removed while a query hangs: so it is listed" within 20 leaves
is "... not as ACTIVE" "$(rdmaev stats -j sim0 | jq -c '[.ports[].state]')" "[null,null]"
put $sim/sim0/1/hang 0
wait $!
ok "... the device goes once it returns" \
	rdmaev wait -q sim0 DEVICE_REMOVE --since "$from" -t 30
is "... the last records" "$(rdmaev log -j sim0 --since "$from" -e 'PORT_QUERY_*,DEVICE_*' | jq -r .event | xargs)" \
	"PORT_QUERY_STUCK PORT_QUERY_RETURNED DEVICE_REMOVE"

put $param/stuck_ms 0
put $sim/create "sim0 1 ib"
mark
put $sim/sim0/1/hang 1
query
sleep 2
put $sim/sim0/1/lid 55
put $sim/sim0/1/hang 0
within 20 has PORT_LID
is "stuck_ms=0: no record" "$(recorded 'PORT_QUERY_*')" ""
plan
