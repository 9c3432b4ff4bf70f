// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Filters of readers: checked, prepared, and matched with records */
#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/uidgid.h>

#include "device/access.h"
#include "filter.h"
#include "log/catalogue.h"
#include "log/log.h"

/* Length of a name without the `*` at its end. */
static size_t filter_prefix_len(const char *name)
{
	size_t len = strnlen(name, RDMAEV_DEVICE_NAME_SIZE);

	return len && name[len - 1] == '*' ? len - 1 : len;
}

/**
 * rdmaev_target_is_valid - check a target of a filter
 * @t: target, passed by a program
 *
 * Return: true if it conforms to the ABI header.
 */
bool rdmaev_target_is_valid(const struct rdmaev_target *t)
{
	size_t len = strnlen(t->device, sizeof(t->device));

	return !(t->flags & ~RDMAEV_TARGET_PORT) && (t->flags || !t->port) &&
	       len && len < sizeof(t->device) &&
	       !memchr(t->device, '*', filter_prefix_len(t->device)) &&
	       !memchr_inv(t->device + len, 0, sizeof(t->device) - len);
}

/* Number of bytes to compare: up to the `*`, or a whole name with the NUL. */
static u8 filter_target_len(const struct rdmaev_target *t)
{
	size_t len = filter_prefix_len(t->device);

	return t->device[len] ? len : len + 1;
}

static bool filter_has_target(const struct rdmaev_match *m,
			      const struct rdmaev_record *rec)
{
	const struct rdmaev_filter *f = m->filter;
	const char *old_name = NULL;
	unsigned int i;

	/* The observer observes all devices. */
	if (!f->targets || rec->kind == RDMAEV_KIND_OBSERVER)
		return true;
	if (!rec->device_name[0])
		return false;
	if (rec->kind == RDMAEV_KIND_DEVICE && rec->body.device.old_name[0])
		old_name = rec->body.device.old_name;
	for (i = 0; i < f->targets; i++) {
		const struct rdmaev_target *t = &f->target[i];
		size_t len = m->target_len[i];

		if (t->flags & RDMAEV_TARGET_PORT && rec->port != RDMAEV_NO_PORT &&
		    t->port != rec->port)
			continue;
		if (!memcmp(t->device, rec->device_name, len) ||
		    (old_name && !memcmp(t->device, old_name, len)))
			return true;
	}
	return false;
}

/**
 * rdmaev_filter_is_valid - check a filter
 * @f: filter, passed by a program
 *
 * Return: true if it conforms to the ABI header.
 */
bool rdmaev_filter_is_valid(const struct rdmaev_filter *f)
{
	const u32 kinds = GENMASK(RDMAEV_KIND_MAX, RDMAEV_KIND_DEVICE);
	const u32 severities = GENMASK(RDMAEV_SEVERITY_ERROR, RDMAEV_SEVERITY_INFO);
	const u32 types = GENMASK(RDMAEV_OBJECT_WQ, RDMAEV_OBJECT_NONE);
	const u32 flags = RDMAEV_FILTER_OBJECT | RDMAEV_FILTER_PID | RDMAEV_FILTER_UID |
			  RDMAEV_FILTER_CGROUP;
	unsigned int i;

	if (f->flags & ~flags || f->kinds & ~kinds || f->severities & ~severities ||
	    f->object_types & ~types || f->targets > RDMAEV_TARGETS ||
	    memchr_inv(f->reserved, 0, sizeof(f->reserved)))
		return false;
	if ((f->object && !(f->flags & RDMAEV_FILTER_OBJECT)) ||
	    (f->pid && !(f->flags & RDMAEV_FILTER_PID)) ||
	    (f->uid && !(f->flags & RDMAEV_FILTER_UID)) ||
	    (f->cgroup && !(f->flags & RDMAEV_FILTER_CGROUP)))
		return false;
	for (i = 0; i < ARRAY_SIZE(f->codes); i++) {
		if (f->codes[i] && !(kinds & BIT(i)))
			return false;
	}
	for (i = 0; i < f->targets; i++) {
		if (!rdmaev_target_is_valid(&f->target[i]))
			return false;
	}
	return !memchr_inv(&f->target[f->targets], 0,
			   (RDMAEV_TARGETS - f->targets) * sizeof(f->target[0]));
}

/* Rings in which records of a kind can be besides the one of the usual case */
static unsigned int filter_other_rings(unsigned int kind)
{
	switch (kind) {
	case RDMAEV_KIND_QP:
	case RDMAEV_KIND_CM:
	case RDMAEV_KIND_OBSERVER:
		return BIT(RDMAEV_RING_USER);
	case RDMAEV_KIND_WC:
		return BIT(RDMAEV_RING_INFO);
	default:
		return 0;
	}
}

/* Can records of a kind have a code that the catalogue does not have? */
static bool filter_can_be_unknown(unsigned int kind)
{
	return kind == RDMAEV_KIND_ASYNC || kind == RDMAEV_KIND_WC || kind == RDMAEV_KIND_QP ||
	       kind == RDMAEV_KIND_CM;
}

