// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The fuzzer's ioctls. Each begins with a valid structure; then parts of it are
 * made wrong, which determines how the call may fail. Filters are made in
 * fuzz_filter.c, lists are compared in fuzz_list.c.
 */
#include "fuzz_ioctl.h"

/*
 * The 32-bit system call, if the kernel has it: arguments are within its reach.
 */
static long ioctl32(int fd, unsigned int nr, const void *arg)
{
#ifdef __x86_64__
	long ret;

	/* ioctl() of i386; the kernel clears the other registers. */
	asm volatile("int $0x80"
		     : "=a" (ret)
		     : "a" (54), "b" (fd), "c" (nr), "d" (arg)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret;
#else
	return -EOPNOTSUPP;
#endif
}

static int has_ioctl32(void)
{
	static int has = -1;
	int status;

	/*
	 * The file exists if the kernel runs 32-bit programs; other kernels log
	 * the trap.
	 */
	if (has < 0 && access("/proc/sys/abi/vsyscall32", F_OK))
		has = 0;
	if (has < 0) {
		pid_t pid = fork();

		if (!pid)
			_exit(ioctl32(-1, RDMAEV_IOC_INFO, NULL) != -EBADF);
		has = waitpid(pid, &status, 0) == pid && !status;
	}
	return has;
}

static void make_call(struct reader *r, unsigned int nr, const void *arg)
{
	int fd = r->twin >= 0 && one_in(2) ? r->twin : r->fd;
	long ret;

	if (one_in(8) && !((unsigned long)arg >> 32) && has_ioctl32()) {
		ret = ioctl32(fd, nr, arg);
		judge(ret < 0 ? -1 : ret, -ret);
		return;
	}
	ret = ioctl(fd, nr, arg);
	judge(ret, errno);
}

/* The size that the program gives for its structure */
static uint32_t choose_size(const struct command *c, const union arg *arg, int *tail)
{
	size_t least = c->min_size;

	/* A filter ends with its targets. */
	if (c->nr == RDMAEV_IOC_FILTER && arg->filter.targets <= RDMAEV_TARGETS)
		least += arg->filter.targets * sizeof(arg->filter.target[0]);
	*tail = 0;
	/* Mostly one thing is wrong: then the error is known. */
	if (fuzz.nallowed && !one_in(4))
		return c->size;
	switch (below(24)) {
	case 0:
		may_fail(EINVAL);
		return below(c->min_size);
	case 1:
		may_fail(EINVAL);
		return one_in(2) ? c->min_size - 1 : 0;
	case 2:
		return least + below(c->size - least + 1);
	case 3:
		return c->size + 1 + below(PAGE - c->size);
	case 4:
		return PAGE;
	case 5:
		may_fail(E2BIG);
		*tail = 1;
		return c->size + 1 + below(PAGE - c->size);
	case 6:
		may_fail(E2BIG);
		return PAGE + 1 + below(one_in(2) ? 8 : ~0U - PAGE);
	default:
		return c->size;
	}
}

int run(struct reader *r, const struct command *c, union arg *arg)
{
	uint32_t size, image, changed = 0;
	struct place p;
	int tail, ok;

	size = choose_size(c, arg, &tail);
	image = size <= PAGE ? (size < 4 ? 4 : size) : c->size;
	arg->size = size;
	memset(arg->bytes + c->size, 0, image > c->size ? image - c->size : 0);
	if (tail)
		arg->bytes[one_in(2) ? size - 1 : c->size + below(size - c->size)] =
			1 << below(8);

	p = place(ARGUMENT, image);
	if (p.readable < image)
		may_fail(EFAULT);
	if (c->answers && !fuzz.nallowed && p.writable < image)
		may_fail(EFAULT);
	guard(&p, image);
	if (p.view)
		memcpy(p.view, arg, p.readable < image ? p.readable : image);
	fuzz.arg = arg;
	fuzz.arg_size = size < c->size ? size : c->size;

	make_call(r, c->nr, p.addr);
	ok = !fuzz.nallowed;
	if (p.view && ok && c->answers)
		changed = size < c->size ? size : c->size;
	if (p.view && p.readable >= image &&
	    memcmp(p.view + changed, arg->bytes + changed, image - changed))
		bad("changed more than %u bytes of its argument", changed);
	/* Check the surroundings. The argument itself has been checked. */
	if (p.view) {
		size_t n = p.readable < image ? p.readable : image;

		memset(p.view + changed, GUARD, n - changed);
		check_guard(&p, changed, image);
	}
	if (ok && c->answers) {
		memcpy(arg, p.view, changed);
		if (arg->size != c->size)
			bad("size is %u, and not %u", arg->size, c->size);
	}
	return ok;
}

int ask_info(struct reader *r, struct rdmaev_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return ioctl(r->fd, RDMAEV_IOC_INFO, info);
}

static void act_info(struct reader *r, const struct command *c)
{
	union arg arg = {};
	uint64_t newest;

	/* Fields for the answer may hold anything before. */
	if (one_in(2)) {
		arg.info.abi_version = rnd();
		arg.info.position = rnd();
	}
	if (one_in(8)) {
		*(one_in(2) ? &arg.info.reserved : &arg.info.observer.reserved) =
			1U << below(32);
		may_fail(EINVAL);
	}
	newest = log_newest();
	if (!run(r, c, &arg))
		return;
	if (arg.info.abi_version != RDMAEV_ABI_VERSION ||
	    arg.info.features != fuzz.features || arg.info.instance != fuzz.instance ||
	    arg.info.record_size != RDMAEV_RECORD_SIZE ||
	    arg.info.rings != RDMAEV_RINGS || arg.info.ring_records != fuzz.records ||
	    arg.info.reserved || arg.info.lost != r->lost)
		bad("not what it told before");
	if (fuzz.racing)
		return;
	log_catch_up();
	if (arg.info.position < r->pos || arg.info.position > log_newest() + 1 ||
	    (r->plain && arg.info.position != r->pos))
		bad("position %llu, and not %llu", (unsigned long long)arg.info.position,
		    (unsigned long long)r->pos);
	if (arg.info.newest_seq < newest || arg.info.newest_seq > log_newest() ||
	    (newest == log_newest() && arg.info.oldest_seq != log_oldest()))
		bad("from %llu to %llu, and not from %llu to %llu",
		    (unsigned long long)arg.info.oldest_seq,
		    (unsigned long long)arg.info.newest_seq,
		    (unsigned long long)log_oldest(), (unsigned long long)newest);
}

uint32_t choose_device(int *exists)
{
	*exists = 1;
	switch (below(6)) {
	case 0:
		*exists = 0;
		return fuzz.has_gone ? fuzz.gone : 0x7fffffff;
	case 1:
		*exists = 0;
		return 0x7fffff00 + below(0xff);
	default:
		return fuzz.live[one_in(2) ? 0 : below(fuzz.nlive)];
	}
}

static void act_filter(struct reader *r, const struct command *c)
{
	struct rdmaev_info before, after;
	union arg arg = {};

	fill_filter(&arg.filter);
	/* A plain reader must not get a filter: make it wrong. */
	if (r->plain || one_in(3))
		spoil_filter(&arg.filter);
	if (one_in(8) && fuzz.nallowed)
		spoil_filter(&arg.filter);
	ask_info(r, &before);
	if (run(r, c, &arg) && !fuzz.racing) {
		ask_info(r, &after);
		log_catch_up();
		reader_filtered(r, &arg.filter, before.position, after.position);
	}
}

static void act_wakeup(struct reader *r, const struct command *c)
{
	union arg arg = {};

	arg.wakeup.watermark = one_in(2) ? 1 : one_in(8) ? fuzz.records :
					       1 + below(fuzz.records);
	arg.wakeup.delay_us = one_in(2) ? 0 : one_in(8) ? RDMAEV_DELAY_MAX_US :
					      below(200000);
	if (one_in(10)) {
		arg.wakeup.flags = 1U << below(32);
		may_fail(EINVAL);
	}
	if (one_in(10)) {
		arg.wakeup.watermark = one_in(2) ? 0 : fuzz.records + 1 + below(~0U - fuzz.records);
		may_fail(EINVAL);
	}
	if (one_in(10)) {
		arg.wakeup.delay_us = RDMAEV_DELAY_MAX_US + 1 + below(~0U - RDMAEV_DELAY_MAX_US);
		may_fail(EINVAL);
	}
	if (run(r, c, &arg)) {
		r->watermark = arg.wakeup.watermark;
		r->delay_us = arg.wakeup.delay_us;
	}
}

static void act_notify(struct reader *r, const struct command *c)
{
	struct cq_known *cq = NULL;
	union arg arg = {};
	int exists;

	arg.notify.device = choose_device(&exists);
	arg.notify.cq = odd_number();
	arg.notify.every = one_in(3) ? 0 : one_in(2) ? 1 : odd_number();
	arg.notify.delay_us = one_in(2) ? 0 : one_in(4) ? RDMAEV_DELAY_MAX_US : below(100000);
	if (!exists) {
		may_fail(ENODEV);
	} else if (arg.notify.device != fuzz.live[0] || one_in(6)) {
		arg.notify.cq |= 0x40000000;
		may_fail(ENOENT);
	} else {
		cq = &fuzz.cqs[below(fuzz.ncqs)];
		arg.notify.cq = cq->number;
		if (cq->attached)
			may_fail(EOPNOTSUPP);
		else if (cq->owner && cq->owner != r)
			may_fail(EBUSY);
	}
	if (one_in(10)) {
		arg.notify.flags = 1U << below(32);
		may_fail(EINVAL);
	}
	if (one_in(10)) {
		arg.notify.delay_us = RDMAEV_DELAY_MAX_US + 1 + below(~0U - RDMAEV_DELAY_MAX_US);
		may_fail(EINVAL);
	}
	if (run(r, c, &arg))
		cq->owner = arg.notify.every ? r : NULL;
}

/* rdmaev_probe is not loaded. */
static void act_probe(struct reader *r, const struct command *c)
{
	union arg arg = {};
	int exists;

	arg.probe.device = choose_device(&exists);
	arg.probe.interval_ms = one_in(2) ? below(5000) : odd_number();
	may_fail(exists ? EOPNOTSUPP : ENODEV);
	if (arg.probe.interval_ms > RDMAEV_PROBE_INTERVAL_MAX_MS)
		may_fail(EINVAL);
	if (one_in(10)) {
		arg.probe.flags = 1U << below(32);
		may_fail(EINVAL);
	}
	run(r, c, &arg);
}

#define LIST(number, type, entry_number, entry_type, all) {			\
	.nr = RDMAEV_IOC_##number, .name = #number,				\
	.size = sizeof(struct type), .min_size = sizeof(struct type),		\
	.entry = sizeof(struct entry_type),					\
	.min_entry = RDMAEV_##entry_number##_SIZE_VER0, .flags = all,		\
	.answers = 1, .act = act_list,				\
}

