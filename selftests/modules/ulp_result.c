// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev_ulp: the result of a command as text */
#include <linux/kernel.h>

#include "ulp.h"

void tell(struct result *res, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	res->len += vscnprintf(res->text + res->len,
			       sizeof(res->text) - res->len, format, args);
	va_end(args);
}

static void put_counts(struct result *res, const struct wc_counts *counts)
{
	long n;
	int i;

	for (i = 0; i < RDMAEV_OPCODES; i++)
		tell(res, " ok_%d=%ld", i,
		     atomic_long_read(&counts->success[i]));
	for (i = 0; i < RDMAEV_WC_STATUSES; i++) {
		n = atomic_long_read(&counts->failures[i]);
		if (n)
			tell(res, " failed_%d=%ld", i, n);
	}
}

void tell_cq(struct result *res, const struct cq *cq)
{
	tell(res, " cq=%u wakes=%ld polls=%ld arms=%ld", cq->rcq->cq->res.id,
	     atomic_long_read(&cq->wakes), atomic_long_read(&cq->polls),
	     atomic_long_read(&cq->arms));
	tell(res, " overruns=%d irqs_on=%d", atomic_read(&cq->overruns),
	     atomic_read(&cq->irqs_on));
	put_counts(res, &cq->counts);
}
