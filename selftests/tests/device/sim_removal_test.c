// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Simulated devices are removed while in use: ULPs have objects, objects and
 * ports report events, readers wait for them.
 */
#include "sim_link.h"

#define QP_ACCESS_ERR	3
#define ROUNDS		12

/* Start a child that runs a function until it ends or is killed. */
static pid_t child(void (*fn)(const void *), const void *data)
{
	pid_t pid = fork();

	if (!pid) {
		fn(data);
		_exit(0);
	}
	return pid;
}

struct raiser {
	struct object obj;
	const char *context;
};

/* An event about objects of this type */
static unsigned int event_of(const struct object *obj)
{
	switch (*obj->type) {
	case 'c':
		return RDMAEV_ASYNC_CQ_ERR;
	case 's':
		return RDMAEV_ASYNC_SRQ_ERR;
	case 'w':
		return RDMAEV_ASYNC_WQ_FATAL;
	default:
		return QP_ACCESS_ERR;
	}
}

/* Until there is no object of this number any more */
static void raise_on(const void *data)
{
	const struct raiser *r = data;

	if (sim_raise(&r->obj, event_of(&r->obj), r->context, 100000000) == 0 ||
	    errno != ENOENT)
		_exit(1);
}

/* Until the device is removed */
static void dispatch_on(const void *data)
{
	while (sim_event(data, SM_CHANGE, 1) == 0)
		usleep(100);
	if (errno != ENOENT && errno != EIO && errno != ENODEV)
		_exit(1);
}

/* Sleep in read() until the device is removed. */
static void read_on(const void *data)
{
	const int *fd = data;
	struct rdmaev_record rec;

	do {
		if (read(*fd, &rec, sizeof(rec)) != sizeof(rec))
			_exit(1);
	} while (rec.code != RDMAEV_DEVICE_REMOVE);
}

