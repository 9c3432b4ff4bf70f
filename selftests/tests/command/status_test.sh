#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev status and ack: health of ports, for people, as JSON and as checks of
# monitoring systems.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

sim=/sys/kernel/debug/rdmaev_sim
ulp=/sys/kernel/debug/rdmaev_ulp
took='[0-9.]+(us|ms|s|m[0-9]{2}s)'
acks=/var/lib/rdmaev/acks
rm -rf /var/lib/rdmaev

# status WANTED ARGUMENT...: output with the exit status, if it is not WANTED
status()
{
	local got=0
	rdmaev status "${@:2}" 2>&1 || got=$?
	[ "$got" = "$1" ] || echo "exit status $got"
}
# field JQ PORT
field() { rdmaev status -j "$2" | jq -c "$1"; }
is_state() { [ "$(field .state "$1")" = "\"$2\"" ]; }

# change PORT STATE EVENT: of sim0
change()
{
	echo "$2" >$sim/sim0/"$1"/state
	echo "queue sim0 $3 $1 1" >$gen/run
}
down()
{
	change "$1" 1 10
	within 30 is_state "sim0/$1" DOWN || echo "# sim0/$1 does not go down"
}
up()
{
	change "$1" 4 9
	within 30 is_state "sim0/$1" ACTIVE || echo "# sim0/$1 does not come up"
}
# link SPEED WIDTH NAME: of sim0/1
link()
{
	echo "$1" >$sim/sim0/1/speed
	echo "$2" >$sim/sim0/1/width
	echo "queue sim0 9 1 1" >$gen/run
	is_link() { [ "$(field '"\(.width) \(.speed)"' sim0/1)" = "\"$3\"" ]; }
	within 30 is_link "$@" || echo "# sim0/1 does not have $3"
}

### Nothing there

is "no ports: nobody can tell" "$(status 2)" "rdmaev: no RDMA ports"
is "... nagios" "$(status 3 --format nagios)" \
	"RDMAEV UNKNOWN - no RDMA ports | ports=0 active=0 degraded=0 down=0 unknown=0 never_active=0"
is "... npd" "$(status 2 --format npd)" "no RDMA ports"

### All well

echo "sim0 2 ib" >$sim/create
rxe_add st0
ip addr add 10.9.1.1/24 dev st0_d
has_address() { [[ $(field .gid st0/1) != null ]] && is_state st0/1 ACTIVE; }
within 30 has_address
link 32 2 "4X EDR"
rdmaev status >"$tmp/out"
is "all well" "$? $(grep -c . "$tmp/out")" "0 4"
like "a port" "$(<"$tmp/out")" "^sim0/1 +- +IB +ACTIVE +$took +100 Gb/sec \(4X EDR\) +(LID|fe80|[0-9]).* 0 +- +-  +-$"
like "... with its network device" "$(<"$tmp/out")" "^st0/1 +st0_d +RoCE +ACTIVE +$took +[0-9.]+ Gb/sec \(.*\) +[0-9a-f.:]+ +0 +- +- +-$"
is "nagios" "$(status 0 --format nagios)" \
	"RDMAEV OK - 3 of 3 ports ACTIVE | ports=3 active=3 degraded=0 down=0 unknown=0 never_active=0"
is "npd" "$(status 0 --format npd st0)" "1 of 1 port ACTIVE"
is "keys" "$(rdmaev status -j | jq -r 'keys_unsorted | join(" ")' | sort -u)" \
	"device index generation port netdev protocols state never_active query_error query_failed_since_ns health conditions acknowledged speed width rate_mbps best_rate_mbps mtu link_mbps link_common_mbps link_supported_mbps lid gid gid_type outages state_since_ns state_ns transitions down_since_ns down_ns down_begin down_admin down_last_ns down_longest_ns down_total_ns down_admin_ns stalled_cqs probe missing openable waits_in holders other_holders outages_last_hour outages_last_hour_max last_error failed not_connected seq"
