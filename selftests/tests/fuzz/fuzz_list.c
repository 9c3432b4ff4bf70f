// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The fuzzer's lists: with entries of any size and with room for any number of
 * them, each has to be a part of the complete list.
 */
#include <stddef.h>

#include "fuzz_ioctl.h"

#define ROOM		2048U		/* entries to compare with */

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
		    c->nr == RDMAEV_IOC_PROBES || c->nr == RDMAEV_IOC_QPS ||
		    !(arg->list.flags & RDMAEV_PORTS_REMOVED))
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
		arg->counters.port = one_in(2) ? RDMAEV_ANY : one_in(4) ? RDMAEV_NO_PORT : below(4);
		break;
	case RDMAEV_IOC_PROBES:
		arg->probes.device = device;
		break;
	case RDMAEV_IOC_QPS:
		arg->qps.device = device;
		arg->qps.after = one_in(2) ? 0 : odd_number();
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

void act_list(struct reader *r, const struct command *c)
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
			  c->nr == RDMAEV_IOC_PROBES || c->nr == RDMAEV_IOC_QPS)) {
		uint32_t *reserved = c->nr == RDMAEV_IOC_PORTS ? &arg.ports.reserved :
				     c->nr == RDMAEV_IOC_CQS ? &arg.cqs.reserved :
				     c->nr == RDMAEV_IOC_QPS ? &arg.qps.reserved :
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
