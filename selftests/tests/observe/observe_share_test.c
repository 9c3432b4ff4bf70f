// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Users have shares of what is kept about processes. Who needs more loses by it, and
 * nobody else does; who can be many users has one share.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>

#include "share.h"

/* No address of this host */
#define FOREIGN "10.9.8.77"

/* Ids of a user that are known, and some more */
#define SHARE 8192

/* What root becomes */
#define LATER_UID 60203

/* Who has others, from this one on, in a user namespace */
#define OWNER_UID 60202
#define FIRST_SUBUID 100000

/* Records of a user at once, and in each second after that */
#define RECORDS 256
#define RECORDS_SEC 16

/* Has @n ids, and asks for each to be bound, which fails, each time that it is asked */
static int use_ids(unsigned int n, int from, int to)
{
	static int id[SHARE + MORE];
	unsigned int i;
	char byte;
	int fd;

	fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
	for (i = 0; i < n; i++) {
		id[i] = ucm_id(fd);
		if (id[i] < 0)
			return 3;
	}
	while (read(from, &byte, 1) == 1) {
		for (i = 0; i < n; i++) {
			if (!ucm_bind(fd, id[i], FOREIGN, 0))
				return 4;
		}
		if (write(to, &byte, 1) != 1)
			return 5;
	}
	return 0;
}

