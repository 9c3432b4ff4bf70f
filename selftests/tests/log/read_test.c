// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * read(): blocking and not, signals, faults, many readers, shared files.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

#include "common.h"
#include "kselftest_harness.h"

FIXTURE(dev) {
	int fd;
};

FIXTURE_SETUP(dev)
{
	ASSERT_EQ(rxe_add("read0"), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(filter_test_events(self->fd), 0);
}

FIXTURE_TEARDOWN(dev)
{
	close(self->fd);
	rxe_del("read0");
}

TEST_F(dev, nothing)
{
	struct rdmaev_record rec;

	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);
	EXPECT_EQ(errno, EAGAIN);
}

TEST_F(dev, buffer_too_small)
{
	struct rdmaev_record rec;

	ASSERT_EQ(gen("process", "read0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec) - 1), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(read(self->fd, &rec, 0), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), sizeof(rec));
}

TEST_F(dev, whole_records)
{
	char buf[5 * sizeof(struct rdmaev_record) - 1];

	ASSERT_EQ(gen("process", "read0", TEST_EVENT, 1, 10), 10);
	EXPECT_EQ(read(self->fd, buf, sizeof(buf)), 4 * sizeof(struct rdmaev_record));
	EXPECT_EQ(read(self->fd, buf, sizeof(buf)), 4 * sizeof(struct rdmaev_record));
	EXPECT_EQ(read(self->fd, buf, sizeof(buf)), 2 * sizeof(struct rdmaev_record));
}

/* More than the kernel copies at a time */
TEST_F(dev, many_at_once)
{
	static struct rdmaev_record recs[200];
	unsigned int i;

	ASSERT_EQ(gen("process", "read0", TEST_EVENT, 1, 150), 150);
	ASSERT_EQ(read(self->fd, recs, sizeof(recs)), 150 * sizeof(struct rdmaev_record));
	for (i = 0; i < 150; i++) {
		EXPECT_EQ(recs[i].kind, RDMAEV_KIND_ASYNC);
		EXPECT_EQ(recs[i].code, TEST_EVENT);
		EXPECT_EQ(recs[i].count, 1);
		if (i) {
			EXPECT_GT(recs[i].seq, recs[i - 1].seq);
			EXPECT_GE(recs[i].boottime_ns, recs[i - 1].boottime_ns);
		}
	}
}

TEST_F(dev, contents)
{
	struct timespec real, boot;
	struct rdmaev_record rec;
	long index = device_index(self->fd, "read0");

	ASSERT_GE(index, 0);
	ASSERT_EQ(gen("process", "read0", TEST_EVENT, 1, 1), 1);
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	ASSERT_EQ(read(self->fd, &rec, sizeof(rec)), sizeof(rec));
	EXPECT_EQ(rec.device, index);
	EXPECT_EQ(rec.port, 1);
	EXPECT_EQ(rec.object_type, RDMAEV_OBJECT_NONE);
	EXPECT_EQ(rec.severity, RDMAEV_SEVERITY_INFO);
	EXPECT_EQ(rec.source, RDMAEV_SOURCE_HANDLER);
	EXPECT_EQ(rec.ring, RDMAEV_RING_INFO);
	EXPECT_EQ(rec.cause, 0);
	EXPECT_EQ(rec.object, 0);
	EXPECT_EQ(rec.pid, 0);
	EXPECT_LE(boot.tv_sec - rec.boottime_ns / 1000000000, SOON_MS / 1000);
	EXPECT_LE(real.tv_sec - rec.realtime_ns / 1000000000, SOON_MS / 1000);
}

/* A port number that the device does not have, like a pointer in the union */
TEST_F(dev, not_a_port)
{
	struct rdmaev_record rec;

	ASSERT_EQ(gen("process", "read0", TEST_EVENT, 0x12345678, 1), 1);
	ASSERT_EQ(read(self->fd, &rec, sizeof(rec)), sizeof(rec));
	EXPECT_EQ(rec.port, RDMAEV_NO_PORT);
}

/* SRQ_LIMIT_REACHED through the device's handler: element is no port number. */
TEST_F(dev, affiliated_event)
{
	struct rdmaev_filter f = filter_all();
	struct rdmaev_record rec;

	f.kinds = 1 << RDMAEV_KIND_ASYNC;
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1 << 15);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(gen("process", "read0", 15, 1, 1), 1);
	ASSERT_EQ(read(self->fd, &rec, sizeof(rec)), sizeof(rec));
	EXPECT_EQ(rec.code, 15);
	EXPECT_EQ(rec.port, RDMAEV_NO_PORT);
	EXPECT_EQ(rec.object_type, RDMAEV_OBJECT_SRQ);
	EXPECT_EQ(rec.object, 0);
	EXPECT_EQ(rec.ring, RDMAEV_RING_INFO);
}

/* Every context that an event can be reported in */
TEST_F(dev, contexts)
{
	static const char * const modes[] = {
		"dispatch", "process", "softirq", "hardirq",
	};
	static struct rdmaev_record recs[1001];
	unsigned int i, j;

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(gen(modes[i], "read0", TEST_EVENT, 1, 1000), 1000);
		ASSERT_EQ(read(self->fd, recs, sizeof(recs)),
			  1000 * sizeof(struct rdmaev_record));
		for (j = 1; j < 1000; j++)
			ASSERT_GT(recs[j].seq, recs[j - 1].seq);
	}
}

