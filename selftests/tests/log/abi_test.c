// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The ABI: layout, sizes, and each error that a request can have. */
#include <stddef.h>
#include <sys/socket.h>

#include "common.h"
#include "kselftest_harness.h"

/* selftests/described makes the lists. */
TEST(layout)
{
#define NUMBER(name, number) EXPECT_EQ((long long)(name), number)
#define SIZE(name, size) EXPECT_EQ(sizeof(struct name), size)
#define FIELD(name, field, offset, size) do {				\
	EXPECT_EQ(offsetof(struct name, field), offset);		\
	EXPECT_EQ(sizeof(((struct name *)0)->field), size);		\
} while (0)
#include "abi_layout.h"
#include "abi_numbers.h"
	/* A record is a head and a body, whatever its kind. */
	EXPECT_EQ(offsetof(struct rdmaev_record, body), RDMAEV_HEAD_SIZE);
	EXPECT_EQ(RDMAEV_HEAD_SIZE + RDMAEV_BODY_SIZE, RDMAEV_RECORD_SIZE);
	EXPECT_EQ(RDMAEV_FAMILY_INET, AF_INET);
	EXPECT_EQ(RDMAEV_FAMILY_INET6, AF_INET6);
}

FIXTURE(node) {
	int fd;
};

FIXTURE_SETUP(node)
{
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(node)
{
	close(self->fd);
}

TEST_F(node, info)
{
	struct rdmaev_info info = get_info(self->fd);

	EXPECT_EQ(info.size, sizeof(info));
	EXPECT_EQ(info.abi_version, RDMAEV_ABI_VERSION);
	EXPECT_EQ(info.abi_version, 1);
	EXPECT_EQ(info.features, 0);
	EXPECT_EQ(info.record_size, RDMAEV_RECORD_SIZE);
	EXPECT_EQ(info.rings, RDMAEV_RINGS);
	EXPECT_EQ(info.ring_records, 8192);
	EXPECT_EQ(info.reserved, 0);
	EXPECT_EQ(info.position, info.newest_seq + 1);
	EXPECT_EQ(info.lost, 0);
}

TEST_F(node, info_of_another_load)
{
	struct rdmaev_info info = get_info(self->fd), again;

	if (!can_reload())
		SKIP(return, NO_RELOAD);
	EXPECT_EQ(get_info(self->fd).instance, info.instance);
	close(self->fd);
	ASSERT_EQ(sh("rmmod rdmaev && insmod $RDMAEV_TOP/kmod/rdmaev.ko"), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	again = get_info(self->fd);
	EXPECT_NE(again.instance, info.instance);
}

/* A copy of a valid request, in which @change makes something of @bad wrong */
#define EXPECT_BAD(cmd, good, error, change) do {			\
	__typeof__(good) bad = good;					\
									\
	change;								\
	EXPECT_EQ(ioctl(self->fd, cmd, &bad), -1);			\
	EXPECT_EQ(errno, error);					\
} while (0)

TEST_F(node, reserved_in_info)
{
	struct rdmaev_info info = { .size = sizeof(info) };

	EXPECT_BAD(RDMAEV_IOC_INFO, info, EINVAL, bad.reserved = 1);
	EXPECT_BAD(RDMAEV_IOC_INFO, info, EINVAL, bad.observer.reserved = 1);
}

TEST_F(node, pread_is_refused)
{
	struct rdmaev_record rec;

	EXPECT_EQ(pread(self->fd, &rec, sizeof(rec), 0), -1);
	EXPECT_EQ(errno, ESPIPE);
}

TEST_F(node, unknown_command)
{
	struct rdmaev_info info = { .size = sizeof(info) };

	EXPECT_EQ(ioctl(self->fd, _IO(RDMAEV_IOC_TYPE, 99), &info), -1);
	EXPECT_EQ(errno, ENOTTY);
	EXPECT_EQ(ioctl(self->fd, _IO('E', 0), &info), -1);
	EXPECT_EQ(errno, ENOTTY);
}

TEST_F(node, write_is_refused)
{
	int fd = open(NODE, O_RDWR);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(write(fd, "x", 1), -1);
	EXPECT_EQ(errno, EINVAL);
	close(fd);
}

/* Each ioctl: bad address, no size, a size too small, and a size too large */
static const struct {
	unsigned int cmd;
	int answers;
	unsigned int size;
} commands[] = {
	{ RDMAEV_IOC_INFO, 1, sizeof(struct rdmaev_info) },
	{ RDMAEV_IOC_FILTER, 0, sizeof(struct rdmaev_filter) },
	{ RDMAEV_IOC_WAKEUP, 0, sizeof(struct rdmaev_wakeup) },
	{ RDMAEV_IOC_DEVICES, 1, sizeof(struct rdmaev_devices) },
	{ RDMAEV_IOC_PORTS, 1, sizeof(struct rdmaev_ports) },
	{ RDMAEV_IOC_CQS, 1, sizeof(struct rdmaev_cqs) },
	{ RDMAEV_IOC_PROBES, 1, sizeof(struct rdmaev_probes) },
	{ RDMAEV_IOC_QPS, 1, sizeof(struct rdmaev_qps) },
};

union any {
	char bytes[8192];
	__u32 size;
	struct rdmaev_filter filter;
	struct rdmaev_wakeup wakeup;
	struct rdmaev_devices devices;
	struct rdmaev_ports ports;
	struct rdmaev_cqs cqs;
	struct rdmaev_probes probes;
	struct rdmaev_qps qps;
};

/* A valid request, in a structure of @size bytes */
static void fill(union any *arg, unsigned int cmd, unsigned int size)
{
	memset(arg, 0, sizeof(*arg));
	switch (cmd) {
	case RDMAEV_IOC_FILTER:
		arg->filter = filter_all();
		break;
	case RDMAEV_IOC_WAKEUP:
		arg->wakeup.watermark = 1;
		break;
	case RDMAEV_IOC_DEVICES:
		arg->devices.entry_size = sizeof(struct rdmaev_device);
		break;
	case RDMAEV_IOC_CQS:
		arg->cqs.entry_size = sizeof(struct rdmaev_cq_stats);
		arg->cqs.device = RDMAEV_ANY;
		break;
	case RDMAEV_IOC_QPS:
		arg->qps.entry_size = sizeof(struct rdmaev_qp);
		arg->qps.device = RDMAEV_ANY;
		break;
	case RDMAEV_IOC_PROBES:
		arg->probes.entry_size = sizeof(struct rdmaev_probe);
		arg->probes.device = RDMAEV_ANY;
		break;
	case RDMAEV_IOC_PORTS:
		arg->ports.entry_size = sizeof(struct rdmaev_port);
		arg->ports.device = RDMAEV_ANY;
		break;
	}
	arg->size = size;
}

TEST_F(node, sizes)
{
	union any arg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		unsigned int cmd = commands[i].cmd;
		unsigned int size = commands[i].size;

		EXPECT_EQ(ioctl(self->fd, cmd, NULL), -1);
		EXPECT_EQ(errno, EFAULT);

		fill(&arg, cmd, size);
		EXPECT_EQ(ioctl(self->fd, cmd, &arg), 0);
		EXPECT_EQ(arg.size, size);

		fill(&arg, cmd, 0);
		EXPECT_EQ(ioctl(self->fd, cmd, &arg), -1);
		EXPECT_EQ(errno, EINVAL);

		/* A filter need not have targets. */
		fill(&arg, cmd, (cmd == RDMAEV_IOC_FILTER ? RDMAEV_FILTER_SIZE_VER0 : size) - 8);
		EXPECT_EQ(ioctl(self->fd, cmd, &arg), -1);
		EXPECT_EQ(errno, EINVAL);

		/* From a newer program: valid while the new fields are zero */
		fill(&arg, cmd, size + 64);
		EXPECT_EQ(ioctl(self->fd, cmd, &arg), 0);
		EXPECT_EQ(arg.size, commands[i].answers ? size : size + 64);

		fill(&arg, cmd, size + 64);
		arg.bytes[size + 63] = 1;
		EXPECT_EQ(ioctl(self->fd, cmd, &arg), -1);
		EXPECT_EQ(errno, E2BIG);

		fill(&arg, cmd, 8192);
		EXPECT_EQ(ioctl(self->fd, cmd, &arg), -1);
		EXPECT_EQ(errno, E2BIG);
	}
}