/* As @uid: what was missed of the greedy user. Returns 0 if that is @count. */
static int sees_missed(uid_t uid, uint64_t begin, uint64_t upto, uint64_t count)
{
	int status = -1, fd;
	pid_t pid = fork();

	if (!pid) {
		if (setgid(uid) || setuid(uid))
			_exit(2);
		fd = open_node(O_NONBLOCK);
		if (fd < 0 || lseek(fd, begin + 1, SEEK_SET) < 0)
			_exit(3);
		_exit(missed(fd, RDMAEV_OBSERVED_CONNECTION_OWNERS, upto) != count);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* A refused connection of @uid: its record */
static struct rdmaev_record refuse(int fd, uid_t uid)
{
	lseek(fd, 0, SEEK_END);
	if (refused(ADDRESS, uid, 0, 1))
		return (struct rdmaev_record) {};
	return next_of(fd, RDMAEV_KIND_CM, RDMAEV_CM_REJECTED);
}

/*
 * All records since @begin, when @all refused connections are of users whose owner is
 * unknown: they are on record, or counted as those of the greedy user.
 */
static int who_has_many_pays(int fd, uint64_t begin, unsigned int all)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	unsigned int recorded = 0, suppressed = 0;
	struct rdmaev_record r;

	lseek(fd, begin, SEEK_SET);
	do {
		while (read(fd, &r, sizeof(r)) == sizeof(r)) {
			if (r.kind == RDMAEV_KIND_CM && r.code == RDMAEV_CM_REJECTED &&
			    !(r.body.info.known & RDMAEV_KNOWN_UID))
				recorded++;
			if (r.kind != RDMAEV_KIND_OBSERVER ||
			    r.code != RDMAEV_OBSERVER_SUPPRESSED)
				continue;
			if (r.body.info.uid != GREEDY_UID)
				return 0;
			suppressed += r.count;
		}
	} while (recorded + suppressed < all && poll(&poll_fd, 1, 60000) > 0);
	return recorded + suppressed == all;
}

TEST_F_TIMEOUT(share, ids, 180)
{
	struct child greedy = child_begin(GREEDY_UID, use_ids, SHARE + MORE);
	uint64_t begin, upto, count;
	struct rdmaev_record r;

	/*
	 * New entries are made by a work. If it is late, more is missed, but not in
	 * one of the next rounds. What was missed is on record within about a second.
	 */
	do {
		begin = get_info(self->fd).newest_seq;
		ASSERT_TRUE(child_uses_all(&greedy));
		do {
			sleep_ms(100);
			upto = get_info(self->fd).newest_seq;
			ASSERT_EQ(lseek(self->fd, begin + 1, SEEK_SET), (off_t)begin + 1);
			count = missed(self->fd, RDMAEV_OBSERVED_CONNECTION_OWNERS, upto);
		} while (count < MORE);
	} while (count != MORE);
	EXPECT_EQ(sees_missed(GREEDY_UID, begin, upto, MORE), 0);
	EXPECT_EQ(sees_missed(OTHER_UID, begin, upto, 0), 0);

	r = refuse(self->fd, GREEDY_UID);
	ASSERT_GT(r.seq, 0);
	EXPECT_FALSE(r.body.info.known & RDMAEV_KNOWN_UID);
	r = refuse(self->fd, OTHER_UID);
	ASSERT_GT(r.seq, 0);
	EXPECT_EQ(r.body.info.known & RDMAEV_KNOWN_UID, RDMAEV_KNOWN_UID);
	EXPECT_EQ(r.body.info.uid, OTHER_UID);

	/* Nobody knows whose the ids are that have no room, but who has no room pays. */
	begin = get_info(self->fd).newest_seq + 1;
	ASSERT_EQ(refused(ADDRESS, GREEDY_UID, 0, MANY_REFUSED), 0);
	EXPECT_TRUE(who_has_many_pays(self->fd, begin, MANY_REFUSED));

	/* What has ended is given back. */
	ASSERT_EQ(child_end(&greedy), 0);
	r = refuse(self->fd, GREEDY_UID);
	ASSERT_GT(r.seq, 0);
	EXPECT_EQ(r.body.info.uid, GREEDY_UID);
}

/* As user @uid: @n requests that fail. Returns the exit status. */
static int refused_requests(uid_t uid, unsigned int n)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		struct program p = {};

		if (setgid(uid) || setuid(uid) || !program_begin(&p, DEV, 0))
			_exit(2);
		while (n && move(p.qp[0], IBV_QPS_RTS))
			n--;
		_exit(n != 0);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static void *begin_program(void *p)
{
	return program_begin(p, DEV, 0) ? p : NULL;
}

/*
 * A thread of root makes QPs and ends, then its process becomes one of @uid, with @n
 * requests that fail. Returns 0.
 */
static int requests_of_former_root(uid_t uid, unsigned int n)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		struct program p = {};
		pthread_t thread;
		void *ok = NULL;

		if (pthread_create(&thread, NULL, begin_program, &p) ||
		    pthread_join(thread, &ok) || !ok || setgid(uid) || setuid(uid))
			_exit(2);
		while (n && move(p.qp[0], IBV_QPS_RTS))
			n--;
		_exit(n != 0);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* Root has no limit as long as it is root. */
TEST_F_TIMEOUT(share, former_root, 180)
{
	struct pollfd fd = { .fd = self->fd, .events = POLLIN };
	/* And the ends of two QPs */
	unsigned int n = 16 * RECORDS, all = n + 2, records = 0, suppressed = 0;
	struct rdmaev_record r;

	ASSERT_EQ(param("burst_ms", 0), 0);
	lseek(self->fd, 0, SEEK_END);
	ASSERT_EQ(requests_of_former_root(LATER_UID, n), 0);
	do {
		while (read(self->fd, &r, sizeof(r)) == sizeof(r)) {
			if (r.kind == RDMAEV_KIND_QP) {
				EXPECT_EQ(r.body.info.uid, 0);
				records += r.count;
			}
			if (r.kind == RDMAEV_KIND_OBSERVER &&
			    r.code == RDMAEV_OBSERVER_SUPPRESSED &&
			    r.body.info.uid == LATER_UID)
				suppressed += r.count;
		}
	} while (records + suppressed < all && poll(&fd, 1, SOON_MS) > 0);
	EXPECT_GE(records, RECORDS);
	EXPECT_GT(suppressed, 0);
	EXPECT_EQ(records + suppressed, all);
}

/* Listens at @address, and gives up @n connections before they are accepted */
static int give_up(const char *address, unsigned int n)
{
	struct rdma_ucm_listen listen = { .backlog = 4 };
	int fd, active;

	fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
	listen.id = ucm_id(fd);
	if (ucm_bind(fd, listen.id, address, PORT) ||
	    ucm(fd, RDMA_USER_CM_CMD_LISTEN, &listen, sizeof(listen), 0))
		return 0;
	while (n--) {
		active = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
		if (ucm_connect(active, ucm_resolved(active, ADDRESS), 0) ||
		    ucm_event(fd) != RDMAEV_CM_CONNECT_REQUEST)
			return 0;
		close(active);
	}
	return 1;
}

static int give_up_at(unsigned int n, const char *address, int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1) {
		if (!give_up(address, n) || write(to, &byte, 1) != 1)
			return 3;
	}
	return 0;
}

static int give_up_here(unsigned int n, int from, int to)
{
	return give_up_at(n, ADDRESS, from, to);
}

static int give_up_anywhere(unsigned int n, int from, int to)
{
	return give_up_at(n, "0.0.0.0", from, to);
}

