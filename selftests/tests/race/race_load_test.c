// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The module is loaded and unloaded while all its interfaces are used: an open
 * interface works completely or is refused, and unloading is refused only while
 * the module is in use.
 */
#include <net/if.h>

#include <rdmaev.h>

#include "race.h"
#include "kselftest_harness.h"

#define MODPROBE "/proc/sys/kernel/modprobe"
#define PARAMS "/sys/module/rdmaev/parameters/"

FIXTURE(load) {
	int module;
	char modprobe[256];
};

/* Looking for an unloaded module runs modprobe, which takes long. */
FIXTURE_SETUP(load)
{
	int fd = open(MODPROBE, O_RDONLY);
	ssize_t n = read(fd, self->modprobe, sizeof(self->modprobe) - 1);

	ASSERT_GT(n, 0);
	self->modprobe[n] = '\0';
	close(fd);
	ASSERT_EQ(put(MODPROBE, "\n"), 0);
	self->module = open_module();
	ASSERT_GE(self->module, 0);
	sim_destroy("sim0");
	ASSERT_EQ(sim_create("sim0", 1), 0);
}

FIXTURE_TEARDOWN(load)
{
	if (!is_loaded())
		load(self->module, "");
	close(self->module);
	sim_destroy("sim0");
	put(MODPROBE, self->modprobe);
}

/* Calls that keep the module loaded: current number, and total */
static int inside;
static unsigned int entered;

