// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events from all CPUs at once, while listeners, sources and parameters change.
 * All events are delivered or reported lost, up to the last.
 */
#include <sys/sysinfo.h>

#include "cq.h"
#include "race.h"
#include "sim_link.h"

#define FIRST		1000U		/* unknown codes, a range per CPU */
#define CPUS_MAX	16
#define BURSTS		20
#define CQ_ERR		0
#define COMM_EST	4

/* A reader that misses nothing, or gets reports of its losses */
struct taker {
	int fd;
	unsigned int pause_us;
	unsigned int count;		/* events of each CPU in a burst */
	uint64_t total, lost, last;
	unsigned int next[CPUS_MAX];
};

/* True at the last event */
static int take(struct runner *r, const struct rdmaev_record *rec)
{
	struct taker *t = r->data;
	unsigned int cpu, at;

	if (rec->seq <= t->last)
		wrong(r, "seq %llu after %llu", (unsigned long long)rec->seq,
		      (unsigned long long)t->last);
	t->last = rec->seq;
	if (rec->kind == RDMAEV_KIND_LOST) {
		t->lost += rec->body.lost.count;
		return 0;
	}
	if (rec->code == TEST_EVENT)
		return 1;
	t->total++;
	if (rec->code < FIRST || get_nprocs() > CPUS_MAX) {
		wrong(r, "code %u", rec->code);
		return 0;
	}
	at = rec->code - FIRST;
	cpu = at / t->count % get_nprocs();
	at = at / t->count / get_nprocs() * t->count + at % t->count;
	if (at < t->next[cpu])
		wrong(r, "CPU %u: event %u after %u", cpu, at, t->next[cpu] - 1);
	t->next[cpu] = at + 1;
	return 0;
}

/* Some are awake all the time, some sleep in read, some in epoll. */
static void take_on(struct runner *r)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	struct rdmaev_record recs[32];
	struct taker *t = r->data;
	int ep = -1, is_last = 0;
	ssize_t n, i;

	if (fcntl(t->fd, F_GETFL) & O_NONBLOCK) {
		ep = epoll_create1(EPOLL_CLOEXEC);
		if (epoll_ctl(ep, EPOLL_CTL_ADD, t->fd, &ev))
			wrong(r, "epoll");
	}
	while (!is_last) {
		n = read(t->fd, recs, t->pause_us ? 3 * sizeof(recs[0]) : sizeof(recs));
		if (n < 0 && ep >= 0 && errno == EAGAIN) {
			if (epoll_wait(ep, &ev, 1, HANGS_S * 1000) == 1)
				continue;
			wrong(r, "nothing comes");
			break;
		}
		if (n <= 0) {
			wrong(r, "read");
			break;
		}
		for (i = 0; i < n / (ssize_t)sizeof(recs[0]); i++)
			is_last |= take(r, &recs[i]);
		if (t->pause_us)
			usleep(t->pause_us);
	}
	if (ep >= 0)
		close(ep);
}

FIXTURE(cpus) {
	int module;
};

FIXTURE_VARIANT(cpus) {
	const char *context;
	const char *params;
	int is_lossy;
};

FIXTURE_VARIANT_ADD(cpus, process) {
	.context = "process", .params = "",
};

FIXTURE_VARIANT_ADD(cpus, softirq) {
	.context = "softirq", .params = "",
};

FIXTURE_VARIANT_ADD(cpus, hardirq) {
	.context = "hardirq", .params = "",
};

FIXTURE_VARIANT_ADD(cpus, overrun) {
	.context = "mixed", .params = "records=64", .is_lossy = 1,
};

FIXTURE_SETUP(cpus)
{
	self->module = open_module();
	ASSERT_GE(self->module, 0);
	sim_destroy("sim0");
	/* The first is loaded as usual, the second with small rings. */
	ASSERT_EQ(unload_in_time(), 0);
	ASSERT_EQ(load(self->module, variant->params), 0);
	ASSERT_EQ(sim_create("sim0", 1), 0);
	sleep_ms(30);
}

FIXTURE_TEARDOWN(cpus)
{
	sim_destroy("sim0");
	if (unload_in_time() || load(self->module, ""))
		fprintf(stderr, "# the module cannot be loaded again\n");
	close(self->module);
}

