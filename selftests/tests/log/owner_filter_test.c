// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Filters by the user and the cgroup of the process that owns a QP, of records that the
 * test makes up; in a user namespace by the uid there.
 */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include "common.h"
#include "kselftest_harness.h"

#define USER	12345

/* Each test says it: the harness of Linux 6.1 runs one whose setup was skipped. */
#define NO_KPROBES	"this kernel has no kprobes"

/* As a status */
#define NO_NAMESPACE	4

FIXTURE(owner) {
	int fd;
	pid_t pid;
};

FIXTURE_SETUP(owner)
{
	int ready[2];
	char byte;

	if (!has_qp_records())
		return;
	ASSERT_EQ(sh("ip link add own0_d type dummy && rdma link add own0 type rxe netdev own0_d"),
		  0);
	ASSERT_EQ(pipe(ready), 0);
	self->pid = fork();
	if (!self->pid) {
		if (!setuid(USER) && write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	ASSERT_EQ(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(filter_kinds(self->fd, 1 << RDMAEV_KIND_QP), 0);
}

FIXTURE_TEARDOWN(owner)
{
	if (!self->pid)
		return;
	close(self->fd);
	kill(self->pid, SIGKILL);
	waitpid(self->pid, NULL, 0);
	sh("rdma link del own0; ip link del own0_d");
}

/* Records of QPs of the user's process, of this one, and of the kernel */
static bool append(int fd, pid_t pid)
{
	return !append_qp_record_of(fd, "own0", pid) &&
	       !append_qp_record_of(fd, "own0", getpid()) &&
	       !append_qp_record_of(fd, "own0", 0);
}

/* The filter passes the first of them, the other ones, or none. */
#define EXPECT_PASS(first, second) do {					\
	struct rdmaev_record _r;					\
									\
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);		\
	ASSERT_TRUE(append(self->fd, self->pid));			\
	if (first) {							\
		ASSERT_EQ(read(self->fd, &_r, sizeof(_r)), (ssize_t)sizeof(_r)); \
		EXPECT_EQ(_r.pid, (__u32)self->pid);			\
		EXPECT_EQ(_r.body.info.uid, USER);			\
	}								\
	if (second) {							\
		ASSERT_EQ(read(self->fd, &_r, sizeof(_r)), (ssize_t)sizeof(_r)); \
		EXPECT_EQ(_r.pid, (__u32)getpid());			\
	}								\
	EXPECT_EQ(read(self->fd, &_r, sizeof(_r)), -1);			\
	EXPECT_EQ(errno, EAGAIN);					\
} while (0)

TEST_F(owner, uid)
{
	struct rdmaev_filter f = filter_all();

	if (!self->pid)
		SKIP(return, NO_KPROBES);
	f.kinds = 1 << RDMAEV_KIND_QP;
	f.flags = RDMAEV_FILTER_UID;
	f.uid = USER;
	EXPECT_PASS(true, false);
	f.uid = 0;
	EXPECT_PASS(false, true);
	f.uid = USER + 1;
	EXPECT_PASS(false, false);
	f.flags |= RDMAEV_FILTER_PID;
	f.pid = self->pid;
	f.uid = USER;
	EXPECT_PASS(true, false);
	f.uid = 0;
	EXPECT_PASS(false, false);
}

/* Of both, which are in the same cgroup */
TEST_F(owner, cgroup)
{
	struct rdmaev_filter f = filter_all();
	struct rdmaev_record rec;

	if (!self->pid)
		SKIP(return, NO_KPROBES);
	ASSERT_TRUE(append(self->fd, self->pid));
	ASSERT_EQ(read(self->fd, &rec, sizeof(rec)), (ssize_t)sizeof(rec));
	if (!(rec.body.info.known & RDMAEV_KNOWN_CGROUP))
		SKIP(return, "this kernel has no cgroups");
	lseek(self->fd, 0, SEEK_END);
	f.kinds = 1 << RDMAEV_KIND_QP;
	f.flags = RDMAEV_FILTER_CGROUP;
	f.cgroup = rec.body.info.cgroup;
	EXPECT_PASS(true, true);
	f.flags |= RDMAEV_FILTER_UID;
	f.uid = USER;
	EXPECT_PASS(true, false);
	f.cgroup++;
	EXPECT_PASS(false, false);
}

/* Status of a process that calls a function and exits with what it returns */
static int status_of(int (*fn)(void))
{
	pid_t pid = fork();

	if (!pid)
		_exit(fn());
	return join_child(pid, 20000 * slowness());
}

/* Root of a user namespace is the user: what it knows as 0 is that user. */
static int read_in_namespace(void)
{
	struct rdmaev_filter f = filter_all();
	struct rdmaev_record rec;
	char map[32];
	int fd;

	snprintf(map, sizeof(map), "0 %u 1", USER);
	if (setuid(USER) || prctl(PR_SET_DUMPABLE, 1))
		return 1;
	if (unshare(CLONE_NEWUSER))
		return NO_NAMESPACE;
	if (put("/proc/self/uid_map", map))
		return 1;
	fd = open_node(O_NONBLOCK);
	f.kinds = 1 << RDMAEV_KIND_QP;
	f.flags = RDMAEV_FILTER_UID;
	if (ioctl(fd, RDMAEV_IOC_FILTER, &f) || lseek(fd, 0, SEEK_SET) < 0)
		return 1;
	if (read(fd, &rec, sizeof(rec)) != sizeof(rec) || rec.body.info.uid)
		return 2;
	/* It has no such user. */
	f.uid = USER;
	if (ioctl(fd, RDMAEV_IOC_FILTER, &f) || lseek(fd, 0, SEEK_SET) < 0)
		return 1;
	return read(fd, &rec, sizeof(rec)) == sizeof(rec) ? 3 : 0;
}

/* Another user gets nothing of root, whatever he asks for. */
static int read_of_root(void)
{
	struct rdmaev_filter f = filter_all();
	struct rdmaev_record rec;
	int fd;

	if (setuid(USER))
		return 1;
	fd = open_node(O_NONBLOCK);
	f.kinds = 1 << RDMAEV_KIND_QP;
	f.flags = RDMAEV_FILTER_UID;
	if (ioctl(fd, RDMAEV_IOC_FILTER, &f) || lseek(fd, 0, SEEK_SET) < 0)
		return 1;
	return read(fd, &rec, sizeof(rec)) == -1 && errno == EAGAIN ? 0 : 2;
}

TEST_F(owner, of_root)
{
	if (!self->pid)
		SKIP(return, NO_KPROBES);
	ASSERT_TRUE(append(self->fd, self->pid));
	EXPECT_EQ(status_of(read_of_root), 0);
}

TEST_F(owner, user_namespace)
{
	int status;

	if (!self->pid)
		SKIP(return, NO_KPROBES);
	ASSERT_TRUE(append(self->fd, self->pid));
	status = status_of(read_in_namespace);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_NAMESPACE)
		SKIP(return, "there are no user namespaces");
	EXPECT_EQ(status, 0);
}

TEST_HARNESS_MAIN
