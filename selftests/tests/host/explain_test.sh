#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev explain: every event, completion status, QP state, reason and fault in every
# spelling, that what they say of each other holds together, and rdmaev(4).
#
# jq has variables of its own, and sed changes each line of a text:
# shellcheck disable=SC2016,SC2001
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

# Every name, number and fact, without sentences. To write the file anew, when the
# catalogue changes: selftests/tests/host/explain_test.sh --write
golden=$top/selftests/tests/host/explain.golden
facts()
{
	jq -r '(.leads_to[]? |= .name + (.meaning | (match(" in (RTR|SQD|SQE|ERR)\\b") // null) |
			if . then "(\(.captures[0].string))" else "" end)) | (.entered[]? |= "\(.from) \(.how[:1])") | (.left[]? |= "\(.to) \(.how[:1])") |
		if .event then "\(.kind) \(.code) \(.event)" elif .state then "state \(.number) \(.state)"
		elif .port_state then "port_state \(.number) \(.port_state)"
		elif .phys_state then "phys_state \(.number) \(.phys_state)"
		elif .reason then "reason \(.number) \(.reason)" else "fault - \(.fault)" end +
		(if .meaning | endswith("Only counted.") then " counted" else "" end) +
		(del(.kind, .code, .event, .number, .state, .port_state, .phys_state, .reason, .fault,
			.meaning, .advice, .words, .title, .note, .request) | to_entries |
		map(select(.value != null and .value != []) |
			" \(.key)=" + (.value | if type == "array" then join(",") else "\(.)" end)) | join(""))'
}
if [ "${1-}" = --write ]; then
	rdmaev explain -j >"$tmp/all.json" || exit
	{
		echo "# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB"
		facts <"$tmp/all.json"
	} >"$golden"
	exit
fi
# all SORT: numbers and names
all() { awk -v sort="$1" '$1 == sort { print $2, $3 }' "$golden"; }
statuses=$(all wc)
states=$(all state)
reasons=$(all reason)
ids=$(all fault | cut -d' ' -f2 | sort)

### Everything at once

rdmaev explain -j >"$tmp/all.json"
is "-j: status" $? 0
rdmaev explain >"$tmp/all"
is "for people: status" $? 0
# All pages that are tested below, at once: jq takes long to start in the VM
jq -rs 'def part(name; f): "@" + name, (.[] | f);
part("keys"; keys_unsorted | join(" ")),
part("odd"; select((.meaning | length) < 5 or
	((.event or .reason or .port_state or .phys_state) and
		((.meaning | test("^[A-Z].*[.]$") | not) or (.advice | test("^[A-Z].*[.?]$") | not))) or
	(.reason and (.words | test("^[a-zA-Z].*[a-zA-Z]$") | not)) or
	(.event and .severity != "error" and .severity != "warning" and .severity != "info"))),
part("titles"; if .fault then .fault elif .state then "\(.state) QP state \(.number)"
	elif .port_state then "\(.port_state) port state \(.number)"
	elif .phys_state then "\(.phys_state) physical port state \(.number)"
	elif .reason then "\(.reason) reason \(.number)" else
	"\(.event) \(.kind) \(.code)" end),
