# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Run tests in Python, after tap.sh.
# shellcheck shell=bash

# That of the suite, whatever else the machine has
# shellcheck disable=SC2034
python=/usr/bin/python3

# run_python NAME [FOLDER]: points of NAME.py, with the package in FOLDER
run_python()
{
	local output ran
	output=$(PYTHONPATH=${2-$top/ulib/python} PYTHONDONTWRITEBYTECODE=1 RDMAEV_TOP=$top \
		"$python" "$(dirname "${BASH_SOURCE[0]}")/$1.py" 2>&1)
	ran=$(grep -cE '^(not )?ok ' <<<"$output")
	grep -v '^1\.\.' <<<"$output" | awk -v n="$points" -v name="$1" '
		/^(not )?ok / { sub(/ok [0-9]+ /, "ok " ++n " " name ": ") } { print }'
	points=$((points + ran))
	ok "$1 has come to its end" grep -qx "1\.\.$ran" <<<"$output"
}
