#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The kernel's own YNL tool drives the generic netlink family with the spec
# include/rdmaev.yaml.
. "$(dirname "$0")/../tap.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# selftests/lint checks the schema, as this takes long
ynl()
{
	PYTHONPATH=$(dirname "$0")/fast_yaml python3 "$top/build/tests/ynl/cli.py" --no-schema --output-json \
		--spec "$top/include/rdmaev.yaml" "$@"
}

rxe_add ynl0
echo "process ynl0 77 1 3" >$gen/run

ynl --dump device-get >"$tmp/devices"
is "it lists the devices" \
	"$? $(jq -c '.[] | [.index, .name, .generation, .ports]' "$tmp/devices")" \
	"0 $(rdmaev devices -j | jq -c '[.index, .device, .generation, (.ports | length)]')"
ynl --dump counter-get --json '{"port": 1}' >"$tmp/counters"
is "it dumps the counters" \
	"$? $(jq -c '.[] | select(.kind == "async" and .code == 65535) | [.port, .count]' "$tmp/counters")" \
	'0 [1,3]'

ynl --dump port-get >"$tmp/ports"
is "it dumps the ports" "$? $(jq -c '.[] | [.device, .port, .state]' "$tmp/ports")" \
	"0 $(rdmaev devices -j | jq -c '[.index, .ports[0].port, (.ports[0].state | ascii_downcase)]')"
ynl --dump probe-get >"$tmp/probes"
is "... the probes, of which there are none" "$? $(jq length "$tmp/probes")" "0 0"
ynl --dump qp-get >"$tmp/qps"
is "... the QPs, of which none is known without the observer" "$? $(jq length "$tmp/qps")" "0 0"

# Two programs whose CQs the observer sees in use; then they stand still
if insmod "$top/kmod/rdmaev_observe.ko" 2>/dev/null; then
	chmod 666 /dev/infiniband/uverbs*
	pong() { ibv_rc_pingpong -d ynl0 -g 0 -p 18620 -e -n 100000000 "$@" >"$tmp/program" 2>&1; }
	pong &
	program=$!
	listens() { ss -ltn | grep -q :18620; }
	within 10 listens
	pong 127.0.0.1 &
	programs="$program $!"
	used() { [ "$(rdmaev cqs -j | jq -s length)" = 2 ]; }
	within 10 used
	pkill -STOP ibv_rc_pingpong
	ynl --dump cq-get >"$tmp/cqs"
	is "it dumps CQs of programs" "$? $(jq -c '.[] | [.comm // .owner, (.flags | sort)]' "$tmp/cqs" | sort -u)" \
		'0 ["ibv_rc_pingpong",["numbered","observed","user"]]'
	pkill -KILL ibv_rc_pingpong
	# shellcheck disable=SC2086	# two
	wait $programs 2>/dev/null
	is "it gets what is observed" "$(ynl --do info-get | jq -c '[."observer-off", ."observer-gaps"]')" \
		'[["polled-cqs"],[]]'
	rmmod rdmaev_observe
else
	skip "it dumps CQs of programs" "the observer is built in, or not there"
fi

ynl --subscribe device --sleep 4 >"$tmp/events" &
subscriber=$!
# It listens for four seconds, from an unknown time on
while kill -0 $subscriber 2>/dev/null; do
	echo "process ynl0 13 1 1" >$gen/run
	sleep 0.3
done

wait $subscriber
is "it subscribes" $? 0
jq '.[] | select(.name == "event-ntf") | .msg.seq' "$tmp/events" | sort -u >"$tmp/got"
ok "... and is told of records" test -s "$tmp/got"
is "... which are those that rdmaev log has" "$(<"$tmp/got")" \
	"$(rdmaev log -j | jq .seq | grep -xFf "$tmp/got" | sort -u)"

### A filter

ynl --dump history-get --json '{"filter": {"kinds": ["async"], "kind-code": [{"kind": "async", "codes": 8192}],
	"target": [{"device-name": "nobody"}, {"device-name": "yn*", "port": 1}]}}' >"$tmp/history"
is "history-get with a filter" "$(jq -r '.[] | select(.seq) | [.event, ."device-name", .port] | @sh' "$tmp/history" | sort -u)" \
	"'SM_CHANGE' 'ynl0' 1"
ynl --dump history-get --json '{"filter": {"target": [{"device-name": "y*l0"}]}}' >"$tmp/refused" 2>&1
like "... one that is not in order" "$(<"$tmp/refused")" "device-name must not be empty, and may have \* only at its end"
rxe_del ynl0
plan
