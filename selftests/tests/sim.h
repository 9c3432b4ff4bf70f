/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Helpers of tests with simulated devices: changes of a device sim0, and the
 * expected records. Fixtures with sim0 are in sim_ib.h and sim_link.h.
 */
#ifndef RDMAEV_TEST_SIM_H
#define RDMAEV_TEST_SIM_H

#include <poll.h>

#include "common.h"
#include "kselftest_harness.h"

#define SIM "/sys/kernel/debug/rdmaev_sim/"

#define DEVICE_FATAL		8
#define PORT_ACTIVE		9
#define PORT_ERR		10
#define LID_CHANGE		11
#define PKEY_CHANGE		12
#define SM_CHANGE		13
#define CLIENT_REREGISTER	17
#define GID_CHANGE		18
#define DEVICE_SPEED_CHANGE	20
#define UNKNOWN			200

#define STATE_DOWN		1
#define STATE_INIT		2
#define STATE_ARMED		3
#define STATE_ACTIVE		4
#define STATE_ACTIVE_DEFER	5

#define PHYS_POLLING		2
#define PHYS_LINK_UP		5

#define SPEED_EDR		32
#define SPEED_SDR		1
#define SPEED_HDR		64
#define WIDTH_1X		1
#define WIDTH_4X		2

#define IB_MTU_256		1
#define IB_MTU_1024		3
#define IB_MTU_4096		5

/* Initial values of a new port in rdmaev_sim */
#define FIRST_LID(port)		(16 + (port))
#define FIRST_SM_LID		1
#define FIRST_PKEY		0xffff

/* @link: ib, roce or iwarp */
static inline int sim_create_link(const char *name, unsigned int ports,
				  const char *link)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %u %s", name, ports, link);
	return put(SIM "create", text);
}

static inline int sim_create(const char *name, unsigned int ports)
{
	return sim_create_link(name, ports, "ib");
}

/* No automatic addresses: each would be a GID on RoCE. */
static inline int bring_up(const char *netdev)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/addr_gen_mode", netdev);
	return put(path, "1") || netdev_set(netdev, 1);
}

static inline int sim_destroy(const char *name)
{
	return put(SIM "destroy", name);
}

static inline int sim_event(const char *name, unsigned int event, unsigned int port)
{
	char text[128];

	snprintf(text, sizeof(text), "queue %s %u %u 1", name, event, port);
	return put(GEN, text);
}

/* Change an attribute of a port of sim0, without an event. */
__attribute__((format(printf, 3, 4)))
static inline int set(unsigned int port, const char *attr, const char *format, ...)
{
	char path[128], text[64];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	snprintf(path, sizeof(path), SIM "sim0/%u/%s", port, attr);
	return put(path, text);
}

static inline int event(unsigned int number, unsigned int port)
{
	return sim_event("sim0", number, port);
}

static inline int next(int fd, struct rdmaev_record *rec)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, SOON_MS) == 1 &&
	       read(fd, rec, sizeof(*rec)) == sizeof(*rec);
}

/* Wait for @n records. True if these came, and no more. */
static inline int exactly(int fd, struct rdmaev_record *recs, int n)
{
	struct rdmaev_record rec;
	int i;

	memset(recs, 0, n * sizeof(*recs));
	for (i = 0; i < n; i++) {
		if (!next(fd, &recs[i])) {
			fprintf(stderr, "# %d records came, not %d\n", i, n);
			return 0;
		}
	}
	sleep_ms(150);
	if (read(fd, &rec, sizeof(rec)) < 0)
		return 1;
	fprintf(stderr, "# one more: seq %llu device %u kind %u code %u port %u\n",
		(unsigned long long)rec.seq, rec.device, rec.kind, rec.code,
		rec.port);
	return 0;
}

static inline int nothing(int fd)
{
	struct rdmaev_record rec;

	return exactly(fd, &rec, 0);
}

#define EXPECT_ASYNC(r, number, on_port) do {				\
	EXPECT_EQ((r).kind, RDMAEV_KIND_ASYNC);				\
	EXPECT_EQ((r).code, number);					\
	EXPECT_EQ((r).port, on_port);					\
	EXPECT_EQ((r).device, self->index);				\
	EXPECT_EQ((r).source, RDMAEV_SOURCE_HANDLER);			\
	EXPECT_EQ((r).count, 1);					\
	EXPECT_EQ((r).cause, 0);					\
} while (0)

#define EXPECT_PORT(r, what, on_port, by)  do {				\
	EXPECT_EQ((r).kind, RDMAEV_KIND_PORT);				\
	EXPECT_EQ((r).code, what);					\
	EXPECT_EQ((r).port, on_port);					\
	EXPECT_EQ((r).device, self->index);				\
	EXPECT_EQ((r).object_type, RDMAEV_OBJECT_PORT);			\
	EXPECT_EQ((r).source, RDMAEV_SOURCE_RDMAEV);			\
	EXPECT_EQ((r).cause, (by).seq);					\
} while (0)

#define EXPECT_CHANGE(r, what, on_port, old, new, by) do {		\
	EXPECT_PORT(r, what, on_port, by);				\
	EXPECT_EQ((r).body.port.before.number, old);			\
	EXPECT_EQ((r).body.port.after.number, new);			\
} while (0)

/* Ports of a device; their number, -1 if the device is not visible. */
static inline int snapshot(int fd, uint32_t device,
			   struct rdmaev_port *ports, unsigned int room)
{
	struct rdmaev_ports req = {
		.size = sizeof(req),
		.entry_size = sizeof(*ports),
		.count = room,
		.entries = (uintptr_t)ports,
		.device = device,
	};

	memset(ports, 0, room * sizeof(*ports));
	return ioctl(fd, RDMAEV_IOC_PORTS, &req) ? -1 : (int)req.count;
}

static inline int filter_device(int fd, const char *name)
{
	struct rdmaev_filter f = filter_all();

	filter_target(&f, name, 0);
	return ioctl(fd, RDMAEV_IOC_FILTER, &f);
}

#endif /* RDMAEV_TEST_SIM_H */
