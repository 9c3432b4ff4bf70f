/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * All differences between kernels, and replacements for what out-of-tree
 * modules cannot use; those of tracepoints are in compat_trace.h.
 */
#ifndef RDMAEV_COMPAT_H
#define RDMAEV_COMPAT_H

#include <linux/netdevice.h>
#include <linux/types.h>
#include <net/genetlink.h>
#include <rdma/ib_verbs.h>

/* Newer kernels have another name for it. */
#ifndef HAVE_SYSTEM_DFL_WQ
#define system_dfl_wq	system_unbound_wq
#endif

/* Required attributes of a request: since Linux 6.1 */
#ifndef GENL_REQ_ATTR_CHECK
#define GENL_REQ_ATTR_CHECK(info, attr) ({				\
	struct genl_info *req_info = (info);				\
	bool is_missing = !req_info->attrs[attr];			\
									\
	if (is_missing)							\
		NL_SET_ERR_MSG(req_info->extack,			\
			       "a required attribute is missing");	\
	is_missing;							\
})
#endif

/* Numbers of 4 or 8 bytes: since Linux 6.7, see compat.mk */
#ifdef HAVE_NLA_UINT
#define RDMAEV_NLA_UINT	{ .type = NLA_UINT, }
#else
static inline int nla_put_uint(struct sk_buff *skb, int type, u64 value)
{
	u32 small = value;

	if (small == value)
		return nla_put_u32(skb, type, small);
	return nla_put(skb, type, sizeof(value), &value);
}

static inline u64 nla_get_uint(const struct nlattr *attr)
{
	if (nla_len(attr) == sizeof(u32))
		return nla_get_u32(attr);
	return nla_get_u64(attr);
}

static inline int rdmaev_validate_uint(const struct nlattr *attr,
				       struct netlink_ext_ack *extack)
{
	if (nla_len(attr) == sizeof(u32) || nla_len(attr) == sizeof(u64))
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr, "invalid attribute length");
	return -ERANGE;
}

#define RDMAEV_NLA_UINT							\
	NLA_POLICY_VALIDATE_FN(NLA_BINARY, rdmaev_validate_uint)
#endif

/* Return the attributes of the request of a dump: see compat.mk. */
static inline struct nlattr **rdmaev_dump_attrs(struct netlink_callback *cb)
{
#ifdef HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

/* Does the core number an object without showing it? See compat.mk. */
static inline bool rdmaev_is_hidden(const struct rdma_restrack_entry *res)
{
#ifdef HAVE_RESTRACK_NO_TRACK
	return res->no_track;
#else
	return false;
#endif
}

/*
 * Return the core's restrack entry of an SRQ, NULL if it tracks none: see
 * compat.mk.
 */
static inline const struct rdma_restrack_entry *
rdmaev_srq_res(const struct ib_srq *srq)
{
#ifdef HAVE_SRQ_RES
	return &srq->res;
#else
	return NULL;
#endif
}

/* Return the SRQ of an entry, NULL if it is another object or not tracked. */
static inline const struct ib_srq *
rdmaev_srq_of(const struct rdma_restrack_entry *res)
{
#ifdef HAVE_SRQ_RES
	if (res->type == RDMA_RESTRACK_SRQ)
		return container_of(res, struct ib_srq, res);
#endif
	return NULL;
}

/* Return the number of objects of a type that the core tracks on a device. */
static inline u32 rdmaev_restrack_count(struct ib_device *ib,
					enum rdma_restrack_type type)
{
#ifdef HAVE_RESTRACK_DETAILS
	return rdma_restrack_count(ib, type, true);
#else
	return rdma_restrack_count(ib, type);
#endif
}

/*
 * Return the network device of a port, NULL if it has none. The caller drops
 * the reference. Modules can use the core's function on newer kernels only: see
 * compat.mk.
 */
static inline struct net_device *rdmaev_get_netdev(struct ib_device *ib,
						   unsigned int port)
{
#ifdef HAVE_IB_DEVICE_GET_NETDEV
	return ib_device_get_netdev(ib, port);
#else
	struct ib_port_data *data = &ib->port_data[port];
	struct net_device *netdev;

	if (ib->ops.get_netdev)
		return ib->ops.get_netdev(ib, port);
	spin_lock(&data->netdev_lock);
	netdev = rcu_dereference_protected(data->netdev,
					   lockdep_is_held(&data->netdev_lock));
	if (netdev)
		dev_hold(netdev);
	spin_unlock(&data->netdev_lock);
	return netdev;
#endif
}

/*
 * Up to Linux 6.8 groups use the flag of commands, up to 5.11 none: see
 * compat.mk.
 */
#if !defined(GENL_MCAST_CAP_NET_ADMIN) && defined(HAVE_GENL_GROUP_FLAGS)
#define GENL_MCAST_CAP_NET_ADMIN	GENL_UNS_ADMIN_PERM
#endif

/*
 * Entry of a multicast group that only CAP_NET_ADMIN may join. A kernel that
 * cannot restrict a group does not get it.
 */
#ifdef GENL_MCAST_CAP_NET_ADMIN
#define RDMAEV_HAS_ADMIN_GROUP	true
#define RDMAEV_ADMIN_GROUP(index, group)				\
	[index] = { .name = (group), .flags = GENL_MCAST_CAP_NET_ADMIN, },
#else
#define RDMAEV_HAS_ADMIN_GROUP	false
#define RDMAEV_ADMIN_GROUP(index, group)
#endif

/*
 * What a process passes to the operation that makes a CQ: up to Linux 6.10 the same as to
 * others. See compat.mk.
 */
#ifdef HAVE_CREATE_CQ_ATTRS
#define rdmaev_create_cq_data	uverbs_attr_bundle
#else
#define rdmaev_create_cq_data	ib_udata
#endif

#endif /* RDMAEV_COMPAT_H */
