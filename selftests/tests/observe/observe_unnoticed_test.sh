#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The observer where the kernel refuses to notify it of modules or devices: it is not loaded, or
# says what it does not observe. See observe_refuse_test.sh for its hooks.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
. "$(dirname "$0")/refused.sh"

refused register_module_notifier 12
refused register_tracepoint_module_notifier 12
refused ib_register_client 12

end
