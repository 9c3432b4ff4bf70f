// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * librdmaev: filters, and the errors of those that are not valid.
 */
#include "lib.h"

TEST_F(dev, filter)
{
	struct rdmaev_filter f;

	rdmaev_filter_init(&f);
	EXPECT_EQ(f.size, sizeof(f));
	f.flags = 1U << 31;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), -1);
	EXPECT_EQ(errno, EINVAL);
	rdmaev_filter_init(&f);
	f.size = RDMAEV_FILTER_SIZE_VER0 - 1;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), -1);
	EXPECT_EQ(errno, EINVAL);
	rdmaev_filter_init(&f);
	f.kinds = 1U << 31;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), -1);
	EXPECT_EQ(errno, EINVAL);
	rdmaev_filter_init(&f);
	f.targets = RDMAEV_TARGETS + 1;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), -1);
	EXPECT_EQ(errno, EINVAL);

	/* None of these changed the filter. */
	ASSERT_EQ(gen("process", "lib0", 15, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->h, 0), 0);

	rdmaev_filter_init(&f);
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), 0);
	ASSERT_EQ(gen("process", "lib0", 15, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->h, 0), 1);
	EXPECT_EQ(rdmaev_set_filter(self->nonblock, NULL), 0);
	ASSERT_EQ(gen("process", "lib0", 15, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->nonblock, 0), 1);
	EXPECT_EQ(test_events_only(self->nonblock), 0);
	EXPECT_EQ(rdmaev_wait(self->nonblock, 0), 0);
}

#define EXPECT_BAD_FILTER(change) do {					\
	struct rdmaev_filter f;						\
									\
	rdmaev_filter_init(&f);						\
	change;								\
	errno = 0;							\
	EXPECT_EQ(rdmaev_set_filter(self->nonblock, &f), -1);		\
	EXPECT_EQ(errno, EINVAL);					\
} while (0)

/* Any error, over node and netlink */
TEST_F(dev, bad_filters)
{
	static const char name64[] =
		"0123456789012345678901234567890123456789012345678901234567890123";

	EXPECT_BAD_FILTER(f.flags = 1U << 4);
	EXPECT_BAD_FILTER(f.reserved[0] = 1);
	EXPECT_BAD_FILTER(f.size = RDMAEV_FILTER_SIZE_VER0 - 4);
	EXPECT_BAD_FILTER(f.uid = 1);
	EXPECT_BAD_FILTER(f.cgroup = 1);
	EXPECT_BAD_FILTER(f.object = 1);
	EXPECT_BAD_FILTER(f.pid = 1);
	EXPECT_BAD_FILTER(f.severities = 1);
	EXPECT_BAD_FILTER(f.object_types = 1U << 7);
	EXPECT_BAD_FILTER(filter_codes(&f, 0, 1));
	EXPECT_BAD_FILTER(filter_codes(&f, RDMAEV_KIND_MAX + 1, 1));
	EXPECT_BAD_FILTER(filter_codes(&f, 31, 1));
	EXPECT_BAD_FILTER(f.target[RDMAEV_TARGETS - 1].port = 1);
	EXPECT_BAD_FILTER(filter_target(&f, "lib0", 0); f.target[0].port = 1);
	EXPECT_BAD_FILTER(filter_target(&f, "lib0", 1); f.target[0].flags = 2);
	EXPECT_BAD_FILTER(f.target[0].device[63] = 1);
	EXPECT_BAD_FILTER(filter_target(&f, "", 1));
	EXPECT_BAD_FILTER(filter_target(&f, name64, 0));
	EXPECT_BAD_FILTER(filter_target(&f, "l*0", 0));
	EXPECT_BAD_FILTER(filter_target(&f, "lib0", 0); f.target[0].device[63] = 1);
	/* None of these changed the filter. */
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->nonblock, 0), 1);
}

TEST_F(dev, targets)
{
	struct rdmaev_record e[4];
	struct rdmaev_filter f;

	/* As long as the list */
	rdmaev_filter_init(&f);
	f.size = RDMAEV_FILTER_SIZE_VER0;
	ASSERT_EQ(rdmaev_set_filter(self->nonblock, &f), 0);
	filter_target(&f, "lib0", 0);
	EXPECT_EQ(rdmaev_set_filter(self->nonblock, &f), -1);
	EXPECT_EQ(errno, EINVAL);
	f.size += sizeof(f.target[0]);
	ASSERT_EQ(rdmaev_set_filter(self->nonblock, &f), 0);
	rdmaev_filter_init(&f);
	f.kinds = 1U << RDMAEV_KIND_ASYNC;
	while (f.targets < RDMAEV_TARGETS - 1)
		filter_target(&f, "other*", f.targets);
	filter_target(&f, "li*", 1);
	ASSERT_EQ(rdmaev_set_filter(self->nonblock, &f), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_read(self->nonblock, e, 4), 1);
	EXPECT_EQ(e[0].code, TEST_EVENT);
	f.target[RDMAEV_TARGETS - 1].port = 2;
	ASSERT_EQ(rdmaev_set_filter(self->nonblock, &f), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_read(self->nonblock, e, 4), -1);
	strcpy(f.target[RDMAEV_TARGETS - 1].device, "lib");
	f.target[RDMAEV_TARGETS - 1].port = 1;
	ASSERT_EQ(rdmaev_set_filter(self->nonblock, &f), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_read(self->nonblock, e, 4), -1);
	EXPECT_EQ(errno, EAGAIN);
}

/* A structure of a later header: the additional bytes must be zero. */
TEST_F(dev, filter_of_later_version)
{
	struct {
		struct rdmaev_filter f;
		uint64_t more;
	} later = { .more = 0 };

	rdmaev_filter_init(&later.f);
	later.f.size = sizeof(later);
	EXPECT_EQ(rdmaev_set_filter(self->h, &later.f), 0);
	later.more = 1;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &later.f), -1);
	EXPECT_EQ(errno, E2BIG);
}

TEST_HARNESS_MAIN
