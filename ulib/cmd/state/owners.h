/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Owners that --comm and --ulp name */
#ifndef ULIB_OWNERS_H
#define ULIB_OWNERS_H

#include <rdmaev.h>

#include "option/select.h"

/*
 * Print a note on each name of --comm and --ulp that no record of the log and no CQ
 * has. Keeps the read position, may set a filter.
 */
void check_owners(struct rdmaev *h, const struct selection *select);

#endif /* ULIB_OWNERS_H */
