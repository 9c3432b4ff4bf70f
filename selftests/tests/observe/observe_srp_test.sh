#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Another real ULP: ib_srp, which polls its send CQs itself, with its target ib_srpt
# on the same soft RoCE device. The target is disabled under it.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
needs_module "so is the observer, or it is not there"

for m in ib_srp ib_srpt sd_mod; do
	modprobe -n $m 2>/dev/null && continue
	echo "1..0 # SKIP this kernel has no $m"
	exit 4
done
ip=10.9.2.1
port=5555
lio=/sys/kernel/config/target

put() { printf '%s\n' "$2" >"$1"; }
disk() { basename "$(echo /sys/class/scsi_host/host*/device/target*/*/block/sd*)"; }
has_disk() { [ -b "/dev/$(disk)" ]; }
reads() { dd if="/dev/$(disk)" of=/dev/null bs=64k count="$1" iflag=direct; }
qps() { rdma resource show qp -j | jq -r '.[] | select(.type == "RC" and .state == "RTS") | .lqpn' | sort -n; }
# none_failed: of those that exist: the first logins may fail, and their CQs end a little later
failures() { rdmaev cqs -j srp0 | jq -c '[.owner, .failures]' | grep -v '{}' | sort -u; }
none_failed() { [ -z "$(failures)" ]; }
cqs() { rdmaev cqs -j srp0 | jq -c "select(.owner == \"$1\") | $2"; }
take() { rdmaev log -j --since "$from" >"$tmp/log"; }
# moved OWNER: the QPs that were moved to ERR
moved() { jq "select(.event == \"QP_ERR\" and .qp.owner == \"$1\") | .object_id" "$tmp/log" | sort -n; }
has_moved() { take && [ "$( (moved ib_srp; moved ib_srpt) | sort -n | xargs)" = "$all" ]; }
# connections: the QPs of each, the smaller number first
connections()
{
	rdma resource show qp -j |
		jq -c '.[] | select(.type == "RC" and .state == "RTS") | [.lqpn, .rqpn] | sort' | sort -u
}
# closed: those that were closed; ib_srp tries to connect others. An end that has destroyed its
# id before the other one closes gets no event
closed()
{
	jq -c --argjson all "[${all// /,}]" 'select(.event == "CM_DISCONNECTED" and (.object_id | IN($all[]))) |
		[.object_id, .cm.peer_qpn] | sort' "$tmp/log" | sort -u
}
has_closed() { take && [ "$(closed)" = "$connected" ]; }
# flushed: the QPs whose requests were flushed, because they had been moved
flushed()
{
	jq -rs --argjson qps "[${all// /,}]" '. as $all | .[] |
		select(.event == "WR_FLUSH_ERR" and (.object_id | IN($qps[]))) | . as $wc |
		$all[] | select(.seq == $wc.cause and .event == "QP_ERR" and .object_id == $wc.object_id) |
		"\(.object_id) \($wc.async.owner // $wc.wc.owner)"' "$tmp/log" | sort -nu
}
has_flushed() { take && [ "$(flushed | cut -d' ' -f1 | xargs)" = "$all" ]; }

# begin: the target with a disk in memory, and the connection
begin()
{
	local guid id
	rxe_add srp0
	ip addr add $ip/24 dev srp0_d
	modprobe -a configfs ib_srpt ib_srp sd_mod
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
	mkdir -p $lio/core/rd_mcp_0/disk
	put $lio/core/rd_mcp_0/disk/control rd_pages=4096
	put $lio/core/rd_mcp_0/disk/enable 1
	guid=$(</sys/class/infiniband/srp0/node_guid)
	mkdir $lio/srpt
	put $lio/srpt/discovery_auth/rdma_cm_port $port
	target=$lio/srpt/$guid/$guid
	mkdir "$lio/srpt/$guid" "$target" "$target/lun/lun_0" "$target/acls/$ip" "$target/acls/$ip/lun_0"
	ln -s $lio/core/rd_mcp_0/disk "$target/lun/lun_0/disk"
	ln -s "$target/lun/lun_0" "$target/acls/$ip/lun_0/lun"
	put "$target/enable" 1
	printf -v id '%016x' "$(</sys/module/ib_srpt/parameters/srpt_service_guid)"
	login="id_ext=$id,ioc_guid=$id,dest=$ip:$port"
	within 20 login
}
# The address of the device may come later
login() { put /sys/class/infiniband_srp/srp-srp0-1/add_target "$login" 2>/dev/null; }
end()
{
	local f
	for f in /sys/class/srp_remote_ports/*/delete; do put "$f" 1; done
	rm "$target/acls/$ip/lun_0/lun" "$target/lun/lun_0/disk"
	rmdir "$target/acls/$ip/lun_0" "$target/acls/$ip" "$target/lun/lun_0" "$target" "${target%/*}" $lio/srpt \
		$lio/core/rd_mcp_0/disk $lio/core/rd_mcp_0
}

insmod "$top/kmod/rdmaev_observe.ko" polls=1
begin
ok "ib_srp is connected, and has a disk" within 20 has_disk
ok "I/O" reads 50
all=$(qps | xargs)
connected=$(connections)
is "two QPs or more on each side" "$(($(wc -w <<<"$all") >= 4)) $(($(wc -w <<<"$all") % 2))" "1 0"
is "... two for each connection" "$(wc -l <<<"$connected")" $(($(wc -w <<<"$all") / 2))
like "CQs that the core polls, of the initiator" \
	"$(cqs ib_srp 'select(.notifications > 0) | [.kind, ([.completions[]] | add) > 0]' | sort -u)" '^\["observed",true\]$'
like "... that ib_srp polls" \
	"$(cqs ib_srp 'select(.notifications == 0) | [.kind, ([.completions[]] | add) > 0]' | sort -u)" '^\["observed",true\]$'
within 20 none_failed
is "... none failed" "$(failures)" ""

mark
dmesg -C
put "$target/enable" 0
ok "the target is disabled: each QP was moved to ERR, once" within 20 has_moved
is "... half of them of each side" "$(moved ib_srp | wc -l)" "$(moved ib_srpt | wc -l)"
is "... the target's by who disabled it" \
	"$(jq -r 'select(.event == "QP_ERR" and .qp.owner == "ib_srpt") | .qp.caller_pid' "$tmp/log" | sort -u)" $$
like "... in the target" "$(jq -r 'select(.event == "QP_ERR" and .qp.owner == "ib_srpt") | .qp.caller' "$tmp/log" | sort -u)" '^srpt_[a-z_]+$'
like "... the initiator's in its handler, which has the name of its source" \
	"$(jq -r 'select(.event == "QP_ERR" and .qp.owner == "ib_srp") | .qp.caller' "$tmp/log" | sort -u)" '^srp_[a-z_]+$'
ok "each connection was closed, by one end or both" within 20 has_closed
ok "the requests of each were flushed, because of that" within 40 has_flushed
is "... each by its owner" "$(flushed | cut -d' ' -f2 | sort -u | xargs)" "ib_srp ib_srpt"
like "as the kernel log of the target has it" "$(dmesg)" "Closing channel .*because target .* has been disabled"
like "... and that of the initiator" "$(dmesg)" 'ib_srp: received DREQ'

end
ok "both can be unloaded" within 40 rmmod ib_srp ib_srpt
for m in target_core_iblock target_core_file target_core_pscsi target_core_user target_core_mod; do
	rmmod $m 2>/dev/null
done
rmmod rdmaev_observe
plan
