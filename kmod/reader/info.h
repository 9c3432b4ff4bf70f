/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a reader has to know of the module and its log */
#ifndef RDMAEV_INFO_H
#define RDMAEV_INFO_H

struct rdmaev_info;

void rdmaev_info_init(void);
void rdmaev_info_get(struct rdmaev_info *info);

#endif /* RDMAEV_INFO_H */