is "an object a line, as short as can be" "$(rdmaev status -j st0 | jq -c 'del(.state_ns)')" \
	"$(rdmaev status -j st0 | sed 's/"state_ns":"[0-9]*",//')"
is "by netlink the same" "$(rdmaev --netlink status -j | jq -c 'del(.state_ns, .down_ns)')" "$(rdmaev status -j | jq -c 'del(.state_ns, .down_ns)')"
is "devices has them, too" "$(rdmaev devices -j st0 | jq -c '.ports[] | [.netdev, .gid, .best_rate_mbps]')" \
	"$(field '[.netdev, .gid, .best_rate_mbps]' st0/1)"

### Degraded

link 1 1 "1X SDR"
like "a slow link" "$(status 1)" "^sim0/1 +- +IB +DEGRADED "
is "... is named" "$(status 1 sim0/1 | tail -n 1)" \
	"sim0/1 degraded: 2.5 Gb/sec (1X SDR), was 100 Gb/sec (4X EDR)"
is "... in JSON" "$(field '[.health, .conditions, .rate_mbps, .best_rate_mbps, .acknowledged]' sim0/1)" \
	'["degraded",["slow"],2500,100000,false]'
is "... for nagios" "$(status 1 --format nagios)" \
	"RDMAEV WARNING - sim0/1 2.5 Gb/sec (1X SDR), was 100 Gb/sec (4X EDR) | ports=3 active=2 degraded=1 down=0 unknown=0 never_active=0"
is "... of another port, nothing" "$(status 0 -q --format npd sim0/2)" "1 of 1 port ACTIVE"
is "... that cannot be written: unknown" "$(rdmaev status --format nagios 2>/dev/null >/dev/full; echo $?)" 3
link 32 1 "1X EDR"
rdmaev ack -q sim0/1 >/dev/null
# acked: whether it is, at which rate, and the exit status
acked() { echo "$(field '[.acknowledged, .rate_mbps]' sim0/1) $(rdmaev status sim0/1 >/dev/null; echo $?)"; }
is "acknowledged" "$(acked)" "[true,25000] 0"
link 1 1 "1X SDR"
is "... slower than that: not" "$(acked)" "[false,2500] 1"
link 32 1 "1X EDR"
is "... as it was again" "$(acked)" "[true,25000] 0"
rm -r /var/lib/rdmaev
like "the same rate in other words is well" "$(link 64 16 "2X HDR"; status 0 sim0/1)" "ACTIVE .* 100 Gb/sec \(2X HDR\)"

### Down

down 1
like "a port that is down" "$(status 1 sim0)" "^sim0/1 +- +IB +DOWN +$took .* 1 +$took +PORT_STATE, $took ago +-$"
like "... in words" "$(status 1 sim0)" "^sim0/1 down: DOWN for $took$"
like "... for nagios" "$(status 2 --format nagios)" "^RDMAEV CRITICAL - sim0/1 DOWN for $took \| ports=3 active=2 degraded=0 down=1 unknown=0 never_active=0$"
like "... for npd" "$(status 1 --format npd)" "^sim0/1 DOWN for $took$"
echo 2 >$sim/sim0/2/state
echo "queue sim0 10 2 1" >$gen/run
within 30 is_state sim0/2 INIT
ip link set st0_d down
within 30 is_state st0/1 DOWN
line=$(status 1 --format npd)
like "npd: no longer than 80 characters" "$line" "^sim0/1 DOWN for $took; sim0/2 INIT for $took \+1$"
like "... of a port that a person set down" "$(status 1 --format npd st0)" "^st0/1 DOWN for $took, network device set down$"
for i in 1 2 3 4; do echo "long_device_name_$i 1 ib" >$sim/create; echo 1 >$sim/long_device_name_$i/1/state
	echo "queue long_device_name_$i 10 1 1" >$gen/run; done
