// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Faults of a ULP on real drivers, see selftests/modules/sample_make.c: each
 * event has as many records as the driver raised it, with the object, its
 * queues and peer and the name of the ULP; each QP failure has one record of
 * the first completion that gives a reason, and one of all flushed requests.
 */
#include <pthread.h>

#include "faults.h"
#include "kselftest_harness.h"

FIXTURE(device) {
	int fd;
	struct rdmaev_device dev;
};

FIXTURE_VARIANT(device) {
	const struct sample_device *device;
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

	ASSERT_TRUE(sample_ready(variant->device));
	/* Newer soft RoCE reports one event twice: each has its own record. */
	ASSERT_EQ(param("burst_ms", 0), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(find_device(self->fd, variant->device->name, &self->dev));
	f.kinds = 1U << RDMAEV_KIND_ASYNC | 1U << RDMAEV_KIND_WC;
	f.object_types = 1U << QP | 1U << CQ | 1U << SRQ;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
}

FIXTURE_TEARDOWN(device)
{
	close(self->fd);
}

/* Number of events in the module's results */
static unsigned int count_events(const char *text)
{
	unsigned int n = 0;

	while ((text = strstr(text, "\nevent "))) {
		text++;
		n++;
	}
	return n;
}

#define RECORDS 16

/* Records of a fault: events, and failed completions */
struct logged {
	struct rdmaev_record events[RECORDS];
	struct rdmaev_record wcs[RECORDS];
	unsigned int n_events, n_wcs;
};

static void read_log(struct __test_metadata *_metadata, int fd, struct logged *l)
{
	struct rdmaev_record rec;

	l->n_events = 0;
	l->n_wcs = 0;
	while (read(fd, &rec, sizeof(rec)) == sizeof(rec)) {
		ASSERT_LT(l->n_events, RECORDS);
		ASSERT_LT(l->n_wcs, RECORDS);
		if (rec.kind == RDMAEV_KIND_WC)
			l->wcs[l->n_wcs++] = rec;
		else
			l->events[l->n_events++] = rec;
	}
	EXPECT_EQ(errno, EAGAIN);
}

/* Check all fields of an event's record but seq and times. */
static struct rdmaev_record expected_event(const struct event *event,
					   const struct rdmaev_device *dev,
					   const struct sample_numbers *n)
{
	const int error = event->severity == RDMAEV_SEVERITY_ERROR;
	struct rdmaev_record rec = {
		.device = dev->index,
		.generation = dev->generation,
		.port = RDMAEV_NO_PORT,
		.kind = RDMAEV_KIND_ASYNC,
		.code = event->code,
		.object_type = event->type,
		.severity = event->severity,
		.source = RDMAEV_SOURCE_ULP,
		.ring = error ? RDMAEV_RING_ERROR : RDMAEV_RING_INFO,
		.count = 1,
		.body.info = {
			.known = RDMAEV_KNOWN_OBJECT,
			.owner = SAMPLE_OWNER,
		},
	};

	memcpy(rec.device_name, dev->name, sizeof(rec.device_name));
	switch (event->type) {
	case QP:
		rec.object = n->qp;
		rec.port = 1;
		rec.body.info.known |= RDMAEV_KNOWN_SEND_CQ | RDMAEV_KNOWN_RECV_CQ |
					RDMAEV_KNOWN_QP_TYPE;
		rec.body.info.qp_type = RDMAEV_QPT_RC;
		rec.body.async.queues.send_cq = n->send_cq;
		rec.body.async.queues.recv_cq = n->recv_cq;
		if (n->has_srq) {
			rec.body.info.known |= RDMAEV_KNOWN_SRQ;
			rec.body.async.queues.srq = n->srq;
		}
		break;
	case CQ:
		rec.object = n->send_cq;
		break;
	default:
		if (n->has_srq)
			rec.object = n->srq;
		else
			rec.body.info.known = 0;
		break;
	}
	return rec;
}

/*
 * Check all fields of the record of a failed completion but seq, times and
 * hashes.
 */
static struct rdmaev_record expected_wc(const struct rdmaev_device *dev,
					const struct sample_numbers *n)
{
	struct rdmaev_record rec = {
		.device = dev->index,
		.generation = dev->generation,
		.port = 1,
		.kind = RDMAEV_KIND_WC,
		.object_type = RDMAEV_OBJECT_QP,
		.severity = RDMAEV_SEVERITY_ERROR,
		.source = RDMAEV_SOURCE_ULP,
		.ring = RDMAEV_RING_ERROR,
		.object = n->qp,
		.count = 1,
		.body.wc = {
			.info.known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_CQ |
				      RDMAEV_KNOWN_SEND_CQ | RDMAEV_KNOWN_RECV_CQ |
				      RDMAEV_KNOWN_QP_TYPE,
			.info.qp_type = RDMAEV_QPT_RC,
			.info.owner = SAMPLE_OWNER,
			.queues.send_cq = n->send_cq,
			.queues.recv_cq = n->recv_cq,
		},
	};

	memcpy(rec.device_name, dev->name, sizeof(rec.device_name));
	if (n->has_srq) {
		rec.body.info.known |= RDMAEV_KNOWN_SRQ;
		rec.body.async.queues.srq = n->srq;
	}
	return rec;
}

/* siw sets it. Soft RoCE does not, but receives have their own CQ. */
static unsigned int expected_opcode(const struct rdmaev_device *dev,
				    unsigned int opcode, int is_recv)
{
	if (dev->node_type == NODE_RNIC)
		return opcode;
	return is_recv ? RDMAEV_OPCODE_RECV : RDMAEV_OPCODE_OTHER;
}

static void expect_wc(struct __test_metadata *_metadata, const struct rdmaev_record *rec,
		      struct rdmaev_record want, const char *name)
{
	want.seq = rec->seq;
	want.boottime_ns = rec->boottime_ns;
	want.realtime_ns = rec->realtime_ns;
	/* The hash of an address may be any number. */
	want.body.wc.wr_id = rec->body.wc.wr_id;
	if (!strncmp(name, "ud-", 3))
		want.body.info.qp_type = RDMAEV_QPT_UD;
	EXPECT_EQ(memcmp(rec, &want, sizeof(want)), 0)
		TH_LOG("%s: got QP %u, status %u x%u, severity %u, cause %llu, CQ %u, opcode %u, folded %u; want QP %u, status %u x%u, severity %u, cause %llu, CQ %u, opcode %u",
		       name, rec->object, rec->code, rec->count, rec->severity,
		       (unsigned long long)rec->cause, rec->body.wc.cq, rec->body.wc.opcode,
		       rec->body.wc.folded, want.object, want.code, want.count, want.severity,
		       (unsigned long long)want.cause, want.body.wc.cq, want.body.wc.opcode);
}

/*
 * Check the records of the QP of an end against the completions polled by its
 * ULP. Returns how many.
 * @port_err: seq of the PORT_ERR that is the cause of RETRY_EXC_ERR
 */
static unsigned int check_end(struct __test_metadata *_metadata, const struct logged *l,
			      const struct sample *s, const struct rdmaev_device *dev,
			      const char *end, uint64_t port_err, const char *name)
{
	static const char *const queues[] = { "send", "recv" };
	unsigned int i, q, others = 0, flushed = 0, seen = 0, used = 0;
	const struct rdmaev_record *recs[RECORDS];
	struct sample_first first, of = {};
	struct rdmaev_record want;
	struct sample_numbers n;
	uint64_t cause = 0;

	ASSERT_TRUE(sample_numbers(s, end, &n)) {
		return 0;
	}
	for (i = 0; i < l->n_wcs; i++) {
		if (l->wcs[i].object == n.qp)
			recs[seen++] = &l->wcs[i];
	}
	/*
	 * Errors of the QP itself are the cause of a flush, if nothing else is.
	 */
	for (i = 0; i < l->n_events && !cause; i++) {
		if (l->events[i].object_type == QP && l->events[i].object == n.qp &&
		    l->events[i].severity == ERROR)
			cause = l->events[i].seq;
	}

	want = expected_wc(dev, &n);
	for (q = 0; q < 2; q++) {
		for (i = 1; i < 32; i++) {
			if (i == WR_FLUSH_ERR)
				flushed += sample_count(s, "wc", end, queues[q], "status", i);
			else
				others += sample_count(s, "wc", end, queues[q], "status", i);
		}
		if (sample_first(s, "cause", end, queues[q], &first)) {
			want.code = first.status;
			want.body.wc.cq = q ? n.recv_cq : n.send_cq;
			want.body.wc.opcode = expected_opcode(dev, first.opcode, q);
			want.body.wc.vendor_err = first.vendor_err;
		}
	}
	EXPECT_EQ(seen, !!others + (flushed || others > 1))
		TH_LOG("%s, %s: %u records; %s", name, end, seen, s->text);
	if (others && seen) {
		if (want.code == RETRY_EXC_ERR)
			want.cause = port_err;
		cause = recs[0]->seq;
		expect_wc(_metadata, recs[used++], want, name);
	}
	if (flushed && used < seen) {
		want = expected_wc(dev, &n);
		want.code = WR_FLUSH_ERR;
		want.count = flushed;
		want.cause = cause;
		want.body.wc.folded = others ? others - 1 : 0;
		if (!cause) {
			want.severity = RDMAEV_SEVERITY_INFO;
			want.ring = RDMAEV_RING_INFO;
		}
		/* Either of the two queues may have been polled first. */
		for (q = 0; q < 2; q++) {
			if (sample_first(s, "flush", end, queues[q], &first) &&
			    (!of.status ||
			     recs[used]->body.wc.cq == (q ? n.recv_cq : n.send_cq))) {
				of = first;
				of.opcode = expected_opcode(dev, first.opcode, q);
				want.body.wc.cq = q ? n.recv_cq : n.send_cq;
			}
		}
		want.body.wc.opcode = of.opcode;
		want.body.wc.vendor_err = of.vendor_err;
		expect_wc(_metadata, recs[used++], want, name);
	}
	return seen;
}

/*
 * Records of the events of a row, @rows of them, which the module has counted as
 * well. Newer rxe reports QP_LAST_WQE_REACHED each time that the responder of a QP
 * on an SRQ runs in Error: as often as the row says, or more often.
 */
static void check_events(struct __test_metadata *_metadata, const struct logged *l,
			 const struct sample *s, const struct rdmaev_device *dev,
			 const struct fault *f, unsigned int rows, const char *kind)
{
	unsigned int count = count_events(s->text), i;
	struct sample_numbers n = {};
	const struct event *event;
	struct rdmaev_record want;
	int repeats;

	repeats = rows && f->events[rows - 1].code == QP_LAST_WQE_REACHED;
	EXPECT_TRUE(count == rows || (repeats && count > rows))
		TH_LOG("%s, %s: %u events: %s", f->name, kind, count, s->text);
	EXPECT_EQ(l->n_events, count)
		TH_LOG("%s, %s: event %u", f->name, kind, l->events[0].code);
	for (i = 0; rows && i < count && i < l->n_events; i++) {
		event = &f->events[i < rows ? i : rows - 1];
		ASSERT_TRUE(sample_numbers(s, event->end, &n));
		want = expected_event(event, dev, &n);
		/*
		 * The requests are flushed because of what put the QP in Error,
		 * once.
		 */
		if (want.code == QP_LAST_WQE_REACHED && i == 1 &&
		    l->events[0].code == QP_ACCESS_ERR)
			want.cause = l->events[0].seq;
		want.seq = l->events[i].seq;
		want.boottime_ns = l->events[i].boottime_ns;
		want.realtime_ns = l->events[i].realtime_ns;
		EXPECT_EQ(memcmp(&l->events[i], &want, sizeof(want)), 0)
			TH_LOG("%s, %s: event %u of object %u, %s", f->name, kind,
			       l->events[i].code, l->events[i].object, s->text);
	}
}

/* Counters between the two, compared with the completions polled by the ULP. */
static void check_sums(struct __test_metadata *_metadata, const struct sample *s,
		       const struct rdmaev_cq_stats *before, const struct rdmaev_cq_stats *after,
		       const char *name)
{
	static const char *const ends[] = { "active", "passive" };
	static const char *const queues[] = { "send", "recv" };
	unsigned int i, e, q;
	uint64_t n;

	for (i = 1; i < RDMAEV_WC_STATUSES; i++) {
		for (n = 0, e = 0; e < 2; e++) {
			for (q = 0; q < 2; q++)
				n += sample_count(s, "wc", ends[e], queues[q], "status", i);
		}
		EXPECT_EQ(after->failures[i] - before->failures[i], n)
			TH_LOG("%s: status %u", name, i);
	}
	for (i = 0; i < RDMAEV_OPCODES; i++) {
		for (n = 0, e = 0; e < 2; e++) {
			for (q = 0; q < 2; q++)
				n += sample_count(s, "opcode", ends[e], queues[q], "opcode", i);
		}
		EXPECT_EQ(after->completions[i] - before->completions[i], n)
			TH_LOG("%s: opcode %u", name, i);
	}
}

/* One row of the table. A failure prints the records. */
static void check(struct __test_metadata *_metadata, int fd, const struct rdmaev_device *dev,
		  const struct fault *f, const char *kind)
{
	unsigned int done, flushed, expected, events = 0;
	struct rdmaev_cq_stats before, after;
	struct sample s = {};
	struct logged l;
	const char *wcs;

	while (events < EVENTS && f->events[events].end)
		events++;
	ASSERT_TRUE(sample_sums(fd, dev->index, &before));
	/* Those after the first are of the QP's end. */
	ASSERT_TRUE(sample_do(&s, "make", "%s %s %s %d %s", f->device->name, f->device->address,
			      f->name, events ? 1 : 0, kind));
	close(s.fd);
	ASSERT_TRUE(sample_sums(fd, dev->index, &after));
	check_sums(_metadata, &s, &before, &after, f->name);
	ASSERT_EQ(s.error, f->error)
		TH_LOG("%s, %s: %s", f->name, kind, s.text);
	wcs = strstr(s.text, "\nwc ");
	if (f->wcs || f->error) {
		EXPECT_STREQ(wcs ? wcs + 1 : "", f->wcs ?: "")
			TH_LOG("%s, %s", f->name, kind);
	} else {
		done = sample_count(&s, "wc", "active", "send", "status", 0);
		flushed = sample_count(&s, "wc", "active", "send", "status", WR_FLUSH_ERR);
		/* Older soft RoCE continues with requests that should wait. */
		EXPECT_TRUE(done > 0 && done + flushed == MANY_WR &&
			    (flushed || kernel_version() < ANSWERS))
			TH_LOG("%s, %s: %s", f->name, kind, s.text);
	}

	read_log(_metadata, fd, &l);
	check_events(_metadata, &l, &s, dev, f, events, kind);
	/* The active end got no QP: there is nothing more to check. */
	if (!strncmp(s.text, "active qp=0 ", 12))
		return;
	expected = check_end(_metadata, &l, &s, dev, "active", 0, f->name);
	expected += check_end(_metadata, &l, &s, dev, "passive", 0, f->name);
	EXPECT_EQ(l.n_wcs, expected)
		TH_LOG("%s, %s: status %u of object %u", f->name, kind, l.wcs[0].code,
		       l.wcs[0].object);
}

static int applies(const struct fault *f, const struct sample_device *device)
{
	const int kernel = kernel_version();

	return f->device == device && kernel >= f->since && (!f->before || kernel < f->before);
}

TEST_F_TIMEOUT(device, faults, 300)
{
	unsigned int i;

	ASSERT_GT(kernel_version(), 0);
	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (applies(&faults[i], variant->device))
			check(_metadata, self->fd, &self->dev, &faults[i], "created");
	}
}

