#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev record --file copies a recording; with --anonymous without addresses, GUIDs, and names
# of hosts and processes: the same has the same stand-in, and all else stays.
. "$(dirname "$0")/../tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
given=$top/selftests/held/1.0/log.rdmaev

commands=("log -qj" "why -j -n 1000" "status -j" "devices -j" "cqs -j" "qps -jv" "stats -j" "probe -j" "observer -j")
# all FILE: what commands have of it, as JSON
all()
{
	local line words
	for line in "${commands[@]}"; do
		read -ra words <<<"$line"
		rdmaev "${words[@]}" --file "$1" 2>/dev/null
	done
}

ok "a copy" rdmaev record --file "$given" "$tmp/copy"
all "$given" >"$tmp/given.json"
all "$tmp/copy" >"$tmp/copy.json"
ok "... has the same" cmp "$tmp/given.json" "$tmp/copy.json"
ok "... and its header" cmp <(head -c 264 "$given" | tail -c +25) <(head -c 264 "$tmp/copy" | tail -c +25)
ok "... in one file, whatever its size" rdmaev record --file "$given" --size 4K "$tmp/one"
is "... indeed" "$(cd "$tmp" && echo one*)" one
ok "a copy of a part" rdmaev record --file "$given" --since '#120' "$tmp/part"
is "... has that" "$(rdmaev log -qj --file "$tmp/part" | jq .seq | head -n 1)" 120

ok "anonymous" rdmaev record --file "$given" --anonymous "$tmp/none"
all "$tmp/none" >"$tmp/none.json"
# Each value of the given recording, its key, and what the other one has in its place
jq -rn --slurpfile a "$tmp/given.json" --slurpfile b "$tmp/none.json" '
	if ($a | length) != ($b | length) then "lines" else
	$a | paths(scalars) as $p | ($a | getpath($p)) as $x | ($b | getpath($p)) as $y |
		[([$p[] | strings] | last), $x, $y] | @json end' | sort -u >"$tmp/pairs"
is "only these keys differ" "$(jq -r 'select(.[1] != .[2]) | .[0]' "$tmp/pairs" | sort -u | xargs)" \
	"after before caller_comm comm failed gid guid hit local_addr node_guid owner peer_addr peer_gid remover_comm text"
# stay KEY...: values of these keys that are still there
stay() { jq -r --arg keys " $* " 'select(.[1] == .[2] and .[1] != null) | .[0] as $k | select($keys | contains(" \($k) ")) | .[1]' "$tmp/pairs" | sort -u | xargs; }
is "no address is left" "$(stay gid peer_gid local_addr peer_addr | tr ' ' '\n' | grep :)" ""
is "no GUID is left" "$(stay guid node_guid)" ""
is "no name of a process is left" "$(stay caller_comm remover_comm)" ""
is "the same has the same stand-in" \
	"$(jq -c 'select(.[1] != .[2] and .[0] != "text" and .[0] != "hit") | .[1:3]' "$tmp/pairs" | sort -u | jq -r '.[0]' | sort | uniq -d)" ""
is "... and another one another" \
	"$(jq -c 'select(.[1] != .[2] and .[0] != "text" and .[0] != "hit") | .[1:3]' "$tmp/pairs" | sort -u | jq -r '.[1]' | sort | uniq -d)" ""
# processes FILE: who has CQs and QPs, whether a process, and whether its name is a stand-in
processes()
{
	{ rdmaev cqs -j --file "$1"; rdmaev qps -j --file "$1"; } 2>/dev/null |
		jq -c '[.pid != null, (.owner // "" | test("^proc[0-9]+$"))]' | sort -u | xargs
}
is "in lists, processes have stand-ins and ULPs have not" "$(processes "$given")|$(processes "$tmp/none")" \
	"[false,false] [true,false]|[false,false] [true,true]"
is "texts of notes are left out" "$(jq -r 'select(.[0] == "text") | .[2]' "$tmp/pairs" | sort -u)" "(text left out)"
# In the bytes, whatever commands print
jq -r 'select(.[1] != .[2] and (.[0] | IN("comm", "caller_comm", "owner", "remover_comm", "text"))) | .[1]' "$tmp/pairs" | sort -u >"$tmp/names"
is "there were names" "$(($(grep -c . "$tmp/names") > 20))" 1
is "... none is in the file" "$(grep -aowFf "$tmp/names" "$tmp/none" | sort -u)" ""
boot=$(dd if="$given" bs=1 skip=$((8 + 16 + 56)) count=36 2>/dev/null | tr -d '\0')
host=$(dd if="$given" bs=1 skip=$((8 + 16 + 96)) count=72 2>/dev/null | tr -d '\0')
is "... nor the host" "$(grep -ac "$host" "$given"),$(grep -ac "$host" "$tmp/none")" "1,0"
is "... nor its boot" "$(grep -ac "$boot" "$given"),$(grep -ac "$boot" "$tmp/none")" "1,0"
like "the host has a stand-in" "$(dd if="$tmp/none" bs=1 skip=$((8 + 16 + 96)) count=72 2>/dev/null | tr -d '\0')" '^host-[0-9a-f]{4}$'
is "addresses stay of their kind" \
	"$(jq -r 'select(.[1] != .[2] and (.[0] | IN("gid", "peer_gid", "local_addr", "peer_addr"))) | .[2]' "$tmp/pairs" |
		sed -E 's/^(::ffff:)?10\.0\.[0-9.]+$/IPv4/; s/^2001:db8::[0-9a-f:]+$/IPv6/; s/^(fe80|ff0e)::[0-9a-f:]+$/\1/' | sort -u | xargs)" \
	"$(jq -r 'select(.[1] != .[2] and (.[0] | IN("gid", "peer_gid", "local_addr", "peer_addr"))) | .[1]' "$tmp/pairs" |
		sed -E 's/^(::ffff:)?[0-9.]+$/IPv4/; s/^fe80:.*/fe80/; s/^ff[0-9a-f]{2}:.*/ff0e/; s/^[0-9a-f]+:.*:.*/IPv6/' | sort -u | xargs)"
plan
