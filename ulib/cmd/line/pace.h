/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Records of a recording one after the other, in the time that they took */
#ifndef ULIB_PACE_H
#define ULIB_PACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <rdmaev.h>

/**
 * struct pace - a replay
 * @factor: how many times faster than it was; 0: at once, which is no replay
 * @begin_ns: CLOCK_BOOTTIME of the first record
 * @start: CLOCK_MONOTONIC when that was read
 * @next: the next record, if there is one and it was not due yet
 * @has_next: it was read
 */
struct pace {
	double factor;
	uint64_t begin_ns;
	int64_t start;
	struct rdmaev_record next;
	bool has_next;
};

/* As rdmaev_read() of one record; EAGAIN if the next one is not due yet. */
ssize_t pace_read(struct pace *pace, struct rdmaev *h, struct rdmaev_record *r);
/* CLOCK_MONOTONIC when to read again */
int64_t pace_deadline(const struct pace *pace);

#endif /* ULIB_PACE_H */
