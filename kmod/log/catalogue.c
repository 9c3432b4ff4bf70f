// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The kernel's part of the catalogue: name, object, severity and ring. The
 * library has meaning and advice.
 */
#include <linux/kernel.h>
#include <uapi/rdma/rdmaev.h>

#include "catalogue.h"

#define AFFILIATED	true
#define UNAFFILIATED	false
#define ASYNC(number, name, object, scope, sev, in_ring, ...)		\
	[number] = {							\
		.object_type = RDMAEV_OBJECT_##object,			\
		.severity = RDMAEV_SEVERITY_##sev,			\
		.ring = RDMAEV_RING_##in_ring,				\
		.affiliated = scope,					\
	},

static const struct rdmaev_event_facts facts[] = {
#include "internal/catalogue.def"
};

/* An unknown event may be frequent: keep it in the info ring. */
static const struct rdmaev_event_facts unknown = {
	.object_type = RDMAEV_OBJECT_NONE,
	.severity = RDMAEV_SEVERITY_INFO,
	.ring = RDMAEV_RING_INFO,
};

/**
 * rdmaev_event_facts - look up an asynchronous event
 * @event: enum ib_event_type, or any other number
 */
struct rdmaev_event_facts rdmaev_event_facts(unsigned int event)
{
	return event < ARRAY_SIZE(facts) ? facts[event] : unknown;
}

#define ASYNC(number, event_name, ...)					\
	{ RDMAEV_KIND_ASYNC, number, #event_name },
#define FACT(in_kind, in_code, event_name, object, sev, ...)		\
	{ RDMAEV_KIND_##in_kind, in_code, #event_name, RDMAEV_SEVERITY_##sev },
#define WC(number, event_name, ...)					\
	{ RDMAEV_KIND_WC, number, #event_name },

static const struct {
	u16 kind;
	u16 code;
	char name[24];	/* the longest one fits */
	u8 severity;	/* of a FACT */
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

/**
 * rdmaev_cm_severity - return the severity of an event of rdma_cm
 * @event: enum rdma_cm_event_type, or any other number
 */
unsigned int rdmaev_cm_severity(unsigned int event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].kind == RDMAEV_KIND_CM && names[i].code == event)
			return names[i].severity;
	}
	return RDMAEV_SEVERITY_INFO;
}
