/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the observer has reported about connections of rdma_cm */
#ifndef RDMAEV_CM_H
#define RDMAEV_CM_H

int rdmaev_cms_observe_begin(void);
void rdmaev_cms_forget(void);

#endif /* RDMAEV_CM_H */