static unsigned int filter_rings(unsigned int kind, u64 codes)
{
	unsigned int code, rings = filter_other_rings(kind);
	struct rdmaev_event_traits traits;

	for (code = 0; code <= RDMAEV_CODE_BIT_OTHER; code++) {
		if (!(codes & BIT_ULL(code)) ||
		    (!rdmaev_is_known_code(kind, code) && !filter_can_be_unknown(kind)))
			continue;
		traits = rdmaev_event_traits(kind, code);
		rings |= BIT(traits.ring);
		/* Others may be about an object of a process. */
		if (kind == RDMAEV_KIND_ASYNC && traits.object_type != RDMAEV_OBJECT_DEVICE &&
		    traits.object_type != RDMAEV_OBJECT_PORT)
			rings |= BIT(RDMAEV_RING_USER);
	}
	return rings;
}

/*
 * Set the severities, kinds and codes that can pass a filter. Returns the rings
 * that can have them. RDMAEV_KIND_LOST is left out: the log stores no record of
 * that kind.
 */
static unsigned int filter_set_interest(const struct rdmaev_filter *f,
					struct rdmaev_interest *interest)
{
	unsigned int kind, rings = 0;

	memset(interest, 0, sizeof(*interest));
	interest->severities = f->severities ?: GENMASK(RDMAEV_LOG_SEVERITIES - 1, 0);
	for (kind = 0; kind < RDMAEV_KINDS; kind++) {
		if (kind == RDMAEV_KIND_LOST ||
		    (f->kinds && !(f->kinds & BIT(kind))))
			continue;
		interest->codes[kind] = f->codes[kind] ?: U64_MAX;
	}
	for (kind = RDMAEV_KIND_DEVICE; kind < RDMAEV_KINDS; kind++) {
		if (interest->codes[kind])
			rings |= filter_rings(kind, interest->codes[kind]);
	}
	return rings;
}

/** rdmaev_device_bit - return one of 64 bits for a name that ends in zeros */
u64 rdmaev_device_bit(const char *name)
{
	const char *end = name + RDMAEV_DEVICE_NAME_SIZE;
	u64 word, hash = 0;

	for (; name < end; name += sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		if (!word)
			break;
		hash = (hash ^ word) * GOLDEN_RATIO_64;
		hash ^= hash >> 32;
	}
	return BIT_ULL(hash_64(hash, 6));
}

static u64 filter_devices(const struct rdmaev_match *m)
{
	const struct rdmaev_filter *f = m->filter;
	u64 devices = f && f->targets ? 0 : U64_MAX;
	unsigned int i;

	for (i = 0; f && i < f->targets; i++) {
		const char *name = f->target[i].device;

		/* Its `*` stands for any other name. */
		if (name[filter_prefix_len(name)])
			return U64_MAX;
		devices |= rdmaev_device_bit(name);
	}
	return devices;
}

/**
 * rdmaev_match_set - prepare a filter
 * @m: filled in
 * @f: valid filter, which must exist as long as @m is used; NULL: no filter
 * @pid: pid of @f in the pid namespace of records
 * @users: user namespace of @f; NULL: the initial one
 *
 * Return: the rings in which records can be that match, bit n: ring n.
 */
unsigned int rdmaev_match_set(struct rdmaev_match *m,
			      const struct rdmaev_filter *f, u32 pid,
			      struct user_namespace *users)
{
	static const struct rdmaev_filter none;
	unsigned int i;

	m->filter = f;
	m->pid = pid;
	m->users = users;
	for (i = 0; f && i < f->targets; i++)
		m->target_len[i] = filter_target_len(&f->target[i]);
	m->devices = filter_devices(m);
	return filter_set_interest(f ?: &none, &m->interest);
}

static bool filter_has_owner(const struct rdmaev_match *m, const struct rdmaev_record *rec)
{
	const struct rdmaev_filter *f = m->filter;
	u32 uid = rec->body.info.uid;

	if (f->flags & RDMAEV_FILTER_PID && m->pid != rec->pid)
		return false;
	if (!(f->flags & (RDMAEV_FILTER_UID | RDMAEV_FILTER_CGROUP)))
		return true;
	if (!rdmaev_record_has_uid(rec))
		return false;
	if (f->flags & RDMAEV_FILTER_UID) {
		/* As the reader gets it */
		if (m->users)
			uid = from_kuid_munged(m->users, KUIDT_INIT(uid));
		if (f->uid != uid)
			return false;
	}
	return !(f->flags & RDMAEV_FILTER_CGROUP) ||
	       (rec->body.info.known & RDMAEV_KNOWN_CGROUP &&
		f->cgroup == rec->body.info.cgroup);
}

/**
 * rdmaev_match - match a record with a filter
 * @m: filter
 * @rec: record, not that of a loss
 *
 * Return: true if the record passes.
 */
bool rdmaev_match(const struct rdmaev_match *m, const struct rdmaev_record *rec)
{
	const struct rdmaev_filter *f = m->filter;

	if (!f)
		return true;
	return m->interest.codes[rec->kind] &
			BIT_ULL(rdmaev_code_bit(rec->code)) &&
	       m->interest.severities & BIT(rec->severity) &&
	       (!f->object_types || f->object_types & BIT(rec->object_type)) &&
	       (!(f->flags & RDMAEV_FILTER_OBJECT) ||
		f->object == rec->object) &&
	       (!f->flags || filter_has_owner(m, rec)) && filter_has_target(m, rec);
}
