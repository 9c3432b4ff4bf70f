/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The generic netlink family. What it says stands in include/rdmaev.yaml. */
#ifndef RDMAEV_NETLINK_H
#define RDMAEV_NETLINK_H

int rdmaev_netlink_init(void);
void rdmaev_netlink_exit(void);

#endif /* RDMAEV_NETLINK_H */