#define EXPECT_BAD_FILTER(change)					\
	EXPECT_BAD(RDMAEV_IOC_FILTER, filter_all(), EINVAL, change)

/* A filter is as long as its list of targets, or longer. */
TEST_F(node, filter_sizes)
{
	struct rdmaev_filter f = filter_all();

	f.size = RDMAEV_FILTER_SIZE_VER0;
	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	filter_target(&f, "nosuch", 0);
	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), -1);
	EXPECT_EQ(errno, EINVAL);
	f.size += sizeof(f.target[0]);
	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	filter_target(&f, "nosuch*", 0);
	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(filter_kinds(self->fd, 0), 0);
}

TEST_F(node, bad_filters)
{
	EXPECT_BAD_FILTER(bad.flags = 1U << 4);
	EXPECT_BAD_FILTER(bad.uid = 1);
	EXPECT_BAD_FILTER(bad.cgroup = 1);
	EXPECT_BAD_FILTER(bad.object = 1);
	EXPECT_BAD_FILTER(bad.pid = 1);
	EXPECT_BAD_FILTER(bad.kinds = 1);
	EXPECT_BAD_FILTER(bad.kinds = 1U << (RDMAEV_KIND_MAX + 1));
	EXPECT_BAD_FILTER(bad.severities = 1);
	EXPECT_BAD_FILTER(bad.severities = 1 << 4);
	EXPECT_BAD_FILTER(filter_codes(&bad, 0, 1));
	EXPECT_BAD_FILTER(filter_codes(&bad, 12, 1));
	EXPECT_BAD_FILTER(filter_codes(&bad, 31, 1));
	EXPECT_BAD_FILTER(bad.reserved[sizeof(bad.reserved) - 1] = 1);
	EXPECT_BAD_FILTER(bad.object_types = 1 << 7);
	EXPECT_BAD_FILTER(bad.targets = RDMAEV_TARGETS + 1);
	EXPECT_BAD_FILTER(bad.target[0].device[0] = 'a');
	EXPECT_BAD_FILTER(bad.target[RDMAEV_TARGETS - 1].port = 1);
	EXPECT_BAD_FILTER(filter_target(&bad, "sim0", 0);
			  bad.target[1].device[RDMAEV_DEVICE_NAME_SIZE - 1] = 1);
	EXPECT_EQ(filter_kinds(self->fd, 0), 0);
}

