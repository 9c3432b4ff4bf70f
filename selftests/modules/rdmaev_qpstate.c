// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Asks ib_modify_qp_is_ok(), for the test of librdmaev-verbs' table.
 *
 * /sys/kernel/debug/rdmaev_qpstate: write an array of struct question, read a
 * byte for each: 1 if it is fine
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_verbs.h>

#define QUESTIONS	1024

struct question {
	u32 from;
	u32 to;
	u32 type;
	u32 mask;
};

/* Of an open file, which one thread uses at a time */
struct answers {
	struct question question[QUESTIONS];
	u8 fine[QUESTIONS];
	size_t count;
};

static struct dentry *file;

static bool qpstate_is_ok(const struct question *q)
{
	/* The core does not check them */
	if (q->from > IB_QPS_ERR || q->to > IB_QPS_ERR || q->type >= IB_QPT_MAX)
		return false;
	return ib_modify_qp_is_ok(q->from, q->to, q->type, q->mask);
}

static int qpstate_open(struct inode *inode, struct file *filp)
{
	struct answers *a = kvzalloc(sizeof(*a), GFP_KERNEL);

	filp->private_data = a;
	return a ? 0 : -ENOMEM;
}

static int qpstate_release(struct inode *inode, struct file *filp)
{
	kvfree(filp->private_data);
	return 0;
}

static ssize_t qpstate_write(struct file *filp, const char __user *ubuf, size_t len,
			     loff_t *ppos)
{
	struct answers *a = filp->private_data;
	size_t i;

	if (len > sizeof(a->question) || len % sizeof(a->question[0]))
		return -EINVAL;
	if (copy_from_user(a->question, ubuf, len))
		return -EFAULT;
	a->count = len / sizeof(a->question[0]);
	for (i = 0; i < a->count; i++)
		a->fine[i] = qpstate_is_ok(&a->question[i]);
	return len;
}

static ssize_t qpstate_read(struct file *filp, char __user *ubuf, size_t len, loff_t *ppos)
{
	struct answers *a = filp->private_data;

	len = min(len, a->count);
	return copy_to_user(ubuf, a->fine, len) ? -EFAULT : len;
}

static const struct file_operations qpstate_fops = {
	.owner = THIS_MODULE,
	.open = qpstate_open,
	.release = qpstate_release,
	.write = qpstate_write,
	.read = qpstate_read,
};

static int __init qpstate_init(void)
{
	file = debugfs_create_file("rdmaev_qpstate", 0600, NULL, NULL, &qpstate_fops);
	return PTR_ERR_OR_ZERO(file);
}

static void __exit qpstate_exit(void)
{
	debugfs_remove(file);
}

module_init(qpstate_init);
module_exit(qpstate_exit);

MODULE_DESCRIPTION("rdmaev test: asks ib_core about transitions of QPs");
MODULE_LICENSE("Dual BSD/GPL");
