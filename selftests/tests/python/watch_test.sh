#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The Python package with devices: events, lists, signals, threads.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
. "$(dirname "$0")/python.sh"

rxe_add pyrxe
rdmaev wait -q pyrxe/1 up -t 30
still_add pysim
# CQs of a ULP, with a failed completion
echo "pycq 2 ib" >/sys/kernel/debug/rdmaev_sim/create
insmod "$top/selftests/modules/rdmaev_ulp.ko"
for step in "create created 1 public" "send 1" "bad" "poll 16" "flushed"; do
	echo "hold pycq $step" >/sys/kernel/debug/rdmaev_ulp/run
done

run_python watch
echo "hold pycq destroy" >/sys/kernel/debug/rdmaev_ulp/run
rmmod rdmaev_ulp
still_del pycq
still_del pysim
rxe_del pyrxe
plan
