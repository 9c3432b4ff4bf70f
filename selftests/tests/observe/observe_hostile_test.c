// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A user does, in eight processes, all that costs others something if it can. Meanwhile
 * a ULP and a program of another user have failures: all of these are on record,
 * with owner and cause, nothing is lost, and what the user did is on record or counted
 * as suppressed, exactly.
 *
 * For $HOSTILE_SECONDS, 3 without it. The times of a reader of root, and the memory in
 * use, are printed.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "common.h"
#include "kselftest_harness.h"
#include "genl.h"
#include "program.h"
#include "ucm.h"
#include "victim.h"

#define DEV "obs0"
#define ADDRESS "10.9.9.1"
#define FOREIGN "10.9.9.77"

#define HOSTILE_UID 60300
#define VICTIM_UID 60301

/* More than its share */
#define IDS 9000
#define FILES 1200

/* QPs at a time */
#define QPS 100

/**
 * struct shared - what all processes see
 * @stop: the user's processes end
 * @ready: number of them that have begun
 * @happened: events of objects of the user
 * @failed: line of an attack that did not do what it should
 * @laps: how often each attack was repeated
 */
struct shared {
	int stop;
	int ready;
	uint64_t happened;
	int failed;
	uint64_t laps[8];
};

static struct shared *shared;
static uint32_t victim_qpn;

static int goes_on(void)
{
	return !__atomic_load_n(&shared->stop, __ATOMIC_RELAXED);
}

static void happened(unsigned int n)
{
	__atomic_add_fetch(&shared->happened, n, __ATOMIC_RELAXED);
}

static int is_root(void)
{
	return !getuid();
}

/* In one of the user's processes */
#define MUST(x) do {						\
	if (!(x)) {						\
		shared->failed = __LINE__;			\
		_exit(1);					\
	}							\
} while (0)

static void refuse_requests(uint64_t *laps)
{
	struct program p = {};

	MUST(program_begin(&p, DEV, 0));
	while (goes_on()) {
		MUST(move(p.qp[0], IBV_QPS_RTS));
		happened(1);
		++*laps;
	}
	program_end(&p);
}

/* Two requests are flushed, and there is room for one. */
static void overflow_cqs(uint64_t *laps)
{
	struct ibv_recv_wr recv = {}, *bad;
	struct ibv_async_event event;
	struct program p = {};
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	MUST(program_begin(&p, DEV, 0));
	while (goes_on()) {
		cq = ibv_create_cq(p.ctx, 1, NULL, NULL, 0);
		qp = cq ? program_qp(&p, cq) : NULL;
		MUST(qp && !to_init(qp) && !ibv_post_recv(qp, &recv, &bad) &&
		     !ibv_post_recv(qp, &recv, &bad) && !move(qp, IBV_QPS_ERR));
		MUST(!ibv_get_async_event(p.ctx, &event));
		MUST(event.event_type == IBV_EVENT_CQ_ERR);
		ibv_ack_async_event(&event);
		happened(2);
		MUST(!ibv_destroy_qp(qp) && !ibv_destroy_cq(cq));
		++*laps;
	}
	program_end(&p);
}

static void claim_qps(uint64_t *laps)
{
	while (goes_on()) {
		MUST(!refused(ADDRESS, getuid(), victim_qpn, 1));
		happened(1);
		++*laps;
	}
}

static void make_qps(uint64_t *laps)
{
	struct ibv_qp *qp[QPS];
	struct program p = {};
	int i;

	MUST(program_begin(&p, DEV, 0));
	while (goes_on()) {
		for (i = 0; i < QPS; i++) {
			qp[i] = program_qp(&p, p.cq);
			MUST(qp[i] && !to_init(qp[i]) && !move(qp[i], IBV_QPS_ERR));
			happened(1);
		}
		for (i = 0; i < QPS; i++)
			MUST(!ibv_destroy_qp(qp[i]));
		++*laps;
	}
	program_end(&p);
}

