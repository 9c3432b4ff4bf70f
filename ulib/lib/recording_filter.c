// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Filters of recordings: the same records pass as in the kernel. */
#include <string.h>

#include "recording.h"

#define FLAGS		(RDMAEV_FILTER_OBJECT | RDMAEV_FILTER_PID)
#define KINDS		((2U << RDMAEV_KIND_MAX) - 2)
#define SEVERITIES	((2U << RDMAEV_SEVERITY_ERROR) - 2)
#define OBJECT_TYPES	((2U << RDMAEV_OBJECT_WQ) - 1)

static bool has_bit(uint32_t mask, unsigned int bit)
{
	return bit < 32 && mask & 1U << bit;
}

/* Length of a name without the `*` at its end */
static size_t prefix_len(const char *name)
{
	size_t len = strnlen(name, RDMAEV_DEVICE_NAME_SIZE);

	return len && name[len - 1] == '*' ? len - 1 : len;
}

static bool target_is_valid(const struct rdmaev_target *t)
{
	size_t len = strnlen(t->device, sizeof(t->device));

	return len && len < sizeof(t->device) &&
	       !memchr(t->device, '*', prefix_len(t->device)) &&
	       is_zero(t->device + len, sizeof(t->device) - len);
}

static bool codes_are_valid(const struct rdmaev_filter *f)
{
	uint32_t seen = 0, i;

	for (i = 0; i < f->kind_codes; i++) {
		const struct rdmaev_filter_codes *c = &f->kind_code[i];

		if (!has_bit(KINDS & ~seen, c->kind) || !c->codes || c->reserved)
			return false;
		seen |= 1U << c->kind;
	}
	return is_zero(&f->kind_code[f->kind_codes],
		       (RDMAEV_FILTER_CODES - f->kind_codes) * sizeof(f->kind_code[0]));
}

bool recording_filter_is_valid(const struct rdmaev_filter *f)
{
	uint32_t i;

	if (f->flags & ~FLAGS || f->kinds & ~KINDS || f->severities & ~SEVERITIES ||
	    f->object_types & ~OBJECT_TYPES || f->targets > RDMAEV_TARGETS ||
	    f->kind_codes > RDMAEV_FILTER_CODES || f->reserved ||
	    (f->object && !(f->flags & RDMAEV_FILTER_OBJECT)) ||
	    (f->pid && !(f->flags & RDMAEV_FILTER_PID)) || !codes_are_valid(f))
		return false;
	for (i = 0; i < f->targets; i++)
		if (!target_is_valid(&f->target[i]))
			return false;
	return is_zero(&f->target[f->targets],
		       (RDMAEV_TARGETS - f->targets) * sizeof(f->target[0]));
}

static bool name_matches(const struct rdmaev_target *t, const char *name)
{
	size_t len = prefix_len(t->device);

	return !strncmp(t->device, name, len) && (t->device[len] || !name[len]);
}

static bool has_target(const struct rdmaev_filter *f, const struct rdmaev_record *r)
{
	bool is_rename = r->kind == RDMAEV_KIND_DEVICE && r->code == RDMAEV_DEVICE_RENAME;
	uint32_t i;

	/* The observer observes all devices. */
	if (!f->targets || r->kind == RDMAEV_KIND_OBSERVER)
		return true;
	if (!*r->device_name)
		return false;
	for (i = 0; i < f->targets; i++) {
		const struct rdmaev_target *t = &f->target[i];

		if (t->port && r->port && t->port != r->port)
			continue;
		if (name_matches(t, r->device_name) ||
		    (is_rename && name_matches(t, r->body.device.old_name)))
			return true;
	}
	return false;
}

static bool has_code(const struct rdmaev_filter *f, const struct rdmaev_record *r)
{
	unsigned int bit = r->code < RDMAEV_CODE_OTHER ? r->code : RDMAEV_CODE_OTHER;
	uint32_t i;

	for (i = 0; i < f->kind_codes; i++)
		if (f->kind_code[i].kind == r->kind)
			return f->kind_code[i].codes & 1ULL << bit;
	return true;
}

bool recording_filter_match(const struct rdmaev_filter *f, const struct rdmaev_record *r)
{
	if (r->kind == RDMAEV_KIND_LOST)
		return true;
	return (!f->kinds || has_bit(f->kinds, r->kind)) && has_code(f, r) &&
	       (!f->severities || has_bit(f->severities, r->severity)) &&
	       (!f->object_types || has_bit(f->object_types, r->object_type)) &&
	       (!(f->flags & RDMAEV_FILTER_OBJECT) || f->object == r->object) &&
	       (!(f->flags & RDMAEV_FILTER_PID) || f->pid == r->pid) && has_target(f, r);
}
