// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Every request of generic netlink with each of its allocations and copies
 * failing in turn, and the library over both transports. See fail.h.
 */
#include <poll.h>
#include <rdmaev.h>

#include "fail.h"
#include "genl.h"
#include "kselftest_harness.h"

static uint32_t device, cq;

static long test_events(unsigned long count)
{
	return gen("process", "sim0", TEST_EVENT, 1, count);
}

/**
 * struct ask - a request
 * @cmd: command
 * @flags: NLM_F_ACK or NLM_F_DUMP
 * @n: number of attributes
 * @attr: their types
 * @values: their values
 * @messages: messages of an answer; -1: more than two
 * @g: socket
 * @got: messages received
 */
struct ask {
	uint8_t cmd;
	uint16_t flags;
	unsigned int n;
	uint16_t attr[1];
	uint32_t value[1];
	int messages;
	struct genl *g;
	int got;
};

static int do_ask(void *data)
{
	struct ask *a = data;
	unsigned int i;

	genl_begin(a->g, a->cmd, a->flags);
	for (i = 0; i < a->n; i++)
		genl_u32(a->g, a->attr[i], a->value[i]);
	a->got = 0;
	if (genl_send(a->g))
		return -1;
	while (genl_next(a->g))
		a->got++;
	errno = a->g->error;
	return a->g->error ? -1 : 0;
}

/*
 * The socket can be used for the same request again, which is answered
 * completely. A dump for which the kernel had no memory continues when
 * something is received; where nothing can be received, it blocks other dumps
 * for ever. Such a request gets another socket, as in the library.
 */
static int asked(void *data, int ret, int error)
{
	struct ask *a = data;

	if (ret && a->flags == NLM_F_DUMP) {
		genl_close(a->g);
		if (genl_open(a->g))
			return 1;
	}
	if (ret && do_ask(a))
		return 1;
	return a->got != a->messages;
}

FIXTURE(fail) {
	struct genl *g;
	int fd;
};

