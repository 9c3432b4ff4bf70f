// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The probe with each allocation failing in turn, while it is switched on, while
 * a device is added, and while rdmaev_probe is loaded: it is on record that a
 * call failed, and the probe works at the next try; a device that cannot be
 * probed has a message; nothing is left behind. See fail.h.
 */
#include <dirent.h>

#include "fail.h"
#include "kselftest_harness.h"

#include "../probe/probe.h"

static int kmsg = -1;

/* Number of devices not probed, by messages since the last call */
static int not_probed(void)
{
	return kernel_said(kmsg, "device will not be probed");
}

/*
 * The probe runs in one of the workers of unbound queues: the n-th allocation of
 * each of them fails.
 */
#define WORKERS_MAX	64

static int workers[WORKERS_MAX];
static unsigned int nworkers;

static void workers_close(void)
{
	while (nworkers)
		close(workers[--nworkers]);
}

static int is_worker(const char *pid)
{
	char path[64], name[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, name, sizeof(name) - 1) < 0)
		name[0] = '\0';
	close(fd);
	return !strncmp(name, "kworker/u", 9);
}

static void workers_open(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	char path[64];
	int fd;

	workers_close();
	while (dir && nworkers < WORKERS_MAX && (entry = readdir(dir))) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9' || !is_worker(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/fail-nth", entry->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0)
			workers[nworkers++] = fd;
	}
	closedir(dir);
}

/* Returns in how many of them an allocation has failed since the last call. */
static unsigned int workers_fail_nth(unsigned int n)
{
	unsigned int i, hits = 0;
	char text[16];
	int len;

	for (i = 0; i < nworkers; i++) {
		memset(text, 0, sizeof(text));
		if (pread(workers[i], text, sizeof(text) - 1, 0) < 0)
			continue;
		hits += atoi(text) == 0;
		len = snprintf(text, sizeof(text), "%u", n);
		/* A worker may have ended. */
		if (pwrite(workers[i], text, len, 0) != len)
			continue;
	}
	return hits;
}

FIXTURE(probe) {
	int fd;
	uint32_t index;
	struct rdmaev_probe p;
};

FIXTURE_SETUP(probe)
{
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_GE(kmsg, 0);
	ASSERT_GE(lseek(kmsg, 0, SEEK_END), 0);
	ASSERT_EQ(probe_load(), 0);
	ASSERT_EQ(probe_param("probe_late_ms", 0), 0);
	ASSERT_EQ(probe_param("probe_lost_ms", SOON_MS), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_PROBE), 0);
}

FIXTURE_TEARDOWN(probe)
{
	workers_fail_nth(0);
	workers_close();
	close(self->fd);
	close(kmsg);
	sim_destroy("sim1");
	sim_destroy("sim0");
}

/*
 * One try with the n-th allocation failing. 0: all is well; @calls: bits of the
 * calls that failed; @hit: set to whether an allocation failed.
 */
static int switch_on(int fd, uint32_t index, unsigned int n, uint32_t *calls, int *hit)
{
	struct rdmaev_record failed, ok;
	struct rdmaev_probe p = {};

	if (probe_set(fd, index, 0) || !probe_is(fd, index, 1, RDMAEV_PROBE_STATE_OFF, &p) || p.qp)
		return -1;
	workers_fail_nth(n);
	if (probe_set(fd, index, 1) || !probe_is(fd, index, 1, RDMAEV_PROBE_STATE_OK, &p))
		return -1;
	*hit = workers_fail_nth(0);
	if (read(fd, &failed, sizeof(failed)) < 0)
		return 0;
	*calls |= 1U << failed.body.probe.call;
	return failed.code != RDMAEV_PROBE_FAILED || !*hit || !failed.body.probe.call ||
	       failed.body.probe.error != -ENOMEM || !next(fd, &ok) ||
	       ok.code != RDMAEV_PROBE_OK || ok.cause != failed.seq;
}

