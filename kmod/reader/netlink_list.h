/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Lists of what there is, over netlink */
#ifndef RDMAEV_NETLINK_LIST_H
#define RDMAEV_NETLINK_LIST_H

struct genl_info;
struct netlink_callback;
struct sk_buff;

int rdmaev_nl_info_doit(struct sk_buff *skb, struct genl_info *info);
int rdmaev_nl_device_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int rdmaev_nl_port_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int rdmaev_nl_counter_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int rdmaev_nl_cq_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int rdmaev_nl_qp_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int rdmaev_nl_probe_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int rdmaev_nl_list_done(struct netlink_callback *cb);

#endif /* RDMAEV_NETLINK_LIST_H */
