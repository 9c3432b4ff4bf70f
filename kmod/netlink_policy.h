/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	include/rdmaev.yaml */
#ifndef RDMAEV_NETLINK_POLICY_H
#define RDMAEV_NETLINK_POLICY_H

#include <uapi/rdma/rdmaev_netlink.h>

#include "compat.h"

static const struct nla_policy rdmaev_device_get_policy[] = {
	[RDMAEV_A_DEVICE_INDEX] = RDMAEV_NLA_UINT,
	[RDMAEV_A_DEVICE_GONE] = { .type = NLA_FLAG, },
};

static const struct nla_policy rdmaev_port_get_policy[] = {
	[RDMAEV_A_PORT_DEVICE] = RDMAEV_NLA_UINT,
	[RDMAEV_A_PORT_PORT] = RDMAEV_NLA_UINT,
	[RDMAEV_A_PORT_GONE] = { .type = NLA_FLAG, },
};

static const struct nla_policy rdmaev_counter_get_policy[] = {
	[RDMAEV_A_COUNTER_DEVICE] = RDMAEV_NLA_UINT,
	[RDMAEV_A_COUNTER_PORT] = RDMAEV_NLA_UINT,
	[RDMAEV_A_COUNTER_KIND] = NLA_POLICY_RANGE(NLA_U32, 1, 6),
	[RDMAEV_A_COUNTER_CODE] = RDMAEV_NLA_UINT,
	[RDMAEV_A_COUNTER_GONE] = { .type = NLA_FLAG, },
};

static const struct nla_policy rdmaev_cq_get_policy[] = {
	[RDMAEV_A_CQ_DEVICE] = RDMAEV_NLA_UINT,
	[RDMAEV_A_CQ_CQ] = RDMAEV_NLA_UINT,
	[RDMAEV_A_CQ_SUMS] = { .type = NLA_FLAG, },
};

static const struct nla_policy rdmaev_history_get_policy[] = {
	[RDMAEV_A_RECORD_SEQ] = RDMAEV_NLA_UINT,
	[RDMAEV_A_RECORD_FILTER] = { .type = NLA_BINARY, },
};

#endif /* RDMAEV_NETLINK_POLICY_H */
