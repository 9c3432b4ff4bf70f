#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Recordings and JSON lines of released versions: the command of today reads each held
# recording, and prints what that version printed of it. Objects may have more keys.
# held_output_test.sh DIR: the command in DIR, of another version
#
# jq has variables of its own:
# shellcheck disable=SC2016
. "$(dirname "$0")/../tap.sh"
. "$top/selftests/held/printed.sh"
[ $# = 0 ] || PATH=$1:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Of texts for people, only the type is held; of what explain says, only names and numbers
# of events and states are.
compare='
def identity: ["event", "kind", "code", "state", "port_state", "phys_state", "reason", "number",
	       "fault"];
def words: ["advice", "meaning", "note", "remedy", "title", "why", "words"];
def is_text($key): if $explains then IN($key; identity[]) | not else IN($key; words[]) end;
def differs($held; $now; $path):
	if ($held | type) != ($now | type) then "\($path): held \($held), now \($now)"
	elif ($held | type) == "object" then
		$held | to_entries[] | .key as $key |
		if ($now | has($key) | not) then "\($path).\($key): held, now missing"
		elif is_text($key) and (.value | type) != "object" then
			if ([.value, $now[$key] | type] | unique - ["null"] | length) > 1 then
				"\($path).\($key): of another type" else empty end
		else differs(.value; $now[$key]; "\($path).\($key)") end
	elif ($held | type) == "array" then
		if ($held | length) != ($now | length) then
			"\($path): held \($held | length) entries, now \($now | length)"
		else range($held | length) as $i |
			differs($held[$i]; $now[$i]; "\($path)[\($i)]") end
	elif $held == $now then empty
	else "\($path): held \($held), now \($now)" end;
def name: [.event, .kind, .state, .port_state, .phys_state, .reason, .fault];
(if $explains then $new | map({ key: (name | tostring), value: . }) | from_entries
 else null end) as $named |
if $explains then . else
	if length == ($new | length) then . else "held \(length) lines, now \($new | length)", . end
end |
if type == "string" then . else
	range(length) as $i | .[$i] as $held |
	if $explains then ($held | name | tostring) as $name |
		differs($held; $named[$name]; $name)
	else differs($held; $new[$i]; "line \($i + 1)") end
end'

# differences NAME DIR: what is in NAME.json there, and not in $tmp/now
differences()
{
	local explains=false
	case $1 in
	explain|fault) explains=true ;;
	esac
	jq -rs --argjson explains $explains --slurpfile new "$tmp/now" "$compare" "$2/$1.json" |
		cut -c 1-300 | head -n 20
}

for dir in "$top"/selftests/held/*/; do
	dir=${dir%/}
	version=${dir##*/}
	for name in "${printed[@]}"; do
		# A later version may have more to hold.
		[ -e "$dir/$name.json" ] || continue
		print "$name" "$dir" >"$tmp/now" 2>"$tmp/errors"
		is "$version: $name: status" $? 0
		is "... no message" "$(<"$tmp/errors")" ""
		is "... $(wc -l <"$dir/$name.json") objects are as they were" \
			"$(differences "$name" "$dir")" ""
	done
done
plan
