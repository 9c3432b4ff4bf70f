// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A program of a released version: compiled with the headers in selftests/held, it works
 * with the module and the library of today. With GROWN, it is a program of a later version,
 * in whose headers each request and each list entry has one more field: make grown.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include <rdmaev.h>

#include "links.h"
#include "kselftest_harness.h"

#define ROOM		16
/* An event number that no kernel defines: only rdmaev handles it. */
#define TEST_EVENT	77

#ifdef GROWN
/* What an older kernel does not know is 0, and may not be set. */
#define EXPECT_NOT_KNOWN(object) EXPECT_EQ((object).added, 0)
#define EXPECT_REFUSED(fd, cmd, good) do {				\
	__typeof__(good) bad = good;					\
									\
	bad.added = 1;							\
	EXPECT_EQ(ioctl(fd, cmd, &bad), -1);				\
	EXPECT_EQ(errno, E2BIG);					\
} while (0)
#else
#define EXPECT_NOT_KNOWN(object)
#define EXPECT_REFUSED(fd, cmd, good)
#endif

static int raise_events(const char *name, unsigned int count)
{
	int fd = open("/sys/kernel/debug/rdmaev_gen/run", O_WRONLY | O_CLOEXEC);
	int n = fd < 0 ? -1 : dprintf(fd, "process %s %u 1 %u", name, TEST_EVENT, count);

	close(fd);
	return n > 0 ? 0 : -1;
}

FIXTURE(held) {
	int fd;
	uint32_t index;
	struct rdmaev *node;
	struct rdmaev *netlink;
};

FIXTURE_SETUP(held)
{
	ASSERT_EQ(rxe_add("held0"), 0);
	self->index = rdma_index("held0");
	self->fd = open(RDMAEV_NODE, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_GE(self->fd, 0);
	self->node = rdmaev_open(NULL, RDMAEV_NONBLOCK);
	ASSERT_NE(self->node, NULL);
	self->netlink = rdmaev_open(NULL, RDMAEV_NONBLOCK | RDMAEV_NETLINK);
	ASSERT_NE(self->netlink, NULL);
}

FIXTURE_TEARDOWN(held)
{
	rdmaev_close(self->netlink);
	rdmaev_close(self->node);
	close(self->fd);
	EXPECT_EQ(rxe_del("held0"), 0);
}

TEST_F(held, info)
{
	struct rdmaev_info info = { .size = sizeof(info) }, by_node, by_netlink;

	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_INFO, &info), 0);
	EXPECT_GE(info.size, RDMAEV_INFO_SIZE_VER0);
	EXPECT_GE(info.abi_version, RDMAEV_ABI_VERSION);
	EXPECT_EQ(info.record_size, RDMAEV_RECORD_SIZE);
	EXPECT_GE(info.rings, RDMAEV_RINGS);
	EXPECT_GT(info.ring_records, 0);
	EXPECT_NE(info.instance, 0);
	EXPECT_GT(info.oldest_seq, 0);
	EXPECT_GE(info.newest_seq, info.oldest_seq);
	EXPECT_LE(info.position, info.newest_seq + 1);
	EXPECT_EQ(info.lost, 0);
	EXPECT_EQ(info.observer.observed, 0);
	EXPECT_NOT_KNOWN(info);
	EXPECT_REFUSED(self->fd, RDMAEV_IOC_INFO, ((struct rdmaev_info){ .size = sizeof(info) }));

	memset(&by_node, 0xff, sizeof(by_node));
	memset(&by_netlink, 0xff, sizeof(by_netlink));
	ASSERT_EQ(rdmaev_info(self->node, &by_node), 0);
	ASSERT_EQ(rdmaev_info(self->netlink, &by_netlink), 0);
	EXPECT_EQ(by_node.instance, info.instance);
	EXPECT_EQ(by_netlink.instance, info.instance);
	EXPECT_EQ(by_netlink.record_size, RDMAEV_RECORD_SIZE);
	EXPECT_NOT_KNOWN(by_node);
	EXPECT_NOT_KNOWN(by_netlink);
}