/*
 * Names of targets: empty, without an end, with a `*` elsewhere or bytes after
 * the NUL
 */
TEST_F(node, bad_targets)
{
	static const char name64[] =
		"0123456789012345678901234567890123456789012345678901234567890123";
	struct rdmaev_filter f = filter_all();

	EXPECT_BAD_FILTER(filter_target(&bad, "", 0));
	EXPECT_BAD_FILTER(filter_target(&bad, "", 1));
	EXPECT_BAD_FILTER(filter_target(&bad, name64, 0));
	EXPECT_BAD_FILTER(filter_target(&bad, "*a", 0));
	EXPECT_BAD_FILTER(filter_target(&bad, "a*b", 0));
	EXPECT_BAD_FILTER(filter_target(&bad, "a**", 0));
	EXPECT_BAD_FILTER(filter_target(&bad, "**", 1));
	EXPECT_BAD_FILTER(filter_target(&bad, "sim0", 0); filter_target(&bad, "*a", 0));
	EXPECT_BAD_FILTER(filter_target(&bad, "sim0", 0); bad.target[0].device[5] = 1);
	EXPECT_BAD_FILTER(filter_target(&bad, "sim0", 0); bad.target[0].port = 1);
	EXPECT_BAD_FILTER(filter_target(&bad, "sim0", 1); bad.target[0].flags = 3);
	EXPECT_BAD_FILTER(filter_target(&bad, "sim*", 0);
			  bad.target[0].device[RDMAEV_DEVICE_NAME_SIZE - 1] = 1);

	filter_target(&f, "*", 0);
	filter_target(&f, "*", 1);
	filter_target(&f, "sim*", 0xffffffff);
	filter_target(&f, name64 + 1, 1);
	while (f.targets < RDMAEV_TARGETS)
		filter_target(&f, "sim0", 0);
	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
}