/*
 * It makes no difference who polls: a fault that fails at both ends, one only
 * flushed.
 */
TEST_F_TIMEOUT(device, kinds, 120)
{
	static const char *const kinds[] = { "attached", "direct" };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (!applies(&faults[i], variant->device) ||
		    (strcmp(faults[i].name, "send-lkey") && strcmp(faults[i].name, "read-rkey")))
			continue;
		for (k = 0; k < ARRAY_SIZE(kinds); k++)
			check(_metadata, self->fd, &self->dev, &faults[i], kinds[k]);
	}
}

/* Wait for the newest PORT_ERR of the device. */
static uint64_t wait_port_err(const struct rdmaev_device *dev)
{
	struct rdmaev_filter f = filter_all();
	uint64_t end = now_ms() + SOON_MS;
	struct rdmaev_record rec;
	uint64_t seq = 0;
	int fd = open_node(O_NONBLOCK);

	f.kinds = 1U << RDMAEV_KIND_ASYNC;
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1ULL << PORT_ERR);
	filter_target(&f, dev->name, 0);
	if (ioctl(fd, RDMAEV_IOC_FILTER, &f) || lseek(fd, 0, SEEK_SET) < 0)
		end = 0;
	while (!seq && now_ms() < end) {
		while (read(fd, &rec, sizeof(rec)) == sizeof(rec))
			if (rec.generation == dev->generation)
				seq = rec.seq;
		sleep_ms(20);
	}
	close(fd);
	return seq;
}

