#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev explain: every event, completion status, QP state, reason and fault in every
# spelling, that what they say of each other holds together, and rdmaev(4).
#
# jq has variables of its own, and sed changes each line of a text:
# shellcheck disable=SC2016,SC2001
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

# Written by hand, not from the catalogue, which is tested here: number, name,
# ends that see it, state of the QP afterwards. q: requester, p: responder, e:
# ERR, s: ERR or SQE
statuses="0 SUCCESS qp -
1 LOC_LEN_ERR qp s
2 LOC_QP_OP_ERR qp s
3 LOC_EEC_OP_ERR - ?
4 LOC_PROT_ERR qp s
5 WR_FLUSH_ERR qp -
6 MW_BIND_ERR q s
7 BAD_RESP_ERR q e
8 LOC_ACCESS_ERR p e
9 REM_INV_REQ_ERR q e
10 REM_ACCESS_ERR q e
11 REM_OP_ERR q e
12 RETRY_EXC_ERR q e
13 RNR_RETRY_EXC_ERR q e
14 LOC_RDD_VIOL_ERR - ?
15 REM_INV_RD_REQ_ERR - ?
16 REM_ABORT_ERR p -
17 INV_EECN_ERR - ?
18 INV_EEC_STATE_ERR - ?
19 FATAL_ERR qp e
20 RESP_TIMEOUT_ERR q ?
21 GENERAL_ERR qp ?
22 TM_ERR qp ?
23 TM_RNDV_INCOMPLETE qp ?"

states="0 RESET
1 INIT
2 RTR
3 RTS
4 SQD
5 SQE
6 ERR"

# enum ib_port_state, enum ib_port_phys_state
port_states="1 DOWN
2 INIT
3 ARMED
4 ACTIVE
5 ACTIVE_DEFER"

phys_states="1 SLEEP
2 POLLING
3 DISABLED
4 TRAINING
5 LINK_UP
6 LINK_ERROR_RECOVERY
7 PHY_TEST"

# enum ib_cm_rej_reason
reasons="1 NO_QP
2 NO_EEC
3 NO_RESOURCES
4 TIMEOUT
5 UNSUPPORTED
6 INVALID_COMM_ID
7 INVALID_COMM_INSTANCE
8 INVALID_SERVICE_ID
9 INVALID_TRANSPORT_TYPE
10 STALE_CONN
11 RDC_NOT_EXIST
12 INVALID_GID
13 INVALID_LID
14 INVALID_SL
15 INVALID_TRAFFIC_CLASS
16 INVALID_HOP_LIMIT
17 INVALID_PACKET_RATE
18 INVALID_ALT_GID
19 INVALID_ALT_LID
20 INVALID_ALT_SL
21 INVALID_ALT_TRAFFIC_CLASS
22 INVALID_ALT_HOP_LIMIT
23 INVALID_ALT_PACKET_RATE
24 PORT_CM_REDIRECT
25 PORT_REDIRECT
26 INVALID_MTU
27 INSUFFICIENT_RESP_RESOURCES
28 CONSUMER_DEFINED
29 INVALID_RNR_RETRY
30 DUPLICATE_LOCAL_COMM_ID
31 INVALID_CLASS_VERSION
32 INVALID_FLOW_LABEL
33 INVALID_ALT_FLOW_LABEL
35 VENDOR_OPTION_NOT_SUPPORTED"

# id, report at the responder, report at the requester
faults="atomic-align QP_ACCESS_ERR REM_INV_REQ_ERR
atomic-depth QP_ACCESS_ERR REM_INV_REQ_ERR
atomic-rkey QP_ACCESS_ERR REM_ACCESS_ERR
dropped - RETRY_EXC_ERR
local-lkey - LOC_PROT_ERR
other QP_REQ_ERR REM_OP_ERR
peer-gone - RETRY_EXC_ERR
read-depth QP_ACCESS_ERR REM_INV_REQ_ERR
read-max-msg QP_REQ_ERR REM_INV_REQ_ERR
read-rkey QP_ACCESS_ERR REM_ACCESS_ERR
send-length LOC_LEN_ERR REM_INV_REQ_ERR
send-lkey LOC_PROT_ERR REM_OP_ERR
send-max-msg LOC_LEN_ERR REM_INV_REQ_ERR
send-other LOC_QP_OP_ERR REM_OP_ERR
send-rnr - RNR_RETRY_EXC_ERR
write-imm-max-msg QP_REQ_ERR,LOC_LEN_ERR REM_INV_REQ_ERR
write-imm-rkey LOC_ACCESS_ERR,QP_ACCESS_ERR REM_ACCESS_ERR
write-imm-rnr - RNR_RETRY_EXC_ERR
write-max-msg QP_REQ_ERR REM_INV_REQ_ERR
write-rkey QP_ACCESS_ERR REM_ACCESS_ERR"

