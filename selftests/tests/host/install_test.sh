#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What make install leaves where, that it can be used, and that make uninstall takes it away.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

cd "$top/ulib" || exit

ok "install" make -s install PYTHON= DESTDIR="$tmp/root" PREFIX=/usr
export PKG_CONFIG_PATH=$tmp/root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/root
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
unset LD_LIBRARY_PATH
flags=$(pkg-config --cflags --libs librdmaev)
like "pkg-config" "$flags" "-I$tmp/root/usr/include .*-lrdmaev"
version=$(pkg-config --modversion librdmaev)
is "... version" "rdmaev $version" "$(rdmaev -V)"
is "... also of librdmaev-verbs" "$(pkg-config --modversion librdmaev-verbs)" "$version"
is "library, command, pages, and what the system needs" "$(cd "$tmp/root/usr" && find . ! -type d | LC_ALL=C sort)" \
	"./bin/rdmaev
$(cd ../include/uapi && find . -name '*.h' | sed 's,^\.,./include,' | LC_ALL=C sort)
./include/rdmaev.h
./include/rdmaev_verbs.h
./lib/librdmaev-verbs.a
./lib/librdmaev-verbs.so
./lib/librdmaev-verbs.so.1
./lib/librdmaev-verbs.so.$version
./lib/librdmaev.a
./lib/librdmaev.so
./lib/librdmaev.so.1
./lib/librdmaev.so.$version
./lib/modprobe.d/rdmaev.conf
./lib/pkgconfig/librdmaev-verbs.pc
./lib/pkgconfig/librdmaev.pc
./lib/systemd/system/rdmaev-record.service
./share/bash-completion/completions/rdmaev
$(cd ../docs/examples && printf './share/doc/rdmaev/examples/%s\n' Kbuild failures.c outages.py run_job.sh ulp.c verbs_loop.c watch.c)
./share/man/man3/librdmaev-verbs.3
./share/man/man3/librdmaev.3
./share/man/man4/rdmaev.4
./share/man/man4/rdmaev_observe.4
./share/man/man4/rdmaev_probe.4
./share/man/man5/rdmaev-json.5
./share/man/man5/rdmaev-recording.5
./share/man/man8/rdmaev.8$(cd ../include && for f in *.json *.yaml; do [ ! -e "$f" ] || printf '\n./share/rdmaev/%s' "$f"; done)"

### Uninstalled, beside files of others

other=$tmp/other
mkdir -p "$other"/usr/{bin,lib/modprobe.d,include/rdma,share/man/man8,share/doc/rdmaev,share/rdmaev}
touch "$other"/usr/{bin/rdma,lib/librdmacm.so,lib/modprobe.d/mlx4.conf,include/rdma/rdma_cma.h,share/man/man8/rdma.8,share/doc/rdmaev/mine,share/rdmaev/mine}
files() { (cd "$1" && find . ! -type d | LC_ALL=C sort); }
before=$(files "$other")
touch "$other"/usr/lib/librdmaev{,-verbs}.so.1.0
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

plan
