# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What the command prints of a held recording. To be sourced by hold and held_output_test.sh.
# shellcheck shell=bash

printed=(log cursor devices stats cqs status why probe observer explain fault)

# print NAME DIR: the lines of NAME.json, for the recording in DIR
print()
{
	local file=$2/log.rdmaev
	case $1 in
	cursor)		rdmaev log -j -n 1 --show-cursor --file "$file" | tail -n 1 ;;
	devices|stats)	rdmaev "$1" -j --removed --file "$file" ;;
	status)		rdmaev status -j --file "$file" || [ $? = 1 ] ;;
	# Rules join other records in later versions, but this outage is one incident.
	why)		rdmaev why -j -n 1 --file "$file" ;;
	explain)	rdmaev explain -j ;;
	fault)		rdmaev explain -j --fault ;;
	*)		rdmaev "$1" -j --file "$file" ;;
	esac
}
