// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Maker of events for tests. It works without rdmaev, and holds it only while
 * it is registered as a ULP.
 *
 * /sys/kernel/debug/rdmaev_gen/
 *	run	write "MODE DEVICE EVENT PORT COUNT": the device reports events,
 *		in the ways of drivers and of the core. Read the result:
 *		"delivered=N ns=N", the calls of an event handler beside
 *		rdmaev's. Modes:
 *		queue		ib_dispatch_event(), which calls the handlers
 *				later. It has no result
 *		dispatch	the same, from two threads at once; ends when
 *				all that is queued has been delivered, also what
 *				others have dispatched before
 *		process		straight to the event handlers of the device, as
 *				the core does when it has dequeued an event
 *		softirq		the same with bottom halves off
 *		hardirq		the same from irq_work, in hard interrupt
 *		cpus=MODE	from a thread on each CPU, each COUNT events, in
 *				one of the three ways before, or with mixed in
 *				all in turn. The events of a CPU are numbered:
 *				from EVENT + CPU * COUNT on
 *		none		only the loop, to be subtracted from the next
 *		only=PREFIX	only the handlers whose function's name starts
 *				with PREFIX, in the loop
 *
 *	raise	write "DEVICE TYPE NUMBER EVENT [COUNT]": report the event to
 *		the event handler of an object in use, as its driver would,
 *		COUNT times (1). TYPE is qp, cq or srq, NUMBER as in `rdma
 *		resource show`. COUNT 0 only makes the object known: rdmaev
 *		takes no older event for the cause of later ones.
 *		With TYPE comp, NUMBER is a CQ of a process, which is notified
 *		of a completion that it does not have; EVENT is ignored.
 *		ENOENT: no such object; ENXIO: it has no event handler, or
 *		belongs to no process;
 *		EOPNOTSUPP: the kernel has no list of objects of this type
 *
 *	report	write 1: report the events that are raised at objects of
 *		processes to rdmaev, too, as a ULP that monitors them; 0: do
 *		not, and unregister from rdmaev, which can be unloaded then.
 *		Initially 0: the observer reports them, or nobody. Of the
 *		kernel's objects, the owner reports events or not
 *
 *	Those that follow register with rdmaev, too. ENODEV: it is not loaded.
 *
 *	qp	write "INDEX GENERATION NUMBER CODE BEFORE RESULT SIGNAL OWNER
 *		CALLER [FUNCTION]": append a record of RDMAEV_KIND_QP. INDEX and
 *		GENERATION are those of the device. BEFORE is the state before,
 *		-1: unknown. OWNER and CALLER are process ids in the initial
 *		namespace, 0: the kernel; FUNCTION is the kernel function that
 *		made the request. The file is missing if the kernel has no
 *		kprobes
 *
 *	cm	write "INDEX GENERATION NUMBER CODE STATUS OWNER": append a
 *		record of RDMAEV_KIND_CM, with the same meaning. Missing with
 *		qp
 *
 *	note	write "DEVICE QP PORT SEVERITY COUNT TEXT": report TEXT by
 *		rdmaev_note(), COUNT times, with interrupts off. DEVICE and QP
 *		may be -: none. With COUNT 0 once, while the ULP is not
 *		registered
 *
 *	observer	write "CODE FACTS TIME_NS COUNT CAUSE": append a
 *		record of RDMAEV_KIND_OBSERVER
 *
 *	block	write 1: register a misc device called rdmaev, so that the node
 *		cannot be made; 0: remove it
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/miscdevice.h>
#include <linux/module.h>

#include "files.h"
#include "gen.h"

static struct dentry *dir;
static DEFINE_MUTEX(block_lock);	/* protects blocked */
static bool blocked;

static const struct file_operations block_misc_fops = {
	.owner = THIS_MODULE,
};

static struct miscdevice block_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "rdmaev",
	.fops = &block_misc_fops,
};

static int block_write(void *data, const char *text)
{
	bool on;
	int ret;

	ret = kstrtobool(text, &on);
	if (ret)
		return ret;
	mutex_lock(&block_lock);
	if (on && !blocked)
		ret = misc_register(&block_misc);
	else if (!on && blocked)
		misc_deregister(&block_misc);
	if (!ret)
		blocked = on;
	mutex_unlock(&block_lock);
	return ret;
}
DEFINE_WRITE_ATTRIBUTE(block);

static int __init gen_init(void)
{
	dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	gen_device_files(dir);
	gen_object_files(dir);
	gen_record_files(dir);
	debugfs_create_file("block", 0200, dir, NULL, &block_fops);
	return 0;
}

static void __exit gen_exit(void)
{
	debugfs_remove(dir);
	gen_record_exit();
	if (blocked)
		misc_deregister(&block_misc);
}

module_init(gen_init);
module_exit(gen_exit);

MODULE_DESCRIPTION("Maker of events for the tests of rdmaev");
MODULE_LICENSE("Dual BSD/GPL");
