#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The Python package as it is installed: enums, structures, events, errors. No module.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/python.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s -C "$top/ulib" install DESTDIR="$tmp" PREFIX=/usr PYTHON="$python" >"$tmp/log" 2>&1 ||
	sed 's/^/# /' "$tmp/log"
folder=$(find "$tmp" -name rdmaev -path '*python3*' -prune)
export LD_LIBRARY_PATH=$tmp/usr/lib
run_python package "${folder%/rdmaev}"

is "installed where this Python looks" "$("$python" -c \
	'import sys; print(sys.argv[1] in sys.path)' "$(dirname "${folder#"$tmp"}")")" True
is "in the folder of Debian" "$(dirname "${folder#"$tmp"}")" /usr/lib/python3/dist-packages
ok "that of the source tree is the same" diff -r -x __pycache__ "$folder" "$top/ulib/python/rdmaev"
make -s -C "$top/ulib" uninstall DESTDIR="$tmp" PREFIX=/usr PYTHON="$python"
is "uninstall leaves no file" "$(find "$tmp/usr" ! -type d)" ""
plan
