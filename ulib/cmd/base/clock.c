// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The time, which is the end of a recording that is read. */
#include <time.h>

#include "clock.h"
#include "recorded.h"

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t boottime(void)
{
	if (recorded_file())
		return recorded_boottime();
	return clock_ns(CLOCK_BOOTTIME);
}

uint64_t realtime(void)
{
	if (recorded_file())
		return recorded_realtime();
	return clock_ns(CLOCK_REALTIME);
}

int64_t monotonic(void)
{
	return (int64_t)clock_ns(CLOCK_MONOTONIC);
}

const struct timespec *time_until(int64_t deadline, struct timespec *ts)
{
	int64_t left = deadline - monotonic();

	if (left < 0)
		left = 0;
	ts->tv_sec = (time_t)(left / 1000000000);
	ts->tv_nsec = (long)(left % 1000000000);
	return ts;
}
