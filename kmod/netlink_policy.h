/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	include/rdmaev.yaml */
#ifndef RDMAEV_NETLINK_POLICY_H
#define RDMAEV_NETLINK_POLICY_H

#include <net/netlink.h>
#include <uapi/rdma/rdmaev_netlink.h>

static const struct nla_policy rdmaev_device_get_policy[] = {
	[RDMAEV_A_DEVICE_INDEX] = { .type = NLA_U32, },
	[RDMAEV_A_DEVICE_GONE] = { .type = NLA_FLAG, },
};

static const struct nla_policy rdmaev_port_get_policy[] = {
	[RDMAEV_A_PORT_DEVICE] = { .type = NLA_U32, },
	[RDMAEV_A_PORT_PORT] = { .type = NLA_U32, },
	[RDMAEV_A_PORT_GONE] = { .type = NLA_FLAG, },
};

static const struct nla_policy rdmaev_counter_get_policy[] = {
	[RDMAEV_A_COUNTER_DEVICE] = { .type = NLA_U32, },
	[RDMAEV_A_COUNTER_PORT] = { .type = NLA_U32, },
	[RDMAEV_A_COUNTER_KIND] = NLA_POLICY_RANGE(NLA_U16, 1, 6),
	[RDMAEV_A_COUNTER_CODE] = { .type = NLA_U16, },
	[RDMAEV_A_COUNTER_GONE] = { .type = NLA_FLAG, },
};

static const struct nla_policy rdmaev_cq_get_policy[] = {
	[RDMAEV_A_CQ_DEVICE] = { .type = NLA_U32, },
	[RDMAEV_A_CQ_CQ] = { .type = NLA_U32, },
	[RDMAEV_A_CQ_SUMS] = { .type = NLA_FLAG, },
};

static const struct nla_policy rdmaev_history_get_policy[] = {
	[RDMAEV_A_RECORD_SEQ] = { .type = NLA_U64, },
	[RDMAEV_A_RECORD_FILTER] = { .type = NLA_BINARY, },
};

#endif /* RDMAEV_NETLINK_POLICY_H */
