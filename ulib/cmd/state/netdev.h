/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The network device of a port of this host */
#ifndef ULIB_NETDEV_H
#define ULIB_NETDEV_H

#include <net/if.h>

#include <rdmaev.h>

/*
 * Its name: that of the first GID that has one, or what ib_core has for the port.
 * NULL: none, it is in another network namespace, or the device was removed.
 */
const char *find_netdev(const struct rdmaev_port *port, char name[IF_NAMESIZE]);

#endif /* ULIB_NETDEV_H */
