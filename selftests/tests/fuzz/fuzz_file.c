// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Other uses of an open node by the fuzzer: read(), lseek(), poll(), and calls
 * that the node does not have.
 */
#include <limits.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "fuzz.h"

#define RECORD		((size_t)RDMAEV_RECORD_SIZE)

static size_t choose_length(void)
{
	switch (below(12)) {
	case 0:
		return 0;
	case 1:
		return RECORD - 1;
	case 2:
		return below(RECORD);
	case 3:
		return RECORD + 1;
	case 4:
		return RECORD * (1 + below(100)) + below(RECORD);
	case 5:
		return RECORD * (500 + below(1500));
	case 6:
		return 1UL << (20 + below(10));
	case 7 ... 8:
		return RECORD * (1 + below(40));
	default:
		return RECORD;
	}
}

/* A child reads the file; its result counts like one of the test itself. */
static ssize_t read_in_child(int fd, char *addr, size_t len)
{
	struct { ssize_t ret; int error; } *said;
	ssize_t ret;
	pid_t pid;

	said = mmap(NULL, sizeof(*said), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		    -1, 0);
	if (said == MAP_FAILED)
		return -1;
	pid = fork();
	if (!pid) {
		said->ret = read(fd, addr, len);
		said->error = errno;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	ret = said->ret;
	errno = said->error;
	munmap(said, sizeof(*said));
	return ret;
}

static ssize_t read_in_parts(int fd, char *addr, size_t len)
{
	size_t first = len / 2 / RECORD * RECORD;
	struct iovec parts[2] = {
		{ .iov_base = addr, .iov_len = first },
		{ .iov_base = addr + first, .iov_len = len - first },
	};

	return readv(fd, parts, 2);
}

/* Wait for records that are there: this must not take long. */
static ssize_t read_and_wait(int fd, char *addr, size_t len)
{
	ssize_t ret;
	int error;

	fcntl(fd, F_SETFL, 0);
	ret = read(fd, addr, len);
	error = errno;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	errno = error;
	return ret;
}

static ssize_t read_somehow(struct reader *r, char *addr, size_t len, int ready)
{
	int fd = r->twin >= 0 && one_in(2) ? r->twin : r->fd;
	uint32_t how = below(128);

	if (how == 0)
		return read_in_child(fd, addr, len);
	if (how < 8 && len >= 2 * RECORD)
		return read_in_parts(fd, addr, len);
	if (how < 24 && ready)
		return read_and_wait(fd, addr, len);
	return read(fd, addr, len);
}

/* An address outside of user space; the core checks it before the module. */
static int is_kernel_address(const struct place *p)
{
	return (unsigned long)p->addr >> 56;
}

/* Read at most @things records. */
static void predict_read(const struct place *p, size_t room, uint64_t waiting, int exact)
{
	size_t fit = p->writable / RECORD, things = waiting;

	if (is_kernel_address(p)) {
		may_fail(EFAULT);
		return;
	}
	if (!room) {
		may_fail(EINVAL);
		return;
	}
	/* One LOST record for each ring, and one for all of them */
	if (!exact)
		things += RDMAEV_RINGS + 1;
	if (!waiting) {
		may_fail(EAGAIN);
		fuzz.may_succeed = !exact;
	}
	/*
	 * The kernel may return fewer records than there are, but never more.
	 */
	if (fit < (room < things ? room : things)) {
		may_fail(EFAULT);
		fuzz.may_succeed = fit || (!exact && !waiting);
	}
}

static void act_read(struct reader *r)
{
	uint64_t newest = log_newest(), waiting, first_ns;
	size_t len = choose_length(), room = len / RECORD, written;
	int exact, error, failed;
	struct place p;
	ssize_t ret;

	begin_call("read", r - fuzz.readers, len, 0);
	waiting = reader_waiting(r, &first_ns, &exact);
	p = place(POINTED, len);
	predict_read(&p, room, waiting, exact);
	guard(&p, len);
	/* With other readers of the file, the position is unknown. */
	ret = read_somehow(r, p.addr, len,
			   !fuzz.racing && exact && waiting && r->watermark == 1);
	error = errno;
	failed = ret < 0;
	log_catch_up();
	/* Newer records may have come, or all available ones were skipped. */
	if ((fuzz.racing || log_newest() != newest) && room && !is_kernel_address(&p)) {
		fuzz.may_succeed = 1;
		may_fail(EAGAIN);
		if (p.writable < len)
			may_fail(EFAULT);
	}
	judge(ret, error);

	/* Bytes up to the fault may hold anything. */
	written = failed && error != EFAULT ? 0 : p.writable < len ? p.writable :
		  failed ? len : (size_t)ret;
	check_guard(&p, written, len);
	if (failed && error != EAGAIN)
		return;
	if (!failed && (!ret || ret % RECORD || (size_t)ret > len || (size_t)ret > p.writable)) {
		bad("%zd bytes", ret);
		return;
	}
	if (!failed && p.writable < len)
		room = ret / RECORD;
	reader_take(r, (void *)p.view, failed ? 0 : ret / RECORD, room, newest);
}

static off_t choose_offset(const struct reader *r)
{
	uint64_t newest = log_newest();

	switch (below(12)) {
	case 0:
		return 0;
	case 1:
		return newest + below(4);
	case 2:
		return -(off_t)(newest + below(4));
	case 3:
		return log_oldest() + below(3) - 1;
	case 4:
		return one_in(2) ? LLONG_MAX : LLONG_MIN;
	case 5:
		return odd_number();
	case 6:
		return -(off_t)below(64);
	case 7:
		return r->pos;
	default:
		return 1 + below(newest + 1);
	}
}

/* Target of the seek, 0 if it is invalid. @base: the position. */
static uint64_t destination(off_t offset, int whence, uint64_t base)
{
	uint64_t newest = log_newest();
	__int128 to = offset;

	if (whence == SEEK_CUR)
		to += base;
	if (whence == SEEK_END) {
		to += newest + 1;
		if (to < 1)
			to = 1;
	}
	if (whence < SEEK_SET || whence > SEEK_END || to < 0 || (whence == SEEK_CUR && !to)) {
		may_fail(EINVAL);
		return 0;
	}
	if (to > newest + 1) {
		may_fail(ENXIO);
		return 0;
	}
	if (to)
		return to;
	return log_oldest() ? log_oldest() : newest + 1;
}

static void act_seek(struct reader *r)
{
	int whence = one_in(16) ? (int)odd_number() : (int)below(3);
	off_t offset = choose_offset(r), ret;
	uint64_t to, newest;
	struct rdmaev_info info;
	int error;

	/*
	 * This reader reads the log from the beginning to the end: do not move
	 * it.
	 */
	if (r->stays) {
		whence = SEEK_CUR;
		offset = 0;
	}
	if (whence == SEEK_CUR && !r->stays && one_in(2))
		offset = one_in(2) ? (off_t)below(32) - 16 : (off_t)-r->pos + (off_t)below(4);
	begin_call("lseek", r - fuzz.readers, offset, whence);
	if (fuzz.racing) {
		ret = lseek(r->fd, offset, whence);
		may_fail(EINVAL);
		may_fail(ENXIO);
		fuzz.may_succeed = 1;
		judge(ret, errno);
		if (ret >= 0 && !r->stays)
			r->pos = ret;
		return;
	}
	/* Repeat it until nothing comes in between. */
	do {
		log_catch_up();
		newest = log_newest();
		ask_info(r, &info);
		fuzz.nallowed = 0;
		to = destination(offset, whence, info.position);
		/* Since then the position may have passed records that the filter does not. */
		fuzz.may_succeed = whence == SEEK_CUR && offset && !r->plain;
		if (fuzz.may_succeed && offset > 0)
			may_fail(ENXIO);
		ret = lseek(r->fd, offset, whence);
		error = errno;
		log_catch_up();
		if (ret < 0 || (whence == SEEK_CUR && !offset))
			continue;
		reader_moved(r, ret, whence == SEEK_SET && !offset);
		/* A relative seek has another target the next time. */
		if (log_newest() != newest && (whence != SEEK_SET || offset)) {
			whence = SEEK_SET;
			offset = ret;
		}
	} while (log_newest() != newest);
	judge(ret, error);
	if (ret < 0)
		return;
	/* With a filter the kernel may have skipped some records. */
	if ((uint64_t)ret < to || ((uint64_t)ret > to && (r->plain || whence != SEEK_CUR)))
		bad("%lld, and not %llu", (long long)ret, (unsigned long long)to);
	/* A query of the position does not change it. */
	if (whence == SEEK_CUR && !offset &&
	    ((uint64_t)ret < r->pos || (r->plain && (uint64_t)ret != r->pos)))
		bad("position %lld, and not %llu", (long long)ret,
		    (unsigned long long)r->pos);
}

static uint64_t boottime_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void act_poll(struct reader *r)
{
	struct pollfd p = { .fd = r->fd, .events = one_in(4) ? (short)rnd() : POLLIN };
	uint64_t first_ns = 0, waiting, newest, before, due;
	int ret, exact, is_due, has_wanted;

	p.events &= POLLIN | POLLRDNORM | POLLPRI | POLLOUT | POLLRDBAND;
	has_wanted = p.events & (POLLIN | POLLRDNORM);
	begin_call("poll", r - fuzz.readers, p.events, 0);
	newest = log_newest();
	waiting = reader_waiting(r, &first_ns, &exact);
	due = first_ns + r->delay_us * 1000ULL;
	before = boottime_ns();
	ret = poll(&p, 1, one_in(64) ? 1 + below(5) : 0);
	judge(ret, errno);
	if (p.revents & ~(p.events & (POLLIN | POLLRDNORM)))
		bad("events 0x%x", p.revents);
	if (!exact || !has_wanted || ret < 0 || fuzz.racing)
		return;
	is_due = waiting >= r->watermark || (waiting && r->delay_us && before >= due);
	if (is_due && !ret)
		bad("%llu to read, and not ready", (unsigned long long)waiting);
	log_catch_up();
	/* It may have become readable meanwhile. */
	if (!is_due && ret && log_newest() == newest &&
	    !(waiting && r->delay_us && boottime_ns() >= due))
		bad("%llu to read, and ready", (unsigned long long)waiting);
}

static void act_other(struct reader *r)
{
	struct place p = place(POINTED, RECORD);
	long ret = -1;

	switch (below(6)) {
	case 0:
		begin_call("pread", r - fuzz.readers, 0, 0);
		may_fail(ESPIPE);
		ret = pread(r->fd, p.addr, RECORD, below(1000));
		break;
	case 1:
		begin_call("write", r - fuzz.readers, 0, 0);
		may_fail(EBADF);
		ret = write(r->fd, p.addr, RECORD);
		break;
	case 2:
		begin_call("mmap", r - fuzz.readers, 0, 0);
		may_fail(ENODEV);
		ret = mmap(NULL, 4096, PROT_READ, MAP_SHARED, r->fd, 0) == MAP_FAILED ? -1 : 0;
		break;
	case 3:
		begin_call("ftruncate", r - fuzz.readers, 0, 0);
		may_fail(EINVAL);
		ret = ftruncate(r->fd, below(1000));
		break;
	case 4:
		begin_call("fcntl", r - fuzz.readers, 0, 0);
		ret = fcntl(r->fd, F_SETFL, O_NONBLOCK);
		break;
	default:
		begin_call("dup", r - fuzz.readers, 0, 0);
		if (r->twin >= 0)
			close(r->twin);
		ret = one_in(2) ? fcntl(r->fd, F_DUPFD_CLOEXEC, 0) : 0;
		r->twin = ret ? (int)ret : -1;
		break;
	}
	judge(ret, errno);
}

void do_file(struct reader *r)
{
	switch (below(16)) {
	case 0 ... 7:
		act_read(r);
		break;
	case 8 ... 11:
		act_seek(r);
		break;
	case 12 ... 14:
		act_poll(r);
		break;
	default:
		act_other(r);
		break;
	}
}
