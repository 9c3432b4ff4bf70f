#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The observer where the kernel refuses what it asks for: each of its hooks. It is not loaded,
# or says what it does not observe. See observe_refuse_probe_test.sh for probes, and
# observe_unnoticed_test.sh for what is no hook.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
. "$(dirname "$0")/refused.sh"

insmod "$observe"
sleep 3
ok "nothing is refused" not is_said
rmmod rdmaev_observe

refused register_ftrace_function 12

# Nothing is armed: nothing to wait for
insmod "$refuse" symbol=register_ftrace_function error=-19
ok "ftrace has failed: not loaded" not timeout 60 insmod "$observe"
ok "... at once" is_gone rdmaev_observe
rmmod rdmaev_refuse

end
