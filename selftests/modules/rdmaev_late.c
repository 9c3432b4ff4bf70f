// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A ULP that is built without rdmaev and finds it at run time, for tests: it is
 * loaded whether or not rdmaev is, and has two CQs on the device of its parameter:
 * one of its own, the events of which it passes on, and one made by rdmaev, if that is
 * there.
 *
 *	insmod rdmaev_late.ko dev=NAME
 *
 * /sys/kernel/debug/rdmaev_late	read: "bound=0|1 cq=NUMBER calls=N last=EVENT
 *	rcq=NUMBER"
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev.h>

#if IS_REACHABLE(CONFIG_INFINIBAND_RDMAEV)
#error "this is a test of a build without rdmaev"
#endif

static char *dev;
module_param(dev, charp, 0444);
MODULE_PARM_DESC(dev, "device that gets the CQ");

static const struct rdmaev_ops *ops;	/* constant while the CQs are there */
static struct rdmaev_ulp ulp = { .name = KBUILD_MODNAME };
static struct rdmaev_object object;
static struct ib_cq *cq;
static struct rdmaev_cq *rcq;
static atomic_t calls;
static int last = -1;
static struct dentry *file;

static void own_event(struct ib_event *event, void *context)
{
	WRITE_ONCE(last, event->event);
	atomic_inc(&calls);
}

static void completed(struct ib_cq *cq, void *context)
{
}

static struct ib_client client;

static int add_one(struct ib_device *ib)
{
	struct ib_cq_init_attr attr = { .cqe = 16 };
	void (*handler)(struct ib_event *event, void *context);

	if (!dev || strcmp(dev_name(&ib->dev), dev))
		return -EOPNOTSUPP;
	if (ops) {
		ops->object_init(&object, &ulp, RDMAEV_OBJECT_CQ, own_event,
				 NULL);
		handler = ops->event_handler;
	} else {
		rdmaev_object_init(&object, &ulp, RDMAEV_OBJECT_CQ, own_event,
				   NULL);
		handler = rdmaev_event_handler;
	}
	cq = ib_create_cq(ib, completed, handler, &object, &attr);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	rcq = ops ? ops->create_cq(&ulp, ib, completed, own_event, NULL, &attr,
				   0) :
		    rdmaev_create_cq(&ulp, ib, completed, own_event, NULL,
				     &attr, 0);
	if (IS_ERR(rcq)) {
		ib_destroy_cq(cq);
		return PTR_ERR(rcq);
	}
	ib_set_client_data(ib, &client, cq);
	return 0;
}

static void remove_one(struct ib_device *ib, void *data)
{
	if (ops)
		ops->destroy_cq(rcq);
	else
		rdmaev_destroy_cq(rcq);
	ib_destroy_cq(data);
}

static struct ib_client client = {
	.name = KBUILD_MODNAME,
	.add = add_one,
	.remove = remove_one,
	.no_kverbs_req = 1,
};

static int object_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "bound=%d cq=%d calls=%d last=%d rcq=%d\n", !!ops,
		   IS_ERR_OR_NULL(cq) ? -1 : (int)cq->res.id,
		   atomic_read(&calls), READ_ONCE(last),
		   IS_ERR_OR_NULL(rcq) ? -1 : (int)rcq->cq->res.id);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(object);

static int __init late_init(void)
{
	int ret;

	ops = rdmaev_get();
	if (ops) {
		ret = ops->ulp_register(&ulp);
		if (ret)
			goto err_put;
	}
	ret = ib_register_client(&client);
	if (ret)
		goto err_unregister;
	file = debugfs_create_file(KBUILD_MODNAME, 0400, NULL, NULL,
				   &object_fops);
	return 0;

err_unregister:
	if (ops)
		ops->ulp_unregister(&ulp);
err_put:
	if (ops)
		rdmaev_put();
	return ret;
}

/* The event handler of the CQ is in the module that is put last. */
static void __exit late_exit(void)
{
	debugfs_remove(file);
	ib_unregister_client(&client);
	if (ops) {
		ops->ulp_unregister(&ulp);
		rdmaev_put();
	}
}

module_init(late_init);
module_exit(late_exit);

MODULE_DESCRIPTION("A ULP that finds rdmaev at run time, for its tests");
MODULE_LICENSE("Dual BSD/GPL");
