# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Count the instructions of the command, in user space, on a recording that
# build/tests/make_log makes. They are the same in each run. To be sourced with $top and $tmp set.
# shellcheck shell=bash

# instructions SORT RECORDS COMMAND [ARGUMENT]...: of rdmaev COMMAND --file with such a log;
# record writes to $tmp/copy
instructions()
{
	local file=$tmp/$1.$2 said refs
	rm -f "$tmp/copy"
	[ -e "$file" ] || "$top/build/tests/make_log" "$1" "$2" "$file" || return
	# 1: status has found a problem
	said=$(valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
		"$top/ulib/rdmaev" "${@:3}" --file "$file" 2>&1 >/dev/null) || [ $? = 1 ] ||
		{ echo "$said" >&2; return 1; }
	refs=$(sed -n 's/.*I *refs: *//p' <<<"$said" | tr -d ,)
	[ "$refs" ] && echo "$refs"
}

# per_record SORT N COMMAND [ARGUMENT]...: of those from N records to twice as many, without
# what the command takes at all events
per_record()
{
	local less more
	less=$(instructions "$1" "$2" "${@:3}") &&
		more=$(instructions "$1" $((2 * $2)) "${@:3}") &&
		echo $(((more - less) / $2))
}