/* The number of records of these events about the device; -1: one of them is wrong. */
static int check_records(const struct rdmaev_record *records, int n, uint32_t index)
{
	uint64_t seq = 0;
	int i;

	for (i = 0; i < n; i++) {
		const struct rdmaev_record *r = &records[i];

		if (r->seq <= seq || r->kind != RDMAEV_KIND_ASYNC || r->code != TEST_EVENT ||
		    r->device != index || !r->generation || r->port != 1 ||
		    r->count != 1 || r->source != RDMAEV_SOURCE_HANDLER ||
		    strcmp(r->device_name, "held0") || !r->boottime_ns || !r->realtime_ns)
			return -1;
		seq = r->seq;
	}
	return n;
}

TEST_F(held, records)
{
	struct rdmaev_record records[ROOM];
	struct rdmaev_filter filter;

	rdmaev_filter_init(&filter);
	filter.kinds = 1U << RDMAEV_KIND_ASYNC;
	filter.codes[RDMAEV_KIND_ASYNC] = 1ULL << RDMAEV_CODE_BIT_OTHER;
	filter.targets = 2;
	strcpy(filter.target[0].device, "nothing*");
	strcpy(filter.target[1].device, "held0");
	filter.target[1].flags = RDMAEV_TARGET_PORT;
	filter.target[1].port = 1;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &filter), 0);
	ASSERT_EQ(rdmaev_set_filter(self->node, &filter), 0);
	ASSERT_EQ(rdmaev_set_filter(self->netlink, &filter), 0);
	ASSERT_EQ(raise_events("held0", 3), 0);

	EXPECT_EQ(read(self->fd, records, sizeof(records)), 3 * RDMAEV_RECORD_SIZE);
	EXPECT_EQ(check_records(records, 3, self->index), 3);
	EXPECT_EQ(read(self->fd, records, sizeof(records)), -1);
	EXPECT_EQ(errno, EAGAIN);
	EXPECT_EQ(rdmaev_wait(self->node, 10000000000), 1);
	EXPECT_EQ(rdmaev_read(self->node, records, ROOM), 3);
	EXPECT_EQ(check_records(records, 3, self->index), 3);
	EXPECT_EQ(rdmaev_wait(self->netlink, 10000000000), 1);
	EXPECT_EQ(rdmaev_read(self->netlink, records, ROOM), 3);
	EXPECT_EQ(check_records(records, 3, self->index), 3);

	/* Back to the first of them, with a filter that has no targets */
	EXPECT_EQ(lseek(self->fd, records[0].seq, SEEK_SET), records[0].seq);
	memset(&filter, 0, sizeof(filter));
	filter.size = RDMAEV_FILTER_SIZE_VER0;
	filter.kinds = 1U << RDMAEV_KIND_ASYNC;
	filter.codes[RDMAEV_KIND_ASYNC] = 1ULL << RDMAEV_CODE_BIT_OTHER;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &filter), 0);
	EXPECT_EQ(read(self->fd, records, sizeof(records)), 3 * RDMAEV_RECORD_SIZE);
	EXPECT_EQ(check_records(records, 3, self->index), 3);
}

TEST_F(held, wakeup)
{
	struct rdmaev_wakeup wakeup = {
		.size = sizeof(wakeup), .watermark = 16, .delay_us = RDMAEV_DELAY_MAX_US,
	};

	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_WAKEUP, &wakeup), 0);
	EXPECT_NOT_KNOWN(wakeup);
	EXPECT_REFUSED(self->fd, RDMAEV_IOC_WAKEUP, wakeup);
	EXPECT_EQ(rdmaev_set_wakeup(self->node, 16, RDMAEV_DELAY_MAX_US), 0);
}

/* A request for a list */
#define LIST(type, array, ...) ((struct type) {				\
	.size = sizeof(struct type), .entry_size = sizeof((array)[0]),	\
	.count = ROOM, .entries = (uintptr_t)(array), __VA_ARGS__	\
})

