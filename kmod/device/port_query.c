// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the driver and ib_core know about a port at the moment.
 */
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "compat.h"
#include "device.h"
#include "port_query.h"

/*
 * Has a person or a program set the network device of a port down? Without one,
 * or when it is being unregistered, nobody has. The start of closing it counts:
 * a driver may report PORT_ERR before IFF_UP is cleared.
 */
static bool port_is_admin_down(struct ib_device *ib, unsigned int num)
{
	struct net_device *netdev;
	bool down;

	if (!rdma_protocol_roce(ib, num) && !rdma_protocol_iwarp(ib, num))
		return false;
	netdev = rdmaev_get_netdev(ib, num);
	if (!netdev)
		return false;
	/* A bit-field up to Linux 6.8, so no READ_ONCE() */
	down = data_race(netdev->reg_state == NETREG_REGISTERED) &&
	       (!netif_running(netdev) ||
		!(READ_ONCE(netdev->flags) & IFF_UP));
	dev_put(netdev);
	return down;
}

/**
 * rdmaev_port_query_driver - query the driver
 * @ib: device
 * @num: number of a port
 * @res: set to the result, if it succeeds
 *
 * Context: process; may sleep for as long as the driver takes.
 *
 * Return: 0 or -errno of the driver.
 */
int rdmaev_port_query_driver(struct ib_device *ib, unsigned int num,
			     struct rdmaev_port_query *res)
{
	struct ib_port_attr attr;
	int ret;

	ret = ib_query_port(ib, num, &attr);
	if (ret)
		return ret;
	res->value[RDMAEV_PORT_STATE] = attr.state;
	res->value[RDMAEV_PORT_PHYS_STATE] = attr.phys_state;
	res->value[RDMAEV_PORT_LID] = attr.lid;
	res->value[RDMAEV_PORT_SM_LID] = attr.sm_lid;
	res->value[RDMAEV_PORT_SPEED] = attr.active_speed;
	res->value[RDMAEV_PORT_WIDTH] = attr.active_width;
	res->value[RDMAEV_PORT_MTU] = max(ib_mtu_enum_to_int(attr.active_mtu), 0);
	res->ngids = max(attr.gid_tbl_len, 0);
	res->npkeys = attr.pkey_tbl_len;
	res->admin_down = !rdmaev_port_is_active(attr.state) &&
			  port_is_admin_down(ib, num);
	return 0;
}

static u32 port_gid_type(struct ib_device *ib, const struct ib_gid_attr *attr)
{
	if (rdma_protocol_iwarp(ib, attr->port_num))
		return RDMAEV_GID_IWARP;
	if (!rdma_protocol_roce(ib, attr->port_num))
		return RDMAEV_GID_IB;
	return attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP ?
	       RDMAEV_GID_ROCE_V2 : RDMAEV_GID_ROCE_V1;
}

/**
 * rdmaev_port_get_gid - get an entry of the GID table
 * @ib: device
 * @num: number of a port
 * @index: index of the entry
 * @gid: set to the entry, zero if it is empty
 *
 * GID and P_Key tables come from the core's cache, which the core updates
 * before it calls our event handler, so the hardware is not accessed. The
 * reference to the entry is dropped before return, so the core can delete it.
 */
void rdmaev_port_get_gid(struct ib_device *ib, unsigned int num,
			 unsigned int index, struct rdmaev_gid *gid)
{
	const struct ib_gid_attr *attr = rdma_get_gid_attr(ib, num, index);
	const struct net_device *ndev;

	memset(gid, 0, sizeof(*gid));
	if (IS_ERR(attr))
		return;
	/* A zero GID is an empty entry; some drivers report it as valid. */
	if (memchr_inv(attr->gid.raw, 0, sizeof(attr->gid.raw))) {
		gid->gid = attr->gid;
		gid->type = port_gid_type(ib, attr);
		rcu_read_lock();
		ndev = rdma_read_gid_attr_ndev_rcu(attr);
		if (!IS_ERR(ndev))
			gid->netdev = ndev->ifindex;
		rcu_read_unlock();
	}
	rdma_put_gid_attr(attr);
}

/** rdmaev_port_get_pkey - get an entry of the P_Key table, 0: empty */
u16 rdmaev_port_get_pkey(struct ib_device *ib, unsigned int num,
			 unsigned int index)
{
	u16 pkey;

	return ib_get_cached_pkey(ib, num, index, &pkey) ? 0 : pkey;
}

/**
 * rdmaev_port_make_tables - allocate empty tables for the first query
 * @port: port without tables
 * @res: its first query
 *
 * Return: 0 or -ENOMEM.
 */
int rdmaev_port_make_tables(struct rdmaev_dev_port *port,
			    const struct rdmaev_port_query *res)
{
	struct rdmaev_gid *gids;
	u16 *pkeys;

	gids = kvcalloc(res->ngids, sizeof(*gids), GFP_KERNEL);
	pkeys = kvcalloc(res->npkeys, sizeof(*pkeys), GFP_KERNEL);
	if ((res->ngids && !gids) || (res->npkeys && !pkeys)) {
		kvfree(gids);
		kvfree(pkeys);
		return -ENOMEM;
	}
	port->gids = gids;
	port->ngids = res->ngids;
	port->pkeys = pkeys;
	port->npkeys = res->npkeys;
	return 0;
}

/** rdmaev_port_protocols - return the RDMAEV_PROTOCOL_* of a port */
u32 rdmaev_port_protocols(struct ib_device *ib, unsigned int num)
{
	u32 mask = 0;

	if (rdma_protocol_ib(ib, num))
		mask |= RDMAEV_PROTOCOL_IB;
	if (rdma_protocol_roce(ib, num))
		mask |= RDMAEV_PROTOCOL_ROCE;
	if (rdma_protocol_iwarp(ib, num))
		mask |= RDMAEV_PROTOCOL_IWARP;
	return mask;
}