/*
 * Without a carrier. All is on one machine, so neither driver uses the
 * interface: messages arrive, and requests fail because the peer is missing.
 * rdmaev cannot know that.
 */
TEST_F_TIMEOUT(device, carrier, 60)
{
	const struct sample_device *dev = variant->device;
	uint64_t port_err = 0;
	struct sample s = {};
	struct logged l;

	ASSERT_EQ(sh("ip link set %s_d carrier off", dev->name), 0);
	if (dev == &rxe) {
		port_err = wait_port_err(&self->dev);
		EXPECT_GT(port_err, 0);
	}
	ASSERT_TRUE(sample_do(&s, "make", "%s %s nothing", dev->name, dev->address));
	close(s.fd);
	EXPECT_EQ(s.error, 0);
	ASSERT_TRUE(sample_do(&s, "make", "%s %s peer-gone", dev->name, dev->address));
	close(s.fd);
	EXPECT_EQ(s.error, 0);
	EXPECT_EQ(sh("ip link set %s_d carrier on", dev->name), 0);

	read_log(_metadata, self->fd, &l);
	EXPECT_EQ(l.n_wcs, 1);
	EXPECT_EQ(check_end(_metadata, &l, &s, &self->dev, "active", port_err, "carrier"), 1);
}

struct making {
	const struct sample_device *device;
	const char *fault;
	struct sample sample;
};

