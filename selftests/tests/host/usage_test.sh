#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Wrong use of the command, which needs no module to be told: commands, options, values.
# What it has to ask the module for is in cmd_edge_test.sh.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

fails "no command" 2 "no command given; .*"
fails "no such command" 2 "frobnicate: no such command; rdmaev -h lists them" frobnicate
fails "... nearly" 2 "wacth: no such command, did you mean watch\?; .*" wacth
fails "... by the name of another tool" 2 "tail: no such command, did you mean log\?; .*" tail
fails "... an event" 2 "PORT_ERR: no such command; rdmaev explain PORT_ERR explains it" PORT_ERR
fails "no such option" 2 "--bogus: no such option .*" watch --bogus
fails "... nearly" 2 "--sinse: no such option, did you mean --since\? \(rdmaev log -h\)" log --sinse boot
fails "... with its value" 2 "--servity=error: no such option, did you mean --severity\? .*" log --servity=error
fails "... of another command" 2 "--untli: no such option \(rdmaev watch -h\)" watch --untli now
fails "... before a command" 2 "--netlnk: no such option, did you mean --netlink\? \(rdmaev -h\)" --netlnk log
fails "... in one word" 2 "--cursorfile: no such option, did you mean --cursor-file\? .*" log --cursorfile x
fails "no such letter" 2 "-x: no such option.*" log -x
fails "... nor one in capitals" 2 "-C: no such option.*" log -C error
fails "not of this command" 2 "-t: not an option of rdmaev log .*" log -t 1
fails "no value" 2 "-n: needs a value: -n N \(rdmaev log -h\)" log -n
fails "... of a long one" 2 "--since: needs a value: --since WHEN \(rdmaev log -h\)" log --since
fails "one too many" 2 "--utc: takes no value \(rdmaev log -h\)" log --utc=yes
is "help" "$(rdmaev help)" "$(rdmaev -h)"
is "... on a command" "$(rdmaev help log)" "$(rdmaev log -h)"
fails "... on none" 2 "lgo: no such command, did you mean log\?; rdmaev -h lists them" help lgo
fails "-n 0" 2 "-n 0: must be a number, 1 or more" watch -n 0
fails "-n 1x" 2 "-n 1x: must be .*" watch -n 1x
fails "-t" 2 "-t -1: must be a number of seconds.*" watch -t -1
fails "--since" 2 "--since banana: must be a time or a position, such as '10 min ago', .* or a cursor" log --since banana
fails "--until" 2 "--until '': must be a time or a position, .*" log --until "''"
fails "... of watch" 2 "--until: not an option of rdmaev watch .*" watch --until now
fails "--until and -f" 2 "--follow and --until exclude each other" log -f --until now
fails "--until before --since" 2 "--until 2: is before --since 3" log --since 3 --until 2
fails "... a time" 2 "--until 2026-11-19: is before --since 2026-11-20 08:00" report --since "2026-11-20 08:00" --until 2026-11-19
fails "-e, nothing left" 2 "-e '!\*': excludes every event" log -e '!*'
fails "--severity" 2 "--severity bad: must be info, warning or error" log --severity bad
fails "... nearly" 2 "--severity errors: must be info, warning or error, did you mean error\?" log --severity error,errors
fails "--kind" 2 "--kind prot: must be device, port, .* or probe, did you mean port\?" log --kind prot
fails "--qp" 2 "--qp x: must be a number, such as 17 or 0x11" log --qp 5,x
fails "--qp too large" 2 "--qp 4294967296: must be a number, .*" log --qp 4294967296
fails "--pid 0" 2 "--pid 0: must be a number, such as 17" log --pid 0
fails "--comm without a name" 2 "--comm: needs a name" log --comm '!'
fails "a pattern of no event" 2 "FOO_\*: matches no event .*" log -e 'FOO_*'
fails "-e" 2 "PORT_ER: no such event, did you mean PORT_ERR\?.*" watch -e GID_CHANGE,PORT_ER
fails "-e, a state" 2 "DOWN: is a state of a port, not an event; PORT_STATE is its change" log -e DOWN
fails "wait: state" 2 "dwon: no such event or state, did you mean down\? .*" wait cmd0 dwon
fails "wait: event" 2 "PORT_UP: no such event or state, did you mean PORT_ACTIVE\? .*" wait cmd0 PORT_UP
long=0123456789012345678901234567890123456789012345678901234567890123
for t in cmd0/ cmd0/x cmd0/-1 cmd0/4294967294 cmd0/4294967296 /1 "*x" "cm*0" "cmd**" "c*d0/1" $long; do
	fails "target $t" 2 "${t//\*/\\*}: must be DEVICE or DEVICE/PORT.*" watch "$t"
done
fails "not an rdmaev node" 2 "/dev/null: not an rdmaev node, .*" log --node /dev/null
fails "--netlink and --node" 2 "--node and --netlink exclude each other" --netlink devices --node $node
fails "--watch 0" 2 "--watch 0: must be a number of seconds, 0.1 or more" stats --watch 0
fails "--watch" 2 "--watch 1s: must be .*" cqs --watch 1s
fails "--removed" 2 "--removed: not an option of rdmaev cqs .*" cqs --removed
fails "--node before the command" 2 "/nowhere does not exist: .*" --node /nowhere log
plan
