/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Clients of ib_core that see a removal begin */
#ifndef RDMAEV_HERALD_H
#define RDMAEV_HERALD_H

int rdmaev_heralds_init(void);
void rdmaev_heralds_exit(void);

#endif /* RDMAEV_HERALD_H */
