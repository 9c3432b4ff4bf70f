#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The log alone, hammered from all CPUs: see selftests/modules/rdmaev_logtest.c
. "$(dirname "$0")/../tap.sh"

hammer()
{
	insmod "$top/selftests/modules/rdmaev_logtest.ko" "$@" || {
		dmesg | grep logtest: | tail -n 20
		return 1
	}
	rmmod rdmaev_logtest
}

# The two have the same tracepoint.
rmmod rdmaev
ok "small rings" hammer
ok "small rings, readers of some lanes" hammer filter=1
ok "more writers" hammer writers=6 events=30000
ok "more readers" hammer writers=2 readers=16
ok "rings of 4096" hammer records=4096 writers=4 readers=6
ok "one writer, no interrupts" hammer writers=1 events=100000
plan
