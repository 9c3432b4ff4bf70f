// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The generic netlink family: its operations, and their policies.
 */
#include "netlink.h"
#include "netlink_event.h"
#include "netlink_history.h"
#include "netlink_list.h"
#include "netlink_msg.h"
#include "netlink_policy.h"

static const struct genl_ops nl_ops[] = {
	{
		.cmd = RDMAEV_CMD_INFO_GET,
		.doit = rdmaev_nl_info_doit,
	}, {
		.cmd = RDMAEV_CMD_DEVICE_GET,
		.dumpit = rdmaev_nl_device_dumpit,
		.done = rdmaev_nl_list_done,
		.policy = rdmaev_device_get_policy,
		.maxattr = ARRAY_SIZE(rdmaev_device_get_policy) - 1,
	}, {
		.cmd = RDMAEV_CMD_PORT_GET,
		.dumpit = rdmaev_nl_port_dumpit,
		.done = rdmaev_nl_list_done,
		.policy = rdmaev_port_get_policy,
		.maxattr = ARRAY_SIZE(rdmaev_port_get_policy) - 1,
	}, {
		.cmd = RDMAEV_CMD_COUNTER_GET,
		.dumpit = rdmaev_nl_counter_dumpit,
		.done = rdmaev_nl_list_done,
		.policy = rdmaev_counter_get_policy,
		.maxattr = ARRAY_SIZE(rdmaev_counter_get_policy) - 1,
	}, {
		.cmd = RDMAEV_CMD_CQ_GET,
		.dumpit = rdmaev_nl_cq_dumpit,
		.done = rdmaev_nl_list_done,
		.policy = rdmaev_cq_get_policy,
		.maxattr = ARRAY_SIZE(rdmaev_cq_get_policy) - 1,
	}, {
		.cmd = RDMAEV_CMD_HISTORY_GET,
		.doit = rdmaev_nl_history_doit,
		.dumpit = rdmaev_nl_history_dumpit,
		.done = rdmaev_nl_history_done,
		.policy = rdmaev_history_get_policy,
		.maxattr = ARRAY_SIZE(rdmaev_history_get_policy) - 1,
	}, {
		.cmd = RDMAEV_CMD_PROBE_GET,
		.dumpit = rdmaev_nl_probe_dumpit,
		.done = rdmaev_nl_list_done,
		.policy = rdmaev_probe_get_policy,
		.maxattr = ARRAY_SIZE(rdmaev_probe_get_policy) - 1,
	}, {
		.cmd = RDMAEV_CMD_QP_GET,
		.dumpit = rdmaev_nl_qp_dumpit,
		.done = rdmaev_nl_list_done,
		.policy = rdmaev_qp_get_policy,
		.maxattr = ARRAY_SIZE(rdmaev_qp_get_policy) - 1,
	},
};

/** rdmaev_netlink_init - register the family; requests may come at once */
int rdmaev_netlink_init(void)
{
	int ret;

	ret = rdmaev_nl_event_init();
	if (ret)
		return ret;
	rdmaev_nl_family.ops = nl_ops;
	rdmaev_nl_family.n_ops = ARRAY_SIZE(nl_ops);
	ret = genl_register_family(&rdmaev_nl_family);
	if (ret) {
		rdmaev_nl_event_exit();
		return ret;
	}
	rdmaev_nl_event_start();
	return 0;
}

/** rdmaev_netlink_exit - unregister the family */
void rdmaev_netlink_exit(void)
{
	rdmaev_nl_event_stop();
	genl_unregister_family(&rdmaev_nl_family);
	rdmaev_nl_event_exit();
}
