// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Get the probes of ports, and say what they find. */
#include <errno.h>
#include <stdlib.h>

#include "catalogue.h"
#include "format.h"
#include "probes.h"

/* Asked again with more room if there are more. */
#define PROBES_ROOM	32

ssize_t list_probes(struct rdmaev *h, struct rdmaev_probe **list, uint64_t *seq)
{
	size_t room = PROBES_ROOM;
	ssize_t n;

	*list = NULL;
	for (;;) {
		struct rdmaev_probe *larger;

		larger = realloc(*list, room * sizeof(*larger));
		if (!larger)
			return -1;
		*list = larger;
		n = rdmaev_probes(h, RDMAEV_ANY, 0, larger, room, seq);
		if (n < 0 || (size_t)n <= room)
			return n;
		room = (size_t)n;
	}
}

bool probe_is_failing(const struct rdmaev_probe *probe)
{
	return probe->state >= RDMAEV_PROBE_STATE_LOST;
}

void put_probe_problem(struct text *t, const struct rdmaev_probe *probe)
{
	switch (probe->state) {
	case RDMAEV_PROBE_STATE_LATE:
		text_put(t, "a request is late");
		break;
	case RDMAEV_PROBE_STATE_LOST:
		text_put(t, "requests do not complete");
		break;
	case RDMAEV_PROBE_STATE_FAILED:
		put_probe_failure(t, probe->call, probe->error);
		break;
	case RDMAEV_PROBE_STATE_STUCK:
		if (probe_call_name(probe->call))
			text_put(t, probe_call_name(probe->call));
		else
			text_printf(t, "call %u", probe->call);
		text_put(t, " does not return");
		break;
	}
}