all_down() { [ "$(rdmaev status -j | jq -s 'map(select(.health == "down")) | length')" = 7 ]; }
within 30 all_down
line=$(status 1 --format npd)
like "... with more of them" "$line" '^sim0/1 DOWN for .* \+[1-6]$'
ok "... ${#line}" test "${#line}" -le 80
for i in 1 2 3 4; do echo "long_device_name_$i" >$sim/destroy; done
ip link set st0_d up
within 30 is_state st0/1 ACTIVE
up 2

### Colours

esc=$(printf '\033')
colored=$(rdmaev status --color always)
like "down is red" "$colored" "^sim0/1 .* $esc\[31mDOWN$esc\[0m  "
like "... up is green" "$colored" "^sim0/2 .* $esc\[32mACTIVE$esc\[0m  "
# But for what passes with time
plain() { sed -E "s/$esc\[[0-9]*m//g; s/ +$took/ TIME/g; s/ +/ /g"; }
is "... the same without" "$(plain <<<"$colored")" "$(rdmaev status | plain)"

### Acknowledged

is "nobody may acknowledge for all" "$(setpriv --reuid=65534 --regid=65534 --clear-groups rdmaev ack sim0/1 2>&1; echo $?)" \
	"rdmaev: cannot write $acks: Permission denied
2"
like "it is acknowledged" "$(umask 077; rdmaev ack sim0/1)" "^sim0/1 down: DOWN for $took \(acknowledged\)$"
like "... which status shows" "$(status 0 sim0)" "^sim0/1 +- +IB +DOWN \(acknowledged\) "
is "... and JSON" "$(field '[.health, .acknowledged]' sim0/1)" '["down",true]'
is "... also to nobody" "$(setpriv --reuid=65534 --regid=65534 --clear-groups rdmaev status -j sim0/1 | jq .acknowledged)" true
is "... and checks" "$(status 0 --format nagios)" \
	"RDMAEV OK - 2 of 3 ports ACTIVE, 1 acknowledged | ports=3 active=2 degraded=0 down=1 unknown=0 never_active=0"
is "... not of another port" "$(down 2; status 1 -j sim0 | jq -c .acknowledged | xargs)" "true false"
like "both" "$(rdmaev ack 'sim0')" "^sim0/2 down: DOWN for"
is "... are in the file" "$(wc -l <$acks)" 2
up 2
up 1
is "it is up again" "$(status 0 -j sim0/1 | jq -c '[.health, .acknowledged]')" '["ok",false]'
down 1
is "another outage is another alarm" "$(status 1 -j sim0/1 | jq -c '[.health, .acknowledged]')" '["down",false]'
sed -i "s/^/x/" $acks
rdmaev ack sim0/1 >/dev/null
is "lines of another boot go" "$(wc -l <$acks)" 1
up 1
is "nothing to acknowledge" "$(rdmaev ack sim0/2 2>&1)" "rdmaev: nothing to acknowledge: no condition on this port"

### Flapping

down 1
up 1
is "three outages in an hour" "$(status 1 sim0/1 | tail -n 1)" "sim0/1 degraded: 3 outages in the last hour"
is "... acknowledged" "$(rdmaev ack sim0/1)" "sim0/1 degraded: 3 outages in the last hour (acknowledged)"

### Never ACTIVE: perhaps it is not in use

ip link add na0_d type dummy
rdma link add na0 type rxe netdev na0_d
is_never() { [ "$(field .health na0/1)" = '"never-active"' ]; }
ok "a port that was never ACTIVE" within 30 is_never
like "... is no problem" "$(status 0 na0)" "^na0/1 +[a-z0-9_-]+ +RoCE +never ACTIVE \(DOWN\) +$took .* 0 +- +- +-$"
is "... has no line" "$(status 0 na0 | wc -l)" 2
is "... in JSON" "$(field '[.state, .never_active, .health, .conditions, .outages, .down_since_ns]' na0/1)" \
	'["DOWN",true,"never-active",[],0,null]'
is "... by netlink" "$(rdmaev --netlink status -j na0 | jq -c '[.never_active, .health]')" '[true,"never-active"]'
is "... nagios" "$(status 0 --format nagios na0)" \
	"RDMAEV OK - 0 of 1 port ACTIVE, 1 never ACTIVE | ports=1 active=0 degraded=0 down=0 unknown=0 never_active=1"