/*
 * The library has the same list, by the device file and by netlink; soon, as records of a
 * new device may come in between.
 */
#define EXPECT_SAME(self, cmd, req, array, call) do {			\
	struct rdmaev *handles[] = { (self)->node, (self)->netlink };	\
	__typeof__((array)[0]) again[ROOM];				\
	__typeof__(req) _req;						\
	unsigned int _i, _try;						\
									\
	for (_i = 0; _i < 2; _i++) {					\
		struct rdmaev *h = handles[_i];				\
									\
		for (_try = 0; _try < 100; _try++) {			\
			_req = req;					\
			_req.count = ROOM;				\
			memset(again, 0xff, sizeof(again));		\
			ASSERT_EQ(ioctl((self)->fd, cmd, &_req), 0);	\
			ASSERT_LE(_req.count, ROOM);			\
			if ((call) == _req.count &&			\
			    !memcmp(again, array, _req.count * sizeof(again[0]))) \
				break;					\
			usleep(100000);					\
		}							\
		EXPECT_LT(_try, 100);					\
	}								\
} while (0)

TEST_F(held, devices)
{
	struct rdmaev_device list[ROOM];
	struct rdmaev_devices req = LIST(rdmaev_devices, list);
	uint64_t seq;

	memset(list, 0xff, sizeof(list));
	EXPECT_REFUSED(self->fd, RDMAEV_IOC_DEVICES, req);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_DEVICES, &req), 0);
	ASSERT_EQ(req.count, 1);
	EXPECT_GT(req.seq, 0);
	EXPECT_EQ(list[0].index, self->index);
	EXPECT_EQ(list[0].ports, 1);
	EXPECT_EQ(list[0].flags, 0);
	EXPECT_STREQ(list[0].name, "held0");
	EXPECT_NE(list[0].sources & 1U << RDMAEV_SOURCE_HANDLER, 0);
	EXPECT_EQ(list[0].missing, 0);
	EXPECT_NOT_KNOWN(req);
	EXPECT_NOT_KNOWN(list[0]);
	EXPECT_SAME(self, RDMAEV_IOC_DEVICES, req, list,
		    rdmaev_devices(h, again, ROOM, 0, &seq));
}

TEST_F(held, ports)
{
	struct rdmaev_port list[ROOM];
	struct rdmaev_ports req = LIST(rdmaev_ports, list, .device = self->index);
	uint64_t seq;

	memset(list, 0xff, sizeof(list));
	EXPECT_REFUSED(self->fd, RDMAEV_IOC_PORTS, req);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_PORTS, &req), 0);
	ASSERT_EQ(req.count, 1);
	EXPECT_EQ(list[0].device, self->index);
	EXPECT_EQ(list[0].port, 1);
	EXPECT_EQ(list[0].protocols, RDMAEV_PROTOCOL_ROCE);
	EXPECT_EQ(list[0].state, RDMAEV_STATE_ACTIVE);
	EXPECT_EQ(list[0].outages, 0);
	EXPECT_EQ(list[0].flags, 0);
	EXPECT_NOT_KNOWN(req);
	EXPECT_NOT_KNOWN(list[0]);
	EXPECT_SAME(self, RDMAEV_IOC_PORTS, req, list,
		    rdmaev_ports(h, self->index, 0, again, ROOM, &seq));
}

TEST_F(held, counters)
{
	struct rdmaev_counter list[ROOM];
	struct rdmaev_counters req = LIST(rdmaev_counters, list, .device = self->index,
					  .port = RDMAEV_NO_PORT);
	uint64_t seq;

	memset(list, 0xff, sizeof(list));
	EXPECT_REFUSED(self->fd, RDMAEV_IOC_COUNTERS, req);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_COUNTERS, &req), 0);
	ASSERT_GT(req.count, 0);
	EXPECT_EQ(list[0].device, self->index);
	EXPECT_EQ(list[0].port, RDMAEV_NO_PORT);
	EXPECT_EQ(list[0].kind, RDMAEV_KIND_DEVICE);
	EXPECT_EQ(list[0].code, RDMAEV_DEVICE_ADD);
	EXPECT_EQ(list[0].count, 1);
	EXPECT_NOT_KNOWN(req);
	EXPECT_NOT_KNOWN(list[0]);
	EXPECT_SAME(self, RDMAEV_IOC_COUNTERS, req, list,
		    rdmaev_counters(h, self->index, RDMAEV_NO_PORT, 0, again, ROOM, &seq));
}