### Everything at once

rdmaev explain -j >"$tmp/all.json"
is "-j: status" $? 0
rdmaev explain >"$tmp/all"
is "for people: status" $? 0
# All pages that are tested below, at once: jq takes long to start in the VM
jq -rs 'def part(name; f): "@" + name, (.[] | f);
part("events"; select(.kind == "async") | "\(.code) \(.event)"),
part("records"; select(.event and .kind != "async" and .kind != "wc") | "\(.kind) \(.code)"),
part("statuses"; select(.kind == "wc") | "\(.code) \(.event)"),
part("states"; select(.state) | "\(.number) \(.state)"),
part("faults"; select(.fault) | [.fault, (.responder | join(",")), .requester] | join(" ")),
part("reasons"; select(.reason) | "\(.number) \(.reason)"),
part("port_states"; select(.port_state) | "\(.number) \(.port_state)"),
part("phys_states"; select(.phys_state) | "\(.number) \(.phys_state)"),
part("nothing_else"; select(.event or .state or .port_state or .phys_state or .reason or .fault | not)),
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
part("sides"; select(.kind == "wc") | "\(.event) \(.side)"),
part("unaffiliated"; select(.kind == "async" and .scope == "unaffiliated") | .code),
part("effects"; select(.kind == "wc") | "\(.event) \(.effect)"),
part("roles"; select(.role and .role != "cause") | "\(.event) \(.role)"),
part("no_errors"; select(.kind == "wc" and .severity == "info") | .event),
part("after_events"; select(.kind == "async") | .event + (.leads_to | map(select(.name | startswith("PORT_") | not) |
	" " + .name) | join("")) | select(contains(" "))),
