// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A ULP that has things go wrong on real devices, for tests; and an example of
 * how a ULP has rdmaev record its events.
 *
 * /sys/kernel/debug/rdmaev_faults/
 *	make	write "DEV ADDRESS FAULT [EVENTS]": connect the device DEV, which
 *		has the IPv4 address ADDRESS, with itself, make the FAULT happen
 *		(see faults_make.c), wait for EVENTS events (0), then until no
 *		more come, and take everything apart. Fails if the fault could
 *		not be made, or with ETIME if the events do not come.
 *		Read what came of the last one, in lines:
 *		  END qp=N send_cq=N recv_cq=N [srq=N]
 *		  event END OBJECT=N code=N		as they came
 *		  wc END QUEUE status=N count=N
 *		with END active (who sends) or passive, OBJECT qp, cq or srq,
 *		QUEUE send or recv, and numbers as `rdma resource show` has them
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/inet.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>

#include "faults.h"
#include "files.h"

#define QUIET_MS	300

struct rdmaev_ulp faults_ulp = { .name = "rdmaev_faults" };

static struct dentry *dir;

/* One fault at a time; protects what came of it, which is the connection. */
static DEFINE_MUTEX(lock);
static struct faults_conn last;

static unsigned int poll_all(struct faults_conn *conn)
{
	return faults_poll(&conn->active, FAULTS_SEND) +
	       faults_poll(&conn->active, FAULTS_RECV) +
	       faults_poll(&conn->passive, FAULTS_SEND) +
	       faults_poll(&conn->passive, FAULTS_RECV);
}

/* Until the events came that were asked for, and then nothing for a while. */
static int settle(struct faults_conn *conn, unsigned int events)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(FAULTS_TIMEOUT_MS);
	unsigned long quiet = jiffies + msecs_to_jiffies(QUIET_MS);
	unsigned int before = 0;

	for (;;) {
		unsigned int came = READ_ONCE(conn->events);
		unsigned int now = came + poll_all(conn);

		if (now != before)
			quiet = jiffies + msecs_to_jiffies(QUIET_MS);
		else if (came >= events && time_after(jiffies, quiet))
			return 0;
		if (time_after(jiffies, deadline))
			return -ETIME;
		before = now;
		usleep_range(1000, 2000);
	}
}

static int make(const char *device, __be32 address, const struct fault *fault,
		unsigned int events)
{
	int ret;

	ret = faults_connect(&last, device, address, &fault->setup);
	if (!ret)
		ret = fault->make(&last);
	if (!ret)
		ret = settle(&last, events);
	faults_disconnect(&last);
	return ret;
}

static ssize_t make_write(struct file *file, const char __user *ubuf,
			  size_t len, loff_t *pos)
{
	char device[IB_DEVICE_NAME_MAX], address[16], name[32];
	const struct fault *fault;
	unsigned int events = 0;
	char buf[128];
	__be32 ip;
	int ret;

	ret = get_words(buf, sizeof(buf), ubuf, len);
	if (ret)
		return ret;
	if (sscanf(buf, "%63s %15s %31s %u", device, address, name, &events) < 3)
		return -EINVAL;
	if (!in4_pton(address, -1, (u8 *)&ip, -1, NULL))
		return -EINVAL;
	fault = fault_find(name);
	if (!fault)
		return -EINVAL;

	mutex_lock(&lock);
	ret = make(device, ip, fault, events);
	mutex_unlock(&lock);
	return ret ?: len;
}

static void show_end(struct seq_file *m, const struct faults_end *end)
{
	seq_printf(m, "%s qp=%u send_cq=%u recv_cq=%u", end->name,
		   end->number.qp, end->number.cq[FAULTS_SEND],
		   end->number.cq[FAULTS_RECV]);
	if (end->srq)
		seq_printf(m, " srq=%u", end->number.srq);
	seq_putc(m, '\n');
}

static void show_wcs(struct seq_file *m, const struct faults_end *end)
{
	static const char * const queues[] = { "send", "recv" };
	int queue, status;

	for (queue = 0; queue < FAULTS_QUEUES; queue++) {
		for (status = 0; status <= IB_WC_GENERAL_ERR; status++) {
			if (end->wcs[queue][status])
				seq_printf(m, "wc %s %s status=%d count=%u\n",
					   end->name, queues[queue], status,
					   end->wcs[queue][status]);
		}
	}
}

static int make_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	mutex_lock(&lock);
	if (last.setup) {
		show_end(m, &last.active);
		show_end(m, &last.passive);
		for (i = 0; i < min(last.events, FAULTS_EVENTS); i++)
			seq_printf(m, "event %s %s=%u code=%u\n",
				   last.event[i].end->name,
				   last.event[i].object, last.event[i].number,
				   last.event[i].code);
		show_wcs(m, &last.active);
		show_wcs(m, &last.passive);
	}
	mutex_unlock(&lock);
	return 0;
}

static int make_open(struct inode *inode, struct file *file)
{
	return single_open(file, make_show, NULL);
}

static const struct file_operations make_fops = {
	.owner = THIS_MODULE,
	.open = make_open,
	.read = seq_read,
	.write = make_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init faults_init(void)
{
	int ret = rdmaev_ulp_register(&faults_ulp);

	if (ret)
		return ret;
	dir = debugfs_create_dir("rdmaev_faults", NULL);
	debugfs_create_file("make", 0600, dir, NULL, &make_fops);
	return 0;
}

static void __exit faults_exit(void)
{
	debugfs_remove(dir);
	rdmaev_ulp_unregister(&faults_ulp);
}

module_init(faults_init);
module_exit(faults_exit);

MODULE_DESCRIPTION("Faults on real devices, for the tests of rdmaev");
MODULE_LICENSE("Dual BSD/GPL");
