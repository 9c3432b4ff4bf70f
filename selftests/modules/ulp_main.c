// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ULP of the tests: it reports events of its objects to rdmaev, which
 * accounts for its CQs.
 *
 * /sys/kernel/debug/rdmaev_ulp/
 *	source		write "NAME": register under this name, all bytes up to
 *			a line feed at the end; nothing: unregister. Initially
 *			it is not registered
 *
 * One of each object, which move no data:
 *
 *	create		write "DEV [PORT]": make on this device two CQs, an SRQ,
 *			an RC QP on the SRQ, an RC QP without it and a WQ, as
 *			far as its driver supports them
 *	destroy		write "DEV": destroy them
 *	reset		write "DEV": rdmaev_qp_flushed() for its QPs
 *	objects		read: "DEV TYPE NUMBER send_cq=N recv_cq=N srq=N calls=N
 *			last=EVENT" for each, "-" for missing ones. calls are
 *			those of the ULP's event handler
 *	delay_ms	duration of a call of that
 *	bench		write "DEV COUNT": report so many events of its QP
 *			without SRQ. Read: "ns=N" that rdmaev_report() took
 *
 * CQs under load, on simulated devices: QPs are connected to themselves.
 *
 *	run	Write "COMMAND DEV ...": runs it to its end. Read: the result of
 *	the last one, "KEY=NUMBER ..." in one line. KIND is created, attached
 *	(counted in done()), pool (the same, ib_cq_pool_get()), direct
 *	(attached, and polled by this ULP), or unknown to rdmaev except by the
 *	observer: softirq or workqueue (polled there by ib_core), processed
 *	(ib_process_cq_direct()) or polled (ib_create_cq() and ib_poll_cq())
 *
 *	load DEV KIND THREADS COUNT
 *		as many threads, on all CPUs in turn, post COUNT requests each,
 *		on QPs of their own that share a CQ, and let the QP fail now and
 *		then. Two threads poll CQs that this ULP polls. Result: posted
 *		and lost, completions by kind of request and by status
 *	wakeup DEV KIND ROUNDS [SEED]
 *		a producer on each of two CPUs posts bursts of 1 to 8 requests
 *		to the one CQ, ROUNDS in all, and after each both wait until all
 *		are consumed. Only notifications cause a poll. lost=1: waited
 *		for 5 seconds in vain
 *	churn DEV KIND ROUNDS
 *		make a CQ and a QP, destroy them while requests are posted
 *	fail DEV COUNT BURST
 *		COUNT QPs with 5 receive requests fail, up to BURST of them
 *		(3000) before the first is flushed
 *	bench DEV COUNT
 *		additional time, in ns, to account for COUNT completions besides
 *		polling them: by rdmaev_poll_cq() 16 at a time, then one, and by
 *		rdmaev_count_wc(); and for as many flushed ones
 *	softirq DEV COUNT BATCH
 *		time, in ns, in which the core polls COUNT completions of a
 *		softirq CQ, BATCH for each notification
 *	polled DEV COUNT BATCH
 *		time, in ns, in which this ULP polls COUNT completions of a
 *		polled CQ, BATCH at a time
 *	drop DEV
 *		destroy the CQ of the last load or wakeup, which is kept until
 *		the next one otherwise
 *	hold DEV ...
 *		see ulp_hold.c
 *
 * When a device is removed, its command ends, and its objects are destroyed.
 * One command runs at a time on a device.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "compat.h"
#include "ulp.h"
#include "files.h"

/* Under kits_lock */
static struct result last_result;
static bool run_is_registered;

static DECLARE_WAIT_QUEUE_HEAD(idle);
static struct dentry *dir;

static int add_one(struct ib_device *ib)
{
	struct kit *kit = kzalloc(sizeof(*kit), GFP_KERNEL);

	if (!kit)
		return -ENOMEM;
	kit->ib = ib;
	kit->objects.ib = ib;
	mutex_lock(&kits_lock);
	list_add_tail(&kit->list, &kits);
	mutex_unlock(&kits_lock);
	return 0;
}

static void free_kit(struct kit *kit)
{
	end_hold(kit);
	forget(kit);
	if (kit->pd)
		ib_dealloc_pd(kit->pd);
	kfree(kit);
}

