#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdmaev_observe is loaded and unloaded while all that it observes is in use: programs,
# a ULP that is itself loaded and unloaded, devices that are removed under it,
# nvme-rdma. RDMAEV_OBSERVER_LOADS in the environment sets how often.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
. "$(dirname "$0")/nvme.sh"
needs_module "so is the observer, or it is not there"

observe=$top/kmod/rdmaev_observe.ko
sample=/sys/kernel/debug/rdmaev_sample/stream
loads=${RDMAEV_OBSERVER_LOADS:-$((2 / ${RDMAEV_SLOW:-1} + 1))}

# Each load runs until there is $tmp/stop, and adds a line to $tmp/NAME.done for each round.
busy() { [ ! -e "$tmp/stop" ]; }
done_once() { echo >>"$tmp/$1.done"; }

# Programs connect QPs, send, wait for notifications, and end, some of them by a signal
programs()
{
	local port=$1 args
	while busy; do
		args=(-d load0 -g 0 -e -n 20 -s 64 -p "$port")
		ibv_rc_pingpong "${args[@]}" &
		# Soft RoCE may miss a completion, and the notification.
		if within 5 timeout 10 ibv_rc_pingpong "${args[@]}" 127.0.0.1; then
			wait $!
			done_once programs
		fi
		kill -9 $!
		wait $!
		sleep 1
	done
}
stream() { echo "$1 $2 $3 rc 20" >$sample; }
# A ULP comes and goes, and so does a device with its connection
ulp()
{
	local kind
	while busy; do
		insmod "$top/selftests/modules/rdmaev_sample.ko"
		for kind in created attached direct; do
			stream load0 $ip $kind && done_once ulp
		done
		rxe_add load1
		ip addr add 10.9.1.1/24 dev load1_d
		# Its GIDs come later.
		if within 10 stream load1 10.9.1.1 created; then
			exec 5<>$sample
			echo "load1 10.9.1.1 created rc 20" >&5
			rdma link del load1
			done_once devices
			exec 5>&-
		fi
		rdma link del load1
		ip link del load1_d
		rmmod rdmaev_sample
		sleep 1
	done
}
nvme()
{
	while busy; do
		reads 2 && done_once nvme
		sleep 1
	done
}
# rounds NAME: how many it has done
rounds() { wc -l <"$tmp/$1.done"; }
# goes_on NAME N: more than N by now
goes_on() { [ "$(rounds "$1")" -gt "$2" ]; }

with_nvme=1
if m=$(lacks_nvme); then
	with_nvme='' why="this kernel has no $m"
elif [ -e /proc/sys/kernel/prove_locking ]; then
	# See observe_nvme_test.sh
	with_nvme='' why="lockdep has a complaint about nvmet, and is needed"
fi
kinds="programs ulp devices"
if [ $with_nvme ]; then
	begin_nvme load0
	kinds="$kinds nvme"
	ok "nvme-rdma is connected" within 20 is_live
else
	skip "nvme-rdma is connected" "$why"
	rxe_add load0
	ip addr add $ip/24 dev load0_d
fi
for kind in $kinds; do
	: >"$tmp/$kind.done"
done
programs 18900 >"$tmp/programs" 2>&1 &
others+=($!)
ulp >"$tmp/ulp" 2>&1 &
others+=($!)
if [ $with_nvme ]; then
	nvme >"$tmp/nvme" 2>&1 &
	others+=($!)
fi

n=0
for ((i = 0; i < loads; i++)); do
	insmod "$observe" polls=$((i % 2)) || break
	# Each load of the observer has seen something of all of them.
	[ $((i % 3)) != 0 ] || for kind in $kinds; do
		within 20 goes_on "$kind" "$(rounds "$kind")" || echo "# $kind: nothing more"
	done
	# A call that runs holds it for a moment.
	within 10 rmmod rdmaev_observe || break
	n=$((n + 1))
	[ $((n % 10)) != 0 ] || echo "# $n times"
done
is "loaded and unloaded under load, $loads times" "$n" "$loads"
# Two rounds of each, whatever is slow
for kind in $kinds; do
	within 30 goes_on "$kind" $((n / 3)) || echo "# $kind: nothing more"
done
: >"$tmp/stop"
wait "${others[@]}"
for kind in programs ulp devices nvme; do
	if [[ " $kinds " == *" $kind "* ]]; then
		ok "... $kind: $(rounds $kind) rounds meanwhile" goes_on $kind $((n / 3))
	else
		skip "... $kind" "$why"
	fi
done

# Once more, with nothing left of all that
insmod "$observe" polls=1
is "everything is observed that can be" \
	"$(rdmaev observer -j | jq -r 'select(.state != "observed" and .fact != "kernel events") | .fact')" ""
is "... without a gap" \
	"$(awk 'NR > 1 { missed += $6 } END { print missed }' /sys/kernel/debug/rdmaev_observe/hooks)" 0
is "no CQ of a program is left" "$(rdmaev cqs -jq | jq -c "select(.pid)")" ""

# A program that waits for its peer
has_cq() { rdma resource show cq -j | jq -e ".[] | select(.pid == $pid)"; }
counted() { rdmaev cqs -jq load0 | jq -c "select(.pid == $pid) | [.cq, .notifications]"; }
ibv_rc_pingpong -d load0 -g 0 -e -p 18902 >"$tmp/program" 2>&1 &
pid=$!
within 10 has_cq
cq=$(rdma resource show cq -j | jq ".[] | select(.pid == $pid) | .cqn")
for n in 1 1000 20000; do
	put $gen/raise "load0 comp $cq 0 $n"
done
is "notifications of a program are counted exactly" "$(counted)" "[$cq,21001]"
kill -9 $pid
wait $pid 2>/dev/null
is "... until it ends" "$(counted)" ""

if [ $with_nvme ]; then
	ok "nvme-rdma has lost nothing" reads 10
	end_nvme
	ok "... and can be unloaded" within 40 rmmod nvme_rdma nvmet_rdma
	for m in nvme_fabrics nvmet null_blk; do rmmod $m 2>/dev/null; done
else
	skip "nvme-rdma has lost nothing" "$why"
	skip "... and can be unloaded" "$why"
fi
rmmod rdmaev_observe
rxe_del load0
plan
