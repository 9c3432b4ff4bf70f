// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The fuzzer's filters: valid ones, and what is wrong in others */
#include "fuzz_ioctl.h"

uint32_t choose_bits(uint32_t valid)
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
	f->flags = one_in(4) ? choose_bits(RDMAEV_FILTER_OBJECT | RDMAEV_FILTER_PID |
					   RDMAEV_FILTER_UID | RDMAEV_FILTER_CGROUP) : 0;
	if (f->flags & RDMAEV_FILTER_OBJECT)
		f->object = one_in(2) ? below(512) : odd_number();
	if (f->flags & RDMAEV_FILTER_PID)
		f->pid = one_in(2) ? 0 : odd_number();
	if (f->flags & RDMAEV_FILTER_UID)
		f->uid = one_in(2) ? 0 : odd_number();
	if (f->flags & RDMAEV_FILTER_CGROUP)
		f->cgroup = one_in(2) ? 1 : rnd();
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
	if (one_in(2))
		f->reserved[below(sizeof(f->reserved))] = 1U << below(8);
	else
		f->codes[one_in(2) ? 0 : RDMAEV_KIND_MAX + 1 + below(31 - RDMAEV_KIND_MAX)] =
			1ULL << below(64);
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
	switch (below(6)) {
	case 4:
		t->flags |= wrong_bit(RDMAEV_TARGET_PORT);
		break;
	case 5:
		t->flags = 0;
		t->port = 1U << below(32);
		break;
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

void spoil_filter(struct rdmaev_filter *f)
{
	struct rdmaev_target *t;

	may_fail(EINVAL);
	switch (below(10)) {
	case 0:
		f->flags |= wrong_bit(RDMAEV_FILTER_OBJECT | RDMAEV_FILTER_PID |
				      RDMAEV_FILTER_UID | RDMAEV_FILTER_CGROUP);
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
