// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The kernel's part of the catalogue: name, object, severity and ring. The
 * library has meaning and advice.
 */
#include <linux/kernel.h>
#include <uapi/rdma/rdmaev.h>

#include "catalogue.h"

#define FACTS(...)	__VA_ARGS__
#define EVENT(in_kind, in_code, name, in_facts, text)			\
	[RDMAEV_KIND_##in_kind][in_code] = { in_facts },

static const struct rdmaev_event_facts facts[RDMAEV_KIND_MAX + 1][RDMAEV_CODE_OTHER] = {
#include "internal/catalogue.def"
};

/* An unknown event may be frequent: keep it in the info ring. */
static const struct rdmaev_event_facts unknown = {
	.object_type = RDMAEV_OBJECT_NONE,
	.severity = RDMAEV_SEVERITY_INFO,
	.ring = RDMAEV_RING_INFO,
};

/* An unknown status is not that of a success. */
static const struct rdmaev_event_facts unknown_wc = {
	.object_type = RDMAEV_OBJECT_QP,
	.severity = RDMAEV_SEVERITY_ERROR,
	.ring = RDMAEV_RING_ERROR,
};

/**
 * rdmaev_event_facts - look up an event
 * @kind: &enum rdmaev_kind
 * @code: code of that kind, or any other number
 */
struct rdmaev_event_facts rdmaev_event_facts(unsigned int kind, unsigned int code)
{
	if (kind <= RDMAEV_KIND_MAX && code < RDMAEV_CODE_OTHER && facts[kind][code].severity)
		return facts[kind][code];
	return kind == RDMAEV_KIND_WC ? unknown_wc : unknown;
}

#define EVENT(in_kind, in_code, event_name, in_facts, text)		\
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