/* How many of @n records of a kind and code are on record that are of OTHER_UID, soon */
static unsigned int of_other(int fd, unsigned int kind, unsigned int code, unsigned int n)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	struct rdmaev_record r;
	unsigned int count = 0;

	do {
		while ((r = next_of(fd, kind, code)).seq)
			count += r.body.info.known & RDMAEV_KNOWN_UID &&
				 r.body.info.uid == OTHER_UID;
	} while (count < n && poll(&poll_fd, 1, SOON_MS) > 0);
	return count;
}

/* An incoming connection belongs to who listens, at one address or at any. */
TEST_F(share, incoming)
{
	int (*const ways[])(unsigned int, int, int) = { give_up_here, give_up_anywhere };
	struct child child;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		ASSERT_GT(lseek(self->fd, 0, SEEK_END), 0);
		child = child_begin(OTHER_UID, ways[i], 1);
		ASSERT_TRUE(child_uses_all(&child));
		EXPECT_EQ(of_other(self->fd, RDMAEV_KIND_CM, RDMAEV_CM_REJECTED, 1), 1);
		EXPECT_EQ(child_end(&child), 0);
	}
}

/* Who listens does not pay for those who give up before it accepts. */
TEST_F_TIMEOUT(share, many_incoming, 180)
{
	unsigned int n = RECORDS / 2;
	struct child child;

	ASSERT_EQ(param("burst_ms", 0), 0);
	child = child_begin(OTHER_UID, give_up_here, RECORDS + MORE);
	ASSERT_TRUE(child_uses_all(&child));
	ASSERT_GT(lseek(self->fd, 0, SEEK_END), 0);
	ASSERT_EQ(refused_requests(OTHER_UID, n), 0);
	EXPECT_EQ(of_other(self->fd, RDMAEV_KIND_QP, RDMAEV_QP_RTS, n), n);
	EXPECT_EQ(child_end(&child), 0);
}

/*
 * User @owner makes a user namespace, in which @users, who are those from @first on outside,
 * make @n of them each. Returns 0.
 */
static int in_namespace(uid_t owner, uid_t first, unsigned int users, unsigned int n)
{
	int status = -1, failed = -1;
	unsigned int uid;
	pid_t pid = fork();

	if (!pid) {
		if (setgid(owner) || setuid(owner) || unshare(CLONE_NEWUSER) ||
		    raise(SIGSTOP))
			_exit(2);
		for (uid = 0; uid < users; uid++) {
			if (refused_requests(uid, n))
				_exit(3);
		}
		_exit(0);
	}
	/* Then as newuidmap does with subordinate uids */
	while (waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status)) {
		failed = sh("for map in uid gid; do echo 0 %u %u >/proc/%d/${map}_map || exit; done",
			    first, users, pid);
		kill(pid, SIGCONT);
	}
	return failed ? failed : status;
}

/* Of each user, more than there may be at a time; and those that fill half of the room */
#define WAITING 136
#define WAITING_USERS 5

static struct program waiting_program;
static unsigned int waiting;

/* Asks for a QP to be connected to an address that nobody has, again and again */
static void *wait_for_address(void *stop)
{
	struct program *p = &waiting_program;
	struct ibv_qp *qp = program_qp(p, p->cq);
	union ibv_gid gid = { .raw = { [10] = 0xff, 0xff, 10, 9, 8, 77 } };

	while (qp && !__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) {
		__atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED);
		if (!connect_to_by(qp, 1, &gid, p->gid_index))
			break;
	}
	return NULL;
}

