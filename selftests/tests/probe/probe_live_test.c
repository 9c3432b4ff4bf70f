// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The probe of soft RoCE, and of siw, which needs rdma_cm: while the link goes
 * down and up, the device is renamed, moved to another network namespace, and
 * removed; and while the module is unloaded.
 */
#include "probe.h"
#include "kselftest_harness.h"

#define NETDEV "probe0_d"
#define DEV "probe0"

FIXTURE(live) {
	int fd;
	uint32_t index;
	struct rdmaev_probe p;
};

FIXTURE_VARIANT(live) {
	const char *type;
	unsigned int method;
};

FIXTURE_VARIANT_ADD(live, rxe) {
	.type = "rxe",
	.method = RDMAEV_PROBE_BY_RC,
};

FIXTURE_VARIANT_ADD(live, siw) {
	.type = "siw",
	.method = RDMAEV_PROBE_BY_CM,
};

static int has_type(const char *type)
{
	return strcmp(type, "siw") || !access("/sys/module/siw", F_OK) ||
	       !sh("modprobe -q siw 2>/dev/null");
}

FIXTURE_SETUP(live)
{
	struct rdmaev_device dev;

	if (!has_type(variant->type))
		SKIP(return, "no siw on this kernel");
	ASSERT_EQ(probe_load(), 0);
	ASSERT_EQ(probe_param("probe_late_ms", 0), 0);
	ASSERT_EQ(probe_param("probe_lost_ms", SOON_MS), 0);
	ASSERT_EQ(netdev_add_dummy(NETDEV), 0);
	ASSERT_EQ(sh("ip addr add 10.11.12.13/24 dev " NETDEV), 0);
	ASSERT_EQ(rdma_add(DEV, variant->type, NETDEV), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(find_device(self->fd, DEV, &dev));
	self->index = dev.index;
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_PROBE), 0);
	ASSERT_EQ(probe_set(self->fd, self->index, FAST_MS), 0);
	ASSERT_TRUE(probe_is(self->fd, self->index, 1, RDMAEV_PROBE_STATE_OK, &self->p));
	EXPECT_EQ(self->p.method, variant->method);
}

FIXTURE_TEARDOWN(live)
{
	struct rdmaev_record rec;

	while (read(self->fd, &rec, sizeof(rec)) == sizeof(rec))
		TH_LOG("seq %llu code %u call %u error %d", (unsigned long long)rec.seq,
		       rec.code, rec.body.probe.call, rec.body.probe.error);
	close(self->fd);
	netns_undo();
	rdma_del(DEV);
	netdev_del(NETDEV);
}

static int no_record(int fd)
{
	struct rdmaev_record rec;

	return read(fd, &rec, sizeof(rec)) < 0;
}

TEST_F(live, completes)
{
	ASSERT_TRUE(probe_completes(self->fd, self->index, 1, 20, &self->p));
	EXPECT_EQ(self->p.failed + self->p.lost, 0);
	EXPECT_TRUE(no_record(self->fd));
}

TEST_F(live, link_down_and_up)
{
	ASSERT_EQ(netdev_set(NETDEV, 0), 0);
	ASSERT_TRUE(probe_is(self->fd, self->index, 1, RDMAEV_PROBE_STATE_INACTIVE, &self->p));
	EXPECT_EQ(self->p.qp, 0);
	ASSERT_EQ(netdev_set(NETDEV, 1), 0);
	ASSERT_TRUE(probe_is(self->fd, self->index, 1, RDMAEV_PROBE_STATE_OK, &self->p));
	/* Once more if a request fails while the port still looks ACTIVE */
	EXPECT_GE(self->p.rebuilt, 1);
}

TEST_F(live, renamed)
{
	ASSERT_EQ(sh("rdma dev set " DEV " name probe1"), 0);
	EXPECT_TRUE(probe_completes(self->fd, self->index, 1, 5, &self->p));
	EXPECT_EQ(sh("rdma dev set probe1 name " DEV), 0);
	EXPECT_TRUE(no_record(self->fd));
}

/* A new generation is probed as the module's parameter says: here, not. */
TEST_F(live, moved_to_another_namespace)
{
	uint32_t generation = self->p.generation;

	ASSERT_EQ(netns_mode("exclusive"), 0);
	ASSERT_EQ(sh("ip netns add other"), 0);
	if (sh("rdma dev set " DEV " netns other 2>/dev/null"))
		SKIP(return, "the device cannot be moved");
	ASSERT_TRUE(probe_get(self->fd, self->index, 1, &self->p));
	EXPECT_NE(self->p.generation, generation);
	EXPECT_EQ(self->p.state, RDMAEV_PROBE_STATE_OFF);
	EXPECT_EQ(self->p.sent, 0);
	EXPECT_TRUE(no_record(self->fd));
}

/*
 * Can a connection be dropped while it is made? siw and iw_cm leak the private data
 * of that request, which the debug kernel finds.
 */
static int may_interrupt(const char *type)
{
	return strcmp(type, "siw") || slowness() == 1;
}

TEST_F_TIMEOUT(live, removed, 60)
{
	struct rdmaev_device dev;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		ASSERT_EQ(rdma_del(DEV), 0);
		ASSERT_EQ(rdma_add(DEV, variant->type, NETDEV), 0);
		ASSERT_TRUE(find_device(self->fd, DEV, &dev));
		/* At once, or in the middle of what it does at first */
		ASSERT_EQ(probe_set(self->fd, dev.index, 1), 0);
		if (may_interrupt(variant->type))
			usleep(i * 2000);
		else
			ASSERT_TRUE(probe_is(self->fd, dev.index, 1, RDMAEV_PROBE_STATE_OK,
					     &self->p));
	}
	EXPECT_TRUE(no_record(self->fd));
}

/* How often each variant unloads the module; 100 times in all on one kernel */
static unsigned int unloads(void)
{
	const char *text = getenv("RDMAEV_PROBE_LOADS");

	if (text)
		return atoi(text);
	return slowness() == 1 && kernel_version() == KERNEL(6, 1) ? 50 : 8 / slowness();
}

/* Unloaded with requests outstanding, and nothing is left */
TEST_F_TIMEOUT(live, unloaded, 240)
{
	unsigned int i, n = unloads();
	char path[512];
	int file;

	if (!can_reload())
		SKIP(return, NO_RELOAD);
	snprintf(path, sizeof(path), "%s/kmod/rdmaev_probe.ko", getenv("RDMAEV_TOP"));
	file = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_GE(file, 0);
	for (i = 0; i < n; i++) {
		ASSERT_EQ(syscall(SYS_delete_module, "rdmaev_probe", O_NONBLOCK), 0);
		ASSERT_FALSE(probe_get(self->fd, self->index, 1, &self->p));
		ASSERT_EQ(syscall(SYS_finit_module, file, "probe_ms=1", 0), 0);
		if (i % 2 || !may_interrupt(variant->type))
			ASSERT_TRUE(probe_completes(self->fd, self->index, 1, 1, &self->p));
	}
	close(file);
	EXPECT_EQ(sh("! rdma resource show qp | grep -q 'comm .rdmaev_probe' || "
		     "rmmod rdmaev_probe"), 0);
	EXPECT_EQ(sh("! rdma resource show qp | grep 'comm .rdmaev_probe'"), 0);
	sh("rmmod rdmaev_probe 2>/dev/null");
}

TEST_HARNESS_MAIN