static void *make_link_down(void *arg)
{
	struct making *m = arg;

	if (!sample_do(&m->sample, "make", "%s %s %s", m->device->name,
		       m->device->address, m->fault))
		m->sample.error = ENOENT;
	else
		close(m->sample.fd);
	return NULL;
}

/* True if a message has been received on one of the CQs */
static int is_received(int fd, const struct rdmaev_device *dev)
{
	struct rdmaev_cq_stats list[8];
	struct rdmaev_cqs req = {
		.size = sizeof(req),
		.entry_size = sizeof(list[0]),
		.count = ARRAY_SIZE(list),
		.entries = (uintptr_t)list,
		.device = dev->index,
	};
	unsigned int i;

	if (ioctl(fd, RDMAEV_IOC_CQS, &req))
		return 0;
	for (i = 0; i < req.count && i < ARRAY_SIZE(list); i++) {
		if (list[i].completions[RDMAEV_OPCODE_RECV])
			return 1;
	}
	return 0;
}

/*
 * Without the interface, soft RoCE loses the route to itself, which it reports
 * as a fault of the request, and siw its connections; newer siw keeps them, and
 * messages arrive. So neither has a RETRY_EXC_ERR with PORT_ERR as its cause.
 */
TEST_F_TIMEOUT(device, link_down, 60)
{
	const struct sample_device *dev = variant->device;
	const int is_loc_err = dev == &rxe && kernel_version() < KERNEL(6, 12);
	const int is_kept = dev == &siw && kernel_version() >= KERNEL(6, 12);
	struct making m = { .device = dev, .fault = is_kept ? "link-down-kept" : "link-down" };
	uint64_t end = now_ms() + SOON_MS;
	uint64_t port_err;
	unsigned int expected;
	struct logged l;
	pthread_t thread;

	if (dev == &rxe && kernel_version() < ANSWERS)
		SKIP(return, "soft RoCE of Linux 5.10 never ends what the connection manager "
			     "sends then, and cannot be deleted any more");
	ASSERT_EQ(pthread_create(&thread, NULL, make_link_down, &m), 0);
	while (!is_received(self->fd, &self->dev) && now_ms() < end)
		sleep_ms(20);
	EXPECT_EQ(sh("ip link set %s_d down", dev->name), 0);
	port_err = wait_port_err(&self->dev);
	EXPECT_GT(port_err, 0);
	pthread_join(thread, NULL);
	EXPECT_EQ(m.sample.error, 0);
	EXPECT_STREQ(strstr(m.sample.text, "\nwc ") ?: "",
		     is_loc_err ? "\n" ACTIVE(0, 1) ACTIVE(2, 1) PASSIVE(0, 1) PASSIVE(5, 1) :
		     is_kept ? "\n" ACTIVE(0, 2) PASSIVE(0, 2) :
				  "\n" ACTIVE(0, 1) ACTIVE(5, 1) PASSIVE(0, 1) PASSIVE(5, 1));
	read_log(_metadata, self->fd, &l);
	expected = check_end(_metadata, &l, &m.sample, &self->dev, "active", port_err, "link_down");
	expected += check_end(_metadata, &l, &m.sample, &self->dev, "passive", port_err, "link_down");
	EXPECT_EQ(l.n_wcs, expected);
	EXPECT_EQ(sh("ip link set %s_d up", dev->name), 0);
}

TEST_HARNESS_MAIN