/* Has that done by many threads until it is told to end */
static int wait_for_addresses(unsigned int n, int from, int to)
{
	static pthread_t thread[WAITING];
	pthread_attr_t attr;
	unsigned int i;
	int stop = 0;
	char byte;

	if (!program_begin(&waiting_program, DEV, 0) || !program_find_ipv4(&waiting_program) ||
	    pthread_attr_init(&attr) || pthread_attr_setstacksize(&attr, 65536))
		return 3;
	for (i = 0; i < n; i++) {
		if (pthread_create(&thread[i], &attr, wait_for_address, &stop))
			return 4;
	}
	while (__atomic_load_n(&waiting, __ATOMIC_RELAXED) < n)
		sleep_ms(10);
	if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
		return 5;
	(void)!read(from, &byte, 1);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

/* Requests of others are seen while some users have very many wait. */
TEST_F_TIMEOUT(share, requests, 180)
{
	struct rdmaev_record r;
	struct child greedy[WAITING_USERS];
	struct program p = {};
	unsigned int i;

	ASSERT_EQ(param("burst_ms", 0), 0);
	/* Nobody answers there. */
	ASSERT_EQ(sh("ip link set " DEV "_d arp on"), 0);
	ASSERT_TRUE(program_begin(&p, DEV, 0));
	for (i = 0; i < WAITING_USERS; i++) {
		greedy[i] = child_begin(GREEDY_UID + i, wait_for_addresses, WAITING);
		ASSERT_TRUE(child_uses_all(&greedy[i]));
	}
	for (i = 0; i < 30; i++) {
		ASSERT_GT(lseek(self->fd, 0, SEEK_END), 0);
		ASSERT_EQ(to_init(p.qp[0]), 0);
		ASSERT_EQ(move(p.qp[0], IBV_QPS_ERR), 0);
		do
			r = next_of(self->fd, RDMAEV_KIND_QP, RDMAEV_QP_ERR);
		while (r.seq && r.object != p.qp[0]->qp_num);
		EXPECT_GT(r.seq, 0);
		EXPECT_EQ(r.body.info.qp_state, RDMAEV_QP_INIT);
		ASSERT_EQ(move(p.qp[0], IBV_QPS_RESET), 0);
		sleep_ms(20);
	}
	program_end(&p);
	/* Each has the ends of pipes of those before. */
	for (i = WAITING_USERS; --i;)
		EXPECT_EQ(child_end(&greedy[i]), 0);
	/*
	 * While these wait, which return later. Not all, as the kernel waits for each
	 * hook until every task that could run has run: for very long on a slow machine.
	 */
	EXPECT_EQ(sh("rmmod rdmaev_observe") || load_observer(""), 0);
	EXPECT_EQ(child_end(&greedy[0]), 0);
	/* They hold no share any more, and their ends were as many records as he may cause. */
	sleep_ms(1000);
	ASSERT_GT(lseek(self->fd, 0, SEEK_END), 0);
	ASSERT_EQ(refused_requests(GREEDY_UID, 1), 0);
	r = next_of(self->fd, RDMAEV_KIND_QP, RDMAEV_QP_RTS);
	ASSERT_GT(r.seq, 0);
	EXPECT_EQ(r.body.info.uid, GREEDY_UID);
}

/* Seconds since boot */
static uint64_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec;
}

FIXTURE(namespace) {
	int fd;
};

FIXTURE_VARIANT(namespace) {
	uid_t owner, first;
	unsigned int users;
	uint32_t known;
};

/* Of a user who has some more: he pays for all of them */
FIXTURE_VARIANT_ADD(namespace, subordinate_users) {
	.owner = OWNER_UID,
	.first = FIRST_SUBUID,
	.users = 4,
	.known = RDMAEV_KNOWN_UID,
};

/* Of root, who is root in it: he has no right outside */
FIXTURE_VARIANT_ADD(namespace, of_root) {
	.users = 1,
};

FIXTURE_SETUP(namespace)
{
	ASSERT_TRUE(ucm_ready(DEV, ADDRESS));
	ASSERT_EQ(param("burst_ms", 0), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(namespace)
{
	EXPECT_EQ(param("burst_ms", 1000), 0);
	close(self->fd);
	rxe_del(DEV);
}

TEST_F_TIMEOUT(namespace, is_one_user, 180)
{
	unsigned int users = variant->users, n = RECORDS + MORE, all = users * n;
	struct pollfd fd = { .fd = self->fd, .events = POLLIN };
	uint64_t recorded = 0, suppressed = 0, since = seconds();
	struct rdmaev_record r;

	ASSERT_EQ(in_namespace(variant->owner, variant->first, users, n), 0);
	since = seconds() - since + 1;
	do {
		while (read(self->fd, &r, sizeof(r)) == sizeof(r)) {
			ASSERT_NE(r.kind, RDMAEV_KIND_LOST);
			/* Of others, the last of the test before is late. */
			if (r.kind == RDMAEV_KIND_QP)
				recorded += r.body.info.uid >= variant->first &&
					    r.body.info.uid < variant->first + users;
			if (r.kind == RDMAEV_KIND_OBSERVER &&
			    r.code == RDMAEV_OBSERVER_SUPPRESSED &&
			    r.body.info.known == variant->known &&
			    r.body.info.uid == variant->owner)
				suppressed += r.count;
		}
	} while (recorded + suppressed < all + 2 * users && poll(&fd, 1, 60000) > 0);
	/* With the ends of two QPs each */
	EXPECT_EQ(recorded + suppressed, all + 2 * users);
	EXPECT_LE(recorded, RECORDS + RECORDS_SEC * since);
}

TEST_HARNESS_MAIN