static void enter(void)
{
	__atomic_add_fetch(&entered, 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
}

static void leave(void)
{
	__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
}

static int is_gone(int error)
{
	return error == ENOENT || error == ENODEV || error == ENXIO;
}

/* All calls succeed. */
static void use_node(struct runner *r, int fd)
{
	struct rdmaev_info info = { .size = sizeof(info) };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct rdmaev_device dev;
	struct rdmaev_record rec;

	if (ioctl(fd, RDMAEV_IOC_INFO, &info) || !info.instance ||
	    info.record_size != sizeof(rec) || info.position != info.newest_seq + 1)
		wrong(r, "info");
	if (read_one(fd, &rec) != -1 || errno != EAGAIN)
		wrong(r, "something to read");
	if (lseek(fd, 0, SEEK_SET) != 1 || poll(&p, 1, 0) != 1 ||
	    read_one(fd, &rec) != 1 || rec.seq != 1 || rec.code != RDMAEV_DEVICE_ADD)
		wrong(r, "the device is not on record");
	if (!find_device(fd, "sim0", &dev) || dev.generation != rec.generation)
		wrong(r, "the device is not there");
}

static void open_on(struct runner *r)
{
	unsigned int seed = r->number;

	while (!is_stopped(r)) {
		int fd;

		enter();
		fd = open_node(O_NONBLOCK);
		if (fd >= 0) {
			use_node(r, fd);
			close(fd);
			r->done++;
		} else if (is_gone(errno)) {
			r->refused++;
		} else {
			wrong(r, "open");
		}
		leave();
		usleep(random_of(&seed, 3000));
	}
}

/* A dump, in several steps if other sockets have to be served */
static int dump(struct genl *g, uint8_t cmd)
{
	int n = 0;

	genl_begin(g, cmd, NLM_F_DUMP);
	if (genl_send(g))
		return -1;
	while (genl_next(g))
		n++;
	errno = g->error;
	return g->error ? -1 : n;
}

/* The family was resolved a moment ago. */
static int may_fail(int error)
{
	return is_gone(error) || error == EPROTONOSUPPORT || error == EOPNOTSUPP;
}

static void ask(struct runner *r, struct genl *g)
{
	int error;

	genl_begin(g, RDMAEV_CMD_INFO_GET, NLM_F_ACK);
	error = genl_do(g);
	if (!error)
		r->done++;
	else if (!may_fail(error))
		wrong(r, "info: error %d", error);
	if (dump(g, RDMAEV_CMD_HISTORY_GET) < 1 && !may_fail(errno))
		wrong(r, "history");
	if (dump(g, RDMAEV_CMD_DEVICE_GET) < 1 && !may_fail(errno))
		wrong(r, "devices");
	if (genl_join(g, g->group_all) && errno != ENOENT && errno != EINVAL)
		wrong(r, "join");
}

static void ask_on(struct runner *r)
{
	struct genl *g = malloc(sizeof(*g));
	unsigned int seed = r->number;

	while (g && !is_stopped(r)) {
		enter();
		if (!genl_open(g)) {
			ask(r, g);
			genl_close(g);
		} else if (errno == ENOENT) {
			r->refused++;
		} else {
			wrong(r, "socket");
		}
		leave();
		usleep(random_of(&seed, 3000));
	}
	free(g);
}

static void library_on(struct runner *r)
{
	unsigned int seed = r->number, flags = RDMAEV_NONBLOCK;

	for (; !is_stopped(r); flags ^= RDMAEV_NETLINK) {
		struct rdmaev_record ev;
		struct rdmaev_info info;
		struct rdmaev *h;

		enter();
		h = rdmaev_open(NULL, flags);
		if (!h) {
			if (may_fail(errno))
				r->refused++;
			else
				wrong(r, "rdmaev_open(%u)", flags);
		} else {
			/* Netlink does not prevent unloading meanwhile. */
			if (rdmaev_info(h, &info) && errno != ENODEV)
				wrong(r, "rdmaev_info(%u)", flags);
			if (rdmaev_read(h, &ev, 1) != -1 ||
			    (errno != EAGAIN && errno != ENODEV))
				wrong(r, "rdmaev_read(%u)", flags);
			rdmaev_close(h);
			r->done++;
		}
		leave();
		usleep(random_of(&seed, 3000));
	}
}

/* Load the module, keep it for a moment, and unload it as soon as possible. */
static int load_and_unload(int module, unsigned int *seed, unsigned int *refused)
{
	uint64_t end;

	if (load(module, "")) {
		perror("# loading");
		return -1;
	}
	usleep(random_of(seed, 15000));
	end = now_ms() + HANGS_S * 1000;
	for (;;) {
		unsigned int before = __atomic_load_n(&entered, __ATOMIC_SEQ_CST);
		int quiet = !__atomic_load_n(&inside, __ATOMIC_SEQ_CST);

		if (!unload())
			return 0;
		if (errno != EAGAIN && errno != EBUSY) {
			perror("# unloading");
			return -1;
		}
		if (quiet && before == __atomic_load_n(&entered, __ATOMIC_SEQ_CST)) {
			fprintf(stderr, "# it is busy, and nobody uses it\n");
			return -1;
		}
		++*refused;
		if (now_ms() > end) {
			fprintf(stderr, "# it is always busy\n");
			return -1;
		}
		usleep(200);
	}
}

/* Everything works as before. */
static int works(int module)
{
	struct runner r = { .number = 99 };
	struct rdmaev_record rec;
	int fd;

	if (load(module, ""))
		return 0;
	fd = open_node(O_NONBLOCK);
	if (fd < 0)
		return 0;
	use_node(&r, fd);
	sleep_ms(100);
	lseek(fd, 0, SEEK_END);
	if (filter_test_events(fd) || gen("process", "sim0", TEST_EVENT, 1, 1) != 1 ||
	    !next(fd, &rec) || rec.code != TEST_EVENT)
		wrong(&r, "no event comes");
	close(fd);
	return !r.wrong;
}

#define THREADS	5

/* Load and unload while all @fns run; number of refusals, -1: error. */
static int load_under(struct __test_metadata *_metadata, int module,
		      void (* const fns[])(struct runner *r), unsigned int count,
		      unsigned int n, unsigned int seed)
{
	struct runner r[THREADS] = {};
	unsigned int i, refused = 0;

	EXPECT_EQ(unload(), 0);
	for (i = 0; i < count; i++) {
		r[i].number = i;
		if (start(&r[i], fns[i], NULL))
			return -1;
	}
	for (i = 0; i < n; i++)
		EXPECT_EQ(load_and_unload(module, &seed, &refused), 0);
	for (i = 0; i < count; i++) {
		EXPECT_EQ(stop(&r[i]), 0);
		fprintf(stderr, "# thread %u: %lu times, %lu refused\n", i, r[i].done,
			r[i].refused);
		EXPECT_GT(r[i].done + r[i].refused, 0);
	}
	fprintf(stderr, "# %u rounds, busy %u times\n", n, refused);
	return refused;
}

TEST_F_TIMEOUT(load, while_it_is_opened, 300)
{
	static void (* const fns[THREADS])(struct runner *r) = {
		open_on, open_on, ask_on, ask_on, library_on,
	};

	EXPECT_GE(load_under(_metadata, self->module, fns, THREADS, rounds(24), 1), 0);
	ASSERT_TRUE(works(self->module));
	EXPECT_EQ(unload(), 0);
}

/* Devices are added and removed, each with its first query. */
static void devices_on(struct runner *r)
{
	while (!is_stopped(r)) {
		if (sim_create("sim1", 2) || sim_event("sim1", SM_CHANGE, 1) ||
		    sim_event("sim1", SM_CHANGE, 2) || sim_destroy("sim1"))
			wrong(r, "device");
		r->done++;
	}
}

static void events_on(struct runner *r)
{
	while (!is_stopped(r)) {
		if (gen("cpus=mixed", "sim0", TEST_EVENT, 1, 10) < 10)
			wrong(r, "events");
		r->done++;
	}
}

static void params_on(struct runner *r)
{
	static const char * const names[] = {
		"burst_ms", "outage_ms", "poll_ms", "port_err_ms", "stall_ms",
		"note_ms",
	};
	unsigned int i;

	for (i = 0; !is_stopped(r); i++) {
		char path[96];

		snprintf(path, sizeof(path), PARAMS "%s", names[i % ARRAY_SIZE(names)]);
		if (!put(path, i & 4 ? "1" : "1000"))
			r->done++;
		else if (is_gone(errno) || errno == EBADF)
			r->refused++;
		else
			wrong(r, "%s", path);
		usleep(500);
	}
}

/* Namespaces with sockets */
static void namespaces_on(struct runner *r)
{
	struct genl *g = malloc(sizeof(*g));

	while (g && !is_stopped(r)) {
		if (unshare(CLONE_NEWNET)) {
			wrong(r, "unshare");
			break;
		}
		if (!genl_open(g)) {
			genl_join(g, g->group_device);
			genl_close(g);
		}
		r->done++;
	}
	free(g);
}

TEST_F_TIMEOUT(load, under_all_that_happens, 300)
{
	static void (* const fns[])(struct runner *r) = {
		devices_on, events_on, params_on, namespaces_on,
	};

	/* None of these keeps the module loaded. */
	EXPECT_EQ(load_under(_metadata, self->module, fns, ARRAY_SIZE(fns), rounds(8), 2), 0);
	ASSERT_TRUE(works(self->module));
}

/* A program that waits in all ways at once, until it is killed */
static void wait_in_all_ways(int out)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct rdmaev_notify notify = { .size = sizeof(notify), .every = 1 };
	static struct genl g;
	int fd = open_node(0), ep = epoll_create1(0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct rdmaev_record rec;

	filter_test_events(fd);
	ioctl(fd, RDMAEV_IOC_NOTIFY, &notify);
	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
	genl_open(&g);
	genl_join(&g, g.group_all);
	/* A dump that is never read to its end */
	genl_begin(&g, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
	genl_send(&g);
	if (fork() == 0 || fork() == 0) {
		/* One inherits all files and waits, one only has them open. */
		if (write(out, "x", 1) == 1)
			poll(&p, 1, -1);
		_exit(1);
	}
	if (write(out, "x", 1) == 1)
		read_one(fd, &rec);
	_exit(1);
}

TEST_F_TIMEOUT(load, killed_while_they_wait, 300)
{
	unsigned int i, n = rounds(8);
	int p[2], j;
	char c;

	for (i = 0; i < n; i++) {
		pid_t pid;

		ASSERT_EQ(pipe2(p, O_CLOEXEC), 0);
		pid = fork();
		if (!pid) {
			setpgid(0, 0);
			wait_in_all_ways(p[1]);
		}
		close(p[1]);
		for (j = 0; j < 3; j++)
			ASSERT_EQ(read(p[0], &c, 1), 1);
		if (i % 2)
			sleep_ms(20);
		EXPECT_EQ(unload(), -1);
		EXPECT_EQ(errno, EAGAIN);
		ASSERT_EQ(kill(-pid, SIGKILL), 0);
		ASSERT_EQ(waitpid(pid, NULL, 0), pid);
		/* The last of them closes its end. */
		EXPECT_EQ(read(p[0], &c, 1), 0);
		close(p[0]);
		EXPECT_EQ(unload_in_time(), 0);
		ASSERT_EQ(load(self->module, ""), 0);
	}
	ASSERT_EQ(unload(), 0);
	EXPECT_TRUE(works(self->module));
}

TEST_HARNESS_MAIN
