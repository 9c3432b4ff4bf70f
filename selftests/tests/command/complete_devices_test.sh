#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Completion of the command line in bash: devices and ports.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../completion.sh"

rxe_add com0
rxe_add com1
for c in watch log wait status ack why report devices stats probe; do
	is "$c: devices and ports" "$(complete_words $c com | xargs -n1 | sort | xargs)" "com0 com0/1 com1 com1/1"
done
is "... one of them" "$(complete_words log com1/)" com1/1
is "... a second one" "$(complete_words log com1 com0/)" com0/1
is "cqs: devices" "$(complete_words cqs com | xargs -n1 | sort | xargs)" "com0 com1"
is "probe: the interval" "$(complete_words probe com0 o)" "on off"
is "wait: the event" "$(complete_words wait com0 PORT_A)" PORT_ACTIVE
is "... or a state" "$(complete_words wait com0 d | xargs)" "down DEVICE_FATAL DEVICE_SPEED_CHANGE DEVICE_ADD$(
	rdmaev explain -j | jq -r '.event // empty' | grep '^D' | grep -vE 'FATAL|SPEED|ADD' | sed 's/^/ /' | tr -d '\n')"
is "... with options before" "$(complete_words wait -t 5 com0 PORT_A)" PORT_ACTIVE
rxe_del com1
like "log: a removed one, too" "$(complete_words log com1)" "^com1"
is "watch: not" "$(complete_words watch com1)" ""
rxe_del com0
plan
