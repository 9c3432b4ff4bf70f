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
	echo "$3 $1" >$sim/sim0/event
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
	echo "9 1" >$sim/sim0/event
	is_link() { [ "$(field '"\(.width) \(.speed)"' sim0/1)" = "\"$3\"" ]; }
	within 30 is_link "$@" || echo "# sim0/1 does not have $3"
}

### Nothing there

is "no ports: nobody can tell" "$(status 2)" "rdmaev: no RDMA ports"
is "... nagios" "$(status 3 --format nagios)" \
	"RDMAEV UNKNOWN - no RDMA ports | ports=0 active=0 degraded=0 down=0 unknown=0"
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
	"RDMAEV OK - 3 of 3 ports ACTIVE | ports=3 active=3 degraded=0 down=0 unknown=0"
is "npd" "$(status 0 --format npd st0)" "1 of 1 port ACTIVE"
is "keys" "$(rdmaev status -j | jq -r 'keys_unsorted | join(" ")' | sort -u)" \
	"device index generation port netdev protocols state health conditions acknowledged speed width rate_mbps best_rate_mbps lid gid gid_type flaps state_since_ns state_ns transitions up_shortest_ns up_longest_ns down_since_ns down_ns down_begin down_admin down_last_ns down_longest_ns down_total_ns down_admin_ns stalled_cqs outages_last_hour last_error failed seq"
is "an object a line, as short as can be" "$(rdmaev status -j st0 | jq -c 'del(.state_ns)')" \
	"$(rdmaev status -j st0 | sed 's/"state_ns":[0-9]*,//')"
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
	"RDMAEV WARNING - sim0/1 2.5 Gb/sec (1X SDR), was 100 Gb/sec (4X EDR) | ports=3 active=2 degraded=1 down=0 unknown=0"
is "... of another port, nothing" "$(status 0 -q --format npd sim0/2)" "1 of 1 port ACTIVE"
like "the same rate in other words is well" "$(link 64 16 "2X HDR"; status 0 sim0/1)" "ACTIVE .* 100 Gb/sec \(2X HDR\)"

### Down

down 1
like "a port that is down" "$(status 1 sim0)" "^sim0/1 +- +IB +DOWN +$took .* 1 +$took +PORT_STATE, $took ago +-$"
like "... in words" "$(status 1 sim0)" "^sim0/1 down: DOWN for $took$"
like "... for nagios" "$(status 2 --format nagios)" "^RDMAEV CRITICAL - sim0/1 DOWN for $took \| ports=3 active=2 degraded=0 down=1 unknown=0$"
like "... for npd" "$(status 1 --format npd)" "^sim0/1 DOWN for $took$"
echo 2 >$sim/sim0/2/state
echo "10 2" >$sim/sim0/event
within 30 is_state sim0/2 INIT
ip link set st0_d down
within 30 is_state st0/1 DOWN
line=$(status 1 --format npd)
like "npd: no longer than 80 characters" "$line" "^sim0/1 DOWN for $took; sim0/2 INIT for $took \+1$"
like "... of a port that a person set down" "$(status 1 --format npd st0)" "^st0/1 DOWN for $took, network device set down$"
for i in 1 2 3 4; do echo "long_device_name_$i 1 ib" >$sim/create; echo 1 >$sim/long_device_name_$i/1/state
	echo "10 1" >$sim/long_device_name_$i/event; done
all_down() { [ "$(rdmaev status -j | jq -s 'map(select(.health == "down")) | length')" = 7 ]; }
within 30 all_down
line=$(status 1 --format npd)
like "... with more of them" "$line" '^sim0/1 DOWN for .* \+[1-6]$'
ok "... ${#line}" test "${#line}" -le 80
for i in 1 2 3 4; do echo "long_device_name_$i" >$sim/destroy; done
ip link set st0_d up
within 30 is_state st0/1 ACTIVE
up 2

### Acknowledged

is "nobody may acknowledge for all" "$(setpriv --reuid=65534 --regid=65534 --clear-groups rdmaev ack sim0/1 2>&1; echo $?)" \
	"rdmaev: cannot write $acks: Permission denied
2"
like "it is acknowledged" "$(umask 077; rdmaev ack sim0/1)" "^sim0/1 down: DOWN for $took \(acknowledged\)$"
like "... which status shows" "$(status 0 sim0)" "^sim0/1 +- +IB +DOWN \(acked\) "
is "... and JSON" "$(field '[.health, .acknowledged]' sim0/1)" '["down",true]'
is "... also to nobody" "$(setpriv --reuid=65534 --regid=65534 --clear-groups rdmaev status -j sim0/1 | jq .acknowledged)" true
is "... and checks" "$(status 0 --format nagios)" \
	"RDMAEV OK - 2 of 3 ports ACTIVE, 1 acknowledged | ports=3 active=2 degraded=0 down=1 unknown=0"
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

### Wrong

fails "no such port" 2 "sim0/3: the device has 2 ports" status sim0/3
fails "no such format" 2 "--format prtg: must be nagios or npd" status --format prtg
fails "one of them" 2 "--format and --json exclude each other" status -j --format npd
fails "ack: of what" 2 "ack needs a device or a port: rdmaev ack rxe0/1" ack
is "a port that cannot be queried" "$(echo "sim1 1 ib" >$sim/create; status 0 -j sim1 | jq -c .health)" '"ok"'
echo sim1 >$sim/destroy

echo sim0 >$sim/destroy
rxe_del st0
rm -rf /var/lib/rdmaev
plan
