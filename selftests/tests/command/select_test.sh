#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Which records rdmaev watch, log and wait select: each option alone, repeated, and
# with others. What the command selects is compared with what jq selects.
#
# jq has variables of its own:
# shellcheck disable=SC2016
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

still_add sel0
still_add sel1
still_down sel0
still_down sel1
for code in 11 12 13 15 18 70 100; do
	echo "process sel0 $code 1 1" >$gen/run
done
echo "process sel1 11 1 1" >$gen/run
within 30 rdmaev wait -q sel0 100 --since start -t 1
within 30 rdmaev wait -q sel1 11 --since start -t 1
rdmaev log -j >"$tmp/all"

# same NAME FILTER OPTION...: log selects the same as jq. jq takes long to start in the
# VM, so it selects for all of them at once, in compare.
names=() filters=()
same()
{
	rdmaev log -j "${@:3}" >"$tmp/got.${#names[@]}"
	names+=("$1")
	filters+=("$2")
}
compare()
{
	local i program='empty'
	for i in "${!names[@]}"; do
		program+=", \"@$i\", (.[] | select(${filters[i]}) | tojson)"
	done
	jq -rs "$program" "$tmp/all" | awk -v to="$tmp/want." \
		'/^@/ { file = to substr($0, 2); printf "" >file; next } { print >file }'
	for i in "${!names[@]}"; do
		is "${names[i]}" "$(<"$tmp/got.$i")" "$(<"$tmp/want.$i")"
	done
	names=() filters=()
}
# some NAME OPTION...: and these are some, but not all
some()
{
	local n
	n=$(rdmaev log -v "${@:2}" | wc -l)
	ok "$1: some, not all" [ "$n" -gt 0 -a "$n" -lt "$(wc -l <"$tmp/all")" ]
}

some "-e PORT_*" -e 'PORT_*'
same "-e PORT_*" '.event | startswith("PORT_")' -e 'PORT_*'
same "... in small letters, with dashes" '.event | startswith("PORT_")' -e 'port-*'
same "... *CHANGE" '.event | endswith("CHANGE")' -e '*CHANGE'
same "... ?ID_CHANGE" '.event | test("^.ID_CHANGE$")' -e '?ID_CHANGE'
same "... with a name" '.event == "PKEY_CHANGE" or (.event | startswith("PORT_P"))' -e 'PORT_P*,PKEY_CHANGE'
same "... in two options" '.event == "PKEY_CHANGE" or (.event | startswith("PORT_P"))' -e 'PORT_P*' -e PKEY_CHANGE
same "-e !NAME" '.event != "GID_CHANGE"' -e '!GID_CHANGE'
same "... !PATTERN" '.event | startswith("PORT_") | not' -e '!PORT_*'
same "... more than one" '.event != "GID_CHANGE" and .event != "DEVICE_ADD"' -e '!GID_CHANGE,!DEVICE_ADD'
same "... of codes that share a bit in the kernel" '.event != "EVENT_70"' -e '!70'
same "... one of them alone" '.event == "EVENT_70"' -e 70
same "... of those selected" '(.event | startswith("PORT_")) and .event != "PORT_ERR"' -e 'PORT_*,!PORT_ERR'
same "... in any order" '(.event | startswith("PORT_")) and .event != "PORT_ERR"' -e '!PORT_ERR' -e 'PORT_*'
same "-e *: every event with a name" '.event | startswith("EVENT_") | not' -e '*'

same "--kind" '.kind == "port"' --kind port
same "... more than one" '.kind == "port" or .kind == "device"' --kind port,device
same "... in two options" '.kind == "port" or .kind == "device"' --kind PORT --kind device
same "... excluded" '.kind != "port"' --kind '!port'
same "... and -e" '.kind == "async" and (.event | startswith("PORT_"))' --kind async -e 'PORT_*'
same "--severity" '.severity == "error"' --severity error
same "... more than one" '.severity == "error" or .severity == "info"' --severity error,info
same "... excluded" '.severity != "info"' --severity '!info'
same "... and -e" '.severity == "error" and .event == "PORT_STATE"' --severity error -e PORT_STATE
same "... and a device" '.severity == "error" and .device == "sel1"' --severity error sel1
same "all at once" '.severity == "error" and .device == "sel1" and .kind == "port"' \
	--severity error,warning sel1 --kind '!async' --kind '!device' -e '!GID_CHANGE'