#define COMMAND(number, type, function, is_answer) {				\
	.nr = RDMAEV_IOC_##number, .name = #number,				\
	.size = sizeof(struct type), .min_size = RDMAEV_##number##_SIZE_VER0,	\
	.answers = is_answer, .act = function,					\
}

static const struct command commands[] = {
	COMMAND(INFO, rdmaev_info, act_info, 1),
	COMMAND(FILTER, rdmaev_filter, act_filter, 0),
	COMMAND(WAKEUP, rdmaev_wakeup, act_wakeup, 0),
	COMMAND(NOTIFY, rdmaev_notify, act_notify, 0),
	LIST(DEVICES, rdmaev_devices, DEVICE, rdmaev_device, RDMAEV_DEVICES_REMOVED),
	LIST(PORTS, rdmaev_ports, PORT, rdmaev_port, RDMAEV_PORTS_REMOVED),
	LIST(CQS, rdmaev_cqs, CQ_STATS, rdmaev_cq_stats, RDMAEV_CQS_SUMS),
	LIST(COUNTERS, rdmaev_counters, COUNTER, rdmaev_counter, RDMAEV_COUNTERS_REMOVED),
	LIST(PROBES, rdmaev_probes, PROBE, rdmaev_probe, 0),
	LIST(QPS, rdmaev_qps, QP, rdmaev_qp, 0),
	{
		.nr = RDMAEV_IOC_PROBE, .name = "PROBE",
		.size = sizeof(struct rdmaev_probe_set),
		.min_size = RDMAEV_PROBE_SET_SIZE_VER0, .act = act_probe,
	},
};

/* Numbers of no ioctl */
static void act_unknown(struct reader *r)
{
	/* RDMAEV_IOC_RELEASE hangs up the reader: it is not in the table. */
	static const unsigned int more = _IOC_NR(RDMAEV_IOC_QPS) + 1;
	unsigned int nr;

	switch (below(3)) {
	case 0:
		nr = _IO(RDMAEV_IOC_TYPE, more + below(256 - more));
		break;
	case 1:
		nr = _IOC(1 + below(3), RDMAEV_IOC_TYPE, below(more), below(1 << _IOC_SIZEBITS));
		break;
	default:
		nr = _IO(0xe0 + below(13), below(256));
		break;
	}
	begin_call("ioctl", nr, 0, 0);
	may_fail(ENOTTY);
	make_call(r, nr, place(ARGUMENT, 64).addr);
}

void do_ioctl(struct reader *r)
{
	const struct command *c;

	if (one_in(16)) {
		act_unknown(r);
		return;
	}
	c = &commands[below(ARRAY_SIZE(commands))];
	begin_call(c->name, r - fuzz.readers, 0, 0);
	c->act(r, c);
}
