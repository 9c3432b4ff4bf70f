// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A client of ib_core whose remove() does not return: whoever removes a device waits.
 *
 * /sys/module/rdmaev_stay/parameters/stay: N: no. Y, as when it is loaded: until N is written
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

static DECLARE_WAIT_QUEUE_HEAD(stay_end);
static bool stay = true;

static int stay_set(const char *val, const struct kernel_param *kp)
{
	int ret = param_set_bool(val, kp);

	wake_up_all(&stay_end);
	return ret;
}

static const struct kernel_param_ops stay_ops = {
	.set = stay_set,
	.get = param_get_bool,
};
module_param_cb(stay, &stay_ops, &stay, 0644);
MODULE_PARM_DESC(stay, "remove() waits until this is N (default Y)");

static void stay_remove(struct ib_device *ib, void *data)
{
	wait_event(stay_end, !READ_ONCE(stay));
}

static struct ib_client stay_client = {
	.name = KBUILD_MODNAME,
	.remove = stay_remove,
	.no_kverbs_req = 1,
};

static int __init stay_init(void)
{
	return ib_register_client(&stay_client);
}

static void __exit stay_exit(void)
{
	WRITE_ONCE(stay, false);
	ib_unregister_client(&stay_client);
}

module_init(stay_init);
module_exit(stay_exit);

MODULE_DESCRIPTION("A client of ib_core that delays removals of devices, for the tests of rdmaev");
MODULE_LICENSE("Dual BSD/GPL");