TEST_F(held, cqs)
{
	struct rdmaev_cq_stats list[ROOM];
	struct rdmaev_cqs req = LIST(rdmaev_cqs, list, .flags = RDMAEV_CQS_SUMS,
				     .device = self->index);
	struct rdmaev_notify notify = {
		.size = sizeof(notify), .device = self->index, .cq = 1, .every = 1,
	};
	uint64_t seq;

	memset(list, 0xff, sizeof(list));
	EXPECT_REFUSED(self->fd, RDMAEV_IOC_CQS, req);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_CQS, &req), 0);
	ASSERT_EQ(req.count, 1);
	EXPECT_EQ(list[0].device, self->index);
	EXPECT_EQ(list[0].flags, RDMAEV_CQ_SUM);
	EXPECT_EQ(list[0].id, list[0].generation);
	EXPECT_NOT_KNOWN(req);
	EXPECT_NOT_KNOWN(list[0]);
	EXPECT_SAME(self, RDMAEV_IOC_CQS, req, list,
		    rdmaev_cqs(h, self->index, RDMAEV_CQS_SUMS, 0, again, ROOM, &seq));
	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_NOTIFY, &notify), -1);
	EXPECT_EQ(errno, ENOENT);
	EXPECT_REFUSED(self->fd, RDMAEV_IOC_NOTIFY, notify);
	EXPECT_EQ(rdmaev_notify(self->node, self->index, 1, 1, 0), -1);
	EXPECT_EQ(errno, ENOENT);
}

TEST_F(held, probes)
{
	struct rdmaev_probe list[ROOM];
	struct rdmaev_probes req = LIST(rdmaev_probes, list, .device = self->index);
	struct rdmaev_probe_set set = {
		.size = sizeof(set), .device = self->index, .interval_ms = 1000,
	};
	uint64_t seq;

	EXPECT_REFUSED(self->fd, RDMAEV_IOC_PROBES, req);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_PROBES, &req), 0);
	EXPECT_EQ(req.count, 0);
	EXPECT_NOT_KNOWN(req);
	EXPECT_SAME(self, RDMAEV_IOC_PROBES, req, list,
		    rdmaev_probes(h, self->index, 0, again, ROOM, &seq));
	/* rdmaev_probe is not loaded. */
	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_PROBE, &set), -1);
	EXPECT_EQ(errno, EOPNOTSUPP);
	EXPECT_REFUSED(self->fd, RDMAEV_IOC_PROBE, set);
}

TEST_F(held, qps)
{
	struct rdmaev_qp list[ROOM];
	struct rdmaev_qps req = LIST(rdmaev_qps, list, .device = self->index);
	uint64_t seq;

	EXPECT_REFUSED(self->fd, RDMAEV_IOC_QPS, req);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_QPS, &req), 0);
	/* rdmaev_observe is not loaded. */
	EXPECT_EQ(req.count, 0);
	EXPECT_NOT_KNOWN(req);
	EXPECT_SAME(self, RDMAEV_IOC_QPS, req, list,
		    rdmaev_qps(h, self->index, 0, 0, again, ROOM, &seq));
}

TEST_F(held, release)
{
	struct rdmaev_release release = {
		.size = sizeof(release), .flags = RDMAEV_RELEASE_QUERY,
	};

	EXPECT_REFUSED(self->fd, RDMAEV_IOC_RELEASE, release);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_RELEASE, &release), 0);
	EXPECT_EQ(release.readers, 0);
	EXPECT_NOT_KNOWN(release);
}