static void bind_ids(uint64_t *laps)
{
	struct rdma_ucm_bind_ip bind = { .addr = { .sin6_family = AF_INET } };
	static int id[IDS];
	int fd, i, n = 0;

	inet_pton(AF_INET, FOREIGN, &((struct sockaddr_in *)&bind.addr)->sin_addr);
	fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
	MUST(fd >= 0);
	for (; goes_on() && n < IDS; n++) {
		id[n] = ucm_id(fd);
		MUST(id[n] >= 0);
		bind.id = id[n];
		MUST(ucm(fd, RDMA_USER_CM_CMD_BIND_IP, &bind, sizeof(bind), 0));
		++*laps;
	}
	for (i = 0; goes_on(); i = (i + 1) % n) {
		bind.id = id[i];
		MUST(ucm(fd, RDMA_USER_CM_CMD_BIND_IP, &bind, sizeof(bind), 0));
		++*laps;
	}
	close(fd);
}

static void wait_with_readers(uint64_t *laps)
{
	static struct pollfd p[FILES];
	int i, n;

	for (n = 0; n < FILES; n++) {
		struct rdmaev_filter f = filter_all();

		p[n] = (struct pollfd) { .fd = open_node(O_NONBLOCK), .events = POLLIN };
		if (p[n].fd < 0)
			break;
		/* None of these passes, but each is looked at. */
		f.flags = RDMAEV_FILTER_OBJECT;
		f.object = 0xabcdef;
		MUST(!ioctl(p[n].fd, RDMAEV_IOC_FILTER, &f));
	}
	MUST(is_root() ? n == FILES : n < FILES && errno == EMFILE);
	while (goes_on()) {
		MUST(poll(p, n, 0) >= 0);
		for (i = 0; i < n; i += 16)
			MUST(lseek(p[i].fd, 0, SEEK_SET) >= 0);
		++*laps;
	}
}

static void ask_for_lists(uint64_t *laps)
{
	static struct rdmaev_cq_stats cqs[64];
	struct rdmaev_device dev;
	/* In the other process are as many as there may be. */
	int fd = -1;

	while (fd < 0 && goes_on())
		fd = open_node(O_NONBLOCK);
	while (goes_on()) {
		struct rdmaev_counters counters = {
			.size = sizeof(counters),
			.flags = RDMAEV_COUNTERS_REMOVED,
			.entry_size = sizeof(struct rdmaev_counter),
			.device = RDMAEV_ANY,
			.port = RDMAEV_ANY,
		};
		struct rdmaev_cqs list = {
			.size = sizeof(list),
			.entry_size = sizeof(*cqs),
			.count = ARRAY_SIZE(cqs),
			.entries = (uintptr_t)cqs,
			.device = RDMAEV_ANY,
		};
		struct rdmaev_notify notify = { .size = sizeof(notify), .every = 1 };

		MUST(!ioctl(fd, RDMAEV_IOC_COUNTERS, &counters));
		MUST(!ioctl(fd, RDMAEV_IOC_CQS, &list));
		list.flags = RDMAEV_CQS_SUMS;
		MUST(!ioctl(fd, RDMAEV_IOC_CQS, &list));
		MUST(find_device(fd, DEV, &dev));
		notify.device = dev.index;
		MUST(ioctl(fd, RDMAEV_IOC_NOTIFY, &notify));
		++*laps;
	}
	close(fd);
}

static void read_history(uint64_t *laps)
{
	static struct genl g;

	while (goes_on()) {
		MUST(!genl_open(&g));
		genl_begin(&g, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
		MUST(!genl_send(&g));
		genl_next(&g);
		genl_close(&g);
		++*laps;
	}
}

static const struct {
	const char *name;
	void (*fn)(uint64_t *laps);
} attacks[] = {
	{ "refused requests", refuse_requests },
	{ "overflows of CQs", overflow_cqs },
	{ "connections with a QP of another user", claim_qps },
	{ "times 100 QPs", make_qps },
	{ "ids bound", bind_ids },
	{ "times all readers armed", wait_with_readers },
	{ "times all lists", ask_for_lists },
	{ "dumps of history", read_history },
};

FIXTURE(hostile) {
	int fd;
	uint64_t begin;
	struct victim victim;
	pid_t pid[ARRAY_SIZE(attacks)];
};

FIXTURE_VARIANT(hostile) {
	uid_t uid;
	int namespaces;
};

FIXTURE_VARIANT_ADD(hostile, user) {
	.uid = HOSTILE_UID,
};

FIXTURE_VARIANT_ADD(hostile, root_of_namespaces) {
	.uid = HOSTILE_UID,
	.namespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS,
};

/* An administrator of the host, who has fewer limits */
FIXTURE_VARIANT_ADD(hostile, root_without_user_namespace) {
	.uid = 0,
	.namespaces = CLONE_NEWPID | CLONE_NEWNS,
};

FIXTURE_SETUP(hostile)
{
	struct rlimit limit = { .rlim_cur = 2 * FILES, .rlim_max = 2 * FILES };

	ASSERT_TRUE(victim_ready(DEV, ADDRESS));
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(shared, MAP_FAILED);
	self->victim = victim_begin(DEV, VICTIM_UID);
	ASSERT_GE(self->victim.fd, 0);
	victim_qpn = self->victim.qpn;
	ASSERT_TRUE(ulp_begin());
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	self->begin = get_info(self->fd).newest_seq + 1;
}

FIXTURE_TEARDOWN(hostile)
{
	EXPECT_EQ(victim_end(&self->victim), 0);
	EXPECT_TRUE(ulp_end());
	close(self->fd);
	rxe_del(DEV);
}

/* Continue as the first process of a new pid namespace. */
static void begin_pid_namespace(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid)
		_exit(waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : 2);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		_exit(2);
}

