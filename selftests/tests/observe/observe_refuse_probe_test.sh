#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# As observe_refuse_test.sh, of kretprobes and tracepoints
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
. "$(dirname "$0")/refused.sh"

refused register_kretprobe 22
refused tracepoint_probe_register 12
end
