// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * librdmaev: lists of devices, ports and CQs, and the names of devices in
 * records over renames.
 */
#include "lib.h"

TEST_F(dev, devices_and_ports)
{
	struct rdmaev_device list[8], one;
	struct rdmaev_port ports[8];
	uint64_t seq = 0, index;
	ssize_t n, i, found = -1;

	ASSERT_EQ(rxe_add("lib9"), 0);
	n = rdmaev_devices(self->h, list, 8, 0, &seq);
	EXPECT_EQ(n, 2);
	EXPECT_EQ(seq, newest(self->h));
	EXPECT_EQ(rdmaev_devices(self->h, NULL, 0, 0, NULL), 2);
	memset(&list[1], 0xaa, sizeof(list[1]));
	one = list[1];
	EXPECT_EQ(rdmaev_devices(self->h, list, 1, 0, &seq), 2);
	EXPECT_EQ(memcmp(&list[1], &one, sizeof(one)), 0);
	EXPECT_EQ(rdmaev_devices(self->h, list, 8, 0, NULL), 2);
	for (i = 0; i < 2; i++)
		if (!strcmp(list[i].name, "lib9"))
			found = i;
	ASSERT_GE(found, 0);
	EXPECT_EQ(list[found].ports, 1);
	EXPECT_EQ(list[found].node_type, 1);
	EXPECT_EQ(list[found].flags, 0);
	index = list[found].index;
	errno = 0;
	EXPECT_EQ(rdmaev_devices(self->h, list, 8, 1U << 31, NULL), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_devices(self->h, NULL, 8, 0, NULL), -1);
	EXPECT_EQ(errno, EFAULT);

	EXPECT_EQ(rdmaev_ports(self->h, RDMAEV_ANY, 0, ports, 8, &seq), 2);
	EXPECT_EQ(seq, newest(self->h));
	EXPECT_EQ(rdmaev_ports(self->h, RDMAEV_ANY, 0, NULL, 0, NULL), 2);
	EXPECT_EQ(rdmaev_ports(self->h, index, 0, ports, 8, NULL), 1);
	EXPECT_EQ(ports[0].device, index);
	EXPECT_EQ(ports[0].generation, list[found].generation);
	EXPECT_EQ(ports[0].port, 1);
	EXPECT_EQ(ports[0].state, 4);
	EXPECT_EQ(ports[0].protocols, RDMAEV_PROTOCOL_ROCE);
	EXPECT_EQ(rdmaev_ports(self->h, index, 0, NULL, 0, NULL), 1);
	errno = 0;
	EXPECT_EQ(rdmaev_ports(self->h, 123456, 0, ports, 8, NULL), -1);
	EXPECT_EQ(errno, ENODEV);

	ASSERT_EQ(rxe_del("lib9"), 0);
	EXPECT_EQ(rdmaev_devices(self->h, list, 8, 0, &seq), 1);
	n = rdmaev_devices(self->h, NULL, 0, RDMAEV_DEVICES_REMOVED, NULL);
	EXPECT_GE(n, 2);
	errno = 0;
	EXPECT_EQ(rdmaev_ports(self->h, index, 0, ports, 8, NULL), -1);
	EXPECT_EQ(errno, ENODEV);
}

