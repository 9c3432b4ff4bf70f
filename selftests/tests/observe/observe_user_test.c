// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a user without privilege does costs only himself: storms of events of
 * processes are few records with exact counts, and evict none of ULPs and
 * devices.
 */
#include <errno.h>
#include <poll.h>
#include <sys/wait.h>

#include "common.h"
#include "kselftest_harness.h"
#include "cq.h"
#include "program.h"

#define DEV "obs0"

/* More than a ring keeps, or a budget has */
#define MORE 100

/* Of the same event of a process: records before the others are folded */
#define SINGLES 16

/* Records of a user at once */
#define BUDGET 256

#define ULP_RECORDS 3

static int ready(void)
{
	return !load_observer("") && !rxe_add(DEV);
}

/* Failed requests: as many records */
static int refused_requests(struct program *p, unsigned int n)
{
	while (n--) {
		if (!move(p->qp[0], IBV_QPS_RTS))
			return 1;
	}
	return 0;
}

/* The test raises errors of its CQ meanwhile, see as_user(). */
static int overflow(struct program *p, unsigned int n)
{
	(void)p;
	(void)n;
	return raise(SIGSTOP);
}

/* Errors of the CQ of a process, from the driver */
static int raise_errors(pid_t pid, unsigned int n)
{
	return sh("cq=$(rdma resource show cq dev " DEV " -j | "
		  "jq '.[] | select(.pid == %d) | .cqn') && "
		  "echo " DEV " cq $cq %u %u >" GEN_RAISE,
		  pid, RDMAEV_ASYNC_CQ_ERR, n);
}

/* More QPs than an event of them has records */
static int many_qps(struct program *p, unsigned int n)
{
	/* It has two */
	for (n -= 2; n; n--) {
		if (!program_qp(p, p->cq))
			return 1;
	}
	return 0;
}

/* Run a storm as a user without privilege, in a process that exits. Returns 0. */
static int as_user(uid_t uid, int (*storm)(struct program *p, unsigned int n), unsigned int n)
{
	int status = -1, failed = 0;
	pid_t pid = fork();

	if (!pid) {
		struct program p = {};

		if (setgid(uid) || setuid(uid) || !program_begin(&p, DEV, 0))
			_exit(2);
		_exit(storm(&p, n));
	}
	while (waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status)) {
		failed = raise_errors(pid, n);
		kill(pid, SIGCONT);
	}
	return failed ? failed : status;
}

