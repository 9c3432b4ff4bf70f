/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The time, which is the end of a recording that is read */
#ifndef ULIB_CLOCK_H
#define ULIB_CLOCK_H

#include <stdint.h>
#include <time.h>

/* In nanoseconds; the first two are of the end of a recording that is read. */
uint64_t boottime(void);
uint64_t realtime(void);
int64_t monotonic(void);
/* From now to @deadline of monotonic(), for ppoll(2). */
const struct timespec *time_until(int64_t deadline, struct timespec *ts);

#endif /* ULIB_CLOCK_H */