/* The recording that is held with the headers, see selftests/held/make_lists.c */
TEST(recording)
{
	const char *top = getenv("RDMAEV_TOP");
	struct rdmaev_device devices[ROOM];
	struct rdmaev_counter counters[ROOM];
	struct rdmaev_cq_stats cqs[ROOM];
	struct rdmaev_probe probes[ROOM];
	struct rdmaev_qp qps[ROOM];
	struct rdmaev_port ports[ROOM];
	struct rdmaev_record r;
	struct rdmaev_info info;
	unsigned int kinds = 0;
	struct rdmaev *h;
	char path[512];
	uint64_t seq;

	snprintf(path, sizeof(path), "%s/selftests/held/1.0/log.rdmaev", top ? top : ".");
	h = rdmaev_open(path, 0);
	ASSERT_NE(h, NULL);
	memset(&info, 0xff, sizeof(info));
	ASSERT_EQ(rdmaev_info(h, &info), 0);
	EXPECT_EQ(info.instance, 0x0123456789abcdefULL);
	EXPECT_EQ(info.observer.off, RDMAEV_OBSERVED_CONNECTIONS);
	EXPECT_NOT_KNOWN(info);
	while (rdmaev_read(h, &r, 1) == 1)
		kinds |= 1U << r.kind;
	EXPECT_EQ(errno, ENODATA);
	EXPECT_EQ(kinds, (2U << RDMAEV_KIND_MAX) - 2 + (1U << 31));

	memset(devices, 0xff, sizeof(devices));
	memset(ports, 0xff, sizeof(ports));
	memset(counters, 0xff, sizeof(counters));
	memset(cqs, 0xff, sizeof(cqs));
	memset(probes, 0xff, sizeof(probes));
	memset(qps, 0xff, sizeof(qps));
	ASSERT_EQ(rdmaev_devices(h, devices, ROOM, RDMAEV_DEVICES_REMOVED, &seq), 3);
	EXPECT_STREQ(devices[2].name, "held2");
	EXPECT_EQ(devices[1].missing, RDMAEV_PART_UVERBS | RDMAEV_PART_UMAD);
	EXPECT_NOT_KNOWN(devices[2]);
	ASSERT_EQ(rdmaev_ports(h, RDMAEV_ANY, RDMAEV_PORTS_REMOVED, ports, ROOM, &seq), 11);
	EXPECT_EQ(ports[10].gid[12], 11);
	EXPECT_NOT_KNOWN(ports[10]);
	ASSERT_EQ(rdmaev_counters(h, RDMAEV_ANY, RDMAEV_ANY, RDMAEV_COUNTERS_REMOVED, counters,
				  ROOM, &seq), 7);
	EXPECT_EQ(counters[6].code, RDMAEV_CM_REJECTED);
	EXPECT_NOT_KNOWN(counters[6]);
	ASSERT_EQ(rdmaev_cqs(h, RDMAEV_ANY, 0, 0, cqs, ROOM, &seq), 3);
	EXPECT_EQ(cqs[2].flags, RDMAEV_CQ_ATTACHED | RDMAEV_CQ_STALLED);
	EXPECT_NOT_KNOWN(cqs[2]);
	ASSERT_EQ(rdmaev_probes(h, RDMAEV_ANY, 0, probes, ROOM, &seq), 9);
	EXPECT_EQ(probes[8].error, RDMAEV_WC_RETRY_EXC_ERR);
	EXPECT_NOT_KNOWN(probes[8]);
	ASSERT_EQ(rdmaev_qps(h, RDMAEV_ANY, 0, 0, qps, ROOM, &seq), 3);
	EXPECT_EQ(qps[2].info.qp_state, RDMAEV_QP_ERR);
	EXPECT_NOT_KNOWN(qps[2]);
	EXPECT_EQ(rdmaev_qps(h, RDMAEV_ANY, 0, qps[1].id, qps, ROOM, &seq), 1);
	rdmaev_close(h);
}

TEST_HARNESS_MAIN
