#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs a command, then prints what went wrong on the RDMA devices of this host meanwhile.
# Exits with the status of the command.
#
#	./run_job.sh COMMAND [ARGUMENT]...
set -u

cursor=$(rdmaev watch -t 0 --show-cursor | sed 's/^-- cursor: //')
"$@"
status=$?
rdmaev log --severity warning,error --since "$cursor" >&2
exit $status
