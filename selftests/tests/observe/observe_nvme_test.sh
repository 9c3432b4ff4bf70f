#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A real ULP that does not know rdmaev: nvme-rdma, with nvmet-rdma on the same
# soft RoCE device, loses its target, its link and its queues. What the observer records
# of it, beside the kernel log of the ULP.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
. "$(dirname "$0")/nvme.sh"
needs_module "so is the observer, or it is not there"

if m=$(lacks_nvme); then
	echo "1..0 # SKIP this kernel has no $m"
	exit 4
fi

prove_locking=/proc/sys/kernel/prove_locking

# take: keep the records since mark
take() { rdmaev log -j --since "$from" >"$tmp/log"; }

load()
{
	while reads 4; do sleep 0.2; done >/dev/null 2>&1 &
	load=$!
}
unload()
{
	kill $load
	wait $load
} 2>/dev/null
# qps: the numbers of connected QPs
qps() { rdma resource show qp -j | jq -r '.[] | select(.type == "RC" and .state == "RTS") | .lqpn' | sort -n; }
# errors OWNER: records of QPs of an owner that were connected, and moved to ERR
errors()
{
	jq -c --argjson all "[${all// /,}]" "select(.event == \"QP_ERR\" and .qp.owner == \"$1\") |
		select(.object_id as \$qp | \$all | index(\$qp))" "$tmp/log"
}
moved() { errors "$1" | jq .object_id | sort -n; }
# by OWNER: the functions that moved them
by() { errors "$1" | jq -r .qp.caller | sort -u | xargs; }
has_moved() { take && [ "$( (moved nvme_rdma; moved nvmet_rdma) | sort -un | xargs)" = "$1" ]; }
# flushed: each record of flushed requests: its QP, and that of the record that it names
flushed()
{
	jq -rs '. as $all | .[] | select(.event == "WR_FLUSH_ERR" and .object_id != 1) | . as $wc |
		($all[] | select(.seq == $wc.cause)) as $cause |
		"\(.object_id) \($cause.object_id) \($cause.event)"' "$tmp/log"
}
has_flushed() { take && [ "$(flushed | awk '{ print $1 }' | sort -un | xargs)" = "$1" ]; }

# nvmet of Linux 6.1 takes nvmet_config_sem and the lock of an id of rdma_cm in both
# orders. Lockdep would report that and end, also for the tests that follow.
[ ! -e $prove_locking ] || put $prove_locking 0
insmod "$top/kmod/rdmaev_observe.ko"
begin_nvme nvm0
ok "nvme-rdma is connected" within 20 is_live
is "an I/O queue on each side, and one for the controller" "$(($(qps | wc -l) % 2)) $(($(qps | wc -l) >= 4))" "0 1"
half=$(($(qps | wc -l) / 2))
is "... rdmaev knows them, too" "$(rdmaev qps -j nvm0 | jq -c '[.owner, .pid, .uid, .states]' | sort)" \
	"[\"nvme_rdma\",null,null,{\"RTS\":$half}]
