// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Begin and end of what the module rdmaev_observe reports, what it observes, and
 * records about the observer itself.
 */
#include <linux/export.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include "device/count.h"
#include "device/payer.h"
#include "log/catalogue.h"
#include "log/log.h"
#include "object/cause_table.h"
#include "object/cm.h"
#include "object/cq_observed.h"
#include "object/object_table.h"
#include "object/owner.h"
#include "object/qp.h"
#include "session.h"

/**
 * rdmaev_observe_begin - prepare for reports of the observer; 0 or -ENOMEM
 *
 * Context: process, may sleep.
 */
int rdmaev_observe_begin(void)
{
	int ret = rdmaev_causes_prepare();

	if (!ret)
		ret = rdmaev_owners_observe_begin();
	if (!ret)
		ret = rdmaev_qps_observe_begin();
	if (!ret)
		ret = rdmaev_cqs_observe_begin();
	if (!ret)
		ret = rdmaev_cms_observe_begin();
	if (ret)
		rdmaev_observe_end();
	return ret;
}
EXPORT_SYMBOL_GPL(rdmaev_observe_begin);

static bool observe_is_owner(const struct rdmaev_object *obj)
{
	return obj->share == RDMAEV_SHARE_OWNERS;
}

/**
 * rdmaev_observe_forget - forget what was observed, and observe on
 *
 * Owners are kept: an object of another thread at the same address does not get them.
 *
 * Context: process, may sleep.
 */
void rdmaev_observe_forget(void)
{
	rdmaev_cqs_observe_forget(false);
	rdmaev_objects_remove(observe_is_owner);
	rdmaev_cms_forget();
}
EXPORT_SYMBOL_GPL(rdmaev_observe_forget);

/**
 * rdmaev_observe_owners_found - forget QPs and CQs that were found before their owner
 *
 * Context: process, may sleep.
 */
void rdmaev_observe_owners_found(void)
{
	/* Who has found one without is about to add it. */
	synchronize_rcu();
	rdmaev_cqs_observe_forget(true);
	rdmaev_qps_forget_unowned();
}
EXPORT_SYMBOL_GPL(rdmaev_observe_owners_found);

/**
 * rdmaev_observe_end - forget what was observed; no report runs or comes
 *
 * Context: process, may sleep.
 */
void rdmaev_observe_end(void)
{
	rdmaev_cqs_observe_end();
	rdmaev_qps_observe_end();
	rdmaev_objects_end();
	/* Of those that have not returned there is no report any more. */
	rdmaev_payers_forget(RDMAEV_SHARE_REQUESTS);
}
EXPORT_SYMBOL_GPL(rdmaev_observe_end);

/* What the observer has said last, all 0: it is not loaded */
static struct rdmaev_observed session_observed;
static DEFINE_SPINLOCK(session_lock);	/* protects session_observed */

/**
 * rdmaev_observed_set - say what is observed, and what is not and why
 * @observed: that; all 0: nothing, as the observer goes
 *
 * Context: process.
 */
void rdmaev_observed_set(const struct rdmaev_observed *observed)
{
	spin_lock(&session_lock);
	session_observed = *observed;
	spin_unlock(&session_lock);
}
EXPORT_SYMBOL_GPL(rdmaev_observed_set);

/**
 * rdmaev_observed_get - get what is observed, for every reader
 * @observed: filled in
 *
 * The records about the observer, which all readers get, say as much.
 *
 * Context: process.
 */
void rdmaev_observed_get(struct rdmaev_observed *observed)
{
	spin_lock(&session_lock);
	*observed = session_observed;
	spin_unlock(&session_lock);
}

/**
 * rdmaev_observer_report - append a record about the observer
 * @code: &enum rdmaev_observer_code
 * @body: body of the record
 * @count: number of occurrences; the record has at most 4294967295
 * @cause: seq of the record that it follows from, or 0
 *
 * Context: any but NMI.
 *
 * Return: seq of the record.
 */
u64 rdmaev_observer_report(unsigned int code,
			   const struct rdmaev_observer_body *body, u64 count,
			   u64 cause)
{
	struct rdmaev_record rec = {};

	rdmaev_record_begin(&rec, RDMAEV_KIND_OBSERVER,
			    RDMAEV_SOURCE_OBSERVER);
	rdmaev_record_set_code(&rec, code);
	rec.cause = cause;
	rec.count = min_t(u64, count, U32_MAX);
	rec.body.observer = *body;
	return rdmaev_append(NULL, &rec);
}
EXPORT_SYMBOL_GPL(rdmaev_observer_report);
