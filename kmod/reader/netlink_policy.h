/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	include/rdmaev.yaml */
#ifndef RDMAEV_NETLINK_POLICY_H
#define RDMAEV_NETLINK_POLICY_H

#include <uapi/rdma/rdmaev_netlink.h>

#include "compat.h"

static const struct nla_policy rdmaev_target_policy[] = {
	[RDMAEV_A_TARGET_DEVICE_NAME] = { .type = NLA_NUL_STRING, .len = 63, },
	[RDMAEV_A_TARGET_PORT] = RDMAEV_NLA_UINT,
};

static const struct nla_policy rdmaev_kind_code_policy[] = {
	[RDMAEV_A_KIND_CODE_KIND] = NLA_POLICY_RANGE(NLA_U32, 1, 11),
	[RDMAEV_A_KIND_CODE_CODES] = NLA_POLICY_MIN(NLA_U64, 1),
};

static const struct nla_policy rdmaev_filter_policy[] = {
	[RDMAEV_A_FILTER_KINDS] = NLA_POLICY_MASK(NLA_U32, 0xffe),
	[RDMAEV_A_FILTER_SEVERITIES] = NLA_POLICY_MASK(NLA_U32, 0xe),
	[RDMAEV_A_FILTER_OBJECT_TYPES] = NLA_POLICY_MASK(NLA_U32, 0x7f),
	[RDMAEV_A_FILTER_OBJECT] = RDMAEV_NLA_UINT,
	[RDMAEV_A_FILTER_PID] = RDMAEV_NLA_UINT,
	[RDMAEV_A_FILTER_UID] = RDMAEV_NLA_UINT,
	[RDMAEV_A_FILTER_CGROUP] = RDMAEV_NLA_UINT,
	[RDMAEV_A_FILTER_KIND_CODE] = NLA_POLICY_NESTED(rdmaev_kind_code_policy),
	[RDMAEV_A_FILTER_TARGET] = NLA_POLICY_NESTED(rdmaev_target_policy),
};

static const struct nla_policy rdmaev_device_get_policy[] = {
	[RDMAEV_A_DEVICE_REMOVED] = { .type = NLA_FLAG, },
};

static const struct nla_policy rdmaev_port_get_policy[] = {
	[RDMAEV_A_PORT_DEVICE] = RDMAEV_NLA_UINT,
	[RDMAEV_A_PORT_REMOVED] = { .type = NLA_FLAG, },
};

static const struct nla_policy rdmaev_counter_get_policy[] = {
	[RDMAEV_A_COUNTER_DEVICE] = RDMAEV_NLA_UINT,
	[RDMAEV_A_COUNTER_PORT] = RDMAEV_NLA_UINT,
	[RDMAEV_A_COUNTER_REMOVED] = { .type = NLA_FLAG, },
};

static const struct nla_policy rdmaev_cq_get_policy[] = {
	[RDMAEV_A_CQ_DEVICE] = RDMAEV_NLA_UINT,
	[RDMAEV_A_CQ_SUMS] = { .type = NLA_FLAG, },
};

static const struct nla_policy rdmaev_history_get_policy[] = {
	[RDMAEV_A_RECORD_SEQ] = RDMAEV_NLA_UINT,
	[RDMAEV_A_RECORD_FILTER] = NLA_POLICY_NESTED(rdmaev_filter_policy),
};

static const struct nla_policy rdmaev_probe_get_policy[] = {
	[RDMAEV_A_PROBE_DEVICE] = RDMAEV_NLA_UINT,
};

static const struct nla_policy rdmaev_qp_get_policy[] = {
	[RDMAEV_A_QP_DEVICE] = RDMAEV_NLA_UINT,
};

#endif /* RDMAEV_NETLINK_POLICY_H */