is "... npd" "$(status 0 --format npd na0)" "0 of 1 port ACTIVE, 1 never ACTIVE"
like "... devices" "$(rdmaev devices na0)" "^na0 +1 .* never ACTIVE \(DOWN\) "
is "... stats has nothing of it" "$(rdmaev stats na0 | grep -c '^na0 ')" 0
like "... with -v it has" "$(rdmaev stats -v na0)" "^na0 +1 +never ACTIVE \(DOWN\) "
like "... wait: it is down" "$(rdmaev wait na0/1 down -t 0)" "^na0/1 down: never ACTIVE \(DOWN\) for $took$"
is "... nothing to acknowledge" "$(rdmaev ack na0 2>&1)" "rdmaev: nothing to acknowledge: no condition on this port"
like "--expect-active: it is down" "$(status 1 --expect-active na0 | tail -n 1)" "^na0/1 down: never ACTIVE, DOWN for $took$"
like "... nagios" "$(status 2 --expect-active --format nagios na0)" "^RDMAEV CRITICAL - na0/1 never ACTIVE, DOWN for $took [|] .* down=1 unknown=0 never_active=0$"
like "... to acknowledge" "$(rdmaev ack --expect-active na0; status 0 --expect-active na0)" "^na0/1 .* never ACTIVE \(DOWN\) \(acknowledged\) "
for i in 1 2 3; do
	rdma link del na0
	rdma link add na0 type rxe netdev na0_d
done
ok "its device removed and added: still never" within 30 is_never
rdma link del na0
rdma link add na1 type rxe netdev na0_d
is_never_1() { [ "$(field .health na1/1)" = '"never-active"' ]; }
ok "... under another name, too" within 30 is_never_1
is "... and acknowledged" "$(status 0 -j --expect-active na1 | jq -c '[.health, .conditions, .acknowledged]')" '["down",["down"],true]'
ip link set na0_d up
ok "it is ACTIVE at last" within 30 is_state na1/1 ACTIVE
is "... as others" "$(status 0 -j na1 | jq -c '[.never_active, .health, .outages]')" '[false,"ok",0]'
ip link set na0_d down
within 30 is_state na1/1 DOWN
like "... then an outage" "$(status 1 na1)" "^na1/1 .* DOWN +$took .* 1 +$took "
is "... which was not acknowledged" "$(status 1 -j --expect-active na1 | jq .acknowledged)" false
rm -rf /var/lib/rdmaev

### Acknowledged, then the device is removed and added: by its driver, or a reset

# again OLD NEW
again()
{
	rdma link del "$1"
	rdma link add "$2" type rxe netdev na0_d
	has_it() { [ "$(field .state "$2/1")" != null ]; }
	within 30 has_it "$@" || echo "# no $2"
}
# ack_of NAME: whether it is, and the exit status
ack_of() { echo "$(field '[.state, .acknowledged]' "$1/1") $(rdmaev status "$1" >/dev/null; echo $?)"; }
rdmaev ack na1 >/dev/null
again na1 na1
is "down and acknowledged, removed and added" "$(ack_of na1)" '["DOWN",true] 0'
again na1 na1
again na1 na2
is "... twice more, under another name" "$(ack_of na2)" '["DOWN",true] 0'
like "... which it says" "$(rdmaev status na2 | tail -n 1)" "^na2/1 \(before: na1\) down: DOWN for $took, network device set down \(acknowledged\)$"
is "... by netlink" "$(rdmaev --netlink status -j na2 | jq .acknowledged)" true
is "... again: one line" "$(rdmaev ack na2 >/dev/null; wc -l <$acks)" 1
ip link set na0_d up
within 30 is_state na2/1 ACTIVE
ip link set na0_d down
within 30 is_state na2/1 DOWN
is "another outage is another alarm" "$(ack_of na2)" '["DOWN",false] 1'
rdmaev ack na2 >/dev/null
ip link set na0_d up
within 30 is_state na2/1 ACTIVE
rdma link del na2
ip link set na0_d down
rdma link add na2 type rxe netdev na0_d
within 30 is_state na2/1 DOWN
is "ACTIVE when it was removed, then down: too" "$(ack_of na2)" '["DOWN",false] 1'
rdmaev ack na2 >/dev/null
again na2 na2
is "down in both generations: acknowledged" "$(ack_of na2)" '["DOWN",true] 0'
# Another device with the same node GUID at the same time
ip link add na3_d address "$(<"/sys/class/net/na0_d/address")" type dummy
rdma link add na3 type rxe netdev na3_d
again na2 na2
is "which of two devices it was is unknown: not acknowledged" "$(status 1 -j --expect-active na2 | jq .acknowledged)" false
rdma link del na2
rdma link del na3
ip link del na0_d
ip link del na3_d
rm -rf /var/lib/rdmaev