FIXTURE_SETUP(fail)
{
	uint32_t generation;

	ASSERT_EQ(open_sim0(&self->fd, &device, &generation), 0);
	ASSERT_EQ(param("burst_ms", 0), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	cq = result("cq");
	/* The query of a new device */
	sleep_ms(300);
	self->g = malloc(sizeof(*self->g));
	ASSERT_EQ(genl_open(self->g), 0);
	ASSERT_EQ(test_events(1), 1);
}

FIXTURE_TEARDOWN(fail)
{
	fail_off();
	genl_close(self->g);
	free(self->g);
	close(self->fd);
	run("hold sim0 destroy");
	sim_destroy("sim0");
}

/* genl_receive() takes a failed poll() for a timeout. */
#define UNPOLLED .error = EAGAIN

#define DO(command, number, ...)						\
	{ .cmd = RDMAEV_CMD_##command, .flags = NLM_F_ACK, .n = number, .messages = 1, \
	  __VA_ARGS__ }
#define DUMP(command, count)							\
	{ .cmd = RDMAEV_CMD_##command, .flags = NLM_F_DUMP, .messages = count }

TEST_F_TIMEOUT(fail, requests, 300)
{
	/* At least a reply and its acknowledgment */
	const struct sweep sweeps[] = {
		{ "INFO_GET", do_ask, asked, .least = 4, UNPOLLED },
		{ "HISTORY_GET", do_ask, asked, .least = 4, UNPOLLED },
		{ "DEVICE_GET dump", do_ask, asked, .least = 4, UNPOLLED },
		{ "PORT_GET dump", do_ask, asked, .least = 4, UNPOLLED },
		{ "COUNTER_GET dump", do_ask, asked, .least = 4, UNPOLLED },
		{ "CQ_GET dump", do_ask, asked, .least = 4, UNPOLLED },
		{ "HISTORY_GET dump", do_ask, asked, .least = 4, UNPOLLED },
		{ "PROBE_GET dump", do_ask, asked, .least = 2, UNPOLLED },
		{ "QP_GET dump", do_ask, asked, .least = 2, UNPOLLED },
	};
	struct ask asks[] = {
		DO(INFO_GET, 0),
		DO(HISTORY_GET, 1, .attr = { RDMAEV_A_RECORD_SEQ }, .value = { 1 }),
		DUMP(DEVICE_GET, 1), DUMP(PORT_GET, 2), DUMP(COUNTER_GET, 2),
		DUMP(CQ_GET, 1), DUMP(HISTORY_GET, -1),
		/* rdmaev_probe and rdmaev_observe are not loaded. */
		DUMP(PROBE_GET, 0), DUMP(QP_GET, 0),
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(asks); i++) {
		asks[i].g = self->g;
		/* The log has the records of earlier tests. */
		if (asks[i].messages < 0) {
			ASSERT_EQ(do_ask(&asks[i]), 0);
			asks[i].messages = asks[i].got;
			ASSERT_GT(asks[i].got, 2);
		}
		EXPECT_EQ(sweep(&sweeps[i], &asks[i]), 0);
	}
}

struct listener {
	struct genl g;
	int is_open;
};

static int do_listen(void *data)
{
	struct listener *l = data;

	l->is_open = !genl_open(&l->g);
	return l->is_open ? genl_join(&l->g, l->g.group_all) : -1;
}

static int listening(void *data, int ret, int error)
{
	struct listener *l = data;
	int bad = 0;

	if (!ret)
		bad = test_events(1) != 1 || !genl_event(&l->g, 30000);
	if (l->is_open)
		genl_close(&l->g);
	return bad;
}

TEST_F_TIMEOUT(fail, listen, 300)
{
	const struct sweep s = { "join", do_listen, listening, .least = 4, UNPOLLED };
	struct listener *l = malloc(sizeof(*l));

	EXPECT_EQ(sweep(&s, l), 0);
	free(l);
}

/* The library. Each of its calls is many calls of the kernel. */

static unsigned int flags;		/* RDMAEV_NETLINK or 0 */
static int files;			/* open files */

static int count_files(void)
{
	char name[32];
	int i, n = 0;

	for (i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", i);
		n += !access(name, F_OK);
	}
	return n;
}

static int do_lib_open(void *data)
{
	struct rdmaev **h = data;

	*h = rdmaev_open(NULL, RDMAEV_NONBLOCK | flags);
	return *h ? 0 : -1;
}

static int lib_works(struct rdmaev *h)
{
	struct rdmaev_record ev[2];

	return test_events(1) == 1 && rdmaev_wait(h, 30000000000) == 1 &&
	       rdmaev_read(h, ev, 2) == 1 && ev[0].code == TEST_EVENT &&
	       !strcmp(ev[0].device_name, "sim0");
}

static int lib_opened(void *data, int ret, int error)
{
	struct rdmaev **h = data;
	int bad = 0;

	if (!ret)
		bad = !lib_works(*h);
	rdmaev_close(*h);
	return bad || count_files() != files;
}

static int do_lib_devices(void *data)
{
	struct rdmaev_device list[8];
	ssize_t n = rdmaev_devices(data, list, 8, 0, NULL);

	return n < 0 ? -1 : n != 1;
}

static int do_lib_cqs(void *data)
{
	struct rdmaev_cq_stats list[8];
	ssize_t n = rdmaev_cqs(data, RDMAEV_ANY, 0, 0, list, 8, NULL);

	return n < 0 ? -1 : n != 1;
}

static int do_lib_info(void *data)
{
	struct rdmaev_info info;

	return rdmaev_info(data, &info);
}

static int do_lib_notify(void *data)
{
	return rdmaev_notify(data, device, cq, 1, 0);
}

static int do_lib_seek(void *data)
{
	return rdmaev_seek(data, 0, SEEK_END) < 0 ? -1 : 0;
}

static int do_lib_filter(void *data)
{
	return rdmaev_set_filter(data, NULL);
}

/* Every other use of the handle must succeed. */
static int lib_asked(void *data, int ret, int error)
{
	return ret > 0 || do_lib_devices(data) || do_lib_cqs(data) || do_lib_seek(data) ||
	       !lib_works(data);
}

/* Notifications requested before are still recorded. */
static int lib_notified(struct rdmaev *h)
{
	struct rdmaev_record ev[4];
	ssize_t n;

	run("hold sim0 recv 1");
	run("hold sim0 arm next");
	run("hold sim0 send 1");
	run("hold sim0 poll 16");
	if (rdmaev_wait(h, 30000000000) != 1)
		return 0;
	n = rdmaev_read(h, ev, 4);
	return n > 0 && ev[0].kind == RDMAEV_KIND_COMPLETION;
}

static int lib_asked_and_notified(void *data, int ret, int error)
{
	return lib_asked(data, ret, error) || !lib_notified(data);
}

static int do_lib_read(void *data)
{
	struct rdmaev_record ev[2];
	ssize_t n = rdmaev_read(data, ev, 2);

	return n < 0 ? -1 : n != 1;
}

/* An event that could not be read can still be read. */
static int lib_was_read(void *data, int ret, int error)
{
	return ret > 0 || (ret && do_lib_read(data)) || test_events(1) != 1;
}

FIXTURE(lib) {
	int fd;
	struct rdmaev *h;
};

FIXTURE_VARIANT(lib) {
	unsigned int flags;
	unsigned int least;
};

FIXTURE_VARIANT_ADD(lib, node) {
	.flags = 0,
	.least = 1,
};

FIXTURE_VARIANT_ADD(lib, netlink) {
	.flags = RDMAEV_NETLINK,
	.least = 3,
};

FIXTURE_SETUP(lib)
{
	uint32_t generation;

	ASSERT_EQ(open_sim0(&self->fd, &device, &generation), 0);
	ASSERT_EQ(param("burst_ms", 0), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	cq = result("cq");
	sleep_ms(300);
	flags = variant->flags;
	fail_nth(0);
	files = count_files();
	self->h = rdmaev_open(NULL, RDMAEV_NONBLOCK | flags);
	ASSERT_NE(self->h, NULL);
}

FIXTURE_TEARDOWN(lib)
{
	fail_off();
	rdmaev_close(self->h);
	close(self->fd);
	run("hold sim0 destroy");
	sim_destroy("sim0");
}

TEST_F_TIMEOUT(lib, open, 300)
{
	/*
	 * A file that refuses RDMAEV_IOC_INFO is taken for another kind of
	 * file. At least the file, the stream and both copies of that request
	 * fail; what vmalloc() asks for may be given another way.
	 */
	const struct sweep s = { "rdmaev_open", do_lib_open, lib_opened, .least = 4,
				 .error = ENOTSUP };
	struct rdmaev *h;

	files = count_files();
	EXPECT_EQ(sweep(&s, &h), 0);
}

TEST_F_TIMEOUT(lib, calls, 300)
{
	const struct sweep sweeps[] = {
		{ "rdmaev_info", do_lib_info, lib_asked, .least = variant->least },
		{ "rdmaev_devices", do_lib_devices, lib_asked, .least = variant->least },
		{ "rdmaev_cqs", do_lib_cqs, lib_asked, .least = variant->least },
		{ "rdmaev_set_filter", do_lib_filter, lib_asked, .least = variant->least },
		{ "rdmaev_seek", do_lib_seek, lib_asked,
		  .least = variant->flags ? variant->least : 0 },
		{ "rdmaev_notify", do_lib_notify, lib_asked, .least = variant->least },
		{ "rdmaev_devices, after notify", do_lib_devices, lib_asked_and_notified,
		  .least = variant->least },
	};
	unsigned int i;

	/* The last two are for the node only. */
	for (i = 0; i < ARRAY_SIZE(sweeps) - (variant->flags ? 2 : 0); i++)
		EXPECT_EQ(sweep(&sweeps[i], self->h), 0);
}

TEST_F_TIMEOUT(lib, read, 300)
{
	const struct sweep s = { "rdmaev_read", do_lib_read, lib_was_read,
				 .least = variant->least };

	ASSERT_EQ(test_events(1), 1);
	EXPECT_EQ(sweep(&s, self->h), 0);
}

/*
 * There is no memory for a multicast message. The listener is notified, and the
 * library wakes up.
 */
TEST_F_TIMEOUT(lib, multicast, 120)
{
	struct pollfd p = { .fd = rdmaev_fd(self->h), .events = POLLIN };
	struct listener *l = malloc(sizeof(*l));
	struct rdmaev_record ev[2];

	ASSERT_EQ(do_listen(l), 0);
	ASSERT_EQ(fail_in_work("100"), 0);
	EXPECT_EQ(test_events(1), 1);
	EXPECT_EQ(poll(&p, 1, SOON_MS), 1);
	/* The loss makes it readable, as a message would. */
	p.fd = l->g.fd;
	EXPECT_EQ(poll(&p, 1, SOON_MS), 1);
	fail_off();
	EXPECT_EQ(rdmaev_read(self->h, ev, 2), 1);
	EXPECT_EQ(ev[0].code, TEST_EVENT);
	EXPECT_EQ(genl_event(&l->g, 0), NULL);
	EXPECT_EQ(l->g.error, ENOBUFS);
	/* Later messages arrive as usual. */
	EXPECT_TRUE(lib_works(self->h));
	EXPECT_NE(genl_event(&l->g, 30000), NULL);
	genl_close(&l->g);
	free(l);
}

TEST_HARNESS_MAIN