compare

is "-n counts what is selected" "$(rdmaev log -j -n 1 -e '!GID_*' -e '*CHANGE' | jq -r .event)" LID_CHANGE
is "... of watch" "$(rdmaev watch -j --since start -n 2 -e '!DEVICE_*' --kind port | jq -r .kind | xargs)" "port port"
is "wait: the first of a pattern" "$(rdmaev wait -j sel0 'P*_CHANGE' --since start -t 0 | jq -r .event)" PKEY_CHANGE
is "... but not these" "$(rdmaev wait -j sel0 '*_CHANGE,!LID_*,!GID_*' --since start -t 0 | jq -r .event)" PKEY_CHANGE
is "... of a kind" "$(rdmaev wait -j sel0 'PORT_*' --kind port --since start -t 0 | jq -r .kind)" port
for t in "" --netlink; do
	# shellcheck disable=SC2086
	is "watch $t selects the same as log" "$(rdmaev $t watch -v -t 0 --since start -e 'PORT_*,!PORT_ERR' --severity '!info')" \
		"$(rdmaev log -v -e 'PORT_*,!PORT_ERR' --severity '!info')"
done

### Objects and their owners

echo "sim0 2 ib" >/sys/kernel/debug/rdmaev_sim/create
insmod "$top/selftests/modules/rdmaev_ulp.ko"
run=/sys/kernel/debug/rdmaev_ulp/run
hold() { echo "hold sim0 $1" >$run; }
# notes COMMAND OPTION...: what it says on standard error
notes() { { rdmaev "$@" >/dev/null; } 2>&1; }
is "--ulp: no such name yet" "$(notes log --ulp cqtest)" \
	"rdmaev: --ulp cqtest: no ULP of this name in the log or with a CQ"
hold "create created 1 public"
is "... a CQ is enough" "$(notes log --ulp cqtest)" ""
for step in "send 1" "bad" "poll 16" "flushed"; do
	hold "$step"
done
qp=$(sed -En 's/.*\bqp=([0-9]+).*/\1/p' $run)
device=$(rdmaev devices -j sel0 | jq -r '"\(.index) \(.generation)"')
cp "$(type -P sleep)" "$tmp/selected"
sleep 1000 &
sleeps=$!
"$tmp/selected" 1000 &
selected=$!
is_selected() { [ "$(</proc/$selected/comm)" = selected ] && [ "$(</proc/$sleeps/comm)" = sleep ]; }
within 30 is_selected
if [ -e $gen/qp ]; then
	# of two processes and of the kernel: QPs 17 and 18, moved from RTS to ERR
	for args in "17 6 3 0 0 $sleeps 0" "18 6 3 0 0 $selected 0" "17 6 3 0 0 $selected 0" "17 6 3 0 0 0 0"; do
		echo "$device $args" >$gen/qp
	done
	echo "$device 0 8 8 $selected" >$gen/cm
fi
rdmaev log -j >"$tmp/all"
[ "$(jq -c 'select(.kind == "wc")' "$tmp/all" | wc -l)" -ge 1 ] || echo "# no failed completion"

