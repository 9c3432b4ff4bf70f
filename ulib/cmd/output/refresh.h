/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Output that is printed again (--watch) */
#ifndef ULIB_REFRESH_H
#define ULIB_REFRESH_H

#include <rdmaev.h>

#include "option/options.h"

/*
 * Call @show, which returns an exit status: once, or with --watch repeatedly
 * until it fails, a signal arrives or the kernel hangs up @h. On a terminal the
 * output is shown in place.
 */
int refresh(const struct options *o, struct rdmaev *h, int (*show)(void *arg),
	    void *arg);

#endif /* ULIB_REFRESH_H */
