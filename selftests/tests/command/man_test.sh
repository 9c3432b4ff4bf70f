#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# All JSON keys are explained, the modules have the version of the library, and C++ can call
# all of it. selftests/manual checks the pages otherwise, examples_test.sh has their examples.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"

cd "$top/ulib" || exit
rxe_add man0

### Versions

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
		    rdmaev_counters(h, RDMAEV_ANY, RDMAEV_NO_PORT, 0, NULL, 0, NULL) != 1 ||
		    rdmaev_cqs(h, RDMAEV_ANY, 0, 0, NULL, 0, NULL) > 0 ||
		    rdmaev_notify(h, 12345, 0, 1, 0) != -1 ||
		    !rdmaev_wc_opcode_name(RDMAEV_OPCODE_SEND) ||
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
ok "C++11: compiles and links" g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -o "$tmp/all" \
	-I"$top/include" -I"$top/include/uapi" "$tmp/all.cc" -L. -lrdmaev
is "... and runs" "$(LD_LIBRARY_PATH=. "$tmp/all")" "DEVICE_ADD man0"
like "... with the shared library" "$(readelf -d "$tmp/all")" 'NEEDED.*\[librdmaev\.so\.1\]'

rxe_del man0
plan
