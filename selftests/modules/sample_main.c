// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A ULP that connects a device with itself, sends, and makes faults; and the
 * example of a ULP whose events and failed completions are recorded by rdmaev,
 * and whose CQs rdmaev accounts for.
 *
 * /sys/kernel/debug/rdmaev_sample/
 *	stream	write "DEV ADDRESS KIND rc|ud COUNT": connect the device DEV,
 *		which has the IPv4 address ADDRESS, with itself, with CQs of the
 *		KIND created, attached or direct (see sample_cq.c), and post
 *		COUNT send requests: UD messages, or RC messages, RDMA WRITEs
 *		and READs in turn. Returns when all have completed, and fails if
 *		they do not, or with EOPNOTSUPP if the device has no UD. The
 *		connection stays until the file is closed or the device is
 *		removed.
 *	make	write "DEV ADDRESS FAULT [EVENTS [KIND]]": connect, with CQs of
 *		the KIND (created), make the FAULT (see sample_make.c), wait for
 *		EVENTS events (0), then until nothing more comes, and take
 *		everything apart. Fails if the fault could not be made: with the
 *		driver's error, if it refuses the request; or with ETIME if the
 *		events do not come.
 *	Read the results, through the file that was written to, in lines:
 *		  END qp=N send_cq=N recv_cq=N [srq=N]
 *		  event END OBJECT=N code=N		in their order
 *		  opcode END QUEUE opcode=N count=N	successful completions
 *		  cause END QUEUE status=N opcode=N vendor_err=N
 *				the first that failed and was not flushed
 *		  flush END QUEUE status=N opcode=N vendor_err=N
 *				the first that was flushed
 *		  wc END QUEUE status=N count=N
 *		with END active (the sender) or passive, OBJECT qp, cq or srq,
 *		QUEUE send or recv, numbers of objects as in `rdma resource
 *		show`, and opcodes as in enum rdmaev_wc_opcode
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/inet.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "files.h"
#include "sample.h"

#define QUIET_MS	50

static struct dentry *dir;

static int find_target(struct sample_target *target, const char *address,
		       const char *kind)
{
	int i;

	if (!in4_pton(address, -1, (u8 *)&target->address, -1, NULL))
		return -EINVAL;
	i = match_string(sample_kinds, SAMPLE_KINDS, kind);
	if (i < 0)
		return -EINVAL;
	target->kind = i;
	return 0;
}

/* The connection of an open file */
static struct sample_conn *conn_of(struct file *file)
{
	return ((struct seq_file *)file->private_data)->private;
}

static int stream_write(void *data, const char *text)
{
	static const struct sample_setup rc, ud = { .ud = true };
	struct sample_conn *conn = data;
	char address[16], kind[16], service[4];
	struct sample_target target;
	unsigned int count;
	int ret;

	if (sscanf(text, "%63s %15s %15s %3s %u", target.device, address, kind,
		   service, &count) != 5 ||
	    (strcmp(service, "rc") && strcmp(service, "ud")))
		return -EINVAL;
	ret = find_target(&target, address, kind);
	if (ret)
		return ret;

	mutex_lock(&conn->mutex);
	sample_disconnect(conn);
	ret = sample_connect(conn, &target, strcmp(service, "ud") ? &rc : &ud);
	if (!ret)
		ret = sample_stream(conn, count);
	if (ret)
		sample_disconnect(conn);
	mutex_unlock(&conn->mutex);
	return ret;
}

/* Wait for the requested events, and then until nothing comes for a while. */
static int wait_for_events(struct sample_conn *conn, unsigned int events)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(SAMPLE_TIMEOUT_MS);
	unsigned int seen;

	do {
		unsigned long quiet = jiffies + msecs_to_jiffies(QUIET_MS);

		seen = sample_progress(conn);
		if (!sample_wait_progress(conn, seen, quiet) &&
		    READ_ONCE(conn->events) >= events)
			return 0;
	} while (time_before(jiffies, deadline));
	return -ETIME;
}

static int make_write(void *data, const char *text)
{
	char address[16], name[32], kind[16] = "created";
	struct sample_conn *conn = data;
	const struct sample_fault *fault;
	struct sample_target target;
	unsigned int events = 0;
	int ret;

	if (sscanf(text, "%63s %15s %31s %u %15s", target.device, address, name,
		   &events, kind) < 3)
		return -EINVAL;
	ret = find_target(&target, address, kind);
	if (ret)
		return ret;
	fault = sample_find_fault(name);
	if (!fault)
		return -EINVAL;

	mutex_lock(&conn->mutex);
	ret = sample_connect(conn, &target, &fault->setup);
	if (!ret)
		ret = fault->make(conn);
	if (!ret)
		ret = wait_for_events(conn, events);
	sample_disconnect(conn);
	mutex_unlock(&conn->mutex);
	return ret;
}

