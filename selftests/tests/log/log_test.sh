#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The log alone, under load from all CPUs: see
# selftests/modules/rdmaev_logtest.c
. "$(dirname "$0")/../tap.sh"
needs_module "this test needs its tracepoint for itself"

hammer()
{
	insmod "$top/selftests/modules/rdmaev_logtest.ko" "$@" || {
		dmesg | grep logtest: | tail -n 20
		return 1
	}
	rmmod rdmaev_logtest
}

# Records of each writer; fewer on kernels with checkers
n=$((50000 / ${RDMAEV_SLOW:-1}))
# The two have the same tracepoint.
rmmod rdmaev
ok "small rings" hammer events=$n
ok "small rings, readers of some rings" hammer events=$n filter=1
ok "more writers" hammer events=$((n * 3 / 5)) writers=6
ok "more readers" hammer events=$n writers=2 readers=16
ok "rings of 4096" hammer events=$n records=4096 writers=4 readers=6
ok "one writer, no interrupts" hammer events=$((n * 2)) writers=1
plan
