// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Simulated HCAs: their ports */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/netdevice.h>

#include "files.h"
#include "sim.h"

/* No query hangs any more. */
bool sim_is_leaving;

static int sim_query_port(struct ib_device *ib, port_num_t num,
			  struct ib_port_attr *attr)
{
	struct sim_port *port = sim_port(ib, num);

	/* As a driver whose firmware does not answer */
	while (READ_ONCE(port->hang) && !READ_ONCE(sim_is_leaving))
		msleep(20);
	WRITE_ONCE(port->queries, port->queries + 1);
	if (READ_ONCE(port->fail))
		return -ENODEV;
	attr->state = READ_ONCE(port->state);
	attr->phys_state = READ_ONCE(port->phys_state);
	attr->lid = READ_ONCE(port->lid);
	attr->sm_lid = READ_ONCE(port->sm_lid);
	attr->active_speed = READ_ONCE(port->speed);
	attr->active_width = READ_ONCE(port->width);
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = READ_ONCE(port->mtu);
	attr->gid_tbl_len = port->ngids;
	attr->pkey_tbl_len = port->npkeys;
	return 0;
}

/* No RDMA_CORE_CAP_IB_MAD and the like: no part of the core attaches. */
static int sim_get_port_immutable(struct ib_device *ib, port_num_t num,
				  struct ib_port_immutable *immutable)
{
	static const u32 flags[] = {
		[SIM_IB] = RDMA_CORE_CAP_PROT_IB,
		/* RoCE v2 only: each address makes one GID, not two. */
		[SIM_ROCE] = RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP,
		[SIM_IWARP] = RDMA_CORE_CAP_PROT_IWARP,
		[SIM_SWITCH] = RDMA_CORE_CAP_PROT_IB,
	};
	struct sim_port *port = sim_port(ib, num);

	/* Of the core: it is as old as the device. */
	port->immutable = immutable;
	immutable->core_cap_flags = flags[to_sim(ib)->link];
	immutable->gid_tbl_len = port->ngids;
	immutable->pkey_tbl_len = port->npkeys;
	return 0;
}

static enum rdma_link_layer sim_get_link_layer(struct ib_device *ib,
					       port_num_t num)
{
	return to_sim(ib)->link == SIM_IB || to_sim(ib)->link == SIM_SWITCH ?
		       IB_LINK_LAYER_INFINIBAND : IB_LINK_LAYER_ETHERNET;
}

static int sim_query_pkey(struct ib_device *ib, port_num_t num, u16 index,
			  u16 *pkey)
{
	struct sim_port *port = sim_port(ib, num);

	if (index >= port->npkeys)
		return -EINVAL;
	spin_lock(&port->lock);
	*pkey = port->pkey[index];
	spin_unlock(&port->lock);
	return 0;
}

static int sim_query_gid(struct ib_device *ib, port_num_t num, int index,
			 union ib_gid *gid)
{
	struct sim_port *port = sim_port(ib, num);

	if (index < 0 || index >= port->ngids)
		return -EINVAL;
	spin_lock(&port->lock);
	*gid = port->gid[index];
	spin_unlock(&port->lock);
	return 0;
}

/*
 * The core has the GID tables of RoCE ports if a device has these two
 * functions.
 */
static int sim_add_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

static int sim_del_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

#ifdef HAVE_REPORT_PORT_EVENT
/*
 * The test reports the events of ports. Without this function the core reports
 * those of network devices, from Linux 6.13 on.
 */
static void sim_report_port_event(struct ib_device *ib,
				  struct net_device *netdev,
				  unsigned long event)
{
}
#endif

const struct ib_device_ops sim_port_ops = {
	.query_port = sim_query_port,
	.get_port_immutable = sim_get_port_immutable,
	.get_link_layer = sim_get_link_layer,
	.query_pkey = sim_query_pkey,
	.query_gid = sim_query_gid,
	.add_gid = sim_add_gid,
	.del_gid = sim_del_gid,
#ifdef HAVE_REPORT_PORT_EVENT
	.report_port_event = sim_report_port_event,
#endif
};

static int pkey_write(void *data, const char *text)
{
	struct sim_port *port = data;
	unsigned int index, value;

	if (sscanf(text, "%u %i", &index, &value) != 2 ||
	    index >= port->npkeys || value > U16_MAX)
		return -EINVAL;
	spin_lock(&port->lock);
	port->pkey[index] = value;
	spin_unlock(&port->lock);
	return 0;
}
DEFINE_WRITE_ATTRIBUTE(pkey);

static int gid_write(void *data, const char *text)
{
	struct sim_port *port = data;
	unsigned int index;
	u64 prefix, id;

	if (sscanf(text, "%u %llx %llx", &index, &prefix, &id) != 3 ||
	    index >= port->ngids)
		return -EINVAL;
	spin_lock(&port->lock);
	port->gid[index].global.subnet_prefix = cpu_to_be64(prefix);
	port->gid[index].global.interface_id = cpu_to_be64(id);
	spin_unlock(&port->lock);
	return 0;
}
DEFINE_WRITE_ATTRIBUTE(gid);

