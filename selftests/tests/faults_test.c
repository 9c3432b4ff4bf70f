// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Faults that a ULP has on real devices, see selftests/modules/faults_make.c:
 * each event is on record exactly as often as the driver raised it, with the
 * object, what belongs to it and the name of the ULP.
 *
 * What a driver tells of a fault is its own affair, and often not what the
 * specification has. So that is part of what is expected here, as it was found
 * in Linux 6.1 (both) and 6.12 (soft RoCE), also where a driver tells nothing.
 */
#include <sys/utsname.h>

#include "common.h"
#include "kselftest_harness.h"

#define MAKE "/sys/kernel/debug/rdmaev_faults/make"

#define KERNEL(major, minor)	((major) * 1000 + (minor))

/* Sends that sq_drained has outstanding */
#define MANY_WR			8192

#define CQ_ERR			0
#define QP_FATAL		1
#define QP_REQ_ERR		2
#define QP_ACCESS_ERR		3
#define SQ_DRAINED		5
#define SRQ_LIMIT_REACHED	15
#define QP_LAST_WQE_REACHED	16

#define QP	RDMAEV_OBJECT_QP
#define CQ	RDMAEV_OBJECT_CQ
#define SRQ	RDMAEV_OBJECT_SRQ

#define INFO	RDMAEV_CLASS_INFO
#define ERROR	RDMAEV_CLASS_ERROR

static const struct device {
	const char *type;
	const char *name;
	const char *address;
} rxe = { "rxe", "flt_rxe", "10.7.1.1" }, siw = { "siw", "flt_siw", "10.7.2.1" };

/*
 * @wcs: all completions, as the module has them; NULL: some sends were done
 * @since, @before: kernels that do so, as KERNEL() has them; 0: all
 * @event: of an end, if there is one
 */
struct fault {
	const struct device *device;
	const char *name;
	const char *wcs;
	int since, before;
	struct {
		const char *end;
		unsigned int type;
		unsigned int code;
		unsigned int class;
	} event;
};

struct numbers {
	unsigned int qp, send_cq, recv_cq, srq;
	int has_srq;
};

/* The module and both devices, once for all tests; run_tests clears up. */
static int ready(const struct device *dev)
{
	uint64_t end = now_ms() + 10000;

	if (access(MAKE, F_OK) && load_module("rdmaev_faults"))
		return 0;
	if (!sh("rdma link show %s/1 >/dev/null 2>&1", dev->name))
		return 1;
	/* iWARP connects through the loopback device. */
	if (sh("ip link set lo up; ip link add %s_d type dummy && ip link set %s_d up && "
	       "ip addr add %s/24 dev %s_d && rdma link add %s type %s netdev %s_d",
	       dev->name, dev->name, dev->address, dev->name, dev->name, dev->type,
	       dev->name))
		return 0;
	/* The address gets to the device's GID table a little later. */
	while (sh("echo %s %s nothing 2>/dev/null >" MAKE, dev->name, dev->address)) {
		if (now_ms() > end)
			return 0;
		sleep_ms(50);
	}
	return 1;
}

/* How many events are in what the module has to say. */
static unsigned int count_events(const char *text)
{
	unsigned int n = 0;

	while ((text = strstr(text, "\nevent "))) {
		text++;
		n++;
	}
	return n;
}

static int get_numbers(const char *text, const char *end, struct numbers *n)
{
	char format[64];
	int found;

	text = strstr(text, end);
	if (!text)
		return 0;
	snprintf(format, sizeof(format), "%s qp=%%u send_cq=%%u recv_cq=%%u srq=%%u", end);
	found = sscanf(text, format, &n->qp, &n->send_cq, &n->recv_cq, &n->srq);
	n->has_srq = found == 4;
	return found >= 3;
}

#define ACTIVE(status, count)	"wc active send status=" #status " count=" #count "\n"
#define PASSIVE(status, count)	"wc passive recv status=" #status " count=" #count "\n"

