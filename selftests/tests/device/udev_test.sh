#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Installed system files: modprobe loads the module with its parameters, and
# udev lets every user open the node.
. "$(dirname "$0")/../tap.sh"
needs_module "this test loads it as the system does"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
root=$tmp/root
lib=$root/usr/lib
ok "install" make -s -C "$top/ulib" install DESTDIR="$root" PREFIX=/usr

### The node

rmmod rdmaev_gen rdmaev_sim rdmaev
/lib/systemd/systemd-udevd --daemon || echo "# udevd does not start"
ok "udevd runs" within 30 udevadm control --ping
ok "loaded while it runs" load
udevadm settle --timeout 60
is "the node is for everybody to read" "$(stat -c '%A %U %G' $node)" "cr--r--r-- root root"
ok "... who needs no group" setpriv --reuid=65534 --regid=65534 --clear-groups rdmaev log
ok "... and can write nothing" not setpriv --reuid=65534 --regid=65534 --clear-groups test -w $node
udevadm control --exit
udevadm --debug test /sys/class/misc/rdmaev >"$tmp/out" 2>&1
is "no rule has to do with it" "$(grep -oE '[0-9a-z-]+\.rules:[0-9]+ (GROUP|MODE) [0-9]+' "$tmp/out")" ""
rmmod rdmaev

### The module

ok "not loaded at boot unless asked for" not test -e "$lib/modules-load.d"
is "parameters: comments alone" "$(grep -E '^[^#]' "$lib/modprobe.d/rdmaev.conf")" ""
sed -n 's/^#options rdmaev //p' "$lib/modprobe.d/rdmaev.conf" >"$tmp/options"
is "... all there are" "$(cut -d= -f1 "$tmp/options" | sort)" \
	"$(modinfo -F parm "$top/kmod/rdmaev.ko" | cut -d: -f1 | sort)"
insmod "$top/kmod/rdmaev.ko"
while IFS='=' read -r name value; do
	is "... default of $name" "$(cat "/sys/module/rdmaev/parameters/$name")" "$value"
done <"$tmp/options"
plan