static int roce_version_write(void *data, const char *text)
{
	struct sim_port *port = data;
	unsigned int version;
	int ret;

	ret = kstrtouint(text, 0, &version);
	if (ret)
		return ret;
	if (version != 1 && version != 2)
		return -EINVAL;
	/* The core reads it each time that it adds or removes an address. */
	WRITE_ONCE(port->immutable->core_cap_flags,
		   version == 1 ? RDMA_CORE_CAP_PROT_ROCE :
				  RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP);
	return 0;
}
DEFINE_WRITE_ATTRIBUTE(roce_version);

/* After the device was registered: what attaches to such ports does so before. */
void sim_ports_enable_mad(struct sim_dev *sim)
{
	unsigned int i;

	for (i = 0; i < sim->ib.phys_port_cnt; i++) {
		struct ib_port_immutable *immutable = sim->port[i].immutable;

		WRITE_ONCE(immutable->core_cap_flags,
			   immutable->core_cap_flags | RDMA_CORE_CAP_IB_MAD);
	}
}

/* After the device has its directory; the files are removed with it. */
void sim_port_files(struct sim_dev *sim)
{
	unsigned int i;

	for (i = 0; i < sim->ib.phys_port_cnt; i++) {
		struct sim_port *port = &sim->port[i];
		struct dentry *dir;
		char num[12];

		snprintf(num, sizeof(num), "%u", i + sim_first_port(sim));
		dir = debugfs_create_dir(num, sim->dir);
		debugfs_create_u32("state", 0600, dir, &port->state);
		debugfs_create_u32("phys_state", 0600, dir, &port->phys_state);
		debugfs_create_u32("lid", 0600, dir, &port->lid);
		debugfs_create_u32("sm_lid", 0600, dir, &port->sm_lid);
		debugfs_create_u32("speed", 0600, dir, &port->speed);
		debugfs_create_u32("width", 0600, dir, &port->width);
		debugfs_create_u32("mtu", 0600, dir, &port->mtu);
		debugfs_create_u32("fail", 0600, dir, &port->fail);
		debugfs_create_u32("queries", 0400, dir, &port->queries);
		debugfs_create_u32("hang", 0600, dir, &port->hang);
		if (sim->link != SIM_IWARP)
			debugfs_create_file("pkey", 0200, dir, port,
					    &pkey_fops);
		if (sim->link != SIM_ROCE)
			debugfs_create_file("gid", 0200, dir, port, &gid_fops);
		else
			debugfs_create_file("roce_version", 0200, dir, port,
					    &roce_version_fops);
	}
}

/* There is no peer. */
static netdev_tx_t sim_start_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops sim_netdev_ops = {
	.ndo_start_xmit = sim_start_xmit,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_set_mac_address = eth_mac_addr,
};

static int make_netdev(struct sim_dev *sim, unsigned int num)
{
	struct net_device *netdev;
	char name[IFNAMSIZ];
	int ret;

	if (snprintf(name, sizeof(name), "%s_%u", sim->name, num) >=
	    sizeof(name))
		return -EINVAL;
	netdev = alloc_netdev(0, name, NET_NAME_USER, ether_setup);
	if (!netdev)
		return -ENOMEM;
	netdev->netdev_ops = &sim_netdev_ops;
	netdev->flags |= IFF_NOARP;
	netdev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	eth_hw_addr_random(netdev);
	ret = register_netdev(netdev);
	if (ret) {
		free_netdev(netdev);
		return ret;
	}
	sim_port(&sim->ib, num)->netdev = netdev;
	return ib_device_set_netdev(&sim->ib, netdev, num);
}

static int init_port(struct sim_dev *sim, unsigned int num, u64 guid)
{
	struct sim_port *port = sim_port(&sim->ib, num);
	int ret;

	spin_lock_init(&port->lock);
	port->state = IB_PORT_ACTIVE;
	port->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	port->speed = IB_SPEED_EDR;
	port->width = IB_WIDTH_4X;
	port->mtu = IB_MTU_4096;
	port->ngids = SIM_TABLE;
	port->npkeys = SIM_TABLE;
	port->pkey[0] = 0xffff;
	if (sim->link == SIM_IB || sim->link == SIM_SWITCH) {
		port->lid = 16 + num;
		port->sm_lid = 1;
		port->gid[0].global.subnet_prefix =
			cpu_to_be64(0xfe80000000000000ULL);
		port->gid[0].global.interface_id = cpu_to_be64(guid + num);
		return 0;
	}

	ret = make_netdev(sim, num);
	if (ret)
		return ret;
	if (sim->link == SIM_IWARP) {
		port->ngids = 1;
		port->npkeys = 0;
		memcpy(port->gid[0].raw, port->netdev->dev_addr, ETH_ALEN);
	}
	return 0;
}

/* On failure, sim_ports_exit() must be called nevertheless. */
int sim_ports_init(struct sim_dev *sim, u64 guid)
{
	unsigned int i;
	int ret;

	for (i = 0; i < sim->ib.phys_port_cnt; i++) {
		ret = init_port(sim, i + sim_first_port(sim), guid);
		if (ret)
			return ret;
	}
	return 0;
}

/* The device is not registered yet, or not any more. */
void sim_ports_exit(struct sim_dev *sim)
{
	unsigned int i;

	for (i = 0; i < sim->ib.phys_port_cnt; i++) {
		struct sim_port *port = &sim->port[i];

		if (!port->netdev)
			continue;
		ib_device_set_netdev(&sim->ib, NULL, i + sim_first_port(sim));
		unregister_netdev(port->netdev);
		free_netdev(port->netdev);
	}
}