TEST_F(node, bad_wakeups)
{
	struct rdmaev_wakeup good = {
		.size = sizeof(good),
		.watermark = 8192,
		.delay_us = RDMAEV_DELAY_MAX_US,
	};

	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_WAKEUP, &good), 0);
	EXPECT_BAD(RDMAEV_IOC_WAKEUP, good, EINVAL, bad.flags = 1);
	EXPECT_BAD(RDMAEV_IOC_WAKEUP, good, EINVAL, bad.watermark = 0);
	EXPECT_BAD(RDMAEV_IOC_WAKEUP, good, EINVAL, bad.watermark++);
	EXPECT_BAD(RDMAEV_IOC_WAKEUP, good, EINVAL, bad.delay_us++);
}

#define EXPECT_BAD_LIST(cmd, type, entry, error, change, ...)		\
	EXPECT_BAD(cmd, ((struct type) {				\
		.size = sizeof(struct type),				\
		.entry_size = sizeof(struct entry),			\
		__VA_ARGS__						\
	}), error, change)

#define EXPECT_BAD_DEVICES(error, change)				\
	EXPECT_BAD_LIST(RDMAEV_IOC_DEVICES, rdmaev_devices,		\
			rdmaev_device, error, change)
#define EXPECT_BAD_PORTS(error, change)					\
	EXPECT_BAD_LIST(RDMAEV_IOC_PORTS, rdmaev_ports, rdmaev_port,	\
			error, change, .device = RDMAEV_ANY)
#define EXPECT_BAD_COUNTERS(error, change)				\
	EXPECT_BAD_LIST(RDMAEV_IOC_COUNTERS, rdmaev_counters,		\
			rdmaev_counter, error, change, .device = RDMAEV_ANY,	\
			.port = RDMAEV_ANY)
#define EXPECT_BAD_CQS(error, change)					\
	EXPECT_BAD_LIST(RDMAEV_IOC_CQS, rdmaev_cqs, rdmaev_cq_stats,	\
			error, change, .device = RDMAEV_ANY)
#define EXPECT_BAD_PROBES(error, change)				\
	EXPECT_BAD_LIST(RDMAEV_IOC_PROBES, rdmaev_probes, rdmaev_probe,	\
			error, change, .device = RDMAEV_ANY)
#define EXPECT_BAD_QPS(error, change)					\
	EXPECT_BAD_LIST(RDMAEV_IOC_QPS, rdmaev_qps, rdmaev_qp,		\
			error, change, .device = RDMAEV_ANY)

