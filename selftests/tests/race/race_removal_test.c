// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Devices are removed during events, while readers wait in all ways and port
 * queries are due.
 */
#include <net/if.h>

#include "reader.h"

#define DRIVER "/sys/bus/platform/drivers/rdmaev_sim/"

/* Until the device is removed */
static void read_on(struct runner *r)
{
	struct reader *me = r->data;
	struct rdmaev_record rec;

	do {
		if (get(me, &rec) != 1) {
			wrong(r, "no removal is told");
			return;
		}
		if (rec.device == me->device)
			keep(me, &rec);
	} while (rec.device != me->device || !is_device(&rec, RDMAEV_DEVICE_REMOVE));
}

static int is_over(int error)
{
	return error == ENOENT || error == EIO || error == ENODEV;
}

/* The port of sim0 goes up and down, so that a query of it is always due. */
static void flap_sim(struct runner *r)
{
	unsigned int i;

	for (i = 0; !is_stopped(r); i++) {
		if (set(1, "state", "%d", i % 2 ? STATE_ACTIVE : STATE_DOWN) ||
		    event(i % 2 ? PORT_ACTIVE : PORT_ERR, 1)) {
			if (!is_over(errno))
				wrong(r, "event");
			return;
		}
		r->done++;
		usleep(500 * (i % 8));
	}
}

static void flap_netdev(struct runner *r)
{
	struct ifreq req = { .ifr_name = "race0_d" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	while (!is_stopped(r)) {
		req.ifr_flags ^= IFF_UP;
		if (ioctl(fd, SIOCSIFFLAGS, &req)) {
			if (!is_over(errno))
				wrong(r, "link");
			break;
		}
		r->done++;
		usleep(2000);
	}
	close(fd);
}

/* A device that is added and removed, and the threads that do so */
FIXTURE(gone) {
	int fd;
	int nl;
	char bus[64];
	struct reader *reader;
};

FIXTURE_VARIANT(gone) {
	const char *name;
	const char *how;
	unsigned int rounds;
};

FIXTURE_VARIANT_ADD(gone, destroyed) {
	.name = "sim0",
	.how = "destroy",
	.rounds = 10,
};

FIXTURE_VARIANT_ADD(gone, unbound) {
	.name = "sim0",
	.how = "unbind",
	.rounds = 10,
};

FIXTURE_VARIANT_ADD(gone, deleted) {
	.name = "race0",
	.how = "rxe",
	.rounds = 4,
};

FIXTURE_SETUP(gone)
{
	ASSERT_EQ(param("burst_ms", 0), 0);
	sim_destroy("sim0");
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	self->nl = open_nldev();
	ASSERT_GE(self->nl, 0);
	self->reader = calloc(WAYS, sizeof(*self->reader));
	ASSERT_NE(self->reader, NULL);
	self->bus[0] = '\0';
}

FIXTURE_TEARDOWN(gone)
{
	close(self->fd);
	close(self->nl);
	free(self->reader);
	sim_destroy("sim0");
}

static int make(const char *how, char *bus, size_t size, unsigned int round)
{
	FILE *f;

	if (!strcmp(how, "rxe")) {
		/* In even rounds, the interface of a deleted device is kept. */
		if (round % 2)
			return netdev_set("race0_d", 1) || rdma_add("race0", "rxe", "race0_d");
		return rxe_add("race0");
	}
	if (*bus)
		return put(DRIVER "bind", bus);
	if (sim_create("sim0", 2))
		return -1;
	f = fopen(SIM "sim0/bus", "r");
	if (!f || !fgets(bus, size, f))
		return -1;
	fclose(f);
	if (strcmp(how, "unbind"))
		*bus = '\0';
	return 0;
}

static int take_away(const char *how, const char *bus, unsigned int round, int nl,
		     uint32_t device)
{
	if (!strcmp(how, "destroy"))
		return sim_destroy("sim0");
	if (!strcmp(how, "unbind"))
		return put(DRIVER "unbind", bus);
	return round % 2 ? netdev_del("race0_d") :
			   nldev(nl, RDMA_NLDEV_CMD_DELLINK, device, 0, NULL, 0);
}

/* 0 after a port query has found a change, however slow the machine is */
static int wait_for_look(void)
{
	struct pollfd p = { .fd = open_node(O_NONBLOCK), .events = POLLIN };
	int ret = -1;

	if (p.fd >= 0 && !filter_kinds(p.fd, 1U << RDMAEV_KIND_PORT))
		ret = poll(&p, 1, HANGS_S * 1000) != 1;
	close(p.fd);
	return ret;
}

TEST_F_TIMEOUT(gone, with_readers_waiting, 300)
{
	static struct reader all;
	struct runner r[WAYS + 1] = {};
	unsigned int i, j, n = rounds(variant->rounds), looks = 0;
	struct rdmaev_device dev;

	for (i = 0; i < n; i++) {
		ASSERT_EQ(make(variant->how, self->bus, sizeof(self->bus), i), 0);
		ASSERT_TRUE(find_device(self->fd, variant->name, &dev));
		/* The query of a new device finds no change. */
		sleep_ms(30);
		for (j = 0; j < WAYS; j++) {
			struct reader *reader = &self->reader[j];

			ASSERT_EQ(open_reader(reader, j, dev.index, dev.name), 0);
			r[j].number = j;
			ASSERT_EQ(start(&r[j], read_on, reader), 0);
		}
		for (j = 0; j < WAYS; j++)
			ASSERT_EQ(asleep(&r[j]), 0);
		/* All have the same records from here on. */
		ASSERT_EQ(filter_device(self->fd, dev.name), 0);
		ASSERT_GT(lseek(self->fd, 0, SEEK_END), 0);
		r[WAYS].number = WAYS;
		ASSERT_EQ(start(&r[WAYS], strcmp(variant->how, "rxe") ? flap_sim :
				flap_netdev, NULL), 0);
		if (i < n - 1)
			usleep(5000 + 3000 * i);
		else
			ASSERT_EQ(wait_for_look(), 0);
		ASSERT_EQ(take_away(variant->how, self->bus, i, self->nl, dev.index), 0);
		EXPECT_EQ(stop(&r[WAYS]), 0);
		for (j = 0; j < WAYS; j++)
			ASSERT_EQ(ended(&r[j]), 0);
		/* Leftovers would be visible by now. */
		sleep_ms(40);
		drain(self->fd, &all);
		/* On a slow machine ib_core may take long for the rest of a removal. */
		if (all.n && is_device(&all.rec[all.n - 1], RDMAEV_DEVICE_REMOVED))
			all.n--;
		ASSERT_GT(all.n, 0);
		EXPECT_TRUE(is_device(&all.rec[all.n - 1], RDMAEV_DEVICE_REMOVE));
		for (j = 0; j < all.n; j++) {
			EXPECT_EQ(all.rec[j].generation, dev.generation);
			looks += all.rec[j].kind == RDMAEV_KIND_PORT;
		}
		for (j = 0; j < WAYS; j++) {
			EXPECT_TRUE(same_order(&self->reader[j], &all));
			close_reader(&self->reader[j]);
		}
	}
	EXPECT_GT(looks, 0);
}

TEST_HARNESS_MAIN
