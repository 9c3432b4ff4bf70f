// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Records about the observer itself */
#include <linux/export.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "device/count.h"
#include "observer.h"

static unsigned int observed_severity(unsigned int code)
{
	switch (code) {
	case RDMAEV_OBSERVER_BLIND:
		return RDMAEV_SEVERITY_ERROR;
	case RDMAEV_OBSERVER_MISSED:
		return RDMAEV_SEVERITY_WARNING;
	default:
		return RDMAEV_SEVERITY_INFO;
	}
}

static unsigned int observed_ring(unsigned int code)
{
	switch (code) {
	case RDMAEV_OBSERVER_MISSED:
		/* Calls may be missed as often as QPs are moved. */
		return RDMAEV_RING_INFO;
	default:
		return RDMAEV_RING_PORT;
	}
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
	rec.code = code;
	rec.cause = cause;
	rec.count = min_t(u64, count, U32_MAX);
	rec.severity = observed_severity(code);
	rec.ring = observed_ring(code);
	rec.body.observer = *body;
	return rdmaev_append(NULL, &rec);
}
EXPORT_SYMBOL_GPL(rdmaev_observer_report);