[\"nvmet_rdma\",null,null,{\"RTS\":$half}]"
is "... who is no administrator does not" \
	"$(setpriv --reuid=65534 --clear-groups rdmaev qps -j nvm0 2>&1)" \
	"rdmaev: no visible QPs; only administrators see those of others"

ok "I/O" reads 100
rdmaev cqs -j nvm0 >"$tmp/cqs"
like "CQs that the core polls are observed" "$(jq -r '.kind' "$tmp/cqs" | sort -u)" '^observed$'
ok "... at least one completion for each request and side" \
	test "$(jq '[.completions[]] | add // 0' "$tmp/cqs" | awk '{ n += $1 } END { print n }')" -ge 200
is "... none failed" "$(jq -c '.failures' "$tmp/cqs" | sort -u)" '{}'

# Nobody listens
mark
refused() { take && jq -c 'select(.event == "CM_REJECTED" and .cm.owner == "nvme_rdma")' "$tmp/log"; }
has_refused() { [ -n "$(refused)" ]; }
is "another port: no connection" "$(connect 4421 2>/dev/null || echo failed)" failed
ok "... as it was refused" within 10 has_refused
is "... how long the ULP had been connecting is known" \
	"$(refused | jq '.cm.connecting_ns | tonumber > 0')" true

# The target goes
mark
all=$(qps | xargs)
load
unlink_target
ok "the target goes: each QP was moved to ERR" within 20 has_moved "$all"
is "... on record once" "$( (moved nvme_rdma; moved nvmet_rdma) | sort -n | xargs)" "$all"
is "... half of them of each side" "$(moved nvme_rdma | wc -l)" "$(moved nvmet_rdma | wc -l)"
like "... the host's by its ULP" "$(by nvme_rdma)" '^nvme_rdma_[a-z_.]+$'
like "... the target's by the thread that unlinked it" \
	"$(errors nvmet_rdma | jq -r .qp.caller_comm | sort -u)" '^rm$'
ok "the requests of each were flushed" within 20 has_flushed "$all"
is "... because of that" "$(flushed | awk '$1 != $2 || $3 != "QP_ERR"')" ""
is "... and name their ULP" \
	"$(jq -r 'select(.event == "WR_FLUSH_ERR" and .object_id != 1) | .wc.owner' "$tmp/log" | sort -u | xargs)" \
	"nvme_rdma nvmet_rdma"
# disconnected OWNER: what each end of a connection of an owner was caused by
disconnected()
{
	jq -rs --argjson all "[${all// /,}]" ". as \$log | .[] |
		select(.event == \"CM_DISCONNECTED\" and .cm.owner == \"$1\") | . as \$cm |
		select(.object_id as \$qp | \$all | index(\$qp)) |
		(\$log[] | select(.seq == \$cm.cause) | .event) // \"nothing\"" "$tmp/log" | LC_ALL=C sort -u | xargs
}
# The first that is closed by its peer makes the host close the others by itself.
like "the connections: an end of the host was closed by its peer" \
	"$(disconnected nvme_rdma)" '^(QP_ERR )?nothing$'
is "... which is why its QPs were moved to ERR" \
	"$(jq -rs --argjson all "[${all// /,}]" '. as $log | .[] | select(.event == "QP_ERR" and .qp.owner == "nvme_rdma") |
		select(.object_id as $qp | $all | index($qp)) | . as $move |
		$log[] | select(.seq == $move.cause) | .event' "$tmp/log" | sort -u)" CM_DISCONNECTED
# One that was closed by its peer, as a seq
closed=$(jq -rs 'map(select(.event == "CM_DISCONNECTED" and .cm.owner == "nvme_rdma" and .cause == 0))[0].seq' "$tmp/log")
is "... and that because the target had closed its end" "$(rdmaev why -j "$closed" |
	jq -c '[.event, (.records | map(select(.by == "other_end") | .event) | unique)]')" '["QP_ERR",["CM_DISCONNECTED"]]'
is "... which hit both" "$(rdmaev why -j "$closed" | jq -r '.hit | sort | unique | join(" ")')" "nvme_rdma nvmet_rdma"
# The target may destroy its id before the answer, and gets no event then; or the host
# was first.
like "... and the target's end, if it had an event, by itself or by the host" \
	"$(disconnected nvmet_rdma)" '^(QP_ERR)?( ?nothing)?$'
like "the ULP says less" "$(dmesg)" 'nvme nvme0: starting error recovery'
# All of it is one incident: what the other side did, and that the ULP connects again
story_of() { rdmaev why -j "$closed" | jq -c "$1"; }
attempted() { [ "$(story_of '.attempts > 1 and any(.records[]; .event == "CM_REJECTED" and .by == "connects_again")')" = true ]; }
ok "the host connects again, and is refused" within 60 attempted
is "... which is not over" "$(story_of '[.end, .severity]')" '[null,"warning"]'
# not_connected: what status says of that
not_connected() { rdmaev status -j nvm0/1 | jq -c '[.not_connected[] | [.owner, .peer_addr, .peer_port, .attempts > 0]]'; }
is "... and which status names" "$(not_connected)" "[[\"nvme_rdma\",\"$ip\",4420,true]]"
like "... for people, too" "$(rdmaev status nvm0/1)" "nvm0/1 .* nvme_rdma.*
nvm0/1: nvme_rdma is not connected to $ip:4420 for "
unload
link_target
ok "it comes back" within 60 is_live
last_attempt='.records | map(select(.by == "connects_again")) | last'
is_over() { [ "$(story_of "[.end == ($last_attempt | .seq), ($last_attempt | .event)]")" = '[true,"CM_ESTABLISHED"]' ]; }
ok "... which is the end of that incident" within 20 is_over
is "... so status has nothing to say" "$(not_connected)" "[]"
is "... the only one that hit the host's ULP" \
	"$(rdmaev why -j -n 100 | jq -c "select(.seq >= $from and (.hit | index(\"nvme_rdma\"))) | .seq" | wc -l)" 1

# The controller is reset
mark
all=$(qps | xargs)
put /sys/class/nvme/nvme0/reset_controller 1
is_new() { is_live && [ "$(qps | xargs)" != "$all" ]; }
ok "the controller is reset" within 60 is_new
take
like "... by a function of the ULP" "$(by nvme_rdma)" '^nvme_rdma_[a-z_.]+$'

has_event() { take && jq -r .event "$tmp/log" | grep -Exq "$1"; }

# The link goes. Soft RoCE fails requests of its QP 1 then, which stays in Error until
# the device is removed.
# hit_by EVENT: the last incident of the port, with this root, hit the ULP
hit_by() { [ "$(rdmaev why -j nvm0/1 | jq -c '[.event, (.hit | index("nvme_rdma") != null)]')" = "[\"$1\",true]" ]; }
# story: what README.md has of it, to be taken out of the output by hand
story()
{
	{
		rdmaev status
		rdmaev why nvm0/1
		rdmaev report nvm0 --since '-10s' | gzip -9 | base64
	} 2>&1 | sed 's/^/# story: /'
}
link_goes()
{
	mark
	load
	ip link set nvm0_d down
	ok "the link goes" within 40 is_down
	unload
	ok "the port's event" within 20 has_event PORT_ERR
	ok "... its state" within 20 has_event PORT_STATE
	ok "... and the failed requests" within 20 has_event '(LOC_QP_OP_ERR|RETRY_EXC_ERR|QP_ERR)'
	ok "... which is why the ULP's work failed" within 40 hit_by PORT_ERR
	[ -z "${RDMAEV_REPORT-}" ] || story
	put /sys/class/nvme/nvme0/delete_controller 1
}
# The device is deleted. The ULPs lose it before the core's removal has come to rdmaev.
device_goes()
{
	mark
	rdma link del nvm0
	removal=$(rdmaev log -j --since "$from" | jq 'select(.event == "DEVICE_REMOVE") | .seq')
	is "the device is deleted, which hit both ULPs" "$(rdmaev why -j "$removal" |
		jq -c '[.event, ([.hit[] | select(startswith("nvme"))] | sort)]')" '["DEVICE_REMOVE",["nvme_rdma","nvmet_rdma"]]'
	is "... by nothing else" \
		"$(rdmaev why -j -n 100 | jq -c "select(.seq >= $from and .seq != $removal and (.hit | index(\"nvme_rdma\"))) | .seq" | wc -l)" 0
}

# Before Linux 6.12, a request of QP 1 may never end then, and keeps the ULPs for ever: on 5.10
# always, on 6.1 rarely. It is for the story there.
case ${RDMAEV_REPORT-}$(uname -r) in
5.10.*|6.1.*)
	skip "the link goes" "requests of QP 1 may never end, and keep the ULPs"
	device_goes
	;;
*)
	# The target does not come back with the device on all of these kernels.
	link_goes
	skip "the device is deleted" "the link was first"
	;;
esac

unlink_target
remove_target
ok "the ULPs can be unloaded" within 40 rmmod nvme_rdma nvmet_rdma
ok "... and the observer" rmmod rdmaev_observe
for m in nvme_fabrics nvmet null_blk; do rmmod $m 2>/dev/null; done
rdma link del nvm0 2>/dev/null
ip link del nvm0_d
[ ! -e $prove_locking ] || put $prove_locking 1
plan
