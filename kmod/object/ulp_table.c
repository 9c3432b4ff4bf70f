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

int rdmaev_ulp_register(struct rdmaev_ulp *ulp)
{
	size_t len = strnlen(ulp->name, sizeof(ulp->name));

	might_sleep();
	if (!len || len == sizeof(ulp->name))
		return -EINVAL;
	if (READ_ONCE(ulp->registered))
		return -EBUSY;
	if (rdmaev_causes_prepare())
		return -ENOMEM;
	memset(ulp->name + len, 0, sizeof(ulp->name) - len);
	mutex_lock(&ulps_lock);
	list_add_rcu(&ulp->list, &ulps);
	mutex_unlock(&ulps_lock);
	/* Pairs with smp_load_acquire() in rdmaev_ulp_is_registered(). */
	smp_store_release(&ulp->registered, 1);
	return 0;
}
EXPORT_SYMBOL_GPL(rdmaev_ulp_register);

void rdmaev_ulp_unregister(struct rdmaev_ulp *ulp)
{
	might_sleep();
	if (!ulp->registered)
		return;
	WRITE_ONCE(ulp->registered, 0);
	mutex_lock(&ulps_lock);
	list_del_rcu(&ulp->list);
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
	const struct rdmaev_ulp *ulp;
	bool reports = false;

	rcu_read_lock();
	list_for_each_entry_rcu(ulp, &ulps, list)
		reports |= !strcmp(ulp->module ?: ulp->name, module) ||
			   !strcmp(ulp->name, module);
	rcu_read_unlock();
	return reports;
}
