// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A ULP that is built without rdmaev, for tests: it is loaded whether or not
 * rdmaev is, and has a CQ on the device of its parameter, like every ULP that
 * uses the header.
 *
 *	insmod rdmaev_stubs.ko dev=NAME
 *
 * /sys/kernel/debug/rdmaev_stubs
 *	read: "cq=NUMBER calls=N last=EVENT own=0|1":
 *	own: cq_context of the CQ has its initial value
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

#if IS_REACHABLE(CONFIG_INFINIBAND_RDMAEV)
#error "this is a test of a build without rdmaev"
#endif

static char *dev;
module_param(dev, charp, 0444);
MODULE_PARM_DESC(dev, "device that gets the CQ");

static struct rdmaev_ulp ulp = RDMAEV_ULP_INIT(KBUILD_MODNAME);
static struct rdmaev_cq *rcq;
static atomic_t calls;
static int last = -1;
static struct dentry *file;

static void own_event(struct ib_event *event, void *context)
{
	rdmaev_report(&ulp, event);
	WRITE_ONCE(last, event->event);
	if (context == &calls)
		atomic_inc(&calls);
}

static void completed(struct ib_cq *cq, void *context)
{
}

static int add_one(struct ib_device *ib)
{
	struct ib_cq_init_attr attr = { .cqe = 16 };

	if (!dev || strcmp(dev_name(&ib->dev), dev))
		return -EOPNOTSUPP;
	rcq = rdmaev_create_cq(&ulp, ib, completed, own_event, &calls, &attr,
			       0);
	return PTR_ERR_OR_ZERO(rcq);
}

static void remove_one(struct ib_device *ib, void *data)
{
	rdmaev_destroy_cq(rcq);
	rcq = NULL;
}

static struct ib_client client = {
	.name = KBUILD_MODNAME,
	.add = add_one,
	.remove = remove_one,
	.no_kverbs_req = 1,
};

static int stubs_show(struct seq_file *m, void *unused)
{
	if (IS_ERR_OR_NULL(rcq))
		return -ENODEV;
	seq_printf(m, "cq=%u calls=%d last=%d own=%d\n", rcq->cq->res.id,
		   atomic_read(&calls), READ_ONCE(last),
		   rcq->cq->cq_context == &calls);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stubs);

static int __init stubs_init(void)
{
	int ret = rdmaev_ulp_register(&ulp);

	if (ret)
		return ret;
	ret = ib_register_client(&client);
	if (ret) {
		rdmaev_ulp_unregister(&ulp);
		return ret;
	}
	file = debugfs_create_file(KBUILD_MODNAME, 0400, NULL, NULL,
				   &stubs_fops);
	return 0;
}

static void __exit stubs_exit(void)
{
	debugfs_remove(file);
	ib_unregister_client(&client);
	rdmaev_ulp_unregister(&ulp);
}

module_init(stubs_init);
module_exit(stubs_exit);

MODULE_DESCRIPTION("A ULP that is built without rdmaev, for its tests");
MODULE_LICENSE("Dual BSD/GPL");