/* Wait for the records of one device about itself only. */
static int open_waiting(const char *name)
{
	int fd = open_node(0);
	struct rdmaev_filter f = filter_all();

	f.kinds = 1U << RDMAEV_KIND_DEVICE;
	filter_target(&f, name, 0);
	if (fd >= 0 && ioctl(fd, RDMAEV_IOC_FILTER, &f)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Records of a device from its ADD on, in the order of seq */
struct story {
	unsigned int ulp, handler, lost;
	int removed;
	int after;			/* records after REMOVE */
	int strange;			/* of another generation, or object */
};

static void tell(int fd, struct story *s, const struct object *qp)
{
	struct rdmaev_record rec;
	uint32_t generation = 0;

	memset(s, 0, sizeof(*s));
	while (read(fd, &rec, sizeof(rec)) == sizeof(rec)) {
		if (rec.kind == RDMAEV_KIND_LOST) {
			s->lost += rec.count;
			continue;
		}
		if (rec.kind == RDMAEV_KIND_DEVICE &&
		    rec.code == RDMAEV_DEVICE_ADD)
			generation = rec.generation;
		/* On a slow machine ib_core may take long for the rest of it. */
		s->after += s->removed && !(rec.kind == RDMAEV_KIND_DEVICE &&
					    rec.code == RDMAEV_DEVICE_REMOVED);
		s->strange += rec.generation != generation;
		if (rec.kind == RDMAEV_KIND_DEVICE &&
		    rec.code == RDMAEV_DEVICE_REMOVE)
			s->removed = 1;
		if (rec.kind != RDMAEV_KIND_ASYNC)
			continue;
		if (rec.source == RDMAEV_SOURCE_ULP) {
			s->ulp++;
			s->strange += rec.object_type != RDMAEV_OBJECT_QP ||
				      rec.object != qp->number ||
				      rec.code != QP_ACCESS_ERR;
		} else {
			s->handler++;
		}
	}
}

/*
 * Wait until both sources have reported events of the device; false after 60 s.
 */
static int wait_reported(const char *name)
{
	unsigned int missing = 1U << RDMAEV_SOURCE_ULP | 1U << RDMAEV_SOURCE_HANDLER;
	int fd = open_node(O_NONBLOCK);
	uint64_t end = now_ms() + 60000;
	struct rdmaev_record rec;

	if (fd < 0 || filter_device(fd, name))
		return 0;
	while (missing && now_ms() < end) {
		if (read(fd, &rec, sizeof(rec)) == sizeof(rec))
			missing &= ~(1U << rec.source);
		else
			sleep_ms(1);
	}
	close(fd);
	return !missing;
}

static int find_qp(const char *dev, struct object *qp)
{
	struct object list[MAX_OBJECTS];
	int i, n = ulp_objects(dev, list);

	for (i = 0; i < n; i++) {
		if (!strcmp(list[i].type, "qp")) {
			*qp = list[i];
			return 1;
		}
	}
	return 0;
}

TEST_F_TIMEOUT(link, with_objects_and_readers, 300)
{
	static const char * const contexts[] = {
		"process", "softirq", "hardirq"
	};
	int i;

	for (i = 0; i < ROUNDS; i++) {
		struct raiser raiser = { .context = contexts[i % 3] };
		int fd = open_node(O_NONBLOCK);
		struct story s;
		pid_t pid[3];
		uint64_t start;
		int waiting;

		ASSERT_GE(fd, 0);
		ASSERT_EQ(sim_create_link("sim1", 1, variant->name), 0);
		ASSERT_EQ(filter_device(fd, "sim1"), 0);
		waiting = open_waiting("sim1");
		ASSERT_GE(waiting, 0);
		ASSERT_EQ(ulp_create("sim1", 1), 0);
		ASSERT_TRUE(find_qp("sim1", &raiser.obj));
		pid[0] = child(read_on, &waiting);
		pid[1] = child(raise_on, &raiser);
		pid[2] = child(dispatch_on, "sim1");
		EXPECT_TRUE(wait_reported("sim1"));
		sleep_ms(5 * i);

		start = now_ms();
		ASSERT_EQ(sim_destroy("sim1"), 0);
		EXPECT_LE(now_ms() - start, SOON_MS);
		/* Each reader has noticed the removal. */
		EXPECT_EQ(join_child(pid[0], SOON_MS), 0);
		EXPECT_EQ(join_child(pid[1], SOON_MS), 0);
		EXPECT_EQ(join_child(pid[2], SOON_MS), 0);

		tell(fd, &s, &raiser.obj);
		EXPECT_TRUE(s.removed);
		EXPECT_EQ(s.after, 0);
		EXPECT_EQ(s.strange, 0);
		EXPECT_GT(s.ulp, 0);
		EXPECT_GT(s.handler, 0);
		close(waiting);
		close(fd);
	}
}

/*
 * Objects are created and destroyed while events are raised on their numbers.
 */
TEST_F_TIMEOUT(link, objects_come_and_go, 300)
{
	static const char * const contexts[] = {
		"process", "softirq", "hardirq"
	};
	struct object list[MAX_OBJECTS];
	int i, j, n;

	for (i = 0; i < ROUNDS; i++) {
		struct raiser raiser[6];
		pid_t pid[6];

		ASSERT_EQ(ulp_create("sim0", 1), 0);
		n = ulp_objects("sim0", list);
		ASSERT_EQ(n, 6);
		for (j = 0; j < n; j++) {
			raiser[j].obj = list[j];
			raiser[j].context = contexts[(i + j) % 3];
			pid[j] = child(raise_on, &raiser[j]);
		}
		usleep(1000 * i);
		ASSERT_EQ(ulp_destroy("sim0"), 0);
		for (j = 0; j < n; j++)
			EXPECT_EQ(join_child(pid[j], SOON_MS), 0);
		EXPECT_EQ(ulp_objects("sim0", list), 0);
	}
}

/*
 * A move to a namespace is a removal, too: the objects are destroyed. Network
 * interfaces stay, which the core accepts.
 */
TEST_F_TIMEOUT(link, moves_with_objects, 240)
{
	struct raiser raiser = { .context = "process" };
	struct rdmaev_device dev;
	uint64_t start;
	pid_t pid;

	ASSERT_EQ(netns_mode("exclusive"), 0);
	ASSERT_EQ(sh("ip netns add other"), 0);
	ASSERT_EQ(ulp_create("sim0", 1), 0);
	ASSERT_TRUE(find_qp("sim0", &raiser.obj));
	pid = child(raise_on, &raiser);
	sleep_ms(50);
	start = now_ms();
	EXPECT_EQ(sh("rdma dev set sim0 netns other"), 0);
	EXPECT_LE(now_ms() - start, SOON_MS);
	EXPECT_EQ(join_child(pid, SOON_MS), 0);
	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	EXPECT_EQ(dev.index, self->index);
	EXPECT_GT(dev.generation, self->generation);
	/* The device works there as before. */
	EXPECT_EQ(ulp_create("sim0", 1), 0);
	ASSERT_EQ(sim_destroy("sim0"), 0);
	EXPECT_FALSE(find_device(self->fd, "sim0", &dev));
	ASSERT_EQ(sh("ip netns del other"), 0);
	EXPECT_EQ(netns_mode("shared"), 0);
}

TEST_HARNESS_MAIN
