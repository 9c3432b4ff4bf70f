// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Begin and end of what the module rdmaev_observe reports. */
#include <linux/export.h>

#include "cause.h"
#include "cm.h"
#include "cq.h"
#include "observer.h"
#include "qp.h"

/**
 * rdmaev_observe_begin - prepare for reports of the observer; 0 or -ENOMEM
 *
 * Context: process, may sleep.
 */
int rdmaev_observe_begin(void)
{
	int ret;

	if (rdmaev_causes_prepare())
		return -ENOMEM;
	ret = rdmaev_qps_observe_begin();
	if (ret)
		return ret;
	ret = rdmaev_cqs_observe_begin();
	if (ret)
		goto err_qps;
	ret = rdmaev_cms_observe_begin();
	if (ret)
		goto err_cqs;
	return 0;

err_cqs:
	rdmaev_cqs_observe_end();
err_qps:
	rdmaev_qps_observe_end();
	return ret;
}
EXPORT_SYMBOL_GPL(rdmaev_observe_begin);

/**
 * rdmaev_observe_forget - forget what was observed, and observe on
 *
 * Context: process, may sleep.
 */
void rdmaev_observe_forget(void)
{
	rdmaev_cqs_observe_forget();
	rdmaev_qps_observe_forget();
}
EXPORT_SYMBOL_GPL(rdmaev_observe_forget);

/**
 * rdmaev_observe_end - forget what was observed; no report runs or comes
 *
 * Context: process, may sleep.
 */
void rdmaev_observe_end(void)
{
	rdmaev_cms_observe_end();
	rdmaev_cqs_observe_end();
	rdmaev_qps_observe_end();
}
EXPORT_SYMBOL_GPL(rdmaev_observe_end);