TEST_F_TIMEOUT(cpus, at_once, 120)
{
	unsigned int count = rounds(100), all = count * get_nprocs(), i;
	struct taker t[4] = {
		{ .count = count },
		{ .count = count },
		{ .count = count, .pause_us = 300 },
		{ .count = count, .pause_us = 3000 },
	};
	struct runner r[ARRAY_SIZE(t)] = {};
	char mode[32];

	snprintf(mode, sizeof(mode), "cpus=%s", variant->context);
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		t[i].fd = open_node(i % 2 ? O_NONBLOCK : 0);
		ASSERT_GE(t[i].fd, 0);
		ASSERT_EQ(filter_test_events(t[i].fd), 0);
		r[i].number = i;
		ASSERT_EQ(start(&r[i], take_on, &t[i]), 0);
	}
	ASSERT_EQ(asleep(&r[0]), 0);
	for (i = 0; i < BURSTS; i++) {
		ASSERT_EQ(gen(mode, "sim0", FIRST + i * all, 1, count), (long)all);
		usleep(500 * (i % 8));
	}
	ASSERT_EQ(gen("process", "sim0", TEST_EVENT, 1, 1), 1);
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		EXPECT_EQ(ended(&r[i]), 0);
		EXPECT_EQ(t[i].total + t[i].lost, BURSTS * all);
		EXPECT_EQ(get_info(t[i].fd).lost, t[i].lost);
		if (!variant->is_lossy)
			EXPECT_EQ(t[i].lost, 0);
		fprintf(stderr, "# reader %u: %llu records, %llu lost\n", i,
			(unsigned long long)t[i].total, (unsigned long long)t[i].lost);
		close(t[i].fd);
	}
	if (variant->is_lossy)
		EXPECT_GT(t[3].lost, 0);
}

FIXTURE(source) {
	int fd;				/* all records of sim0 */
	struct object qp, cq[2];
};

FIXTURE_SETUP(source)
{
	struct object list[MAX_OBJECTS];
	int i, n, cqs = 0;

	/* A test that was killed has left small rings. */
	if (access(ULP, F_OK)) {
		int module = open_module();

		ASSERT_EQ(unload_in_time(), 0);
		ASSERT_EQ(load(module, ""), 0);
		close(module);
	}
	sim_destroy("sim0");
	ASSERT_EQ(sim_create("sim0", 2), 0);
	ASSERT_EQ(load_ulp(), 0);
	ASSERT_EQ(param("burst_ms", 0), 0);
	sleep_ms(30);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(filter_device(self->fd, "sim0"), 0);
	ASSERT_EQ(ulp_create("sim0", 1), 0);
	n = ulp_objects("sim0", list);
	for (i = 0; i < n; i++) {
		if (!strcmp(list[i].type, "qp"))
			self->qp = list[i];
		if (!strcmp(list[i].type, "cq") && cqs < 2)
			self->cq[cqs++] = list[i];
	}
	ASSERT_EQ(cqs, 2);
	ASSERT_EQ(strcmp(self->qp.type, "qp"), 0);
}

FIXTURE_TEARDOWN(source)
{
	close(self->fd);
	sim_destroy("sim0");
	put(ULP "source", "\n");
	param("burst_ms", 1000);
	param("poll_ms", 30000);
	param("outage_ms", 0);
	param("port_err_ms", 30000);
	param("stall_ms", 10000);
}

/* An object that has events, from a context of its own */
struct raiser {
	const struct object *obj;
	const char *context;
	unsigned int event;
};

#define AT_ONCE	20

static void raise_on(struct runner *r)
{
	const struct raiser *raiser = r->data;

	while (!is_stopped(r)) {
		if (sim_raise(raiser->obj, raiser->event, raiser->context, AT_ONCE))
			wrong(r, "raise");
		else
			r->done += AT_ONCE;
		usleep(200);
	}
}

/* Number of records of a source so far; and number of those of other names */
static unsigned int told_by(int fd, const char *name, uint64_t newest,
			    unsigned int *strange)
{
	struct rdmaev_record rec;
	unsigned int n = 0;

	while (read_one(fd, &rec) == 1) {
		if (rec.kind != RDMAEV_KIND_ASYNC || rec.source != RDMAEV_SOURCE_ULP)
			continue;
		n++;
		*strange += strcmp(rec.body.info.owner, name) || rec.seq > newest;
	}
	return n;
}