/* Each allocation fails once; returns the bits of the calls that failed, 0 after a message. */
static uint32_t switch_on_each(int fd, const char *name, const char *what)
{
	unsigned int n, hits = 0, none = 0;
	struct rdmaev_device dev;
	uint64_t start = now_ms();
	uint32_t calls = 0;
	int hit;

	if (!find_device(fd, name, &dev))
		return 0;
	/* The first one allocates more. Another worker may have run it at the end. */
	for (n = 0; n < SWEEP_MAX && none < 3; n++) {
		if (!n || none)
			workers_open();
		hit = 0;
		if (switch_on(fd, dev.index, n, &calls, &hit)) {
			fprintf(stderr, "# probe of %s, %u: not all is well\n", what, n);
			calls = 0;
			break;
		}
		hits += n && hit;
		none = !n || hit ? 0 : none + 1;
	}
	printf("# probe of %s on: %u injected up to %u, calls %#x failed, %llu ms\n", what, hits, n,
	       calls, (unsigned long long)(now_ms() - start));
	fflush(stdout);
	workers_fail_nth(0);
	return probe_set(fd, dev.index, 0) ? 0 : calls;
}

/*
 * The same, until all of @wanted have failed: a page for one of them, which is needed
 * now and then, gives the allocations after it other numbers, and one is passed over.
 */
static uint32_t switch_on_until(int fd, const char *name, const char *what, uint32_t wanted)
{
	uint32_t calls = 0, now;
	unsigned int i;

	for (i = 0; i < 6 && (calls & wanted) != wanted; i++) {
		now = switch_on_each(fd, name, what);
		if (!now)
			return 0;
		calls |= now;
	}
	return calls & wanted;
}

#define CALL(name) (1U << RDMAEV_PROBE_CALL_ ## name)
#define CALLS (CALL(ALLOC_PD) | CALL(CREATE_CQ) | CALL(CREATE_QP))

static int nothing_is_left(int fd, uint32_t index)
{
	struct rdmaev_probe p = {};

	return probe_is(fd, index, 1, RDMAEV_PROBE_STATE_OFF, &p) && !p.qp &&
	       !sh("! rdma resource show qp | grep 'comm .rdmaev_probe'") &&
	       !sh("! rdma resource show cq | grep 'comm .rdmaev_probe'") &&
	       !sh("! rdma resource show pd | grep 'comm .rdmaev_probe'");
}

/*
 * Simulated devices only: soft RoCE of 6.1 stops timers that it has not set up,
 * when it makes a QP and memory is missing.
 */
TEST_F_TIMEOUT(probe, switched_on, 300)
{
	static const char * const links[] = { "ib", "roce" };
	struct rdmaev_device dev;
	char text[32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(links); i++) {
		snprintf(text, sizeof(text), "%s verbs", links[i]);
		ASSERT_EQ(sim_create_link("sim0", 1, text), 0);
		ASSERT_TRUE(!i || !bring_up("sim0_1"));
		EXPECT_EQ(switch_on_until(self->fd, "sim0", links[i], CALLS), CALLS);
		ASSERT_EQ(sim_fault("create_rc", -EOPNOTSUPP), 0);
		EXPECT_EQ(switch_on_until(self->fd, "sim0", "UD", CALLS), CALLS);
		ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
		EXPECT_TRUE(nothing_is_left(self->fd, dev.index));
		ASSERT_EQ(sim_destroy("sim0"), 0);
	}
}

/* A device, and the module */

static int has_probe(int fd, const char *name)
{
	struct rdmaev_device dev;
	struct rdmaev_probe p = {};

	return find_device(fd, name, &dev) && probe_get(fd, dev.index, 1, &p);
}

struct command {
	int fd;
	const char *text;
	int node;
	int left_out;			/* devices that are not probed */
};

static int do_create(void *data)
{
	struct command *c = data;

	return write(c->fd, c->text, strlen(c->text)) < 0 ? -1 : 0;
}

