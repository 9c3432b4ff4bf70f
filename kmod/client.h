/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The ib_client: devices come and go */
#ifndef RDMAEV_CLIENT_H
#define RDMAEV_CLIENT_H

int rdmaev_client_init(void);
void rdmaev_client_exit(void);

#endif /* RDMAEV_CLIENT_H */