/* No records come after a source has been unregistered. */
TEST_F_TIMEOUT(source, unregistered_under_events, 120)
{
	struct raiser raiser[] = {
		{ &self->cq[0], "process", CQ_ERR },
		{ &self->cq[1], "hardirq", CQ_ERR },
		{ &self->qp, "softirq", COMM_EST },
	};
	struct runner r[ARRAY_SIZE(raiser)] = {};
	unsigned int i, n = rounds(60), told = 0, strange = 0;

	ASSERT_EQ(put(ULP "source", "\n"), 0);
	for (i = 0; i < ARRAY_SIZE(r); i++) {
		r[i].number = i;
		ASSERT_EQ(start(&r[i], raise_on, &raiser[i]), 0);
	}
	for (i = 0; i < n; i++) {
		char name[24];

		snprintf(name, sizeof(name), "round %u", i);
		ASSERT_EQ(put(ULP "source", name), 0);
		usleep(1000 * (i % 5));
		/* EIO: one of its handlers still runs. */
		ASSERT_EQ(put(ULP "source", "\n"), 0);
		told += told_by(self->fd, name, get_info(self->fd).newest_seq, &strange);
		usleep(1000);
		EXPECT_EQ(told_by(self->fd, "", 0, &strange), 0);
		ASSERT_EQ(strange, 0);
	}
	for (i = 0; i < ARRAY_SIZE(r); i++)
		EXPECT_EQ(stop(&r[i]), 0);
	fprintf(stderr, "# %u records in %u rounds\n", told, n);
	EXPECT_GT(told, n);
}

static void params_on(struct runner *r)
{
	static const struct {
		const char *name;
		unsigned int value[3];
	} params[] = {
		{ "burst_ms", { 0, 1, 20 } },
		{ "poll_ms", { 0, 1, 15 } },
		{ "outage_ms", { 0, 1, 50 } },
		{ "port_err_ms", { 0, 1, 30000 } },
		{ "stall_ms", { 0, 1, 10000 } },
		{ "note_ms", { 0, 1, 100 } },
	};
	unsigned int i;

	for (i = 0; !is_stopped(r); i++) {
		const char *name = params[i % ARRAY_SIZE(params)].name;
		char path[96], value[16];

		snprintf(path, sizeof(path), "/sys/module/rdmaev/parameters/%s", name);
		snprintf(value, sizeof(value), "%u",
			 params[i % ARRAY_SIZE(params)].value[i / 4 % 3]);
		if (put(path, value))
			wrong(r, "%s", path);
		r->done++;
		usleep(300);
	}
}

/* CQs are created and destroyed, with failures and notifications. */
static void churn_on(struct runner *r)
{
	static const char * const kinds[] = { "created", "attached" };

	while (!is_stopped(r)) {
		if (run("churn sim0 %s 10", kinds[r->done % ARRAY_SIZE(kinds)]) ||
		    result("lost") || result("late"))
			wrong(r, "churn");
		r->done++;
	}
}

/* Sums of the counters of COMM_EST and CQ_ERR: they lose nothing. */
static int count_events(int fd, unsigned long sum[2])
{
	static struct rdmaev_counter list[256];
	struct rdmaev_counters req = {
		.size = sizeof(req),
		.entry_size = sizeof(list[0]),
		.count = ARRAY_SIZE(list),
		.entries = (uintptr_t)list,
		.device = RDMAEV_ANY,
		.port = RDMAEV_ANY,
	};
	unsigned int i;

	sum[0] = 0;
	sum[1] = 0;
	if (ioctl(fd, RDMAEV_IOC_COUNTERS, &req) || req.count > ARRAY_SIZE(list))
		return -1;
	for (i = 0; i < req.count; i++) {
		if (list[i].kind == RDMAEV_KIND_ASYNC &&
		    (list[i].code == COMM_EST || list[i].code == CQ_ERR))
			sum[list[i].code == CQ_ERR] += list[i].count;
	}
	return 0;
}

