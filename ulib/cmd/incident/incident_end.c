// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Which record says that an incident is over */
#include <stddef.h>

#include "incident_codes.h"
#include "incident_end.h"
#include "text.h"

/* Records that end what another kind of record began */
static const struct {
	unsigned int kind;
	unsigned int code;
	unsigned int end_kind;
	unsigned int end_code;
} ends[] = {
	{ RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_DEVICE_FATAL,
	  RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_REMOVE },
	/* Of a port that was down when the module was loaded */
	{ RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE,
	  RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE_END },
	{ RDMAEV_KIND_PORT, RDMAEV_PORT_QUERY_STUCK,
	  RDMAEV_KIND_PORT, RDMAEV_PORT_QUERY_RETURNED },
	{ RDMAEV_KIND_COMPLETION, RDMAEV_COMPLETION_STALLED,
	  RDMAEV_KIND_COMPLETION, RDMAEV_COMPLETION_RECOVERED },
	{ RDMAEV_KIND_OBSERVER, RDMAEV_OBSERVER_BLIND,
	  RDMAEV_KIND_OBSERVER, RDMAEV_OBSERVER_SEEING },
	{ RDMAEV_KIND_PROBE, RDMAEV_PROBE_LATE, RDMAEV_KIND_PROBE, RDMAEV_PROBE_OK },
	{ RDMAEV_KIND_PROBE, RDMAEV_PROBE_LOST, RDMAEV_KIND_PROBE, RDMAEV_PROBE_OK },
	{ RDMAEV_KIND_PROBE, RDMAEV_PROBE_FAILED, RDMAEV_KIND_PROBE, RDMAEV_PROBE_OK },
	{ RDMAEV_KIND_PROBE, RDMAEV_PROBE_STUCK, RDMAEV_KIND_PROBE, RDMAEV_PROBE_OK },
};

bool is_end(const struct rdmaev_record *root, const struct rdmaev_record *r)
{
	size_t i;

	if (takes_down(root))
		return brings_up(r) && r->port == root->port;
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (is_code(root, ends[i].kind, ends[i].code) &&
		    is_code(r, ends[i].end_kind, ends[i].end_code))
			return r->port == root->port;
	return false;
}

bool ends_with_device(const struct rdmaev_record *root)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (is_code(root, ends[i].kind, ends[i].code))
			return true;
	return takes_down(root);
}
