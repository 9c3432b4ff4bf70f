// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Loading the module, adding devices, and CQs of ULPs, with each allocation
 * failing in turn: a failure leaves nothing behind. A device for which memory
 * was missing is not monitored, and the kernel log says so. See fail.h.
 */
#include <sched.h>
#include <sys/syscall.h>

#include "fail.h"
#include "kselftest_harness.h"

#define MODULE "/tmp/fail_rdmaev.ko"

/* More than there are in any call */
#define FAR 1000000U

static int kmsg = -1;

/* Number of devices not monitored, by messages since the last call */
static int not_recorded(void)
{
	return kernel_said(kmsg, "device will not be monitored");
}

static int has_device(const char *name)
{
	struct rdmaev_device dev;
	int fd = open_node(O_NONBLOCK);
	int found = fd >= 0 && find_device(fd, name, &dev);

	close(fd);
	return found;
}

/* True if an existing device is monitored, with all its records */
static int is_recorded(const char *name)
{
	struct rdmaev_device dev;
	struct rdmaev_record rec;
	int fd = open_node(O_NONBLOCK);
	int ok = fd >= 0 && find_device(fd, name, &dev) && !filter_test_events(fd) &&
		 gen("process", name, TEST_EVENT, 1, 1) == 1 &&
		 read(fd, &rec, sizeof(rec)) == sizeof(rec) && rec.device == dev.index;

	close(fd);
	return ok;
}

static int left_out;			/* devices not monitored */

/* The device is monitored, or a message says that it is not. */
static int is_accounted_for(const char *name)
{
	int warnings = not_recorded();

	left_out += warnings;
	return has_device(name) ? !warnings && is_recorded(name) : warnings == 1;
}

static unsigned int passed(int (*call)(void *data), void *data)
{
	unsigned int left;

	fail_nth(FAR);
	call(data);
	left = fail_left();
	return FAR - left;
}

FIXTURE(fail) {
	int fd;
};

FIXTURE_SETUP(fail)
{
	sim_destroy("sim0");
	ASSERT_EQ(sim_create("sim0", 2), 0);
	ASSERT_EQ(param("burst_ms", 0), 0);
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_GE(kmsg, 0);
	ASSERT_GE(lseek(kmsg, 0, SEEK_END), 0);
	/* The query of a new device */
	sleep_ms(300);
}

FIXTURE_TEARDOWN(fail)
{
	sim_destroy("sim0");
	close(kmsg);
}

/* The module */

struct load {
	int fd;
	const char *args;
};

static int do_load(void *data)
{
	struct load *l = data;

	return syscall(SYS_finit_module, l->fd, l->args, 0);
}

static int do_unload(void)
{
	return syscall(SYS_delete_module, "rdmaev", O_NONBLOCK);
}

static int loaded(void *data, int ret, int error)
{
	int refused = not_recorded(), bad;

	if (ret)
		return !access("/sys/module/rdmaev", F_OK) || !access(NODE, F_OK);
	/* device_add() ignores a failure of devtmpfs_create_node(). */
	if (access(NODE, F_OK))
		return access("/sys/class/misc/rdmaev", F_OK) || do_unload();
	/* Memory may be missing for more than the first one. */
	bad = has_device("sim0") + has_device("load0") + refused != 2 ||
	      (!refused && (!is_recorded("sim0") || !is_recorded("load0")));
	return bad || do_unload();
}

/*
 * Most allocations are the kernel's own, before the module's. Their number is
 * that of a load that the module refuses at once; some of them come after the
 * refusal, so the sweep begins a little earlier.
 */
TEST_F_TIMEOUT(fail, load, 600)
{
	struct load l = { .args = "records=63" };
	struct sweep s = { "finit_module", do_load, loaded, .least = 20 };

	ASSERT_EQ(rxe_add("load0"), 0);
	ASSERT_EQ(do_unload(), 0);
	ASSERT_EQ(sh("cp $RDMAEV_TOP/kmod/rdmaev.ko " MODULE), 0);
	l.fd = open(MODULE, O_RDONLY | O_CLOEXEC);
	ASSERT_GE(l.fd, 0);
	s.first = passed(do_load, &l);
	ASSERT_EQ(access("/sys/module/rdmaev", F_OK), -1);
	l.args = "records=64";
	fprintf(stderr, "# finit_module: %u before the module", s.first);
	fprintf(stderr, ", %u in all\n", passed(do_load, &l));
	ASSERT_EQ(do_unload(), 0);
	s.first -= s.first / 8;
	EXPECT_EQ(sweep(&s, &l), 0);
	ASSERT_EQ(do_load(&l), 0);
	EXPECT_TRUE(is_recorded("load0"));
	EXPECT_TRUE(is_recorded("sim0"));
	ASSERT_EQ(do_unload(), 0);
	ASSERT_EQ(sh("insmod $RDMAEV_TOP/kmod/rdmaev.ko"), 0);
	rxe_del("load0");
}

/* Devices */

struct command {
	int fd;
	const char *text;
};

static int do_command(void *data)
{
	struct command *c = data;

	return write(c->fd, c->text, strlen(c->text)) < 0 ? -1 : 0;
}

static int sim_created(void *data, int ret, int error)
{
	if (ret)
		return not_recorded() > 1 || !access("/sys/class/infiniband/sim1", F_OK) ||
		       has_device("sim1");
	return !is_accounted_for("sim1") || sim_destroy("sim1") || has_device("sim1");
}

