/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A soft RoCE device and two readers of librdmaev, for tests that run over the
 * node and over generic netlink.
 */
#ifndef RDMAEV_TEST_LIB_H
#define RDMAEV_TEST_LIB_H

#include <rdmaev.h>

#include "common.h"
#include "kselftest_harness.h"

static inline int test_events_only(struct rdmaev *h)
{
	struct rdmaev_filter f;

	rdmaev_filter_init(&f);
	f.kinds = 1U << RDMAEV_KIND_ASYNC;
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1ULL << RDMAEV_CODE_BIT_OTHER);
	return rdmaev_set_filter(h, &f);
}

static inline uint64_t newest(struct rdmaev *h)
{
	struct rdmaev_info info;

	return rdmaev_info(h, &info) ? 0 : info.newest_seq;
}

/* Two readers of one device: @h waits, @nonblock does not. */

FIXTURE(dev) {
	struct rdmaev *h;
	struct rdmaev *nonblock;
	struct rdmaev_record ev[64];
};

FIXTURE_VARIANT(dev) {
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(dev, node) {
};

FIXTURE_VARIANT_ADD(dev, netlink) {
	.flags = RDMAEV_NETLINK,
};

/* All tests share the device: making one takes longer than most of them. */
static inline int lib0_ready(void)
{
	if (!access("/sys/class/infiniband/lib0", F_OK))
		return 0;
	sh("for d in /sys/class/infiniband/*; do rdma link del ${d##*/}; done 2>/dev/null");
	netdev_del("lib0_d");
	return rxe_add("lib0");
}

FIXTURE_SETUP(dev)
{
	ASSERT_EQ(lib0_ready(), 0);
	self->h = rdmaev_open(NULL, variant->flags);
	self->nonblock = rdmaev_open(NULL, variant->flags | RDMAEV_NONBLOCK);
	ASSERT_NE(self->h, NULL);
	ASSERT_NE(self->nonblock, NULL);
	ASSERT_EQ(test_events_only(self->h), 0);
	ASSERT_EQ(test_events_only(self->nonblock), 0);
}

FIXTURE_TEARDOWN(dev)
{
	rdmaev_close(self->h);
	rdmaev_close(self->nonblock);
}

#endif /* RDMAEV_TEST_LIB_H */
