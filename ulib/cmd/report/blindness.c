// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Times without the observer: from OBSERVER_BLIND to the OBSERVER_SEEING that
 * follows from it, and from OBSERVER_STOPPED to OBSERVER_STARTED.
 */
#include "blindness.h"

static bool is_over(const struct rdmaev_record *begin, const struct rdmaev_record *r)
{
	if (r->kind != RDMAEV_KIND_OBSERVER)
		return false;
	if (begin->code == RDMAEV_OBSERVER_STOPPED)
		return r->code == RDMAEV_OBSERVER_STARTED;
	/* Unloaded, it is not blind any more: nothing observes then. */
	return r->code == RDMAEV_OBSERVER_STOPPED ||
	       (r->code == RDMAEV_OBSERVER_SEEING && r->cause == begin->seq);
}

bool find_blindness(const struct report *report, size_t i, struct blindness *blindness)
{
	const struct incident_log *log = report->log;
	const struct rdmaev_record *begin = &log->nodes[i].r;

	if (begin->kind != RDMAEV_KIND_OBSERVER ||
	    (begin->code != RDMAEV_OBSERVER_BLIND && begin->code != RDMAEV_OBSERVER_STOPPED))
		return false;
	*blindness = (struct blindness){
		.from_ns = begin->boottime_ns, .to_ns = report->end_ns,
		.seq = begin->seq, .is_off = begin->code == RDMAEV_OBSERVER_STOPPED,
	};
	if (!blindness->is_off && begin->body.observer.time_ns < blindness->from_ns)
		blindness->from_ns -= begin->body.observer.time_ns;
	while (++i < log->count) {
		if (!is_over(begin, &log->nodes[i].r))
			continue;
		blindness->to_ns = log->nodes[i].r.boottime_ns;
		break;
	}
	return true;
}