/*
 * ib_core calls its clients late when it adds a device: earlier
 * allocations are its own. The module makes one allocation for the device, one
 * for its ports and two for the tables of each.
 *
 * Soft RoCE makes thousands, for the files of 1024 GIDs; its device exists when
 * the module is loaded, see above.
 */
#define LEFT_OUT	(2 + 2 * 2)

TEST_F_TIMEOUT(fail, simulated_device, 600)
{
	struct sweep s = { "simulated device", do_command, sim_created, .least = 0 };
	struct command c = { open(SIM "create", O_WRONLY | O_CLOEXEC), "sim1 2 ib" };
	unsigned int all, sweeps;

	ASSERT_GE(c.fd, 0);
	/*
	 * Let pages for more objects be allocated: the number of these
	 * allocations varies, and later ones would be missed.
	 */
	ASSERT_EQ(fail_set("fail_page_alloc", "min-order", "10"), 0);
	/* The first call allocates more. */
	passed(do_command, &c);
	ASSERT_EQ(sim_destroy("sim1"), 0);
	all = passed(do_command, &c);
	fprintf(stderr, "# simulated device: %u in all\n", all);
	s.first = all / 3;
	ASSERT_EQ(sim_destroy("sim1"), 0);
	/*
	 * The number of other allocations varies from call to call, enough to
	 * pass over one of the module; see sweep().
	 */
	for (sweeps = 0; sweeps < 8 && left_out < LEFT_OUT; sweeps++) {
		left_out = 0;
		ASSERT_GE(sweep_once(&s, &c, 1 + sweeps), 0);
	}
	fail_set("fail_page_alloc", "min-order", "0");
	EXPECT_GE(left_out, LEFT_OUT);
	EXPECT_TRUE(is_recorded("sim0"));
	close(c.fd);
}

/* CQs and other objects of ULPs */

static int cq_created(void *data, int ret, int error)
{
	struct rdmaev_cq_stats list[4];
	int fd = open_node(O_NONBLOCK);
	int n = read_cqs(fd, 0, RDMAEV_ANY, 0, list, 4, NULL);

	close(fd);
	return ret ? n != 0 : n != 1 || run("hold sim0 destroy");
}

TEST_F_TIMEOUT(fail, cqs, 600)
{
	static const char * const kinds[] = {
		"created", "attached", "direct"
	};
	struct sweep s = { NULL, do_command, cq_created, .least = 3 };
	struct command c;
	char text[64];
	unsigned int i;

	ASSERT_EQ(load_module("rdmaev_ulp"), 0);
	c.fd = open(CQTEST, O_WRONLY | O_CLOEXEC);
	c.text = text;
	ASSERT_GE(c.fd, 0);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		snprintf(text, sizeof(text), "hold sim0 create %s", kinds[i]);
		s.name = text;
		s.step = 1;
		EXPECT_EQ(sweep(&s, &c), 0);
		s.step = 128;
		EXPECT_EQ(sweep_beyond(&s, &c), 0);
	}
	close(c.fd);
}

#define ULP "/sys/kernel/debug/rdmaev_ulp/"

static int ulp_created(void *data, int ret, int error)
{
	return ret ? 0 : put(ULP "destroy", "sim0");
}

static int ulp_registered(void *data, int ret, int error)
{
	return put(ULP "source", "\n");
}

TEST_F_TIMEOUT(fail, ulp, 600)
{
	const struct sweep registers = { "register a ULP", do_command, ulp_registered,
					 .least = 1 };
	const struct sweep creates = { "objects of a ULP", do_command, ulp_created,
				       .least = 5 };
	struct command c = { .text = "a ULP" };

	ASSERT_EQ(load_module("rdmaev_ulp"), 0);
	c.fd = open(ULP "source", O_WRONLY | O_CLOEXEC);
	ASSERT_GE(c.fd, 0);
	EXPECT_EQ(sweep(&registers, &c), 0);
	ASSERT_EQ(put(ULP "source", "a ULP"), 0);
	close(c.fd);
	c.text = "sim0 1";
	c.fd = open(ULP "create", O_WRONLY | O_CLOEXEC);
	EXPECT_EQ(sweep(&creates, &c), 0);
	close(c.fd);
	put(ULP "source", "\n");
}

/*
 * Network namespaces, which the module numbers, and keeps in a list for netlink
 */

static int do_unshare(void *data)
{
	return unshare(CLONE_NEWNET);
}

static int unshared(void *data, int ret, int error)
{
	/* Undo the other namespace. */
	return setns(*(int *)data, CLONE_NEWNET) || !is_recorded("sim0");
}

/*
 * The core allocates the module's data of a namespace, and the module allocates
 * nothing more then. What can go wrong is that the module keeps a namespace
 * that was not finished: the core makes the devices of a namespace later.
 * Earlier failures make the kernel print stack traces.
 */
TEST_F_TIMEOUT(fail, namespace, 600)
{
	struct sweep s = { "network namespace", do_unshare, unshared, .least = 5 };
	int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	unsigned int all;

	ASSERT_GE(fd, 0);
	all = passed(do_unshare, NULL);
	ASSERT_EQ(setns(fd, CLONE_NEWNET), 0);
	ASSERT_GT(all, 24);
	s.first = all - 24;
	EXPECT_EQ(sweep(&s, &fd), 0);
	close(fd);
}

TEST_HARNESS_MAIN
