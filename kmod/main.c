// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Loading and unloading.
 *
 * The log is set up before the devices that write to it, so it has all events
 * since a device is monitored. ULPs, which create CQs, can be loaded only after
 * this module. The netlink family is last, and only then can the node be
 * opened: once readers may exist, no step can fail. Unloading removes the
 * family first, then the devices. Each open file and each dump holds a
 * reference to the module, which prevents unloading, and the node cannot be
 * opened while the module is being unloaded.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/log2.h>
#include <linux/module.h>

#include <internal/version.h>

#include "client.h"
#include "device/access.h"
#include "device/burst.h"
#include "device/payer.h"
#include "device/turn.h"
#include "log/log.h"
#include "object/cause_table.h"
#include "object/cq_stall.h"
#include "object/wc.h"
#include "reader/cdev.h"
#include "reader/info.h"
#include "reader/netlink.h"
#include "reader/stream_wake.h"
#include "symbol.h"
#include "work.h"

static unsigned int records = 8192;
module_param(records, uint, 0444);
MODULE_PARM_DESC(records, "records kept per ring, a power of two from 64 to 1048576 (default 8192; 256 bytes each, four rings)");

static int __init rdmaev_init(void)
{
	int ret;

	if (!is_power_of_2(records) || records < RDMAEV_RECORDS_MIN ||
	    records > RDMAEV_RECORDS_MAX) {
		pr_err("records=%u is not a power of two from %u to %u\n",
		       records, RDMAEV_RECORDS_MIN, RDMAEV_RECORDS_MAX);
		return -EINVAL;
	}

	ret = rdmaev_work_init();
	if (ret)
		return ret;
	ret = rdmaev_symbols_init();
	if (ret)
		goto err_work;
	ret = rdmaev_log_init(records, rdmaev_stream_wake_soon);
	if (ret) {
		pr_err("out of memory for %u records per ring; load with a smaller records=\n",
		       records);
		goto err_symbols;
	}
	ret = rdmaev_payers_init();
	if (ret)
		goto err_log;
	ret = rdmaev_burst_init();
	if (ret)
		goto err_payers;
	rdmaev_wc_init();
	rdmaev_info_init();
	rdmaev_turns_init();
	ret = rdmaev_access_init();
	if (ret)
		goto err_burst;
	ret = rdmaev_client_init();
	if (ret) {
		pr_err("cannot register with ib_core (%d)\n", ret);
		goto err_access;
	}
	ret = rdmaev_cdev_init();
	if (ret) {
		pr_err("cannot create /dev/infiniband/rdmaev (%d)\n", ret);
		goto err_client;
	}
	ret = rdmaev_netlink_init();
	if (ret) {
		pr_err("cannot register the generic netlink family (%d)\n",
		       ret);
		goto err_cdev;
	}
	rdmaev_cdev_start();
	rdmaev_stall_init();
	return 0;

err_cdev:
	rdmaev_cdev_exit();
err_client:
	rdmaev_client_exit();
err_access:
	rdmaev_access_exit();
err_burst:
	rdmaev_burst_exit();
err_payers:
	rdmaev_payers_exit();
err_log:
	rdmaev_log_exit();
err_symbols:
	rdmaev_symbols_exit();
err_work:
	rdmaev_work_exit();
	return ret;
}

static void __exit rdmaev_exit(void)
{
	rdmaev_netlink_exit();
	rdmaev_client_exit();
	rdmaev_cdev_exit();
	rdmaev_access_exit();
	rdmaev_stall_exit();
	rdmaev_causes_exit();
	rdmaev_burst_exit();
	rdmaev_payers_exit();
	rdmaev_log_exit();
	rdmaev_symbols_exit();
	rdmaev_work_exit();
}

/*
 * As module_init() in a module. Built in, after ib_core, which is an
 * fs_initcall(), and before all drivers and ULPs: they register with it.
 */
fs_initcall_sync(rdmaev_init);
module_exit(rdmaev_exit);

MODULE_DESCRIPTION("Record of what happened on the RDMA devices of this host");
MODULE_AUTHOR("The rdmaev authors");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(RDMAEV_VERSION);
