// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The kernel's part of the catalogue: name, object, severity and ring. The
 * library has meaning and advice.
 */
#include <linux/kernel.h>
#include <uapi/rdma/rdmaev.h>

#include "catalogue.h"
#include "log.h"

#define TRAITS(...)	__VA_ARGS__
#define EVENT(in_kind, in_code, name, in_traits, text)			\
	[RDMAEV_KIND_##in_kind][in_code] = { in_traits },

const struct rdmaev_event_traits rdmaev_traits[RDMAEV_KINDS][RDMAEV_CODE_BIT_OTHER] = {
#include "internal/catalogue.def"
};

/** rdmaev_unknown_traits - those of a code that the catalogue does not have */
struct rdmaev_event_traits rdmaev_unknown_traits(unsigned int kind)
{
	/* An unknown event may be frequent: keep it in the info ring. */
	struct rdmaev_event_traits traits = {
		.object_type = RDMAEV_OBJECT_NONE,
		.severity = RDMAEV_SEVERITY_INFO,
		.ring = RDMAEV_RING_INFO,
	};

	if (kind == RDMAEV_KIND_QP || kind == RDMAEV_KIND_CM || kind == RDMAEV_KIND_WC)
		traits.object_type = RDMAEV_OBJECT_QP;
	/* An unknown status is not that of a success. */
	if (kind == RDMAEV_KIND_WC) {
		traits.severity = RDMAEV_SEVERITY_ERROR;
		traits.ring = RDMAEV_RING_ERROR;
	}
	return traits;
}

#define EVENT(in_kind, in_code, event_name, in_traits, text)		\
	{ RDMAEV_KIND_##in_kind, in_code, #event_name },

static const struct {
	u16 kind;
	u16 code;
	char name[24];	/* the longest one fits */
} names[] = {
#include "internal/catalogue.def"
};

/**
 * rdmaev_event_name - return the name of a record's kind and code
 * @kind: &enum rdmaev_kind
 * @code: code of that kind
 *
 * Return: the name, "" if unknown.
 */
const char *rdmaev_event_name(unsigned int kind, unsigned int code)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].kind == kind && names[i].code == code)
			return names[i].name;
	}
	return "";
}
