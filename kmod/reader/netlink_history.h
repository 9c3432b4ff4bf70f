/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Records in the log, over netlink */
#ifndef RDMAEV_NETLINK_HISTORY_H
#define RDMAEV_NETLINK_HISTORY_H

struct genl_info;
struct netlink_callback;
struct sk_buff;

int rdmaev_nl_history_doit(struct sk_buff *skb, struct genl_info *info);
int rdmaev_nl_history_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int rdmaev_nl_history_done(struct netlink_callback *cb);

#endif /* RDMAEV_NETLINK_HISTORY_H */
