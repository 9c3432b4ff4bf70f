/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Network devices that leave, and take an RDMA device with them */
#ifndef RDMAEV_NETDEV_H
#define RDMAEV_NETDEV_H

int rdmaev_netdev_init(void);
void rdmaev_netdev_exit(void);

#endif /* RDMAEV_NETDEV_H */
