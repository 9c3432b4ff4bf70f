// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A filter as attributes of a request. */
#include <rdma/rdmaev_netlink.h>
#include <string.h>

#include "genl.h"

#define FLAGS	(RDMAEV_FILTER_OBJECT | RDMAEV_FILTER_PID | RDMAEV_FILTER_UID |	\
		 RDMAEV_FILTER_CGROUP)

/*
 * Return true if attributes can express the whole filter. The kernel validates
 * the rest.
 */
bool nl_is_filter(const struct rdmaev_filter *f)
{
	size_t i;

	if (f->flags & ~FLAGS || !is_zero(f->reserved, sizeof(f->reserved)) ||
	    f->targets > RDMAEV_TARGETS ||
	    (f->object && !(f->flags & RDMAEV_FILTER_OBJECT)) ||
	    (f->pid && !(f->flags & RDMAEV_FILTER_PID)) ||
	    (f->uid && !(f->flags & RDMAEV_FILTER_UID)) ||
	    (f->cgroup && !(f->flags & RDMAEV_FILTER_CGROUP)))
		return false;
	for (i = 0; i < f->targets; i++) {
		const struct rdmaev_target *t = &f->target[i];
		size_t len = strnlen(t->device, RDMAEV_DEVICE_NAME_SIZE);

		if (!is_zero(t->device + len, RDMAEV_DEVICE_NAME_SIZE - len) ||
		    t->flags & ~RDMAEV_TARGET_PORT || (t->port && !t->flags))
			return false;
	}
	return is_zero(&f->target[f->targets],
		       (RDMAEV_TARGETS - f->targets) * sizeof(f->target[0]));
}

void nl_put_filter(struct request *r, const struct rdmaev_filter *f)
{
	size_t filter = genl_nest_begin(r, RDMAEV_A_RECORD_FILTER);
	size_t nest, i;

	genl_put_u32(r, RDMAEV_A_FILTER_KINDS, f->kinds);
	genl_put_u32(r, RDMAEV_A_FILTER_SEVERITIES, f->severities);
	genl_put_u32(r, RDMAEV_A_FILTER_OBJECT_TYPES, f->object_types);
	if (f->flags & RDMAEV_FILTER_OBJECT)
		genl_put_u32(r, RDMAEV_A_FILTER_OBJECT, f->object);
	if (f->flags & RDMAEV_FILTER_PID)
		genl_put_u32(r, RDMAEV_A_FILTER_PID, f->pid);
	if (f->flags & RDMAEV_FILTER_UID)
		genl_put_u32(r, RDMAEV_A_FILTER_UID, f->uid);
	if (f->flags & RDMAEV_FILTER_CGROUP)
		genl_put(r, RDMAEV_A_FILTER_CGROUP, &f->cgroup, sizeof(f->cgroup));
	for (i = 0; i < ARRAY_SIZE(f->codes); i++) {
		if (!f->codes[i])
			continue;
		nest = genl_nest_begin(r, RDMAEV_A_FILTER_KIND_CODE);
		genl_put_u32(r, RDMAEV_A_KIND_CODE_KIND, (uint32_t)i);
		genl_put(r, RDMAEV_A_KIND_CODE_CODES, &f->codes[i], sizeof(f->codes[i]));
		genl_nest_end(r, nest);
	}
	for (i = 0; i < f->targets; i++) {
		const struct rdmaev_target *t = &f->target[i];
		size_t len = strnlen(t->device, RDMAEV_DEVICE_NAME_SIZE);

		nest = genl_nest_begin(r, RDMAEV_A_FILTER_TARGET);
		/* With the NUL, if there is one: else the kernel refuses it. */
		genl_put(r, RDMAEV_A_TARGET_DEVICE_NAME, t->device,
			 len < RDMAEV_DEVICE_NAME_SIZE ? len + 1 : len);
		if (t->flags & RDMAEV_TARGET_PORT)
			genl_put_u32(r, RDMAEV_A_TARGET_PORT, t->port);
		genl_nest_end(r, nest);
	}
	genl_nest_end(r, filter);
}
