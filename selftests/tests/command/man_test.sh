#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# All JSON keys are explained, and the installed files can be used. selftests/manual
# checks the pages otherwise, examples_test.sh has their examples.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

cd "$top/ulib" || exit
rxe_add man0

### Installed files

ok "install" make -s install PYTHON= DESTDIR="$tmp/root" PREFIX=/usr
export PKG_CONFIG_PATH=$tmp/root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/root
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
unset LD_LIBRARY_PATH
flags=$(pkg-config --cflags --libs librdmaev)
like "pkg-config" "$flags" "-I$tmp/root/usr/include .*-lrdmaev"
like "... version" "rdmaev $(pkg-config --modversion librdmaev)" "^$(rdmaev -V)$"
if is_built_in; then
	skip "modinfo: the same version" "rdmaev is built in"
else
	for m in rdmaev rdmaev_observe rdmaev_probe; do
		[ -e "$top/kmod/$m.ko" ] || continue
		is "modinfo $m: the same version" "rdmaev $(modinfo -F version "$top/kmod/$m.ko")" "$(rdmaev --version)"
		is "... as loaded" "$(rmmod rdmaev_observe rdmaev_probe 2>/dev/null
			[ $m = rdmaev ] || insmod "$top/kmod/$m.ko"; cat /sys/module/$m/version)" "$(modinfo -F version "$top/kmod/$m.ko")"
	done
	rmmod rdmaev_observe rdmaev_probe 2>/dev/null
fi
is "library, command, pages, and what the system needs" "$(cd "$tmp/root/usr" && find . ! -type d | LC_ALL=C sort)" \
	"./bin/rdmaev
$(cd ../include/uapi && find . -name '*.h' | sed 's,^\.,./include,' | LC_ALL=C sort)
./include/rdmaev.h
./include/rdmaev_verbs.h
./lib/librdmaev-verbs.a
./lib/librdmaev-verbs.so
./lib/librdmaev-verbs.so.1
./lib/librdmaev.a
./lib/librdmaev.so
./lib/librdmaev.so.1
./lib/modprobe.d/rdmaev.conf
./lib/modules-load.d/rdmaev.conf
./lib/pkgconfig/librdmaev-verbs.pc
./lib/pkgconfig/librdmaev.pc
./lib/systemd/system/rdmaev-record.service
./share/bash-completion/completions/rdmaev
$(cd ../docs/examples && printf './share/doc/rdmaev/examples/%s\n' Kbuild failures.c outages.py rdmaev_example.c run_job.sh verbs_loop.c watch.c)
./share/man/man3/librdmaev-verbs.3
./share/man/man3/librdmaev.3
./share/man/man4/rdmaev.4
./share/man/man4/rdmaev_observe.4
./share/man/man4/rdmaev_probe.4
./share/man/man5/rdmaev-recording.5
./share/man/man8/rdmaev.8$(cd ../include && for f in *.json *.yaml; do [ ! -e "$f" ] || printf '\n./share/rdmaev/%s' "$f"; done)"

### Uninstalled, beside files of others

other=$tmp/other
mkdir -p "$other"/usr/{bin,lib/modprobe.d,include/rdma,share/man/man8,share/doc/rdmaev,share/rdmaev}
touch "$other"/usr/{bin/rdma,lib/librdmacm.so,lib/modprobe.d/mlx4.conf,include/rdma/rdma_cma.h,share/man/man8/rdma.8,share/doc/rdmaev/mine,share/rdmaev/mine}
files() { (cd "$1" && find . ! -type d | LC_ALL=C sort); }
before=$(files "$other")
make -s install PYTHON= DESTDIR="$other" PREFIX=/usr
is "installed there, too" "$(comm -13 <(echo "$before") <(files "$other"))" "$(files "$tmp/root")"
ok "uninstall" make -s uninstall PYTHON= DESTDIR="$other" PREFIX=/usr
is "... leaves the files that were there before" "$(files "$other")" "$before"
ok "... a second time, nothing to do" make -s uninstall PYTHON= DESTDIR="$other" PREFIX=/usr
rm "$other"/usr/share/{doc/rdmaev,rdmaev}/mine
make -s install uninstall DESTDIR="$other" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu
is "... with another LIBDIR" "$(files "$other")" "$(grep -v mine <<<"$before")"
ok "... and its own folders are gone" not ls -d "$other"/usr/share/{doc/rdmaev,rdmaev}