static const struct fault faults[] = {
	{ &rxe, "nothing", .wcs = ACTIVE(0, 1) PASSIVE(0, 1) },
	{ &siw, "nothing", .wcs = ACTIVE(0, 1) PASSIVE(0, 1) },

	{ &rxe, "sq_drained", .event = { "active", QP, SQ_DRAINED, INFO } },
	/* It knows no SQD: the QP goes to Error, and the rest of the sends is flushed. */
	{ &siw, "sq_drained", .event = { "active", QP, SQ_DRAINED, INFO } },

	{ &rxe, "srq_limit", .event = { "passive", SRQ, SRQ_LIMIT_REACHED, INFO },
	  .wcs = ACTIVE(0, 5) PASSIVE(0, 5) },
	{ &siw, "srq_limit", .event = { "passive", SRQ, SRQ_LIMIT_REACHED, INFO },
	  .wcs = ACTIVE(0, 5) PASSIVE(0, 5) },

	/* No QP_FATAL follows, and the CQ goes on when it is polled: both drivers. */
	{ &rxe, "cq_overflow", .event = { "active", CQ, CQ_ERR, ERROR },
	  .wcs = ACTIVE(0, 7) },
	{ &siw, "cq_overflow", .event = { "active", CQ, CQ_ERR, ERROR },
	  .wcs = ACTIVE(0, 4) },

	/* QP_LAST_WQE_REACHED from newer rxe only. */
	{ &rxe, "last_wqe", .wcs = ACTIVE(0, 1) PASSIVE(0, 1), .before = KERNEL(6, 12) },
	{ &rxe, "last_wqe", .wcs = ACTIVE(0, 1) PASSIVE(0, 1), .since = KERNEL(6, 12),
	  .event = { "passive", QP, QP_LAST_WQE_REACHED, INFO } },
	{ &siw, "last_wqe", .wcs = ACTIVE(0, 1) PASSIVE(0, 1) },

	/* rxe: REM_ACCESS_ERR, but never QP_ACCESS_ERR. This one is with an SRQ. */
	{ &rxe, "write_foreign_rkey", .wcs = ACTIVE(10, 1), .before = KERNEL(6, 12) },
	{ &rxe, "write_foreign_rkey", .wcs = ACTIVE(10, 1), .since = KERNEL(6, 12),
	  .event = { "passive", QP, QP_LAST_WQE_REACHED, INFO } },
	{ &rxe, "write_unknown_rkey", .wcs = ACTIVE(10, 1) },
	{ &rxe, "read_foreign_rkey", .wcs = ACTIVE(10, 1) },
	{ &rxe, "read_unknown_rkey", .wcs = ACTIVE(10, 1) },
	/* siw: a WRITE is done when it is sent. An STag that is not there: no event. */
	{ &siw, "write_foreign_rkey", .event = { "passive", QP, QP_ACCESS_ERR, ERROR },
	  .wcs = ACTIVE(0, 1) },
	{ &siw, "write_unknown_rkey", .wcs = ACTIVE(0, 1) },
	/* siw: QP_REQ_ERR in place of QP_ACCESS_ERR. */
	{ &siw, "read_foreign_rkey", .event = { "passive", QP, QP_REQ_ERR, ERROR },
	  .wcs = ACTIVE(5, 1) },
	{ &siw, "read_unknown_rkey", .event = { "passive", QP, QP_REQ_ERR, ERROR },
	  .wcs = ACTIVE(5, 1) },

	/* Both: LOC_QP_OP_ERR in place of LOC_PROT_ERR; siw: and QP_FATAL. */
	{ &rxe, "send_foreign_lkey", .wcs = ACTIVE(2, 1), .before = KERNEL(6, 12) },
	/* Newer rxe: flushed, and nothing says why. */
	{ &rxe, "send_foreign_lkey", .wcs = ACTIVE(5, 1), .since = KERNEL(6, 12) },
	{ &siw, "send_foreign_lkey", .event = { "active", QP, QP_FATAL, ERROR },
	  .wcs = ACTIVE(2, 1) PASSIVE(5, 1) },
	/* rxe: LOC_QP_OP_ERR, siw: GENERAL_ERR and QP_ACCESS_ERR, for LOC_PROT_ERR. */
	{ &rxe, "recv_foreign_lkey", .wcs = ACTIVE(11, 1) PASSIVE(2, 1) },
	{ &siw, "recv_foreign_lkey", .event = { "passive", QP, QP_ACCESS_ERR, ERROR },
	  .wcs = ACTIVE(0, 1) PASSIVE(21, 1) },
	/* rxe: LOC_QP_OP_ERR and REM_OP_ERR, for LOC_LEN_ERR and REM_INV_REQ_ERR. */
	{ &rxe, "recv_short", .wcs = ACTIVE(11, 1) PASSIVE(2, 1) },
	{ &siw, "recv_short", .event = { "passive", QP, QP_FATAL, ERROR },
	  .wcs = ACTIVE(0, 1) PASSIVE(1, 1) },
};

static int kernel_version(void)
{
	struct utsname name;
	int major, minor;

	if (uname(&name) || sscanf(name.release, "%d.%d", &major, &minor) != 2)
		return 0;
	return KERNEL(major, minor);
}

FIXTURE(device) {
	int fd;
	struct rdmaev_device dev;
};

FIXTURE_VARIANT(device) {
	const struct device *device;
};

FIXTURE_VARIANT_ADD(device, rxe) {
	.device = &rxe,
};

