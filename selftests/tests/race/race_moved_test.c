// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Devices are renamed or moved to another network namespace, during events,
 * while they are listed and read.
 */
#include "reader.h"

#define RAISED_MAX	2000	/* two records each */

FIXTURE(moved) {
	int fd;
	int nl;
	uint32_t index;
	struct reader *reader;
};

FIXTURE_SETUP(moved)
{
	long index;

	ASSERT_EQ(param("burst_ms", 0), 0);
	sim_destroy("sim0");
	ASSERT_EQ(sim_create("sim0", 1), 0);
	sleep_ms(30);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	index = device_index(self->fd, "sim0");
	ASSERT_GE(index, 0);
	self->index = index;
	ASSERT_EQ(filter_device(self->fd, "sim0"), 0);
	self->nl = open_nldev();
	ASSERT_GE(self->nl, 0);
	self->reader = calloc(WAYS, sizeof(*self->reader));
	ASSERT_NE(self->reader, NULL);
}

FIXTURE_TEARDOWN(moved)
{
	close(self->fd);
	close(self->nl);
	free(self->reader);
	sim_destroy("sim0");
}

/*
 * 0: reported, or the device is on its way to another namespace. Events are made
 * for a device by its current name.
 */
static int event_of_moved(unsigned int number)
{
	return sim_event("sim0", number, 1) && sim_event("other0", number, 1) &&
	       errno != ENODEV;
}

/* Fewer than the ring has room for, however slow the machine is */
static void raise_on(struct runner *r)
{
	while (!is_stopped(r)) {
		if (r->done < RAISED_MAX &&
		    (event_of_moved(TEST_EVENT) || event_of_moved(SM_CHANGE)))
			wrong(r, "event");
		r->done++;
		usleep(300);
	}
}

/* Lists, each true at a seq */
struct snapshots {
	int fd;
	uint32_t index;
	unsigned int n;
	struct {
		uint64_t seq;
		char name[64];
	} list[4096];
};

static void look_on(struct runner *r)
{
	struct snapshots *s = r->data;
	struct rdmaev_device list[8];
	unsigned int i;

	while (!is_stopped(r) && s->n < ARRAY_SIZE(s->list)) {
		struct rdmaev_devices req = {
			.size = sizeof(req),
			.entry_size = sizeof(list[0]),
			.count = ARRAY_SIZE(list),
			.entries = (uintptr_t)list,
		};

		if (ioctl(s->fd, RDMAEV_IOC_DEVICES, &req))
			wrong(r, "devices");
		for (i = 0; i < req.count && i < ARRAY_SIZE(list); i++) {
			if (list[i].index != s->index)
				continue;
			s->list[s->n].seq = req.seq;
			memcpy(s->list[s->n++].name, list[i].name, sizeof(list[i].name));
		}
		usleep(200);
	}
}

/*
 * A list has the device under its current name: it may be renamed between two.
 */
static int has_renamed_device(int fd)
{
	struct rdmaev_device list[8];
	struct rdmaev_devices req = {
		.size = sizeof(req),
		.entry_size = sizeof(list[0]),
		.count = ARRAY_SIZE(list),
		.entries = (uintptr_t)list,
	};
	unsigned int i;

	if (ioctl(fd, RDMAEV_IOC_DEVICES, &req))
		return 0;
	for (i = 0; i < req.count && i < ARRAY_SIZE(list); i++) {
		if (!strcmp(list[i].name, "sim0") || !strcmp(list[i].name, "other0"))
			return 1;
	}
	return 0;
}

/* Namespaces are created and removed, with the device in them, too. */
static void share_on(struct runner *r)
{
	while (!is_stopped(r)) {
		struct rdmaev_record rec;
		int fd;

		if (unshare(CLONE_NEWNET)) {
			wrong(r, "unshare");
			return;
		}
		fd = open_node(O_NONBLOCK);
		if (fd < 0 || !has_renamed_device(fd))
			wrong(r, "device in a namespace");
		usleep(3000);
		if (read_one(fd, &rec) != 1 && errno != EAGAIN)
			wrong(r, "read in a namespace");
		close(fd);
		r->done++;
	}
}

