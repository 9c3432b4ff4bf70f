#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The help of each command has three examples, which are valid command lines.
. "$(dirname "$0")/../tap.sh"

# Some of them write a file
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit

# examples COMMAND: those of its help, one a line
examples() { rdmaev "$1" --help | sed -n '/^Examples:$/,/^$/s/^      //p'; }
# first LINE: the part of a pipe or list that is rdmaev COMMAND
first() { grep -oE 'rdmaev [a-z]+( ('"'[^']*'"'|[^|&])*)?' <<<"$1" | grep -m 1 "^rdmaev $2"; }

mapfile -t commands < <(rdmaev -h | sed -n '/^$/,$p' | awk '/^  [a-z]/ { print $1 }')
ok "there are commands" [ ${#commands[@]} -gt 10 ]
for c in "${commands[@]}"; do
	is "$c: three examples" "$(examples "$c" | wc -l)" 3
	while read -r line; do
		command=$(first "$line" "$c")
		if [ "$c" = explain ]; then
			ok "... $line" eval "$command"
		else
			# All arguments are valid if only the node is missing
			like "... $line" "$(eval "$command --node /nowhere" 2>&1; echo "status $?")" "^rdmaev: /nowhere does not exist: "
		fi
	done < <(examples "$c")
	is "... none of them twice" "$(examples "$c" | sort | uniq -d)" ""
	is "... no line is longer than a terminal" "$(rdmaev "$c" --help | awk 'length > 100')" ""
done
is "rdmaev --help has none" "$(rdmaev --help | grep -c Examples)" 0
plan
