/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RDMAEV_ULP_H
#define RDMAEV_ULP_H

#include <rdma/rdmaev_ulp.h>

bool rdmaev_ulp_is_registered(const struct rdmaev_ulp *ulp);

#endif /* RDMAEV_ULP_H */