part("meanings"; .meaning, .advice // empty, .words // empty),
part("known"; .event // .state // empty),
part("follows"; (.leads_to // [])[].name),
part("seen"; select(.fault) | .responder[], .requester),
part("seen_by_requester"; select(.fault) | .requester),
part("shown_by"; select(.fault) | .fault as $f | .responder[], .requester | "\($f) \(.)"),
part("fault_of"; .event as $e | (.faults // [])[] | "\(.) \($e)"),
part("other_names"; select(.event and .kind != "async" and .kind != "wc") | .event),
part("sentences"; select(.fault or .port_state or .phys_state | not) | .meaning, .advice // empty)' "$tmp/all.json" >"$tmp/parts"
# part NAME: the page
part()
{
	awk -v name="@$1" '/^@/ { on = $0 == name; found += on; next } on
		END { if (!found) print "no part " name }' "$tmp/parts"
}
is "-j: an object a line, as short as can be" "$(jq -c . "$tmp/all.json" | diff - "$tmp/all.json")" ""
is "every name, number and fact" "$(facts <"$tmp/all.json" | diff <(tail -n +2 "$golden") -)" ""
is "the keys" "$(part keys | uniq)" \
	"event kind code object scope severity ring protocols services side role effect meaning advice leads_to faults
state number title meaning post_receive post_send receive_requests send_requests $(
	)incoming_packets outgoing_packets iwarp entered left leads_to
port_state number meaning advice
phys_state number meaning advice
reason number words meaning advice
fault request meaning responder requester note"
is "meaning and advice for each" "$(part odd)" ""
is "headings" "$(grep -E '^[A-Z ]+$' "$tmp/all" | grep ' \|LOSSES')" \
	"$(sed -n 's/^KIND(.*"\(.*\)")$/\1/p' "$top/include/internal/catalogue.def")
QP STATES
PORT STATES
REASONS OF REFUSED CONNECTIONS
FAULTS OF RELIABLE CONNECTIONS"
is "for people: the same, in the same order" \
	"$(sed -nE 's/^([A-Z_]+) \(([a-z]+|QP state|port state|physical port state|reason) ([0-9]+)( of CM_REJECTED)?\)$/\1 \2 \3/p; s/^[a-z-]+$/&/p' "$tmp/all")" \
	"$(part titles)"
is "... in 80 columns, no line ends in a blank" "$(grep -nE '.{81}| $' "$tmp/all")" ""
# The words of a text without its line breaks
words() { tr -s ' \n' '\n'; }
is "... every word of it" "$(part meanings | words | sort -u |
	comm -23 - <(words <"$tmp/all" | sort -u))" ""

### Names and numbers

# spellings FILTER PREFIX...: explained events, for all valid spellings of
# numbers and names; the last prefix is for numbers, too
spellings()
{
	local number name p args=() short=${*: -1}
	while read -r number name _; do
		for p in "" "${@:2}"; do
			args+=("$p$name" "${p,,}${name,,}" "${p//_/-}${name//_/-}")
		done
		args+=("$short$number" "${short,,}$number")
	done
	rdmaev explain -j "${args[@]}" | jq -r "$1" | uniq -c | sed 's/^ *//'
}
is "events in every spelling" \
	"$(spellings '"\(.kind) \(.code) \(.event)"' IB_EVENT_ IBV_EVENT_ EVENT_ <<<"$event_names")" \
	"$(sed 's/^/14 async /' <<<"$event_names")"
is "completion statuses" \
	"$(spellings '"\(.kind) \(.code) \(.event)"' IB_WC_ IBV_WC_ WC_ <<<"$statuses")" \
	"$(sed 's/^/14 wc /' <<<"$statuses")"
is "QP states" "$(spellings 'select(.state) | "\(.number) \(.state)"' IB_QPS_ IBV_QPS_ QPS_ <<<"$states")" \
	"$(sed 's/^/14 /' <<<"$states")"
is "reasons" "$(spellings '"\(.number) \(.reason)"' IB_CM_REJ_ REJ_ <<<"$reasons")" \
	"$(sed 's/^/11 /' <<<"$reasons")"
is "... Error too" "$(rdmaev explain Error ERROR error | grep -c '^ERR (QP state 6)$')" 3
is "a number is that of an event" \
	"$(rdmaev explain {0..20} | sed -nE 's/^([A-Z_]+) \(async ([0-9]+)\)$/\2 \1/p')" "$event_names"
rdmaev explain 4 >"$tmp/out"
is "... and says what else has it" "$(sed -n '1p; /same number/,$p' "$tmp/out" | tr -s ' ')" \
	"COMM_EST (async 4)
 same number completion status WC_4: LOC_PROT_ERR
 QP state QPS_4: SQD
 port state: ACTIVE
 physical port state: TRAINING
 change of a port: PORT_SM_LID
 CM event: CM_CONNECT_REQUEST
 reason of CM_REJECTED REJ_4: TIMEOUT"
is "... of 10" "$(rdmaev explain 10 | sed -n '1p; /same number/,$p' | tr -s ' ')" \
	"PORT_ERR (async 10)
 same number completion status WC_10: REM_ACCESS_ERR
 change of a port: PORT_OUTAGE
 CM event: CM_DISCONNECTED
 reason of CM_REJECTED REJ_10: STALE_CONN"
is "... also a status that is no event" "$(rdmaev explain 22 | sed -n '1p; /same number/,$p' | tr -s ' ')" \
	"TM_ERR (wc 22)
 same number reason of CM_REJECTED REJ_22: INVALID_ALT_HOP_LIMIT"
is "... and a reason that is neither" "$(rdmaev explain 33 | sed -n '1p; /same number/,$p')" \
	"INVALID_ALT_FLOW_LABEL (reason 33 of CM_REJECTED)"
is "... is what it says that it is" "$(for n in {0..40}; do
		rdmaev explain "$n" 2>/dev/null | grep -oE '(WC|QPS|REJ)_[0-9]+: [A-Z_]+' | while IFS=': ' read -r typed name; do
			[ "$(rdmaev explain -j "$typed" | jq -r '.event // .state // .reason')" = "$name" ] || echo "$typed"
		done
	done)" ""
is "... a name does not" "$(rdmaev explain COMM_EST | grep -c "same number")" 0
is "... nor JSON" "$(rdmaev explain -j 4)" "$(rdmaev explain -j COMM_EST)"
is "several at once" "$(rdmaev explain sqd PORT_ERR wc-12 rej-8 cm-rejected | grep '^[A-Z]')" \
	"SQD (QP state 4)
PORT_ERR (async 10)
RETRY_EXC_ERR (wc 12)
INVALID_SERVICE_ID (reason 8 of CM_REJECTED)
CM_REJECTED (cm 8)"
fails "a slip" 2 "PORT_EROR: no such event, status, state, reason or fault, did you mean PORT_ERR\? .*" explain PORT_EROR
fails "... of a status" 2 "RETRY_EXEC_ERR: .*, did you mean RETRY_EXC_ERR\? .*" explain RETRY_EXEC_ERR
fails "... of a state" 2 "RTZ: .*, did you mean RTR or RTS\? .*" explain RTZ
fails "... of a reason" 2 "STALE_CON: .*, did you mean STALE_CONN\? .*" explain STALE_CON
# titles NAME...: of what is explained
titles() { rdmaev explain "$@" | grep -v '^ ' | xargs -d '\n'; }
is "a state of a port" "$(titles ACTIVE active IBV_PORT_ACTIVE ib-port-active)" \
	"ACTIVE (port state 4)  ACTIVE (port state 4)  ACTIVE (port state 4)  ACTIVE (port state 4)"
is "... the event of that name first" "$(titles PORT_ACTIVE)" "PORT_ACTIVE (async 9)"
is "... which has none" "$(titles PORT_DOWN DOWN)" "DOWN (port state 1)  DOWN (port state 1)"
is "... that QPs have, too" "$(titles INIT)" "INIT (QP state 1)  INIT (port state 2)"
is "... not with a prefix of one" "$(titles IBV_QPS_INIT IBV_PORT_INIT)" "INIT (QP state 1)  INIT (port state 2)"
is "... of its link" "$(titles polling IB_PORT_PHYS_STATE_POLLING)" \
	"POLLING (physical port state 2)  POLLING (physical port state 2)"
attributes=$(rdmaev explain -j | jq -r 'select(.kind == "port" and (.event | test("(OUTAGE(_END)?|QUERY_[A-Z]+)$") | not)) | .event | ascii_downcase | ltrimstr("port_")')
is "attributes of a port, as JSON has them" \
	"$(rdmaev explain -j state phys_state lid sm_lid speed width gid pkey outages mtu | jq -r '.event | ascii_downcase | ltrimstr("port_")')" \
	"$attributes"
is "a fault" "$(titles write-rkey WRITE_RKEY)" "write-rkey  write-rkey"
fails "... a part of several" 2 "rkey: .*, did you mean write-rkey, write-imm-rkey or read-rkey\? .*" explain rkey
fails "a word of a name" 2 "LIMIT: .*, did you mean SRQ_LIMIT_REACHED, .*\? .*" explain LIMIT
fails "... not one that is but alike" 2 "DOWM: .*, did you mean DOWN\? .*" explain DOWM
fails "letters exchanged" 2 "ACITVE: .*, did you mean ACTIVE\? .*" explain ACITVE
fails "no idea" 2 "frobnicate: no such event, status, state, reason or fault \(rdmaev explain lists them\)" explain frobnicate
for n in 99 34 36 EVENT_99 WC_24 IBV_WC_24 QPS_7 REJ_0 REJ_34; do
	fails "a number, $n" 2 "$n: unknown number" explain $n
done
is "a number that only a status has" "$(rdmaev explain 22 | head -n 1)" "TM_ERR (wc 22)"
is "... that only a reason has" "$(rdmaev explain 28 | head -n 1)" "CONSUMER_DEFINED (reason 28 of CM_REJECTED)"
is "a reason, for people" "$(rdmaev explain invalid-service-id | tr -s ' ')" \
	"INVALID_SERVICE_ID (reason 8 of CM_REJECTED)
 says nobody listens there
 meaning Nobody listens at that address and port (service ID).
 advice Is the program or ULP of the peer running, and does it
 listen at this address, port and port space?"
fails "... of the wrong family" 2 "IBV_WC_PORT_ERR: no such event, .*" explain IBV_WC_PORT_ERR
rdmaev explain -j nonsense SQD >"$tmp/out" 2>/dev/null
is "the rest is explained all the same" "$? $(jq -r .state "$tmp/out")" "2 SQD"

### Statuses and what follows

part known | sort >"$tmp/names"
is "what follows exists" "$(part follows | sort -u | comm -23 - "$tmp/names")" ""
is "... what the ends see, too" "$(part seen | sort -u |
	comm -23 - "$tmp/names")" ""
is "... the requester by completion" "$(part seen_by_requester | sort -u |
	comm -23 - <(cut -d' ' -f2 <<<"$statuses" | sort))" ""
is "each knows the faults that it shows" "$(part fault_of | sort)" \
	"$(part shown_by | sort)"
rdmaev explain CQ_ERR LOC_LEN_ERR >"$tmp/out"
like "for people" "$(<"$tmp/out")" '^  leads to         QP_FATAL: each QP'
like "... who sees it" "$(<"$tmp/out")" '^  seen by          requester and responder$'
like "... faults" "$(<"$tmp/out")" '^  faults           send-length, send-max-msg, write-imm-max-msg$'

### States

rdmaev explain sqe | tr -s ' ' >"$tmp/out"
is "for people" "$(grep -E '^ (post|send req|incoming|entered|left|in iWARP)' "$tmp/out")" \
	" post receive yes
 post send yes
 send requests flushed
 incoming packets handled
 in iWARP Terminate
 entered from RTS, automatic: a send of a QP other than RC failed
 left to RTS, modify: sends go on; not for RC"

### Faults

rdmaev explain --fault >"$tmp/faults"
is "--fault: all" "$(grep -v '^ ' "$tmp/faults" | grep -v '^$' | tail -n +2 | sort)" "$ids"
is "... -j" "$(rdmaev explain --fault -j)" "$(grep '^{"fault"' "$tmp/all.json")"
names=()
for id in $ids; do
	up=${id^^}
	names+=("$id" "${up//-/_}" "${id//-/_}" "${id//-/}")
done
is "... each by its name, in every spelling" \
	"$(rdmaev explain -j --fault "${names[@]}" | jq -r .fault | uniq -c | sed 's/^ *//')" "$(sed 's/^/4 /' <<<"$ids")"
for part in rkey R_Key read imm max_msg y; do
	echo "$part:"
	rdmaev explain --fault "$part" | grep '^[a-z]'
done | xargs >"$tmp/out"
is "... by a part" "$(<"$tmp/out")" "rkey: write-rkey write-imm-rkey read-rkey atomic-rkey $(
	)R_Key: write-rkey write-imm-rkey read-rkey atomic-rkey $(
	)read: read-rkey read-depth read-max-msg $(
	)imm: write-imm-rkey write-imm-rnr write-imm-max-msg $(
	)max_msg: send-max-msg write-max-msg write-imm-max-msg read-max-msg $(
	)y: send-lkey write-rkey write-imm-rkey read-rkey atomic-rkey local-lkey"
is "... the name itself is no part of another" "$(rdmaev explain --fault other | grep '^[a-z]')" other
is "... for people" "$(rdmaev explain --fault write-imm-rkey | head -n 5)" \
	"write-imm-rkey
  request          RDMA WRITE with immediate
  fault            R_Key, range or access rights do not match
  responder sees   LOC_ACCESS_ERR completion, or QP_ACCESS_ERR event
  requester sees   REM_ACCESS_ERR completion"
is "... nothing to be seen" "$(rdmaev explain --fault peer-gone | grep sees | tr -s ' ')" \
	" responder sees nothing
 requester sees RETRY_EXC_ERR completion"
for id in '' - PORT_ERR write-rkeys; do
	fails "no such fault '$id'" 2 "$id: no such fault; there are:.* write-rkey .*" explain --fault "$id"
done
is "... it lists them all" "$(sed 's/.*there are: //' "$tmp/out" | tr ' ' '\n' | sort)" "$ids"
fails "--fault is for explain" 2 "--fault: not an option of rdmaev watch .*" watch --fault

### rdmaev(4), made from the same table

# section TITLE: number and name of each entry
section()
{
	awk -v title="$1" '/^\.S[SH] / { on = $0 == ".SS " title } on' "$top/ulib/man/rdmaev.4" |
		sed -nE 's/^\.BR ([A-Z_]+) " \(([0-9]+)\)"$/\2 \1/p'
}
is "rdmaev(4): events" "$(section "Asynchronous events")" "$event_names"
is "... statuses" "$(section "Completion statuses")" "$statuses"
is "... states" "$(section "Queue pair states")" "$states"
is "... reasons" "$(section "Reasons of refused connections")" "$reasons"
is "... other records" "$(awk '/^\.S[SH] / { on = $0 == ".SS Other records" } on' "$top/ulib/man/rdmaev.4" |
	sed -nE 's/^\.B ([A-Z_]+)$/\1/p')" \
	"$(part other_names)"
is "... with every word" "$(part sentences | sort |
	comm -23 - <(sort "$top/ulib/man/rdmaev.4"))" ""
like "... and what a state allows" "$(<"$top/ulib/man/rdmaev.4")" \
	'^Post receive: yes, post send: no; receive requests: not processed; .*; in iWARP: Idle\.$'
plan
