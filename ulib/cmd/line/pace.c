// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Replay a recording in the time that it took. */
#include <errno.h>

#include "base/clock.h"
#include "pace.h"

/* A later time than any that is waited for: 100 years */
#define LATEST_NS	3.2e18

int64_t pace_deadline(const struct pace *pace)
{
	double after;

	if (!pace->has_next || pace->next.boottime_ns <= pace->begin_ns)
		return pace->start;
	after = (double)(pace->next.boottime_ns - pace->begin_ns) / pace->factor;
	return pace->start + (int64_t)(after < LATEST_NS ? after : LATEST_NS);
}

ssize_t pace_read(struct pace *pace, struct rdmaev *h, struct rdmaev_record *r)
{
	ssize_t n;

	if (!pace->has_next) {
		n = rdmaev_read(h, &pace->next, 1);
		if (n < 0)
			return n;
		pace->has_next = true;
		/* A loss may be of a time before the recording. */
		if (!pace->start && pace->next.kind != RDMAEV_KIND_LOST) {
			pace->begin_ns = pace->next.boottime_ns;
			pace->start = monotonic();
		}
	}
	if (pace->start && monotonic() < pace_deadline(pace)) {
		errno = EAGAIN;
		return -1;
	}
	*r = pace->next;
	pace->has_next = false;
	return 1;
}