/* A kernel module without the ioctl returns ENOTTY in any case. */
TEST_F(dev, cqs)
{
	struct rdmaev_cq_stats list[8], one;
	struct rdmaev_device dev;
	uint64_t seq = 0;
	uint32_t index;
	int nl;

	ASSERT_EQ(rdmaev_devices(self->h, &dev, 1, 0, NULL), 1);
	index = dev.index;
	errno = 0;
	EXPECT_EQ(rdmaev_cqs(self->h, RDMAEV_ANY, 1U << 31, 0, list, 8, &seq), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_cqs(self->h, 123456, 0, 0, list, 8, &seq), -1);
	EXPECT_EQ(errno, ENODEV);
	errno = 0;
	EXPECT_EQ(rdmaev_cqs(self->h, RDMAEV_ANY, RDMAEV_CQS_SUMS, 0, NULL, 8, NULL), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(seq, 0);
	nl = variant->flags & RDMAEV_NETLINK;
	errno = 0;
	EXPECT_EQ(rdmaev_notify(self->h, 123456, 0, 1, 0), -1);
	EXPECT_EQ(errno, nl ? EOPNOTSUPP : ENODEV);
	errno = 0;
	EXPECT_EQ(rdmaev_notify(self->h, index, 123456, 1, 0), -1);
	EXPECT_EQ(errno, nl ? EOPNOTSUPP : ENOENT);
	errno = 0;
	EXPECT_EQ(rdmaev_notify(self->h, index, 0, 1, RDMAEV_DELAY_MAX_US + 1), -1);
	EXPECT_EQ(errno, nl ? EOPNOTSUPP : EINVAL);

	/* No ULP uses this device; it has a sum nevertheless. */
	EXPECT_EQ(rdmaev_cqs(self->h, index, 0, 0, list, 8, &seq), 0);
	EXPECT_EQ(seq, newest(self->h));
	memset(list, 0xaa, sizeof(list));
	one = list[1];
	EXPECT_EQ(rdmaev_cqs(self->h, index, RDMAEV_CQS_SUMS, 0, list, 8, NULL), 1);
	EXPECT_EQ(list[0].device, index);
	EXPECT_EQ(list[0].id, list[0].generation);
	EXPECT_EQ(list[0].flags, RDMAEV_CQ_SUM);
	EXPECT_EQ(list[0].cqs, 0);
	EXPECT_EQ(list[0].polls, 0);
	EXPECT_EQ(memcmp(&list[1], &one, sizeof(one)), 0);
	EXPECT_EQ(rdmaev_cqs(self->h, index, RDMAEV_CQS_SUMS, list[0].id, list, 8, NULL), 0);
}

TEST_F(dev, probes)
{
	struct rdmaev_probe list[8];
	uint64_t seq = 0;

	errno = 0;
	EXPECT_EQ(rdmaev_probes(self->h, RDMAEV_ANY, 1, list, 8, &seq), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_probes_sized(self->h, RDMAEV_ANY, 0, list, sizeof(*list) - 1, 8, &seq),
		  -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(seq, 0);
	errno = 0;
	EXPECT_EQ(rdmaev_probes(self->h, 0x7fffffff, 0, list, 8, &seq), -1);
	EXPECT_EQ(errno, ENODEV);

	/* rdmaev_probe is not loaded. */
	EXPECT_EQ(rdmaev_probes(self->h, RDMAEV_ANY, 0, list, 8, &seq), 0);
	EXPECT_EQ(seq, newest(self->h));
	errno = 0;
	EXPECT_EQ(rdmaev_probe_set(self->h, 0x7fffffff, 1000), -1);
	EXPECT_TRUE(errno == ENODEV || errno == EPROTONOSUPPORT);
}

TEST_F(dev, qps)
{
	struct rdmaev_qp list[8];
	uint64_t seq = 0;

	errno = 0;
	EXPECT_EQ(rdmaev_qps(self->h, RDMAEV_ANY, 1, 0, list, 8, &seq), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_qps_sized(self->h, RDMAEV_ANY, 0, 0, list, sizeof(*list) - 1, 8, &seq),
		  -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(seq, 0);
	errno = 0;
	EXPECT_EQ(rdmaev_qps(self->h, 0x7fffffff, 0, 0, list, 8, &seq), -1);
	EXPECT_EQ(errno, ENODEV);

	/* rdmaev_observe is not loaded. */
	EXPECT_EQ(rdmaev_qps(self->h, RDMAEV_ANY, 0, 0, list, 8, &seq), 0);
	EXPECT_EQ(seq, newest(self->h));
}

/* Test events under three names, before and after a removal */
static int history(void)
{
	return gen("process", "lib0", TEST_EVENT, 1, 1) != 1 ||
	       sh("rdma dev set lib0 name lib1") ||
	       gen("process", "lib1", TEST_EVENT, 1, 1) != 1 ||
	       sh("rdma dev set lib1 name lib2") ||
	       rdma_del("lib2") ||
	       rdma_add("lib0", "rxe", "lib0_d") ||
	       gen("process", "lib0", TEST_EVENT, 1, 1) != 1;
}

TEST_F(dev, names_of_their_time)
{
	struct rdmaev *late;

	ASSERT_EQ(history(), 0);
	/* The device records do not pass the filter of this reader. */
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 3);
	EXPECT_STREQ(self->ev[0].device_name, "lib0");
	EXPECT_STREQ(self->ev[1].device_name, "lib1");
	EXPECT_STREQ(self->ev[2].device_name, "lib0");
	EXPECT_EQ(self->ev[0].generation, self->ev[1].generation);
	EXPECT_NE(self->ev[0].generation, self->ev[2].generation);

	/* Backwards, one at a time */
	late = rdmaev_open(NULL, variant->flags | RDMAEV_NONBLOCK);
	ASSERT_NE(late, NULL);
	ASSERT_EQ(rdmaev_seek(late, self->ev[2].seq, SEEK_SET),
		  (int64_t)self->ev[2].seq);
	ASSERT_EQ(rdmaev_read(late, self->ev + 3, 1), 1);
	EXPECT_STREQ(self->ev[3].device_name, "lib0");
	rdmaev_seek(late, self->ev[1].seq, SEEK_SET);
	ASSERT_EQ(rdmaev_read(late, self->ev + 3, 1), 1);
	EXPECT_STREQ(self->ev[3].device_name, "lib1");
	/* The rename and the removal follow. */
	ASSERT_EQ(rdmaev_read(late, self->ev + 3, 2), 2);
	EXPECT_EQ(self->ev[3].code, RDMAEV_DEVICE_RENAME);
	EXPECT_STREQ(self->ev[3].device_name, "lib2");
	EXPECT_STREQ(self->ev[3].body.device.old_name, "lib1");
	EXPECT_EQ(self->ev[4].code, RDMAEV_DEVICE_REMOVE);
	EXPECT_STREQ(self->ev[4].device_name, "lib2");
	EXPECT_STREQ(self->ev[4].body.device.old_name, "");
	rdmaev_seek(late, self->ev[0].seq, SEEK_SET);
	ASSERT_EQ(rdmaev_read(late, self->ev + 3, 2), 2);
	EXPECT_STREQ(self->ev[3].device_name, "lib0");
	EXPECT_STREQ(self->ev[4].device_name, "lib1");
	EXPECT_STREQ(self->ev[4].body.device.old_name, "lib0");
	rdmaev_close(late);
}

TEST_F(dev, names_with_everything_read)
{
	struct rdmaev_record ev;
	char seen[256] = "";

	ASSERT_EQ(rdmaev_set_filter(self->nonblock, NULL), 0);
	ASSERT_EQ(rdmaev_seek(self->nonblock, 0, SEEK_END), (int64_t)newest(self->h) + 1);
	ASSERT_EQ(history(), 0);
	while (rdmaev_read(self->nonblock, &ev, 1) == 1) {
		if (ev.kind == RDMAEV_KIND_PORT ||
		    (ev.kind == RDMAEV_KIND_ASYNC &&
		     ev.code != TEST_EVENT))
			continue;
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen),
			 "%u.%u %s<%s ", ev.kind, ev.code,
			 ev.device_name, ev.kind == RDMAEV_KIND_DEVICE ?
					 ev.body.device.old_name : "");
	}
	EXPECT_STREQ(seen, "3.77 lib0< 1.3 lib1<lib0 3.77 lib1< 1.3 lib2<lib1 1.2 lib2< 1.1 lib0<lib2 3.77 lib0< ");
}

