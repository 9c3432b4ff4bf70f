// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Finds a device. Linux 7.3 has no ib_device_get_by_name(), but a client is shown all devices
 * while it registers.
 */
#include <linux/mutex.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "gen.h"

static DEFINE_MUTEX(find_lock);		/* protects finding and found */
static const char *finding;
static struct ib_device *found;

static int find_add(struct ib_device *ib)
{
	if (!found && !strcmp(dev_name(&ib->dev), finding) &&
	    ib_device_try_get(ib))
		found = ib;
	return 0;
}

static struct ib_client find_client = {
	.name = KBUILD_MODNAME,
	.add = find_add,
	.no_kverbs_req = 1,
};

struct ib_device *gen_get_device(const char *name)
{
	struct ib_device *ib = NULL;

	mutex_lock(&find_lock);
	finding = name;
	if (!ib_register_client(&find_client)) {
		ib_unregister_client(&find_client);
		ib = found;
	}
	found = NULL;
	mutex_unlock(&find_lock);
	return ib;
}
