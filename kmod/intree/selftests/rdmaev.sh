#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The tests that need rdmaev and soft RoCE, but no test module. Skips where one of them
# is missing.
skip()
{
	echo "1..0 # SKIP $*"
	exit 4
}

cd "$(dirname "$0")" || exit
[ "$(id -u)" = 0 ] || skip "not root"
[ -e /dev/infiniband/rdmaev ] || modprobe -q rdmaev || skip "no module rdmaev"
[ -e /dev/infiniband/rdmaev ] || skip "no node /dev/infiniband/rdmaev"
modprobe -q rdma_rxe || skip "no module rdma_rxe"
modprobe -q dummy numdummies=0 || skip "no module dummy"
exec ./abi_test