/* The reader skips the record of a rename. */
TEST_F(dev, names_jumped_over)
{
	ASSERT_EQ(rdmaev_set_filter(self->h, NULL), 0);
	ASSERT_GT(rdmaev_seek(self->h, 0, SEEK_END), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_STREQ(self->ev[0].device_name, "lib0");
	ASSERT_EQ(sh("rdma dev set lib0 name lib1"), 0);
	ASSERT_GT(rdmaev_seek(self->h, 0, SEEK_END), 0);
	ASSERT_EQ(gen("process", "lib1", TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_STREQ(self->ev[0].device_name, "lib1");

	/* The same with a rename that does not pass the filter */
	ASSERT_EQ(test_events_only(self->h), 0);
	ASSERT_EQ(sh("rdma dev set lib1 name lib0"), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_STREQ(self->ev[0].device_name, "lib0");
}

#define LONG_NAME "n123456789012345678901234567890123456789012345678901234567890X"

TEST_F(dev, long_name)
{
	ASSERT_EQ(rdmaev_set_filter(self->h, NULL), 0);
	rdmaev_seek(self->h, 0, SEEK_END);
	ASSERT_EQ(sh("rdma dev set lib0 name " LONG_NAME), 0);
	ASSERT_EQ(gen("process", LONG_NAME, TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 2);
	EXPECT_STREQ(self->ev[0].device_name, LONG_NAME);
	EXPECT_STREQ(self->ev[0].body.device.old_name, "lib0");
	EXPECT_STREQ(self->ev[1].device_name, LONG_NAME);
	ASSERT_EQ(sh("rdma dev set " LONG_NAME " name lib0"), 0);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_STREQ(self->ev[0].device_name, "lib0");
	EXPECT_STREQ(self->ev[0].body.device.old_name, LONG_NAME);
}

TEST_HARNESS_MAIN
