// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The fuzzer's ioctls. Each begins with a valid structure; then parts of it are
 * made wrong, which determines how the call may fail.
 */
#include <stddef.h>

#include "fuzz.h"

#define PAGE		4096U
#define ROOM		2048U		/* entries to compare with */

union arg {
	char bytes[2 * PAGE];
	__u32 size;
	struct rdmaev_info info;
	struct rdmaev_filter filter;
	struct rdmaev_wakeup wakeup;
	struct rdmaev_notify notify;
	struct rdmaev_devices list;	/* common to all lists */
	struct rdmaev_ports ports;
	struct rdmaev_cqs cqs;
	struct rdmaev_counters counters;
	struct rdmaev_probes probes;
	struct rdmaev_probe_set probe;
};

/**
 * struct command - an ioctl
 * @nr: its number
 * @name: its name
 * @size: size of its structure
 * @min_size: size in the first version that had it
 * @entry: size of an entry of the list
 * @min_entry: size of an entry in the first version
 * @flags: valid flags
 * @answers: it writes to its structure
 * @act: function that makes a call
 */
struct command {
	unsigned int nr;
	const char *name;
	uint32_t size;
	uint32_t min_size;
	uint32_t entry;
	uint32_t min_entry;
	uint32_t flags;
	int answers;
	void (*act)(struct reader *r, const struct command *c);
};

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
static uint32_t choose_size(const struct command *c, int *tail)
{
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
		return c->min_size + below(c->size - c->min_size + 1);
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

/* Make the call, with @arg at any place. 0: it has failed. */
static int run(struct reader *r, const struct command *c, union arg *arg)
{
	uint32_t size, image, changed = 0;
	struct place p;
	int tail, ok;

	size = choose_size(c, &tail);
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

static uint32_t choose_bits(uint32_t valid)
{
	switch (below(4)) {
	case 0:
		return 0;
	case 1:
		return valid;
	default:
		return rnd() & valid;
	}
}

/* A bit that is not valid */
uint32_t wrong_bit(uint32_t valid)
{
	uint32_t bit;

	do {
		bit = 1U << below(32);
	} while (bit & valid);
	return bit;
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

#define KINDS		0xffeU
#define SEVERITIES		0x0eU
#define OBJECT_TYPES	0x7fU

/* A valid name; there may be no device of this name. */
static const char *choose_name(void)
{
	static const char * const names[] = {
		"sim0", "sim0", "sim*", "fuzz*", "*", "sim0*", "sim", "nobody",
		"01234567890123456789012345678901234567890123456789012345678901*",
	};
	static char name[16];

	if (one_in(2))
		return names[below(ARRAY_SIZE(names))];
	snprintf(name, sizeof(name), "fuzz%u%s", below(DEVICES), one_in(4) ? "*" : "");
	return name;
}

void fill_filter(struct rdmaev_filter *f)
{
	unsigned int i, n;

	f->kinds = choose_bits(KINDS);
	f->severities = one_in(2) ? 0 : choose_bits(SEVERITIES);
	f->object_types = one_in(2) ? 0 : choose_bits(OBJECT_TYPES);
	f->flags = one_in(4) ? choose_bits(RDMAEV_FILTER_OBJECT | RDMAEV_FILTER_PID) : 0;
	if (f->flags & RDMAEV_FILTER_OBJECT)
		f->object = one_in(2) ? below(512) : odd_number();
	if (f->flags & RDMAEV_FILTER_PID)
		f->pid = one_in(2) ? 0 : odd_number();
	if (one_in(3)) {
		for (i = 1; i <= RDMAEV_KIND_MAX; i++)
			if (one_in(2))
				filter_codes(f, i, rnd() | 1ULL << (one_in(2) ? 63 : below(63)));
	}
	if (one_in(3)) {
		n = one_in(4) ? RDMAEV_TARGETS : below(RDMAEV_TARGETS);
		for (i = 0; i < n; i++)
			filter_target(f, choose_name(), one_in(8) ? odd_number() : below(4));
	}
}

static void spoil_codes(struct rdmaev_filter *f)
{
	struct rdmaev_filter_codes *last = &f->kind_code[RDMAEV_FILTER_CODES - 1];

	switch (below(5)) {
	case 0:
		f->kind_codes = RDMAEV_FILTER_CODES + 1 +
				(uint32_t)(odd_number() >> 1 & 0x7fffffff);
		break;
	case 1:
		/* an unused entry */
		if (one_in(2))
			last->kind = 1U << below(32);
		else
			last->codes = 1ULL << below(64);
		break;
	case 2:
		f->reserved = 1U << below(32);
		break;
	case 3:
		f->kind_codes = 1;
		f->kind_code[0].codes = 0;
		break;
	default:
		f->kind_codes = 1;
		f->kind_code[0].kind = one_in(2) ? 0 : RDMAEV_KIND_MAX + 1 + below(64);
		f->kind_code[0].codes = 1;
		break;
	}
}

static void spoil_target(struct rdmaev_filter *f)
{
	struct rdmaev_target *t = &f->target[0];
	size_t len;

	/* They may be wrong already. */
	if (f->targets && f->targets <= RDMAEV_TARGETS)
		t += below(f->targets);
	else
		f->targets = 1;
	memset(t->device, 0, sizeof(t->device));
	strcpy(t->device, choose_name());
	len = strlen(t->device);
	switch (below(4)) {
	case 0:
		memset(t->device, 0, sizeof(t->device));
		break;
	case 1:
		memset(t->device, 'a' + below(26), sizeof(t->device));
		break;
	case 2:		/* not at the end */
		t->device[below(len)] = '*';
		t->device[len] = 'a';
		break;
	default:	/* after the end, or without one */
		t->device[len + 1 < sizeof(t->device) ?
			  len + 1 + below(sizeof(t->device) - len - 1) : len] = 1 + below(255);
		break;
	}
}

static void spoil_filter(struct rdmaev_filter *f)
{
	struct rdmaev_target *t;

	may_fail(EINVAL);
	switch (below(10)) {
	case 0:
		f->flags |= wrong_bit(RDMAEV_FILTER_OBJECT | RDMAEV_FILTER_PID);
		break;
	case 1:
		f->kinds |= wrong_bit(KINDS);
		break;
	case 2:
		f->severities |= wrong_bit(SEVERITIES);
		break;
	case 3:
		f->object_types |= wrong_bit(OBJECT_TYPES);
		break;
	case 4:
		spoil_codes(f);
		break;
	case 5:
		f->flags &= ~RDMAEV_FILTER_OBJECT;
		f->object = 1U << below(32);
		break;
	case 6:
		f->flags &= ~RDMAEV_FILTER_PID;
		f->pid = 1U << below(32);
		break;
	case 7:
		f->targets = RDMAEV_TARGETS + 1 + (uint32_t)(odd_number() >> 1 & 0x7fffffff);
		break;
	case 8:
		spoil_target(f);
		break;
	default:
		/* An unused entry */
		f->targets = below(RDMAEV_TARGETS);
		memset(&f->target[f->targets], 0,
		       (RDMAEV_TARGETS - f->targets) * sizeof(f->target[0]));
		t = &f->target[one_in(2) ? f->targets :
			       f->targets + below(RDMAEV_TARGETS - f->targets)];
		if (one_in(2))
			t->device[below(sizeof(t->device))] = 1 + below(255);
		else
			t->port = 1U << below(32);
		break;
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

/* Choose the selection; ENODEV if the device does not exist. */
static void choose_what(const struct command *c, union arg *arg)
{
	uint32_t device;
	int exists;

	arg->list.flags = choose_bits(c->flags);
	if (c->nr == RDMAEV_IOC_DEVICES)
		return;
	device = choose_device(&exists);
	if (one_in(2)) {
		device = RDMAEV_ANY;
	} else if (!exists) {
		/* A removed device is listed on request. */
		if (!fuzz.has_gone || device != fuzz.gone || c->nr == RDMAEV_IOC_CQS ||
		    c->nr == RDMAEV_IOC_PROBES || !(arg->list.flags & RDMAEV_PORTS_REMOVED))
			may_fail(ENODEV);
	}
	switch (c->nr) {
	case RDMAEV_IOC_PORTS:
		arg->ports.device = device;
		break;
	case RDMAEV_IOC_CQS:
		arg->cqs.device = device;
		arg->cqs.after = one_in(2) ? 0 : one_in(4) ? odd_number() : below(8);
		break;
	case RDMAEV_IOC_COUNTERS:
		arg->counters.device = device;
		arg->counters.port = one_in(2) ? RDMAEV_ANY : below(4);
		break;
	case RDMAEV_IOC_PROBES:
		arg->probes.device = device;
		break;
	}
}

static char answer[ROOM * sizeof(struct rdmaev_cq_stats)];

/* Compare with the complete list. 0: it failed. */
static int ask_plainly(struct reader *r, const struct command *c, const union arg *what,
		       uint32_t *count)
{
	union arg arg = *what;
	int ret;

	arg.size = c->size;
	arg.list.entry_size = c->entry;
	arg.list.count = ROOM;
	arg.list.entries = (uintptr_t)answer;
	ret = ioctl(r->fd, c->nr, &arg);
	judge(ret, errno);
	*count = ret ? 0 : arg.list.count;
	if (*count > ROOM)
		bad("%u are more than there can be", *count);
	return !ret;
}

static void check_flags(const struct command *c, const union arg *arg, uint32_t count)
{
	const struct rdmaev_device *devices = (void *)answer;
	const struct rdmaev_cq_stats *stats = (void *)answer;
	unsigned int i, j, live = 0;

	if (c->nr == RDMAEV_IOC_DEVICES) {
		for (i = 0; i < count; i++)
			live += !(devices[i].flags & RDMAEV_DEVICE_FLAG_REMOVED);
		if (live != fuzz.nlive || (!arg->list.flags && live != count))
			bad("%u devices, %u of which are there, and not %u", count, live,
			    fuzz.nlive);
	}
	if (c->nr != RDMAEV_IOC_CQS || arg->list.flags)
		return;
	for (i = 0; i < count; i++) {
		if (i && stats[i].id <= stats[i - 1].id)
			bad("CQs are not in their order");
		for (j = 0; j < fuzz.ncqs; j++) {
			if (stats[i].cq == fuzz.cqs[j].number &&
			    !(stats[i].flags & RDMAEV_CQ_NOTIFIED) != !fuzz.cqs[j].owner)
				bad("flags of CQ %u are 0x%x", stats[i].cq, stats[i].flags);
		}
	}
}

static int same_entries(const struct command *c, const char *view, uint32_t entry_size,
			uint32_t n)
{
	const size_t last = offsetof(struct rdmaev_cq_stats, last_ns);
	uint32_t known = entry_size < c->entry ? entry_size : c->entry, i;

	for (i = 0; i < n; i++) {
		const char *theirs = view + i * entry_size, *ours = answer + i * c->entry;

		if (c->nr != RDMAEV_IOC_CQS) {
			if (memcmp(theirs, ours, known))
				return 0;
			continue;
		}
		/* The time of the last use is accurate to some ticks only. */
		if (memcmp(theirs, ours, last) ||
		    memcmp(theirs + last + 8, ours + last + 8, known - last - 8))
			return 0;
	}
	return 1;
}

static int zero_behind(const struct command *c, const char *view, uint32_t entry_size,
		       uint32_t n)
{
	uint32_t i, j;

	for (i = 0; i < n; i++) {
		for (j = c->entry; j < entry_size; j++) {
			if (view[i * entry_size + j])
				return 0;
		}
	}
	return 1;
}

static uint32_t choose_entry_size(const struct command *c)
{
	switch (below(12)) {
	case 0:
		may_fail(EINVAL);
		return one_in(2) ? c->min_entry - 1 : below(c->min_entry);
	case 1:
		may_fail(EINVAL);
		return PAGE + 1 + below(one_in(2) ? 8 : ~0U - PAGE);
	case 2:
		return c->min_entry;
	case 3:
		return c->min_entry + below(c->entry - c->min_entry + 1);
	case 4:
		return c->entry + below(64);
	case 5:
		return PAGE;
	default:
		return c->entry;
	}
}

static uint32_t choose_count(const struct command *c, uint32_t there)
{
	uint32_t count = there;

	switch (below(8)) {
	case 0:
		count = 0;
		break;
	case 1:
		count = there ? there - 1 : 0;
		break;
	case 2:
		count = there + 1;
		break;
	case 3:
		count = ~0U;
		break;
	case 4:
		count = odd_number();
		break;
	}
	/*
	 * Counters added meanwhile would look like bytes written beyond the
	 * end.
	 */
	if (c->nr == RDMAEV_IOC_COUNTERS && count > there)
		count = there;
	return count;
}

/* A list with another entry size must equal one with the usual size. */
static void check_list(struct reader *r, const struct command *c, const union arg *what,
		       const union arg *arg, const struct place *p, uint32_t n,
		       uint32_t entry_size, uint64_t newest)
{
	uint32_t count;

	if (!zero_behind(c, p->view, entry_size, n))
		bad("what it does not know of an entry is not zero");
	if (arg->list.seq < newest || arg->list.seq > log_newest())
		bad("seq %llu, and not %llu", (unsigned long long)arg->list.seq,
		    (unsigned long long)newest);
	if (same_entries(c, p->view, entry_size, n))
		return;
	/* Events may have come in between. */
	ask_plainly(r, c, what, &count);
	if (!same_entries(c, p->view, entry_size, n) && log_newest() == newest)
		bad("entries are not as they are for others");
}

static void act_list(struct reader *r, const struct command *c)
{
	uint32_t there, n = 0, entry_size, count;
	union arg what = {}, arg;
	uint64_t newest, bytes;
	struct place p;

	newest = log_newest();
	choose_what(c, &what);
	if (ask_plainly(r, c, &what, &there)) {
		check_flags(c, &what, there);
		log_catch_up();
		if (c->nr == RDMAEV_IOC_COUNTERS && !fuzz.racing)
			check_counters((void *)answer, there, what.list.flags,
				       what.counters.device, what.counters.port, newest);
	}

	arg = what;
	arg.list.seq = one_in(4) ? rnd() : 0;
	if (one_in(8)) {
		arg.list.flags |= wrong_bit(c->flags);
		may_fail(EINVAL);
	}
	if (one_in(8) && (c->nr == RDMAEV_IOC_PORTS || c->nr == RDMAEV_IOC_CQS ||
			  c->nr == RDMAEV_IOC_PROBES)) {
		uint32_t *reserved = c->nr == RDMAEV_IOC_PORTS ? &arg.ports.reserved :
				     c->nr == RDMAEV_IOC_CQS ? &arg.cqs.reserved :
							       &arg.probes.reserved;

		*reserved = 1U << below(32);
		may_fail(EINVAL);
	}
	entry_size = choose_entry_size(c);
	count = choose_count(c, there);
	if (!fuzz.nallowed)
		n = count < there ? count : there;
	bytes = (uint64_t)n * entry_size;
	p = place(POINTED, bytes);
	if (p.writable < bytes)
		may_fail(EFAULT);
	guard(&p, bytes);
	arg.list.entry_size = entry_size;
	arg.list.count = count;
	arg.list.entries = (uintptr_t)p.addr;
	if (run(r, c, &arg) && !fuzz.racing) {
		log_catch_up();
		if (arg.list.count != there && log_newest() == newest)
			bad("%u, and not %u", arg.list.count, there);
		if (n)
			check_list(r, c, &what, &arg, &p, n, entry_size, newest);
	}
	check_guard(&p, bytes < p.writable ? bytes : p.writable, bytes);
}

#define LIST(number, type, entry_type, all) {					\
	.nr = RDMAEV_IOC_##number, .name = #number,				\
	.size = sizeof(struct type), .min_size = sizeof(struct type),		\
	.entry = sizeof(struct entry_type),					\
	.min_entry = sizeof(struct entry_type), .flags = all,			\
	.answers = 1, .act = act_list,				\
}

#define COMMAND(number, type, function, is_answer) {				\
	.nr = RDMAEV_IOC_##number, .name = #number,				\
	.size = sizeof(struct type), .min_size = sizeof(struct type),		\
	.answers = is_answer, .act = function,					\
}

static const struct command commands[] = {
	COMMAND(INFO, rdmaev_info, act_info, 1),
	COMMAND(FILTER, rdmaev_filter, act_filter, 0),
	COMMAND(WAKEUP, rdmaev_wakeup, act_wakeup, 0),
	COMMAND(NOTIFY, rdmaev_notify, act_notify, 0),
	LIST(DEVICES, rdmaev_devices, rdmaev_device, RDMAEV_DEVICES_REMOVED),
	LIST(PORTS, rdmaev_ports, rdmaev_port, RDMAEV_PORTS_REMOVED),
	LIST(CQS, rdmaev_cqs, rdmaev_cq_stats, RDMAEV_CQS_SUMS),
	LIST(COUNTERS, rdmaev_counters, rdmaev_counter, RDMAEV_COUNTERS_REMOVED),
	LIST(PROBES, rdmaev_probes, rdmaev_probe, 0),
	COMMAND(PROBE, rdmaev_probe_set, act_probe, 0),
};

/* Numbers of no ioctl */
static void act_unknown(struct reader *r)
{
	/* RDMAEV_IOC_RELEASE hangs up the reader: it is not in the table. */
	static const unsigned int more = _IOC_NR(RDMAEV_IOC_PROBE) + 1;
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