static pid_t attack(unsigned int i, uid_t uid, int namespaces)
{
	pid_t pid = fork();

	if (!pid) {
		if (setgid(uid) || setuid(uid) || prctl(PR_SET_PDEATHSIG, SIGKILL) ||
		    unshare(namespaces))
			_exit(2);
		if (namespaces & CLONE_NEWPID)
			begin_pid_namespace();
		__atomic_add_fetch(&shared->ready, 1, __ATOMIC_RELAXED);
		attacks[i].fn(&shared->laps[i]);
		_exit(0);
	}
	return pid;
}

/* Memory of the kernel, in kB */
static long kernel_memory(void)
{
	char line[128], name[32];
	long kb, sum = 0;
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%31[^:]: %ld", name, &kb) == 2 &&
		    (!strcmp(name, "Slab") || !strcmp(name, "VmallocUsed") ||
		     !strcmp(name, "Percpu")))
			sum += kb;
	}
	if (f)
		fclose(f);
	return sum;
}

/**
 * struct findings - what is on record
 * @of_ulp: failures of the ULP, with their causes
 * @of_victim: the same of the other user
 * @others: events of other objects
 * @suppressed: events of others that were suppressed
 * @wrong: records that should not be
 */
struct findings {
	uint64_t of_ulp;
	uint64_t of_victim;
	uint64_t others;
	uint64_t suppressed;
	uint64_t wrong;
};

/* Of a QP, after its CQ: does the failure follow from that of the CQ? */
static int follows(const struct rdmaev_record *r, uint64_t *error)
{
	if (r->code == RDMAEV_ASYNC_CQ_ERR) {
		*error = r->seq;
		return 0;
	}
	return r->code == RDMAEV_ASYNC_QP_FATAL && r->cause == *error;
}

static struct findings find(int fd, uint64_t begin, const struct victim *victim)
{
	uint64_t ulp_error = 0, victim_error = 0;
	struct findings found = {};
	struct rdmaev_record r;

	lseek(fd, begin, SEEK_SET);
	while (read(fd, &r, sizeof(r)) == sizeof(r)) {
		switch (r.kind) {
		case RDMAEV_KIND_LOST:
			found.wrong++;
			break;
		case RDMAEV_KIND_OBSERVER:
			if (r.code == RDMAEV_OBSERVER_SUPPRESSED)
				found.suppressed += r.count;
			break;
		case RDMAEV_KIND_ASYNC:
			if (!(r.body.info.known & RDMAEV_KNOWN_UID))
				found.of_ulp += follows(&r, &ulp_error);
			else if (r.body.info.uid == VICTIM_UID)
				found.of_victim += follows(&r, &victim_error);
			else
				found.others += r.count;
			break;
		case RDMAEV_KIND_QP:
		case RDMAEV_KIND_CM:
			/* Nobody else does anything. */
			found.others += r.count;
			if (r.kind == RDMAEV_KIND_CM && r.object == victim->qpn)
				found.wrong++;
			break;
		}
	}
	return found;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

/* Has each attack been repeated? */
static int all_repeated(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(attacks); i++)
		n += __atomic_load_n(&shared->laps[i], __ATOMIC_RELAXED) > 0;
	return n == ARRAY_SIZE(attacks);
}

/* Rounds at most: some each second */
#define ROUNDS 1024

