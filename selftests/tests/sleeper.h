/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A child that waits for the kernel: how often it was woken */
#ifndef RDMAEV_TEST_SLEEPER_H
#define RDMAEV_TEST_SLEEPER_H

#include <stdbool.h>

#include "common.h"

static inline long switches(pid_t pid)
{
	char path[64], line[128];
	long n = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "voluntary_ctxt_switches: %ld", &n);
	if (f)
		fclose(f);
	return n;
}

/* It sleeps until a signal or an event: nothing else of a new child does */
static inline bool sleeps(pid_t pid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'S';
}

/*
 * Wait until it sleeps. Returns switches() then, which stays the same until it is
 * woken; -1: it does not sleep.
 */
static inline long asleep(pid_t pid)
{
	long before;
	int i;

	/* A task that says that it sleeps may not have switched yet. */
	for (i = 0; i < SOON_MS / 10; i++) {
		before = switches(pid);
		usleep(10000);
		if (before > 0 && sleeps(pid) && switches(pid) == before)
			return before;
	}
	return -1;
}

#endif /* RDMAEV_TEST_SLEEPER_H */
