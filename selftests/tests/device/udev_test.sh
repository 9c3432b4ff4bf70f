#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What is installed for the system: udev gives the node to group rdma, systemd-sysusers
# makes the group, and modprobe has the module and its parameters.
. "$(dirname "$0")/../tap.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
root=$tmp/root
lib=$root/usr/lib
ok "install" make -s -C "$top/ulib" install DESTDIR="$root" PREFIX=/usr

### The group

mkdir "$root/etc"
ok "systemd-sysusers takes its file" systemd-sysusers --root="$root" rdmaev.conf
like "... and makes the group" "$(<"$root/etc/group")" '^rdma:x:[0-9]+:$'
ok "... with one that is there, too" systemd-sysusers --root="$root" rdmaev.conf
is "... which stays the only one" "$(grep -c . "$root/etc/group")" 1
systemd-sysusers "$lib/sysusers.d/rdmaev.conf"
gid=$(getent group rdma | cut -d: -f3)

### The node

mkdir -p /run/udev/rules.d
cp "$lib/udev/rules.d/60-rdmaev.rules" /run/udev/rules.d/
rmmod rdmaev_gen rdmaev_sim rdmaev
/lib/systemd/systemd-udevd --daemon || echo "# udevd does not start"
ok "udevd runs" within 30 udevadm control --ping
ok "loaded while it runs" load
udevadm settle --timeout 60
is "the node is root's and the group's" "$(stat -c '%A %U %G' $node)" "crw-r----- root rdma"
reader() { setpriv --reuid=65534 --regid=65534 "$@" rdmaev log >"$tmp/out" 2>&1; }
ok "who is in the group reads" reader --groups="$gid"
ok "... nobody else" not reader --clear-groups
is "... who is told what to do" "$(grep -c 'join group rdma' "$tmp/out")" 1
udevadm control --exit
udevadm --debug test /sys/class/misc/rdmaev >"$tmp/out" 2>&1
is "no other rule has to do with it" "$(grep -oE '[0-9a-z-]+\.rules:[0-9]+ (GROUP|MODE) [0-9]+' "$tmp/out" | sort)" \
	"60-rdmaev.rules:3 GROUP $gid
60-rdmaev.rules:3 MODE 0640"
rmmod rdmaev

### The module

is "loaded at boot" "$(grep -v '^#' "$lib/modules-load.d/rdmaev.conf")" rdmaev
is "parameters: comments alone" "$(grep -E '^[^#]' "$lib/modprobe.d/rdmaev.conf")" ""
sed -n 's/^#options rdmaev //p' "$lib/modprobe.d/rdmaev.conf" >"$tmp/options"
is "... all there are" "$(cut -d= -f1 "$tmp/options" | sort)" \
	"$(modinfo -F parm "$top/kmod/rdmaev.ko" | cut -d: -f1 | sort)"
load
while IFS='=' read -r name value; do
	is "... default of $name" "$(cat "/sys/module/rdmaev/parameters/$name")" "$value"
done <"$tmp/options"
plan