### The README's example, with the line that it says

# shellcheck disable=SC2016	# those are no commands
sed -n '/^```c$/,/^```$/{/^```/!p}' "$top/README.md" >"$tmp/example.c"
line=$(sed -n 's/^    cc \(example\.c .*\)/\1/p' "$top/README.md")
like "the README says how to compile its example" "$line" 'pkg-config'
ok "... which works" bash -c "cd $tmp && gcc -o readme $line"

### C++, every function

cat >"$tmp/all.cc" <<-'END'
	#include <rdmaev.h>
	#include <cstdio>

	int main()
	{
		rdmaev_filter filter;
		rdmaev_record event = {};
		struct rdmaev_info info;
		unsigned int kind, code;
		char line[256];
		rdmaev *h = rdmaev_open(NULL, RDMAEV_NONBLOCK);

		rdmaev_filter_init(&filter);
		if (!h || rdmaev_fd(h) < 0 || rdmaev_info(h, &info) ||
		    rdmaev_set_filter(h, &filter) || rdmaev_set_wakeup(h, 1, 0) ||
		    rdmaev_seek(h, 0, SEEK_SET) < 0 || rdmaev_wait(h, 0) != 1 ||
		    rdmaev_read(h, &event, 1) != 1 ||
		    rdmaev_devices(h, NULL, 0, 0, NULL) != 1 ||
		    rdmaev_ports(h, RDMAEV_ANY, 0, NULL, 0, NULL) != 1 ||
		    rdmaev_counters(h, RDMAEV_ANY, 0, 0, NULL, 0, NULL) != 1 ||
		    rdmaev_cqs(h, RDMAEV_ANY, 0, 0, NULL, 0, NULL) > 0 ||
		    rdmaev_hooks(h, 0, NULL, 0, NULL) < 0 ||
		    rdmaev_notify(h, 12345, 0, 1, 0) != -1 ||
		    !rdmaev_wc_opcode_name(RDMAEV_WC_SEND) ||
		    rdmaev_event_parse("DEVICE_ADD", &kind, &code) ||
		    !rdmaev_event_describe(kind, code) ||
		    !rdmaev_event_advice(kind, code) ||
		    rdmaev_format(&event, RDMAEV_STYLE_JSON, line, sizeof(line)) < 10)
			return 1;
		rdmaev_close(h);
		std::printf("%s %s\n", rdmaev_event_name(kind, code), event.device_name);
		return 0;
	}
END
# shellcheck disable=SC2086
ok "C++11: compiles and links" g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -o "$tmp/all" "$tmp/all.cc" $flags
is "... and runs" "$(LD_LIBRARY_PATH=$tmp/root/usr/lib "$tmp/all")" "DEVICE_ADD man0"
like "... with the shared library" "$(readelf -d "$tmp/all")" 'NEEDED.*\[librdmaev\.so\.1\]'

### Output

insmod "$top/kmod/rdmaev_observe.ko" 2>/dev/null
text=$(sed -n '/^\.SS JSON/,/^\.SH EXIT/p' man/rdmaev.8 | sed -nE 's/^(\.BR? )?"?([a-z_]+).*/ \2 /p')
for key in $({ rdmaev log -j --since 1; rdmaev devices -j; rdmaev stats -j; rdmaev observer -j; } |
	jq -rs '[.. | objects | keys_unsorted[]] | unique[]'); do
	[[ $text == *" $key "* ]] || echo "$key"
done >"$tmp/out"
is "rdmaev(8): every JSON key" "$(<"$tmp/out")" ""
rmmod rdmaev_observe 2>/dev/null

rxe_del man0
plan
