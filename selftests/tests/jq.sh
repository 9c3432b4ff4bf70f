# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The jq that selftests/vm/setup has fetched, if it is there: it starts twenty times as fast
# as that of Debian 12. To be sourced with $top set.
# shellcheck shell=bash

if [ -x "$top/build/jq/jq" ]; then
	jq() { "$top/build/jq/ld.so" --library-path "$top/build/jq" "$top/build/jq/jq" "$@"; }
fi