same "--ulp" '.wc.owner == "cqtest"' --ulp cqtest
some "--ulp" --ulp cqtest
same "... a pattern" '.wc.owner == "cqtest"' --ulp 'cq*'
same "... excluded" '.wc.owner != "cqtest"' --ulp '!cqtest'
same "... another" false --ulp nvmet
same "... no process" false --ulp 'sleep*'
same "--qp of a ULP" ".object == \"qp\" and .object_id == $qp" --qp "$qp"
same "... in hexadecimal" ".object == \"qp\" and .object_id == $qp" --qp "$(printf '0x%x' "$qp")"
same "--qp 0: none that is unknown" '.object == "qp" and .object_id == 0' --qp 0
if [ -e $gen/qp ]; then
	some "--qp 17" --qp 17
	same "--qp" '.object == "qp" and .object_id == 17' --qp 17
	same "... more than one" '.object == "qp" and (.object_id == 17 or .object_id == 18)' --qp 17,18
	same "... in two options" '.object == "qp" and (.object_id == 17 or .object_id == 18)' --qp 17 --qp 18
	some "--pid" --pid $sleeps
	same "--pid" ".pid == $sleeps" --pid $sleeps
	same "... more than one" ".pid == $sleeps or .pid == $selected" --pid $sleeps,$selected
	same "... and a QP" ".pid == $selected and .object == \"qp\" and .object_id == 17" --pid $selected --qp 17
	some "--comm" --comm selected
	same "--comm" '.comm == "selected"' --comm selected
	same "... a pattern" '.comm == "selected"' --comm 's*ed'
	same "... or another" '.comm == "selected" or .comm == "sleep"' --comm selected --comm sleep
	same "... excluded" '.comm != "selected"' --comm '!selected'
	same "... of those selected" '.comm == "sleep"' --comm 's*' --comm '!selected'
	same "... and a QP" '.comm == "sleep" and .object_id == 17' --comm sleep --qp 17
	compare
	is "--comm: no kernel module" "$(rdmaev log -v --comm cqtest 2>&1)" \
		"rdmaev: --comm cqtest: is a ULP: use --ulp cqtest"
	is "--ulp: no process" "$(rdmaev log -v --ulp selected 2>&1)" \
		"rdmaev: --ulp selected: is a process: use --comm selected"
	for c in "log" "watch -t 0"; do
		# shellcheck disable=SC2086	# options
		is "$c: names that are like those that exist" "$(notes $c --comm slected --ulp cqtst)" \
			"rdmaev: --comm slected: no process of this name in the log or with a CQ, did you mean selected?
rdmaev: --ulp cqtst: no ULP of this name in the log or with a CQ, did you mean cqtest?"
		# shellcheck disable=SC2086
		is "... that exist, or are excluded" "$(notes $c --comm selected --comm 'sl*' --comm '!x' --ulp cqtest)" ""
	done
	is "... a pattern" "$(notes log --comm 'slected*')" \
		"rdmaev: --comm slected*: no process of this name in the log or with a CQ"
	is "... -q" "$(notes log -q --comm slected --qp 4711)" ""
	is "--qp: no such number" "$(notes log --qp 4711)" "rdmaev: --qp: no such record in the log (rdmaev log lists all)"
	is "... --pid" "$(notes log --pid 4194304)" "rdmaev: --pid: no such record in the log (rdmaev log lists all)"
	is "... both, by netlink" "$(notes --netlink log --qp 17 --pid 4194304)" \
		"rdmaev: --qp, --pid: no such record in the log (rdmaev log lists all)"
	is "... that exist" "$(notes log --qp 17 --pid $selected)" ""
	is "... watch waits for them" "$(notes watch -t 0 --qp 4711)" ""
	is "watch selects the same" "$(rdmaev --netlink watch -v -t 0 --since start --comm selected --qp 17,18)" \
		"$(rdmaev log -v --comm selected --qp 17,18)"
else
	compare
	skip "QPs and processes" "the kernel has no kprobes"
fi
kill $sleeps $selected
wait 2>/dev/null
echo "hold sim0 destroy" >$run 2>/dev/null
rmmod rdmaev_ulp

### A loss is that of the log, whatever the command selects

rmmod rdmaev
load records=64
for ((i = 0; i < 90; i++)); do
	echo "process sel0 $((100 + i)) 1 1" >$gen/run
done
within 30 rdmaev wait -q sel0 189 --since start -t 1
lost=$(rdmaev log -j --since 1 | jq -c 'select(.kind == "lost") | .lost')
is "the loss is the same with --comm" "$(rdmaev log -j --since 1 --comm x | jq -c .lost)" "$lost"
is "... with --qp" "$(rdmaev log -j --since 1 --qp 5 --qp 6 | jq -c .lost)" "$lost"
is "... with -e '!NAME'" "$(rdmaev log -j --since 1 -e '!189' | jq -c 'select(.kind == "lost") | .lost')" "$lost"
is "... and none if what is selected is in another ring" \
	"$(rdmaev log -j --since 1 --kind device | jq -c 'select(.kind == "lost") | .lost')" ""
still_del sel0
still_del sel1
plan
