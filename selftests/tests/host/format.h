/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Records made up by tests, and their text and JSON as librdmaev formats them.
 */
#ifndef RDMAEV_TEST_FORMAT_H
#define RDMAEV_TEST_FORMAT_H

#include <rdmaev.h>

#include "common.h"

#define MS 1000000LL
#define SEC 1000000000LL

static inline struct rdmaev_record made_up(unsigned int kind, unsigned int code)
{
	struct rdmaev_record e = {
		.seq = 41,
		.boottime_ns = 12 * SEC + 3456789,
		.realtime_ns = 86400 * SEC + 64 * MS + 5,
		.kind = kind,
		.code = code,
		.device = 3,
		.generation = 7,
		.port = RDMAEV_NO_PORT,
		.severity = RDMAEV_SEVERITY_INFO,
		.source = RDMAEV_SOURCE_HANDLER,
		.ring = RDMAEV_RING_INFO,
		.count = 1,
		.device_name = "dev3",
	};

	return e;
}

static inline const char *text(const struct rdmaev_record *e, unsigned int style)
{
	static char buf[4096];
	int n = rdmaev_format(e, style, buf, sizeof(buf));

	return n == (int)strlen(buf) ? buf : "wrong length";
}

#define HUMAN(e) text(e, RDMAEV_STYLE_HUMAN | RDMAEV_STYLE_UTC)
#define JSON(e) text(e, RDMAEV_STYLE_JSON)

/* As many bytes from the end of the text as @end has */
static inline const char *end_of(const char *line, const char *end)
{
	size_t len = strlen(line), part = strlen(end);

	return line + (part < len ? len - part : 0);
}

#define EXPECT_HAS(text, part) EXPECT_NE(strstr(text, part), NULL)

#define JSON_REST "\"cgroup\":null,\"qp_type\":null,\"qp_state\":null,\"peer_qpn\":null," \
	"\"peer_lid\":null,\"peer_gid\":null}"

#endif /* RDMAEV_TEST_FORMAT_H */
