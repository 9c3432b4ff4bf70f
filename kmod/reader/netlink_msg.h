/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What all messages of the generic netlink family need */
#ifndef RDMAEV_NETLINK_MSG_H
#define RDMAEV_NETLINK_MSG_H

#include <net/genetlink.h>
#include <uapi/rdma/rdmaev.h>
#include <uapi/rdma/rdmaev_netlink.h>

#include "device/access.h"

struct rdmaev_attr_set;

enum rdmaev_nl_group {
	RDMAEV_NL_GROUP_DEVICE,
	RDMAEV_NL_GROUP_ALL,
	RDMAEV_NL_GROUPS
};

/* A record with all that goes with it fits. */
#define RDMAEV_NL_RECORD_SIZE	768

extern struct genl_family rdmaev_nl_family;

void rdmaev_nl_cred(const struct sk_buff *skb, struct rdmaev_cred *cred);
int rdmaev_nl_read_u32(const struct nlattr *attr, u32 *value,
		       struct netlink_ext_ack *extack);
int rdmaev_nl_put(struct sk_buff *skb, const struct rdmaev_attr_set *set,
		  const void *from, u32 known);
int rdmaev_nl_put_record(struct sk_buff *skb, const struct rdmaev_record *rec);

#endif /* RDMAEV_NETLINK_MSG_H */