### Who had errors

insmod "$top/selftests/modules/rdmaev_ulp.ko"
put() { printf '%s\n' "$2" >"$1"; }
put $ulp/source storage
put $ulp/create "sim0 2"
put $sim/sim0/raise "qp $(awk '$2 == "qp" { print $3; exit }' $ulp/objects) 1"
has_error() { [ "$(field '.last_error.event' sim0/2)" = '"QP_FATAL"' ]; }
ok "the last error" within 20 has_error
is "... of whom" "$(field .failed sim0/2)" '["storage"]'
like "... for people" "$(status 0 sim0/2)" " QP_FATAL, $took ago +storage$"
rmmod rdmaev_ulp

### A device that has failed

echo "simf 1 ib" >$sim/create
within 30 is_state simf/1 ACTIVE
# fatal N: the Nth DEVICE_FATAL
fatal()
{
	echo "queue simf 8 0 1" >$gen/run
	has_failed() { [ "$(rdmaev stats -j simf | jq '[.counters[] | select(.event == "DEVICE_FATAL").count] | add')" = "$1" ]; }
	within 30 has_failed "$1" || echo "# no DEVICE_FATAL"
}
fatal 1
like "a device that has failed, though its port is ACTIVE" "$(status 1 simf)" "^simf/1 +- +IB +FAILED +$took .* DEVICE_FATAL, $took ago"
like "... in words" "$(status 1 simf | tail -n 1)" "^simf/1 down: the device failed \(DEVICE_FATAL\) $took ago$"
is "... in JSON" "$(field '[.state, .health, .conditions]' simf/1)" '["ACTIVE","down",["failed"]]'
like "... nagios" "$(status 2 --format nagios simf)" "^RDMAEV CRITICAL - simf/1 the device failed "
like "... acknowledged" "$(rdmaev ack simf; status 0 simf)" "^simf/1 .* FAILED \(acknowledged\) "
fatal 2
like "... fails again" "$(status 1 simf)" "^simf/1 .* FAILED +$took "
echo 1 >$sim/simf/1/fail
echo 30000 >/sys/module/rdmaev/parameters/poll_ms
is_silent() { ! rdmaev wait -q simf up -t 0; }
within 30 is_silent || echo "# queries do not fail"
like "... and its queries, too: it is known to be down" "$(status 1 simf | tail -n 1)" "^simf/1 down: the device failed "
echo simf >$sim/destroy
echo "simf 1 ib" >$sim/create
within 30 is_state simf/1 ACTIVE
is "... after a reset it is another device" "$(status 0 -j simf | jq -c .conditions)" '[]'
echo simf >$sim/destroy

### Incomplete: sysfs has nodes as if ib_uverbs and ib_umad had made them for sim0 alone