FIXTURE_VARIANT_ADD(device, siw) {
	.device = &siw,
};

FIXTURE_SETUP(device)
{
	struct rdmaev_filter f = filter_all();

	ASSERT_TRUE(ready(variant->device));
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(find_device(self->fd, variant->device->name, &self->dev));
	f.object_types = 1U << QP | 1U << CQ | 1U << SRQ;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
}

FIXTURE_TEARDOWN(device)
{
	close(self->fd);
}

static int make(const struct fault *f, char *text, size_t size)
{
	FILE *file;
	size_t n;

	if (sh("echo %s %s %s %d >" MAKE, f->device->name, f->device->address, f->name,
	       f->event.end ? 1 : 0))
		return 0;
	file = fopen(MAKE, "r");
	if (!file)
		return 0;
	n = fread(text, 1, size - 1, file);
	text[n] = '\0';
	fclose(file);
	return n > 0;
}

/* All of the record but seq and times. */
static struct rdmaev_record expected(const struct fault *f, const struct rdmaev_device *dev,
				     const struct numbers *n)
{
	const int error = f->event.class == RDMAEV_CLASS_ERROR;
	struct rdmaev_record rec = {
		.device = dev->index,
		.generation = dev->generation,
		.kind = RDMAEV_KIND_ASYNC,
		.code = f->event.code,
		.object_type = f->event.type,
		.event_class = f->event.class,
		.source = RDMAEV_SOURCE_ULP,
		.lane = error ? RDMAEV_LANE_ERROR : RDMAEV_LANE_INFO,
		.count = 1,
		.body.async = {
			.known = RDMAEV_KNOWN_OBJECT,
			.source_name = "rdmaev_faults",
		},
	};

	switch (f->event.type) {
	case QP:
		rec.object = n->qp;
		rec.port = 1;
		rec.body.async.known |= RDMAEV_KNOWN_SEND_CQ | RDMAEV_KNOWN_RECV_CQ;
		rec.body.async.send_cq = n->send_cq;
		rec.body.async.recv_cq = n->recv_cq;
		if (n->has_srq) {
			rec.body.async.known |= RDMAEV_KNOWN_SRQ;
			rec.body.async.srq = n->srq;
		}
		break;
	case CQ:
		rec.object = n->send_cq;
		break;
	default:
		rec.object = n->srq;
		break;
	}
	return rec;
}

/* One row of the table. What was looked at goes with a failure. */
static void check(struct __test_metadata *_metadata, int fd, const struct rdmaev_device *dev,
		  const struct fault *f)
{
	struct rdmaev_record rec, more, want;
	struct numbers n = {};
	unsigned int done = 0;
	char text[4096];
	char *wcs;

	ASSERT_TRUE(make(f, text, sizeof(text)))
		TH_LOG("%s", f->name);
	EXPECT_EQ(count_events(text), f->event.end ? 1 : 0)
		TH_LOG("%s: %s", f->name, text);
	wcs = strstr(text, "\nwc ");
	ASSERT_NE(wcs, NULL)
		TH_LOG("%s: %s", f->name, text);
	wcs++;
	if (!f->wcs && sscanf(wcs, "wc active send status=0 count=%u", &done) != 1)
		done = 0;
	if (f->wcs) {
		EXPECT_STREQ(wcs, f->wcs)
			TH_LOG("%s", f->name);
	} else {
		EXPECT_TRUE(done > 0 && done < MANY_WR)
			TH_LOG("%s: %s", f->name, text);
	}

	if (f->event.end) {
		ASSERT_TRUE(get_numbers(text, f->event.end, &n));
		want = expected(f, dev, &n);
		ASSERT_EQ(read(fd, &rec, sizeof(rec)), sizeof(rec))
			TH_LOG("%s", f->name);
		want.seq = rec.seq;
		want.boottime_ns = rec.boottime_ns;
		want.realtime_ns = rec.realtime_ns;
		EXPECT_EQ(memcmp(&rec, &want, sizeof(rec)), 0)
			TH_LOG("%s: event %u of object %u, %s", f->name, rec.code, rec.object,
			       text);
	}
	EXPECT_EQ(read(fd, &more, sizeof(more)), -1)
		TH_LOG("%s: event %u", f->name, more.code);
}

TEST_F_TIMEOUT(device, faults, 300)
{
	int kernel = kernel_version();
	unsigned int i;

	ASSERT_GT(kernel, 0);
	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (faults[i].device == variant->device && kernel >= faults[i].since &&
		    (!faults[i].before || kernel < faults[i].before))
			check(_metadata, self->fd, &self->dev, &faults[i]);
	}
}

TEST_HARNESS_MAIN