/* It is removed once: it stays in the list until it is taken out here. */
static void remove_one(struct ib_device *ib, void *data)
{
	struct kit *kit = NULL, *pos;

	mutex_lock(&kits_lock);
	list_for_each_entry(pos, &kits, list) {
		if (pos->ib == ib)
			kit = pos;
	}
	WRITE_ONCE(kit->gone, true);
	mutex_unlock(&kits_lock);
	/* No command begins any more. */
	wait_event(idle, !READ_ONCE(kit->busy));
	mutex_lock(&kits_lock);
	destroy_objects(&kit->objects);
	list_del(&kit->list);
	mutex_unlock(&kits_lock);
	free_kit(kit);
}

static struct ib_client client = {
	.name = KBUILD_MODNAME,
	.add = add_one,
	.remove = remove_one,
	/* Simulated HCAs have verbs, but not all those that the core checks. */
	.no_kverbs_req = 1,
};

static struct kit *get(const char *name)
{
	struct kit *kit;

	mutex_lock(&kits_lock);
	/* Not earlier: it makes a difference for events of the objects. */
	if (!run_is_registered)
		run_is_registered = !rdmaev_ulp_register(&run_ulp);
	kit = find_kit(name);
	if (!run_is_registered)
		kit = ERR_PTR(-ENOMEM);
	else if (!kit)
		kit = ERR_PTR(-ENODEV);
	else if (kit->busy)
		kit = ERR_PTR(-EBUSY);
	else
		kit->busy = true;
	mutex_unlock(&kits_lock);
	return kit;
}

static void put(struct kit *kit, const struct result *res)
{
	mutex_lock(&kits_lock);
	WRITE_ONCE(kit->busy, false);
	last_result = *res;
	mutex_unlock(&kits_lock);
	wake_up_all(&idle);
}

static int run_drop(struct kit *kit, const char *args, struct result *res)
{
	forget(kit);
	return 0;
}

static const struct command {
	const char *name;
	int (*run)(struct kit *kit, const char *args, struct result *res);
} commands[] = {
	{ "load", run_load },
	{ "wakeup", run_wakeup },
	{ "churn", run_churn },
	{ "fail", run_fail },
	{ "hold", run_hold },
	{ "bench", run_bench },
	{ "softirq", run_softirq },
	{ "polled", run_polled },
	{ "drop", run_drop },
};

static int run_one(const struct command *cmd, const char *dev, const char *args)
{
	struct result *res;
	struct kit *kit;
	int ret = 0;

	res = kzalloc(sizeof(*res), GFP_KERNEL);
	if (!res)
		return -ENOMEM;
	kit = get(dev);
	if (IS_ERR(kit)) {
		ret = PTR_ERR(kit);
		goto out;
	}
	if (!kit->pd) {
		struct ib_pd *pd = ib_alloc_pd(kit->ib, 0);

		ret = PTR_ERR_OR_ZERO(pd);
		kit->pd = ret ? NULL : pd;
	}
	if (!ret)
		ret = cmd->run(kit, args, res);
	tell(res, " gone=%d", READ_ONCE(kit->gone));
	put(kit, res);
out:
	kfree(res);
	return ret;
}

static int run_write(void *data, const char *text)
{
	char name[16], dev[IB_DEVICE_NAME_MAX + 1];
	int i, n = 0;

	if (sscanf(text, "%15s %64s %n", name, dev, &n) != 2)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(commands[i].name, name))
			return run_one(&commands[i], dev, text + n);
	}
	return -EINVAL;
}

static int run_show(struct seq_file *m, void *unused)
{
	mutex_lock(&kits_lock);
	seq_printf(m, "%s\n", last_result.text);
	mutex_unlock(&kits_lock);
	return 0;
}
DEFINE_COMMAND_ATTRIBUTE(run);

static int __init ulp_init(void)
{
	int ret;

	/*
	 * Its threads use their CPU fully: no other work should wait for them.
	 */
	run_wq = alloc_workqueue(KBUILD_MODNAME, WQ_CPU_INTENSIVE | WQ_PERCPU,
				 0);
	if (!run_wq)
		return -ENOMEM;
	ret = ib_register_client(&client);
	if (ret) {
		destroy_workqueue(run_wq);
		return ret;
	}
	dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("run", 0600, dir, NULL, &run_fops);
	object_files(dir);
	return 0;
}

/* Destroyed first, unregistered last: see <rdma/rdmaev_ulp.h>. */
static void __exit ulp_exit(void)
{
	debugfs_remove(dir);
	ib_unregister_client(&client);
	object_exit();
	rdmaev_ulp_unregister(&run_ulp);
	destroy_workqueue(run_wq);
}

module_init(ulp_init);
module_exit(ulp_exit);

MODULE_DESCRIPTION("The ULP of the tests of rdmaev");
MODULE_LICENSE("Dual BSD/GPL");