static void show_end(struct seq_file *m, const struct sample_end *end)
{
	seq_printf(m, "%s qp=%u send_cq=%u recv_cq=%u", end->name,
		   end->qp_number, end->cq[SAMPLE_SEND].number,
		   end->cq[SAMPLE_RECV].number);
	if (end->srq)
		seq_printf(m, " srq=%u", end->srq_number);
	seq_putc(m, '\n');
}

static void show_cqs(struct seq_file *m, const struct sample_end *end,
		     void (*show)(struct seq_file *m,
				  const struct sample_cq *scq,
				  const char *end, const char *queue))
{
	static const char * const queues[] = { "send", "recv" };
	int i;

	for (i = 0; i < SAMPLE_QUEUES; i++)
		show(m, &end->cq[i], end->name, queues[i]);
}

static void show_opcodes(struct seq_file *m, const struct sample_cq *scq,
			 const char *end, const char *queue)
{
	int i;

	for (i = 0; i < RDMAEV_OPCODES; i++) {
		if (scq->opcodes[i])
			seq_printf(m, "opcode %s %s opcode=%d count=%u\n",
				   end, queue, i, scq->opcodes[i]);
	}
}

static void show_first(struct seq_file *m, const char *key,
		       const struct ib_wc *wc, const char *end,
		       const char *queue)
{
	if (wc->status)
		seq_printf(m, "%s %s %s status=%u opcode=%u vendor_err=%u\n",
			   key, end, queue, wc->status, sample_opcode(wc),
			   wc->vendor_err);
}

static void show_firsts(struct seq_file *m, const struct sample_cq *scq,
			const char *end, const char *queue)
{
	show_first(m, "cause", &scq->cause, end, queue);
	show_first(m, "flush", &scq->flush, end, queue);
}

static void show_wcs(struct seq_file *m, const struct sample_cq *scq,
		     const char *end, const char *queue)
{
	int i;

	for (i = 0; i <= IB_WC_GENERAL_ERR; i++) {
		if (scq->statuses[i])
			seq_printf(m, "wc %s %s status=%d count=%u\n",
				   end, queue, i, scq->statuses[i]);
	}
}

static int sample_show(struct seq_file *m, void *unused)
{
	struct sample_conn *conn = m->private;
	unsigned int i;

	mutex_lock(&conn->mutex);
	if (conn->setup) {
		show_end(m, &conn->active);
		show_end(m, &conn->passive);
		for (i = 0; i < min(conn->events, SAMPLE_EVENTS); i++)
			seq_printf(m, "event %s %s=%u code=%u\n",
				   conn->event[i].end->name,
				   conn->event[i].object,
				   conn->event[i].number, conn->event[i].code);
		show_cqs(m, &conn->active, show_opcodes);
		show_cqs(m, &conn->passive, show_opcodes);
		show_cqs(m, &conn->active, show_firsts);
		show_cqs(m, &conn->passive, show_firsts);
		show_cqs(m, &conn->active, show_wcs);
		show_cqs(m, &conn->passive, show_wcs);
	}
	mutex_unlock(&conn->mutex);
	return 0;
}

static int sample_open(struct inode *inode, struct file *file)
{
	struct sample_conn *conn = kvzalloc(sizeof(*conn), GFP_KERNEL);
	int ret;

	if (!conn)
		return -ENOMEM;
	sample_conn_init(conn);
	ret = single_open(file, sample_show, conn);
	if (ret)
		kvfree(conn);
	return ret;
}

static int sample_release(struct inode *inode, struct file *file)
{
	struct sample_conn *conn = conn_of(file);

	mutex_lock(&conn->mutex);
	sample_disconnect(conn);
	mutex_unlock(&conn->mutex);
	/* No CM id is left that could start it. */
	cancel_work_sync(&conn->removal);
	kvfree(conn);
	return single_release(inode, file);
}

#define SAMPLE_FILE(name)						\
	static ssize_t name##_run(struct file *file, const char __user *ubuf, \
				  size_t len, loff_t *pos)		\
	{								\
		return run_command(name##_write, conn_of(file), ubuf, len); \
	}								\
									\
	static const struct file_operations name##_fops = {		\
		.owner = THIS_MODULE,					\
		.open = sample_open,					\
		.read = seq_read,					\
		.write = name##_run,					\
		.llseek = seq_lseek,					\
		.release = sample_release,				\
	}

SAMPLE_FILE(stream);
SAMPLE_FILE(make);

static int __init sample_init(void)
{
	int ret = rdmaev_ulp_register(&sample_ulp);

	if (ret)
		return ret;
	dir = debugfs_create_dir("rdmaev_sample", NULL);
	debugfs_create_file("stream", 0600, dir, NULL, &stream_fops);
	debugfs_create_file("make", 0600, dir, NULL, &make_fops);
	return 0;
}

static void __exit sample_exit(void)
{
	debugfs_remove(dir);
	rdmaev_ulp_unregister(&sample_ulp);
}

module_init(sample_init);
module_exit(sample_exit);

MODULE_DESCRIPTION("Example of a ULP that uses rdmaev, for its tests");
MODULE_LICENSE("Dual BSD/GPL");