static int created(void *data, int ret, int error)
{
	struct command *c = data;
	struct rdmaev_device dev;
	int refused = not_probed();

	c->left_out += refused;
	if (ret)
		return refused > 1 || has_probe(c->node, "sim1");
	/* rdmaev itself may have lacked memory, or what it needs of kernel verbs. */
	if (!refused && !has_probe(c->node, "sim1") && find_device(c->node, "sim1", &dev))
		return 1;
	return (refused && has_probe(c->node, "sim1")) || sim_destroy("sim1");
}

/* More allocations than there are in any call */
#define FAR 1000000U

static unsigned int passed(int (*call)(void *data), void *data)
{
	fail_nth(FAR);
	call(data);
	return FAR - fail_left();
}

/*
 * Until a device was left out: with each sweep of the same length the allocation that
 * does it may be passed over each time, see sweep(). 0: success.
 */
static int sweep_until_left_out(const struct sweep *s, struct command *c)
{
	unsigned int i;

	for (i = 0; i < 8 && !c->left_out; i++) {
		if (sweep_once(s, c, 1 + i) < 0)
			return -1;
	}
	return c->left_out ? 0 : -1;
}

/*
 * rdmaev_probe is called late when ib_core adds a device: earlier allocations
 * are others'. Their number varies from call to call, see fail_load_test.c.
 */
TEST_F_TIMEOUT(probe, device_added, 600)
{
	struct sweep s = { "device that can be probed", do_create, created, .error = EINVAL };
	struct command c = { .text = "sim1 1 ib verbs", .node = self->fd };

	c.fd = open(SIM "create", O_WRONLY | O_CLOEXEC);
	ASSERT_GE(c.fd, 0);
	ASSERT_EQ(fail_set("fail_page_alloc", "min-order", "10"), 0);
	/* The first call allocates more. */
	ASSERT_EQ(do_create(&c), 0);
	ASSERT_EQ(sim_destroy("sim1"), 0);
	s.first = passed(do_create, &c) * 2 / 3;
	ASSERT_EQ(sim_destroy("sim1"), 0);
	EXPECT_EQ(sweep_until_left_out(&s, &c), 0);
	fail_set("fail_page_alloc", "min-order", "0");
	close(c.fd);
}

static int do_load(void *data)
{
	struct command *c = data;

	return syscall(SYS_finit_module, c->fd, c->text, 0);
}

static int do_unload(void)
{
	return syscall(SYS_delete_module, "rdmaev_probe", O_NONBLOCK);
}

/* Either sim0 is probed, and the module can be unloaded meanwhile, or a message says why. */
static int loaded(void *data, int ret, int error)
{
	struct command *c = data;
	int refused = not_probed();

	c->left_out += refused;
	if (ret)
		return !access("/sys/module/rdmaev_probe", F_OK) || has_probe(c->node, "sim0");
	return refused + has_probe(c->node, "sim0") != 1 || do_unload();
}

/* Most allocations are the kernel's own, before the module's, see fail_load_test.c. */
TEST_F_TIMEOUT(probe, loaded, 600)
{
	struct sweep s = { "finit_module", do_load, loaded, .least = 0 };
	struct command c = { .text = "probe_ms=3600001", .node = self->fd };
	char path[512];

	if (!can_reload())
		SKIP(return, NO_RELOAD);
	ASSERT_EQ(sim_create_link("sim0", 1, "ib verbs"), 0);
	ASSERT_EQ(do_unload(), 0);
	snprintf(path, sizeof(path), "%s/kmod/rdmaev_probe.ko", getenv("RDMAEV_TOP"));
	c.fd = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_GE(c.fd, 0);
	ASSERT_EQ(fail_set("fail_page_alloc", "min-order", "10"), 0);
	s.first = passed(do_load, &c);
	ASSERT_EQ(access("/sys/module/rdmaev_probe", F_OK), -1);
	s.first -= s.first / 8;
	c.text = "probe_ms=1";
	EXPECT_EQ(sweep_until_left_out(&s, &c), 0);
	fail_set("fail_page_alloc", "min-order", "0");
	close(c.fd);
}

TEST_HARNESS_MAIN
