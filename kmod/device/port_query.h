/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a driver says about a port */
#ifndef RDMAEV_PORT_QUERY_H
#define RDMAEV_PORT_QUERY_H

#include "device.h"

/**
 * struct rdmaev_port_query - result of a query, without the tables
 * @value: numeric attributes, by &enum rdmaev_port_code
 * @admin_down: the port is not ACTIVE, and its network device is down
 * @ngids: length of the GID table
 * @npkeys: length of the P_Key table
 */
struct rdmaev_port_query {
	u64 value[RDMAEV_PORT_CODES];
	bool admin_down;
	unsigned int ngids;
	unsigned int npkeys;
};

static inline bool rdmaev_port_is_active(u64 state)
{
	return state >= IB_PORT_ACTIVE;
}

int rdmaev_port_query_driver(struct ib_device *ib, unsigned int num,
			     struct rdmaev_port_query *res);
void rdmaev_port_get_gid(struct ib_device *ib, unsigned int num,
			 unsigned int index, struct rdmaev_gid *gid);
u16 rdmaev_port_get_pkey(struct ib_device *ib, unsigned int num,
			 unsigned int index);
int rdmaev_port_make_tables(struct rdmaev_dev_port *port,
			    const struct rdmaev_port_query *res);
u32 rdmaev_port_protocols(struct ib_device *ib, unsigned int num);

#endif /* RDMAEV_PORT_QUERY_H */
