#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev cqs, stats and watch --notify: output where no ULP has a CQ accounted
# for, and error messages.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

rdmaev stats >"$tmp/out" 2>&1
is "no devices" "$? $(<"$tmp/out")" "0 rdmaev: no RDMA devices"
is "... -q, -j" "$(rdmaev stats -q 2>&1; rdmaev stats -jq 2>&1)" ""
rxe_add cqs0
rxe_add cqs1
rdma dev set cqs1 name $'c:5 q\e"'

### No CQs

none='rdmaev: no visible CQs'
rdmaev cqs >"$tmp/out" 2>"$tmp/err"
is "cqs: none" "$? $(<"$tmp/out")$(<"$tmp/err")" "0 $none"
is "... on this device" "$(rdmaev cqs cqs0 2>&1)" "$none"
is "... -j" "$(rdmaev cqs -j 2>&1)" "$none"
is "... -q" "$(rdmaev cqs -q 2>&1; rdmaev cqs -jq 2>&1)" ""
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups rdmaev "$@"; }
is "... for nobody" "$(nobody cqs 2>&1)" "$none; only administrators see those of others"
is "... nor any sums" "$(nobody stats -j | jq -c '[.generation, .cqs]' | xargs)" '[1,null] [2,null]'
is "... nor by netlink" "$(nobody --netlink stats -j | jq -c '[.generation, .cqs]' | xargs)" '[1,null] [2,null]'

### Sums

rdmaev stats -v >"$tmp/out"
is "stats: nothing of CQs where there were none" "$(grep -c 'CQS' "$tmp/out")" 0
like "... the name of a device" "$(<"$tmp/out")" '^c:5\\x20q\\x1b\\x22 +- +DEVICE_ADD +1 '
rdmaev stats -j >"$tmp/json"
is "-j: an object a line, as short as can be" "$(jq -c . "$tmp/json")" "$(<"$tmp/json")"
is "... keys of CQs" "$(jq -r '.cqs | keys_unsorted | join(" ")' "$tmp/json" | sort -u)" \
	"count since_ns last_ns notifications polls empty_polls completions failures"
is "... and values" "$(jq -c '[.device, .generation, (.cqs | .count, (.since_ns | tonumber > 0), .last_ns, .polls,
	.completions, .failures)]' "$tmp/json")" \
	'["cqs0",1,0,true,null,0,{},{}]
["c:5 q\u001b\"",2,0,true,null,0,{},{}]'
is "... devices as rdmaev devices has them" "$(jq -c '[.device, .index, .generation, .cqs.since_ns]' "$tmp/json")" \
	"$(rdmaev devices -j | jq -c '[.device, .index, .generation, .since_ns]')"
is "... seq is the newest" "$(jq .seq "$tmp/json" | sort -u)" "$(rdmaev log -j | tail -n 1 | jq .seq)"

### Wrong use

for c in cqs stats; do
	fails "$c: no such device" 2 "cqs7: no such device, did you mean cqs0\? \(rdmaev devices lists them\)" $c cqs0 cqs7
	fails "$c: no such option" 2 "-e: not an option of rdmaev $c .*" $c -e PORT_ERR
	fails "$c: no node" 2 "/nowhere does not exist: .*" $c --node /nowhere
done
fails "cqs: a port is no device" 2 "cqs0/1: no such device .*" cqs cqs0/1
for text in cqs0 cqs0: cqs0:x cqs0:1: cqs0:-1 cqs0:4294967296 :5 '' cqs0:5:0 cqs0:5:x cqs0:5:1:60000001; do
	fails "--notify '$text'" 2 "--notify $text: must be DEV:CQ\[:EVERY\[:USEC\]\], .*" \
		watch -t 0 --notify "$text"
done
fails "... no such device" 2 "--notify cqs7:5: no such device .*" watch -t 0 --notify cqs7:5
fails "... no such CQ" 2 "--notify cqs0:12345: no such CQ that you may see \(rdmaev cqs lists them\)" \
	watch -t 0 --notify cqs0:12345
for text in $'c:5 q\e":12345' $'c:5 q\e":12345:1:0'; do
	rdmaev watch -t 0 --notify "$text" >"$tmp/out" 2>&1
	is "... a name with a colon" "$? $(<"$tmp/out")" \
		"2 rdmaev: --notify $text: no such CQ that you may see (rdmaev cqs lists them)"
done
rdmaev watch -t 0 --notify cqs0:5:1:9:0 >"$tmp/out" 2>&1
is "... three numbers are none of it" "$? $(<"$tmp/out")" \
	"2 rdmaev: --notify cqs0:5:1:9:0: no such device (rdmaev devices lists them)"
fails "... for watch" 2 "--notify: not an option of rdmaev log .*" log --notify cqs0:5
# shellcheck disable=SC2046
fails "... 64 times" 2 "--notify given more than 64 times" watch -t 0 $(printf -- '--notify cqs0:%d ' {1..65})
nl=$'\n'
is "filters for what there is of CQs" \
	"$(for e in CQ_STALLED cq-recovered CQ_NOTIFIED RETRY_EXC_ERR WR_FLUSH_ERR; do
		rdmaev log -e $e --severity error cqs0 2>&1
		echo $?
	done)" "0${nl}0${nl}0${nl}0${nl}0"

rxe_del cqs0
rdma dev set $'c:5 q\e"' name cqs1
rxe_del cqs1
plan
