// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The kernel's part of the catalogue: object, class and lane of each
 * asynchronous event. Names and advice are the library's business.
 */
#include <linux/kernel.h>
#include <uapi/rdma/rdmaev.h>

#include "catalogue.h"

#define AFFILIATED	true
#define UNAFFILIATED	false
#define ASYNC(number, name, object, scope, class, in_lane, ...)		\
	[number] = {							\
		.object_type = RDMAEV_OBJECT_##object,			\
		.event_class = RDMAEV_CLASS_##class,			\
		.lane = RDMAEV_LANE_##in_lane,				\
		.affiliated = scope,					\
	},

static const struct rdmaev_event_facts facts[] = {
#include "catalogue.def"
};

/* Nobody knows how often an unknown event comes: keep it with the chatter. */
static const struct rdmaev_event_facts unknown = {
	.object_type = RDMAEV_OBJECT_NONE,
	.event_class = RDMAEV_CLASS_INFO,
	.lane = RDMAEV_LANE_INFO,
};

/**
 * rdmaev_event_facts - look up an asynchronous event
 * @event: enum ib_event_type, or any other number
 */
struct rdmaev_event_facts rdmaev_event_facts(unsigned int event)
{
	return event < ARRAY_SIZE(facts) ? facts[event] : unknown;
}
