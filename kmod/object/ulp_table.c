// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ULPs that are registered, which report their events themselves.
 * <rdma/rdmaev_ulp.h> documents the functions of ULPs.
 */
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "cause_table.h"
#include "ulp_table.h"

/* Registered ULPs; read under RCU. */
static DEFINE_MUTEX(ulps_lock);		/* protects changes of the list */
static LIST_HEAD(ulps);

static bool ulp_name_is_valid(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (name[i] < ' ' || name[i] > '~' || name[i] == '/')
			return false;
	return len && len < RDMAEV_OWNER_SIZE;
}

int rdmaev_ulp_register(struct rdmaev_ulp *ulp)
{
	size_t len = strnlen(ulp->name, sizeof(ulp->name));
	struct rdmaev_ulp_state *state = rdmaev_ulp_state(ulp);

	might_sleep();
	if (!ulp_name_is_valid(ulp->name, len))
		return -EINVAL;
	if (READ_ONCE(state->registered))
		return -EBUSY;
	if (rdmaev_causes_prepare())
		return -ENOMEM;
	memset(ulp->name + len, 0, sizeof(ulp->name) - len);
	mutex_lock(&ulps_lock);
	list_add_rcu(&state->list, &ulps);
	mutex_unlock(&ulps_lock);
	/* Pairs with smp_load_acquire() in rdmaev_ulp_is_registered(). */
	smp_store_release(&state->registered, 1);
	return 0;
}
EXPORT_SYMBOL_GPL(rdmaev_ulp_register);

void rdmaev_ulp_unregister(struct rdmaev_ulp *ulp)
{
	struct rdmaev_ulp_state *state = rdmaev_ulp_state(ulp);

	might_sleep();
	if (!state->registered)
		return;
	WRITE_ONCE(state->registered, 0);
	mutex_lock(&ulps_lock);
	list_del_rcu(&state->list);
	mutex_unlock(&ulps_lock);
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(rdmaev_ulp_unregister);

/**
 * rdmaev_ulp_reports - test whether a ULP reports its events itself
 * @module: name that an object has: that of the ULP's module, or of the ULP, as
 *	CQs of rdmaev_create_cq() have
 *
 * Context: any but NMI.
 *
 * Return: whether it is registered.
 */
bool rdmaev_ulp_reports(const char *module)
{
	const struct rdmaev_ulp_state *state;
	bool reports = false;

	rcu_read_lock();
	list_for_each_entry_rcu(state, &ulps, list) {
		const struct rdmaev_ulp *ulp = rdmaev_ulp_of(state);

		reports |= !strcmp(ulp->module ?: ulp->name, module) ||
			   !strcmp(ulp->name, module);
	}
	rcu_read_unlock();
	return reports;
}
