/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The generic netlink family. What it says stands in include/rdmaev.yaml.
 */
#ifndef RDMAEV_NETLINK_H
#define RDMAEV_NETLINK_H

#include <net/genetlink.h>
#include <uapi/rdma/rdmaev.h>
#include <uapi/rdma/rdmaev_netlink.h>

#include "device/access.h"
#include "device/device.h"

struct rdmaev_attr;
struct rdmaev_attr_set;

enum rdmaev_nl_group {
	RDMAEV_NL_GROUP_DEVICE,
	RDMAEV_NL_GROUP_ALL,
	RDMAEV_NL_GROUPS
};

/* A record with all that goes with it fits. */
#define RDMAEV_NL_RECORD_SIZE	768

int rdmaev_netlink_init(void);
void rdmaev_netlink_exit(void);

/* netlink_msg.c: what all of them need */
extern struct genl_family rdmaev_nl_family;

void rdmaev_nl_cred(const struct sk_buff *skb, struct rdmaev_cred *cred);
int rdmaev_nl_refuse(const struct nlattr *attr, struct netlink_ext_ack *extack);
int rdmaev_nl_read_u32(const struct nlattr *attr, u32 *value,
		       struct netlink_ext_ack *extack);
u64 rdmaev_nl_field(const struct rdmaev_attr *attr, const void *from);
int rdmaev_nl_put(struct sk_buff *skb, const struct rdmaev_attr_set *set,
		  const void *from, u32 known);
int rdmaev_nl_put_record(struct sk_buff *skb, const struct rdmaev_record *rec,
			 bool with_pid);

/* netlink_list.c: lists of what there is */
int rdmaev_nl_info_doit(struct sk_buff *skb, struct genl_info *info);
int rdmaev_nl_device_doit(struct sk_buff *skb, struct genl_info *info);
int rdmaev_nl_device_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int rdmaev_nl_port_doit(struct sk_buff *skb, struct genl_info *info);
int rdmaev_nl_port_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int rdmaev_nl_counter_doit(struct sk_buff *skb, struct genl_info *info);
int rdmaev_nl_counter_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int rdmaev_nl_cq_doit(struct sk_buff *skb, struct genl_info *info);
int rdmaev_nl_cq_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int rdmaev_nl_hook_doit(struct sk_buff *skb, struct genl_info *info);
int rdmaev_nl_hook_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int rdmaev_nl_probe_doit(struct sk_buff *skb, struct genl_info *info);
int rdmaev_nl_probe_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int rdmaev_nl_list_done(struct netlink_callback *cb);

/* netlink_history.c: records in the log */
int rdmaev_nl_history_doit(struct sk_buff *skb, struct genl_info *info);
int rdmaev_nl_history_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int rdmaev_nl_history_done(struct netlink_callback *cb);

/* netlink_event.c: records as they are appended */
int rdmaev_nl_event_init(void);
void rdmaev_nl_event_start(void);
void rdmaev_nl_event_stop(void);
void rdmaev_nl_event_exit(void);

#endif /* RDMAEV_NETLINK_H */