TEST_F_TIMEOUT(moved, renamed_under_events, 120)
{
	static const char * const names[] = { "sim0", "other0" };
	static struct snapshots snapshots;
	static struct reader all;
	struct runner r[3] = {};
	unsigned int i, j, renamed = 0, misnamed = 0, n = rounds(100);
	const char *name = names[0];

	snapshots.fd = self->fd;
	snapshots.index = self->index;
	ASSERT_EQ(start(&r[0], raise_on, NULL), 0);
	ASSERT_EQ(start(&r[1], look_on, &snapshots), 0);
	ASSERT_EQ(start(&r[2], share_on, NULL), 0);
	for (i = 1; i <= n; i++) {
		const char *to = names[i % 2];

		ASSERT_EQ(nldev(self->nl, RDMA_NLDEV_CMD_SET, self->index,
				RDMA_NLDEV_ATTR_DEV_NAME, to, strlen(to) + 1), 0);
		usleep(1000);
	}
	for (i = 0; i < 3; i++)
		EXPECT_EQ(stop(&r[i]), 0);

	/*
	 * In each list, the device has its name according to the records up to
	 * its seq.
	 */
	drain(self->fd, &all);
	for (i = 0, j = 0; i < all.n; i++) {
		for (; j < snapshots.n && snapshots.list[j].seq < all.rec[i].seq; j++)
			misnamed += !!strcmp(snapshots.list[j].name, name);
		if (!is_device(&all.rec[i], RDMAEV_DEVICE_RENAME))
			continue;
		renamed++;
		EXPECT_STREQ(all.rec[i].device_name, names[renamed % 2]);
		name = names[renamed % 2];
	}
	EXPECT_EQ(misnamed, 0);
	EXPECT_EQ(renamed, n);
	EXPECT_GT(j, n / 4);
	fprintf(stderr, "# %u names, %u lists, %u records, %lu namespaces\n", n, j,
		all.n, r[2].done);
}

/* Until the last event */
static void read_to_last(struct runner *r)
{
	struct reader *me = r->data;
	struct rdmaev_record rec;

	do {
		if (get(me, &rec) != 1) {
			wrong(r, "reader %u", me->way);
			return;
		}
		if (rec.device == me->device)
			keep(me, &rec);
	} while (rec.device != me->device || rec.code != TEST_EVENT + 1);
}

/*
 * Of all records, those of a device while it was in the other namespace, until the last
 * event: the core reports events from works, so one raised before may come after it.
 */
static void pick_moved(const struct reader *all, struct reader *moved)
{
	unsigned int i;
	int is_there = 0;

	moved->n = 0;
	for (i = 0; i < all->n; i++) {
		if (is_device(&all->rec[i], RDMAEV_DEVICE_NETNS))
			is_there = !is_there;
		if (is_there)
			keep(moved, &all->rec[i]);
		if (all->rec[i].code == TEST_EVENT + 1)
			break;
	}
}

/* No record is of a generation after its end or before its begin. */
static unsigned int strange(const struct reader *all, uint32_t generation)
{
	unsigned int i, n = 0, ended = 0;

	for (i = 0; i < all->n; i++) {
		const struct rdmaev_record *rec = &all->rec[i];

		if (is_device(rec, RDMAEV_DEVICE_NETNS)) {
			n += !ended || rec->generation <= generation;
			generation = rec->generation;
			ended = 0;
		}
		n += ended || rec->generation != generation;
		ended = is_device(rec, RDMAEV_DEVICE_REMOVE);
	}
	return n;
}

/* The core requires that a device is moved from its own namespace. */
static int move(int nl, uint32_t index, int from, int to, int here)
{
	int ret = setns(from, CLONE_NEWNET) ? errno : 0;

	ret = ret ?: nldev(nl, RDMA_NLDEV_CMD_SET, index, RDMA_NLDEV_NET_NS_FD, &to,
			   sizeof(to));
	return setns(here, CLONE_NEWNET) ? errno : ret;
}

