#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Each program of docs/examples is built as its first comment says, against the installed
# files, and does what it says.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

make -s -C "$top/ulib" install PYTHONDIR=/usr/lib/python3/dist-packages DESTDIR="$tmp/root" PREFIX=/usr
export PKG_CONFIG_PATH=$tmp/root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/root
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
export PYTHONPATH=$tmp/root/usr/lib/python3/dist-packages LD_LIBRARY_PATH=$tmp/root/usr/lib
PATH=$tmp/root/usr/bin:$PATH
cd "$tmp/root/usr/share/doc/rdmaev/examples" || exit

# builds FILE: by its comment, with all warnings
builds()
{
	local line
	line=$(sed -n 's/^ \*\t\(cc .*\)/\1/p' "$1")
	[ -n "$line" ] && bash -ec "${line/cc /gcc -std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror }"
}
# begin NAME COMMAND...: in the background, output to $tmp/NAME
begin()
{
	stdbuf -oL "${@:2}" >"$tmp/$1" 2>&1 &
	pid=$!
}
end()
{
	kill $pid 2>/dev/null
	wait $pid 2>/dev/null
}
opened() { [[ $(readlink /proc/$pid/fd/*) == *$node* ]]; }
reads() { within 30 opened || echo "# $1 does not open the node"; }

for f in *.c; do
	[ "$f" = ulp.c ] || ok "$f compiles" builds "$f"
done

### watch.c

rxe_add exa0
begin watch ./watch
reads watch
echo "process exa0 11 1 1" >$gen/run
ip link set exa0_d down
seen watch PORT_STATE
end
like "watch.c: an error" "$(<"$tmp/watch")" '^20.* exa0/1 +PORT_ERR +#[0-9]+$'
like "... and what to do" "$(<"$tmp/watch")" "^$(rdmaev explain -j PORT_ERR | jq -r .advice)$"
is "... and what is no error not" "$(grep -c LID_CHANGE "$tmp/watch")" 0
ip link set exa0_d up
rdmaev wait -q exa0/1 up -t 30

### ulp.c, failures.c

insmod "$top/docs/examples/rdmaev_example.ko"
is "ulp.c: a note with its name" "$(rdmaev log exa0 --ulp rdmaev_example -j | jq -rc '[.event, .port, .note.owner, .note.text]')" \
	'["NOTE_INFO",1,"rdmaev_example","ready"]'
is "... and its CQ" "$(rdmaev cqs exa0 -j | jq -rc '[.owner, .kind]')" '["rdmaev_example","attached"]'
is "failures.c: no failed completion yet" "$(./failures | sed 's/device [0-9]* CQ [0-9]*: //')" "0 failed"
end=$(rdmaev watch -t 0 --show-cursor | sed 's/^-- cursor: //')
rmmod rdmaev_example
is "... its request is flushed when it goes" \
	"$(rdmaev log exa0 --since "$end" --kind wc --ulp rdmaev_example -j | jq -rc '[.event, .count]')" '["WR_FLUSH_ERR",1]'

### verbs_loop.c

begin loop ./verbs_loop exa0
seen loop '^message 3$'
ip link set exa0_d down
seen loop '^PORT_ERR'
end
like "verbs_loop.c: an event with its record" "$(<"$tmp/loop")" \
	"^PORT_ERR, record $(rdmaev log -j -n 1 -e PORT_ERR exa0 | jq .seq)$"
is "... and nothing but messages, events and one failure" \
	"$(grep -vE '^(message [0-9]+|[A-Z_]+, record [0-9]+|QP [0-9]+: [A-Z_]+: .*)$' "$tmp/loop")" ""
is "... without a device" "$(./verbs_loop 2>&1; echo $?)" "Usage: ./verbs_loop DEVICE
1"
ip link set exa0_d up
rdmaev wait -q exa0/1 up -t 30

### run_job.sh

is "run_job.sh: the status of the command" "$(bash ./run_job.sh sh -c 'echo done; exit 7' 2>"$tmp/err"; echo $?)" "done
7"
is "... nothing went wrong" "$(grep -v '^rdmaev: ' "$tmp/err")" ""
bash ./run_job.sh sh -c "ip link set exa0_d down; rdmaev wait -q exa0/1 down -t 30" 2>"$tmp/err"
like "... what went wrong" "$(<"$tmp/err")" 'E exa0/1 +DOWN'

### outages.py

before=$(cat /sys/module/rdmaev/parameters/outage_ms)
ip link set exa0_d up
rdmaev wait -q exa0/1 up -t 30
echo 1 >/sys/module/rdmaev/parameters/outage_ms
begin outages /usr/bin/python3 outages.py 'exa*'
reads outages
ip link set exa0_d down
seen outages '^exa0/1: down for '
ip link set exa0_d up
seen outages '^exa0/1: back after '
end
is "outages.py: two lines" "$(sed -E 's/[0-9]+\.[0-9]{3} s/TIME/; s/(still is: ).*/\1ADVICE/' "$tmp/outages")" \
	"exa0/1: down for TIME and still is: ADVICE
exa0/1: back after TIME"
echo "$before" >/sys/module/rdmaev/parameters/outage_ms
rxe_del exa0

### Without the module

rmmod rdmaev_gen rdmaev_sim rdmaev
is "without the module, watch.c says so" "$(./watch 2>&1)" "$node: No such file or directory"
plan
