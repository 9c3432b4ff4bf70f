# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# NVMe over RDMA between a soft RoCE device and itself, at address $ip. To be sourced
# after tap.sh. $nvme_options is added to those of the connection.
# shellcheck shell=bash

ip=10.9.0.1
nvmet=/sys/kernel/config/nvmet
device=nvme0n1

# lacks_nvme: print the first module that this kernel does not have
lacks_nvme()
{
	local m
	for m in nvmet_rdma nvme_rdma null_blk; do
		modprobe -n $m 2>/dev/null || { echo $m; return; }
	done
	return 1
}

# begin_nvme NAME: add the soft RoCE device, load the modules, connect
begin_nvme()
{
	rxe_add "$1"
	ip addr add $ip/24 dev "$1_d"
	modprobe -a nvmet nvmet_rdma nvme_rdma
	modprobe null_blk nr_devices=1 gb=1
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
	within 10 rdma link show "$1/1"
	target
	within 20 connect
}

# end_nvme: disconnect; the ULPs can be unloaded then, which may take a while
end_nvme()
{
	put /sys/class/nvme/nvme0/delete_controller 1
	unlink_target
	remove_target
}

put() { printf '%s\n' "$2" >"$1"; }
target()
{
	mkdir $nvmet/subsystems/t $nvmet/subsystems/t/namespaces/1 $nvmet/ports/1
	put $nvmet/subsystems/t/attr_allow_any_host 1
	printf /dev/nullb0 >$nvmet/subsystems/t/namespaces/1/device_path
	put $nvmet/subsystems/t/namespaces/1/enable 1
	put $nvmet/ports/1/addr_trtype rdma
	put $nvmet/ports/1/addr_adrfam ipv4
	put $nvmet/ports/1/addr_traddr $ip
	put $nvmet/ports/1/addr_trsvcid 4420
	link_target
}
link_target() { ln -s $nvmet/subsystems/t $nvmet/ports/1/subsystems/t; }
unlink_target() { rm $nvmet/ports/1/subsystems/t; }
remove_target()
{
	rmdir $nvmet/ports/1
	put $nvmet/subsystems/t/namespaces/1/enable 0
	rmdir $nvmet/subsystems/t/namespaces/1 $nvmet/subsystems/t
}
state() { cat /sys/class/nvme/nvme0/state 2>/dev/null; }
is_live() { [ "$(state)" = live ] && [ -b /dev/$device ]; }
is_down() { [ "$(state)" != live ]; }
# connect [PORT]
connect()
{
	put /dev/nvme-fabrics "transport=rdma,traddr=$ip,trsvcid=${1-4420},nqn=t,hostnqn=nqn.2014-08.org.nvmexpress:uuid:11111111-1111-1111-1111-111111111111,hostid=11111111-1111-1111-1111-111111111111,nr_io_queues=2,ctrl_loss_tmo=600,reconnect_delay=5,keep_alive_tmo=10${nvme_options-}"
}
reads() { dd if=/dev/$device of=/dev/null bs=64k count="$1" iflag=direct; }