TEST_F(node, bad_lists)
{
	ASSERT_EQ(rxe_add("abi0"), 0);
	EXPECT_BAD_DEVICES(EINVAL, bad.flags = 2);
	EXPECT_BAD_DEVICES(EINVAL, bad.entry_size = 0);
	EXPECT_BAD_DEVICES(EINVAL, bad.entry_size = 96);
	EXPECT_BAD_DEVICES(EINVAL, bad.entry_size = 1 << 20);
	EXPECT_BAD_DEVICES(EFAULT, bad.count = 1);
	EXPECT_BAD_PORTS(EINVAL, bad.flags = 2);
	EXPECT_BAD_PORTS(EINVAL, bad.reserved = 1);
	EXPECT_BAD_PORTS(EINVAL, bad.entry_size = 0);
	EXPECT_BAD_PORTS(EINVAL, bad.entry_size = 56);
	EXPECT_BAD_PORTS(EINVAL, bad.entry_size = 1 << 20);
	EXPECT_BAD_PORTS(EFAULT, bad.count = 1);
	EXPECT_BAD_PORTS(ENODEV, bad.device = 0x7fffffff);
	EXPECT_BAD_COUNTERS(EINVAL, bad.flags = 2);
	EXPECT_BAD_COUNTERS(EINVAL, bad.entry_size = 0);
	EXPECT_BAD_COUNTERS(EINVAL, bad.entry_size -= 8);
	EXPECT_BAD_COUNTERS(EINVAL, bad.entry_size = 1 << 20);
	EXPECT_BAD_COUNTERS(EFAULT, bad.count = 1);
	EXPECT_BAD_COUNTERS(ENODEV, bad.device = 0x7fffffff);
	EXPECT_BAD_PROBES(EINVAL, bad.flags = 1);
	EXPECT_BAD_QPS(EINVAL, bad.flags = 1);
	EXPECT_BAD_PROBES(EINVAL, bad.reserved = 1);
	EXPECT_BAD_QPS(EINVAL, bad.reserved = 1);
	EXPECT_BAD_PROBES(EINVAL, bad.entry_size = 0);
	EXPECT_BAD_QPS(EINVAL, bad.entry_size = 0);
	EXPECT_BAD_PROBES(EINVAL, bad.entry_size -= 8);
	EXPECT_BAD_QPS(EINVAL, bad.entry_size -= 8);
	EXPECT_BAD_PROBES(EINVAL, bad.entry_size = 1 << 20);
	EXPECT_BAD_QPS(EINVAL, bad.entry_size = 1 << 20);
	EXPECT_BAD_PROBES(ENODEV, bad.device = 0x7fffffff);
	EXPECT_BAD_QPS(ENODEV, bad.device = 0x7fffffff);
	EXPECT_BAD_CQS(EINVAL, bad.flags = 2);
	EXPECT_BAD_CQS(EINVAL, bad.reserved = 1);
	EXPECT_BAD_CQS(EINVAL, bad.entry_size = 0);
	EXPECT_BAD_CQS(EINVAL, bad.entry_size -= 8);
	EXPECT_BAD_CQS(EINVAL, bad.entry_size = 1 << 20);
	EXPECT_BAD_CQS(ENODEV, bad.device = 0x7fffffff);
	EXPECT_BAD_CQS(ENODEV, bad.device = 0x7fffffff; bad.flags = RDMAEV_CQS_SUMS);
	EXPECT_BAD_CQS(EFAULT, bad.flags = RDMAEV_CQS_SUMS; bad.count = 1);
	EXPECT_EQ(rxe_del("abi0"), 0);
}

TEST_F(node, bad_probes)
{
	struct rdmaev_probe_set good = { .size = sizeof(good), .interval_ms = 1000 };
	struct rdmaev_device dev;

	ASSERT_EQ(rxe_add("abi2"), 0);
	ASSERT_EQ(find_device(self->fd, "abi2", &dev), 1);
	good.device = dev.index;
	/* rdmaev_probe is not loaded. */
	EXPECT_BAD(RDMAEV_IOC_PROBE, good, EOPNOTSUPP, (void)bad);
	EXPECT_BAD(RDMAEV_IOC_PROBE, good, ENODEV, bad.device = 0x7fffffff);
	EXPECT_BAD(RDMAEV_IOC_PROBE, good, EINVAL, bad.size -= 4);
	EXPECT_BAD(RDMAEV_IOC_PROBE, good, EINVAL, bad.flags = 1);
	EXPECT_BAD(RDMAEV_IOC_PROBE, good, EINVAL,
		   bad.interval_ms = RDMAEV_PROBE_INTERVAL_MAX_MS + 1);
	EXPECT_EQ(rxe_del("abi2"), 0);
}

TEST_F(node, bad_notifies)
{
	struct rdmaev_notify good = { .size = sizeof(good), .every = 1 };
	struct rdmaev_device dev;

	ASSERT_EQ(rxe_add("abi1"), 0);
	ASSERT_EQ(find_device(self->fd, "abi1", &dev), 1);
	good.device = dev.index;
	/* The device has CQs, but none of a ULP that uses rdmaev. */
	EXPECT_BAD(RDMAEV_IOC_NOTIFY, good, ENOENT, (void)bad);
	EXPECT_BAD(RDMAEV_IOC_NOTIFY, good, ENODEV, bad.device = 0x7fffffff);
	EXPECT_BAD(RDMAEV_IOC_NOTIFY, good, EINVAL, bad.size -= 4);
	EXPECT_BAD(RDMAEV_IOC_NOTIFY, good, EINVAL, bad.flags = 1);
	EXPECT_BAD(RDMAEV_IOC_NOTIFY, good, EINVAL, bad.delay_us = RDMAEV_DELAY_MAX_US + 1);
	EXPECT_EQ(rxe_del("abi1"), 0);
}

TEST_HARNESS_MAIN
