#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A port whose Ethernet link could be faster: soft RoCE on the NIC of the VM, whose
# driver advertises less than its link partner.
. "$(dirname "$0")/../tap.sh"

modprobe 8139cp || { echo "# no driver of the NIC"; exit 1; }
nic=$(basename /sys/bus/pci/drivers/8139cp/*/net/*)

ip link set "$nic" up
rdma link add nic0 type rxe netdev "$nic"
field() { rdmaev status -j nic0/1 | jq -c "$1"; }
has() { [ "$(field "$1")" = "$2" ]; }
modes='[.netdev, .link_mbps, .link_common_mbps, .link_supported_mbps]'

within 30 has '[.health, .link_mbps]' '["ok",100]'
is "as fast as both ends can" "$(field "$modes")" "[\"$nic\",100,100,100]"
is "... as ethtool has it" "$(field .link_mbps)" "$(ethtool "$nic" | awk '$1 == "Speed:" { print $2 + 0 }')"
is "... in devices, too" "$(rdmaev devices -j nic0 | jq -c ".ports[] | $modes")" "$(field "$modes")"
is "... and well" "$(field '[.health, .conditions]')" '["ok",[]]'

ethtool -s "$nic" advertise 0x003
within 30 has .link_mbps 10
is "slower than both ends can" "$(field "$modes")" "[\"$nic\",10,100,100]"
is "... is degraded" "$(field '[.health, .conditions]')" '["degraded",["slow"]]'
like "... in words" "$(rdmaev status nic0/1 | tail -n 1)" \
	"^nic0/1 degraded: .*link of 10 Mb/s, both ends can do 100 Mb/s$"
like "... for nagios" "$(rdmaev status --format nagios nic0)" "^RDMAEV WARNING - nic0/1 .*both ends can do 100 Mb/s \|"

ethtool -s "$nic" advertise 0x00f
within 30 has .link_mbps 100
is "as fast again" "$(field '[.health, .conditions]')" '["ok",[]]'

rxe_add nic1
is "a network device without modes" "$(rdmaev status -j nic1 | jq -c "$modes")" '["nic1_d",null,null,null]'
rxe_del nic1
rdma link del nic0
ip link set "$nic" down
rmmod 8139cp
plan
