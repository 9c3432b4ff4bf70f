#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# More addresses on a network device than the GID table of its RDMA device holds: every GID
# is on record once, in few lines, and a reader that keeps up at default sizes loses none.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

addresses=1100
gids=/sys/class/infiniband/gid0/ports/1/gids
# used: entries of the table
used() { cat $gids/* 2>/dev/null | grep -vc '^0000:0000:0000:0000:0000:0000:0000:0000$'; }
# changes FIELD: GIDs of IPv4 that are on record as that: after (added) or before (removed)
changes() { rdmaev log -j gid0 --since "$from" -e PORT_GID | jq -r "select(.change.$1 // \"\" | startswith(\"::ffff:10.9.\")) | .change.$1"; }
batch()
{
	for ((i = 0; i < addresses; i++)); do
		echo "address $1 10.9.$((i / 250)).$((i % 250 + 1))/16 dev gid0_d"
	done | ip -batch -
}
# counts WORD: what the lines of log say, added up
counts()
{
	rdmaev log gid0 --since "$from" -e GID_CHANGE,PORT_GID | awk -v word="$1" '
		{ for (i = 3; i <= NF; i++) if ($i ~ "^"word && $(i - 1) == "GIDs") n += $(i - 2) }
		/GID \[[0-9]+\] empty ->/ && word == "added" { n++ }
		/GID \[[0-9]+\] .* -> empty/ && word == "removed" { n++ }
		END { print n + 0 }'
}
lines() { rdmaev log gid0 --since "$from" -e GID_CHANGE,PORT_GID | wc -l; }
# seconds: between the first and the last record of a GID
seconds()
{
	rdmaev log -j gid0 --since "$from" -e GID_CHANGE,PORT_GID |
		jq -s 'map(.boottime_ns | tonumber) | (max - min) / 1000000000 | ceil'
}

rxe_add gid0
rdmaev wait -q gid0/1 up -t 60
rdmaev watch -j gid0 -e 'GID_CHANGE,PORT_GID' >"$tmp/watched" 2>"$tmp/errors" &
watch=$!
within 30 watches $watch
size=$(find $gids -type f | wc -l)
mark
before=$(used)
batch add
is_full() { [ "$(used)" = "$size" ]; }
ok "$addresses addresses fill the table" within 60 is_full
has_all() { [ "$(changes after | wc -l)" = $((size - before)) ]; }
ok "each GID that fits is on record" within 60 has_all
is "... once" "$(changes after | sort -u | wc -l)" $((size - before))
is "... in lines whose counts are exact" "$(counts added)" $((size - before))
ok "... one for those that are less than a second apart" [ "$(lines)" -le $(($(seconds) + 2)) ]
echo "# $(lines) lines for $((size - before)) GIDs in $(seconds) s"

mark
batch delete 2>/dev/null
is_empty() { [ "$(used)" = "$before" ]; }
ok "the addresses go" within 60 is_empty
has_none() { [ "$(changes before | sort -u | wc -l)" -ge $((size - before)) ]; }
ok "... which is on record" within 60 has_none
echo "# $(lines) lines in $(seconds) s, $(changes before | wc -l) GIDs removed, $(changes after | wc -l) added"
is "... every removal, also of those that have come into holes" "$(changes before | wc -l)" \
	"$((size - before + $(changes after | wc -l)))"
is "... in lines whose counts are exact" "$(counts removed)" "$(changes before | wc -l)"

newest=$(rdmaev log -j gid0 -e 'GID_CHANGE,PORT_GID' -n 1 | jq .seq)
has_read() { grep -q "^{\"seq\":$newest," "$tmp/watched"; }
ok "who watches has read it all" within 60 has_read
kill $watch
wait $watch 2>/dev/null
is "... without a loss" "$(jq -r .event "$tmp/watched" | sort -u | xargs) $(<"$tmp/errors")" "GID_CHANGE PORT_GID "
rxe_del gid0
plan
