/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Ports as several commands print them */
#ifndef ULIB_PORTS_H
#define ULIB_PORTS_H

#include <net/if.h>
#include <stdint.h>

#include <rdmaev.h>

#include "link_modes.h"
#include "text.h"

/* "IB", "RoCE", "iWARP", "-" or a mask */
void put_protocol(struct text *t, const struct rdmaev_port *port);
/* ,"protocols":[...] */
void json_protocols(struct text *t, const struct rdmaev_port *port);

/* Data rate of a link in tenths of Gb/s; 0: not known. */
unsigned int link_rate(uint32_t speed, uint32_t width);
/* "100 Gb/sec (4X EDR)", or "-" */
void put_rate(struct text *t, uint32_t speed, uint32_t width);
/* ,"KEY":MBPS or null */
void json_rate(struct text *t, const char *key, uint32_t speed, uint32_t width);

/* "LID 12", a GID (an IPv4 address where it has one), or "-" */
void put_address(struct text *t, const struct rdmaev_port *port);
/* ,"gid":"fe80::1","gid_type":"..." or null */
void json_gid(struct text *t, const struct rdmaev_port *port);

/*
 * Name of its network device in this network namespace, in the recording with --file;
 * NULL: it has none, or that is in another network namespace
 */
const char *netdev_name(const struct rdmaev_port *port, char name[IF_NAMESIZE]);
/* The same, or "-" */
void put_netdev(struct text *t, const struct rdmaev_port *port);
/* ,"netdev":"eth0" or null */
void json_netdev(struct text *t, const struct rdmaev_port *port);

/* ,"link_mbps":..,"link_common_mbps":..,"link_supported_mbps":.. or null each */
void json_link_modes(struct text *t, const struct link_modes *modes);

#endif /* ULIB_PORTS_H */