modprobe ib_umad
echo "sim2 1 ib" >$sim/create
# node CLASS ENTRY ATTRIBUTE=VALUE...: in a folder that hides the class
fake=$tmp/class
node()
{
	local a
	mkdir -p "$fake/$1/$2"
	for a in "${@:3}"; do
		echo "${a#*=}" >"$fake/$1/$2/${a%%=*}"
	done
}
node infiniband_verbs uverbs7 ibdev=sim0
node infiniband_verbs uverbs8 ibdev=st0
node infiniband_mad umad7 ibdev=sim0 port=1
node infiniband_mad umad8 ibdev=sim0 port=2
missing() { rdmaev status -j "$1" | jq -c '[.health, .conditions, .missing]' | tail -n 1; }
is "nothing is missing that no other device of the driver has" "$(missing sim2)" '["ok",[],[]]'
mount --bind "$fake/infiniband_verbs" /sys/class/infiniband_verbs
is_missing() { [ "$(missing "$1")" = "$2" ]; }
ok "a device without its uverbs node" within 20 is_missing sim2 '["degraded",["incomplete"],["uverbs"]]'
is "... why" "$(status 1 sim2 | tail -n 1)" "sim2/1 degraded: no uverbs device file, as other devices have; reload ib_uverbs"
is "... another driver has it" "$(missing st0)" '["ok",[],[]]'
mount --bind "$fake/infiniband_mad" /sys/class/infiniband_mad
is "a port without its umad node, too" "$(status 1 sim2 | tail -n 1)" \
	"sim2/1 degraded: no uverbs and umad device file, as other devices have; reload ib_uverbs ib_umad"
is "... others are complete" "$(missing sim0/2)" '["ok",[],[]]'
is "... nobody misses it on RoCE" "$(missing st0)" '["ok",[],[]]'
# sysfs may be of another network namespace, where the name is that of another device
guid() { rdmaev devices -j "$1" | jq -r .node_guid; }
node infiniband sim0 node_guid="$(guid sim0)"
node infiniband sim2 node_guid="$(guid sim2)"
mount --bind "$fake/infiniband" /sys/class/infiniband
is "... of the device that sysfs has" "$(missing sim2)" '["degraded",["incomplete"],["uverbs","umad"]]'
node infiniband sim2 node_guid=0000:0000:0000:0001
is "... and not of another one of this name" "$(missing sim2)" '["ok",[],[]]'
umount /sys/class/infiniband
rm -r "$fake/infiniband_mad/umad8"
is "... one port of two" "$(missing sim0/2)" '["degraded",["incomplete"],["umad"]]'
like "... acknowledged" "$(rdmaev ack sim2)" "^sim2/1 degraded: .* \(acknowledged\)$"
node infiniband_verbs uverbs9 ibdev=sim2
node infiniband_mad umad9 ibdev=sim2 port=1
is "complete again" "$(missing sim2)" '["ok",[],[]]'
umount /sys/class/infiniband_verbs /sys/class/infiniband_mad
echo sim2 >$sim/destroy
rmmod ib_umad

### Wrong

fails "no such port" 2 "sim0/3: the device has 2 ports" status sim0/3
fails "no such format" 2 "--format prtg: must be nagios or npd" status --format prtg
is "one of them" "$(status 2 -j --format npd)" \
	"$(printf 'rdmaev: --format and --json exclude each other\n--format and --json exclude each other')"
option="RDMAEV UNKNOWN - --perfdata: no such option (rdmaev status -h)"
is "nagios: a wrong option" "$(status 3 --format nagios --perfdata | tail -n 1)" "$option"
is "... before --format" "$(status 3 --perfdata --format nagios | tail -n 1)" "$option"
is "... two that do not fit" "$(status 3 --format nagios -j | tail -n 1)" "RDMAEV UNKNOWN - --format and --json exclude each other"
is "... no such port" "$(status 3 --format nagios sim0/3 | tail -n 1)" "RDMAEV UNKNOWN - sim0/3: the device has 2 ports"
is "... no performance data in a name" "$(status 3 --format nagios 'a|b' | tail -n 1 | grep -c '|')" 0
is "... no node" "$(status 3 --format nagios --node /dev/none | tail -n 1)" "RDMAEV UNKNOWN - /dev/none does not exist: load the module (modprobe rdmaev)"
fails "ack: of no port" 2 "no such port" ack 'zz*'
fails "ack: of what" 2 "ack needs a device or a port: rdmaev ack rxe0/1" ack

