# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The test ULP rdmaev_ulp and its objects on simulated devices. To be sourced after tap.sh.
# shellcheck shell=bash

# shellcheck disable=SC2034	# of those that source this
sim=/sys/kernel/debug/rdmaev_sim
ulp=/sys/kernel/debug/rdmaev_ulp
modules=$top/selftests/modules

put() { printf '%s\n' "$2" >"$1"; }
raise() { put $sim/"$1"/raise "$2" 2>/dev/null; }

# object DEV TYPE [N]: number of its Nth object of this type
object() { awk -v d="$1" -v t="$2" -v n="${3-1}" '$1 == d && $2 == t && !--n { print $3 }' $ulp/objects; }

# calls DEV TYPE [N]: number of calls of its event handler, and the last event
calls() { awk -v d="$1" -v t="$2" -v n="${3-1}" '$1 == d && $2 == t && !--n { print $7, $8 }' $ulp/objects; }

records() { rdmaev log -j --since "$from" -q 2>/dev/null; }

# records_are NAME FILTER WANTED: what jq prints for the records since the mark, as an
# array
records_are() { is "$1" "$(records | jq -sc "$2")" "$3"; }