TEST_F_TIMEOUT(moved, between_namespaces_under_events, 120)
{
	static struct reader all, moved;
	struct rdmaev_device dev;
	struct runner r[3] = {};
	unsigned int i, n = rounds(12);
	int here, there, nl;

	ASSERT_EQ(netns_mode("exclusive"), 0);
	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	here = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	ASSERT_EQ(unshare(CLONE_NEWNET), 0);
	there = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	nl = open_nldev();
	ASSERT_EQ(open_reader(&self->reader[0], BY_READ, RDMAEV_ANY, NULL), 0);
	ASSERT_EQ(open_reader(&self->reader[1], BY_NETLINK, RDMAEV_ANY, NULL), 0);
	ASSERT_EQ(setns(here, CLONE_NEWNET), 0);
	for (i = 0; i < 2; i++) {
		self->reader[i].device = self->index;
		r[i].number = i;
		ASSERT_EQ(start(&r[i], read_to_last, &self->reader[i]), 0);
		ASSERT_EQ(asleep(&r[i]), 0);
	}
	ASSERT_GT(lseek(self->fd, 0, SEEK_END), 0);
	ASSERT_EQ(start(&r[2], raise_on, NULL), 0);
	for (i = 0; i < n; i++) {
		ASSERT_EQ(move(self->nl, self->index, here, there, here), 0);
		usleep(2000);
		/* The last time it stays there. */
		if (i + 1 < n)
			ASSERT_EQ(move(nl, self->index, there, here, here), 0);
		usleep(1000);
	}
	EXPECT_EQ(stop(&r[2]), 0);
	ASSERT_EQ(event(TEST_EVENT + 1, 1), 0);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(ended(&r[i]), 0);

	drain(self->fd, &all);
	EXPECT_EQ(strange(&all, dev.generation), 0);
	pick_moved(&all, &moved);
	/* Each time at least that it comes and goes, or the last event */
	EXPECT_GE(moved.n, 2 * n);
	EXPECT_TRUE(same_order(&self->reader[0], &moved));
	EXPECT_TRUE(same_order(&self->reader[1], &moved));
	fprintf(stderr, "# %u moves, %u records, %u of them there\n", 2 * n - 1, all.n,
		moved.n);
	for (i = 0; i < 2; i++)
		close_reader(&self->reader[i]);
	/* Its namespace ends, and the device returns. */
	close(nl);
	close(there);
	EXPECT_EQ(netns_mode("shared"), 0);
	/* The core removes it meanwhile, as for each move. */
	for (i = 0; i < 2000 && !find_device(self->fd, "sim0", &dev); i++)
		usleep(10000);
	EXPECT_LT(i, 2000);
	close(here);
}

/* A namespace ends during events of a device in it, which returns. */
TEST_F_TIMEOUT(moved, home_under_events, 120)
{
	static struct reader all;
	struct rdmaev_device before, after;
	unsigned int i, n = rounds(4);
	struct runner r = {};
	uint32_t first;
	int here;

	ASSERT_EQ(netns_mode("exclusive"), 0);
	here = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	ASSERT_TRUE(find_device(self->fd, "sim0", &before));
	first = before.generation;
	ASSERT_EQ(start(&r, raise_on, NULL), 0);
	for (i = 0; i < n; i++) {
		uint64_t end = now_ms() + HANGS_S * 1000;
		int there;

		ASSERT_EQ(unshare(CLONE_NEWNET), 0);
		there = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
		ASSERT_EQ(open_reader(&self->reader[0], BY_NETLINK, RDMAEV_ANY, NULL), 0);
		ASSERT_EQ(setns(here, CLONE_NEWNET), 0);
		ASSERT_EQ(move(self->nl, self->index, here, there, here), 0);
		usleep(2000);
		close_reader(&self->reader[0]);
		close(there);
		/* Once to get there, once to return */
		do {
			ASSERT_LT(now_ms(), end);
			usleep(1000);
		} while (!find_device(self->fd, "sim0", &after) ||
			 after.generation < before.generation + 2);
		EXPECT_EQ(after.generation, before.generation + 2);
		before = after;
	}
	EXPECT_EQ(stop(&r), 0);
	drain(self->fd, &all);
	EXPECT_EQ(strange(&all, first), 0);
	close(here);
	EXPECT_EQ(netns_mode("shared"), 0);
}

TEST_HARNESS_MAIN
