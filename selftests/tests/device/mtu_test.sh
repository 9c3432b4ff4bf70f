#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The MTU of an Ethernet port follows that of its network device, and no event reports it.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

param=/sys/module/rdmaev/parameters/poll_ms
was=$(<$param)

mtus() { rdmaev log -j "$1" -e PORT_MTU --since "$from" -q | jq -c '[.severity, .port, .change.before, .change.after, .cause]'; }
lines() { [ "$(mtus "$1" | wc -l)" = "$2" ]; }

rxe_add mtr
ip link add mts_d up mtu 1500 type dummy
rdma link add mts type siw netdev mts_d
rdmaev wait -q mtr/1 up -t 60
rdmaev wait -q mts/1 up -t 60
ip link set mtr_d mtu 1500
echo 100 >$param
at_first() { [ "$(rdmaev devices -j | jq -c '[.ports[].mtu]' | sort -u)" = '[1024]' ]; }
ok "1024 with 1500 bytes" within 20 at_first
mark
for d in mtr mts; do
	ip link set ${d}_d mtu 4200
	ok "$d: 4096 with 4200 bytes" within 20 lines $d 1
	is "... in the list" "$(rdmaev devices -j $d | jq -c '.ports[].mtu')" 4096
	like "... in the table" "$(rdmaev devices $d)" "^$d +1 +${d}_d +[^ ]+ +ACTIVE +.* +4096 +- +"
	ip link set ${d}_d mtu 1500
	ok "... and back" within 20 lines $d 2
	is "a smaller one is a warning" "$(mtus $d)" '["info",1,1024,4096,0]
["warning",1,4096,1024,0]'
done
like "for people" "$(rdmaev log -v mtr -e PORT_MTU --since "$from" --severity warning)" " mtr/1 +PORT_MTU +4096 -> 1024 after "
is "status has it" "$(rdmaev status -j mtr | jq .mtu)" 1024

echo "$was" >$param
rdma link del mts
ip link del mts_d
rxe_del mtr
plan