/* The buffer ends in unmapped memory: records that did not fit are not lost. */
TEST_F(dev, fault)
{
	const size_t size = 32 * sizeof(struct rdmaev_record);
	struct rdmaev_record recs[64];
	char *mem;

	/* Whole pages */
	ASSERT_EQ(size % sysconf(_SC_PAGESIZE), 0);
	mem = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(mem, MAP_FAILED);
	ASSERT_EQ(munmap(mem + size, size), 0);
	ASSERT_EQ(gen("process", "read0", TEST_EVENT, 1, 64), 64);

	EXPECT_EQ(read(self->fd, mem + size, 1 << 16), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(read(self->fd, mem + size - sizeof(struct rdmaev_record), 1 << 16), -1);
	EXPECT_EQ(errno, EFAULT);
	/* The first 32 fit, the rest does not. */
	EXPECT_EQ(read(self->fd, mem, 2 * size), (ssize_t)size);
	memcpy(recs, mem, size);
	EXPECT_EQ(read(self->fd, recs + 32, size), (ssize_t)size);
	EXPECT_EQ(read(self->fd, recs, sizeof(recs)), -1);
	EXPECT_EQ(recs[63].seq - recs[0].seq, 63);
}

static void on_signal(int sig)
{
}

static pid_t blocked_reader(int restart, int *out)
{
	struct sigaction sa = {
		.sa_handler = on_signal,
		.sa_flags = restart ? SA_RESTART : 0,
	};
	int pipefd[2];
	pid_t pid;

	if (pipe(pipefd))
		return -1;
	pid = fork();
	if (!pid) {
		int fd = open_node(0), ret;
		struct rdmaev_record rec;
		char c = 0;

		filter_test_events(fd);
		sigaction(SIGUSR1, &sa, NULL);
		ret = write(pipefd[1], &c, 1);
		ret = read(fd, &rec, sizeof(rec));
		c = ret == sizeof(rec) ? 'r' : errno == EINTR ? 'i' : 'e';
		_exit(write(pipefd[1], &c, 1) != 1);
	}
	close(pipefd[1]);
	*out = pipefd[0];
	return pid;
}

static char next_char(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char c = 't';

	if (poll(&p, 1, ms) == 1 && read(fd, &c, 1) != 1)
		c = 'x';
	return c;
}

TEST_F(dev, blocks_until_record)
{
	pid_t pid;
	int out;

	pid = blocked_reader(0, &out);
	ASSERT_EQ(next_char(out, SOON_MS), 0);
	EXPECT_EQ(next_char(out, 300), 't');
	ASSERT_EQ(gen("process", "read0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(next_char(out, SOON_MS), 'r');
	waitpid(pid, NULL, 0);
	close(out);
}

TEST_F(dev, signal_interrupts)
{
	char c = 't';
	pid_t pid;
	int out, i;

	pid = blocked_reader(0, &out);
	ASSERT_EQ(next_char(out, SOON_MS), 0);
	/* It may not be blocked yet. */
	for (i = 0; i < SOON_MS / 300 && c == 't'; i++) {
		sleep_ms(300);
		kill(pid, SIGUSR1);
		c = next_char(out, 300);
	}
	EXPECT_EQ(c, 'i');
	waitpid(pid, NULL, 0);
	close(out);
}

TEST_F(dev, signal_restarts)
{
	pid_t pid;
	int out;

	pid = blocked_reader(1, &out);
	ASSERT_EQ(next_char(out, SOON_MS), 0);
	sleep_ms(300);
	kill(pid, SIGUSR1);
	EXPECT_EQ(next_char(out, 300), 't');
	ASSERT_EQ(gen("process", "read0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(next_char(out, SOON_MS), 'r');
	waitpid(pid, NULL, 0);
	close(out);
}

TEST_F(dev, many_readers)
{
	static struct rdmaev_record recs[64];
	int fds[64], i;

	for (i = 0; i < 64; i++) {
		fds[i] = open_node(O_NONBLOCK);
		ASSERT_GE(fds[i], 0);
		ASSERT_EQ(filter_test_events(fds[i]), 0);
	}
	ASSERT_EQ(gen("process", "read0", TEST_EVENT, 1, 20), 20);
	for (i = 0; i < 64; i++) {
		struct rdmaev_record got[21];

		EXPECT_EQ(read(fds[i], got, sizeof(got)), 20 * sizeof(struct rdmaev_record));
		if (i)
			EXPECT_EQ(memcmp(got, recs, 20 * sizeof(struct rdmaev_record)), 0);
		memcpy(recs, got, 20 * sizeof(struct rdmaev_record));
		close(fds[i]);
	}
}

/* A file shared by fork or dup has one position. */
TEST_F(dev, shared_file)
{
	struct rdmaev_record recs[10];
	int status;
	pid_t pid;

	ASSERT_EQ(gen("process", "read0", TEST_EVENT, 1, 10), 10);
	pid = fork();
	if (!pid) {
		int ret = read(self->fd, recs, 4 * sizeof(struct rdmaev_record));

		_exit(ret != 4 * sizeof(struct rdmaev_record));
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(read(self->fd, recs, sizeof(recs)), 6 * sizeof(struct rdmaev_record));
}

struct taker {
	int fd;
	unsigned long got;
	unsigned char *seen;
	uint64_t base;
};

static void *take(void *arg)
{
	struct taker *t = arg;
	struct rdmaev_record recs[7];
	ssize_t n, i;

	while ((n = read(t->fd, recs, sizeof(recs))) > 0) {
		for (i = 0; i < n / (ssize_t)sizeof(struct rdmaev_record); i++) {
			__atomic_add_fetch(&t->seen[recs[i].seq - t->base], 1,
					   __ATOMIC_RELAXED);
			t->got++;
		}
	}
	return NULL;
}

/* Two threads on one file: each record goes to one of them. */
TEST_F(dev, two_threads)
{
	static unsigned char seen[8192];
	struct taker t[2] = {};
	pthread_t id[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		t[i].fd = self->fd;
		t[i].seen = seen;
		t[i].base = get_info(self->fd).newest_seq + 1;
	}
	ASSERT_EQ(gen("process", "read0", TEST_EVENT, 1, 5000), 5000);
	for (i = 0; i < 2; i++)
		pthread_create(&id[i], NULL, take, &t[i]);
	for (i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
	EXPECT_EQ(t[0].got + t[1].got, 5000);
	for (i = 0; i < 8192; i++)
		ASSERT_LE(seen[i], 1);
}

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

#define LAST_PID "/proc/sys/kernel/ns_last_pid"

/* A child with this pid, in the initial namespace. Others may be faster. */
static int use_again(pid_t pid)
{
	char text[16];
	pid_t child;
	int i;

	snprintf(text, sizeof(text), "%d", pid - 1);
	for (i = 0; i < 100; i++) {
		if (put(LAST_PID, text))
			return 0;
		child = sleeper();
		if (child == pid)
			return 1;
		end(child);
	}
	return 0;
}

struct pids {
	int owner, caller;
};

/* Of the next record of a QP by the node, or of the last by netlink; 0 if there is none */
static struct pids read_pids(int fd)
{
	struct pids pids = {};
	struct rdmaev_record rec;
	FILE *f;

	if (fd >= 0) {
		if (read(fd, &rec, sizeof(rec)) == (ssize_t)sizeof(rec)) {
			pids.owner = rec.pid;
			pids.caller = rec.body.qp.caller_pid;
		}
		return pids;
	}
	f = popen("rdmaev --netlink log -j --kind qp 2>/dev/null | tail -1 | "
		  "jq -r '\"\\(.pid) \\(.qp.caller_pid // 0)\"'", "r");
	if (f && fscanf(f, "%d %d", &pids.owner, &pids.caller) != 2)
		pids.owner = 0;
	if (f)
		pclose(f);
	return pids;
}

/* The first process of a pid namespace reads for others, for each byte that it gets. */
static void read_in_namespace(int from, int to, int netlink)
{
	int fd = netlink ? -1 : open_node(O_NONBLOCK);
	struct pids pids;
	char byte;

	if (fd >= 0 && filter_kinds(fd, 1 << RDMAEV_KIND_QP))
		_exit(1);
	do {
		pids = read_pids(fd);
	} while (write(to, &pids, sizeof(pids)) > 0 && read(from, &byte, 1) == 1);
	_exit(0);
}

/* Number of a process in its pid namespace */
static int number_there(pid_t pid)
{
	char path[32], line[256];
	const char *last = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "NSpid:", 6)) {
			last = strrchr(line, '\t');
			break;
		}
	}
	if (f)
		fclose(f);
	return last ? atoi(last) : -1;
}

FIXTURE(used_again) {
	int fd;
};

FIXTURE_SETUP(used_again)
{
	ASSERT_EQ(rxe_add("read0"), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(used_again)
{
	close(self->fd);
	rxe_del("read0");
}

FIXTURE_VARIANT(used_again) {
	int netlink;
};

FIXTURE_VARIANT_ADD(used_again, node) {
	.netlink = 0,
};

FIXTURE_VARIANT_ADD(used_again, netlink) {
	.netlink = 1,
};

/* Another process has the pid of the owner when the record is read. */
TEST_F(used_again, pid)
{
	pid_t reader, owner;
	struct pids pids;
	int down[2], up[2];

	if (!has_qp_records())
		SKIP(return, "this kernel has no kprobes");
	if (access(LAST_PID, F_OK))
		SKIP(return, "a pid cannot be chosen: no CONFIG_CHECKPOINT_RESTORE");
	ASSERT_EQ(pipe(down) || pipe(up), 0);
	ASSERT_EQ(unshare(CLONE_NEWPID), 0);
	reader = fork();
	ASSERT_GE(reader, 0);
	if (!reader)
		read_in_namespace(down[0], up[1], variant->netlink);
	/* There is none yet, but of tests before this one. */
	ASSERT_EQ(read(up[0], &pids, sizeof(pids)), (ssize_t)sizeof(pids));
	EXPECT_EQ(pids.owner, 0);
	owner = sleeper();
	ASSERT_EQ(append_qp_record_of(self->fd, "read0", owner), 0);
	ASSERT_EQ(append_qp_record_of(self->fd, "read0", owner), 0);
	ASSERT_EQ(write(down[1], "", 1), 1);
	ASSERT_EQ(read(up[0], &pids, sizeof(pids)), (ssize_t)sizeof(pids));
	EXPECT_GT(pids.owner, 1);
	EXPECT_EQ(pids.owner, number_there(owner));
	EXPECT_EQ(pids.caller, pids.owner);
	end(owner);
	ASSERT_TRUE(use_again(owner));
	ASSERT_EQ(write(down[1], "", 1), 1);
	ASSERT_EQ(read(up[0], &pids, sizeof(pids)), (ssize_t)sizeof(pids));
	EXPECT_EQ(pids.owner, 0);
	EXPECT_EQ(pids.caller, 0);
	end(owner);
	end(reader);
}

TEST_HARNESS_MAIN
