/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Other network namespaces: go there, and back */
#ifndef RDMAEV_TEST_NETNS_H
#define RDMAEV_TEST_NETNS_H

#include <sched.h>

#include "common.h"

/* One that `ip netns add` has made; -1: there is none */
static inline int netns_open(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Returns the namespace to leave for. -1: it was not entered. */
static inline int netns_enter(int there)
{
	int here = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	if (!setns(there, CLONE_NEWNET))
		return here;
	perror("setns");
	close(here);
	return -1;
}

static inline void netns_leave(int here)
{
	if (setns(here, CLONE_NEWNET))
		perror("setns");
	close(here);
}

#endif /* RDMAEV_TEST_NETNS_H */