### A port whose queries fail: what is known of it is out of date

query() { echo 30000 >/sys/module/rdmaev/parameters/poll_ms; }
has_health() { [ "$(rdmaev status -j sim1 | jq -r .health)" = "$1" ]; }
echo "sim1 1 ib" >$sim/create
is "a port that answers" "$(status 0 -j sim1 | jq -r .health)" ok
echo 1 >$sim/sim1/1/fail
query
ok "its queries fail" within 20 has_health unknown
for t in "" --netlink; do
	# shellcheck disable=SC2086	# the node as transport is no word at all
	is "... ${t:-by the node}: cannot tell" "$(rdmaev $t status sim1 >"$tmp/out"; echo $?; tr -s ' ' <"$tmp/out" |
		sed -E "s/ $took( |:)/ TIME\2/" | tail -n 3)" \
		"$(printf '2\nsim1/1 - IB was ACTIVE TIME 100 Gb/sec (4X EDR) LID 17 0 - - -\n\nsim1/1 unknown: queries of the port have failed for TIME: No such device (-19)')"
done
why="sim1/1 queries of the port have failed for $took: No such device \(-19\)"
like "... nagios" "$(status 3 --format nagios sim1)" "^RDMAEV UNKNOWN - $why [|] "
like "... npd" "$(status 2 --format npd sim1)" "^$why$"
is "... in JSON" "$(field '[.query_error, (.query_failed_since_ns | tonumber > 0)]' sim1/1)" '[-19,true]'
is "... other ports are shown" "$(field '[.state, .health, .query_error, .query_failed_since_ns]' st0/1)" '["ACTIVE","ok",null,null]'
like "... devices" "$(rdmaev devices sim1 | tr -s ' ')" " IB was ACTIVE "
like "... with the error" "$(rdmaev devices)" "^sim1/1: queries of the port have failed for $took: No such device \(-19\)$"
is "... in JSON" "$(rdmaev devices -j | jq -c '.ports[] | .query_error' | sort -u)" "$(printf '%s\n' -19 null)"
is "... wait: neither up" "$(rdmaev wait sim1/1 up -t 0; echo $?)" 1
is "... nor down" "$(rdmaev wait sim1/1 down -t 0; echo $?)" 1
echo 0 >$sim/sim1/1/fail
query
ok "... they do not any more" within 20 has_health ok
is "... no error is left" "$(field '[.query_error, .query_failed_since_ns]' sim1/1)$(rdmaev devices | grep -c fail)" '[null,null]0'
like "... wait: it is up" "$(rdmaev wait sim1/1 up -t 0)" "^sim1/1 up: ACTIVE "
echo sim1 >$sim/destroy

echo sim0 >$sim/destroy
rxe_del st0
rm -rf /var/lib/rdmaev

### Records of the last hour that were overwritten

rmmod rdmaev_ulp rdmaev_sim rdmaev 2>/dev/null
load records=64
insmod "$top/selftests/modules/rdmaev_sim.ko"
echo "sim0 1 ib" >$sim/create
for i in {1..8}; do
	down 1
	up 1
done
is "all are there" "$(status 1 sim0 | tail -n 1)" "sim0/1 degraded: 8 outages in the last hour"
for i in {1..40}; do
	echo "$i" >$sim/sim0/1/lid
	echo "queue sim0 11 1 1" >$gen/run
	within 30 eval "[ \$(rdmaev devices -j sim0 | jq .ports[0].lid) = $i ]"
done
is "none of them is in the log any more" "$(rdmaev log -q sim0 -e PORT_STATE)" ""
is "... which changes nothing: the device was added in this hour" "$(status 1 sim0 | tail -n 1)" \
	"sim0/1 degraded: 8 outages in the last hour"
is "... in JSON" "$(field '[.conditions, .outages_last_hour, .outages_last_hour_max]' sim0/1)" '[["flapping"],8,8]'
echo sim0 >$sim/destroy
plan