part("after_completions"; select(.kind == "completion") | [.event, .leads_to[].name] | join(" ")),
part("after_qps"; select(.kind == "qp") | [.event, .leads_to[].name] | join(" ")),
part("after_cms"; select(.kind == "cm" and .leads_to != []) | [.event, .leads_to[].name] | join(" ")),
part("after_observer"; select(.kind == "observer" and .leads_to != []) | [.event, .leads_to[].name] | join(" ")),
part("after_ports"; .event as $e | (.leads_to // [])[] | select(.name | startswith("PORT_")) | "\($e) \(.name)"),
part("after_statuses"; select(.kind == "wc") | .event + " " + (.leads_to |
	map(.name + (.meaning | capture(" in (?<s>[A-Z]+)").s | ascii_downcase)) | join(","))),
part("after_states"; select(.state) | .state + " " + (.leads_to | map(.name) | join(","))),
part("counted"; select(.kind == "cm" and (.meaning | endswith("Only counted."))) | .code),
part("severities"; select(.kind == "cm" and .severity != "info") | "\(.event) \(.severity)"),
part("known"; .event // .state // empty),
part("follows"; (.leads_to // [])[].name),
part("seen"; select(.fault) | .responder[], .requester),
part("seen_by_requester"; select(.fault) | .requester),
part("fault_of"; .event as $e | (.faults // [])[] | "\(.) \($e)"),
part("allows"; select(.state) | [.state, .post_receive, .post_send, .receive_requests,
	.send_requests, .incoming_packets, .outgoing_packets, .iwarp] | join("|")),
part("left"; select(.state) | .state as $s |
	.left | map("\(.to) \(.how[:1])") | "\($s): " + join(", ")),
part("entered"; select(.state) | .state as $s |
	.entered | map("\(.from) \(.how[:1])") | "\($s): " + join(", ")),
part("other_names"; select(.event and .kind != "async" and .kind != "wc") | .event),
part("sentences"; select(.fault or .port_state or .phys_state | not) | .meaning, .advice // empty)' "$tmp/all.json" >"$tmp/parts"
# part NAME: the page
part()
{
	awk -v name="@$1" '/^@/ { on = $0 == name; found += on; next } on
		END { if (!found) print "no part " name }' "$tmp/parts"
}
is "-j: an object a line, as short as can be" "$(jq -c . "$tmp/all.json" | diff - "$tmp/all.json")" ""
is "every event" "$(part events)" "$event_names"
is "every record of devices, ports, CQs, QPs, connections and the observer, notes, probes, and losses" \
	"$(part records | xargs)" \
	"device 1 device 2 device 3 device 4 device 5 device 6 port 1 port 2 port 3 port 4 port 5 port 6 port 7 port 8 port 9 $(
	)port 10 port 11 port 12 port 13 completion 1 completion 2 completion 3 qp 0 qp 1 qp 2 qp 3 qp 4 qp 5 qp 6 qp 8 $(
	)observer 1 observer 2 observer 3 observer 4 observer 5 observer 6 $(printf 'cm %d ' {0..19})note 1 note 2 note 3 probe 1 probe 2 probe 3 probe 4 probe 5 lost 0"
is "every completion status" "$(part statuses)" \
	"$(cut -d' ' -f1,2 <<<"$statuses")"
is "every QP state" "$(part states)" "$states"
is "every state of a port" "$(part port_states)" "$port_states"
is "... and of its physical link" "$(part phys_states)" "$phys_states"
is "every reason of a refused connection" "$(part reasons)" "$reasons"
is "every fault" "$(part faults |
	sed 's/  / - /' | sort)" "$faults"
is "... nothing else" "$(part nothing_else)" ""
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
	"ASYNCHRONOUS EVENTS
RECORDS OF DEVICES AND PORTS
RECORDS OF COMPLETION QUEUES
RECORDS OF QUEUE PAIRS
RECORDS OF THE OBSERVER
RECORDS OF CONNECTIONS
NOTES OF KERNEL ULPS
RECORDS OF PROBES
LOSSES
COMPLETION STATUSES
QP STATES
PORT STATES
REASONS OF REFUSED CONNECTIONS
FAULTS OF RELIABLE CONNECTIONS"
is "for people: the same, in the same order" \
	"$(sed -nE 's/^([A-Z_]+) \((async|device|port|completion|lost|wc|qp|observer|cm|note|probe|QP state|port state|physical port state|reason) ([0-9]+)( of CM_REJECTED)?\)$/\1 \2 \3/p; s/^[a-z-]+$/&/p' "$tmp/all")" \
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
	"$(cut -d' ' -f1,2 <<<"$statuses" | sed 's/^/14 wc /')"
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
	"$(rdmaev explain -j state phys_state lid sm_lid speed width gid pkey outages | jq -r '.event | ascii_downcase | ltrimstr("port_")')" \
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

is "who sees it" "$(part sides |
	sed 's/requester and responder/qp/; s/nobody/-/; s/requester/q/; s/responder/p/')" \
	"$(awk '{ print $2, $3 }' <<<"$statuses")"
is "... of an event the scope says it" \
	"$(part unaffiliated | xargs)" "8 9 10 11 12 13 17 18 20"
is "where the QP goes" "$(part effects |
	sed 's/none$/-/; s/QP to ERR; .*/s/; s/QP to ERR$/e/; s/up to.*/?/')" \
	"$(awk '{ print $2, $4 }' <<<"$statuses")"
is "all but two are causes" "$(part roles)" \
	"SUCCESS none
WR_FLUSH_ERR consequence"
is "... and one no error" "$(part no_errors)" SUCCESS
is "what leads to what" \
	"$(part after_events)" \
	"CQ_ERR QP_FATAL
QP_FATAL ERR WR_FLUSH_ERR QP_LAST_WQE_REACHED
QP_REQ_ERR ERR WR_FLUSH_ERR QP_LAST_WQE_REACHED
QP_ACCESS_ERR ERR WR_FLUSH_ERR QP_LAST_WQE_REACHED
PORT_ERR RETRY_EXC_ERR
SRQ_ERR QP_FATAL"
is "... a stalled CQ" "$(part after_completions)" \
	"CQ_NOTIFIED
CQ_STALLED CQ_ERR CQ_RECOVERED
CQ_RECOVERED"
is "... requests for QPs" "$(part after_qps)" \
	"QP_RESET
QP_INIT
QP_RTR
QP_RTS
QP_SQD SQD SQ_DRAINED
QP_SQE SQE WR_FLUSH_ERR
QP_ERR ERR CM_DISCONNECTED WR_FLUSH_ERR QP_LAST_WQE_REACHED
QP_DESTROY"
is "... events of connections" "$(part after_cms)" "CM_DISCONNECTED QP_ERR"
is "... which of them are only counted" "$(part counted | xargs)" "0 2 4 5 9 12 15 16 18 19"
is "... which are not normal" "$(part severities)" \
	"CM_ADDR_ERROR error
CM_ROUTE_ERROR error
CM_CONNECT_ERROR error
CM_UNREACHABLE error
CM_REJECTED warning
CM_DEVICE_REMOVAL warning
CM_MULTICAST_ERROR error
CM_ADDRINFO_ERROR error"
is "... a blind observer" "$(part after_observer)" "OBSERVER_BLIND OBSERVER_SEEING"
is "... port events to what is found" \
	"$(part after_ports)" \
	"PORT_ACTIVE PORT_STATE
PORT_ERR PORT_STATE
PORT_ERR PORT_OUTAGE_UNSEEN
PORT_ERR PORT_OUTAGE
LID_CHANGE PORT_LID
PKEY_CHANGE PORT_PKEY
SM_CHANGE PORT_SM_LID
GID_CHANGE PORT_GID
PORT_OUTAGE PORT_OUTAGE_END
PORT_QUERY_STUCK PORT_QUERY_RETURNED"
is "... each error of a QP to flushed requests" \
	"$(part after_statuses)" \
	"$(awk '{ print $2 " " ($4 == "s" ? "WR_FLUSH_ERRsqe," : "") \
		($4 ~ /[es]/ ? "WR_FLUSH_ERRerr,QP_LAST_WQE_REACHEDerr" : "") }' <<<"$statuses")"
is "... and states" "$(part after_states | grep '[A-Z] [A-Z]')" \
	"RTR COMM_EST
SQD SQ_DRAINED
SQE WR_FLUSH_ERR
ERR WR_FLUSH_ERR,QP_LAST_WQE_REACHED"
part known | sort >"$tmp/names"
is "what follows exists" "$(part follows | sort -u | comm -23 - "$tmp/names")" ""
is "... what the ends see, too" "$(part seen | sort -u |
	comm -23 - "$tmp/names")" ""
is "... the requester by completion" "$(part seen_by_requester | sort -u |
	comm -23 - <(cut -d' ' -f2 <<<"$statuses" | sort))" ""
is "each knows the faults that it shows" "$(part fault_of | sort)" \
	"$(awk '{ n = split($2 "," $3, sees, ","); for (i = 1; i <= n; i++) if (sees[i] != "-") print $1, sees[i] }' \
		<<<"$faults" | sort)"
rdmaev explain CQ_ERR LOC_LEN_ERR >"$tmp/out"
like "for people" "$(<"$tmp/out")" '^  leads to         QP_FATAL: each QP'
like "... who sees it" "$(<"$tmp/out")" '^  seen by          requester and responder$'
like "... faults" "$(<"$tmp/out")" '^  faults           send-length, send-max-msg, write-imm-max-msg$'

### States

is "what each allows" "$(part allows)" \
	"RESET|false|false|none|none|dropped|none|Idle
INIT|true|false|not processed|none|dropped|none|Idle
RTR|true|false|processed|none|handled|responses only|
RTS|true|true|processed|processed|handled|initiated|RTS
SQD|true|true|processed|started ones finish, others wait|handled|responses, and sends that finish|Closing
SQE|true|true|processed|flushed|handled|responses|Terminate
ERR|true|true|flushed|flushed|dropped|none|Error"
is "how each is left" "$(part left)" \
	"RESET: INIT m, ERR m
INIT: RTR m, RESET m, ERR m
RTR: RTS m, RESET m, ERR m, ERR a
RTS: SQD m, RESET m, ERR m, SQE a, ERR a
SQD: RTS m, RESET m, ERR m, SQE a, ERR a
SQE: RTS m, RESET m, ERR m, ERR a
ERR: RESET m"
is "... and entered" "$(part entered)" \
	"RESET: ANY m
INIT: RESET m
RTR: INIT m
RTS: RTR m, SQD m, SQE m
SQD: RTS m
SQE: RTS a, SQD a
ERR: ANY m, RTR a, RTS a, SQD a, SQE a"
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

ids=$(cut -d' ' -f1 <<<"$faults")
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
is "... statuses" "$(section "Completion statuses")" "$(cut -d' ' -f1,2 <<<"$statuses")"
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
