#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Completion of the command line in bash: commands, options, events. Devices and ports:
# complete_devices_test.sh
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../completion.sh"

like "bash knows it" "$(complete -p rdmaev)" '-F _rdmaev rdmaev$'

### Commands and options

is "commands: all that help lists" "$(complete_words "" | xargs)" \
	"$(rdmaev -h | sed -n '/^$/,$p' | awk '/^  [a-z]/ { print $1 }' | uniq | xargs)"
is "... that begin with this" "$(complete_words ex)" explain
is "... after options" "$(complete_words --netlink --node /x ex)" explain
is "... none" "$(complete_words frob)" ""
for c in watch log wait status ack why report devices stats cqs probe observer explain release; do
	is "$c: all options that its help lists" "$(complete_words $c -- | xargs)" \
		"$(rdmaev $c -h | sed -nE 's/^  (-., |    )(--[a-z-]+).*/\2/p' | xargs)"
done
is "options before the command" "$(complete_words --ne)" --netlink

### Values of options

is "-e" "$(complete_words log -e PORT_A)" PORT_ACTIVE
is "... in small letters" "$(complete_words log -e port_a)" PORT_ACTIVE
is "... every event" "$(complete_words log -e "" | wc -w)" "$(rdmaev explain -j | grep -c '^{"event"')"
is "... the next of a list" "$(complete_words log -e LID_CHANGE,PORT_A)" LID_CHANGE,PORT_ACTIVE
is "... excluded" "$(complete_words log -e 'LID_CHANGE,!PORT_A')" 'LID_CHANGE,!PORT_ACTIVE'
is "... after an equals sign" "$(complete_words log --event = PORT_A)" PORT_ACTIVE
is "... which was just typed" "$(complete_words log --kind = | wc -w)" 11
is "--kind" "$(complete_words log --kind p)" "port probe"
is "--severity" "$(complete_words watch --severity error,w)" error,warning
is "--format" "$(complete_words status --format n)" "nagios npd"
is "--since" "$(complete_words log --since y)" yesterday
is "--cursor-file: files, which bash completes" "$(complete_words log --cursor-file x)" ""
is "-n: nothing" "$(complete_words log -n "")" ""

### explain

is "explain: an event" "$(complete_words explain PORT_A)" PORT_ACTIVE
is "... a state" "$(complete_words explain SQ | xargs)" "SQ_DRAINED SQD SQE"
is "... a reason" "$(complete_words explain STALE)" STALE_CONN
is "... a second one" "$(complete_words explain SQD STALE)" STALE_CONN
is "--fault" "$(complete_words explain --fault write-rk)" write-rkey

is "no module, no word" "$(complete_words --node /nowhere log nosuch 2>&1)" ""
plan