/* Counters of the device: of an event, and of QPs that ended with their process */
static uint64_t counted(const char *event)
{
	char command[256], text[32] = "";
	FILE *f;

	snprintf(command, sizeof(command), "rdmaev stats -j " DEV " | jq '[.counters[], "
		 ".ports[].counters[] | select(.event == \"%s\" or .event == \"QP_DESTROY\")"
		 ".count] | add // 0'", event);
	f = popen(command, "r");
	if (!f || !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		pclose(f);
	return strtoull(text, NULL, 10);
}

/* What the log has of a storm */
struct seen {
	uint64_t records;	/* with a record of their own */
	uint64_t folded;	/* counted by others */
	uint64_t ended;		/* QPs that ended with their process */
	uint64_t suppressed;
	unsigned int suppressions;	/* records of that */
	uint64_t lost;
	uint64_t all;		/* records of the log, lost ones, too */
	unsigned int ulp;	/* of the ULP */
};

FIXTURE(user) {
	/* Of a ULP: a failed request, QP_ERR, and what follows from that */
	struct rdmaev_record ulp[ULP_RECORDS];
	struct rdmaev_info info;
	uint64_t begin;
	int sim, fd;			/* fd is at begin */
};

FIXTURE_SETUP(user)
{
	uint32_t index, generation;

	ASSERT_TRUE(ready());
	ASSERT_EQ(load_module("rdmaev_ulp"), 0);
	ASSERT_EQ(open_sim0(&self->sim, &index, &generation), 0);
	self->begin = get_info(self->sim).newest_seq;
	ASSERT_EQ(filter_kinds(self->sim, 1U << RDMAEV_KIND_QP | 1U << RDMAEV_KIND_WC), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	ASSERT_EQ(run("hold sim0 bad"), 0);
	ASSERT_EQ(run("hold sim0 poll 16"), 0);
	ASSERT_EQ(run("hold sim0 destroy"), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	ASSERT_EQ(run("hold sim0 recv 5"), 0);
	ASSERT_EQ(run("hold sim0 error"), 0);
	ASSERT_EQ(run("hold sim0 poll 16"), 0);
	ASSERT_EQ(run("hold sim0 flushed"), 0);
	ASSERT_EQ(read(self->sim, self->ulp, sizeof(self->ulp)), (ssize_t)sizeof(self->ulp));
	ASSERT_EQ(self->ulp[0].kind, RDMAEV_KIND_WC);
	ASSERT_EQ(self->ulp[0].ring, RDMAEV_RING_ERROR);
	ASSERT_EQ(self->ulp[1].kind, RDMAEV_KIND_QP);
	ASSERT_EQ(self->ulp[1].ring, RDMAEV_RING_INFO);
	ASSERT_EQ(self->ulp[2].kind, RDMAEV_KIND_WC);
	ASSERT_EQ(self->ulp[2].cause, self->ulp[1].seq);
	ASSERT_EQ(run("hold sim0 destroy"), 0);
	self->info = get_info(self->sim);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(lseek(self->fd, self->begin + 1, SEEK_SET), (off_t)self->begin + 1);
}

FIXTURE_TEARDOWN(user)
{
	EXPECT_EQ(param("burst_ms", 1000), 0);
	rxe_del(DEV);
	close(self->fd);
	close_sim0(self->sim);
}

FIXTURE_VARIANT(user) {
	int (*storm)(struct program *p, unsigned int n);
	const char *event;
	unsigned int kind, code;
	uid_t uid;	/* of the first of its users: each test has others, whose budget is whole */
};

FIXTURE_VARIANT_ADD(user, requests) {
	.storm = refused_requests,
	.event = "QP_RTS",
	.kind = RDMAEV_KIND_QP,
	.code = RDMAEV_QP_RTS,
	.uid = 50000,
};

FIXTURE_VARIANT_ADD(user, overflow) {
	.storm = overflow,
	.event = "CQ_ERR",
	.kind = RDMAEV_KIND_ASYNC,
	.code = RDMAEV_ASYNC_CQ_ERR,
	.uid = 60000,
};

static bool is_of_ulp(const struct _test_data_user *self, const struct rdmaev_record *r)
{
	unsigned int i;

	for (i = 0; i < ULP_RECORDS; i++) {
		if (!memcmp(r, &self->ulp[i], sizeof(*r)))
			return true;
	}
	return false;
}

/* Add what is there to read, with what was suppressed of @uid. */
static void look(struct _test_data_user *self, struct __test_metadata *_metadata,
		 const struct _fixture_variant_user *variant, uid_t uid, struct seen *seen)
{
	static struct rdmaev_record recs[64];
	const struct rdmaev_record *r;
	ssize_t n;

	while ((n = read(self->fd, recs, sizeof(recs))) > 0) {
		for (r = recs; r < recs + n / sizeof(*r); r++) {
			seen->all++;
			seen->ulp += is_of_ulp(self, r);
			if (r->kind == RDMAEV_KIND_LOST) {
				EXPECT_EQ(r->ring, RDMAEV_RING_USER);
				seen->lost += r->count;
				seen->all += r->count - 1;
			}
			if (r->kind == RDMAEV_KIND_OBSERVER &&
			    r->code == RDMAEV_OBSERVER_SUPPRESSED &&
			    r->body.info.uid == uid) {
				EXPECT_EQ(r->ring, RDMAEV_RING_USER);
				EXPECT_EQ(r->severity, RDMAEV_SEVERITY_WARNING);
				EXPECT_EQ(r->body.info.known, RDMAEV_KNOWN_UID);
				/* At most one a second */
				EXPECT_GE(r->body.observer.time_ns, 1000000000);
				seen->suppressed += r->count;
				seen->suppressions++;
			}
			if (r->kind == RDMAEV_KIND_QP && r->code == RDMAEV_QP_DESTROY)
				seen->ended += r->count;
			if (r->kind != variant->kind || r->code != variant->code ||
			    r->ring != RDMAEV_RING_USER)
				continue;
			EXPECT_TRUE(r->body.info.known & RDMAEV_KNOWN_UID);
			if (r->count == 1 && !r->cause)
				seen->records++;
			else
				seen->folded += r->count;
		}
	}
	EXPECT_EQ(errno, EAGAIN);
}

/* ... to the end of the log, and then it has seen all of it */
static void look_to_end(struct _test_data_user *self, struct __test_metadata *_metadata,
			const struct _fixture_variant_user *variant, uid_t uid,
			struct seen *seen)
{
	uint64_t end;

	do {
		end = get_info(self->fd).newest_seq;
		look(self, _metadata, variant, uid, seen);
	} while (get_info(self->fd).newest_seq != end);
	EXPECT_EQ(seen->all, end - self->begin);
	EXPECT_EQ(seen->ulp, ULP_RECORDS);
}

/* ... until all that is counted is there: within a second, or when there is time */
static void look_for(struct _test_data_user *self, struct __test_metadata *_metadata,
		     const struct _fixture_variant_user *variant, uid_t uid, uint64_t least,
		     struct seen *seen)
{
	struct pollfd fd = { .fd = self->fd, .events = POLLIN };
	uint64_t sum, all;

	do {
		look(self, _metadata, variant, uid, seen);
		sum = seen->records + seen->folded + seen->ended + seen->suppressed;
		all = counted(variant->event);
	} while ((sum < least || sum != all) && poll(&fd, 1, 60000) > 0);
	EXPECT_EQ(sum, all);
	EXPECT_GE(sum, least);
}

/* Longer than the test: the end of the device is that of the burst. */
#define MINUTES 600000

/* The same of one process is few records, and their count. */
TEST_F_TIMEOUT(user, folded, 180)
{
	unsigned int n = self->info.ring_records + MORE;
	struct seen seen = {};

	ASSERT_EQ(param("burst_ms", MINUTES), 0);
	ASSERT_EQ(as_user(variant->uid, variant->storm, n), 0);
	ASSERT_EQ(rxe_del(DEV), 0);
	look_to_end(self, _metadata, variant, variant->uid, &seen);
	EXPECT_EQ(seen.records, SINGLES);
	EXPECT_EQ(seen.records + seen.folded, n);
	EXPECT_EQ(seen.suppressed, 0);
	EXPECT_EQ(seen.lost, 0);
}

static uint64_t log_begin;

/*
 * Reads the log as the user that it is. Returns 0 if it has @n records of what was
 * suppressed.
 */
static int reads_suppressed(struct program *p, unsigned int n)
{
	struct rdmaev_record r;
	int fd = open_node(O_NONBLOCK);

	if (fd < 0 || lseek(fd, log_begin + 1, SEEK_SET) < 0)
		return 1;
	while (read(fd, &r, sizeof(r)) > 0) {
		if (r.kind != RDMAEV_KIND_OBSERVER || r.code != RDMAEV_OBSERVER_SUPPRESSED)
			continue;
		if (r.body.info.uid != getuid())
			return 1;
		n--;
	}
	return n != 0;
}

/* What is above the budget of a user is suppressed, and counted. */
TEST_F_TIMEOUT(user, suppressed, 180)
{
	unsigned int n = self->info.ring_records + MORE;
	uid_t uid = variant->uid + 1;
	struct seen seen = {};

	ASSERT_EQ(param("burst_ms", 0), 0);
	ASSERT_EQ(as_user(uid, variant->storm, n), 0);
	look_for(self, _metadata, variant, uid, n, &seen);
	look_to_end(self, _metadata, variant, uid, &seen);
	EXPECT_EQ(seen.folded, 0);
	EXPECT_GE(seen.records, BUDGET);
	EXPECT_GT(seen.suppressed, 0);
	EXPECT_EQ(seen.lost, 0);
	/* Seen by that user, by no other */
	log_begin = self->begin;
	EXPECT_EQ(as_user(uid, reads_suppressed, seen.suppressions), 0);
	EXPECT_EQ(as_user(uid + 1, reads_suppressed, 0), 0);
}

/*
 * What is repeated takes nothing of the last half of a budget: it is folded, and the
 * first of each process is recorded.
 */
TEST_F_TIMEOUT(user, repeated, 180)
{
	unsigned int i, n = SINGLES + 1, processes = 40;
	/* Those before half of it is used up: each has the ends of two QPs, too */
	unsigned int whole = BUDGET / 2 / (SINGLES + 2);
	struct seen seen = {};

	ASSERT_EQ(param("burst_ms", MINUTES), 0);
	for (i = 0; i < processes; i++)
		ASSERT_EQ(as_user(variant->uid + 4, variant->storm, n), 0);
	ASSERT_EQ(rxe_del(DEV), 0);
	look_to_end(self, _metadata, variant, variant->uid + 4, &seen);
	EXPECT_EQ(seen.records + seen.folded, n * processes);
	EXPECT_GE(seen.records, whole * SINGLES + processes - whole);
	EXPECT_GE(seen.folded, processes);
	EXPECT_EQ(seen.suppressed, 0);
}

/* Many users evict each other's, and nobody else's. */
TEST_F_TIMEOUT(user, many_users, 180)
{
	unsigned int i, users = self->info.ring_records / BUDGET + 2;
	struct seen seen = {};

	ASSERT_EQ(param("burst_ms", 0), 0);
	for (i = 0; i < users; i++)
		ASSERT_EQ(as_user(variant->uid + 10 + i, variant->storm, BUDGET + MORE), 0);
	look_to_end(self, _metadata, variant, 0, &seen);
	EXPECT_GT(seen.records, self->info.ring_records / 2);
	EXPECT_GT(seen.lost, 0);
}

/* The record of those that are folded names no object if they had several. */
TEST_F_TIMEOUT(user, many_qps, 60)
{
	struct rdmaev_record r;
	uint64_t first = 0;
	unsigned int n = 0;

	ASSERT_EQ(param("burst_ms", MINUTES), 0);
	ASSERT_EQ(as_user(variant->uid + 3, many_qps, SINGLES + 24), 0);
	ASSERT_EQ(rxe_del(DEV), 0);
	while (read(self->fd, &r, sizeof(r)) > 0) {
		if (r.kind != RDMAEV_KIND_QP || r.code != RDMAEV_QP_DESTROY)
			continue;
		EXPECT_EQ(r.body.info.uid, variant->uid + 3);
		EXPECT_EQ(r.count, n < SINGLES ? 1 : 24);
		EXPECT_EQ(r.cause, n < SINGLES ? 0 : first);
		EXPECT_EQ(!r.object, n == SINGLES);
		EXPECT_EQ(!(r.body.info.known & RDMAEV_KNOWN_OBJECT), n == SINGLES);
		EXPECT_EQ(!(r.body.info.known & RDMAEV_KNOWN_QP_TYPE), n == SINGLES);
		if (!n++)
			first = r.seq;
	}
	EXPECT_EQ(n, SINGLES + 1);
}

/* What a ULP asks for its QP is never folded. */
TEST_F(user, kernel_moves)
{
	unsigned int i, n = 0;
	struct rdmaev_record r;

	ASSERT_EQ(param("burst_ms", MINUTES), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	for (i = 0; i < SINGLES + 2; i++) {
		ASSERT_EQ(run("hold sim0 error"), 0);
		ASSERT_EQ(run("hold sim0 reset"), 0);
	}
	while (read(self->sim, &r, sizeof(r)) == sizeof(r)) {
		EXPECT_EQ(r.count, 1);
		n += r.kind == RDMAEV_KIND_QP && r.code == RDMAEV_QP_ERR;
	}
	EXPECT_EQ(n, SINGLES + 2);
	ASSERT_EQ(run("hold sim0 destroy"), 0);
}

TEST_HARNESS_MAIN
