#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Each rdmaev command that README.md shows runs as it stands there.
. "$(dirname "$0")/../tap.sh"

# Of them both, a port that was down
for dev in nvm0 mlx5_0; do
	rxe_add $dev
	ip link set ${dev}_d down
	rdmaev wait -q $dev/1 down -t 60
	ip link set ${dev}_d up
	rdmaev wait -q $dev/1 up -t 60
done
insmod "$top/kmod/rdmaev_observe.ko"
tmp=$(mktemp -d)
cd "$tmp" || exit

# runs COMMAND: with the exit status that README.md says, or none
runs()
{
	local got=0
	case $1 in
	*' watch'*|*' record '*)
		# Until it is interrupted
		timeout --preserve-status -s INT 5 bash -c "exec $1" >out 2>&1 || got=$?
		[[ $got == @(0|130) ]] ;;
	*' status')
		bash -c "$1" >out 2>&1 || got=$?
		[[ $got == @(0|1) && -s out ]] ;;
	*)
		bash -c "$1" >out 2>&1 ;;
	esac || {
		sed 's/^/# /' out
		return 1
	}
}

# shellcheck disable=SC2016
mapfile -t commands < <(sed -nE 's/^    (\$ |sudo )?(rdmaev [a-z].*)/\2/p; s/^`(rdmaev [^`]*)`.*/\1/p' "$top/README.md" |
	sed 's/ *#.*//' | sort -u)
ok "README.md has commands" [ ${#commands[@]} -ge 12 ]
for command in "${commands[@]}"; do
	ok "$command" runs "$command"
done
ok "a report was written" [ -s report.html ]

rmmod rdmaev_observe
rxe_del nvm0
rxe_del mlx5_0
cd / || exit
rm -rf "$tmp"
plan