/* From an event to its reader, in us, in rounds; and the failures. Returns rounds. */
static unsigned int fail_for(unsigned int ms, const struct victim *victim, uint64_t *us)
{
	struct rdmaev_filter f = filter_all();
	uint64_t end = now_ms() + ms;
	unsigned int rounds = 0;
	struct rdmaev_record r;
	struct timespec now;
	struct pollfd p;

	p = (struct pollfd) { .fd = open_node(O_NONBLOCK), .events = POLLIN };
	f.kinds = 1 << RDMAEV_KIND_ASYNC;
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1 << RDMAEV_ASYNC_QP_FATAL);
	if (ioctl(p.fd, RDMAEV_IOC_FILTER, &f))
		return 0;
	do {
		if (poll(&p, 1, 0) || ulp_raise("cq", RDMAEV_ASYNC_CQ_ERR) ||
		    ulp_raise("qp", RDMAEV_ASYNC_QP_FATAL) || poll(&p, 1, SOON_MS) != 1)
			return 0;
		clock_gettime(CLOCK_BOOTTIME, &now);
		if (read(p.fd, &r, sizeof(r)) != (ssize_t)sizeof(r))
			return 0;
		us[rounds++] = (now.tv_sec * 1000000000ULL + now.tv_nsec - r.boottime_ns) / 1000;
		if (victim_raise(victim, "cq", RDMAEV_ASYNC_CQ_ERR) ||
		    victim_raise(victim, "qp", RDMAEV_ASYNC_QP_FATAL) ||
		    poll(&p, 1, SOON_MS) != 1 || read(p.fd, &r, sizeof(r)) != (ssize_t)sizeof(r))
			return 0;
		/* What a user may cause goes for this one, too. */
		sleep_ms(250);
	} while (rounds < ROUNDS && now_ms() < end);
	close(p.fd);
	qsort(us, rounds, sizeof(*us), compare);
	return rounds;
}

TEST_F_TIMEOUT(hostile, costs_itself, 300)
{
	const char *seconds = getenv("HOSTILE_SECONDS");
	unsigned int ms = (seconds ? atoi(seconds) : 3) * 1000, before, rounds, i;
	static uint64_t us[ROUNDS];
	struct findings found;
	int tries = SOON_MS / 500;
	long memory[3];

	before = fail_for(2000, &self->victim, us);
	ASSERT_GT(before, 0);
	TH_LOG("alone: median %lu us, longest %lu us", us[before / 2], us[before - 1]);
	memory[0] = kernel_memory();
	for (i = 0; i < ARRAY_SIZE(attacks); i++)
		self->pid[i] = attack(i, variant->uid, variant->namespaces);
	while (__atomic_load_n(&shared->ready, __ATOMIC_RELAXED) < (int)ARRAY_SIZE(attacks))
		sleep_ms(10);
	rounds = fail_for(ms, &self->victim, us);
	ASSERT_GT(rounds, 0);
	TH_LOG("beside them: median %lu us, longest %lu us", us[rounds / 2], us[rounds - 1]);
	memory[1] = kernel_memory();
	for (i = 0; !all_repeated() && !shared->failed && i < SOON_MS / 10; i++)
		sleep_ms(10);
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(attacks); i++) {
		EXPECT_EQ(join_child(self->pid[i], SOON_MS), 0)
			TH_LOG("%s", attacks[i].name);
		EXPECT_GT(shared->laps[i], 0)
			TH_LOG("%s", attacks[i].name);
		TH_LOG("%lu %s", shared->laps[i], attacks[i].name);
	}
	EXPECT_EQ(shared->failed, 0);
	memory[2] = kernel_memory();
	TH_LOG("kernel memory: %ld kB, %ld kB, %ld kB", memory[0], memory[1], memory[2]);

	/* What is folded or suppressed is on record within about two seconds. */
	do {
		sleep_ms(500);
		found = find(self->fd, self->begin, &self->victim);
	} while (found.others + found.suppressed < shared->happened && tries--);
	sleep_ms(2500);
	found = find(self->fd, self->begin, &self->victim);
	EXPECT_EQ(found.others + found.suppressed, shared->happened);
	EXPECT_EQ(found.of_ulp, before + rounds);
	EXPECT_EQ(found.of_victim, before + rounds);
	EXPECT_EQ(found.wrong, 0);
	TH_LOG("%lu events: %lu on record, %lu suppressed", shared->happened, found.others,
	       found.suppressed);
}

TEST_HARNESS_MAIN
