/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The ULPs that are registered */
#ifndef RDMAEV_ULP_TABLE_H
#define RDMAEV_ULP_TABLE_H

#include <rdma/rdmaev_ulp.h>

bool rdmaev_ulp_is_registered(const struct rdmaev_ulp *ulp);
bool rdmaev_ulp_reports(const char *module);

#endif /* RDMAEV_ULP_TABLE_H */