/* The counts add up, however often the window changes. */
TEST_F_TIMEOUT(source, parameters_changed_under_events, 120)
{
	struct raiser raiser[] = {
		{ &self->qp, "process", COMM_EST },
		{ &self->qp, "hardirq", COMM_EST },
		{ &self->cq[0], "softirq", CQ_ERR },
	};
	unsigned long raised[2] = {}, before[2], sum[2], records = 0;
	struct runner r[ARRAY_SIZE(raiser) + 2] = {};
	unsigned int i, n = rounds(40);
	struct rdmaev_record rec;
	uint64_t end;

	ASSERT_EQ(count_events(self->fd, before), 0);
	for (i = 0; i < ARRAY_SIZE(r); i++) {
		r[i].number = i;
		ASSERT_EQ(start(&r[i], i < ARRAY_SIZE(raiser) ? raise_on :
				i > ARRAY_SIZE(raiser) ? churn_on : params_on,
				i < ARRAY_SIZE(raiser) ? &raiser[i] : NULL), 0);
	}
	for (i = 0; i < n; i++)
		sleep_ms(10);
	for (i = 0; i < ARRAY_SIZE(r); i++)
		EXPECT_EQ(stop(&r[i]), 0);
	raised[0] = r[0].done + r[1].done;
	raised[1] = r[2].done;
	/* Open bursts end in time, and no others begin. */
	end = now_ms() + SOON_MS;
	do {
		while (read_one(self->fd, &rec) == 1) {
			/* A slow machine may not keep up: see the counters. */
			if (rec.kind == RDMAEV_KIND_LOST)
				records += rec.count;
			if (rec.kind == RDMAEV_KIND_ASYNC &&
			    rec.source == RDMAEV_SOURCE_ULP)
				records++;
		}
		sleep_ms(20);
		ASSERT_EQ(count_events(self->fd, sum), 0);
		sum[0] -= before[0];
		sum[1] -= before[1];
	} while (sum[0] + sum[1] < raised[0] + raised[1] && now_ms() < end);
	EXPECT_EQ(sum[0], raised[0]);
	EXPECT_EQ(sum[1], raised[1]);
	EXPECT_LE(records, sum[0] + sum[1]);
	fprintf(stderr, "# %lu events, %lu records, %lu changes, %lu CQs\n",
		sum[0] + sum[1], records, r[3].done, r[4].done * 10);
}

/* A permanent listener gets all records, whoever joins and leaves. */
static void listen_on(struct runner *r)
{
	struct genl_listener *l = r->data;
	struct rdmaev_record rec;
	uint64_t last = 0;

	do {
		if (genl_read(l, &rec, HANGS_S * 1000) != 1) {
			wrong(r, "no message after seq %llu", (unsigned long long)last);
			return;
		}
		if (last && rec.seq != last + 1)
			wrong(r, "seq %llu after %llu", (unsigned long long)rec.seq,
			      (unsigned long long)last);
		last = rec.seq;
		r->done++;
	} while (rec.code != TEST_EVENT);
}

/* They join and leave, or are closed while joined. */
static void join_on(struct runner *r)
{
	struct genl *g = malloc(sizeof(*g));
	unsigned int i;

	for (i = 0; g && !is_stopped(r); i++) {
		uint32_t group;

		/* Some are in namespaces that end with them. */
		if (r->number % 2 && i % 4 == 0 && unshare(CLONE_NEWNET))
			wrong(r, "unshare");
		if (genl_open(g)) {
			wrong(r, "socket");
			break;
		}
		group = i % 2 ? g->group_all : g->group_device;
		if (genl_join(g, group))
			wrong(r, "join");
		if (i % 3 == 0)
			usleep(500);
		if (i % 3 && setsockopt(g->fd, SOL_NETLINK, NETLINK_DROP_MEMBERSHIP, &group,
					sizeof(group)))
			wrong(r, "leave");
		genl_close(g);
		r->done++;
	}
	free(g);
}

static int listen_in(struct genl_listener *l, uint64_t next, int is_elsewhere)
{
	int here = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	int ret;

	ret = (is_elsewhere && unshare(CLONE_NEWNET)) ||
	      genl_listener_open(l, next, !is_elsewhere) || setns(here, CLONE_NEWNET);
	close(here);
	return ret;
}

TEST_F_TIMEOUT(source, listeners_come_and_go, 120)
{
	struct genl_listener *l = calloc(2, sizeof(*l));
	uint64_t next = get_info(self->fd).newest_seq + 1;
	struct runner r[4] = {};
	unsigned int i, n = rounds(100);

	ASSERT_NE(l, NULL);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(listen_in(&l[i], next, i), 0);
		r[i].number = i;
		ASSERT_EQ(start(&r[i], listen_on, &l[i]), 0);
	}
	for (i = 2; i < ARRAY_SIZE(r); i++) {
		r[i].number = i;
		ASSERT_EQ(start(&r[i], join_on, NULL), 0);
	}
	for (i = 0; i < n; i++) {
		ASSERT_GT(gen("cpus=mixed", "sim0", FIRST, 1, 1 + i % 10), i % 10);
		if (i % 4 == 0)
			usleep(1000);
	}
	EXPECT_EQ(stop(&r[2]), 0);
	EXPECT_EQ(stop(&r[3]), 0);
	ASSERT_EQ(gen("process", "sim0", TEST_EVENT, 1, 1), 1);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(ended(&r[i]), 0);
		EXPECT_GT(r[i].done, 5 * n);
		genl_listener_close(&l[i]);
	}
	fprintf(stderr, "# %lu records, %lu and %lu others\n", r[0].done, r[2].done,
		r[3].done);
	free(l);
}

TEST_HARNESS_MAIN
