// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Filters of recordings: the same records pass as in the kernel. */
#include <string.h>

#include "recording.h"

#define FLAGS		(RDMAEV_FILTER_OBJECT | RDMAEV_FILTER_PID | RDMAEV_FILTER_UID |	\
			 RDMAEV_FILTER_CGROUP)
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

	return !(t->flags & ~RDMAEV_TARGET_PORT) && (t->flags || !t->port) &&
	       len && len < sizeof(t->device) &&
	       !memchr(t->device, '*', prefix_len(t->device)) &&
	       is_zero(t->device + len, sizeof(t->device) - len);
}

static bool codes_are_valid(const struct rdmaev_filter *f)
{
	unsigned int kind;

	for (kind = 0; kind < ARRAY_SIZE(f->codes); kind++)
		if (f->codes[kind] && !has_bit(KINDS, kind))
			return false;
	return true;
}

bool recording_filter_is_valid(const struct rdmaev_filter *f)
{
	uint32_t i;

	if (f->flags & ~FLAGS || f->kinds & ~KINDS || f->severities & ~SEVERITIES ||
	    f->object_types & ~OBJECT_TYPES || f->targets > RDMAEV_TARGETS ||
	    !is_zero(f->reserved, sizeof(f->reserved)) ||
	    (f->object && !(f->flags & RDMAEV_FILTER_OBJECT)) ||
	    (f->pid && !(f->flags & RDMAEV_FILTER_PID)) ||
	    (f->uid && !(f->flags & RDMAEV_FILTER_UID)) ||
	    (f->cgroup && !(f->flags & RDMAEV_FILTER_CGROUP)) || !codes_are_valid(f))
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
	bool has_old_name = r->kind == RDMAEV_KIND_DEVICE && *r->body.device.old_name;
	uint32_t i;

	/* The observer observes all devices. */
	if (!f->targets || r->kind == RDMAEV_KIND_OBSERVER)
		return true;
	if (!*r->device_name)
		return false;
	for (i = 0; i < f->targets; i++) {
		const struct rdmaev_target *t = &f->target[i];

		if (t->flags & RDMAEV_TARGET_PORT && r->port != RDMAEV_NO_PORT &&
		    t->port != r->port)
			continue;
		if (name_matches(t, r->device_name) ||
		    (has_old_name && name_matches(t, r->body.device.old_name)))
			return true;
	}
	return false;
}

static bool has_code(const struct rdmaev_filter *f, const struct rdmaev_record *r)
{
	unsigned int bit = r->code < RDMAEV_CODE_BIT_OTHER ? r->code : RDMAEV_CODE_BIT_OTHER;

	return r->kind >= ARRAY_SIZE(f->codes) || !f->codes[r->kind] ||
	       f->codes[r->kind] & 1ULL << bit;
}

static bool has_owner(const struct rdmaev_filter *f, const struct rdmaev_record *r)
{
	const struct rdmaev_object_info *info = &r->body.info;

	if (f->flags & RDMAEV_FILTER_PID && f->pid != r->pid)
		return false;
	if (!(f->flags & (RDMAEV_FILTER_UID | RDMAEV_FILTER_CGROUP)))
		return true;
	/* These kinds have owners. */
	if ((r->kind != RDMAEV_KIND_ASYNC && r->kind != RDMAEV_KIND_QP &&
	     r->kind != RDMAEV_KIND_CM && r->kind != RDMAEV_KIND_OBSERVER) ||
	    !(info->known & RDMAEV_KNOWN_UID) ||
	    (f->flags & RDMAEV_FILTER_UID && f->uid != info->uid))
		return false;
	return !(f->flags & RDMAEV_FILTER_CGROUP) ||
	       (info->known & RDMAEV_KNOWN_CGROUP && f->cgroup == info->cgroup);
}

bool recording_filter_match(const struct rdmaev_filter *f, const struct rdmaev_record *r)
{
	if (r->kind == RDMAEV_KIND_LOST)
		return true;
	return (!f->kinds || has_bit(f->kinds, r->kind)) && has_code(f, r) &&
	       (!f->severities || has_bit(f->severities, r->severity)) &&
	       (!f->object_types || has_bit(f->object_types, r->object_type)) &&
	       (!(f->flags & RDMAEV_FILTER_OBJECT) || f->object == r->object) &&
	       has_owner(f, r) && has_target(f, r);
}
