// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * /dev/infiniband/rdmaev: a stream for each open file, and the ioctls. The ABI
 * header describes them.
 *
 * An open file holds a reference to the module, so the log exists as long as
 * the file is open.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nsproxy.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <net/net_namespace.h>

#include "cdev.h"
#include "cdev_list.h"
#include "cdev_struct.h"
#include "device/access.h"
#include "info.h"
#include "object/cq_notify.h"
#include "probe/prober.h"
#include "stream.h"
#include "stream_wake.h"

static bool cdev_started;	/* module init has succeeded */

/*
 * All open files, for hanging them up. The lock protects the list; not a mutex: but on
 * PREEMPT_RT, a thread of low priority cannot be preempted with it held.
 */
static DEFINE_SPINLOCK(cdev_open_lock);
static LIST_HEAD(cdev_open_streams);

/* One administrator at a time; all open files are on the list only with it held */
static DEFINE_MUTEX(cdev_hang_up_lock);

static int cdev_open(struct inode *inode, struct file *file)
{
	const struct net *net = current->nsproxy->net_ns;
	struct rdmaev_stream *s;
	struct rdmaev_cred cred;

	if (!READ_ONCE(cdev_started))
		return -ENODEV;
	rdmaev_cred_init(&cred, net);
	/* Most readers need not be administrators: no audit record. */
	cred.net_admin = ns_capable_noaudit(net->user_ns, CAP_NET_ADMIN);
	cred.host_admin = ns_capable_noaudit(&init_user_ns, CAP_NET_ADMIN);
	cred.all = cred.host_admin && net_eq(net, &init_net);
	s = rdmaev_stream_new(&cred);
	if (IS_ERR(s))
		return PTR_ERR(s);
	/* The position is one in the log, not an offset in a file. */
	file->f_mode &= ~(FMODE_PREAD | FMODE_PWRITE);
	file->private_data = s;
	spin_lock(&cdev_open_lock);
	list_add(&s->open_list, &cdev_open_streams);
	spin_unlock(&cdev_open_lock);
	return 0;
}

/*
 * Only an administrator of the host may disconnect other readers, or have a
 * device probed.
 */
static bool cdev_is_host_admin(void)
{
	return capable(CAP_NET_ADMIN) &&
	       net_eq(current->nsproxy->net_ns, &init_net);
}

/* poll() events of a file that was hung up */
#define HANG_UP_EVENTS	(EPOLLIN | EPOLLRDNORM | EPOLLERR | EPOLLHUP)

static void cdev_hang_up(struct rdmaev_stream *s)
{
	/* The wait queue's lock orders this before the reads of woken tasks. */
	WRITE_ONCE(s->hung_up, true);
	/* 0: wake all tasks, including exclusive waiters. */
	__wake_up(&s->waitq, TASK_NORMAL, 0,
		  poll_to_key(HANG_UP_EVENTS));
}

/*
 * Hang up all streams except @but that are open now. Returns the number of open files
 * that are hung up; their readers may close them at any time.
 */
static u32 cdev_hang_up_all(const struct rdmaev_stream *but)
{
	struct rdmaev_stream *s;
	LIST_HEAD(todo);
	u32 n = 0;

	mutex_lock(&cdev_hang_up_lock);
	spin_lock(&cdev_open_lock);
	list_splice_init(&cdev_open_streams, &todo);
	while (!list_empty(&todo)) {
		s = list_first_entry(&todo, struct rdmaev_stream, open_list);
		list_move(&s->open_list, &cdev_open_streams);
		if (s != but) {
			cdev_hang_up(s);
			n++;
		}
		/* Those that are closed meanwhile leave either list. */
		cond_resched_lock(&cdev_open_lock);
	}
	spin_unlock(&cdev_open_lock);
	rdmaev_stream_wake_shared(HANG_UP_EVENTS);
	mutex_unlock(&cdev_hang_up_lock);
	return n;
}

static u32 cdev_count_hung_up(void)
{
	const struct rdmaev_stream *s;
	u32 n = 0;

	mutex_lock(&cdev_hang_up_lock);
	spin_lock(&cdev_open_lock);
	list_for_each_entry(s, &cdev_open_streams, open_list)
		n += READ_ONCE(s->hung_up);
	spin_unlock(&cdev_open_lock);
	mutex_unlock(&cdev_hang_up_lock);
	return n;
}

static int cdev_release(struct inode *inode, struct file *file)
{
	struct rdmaev_stream *s = file->private_data;

	spin_lock(&cdev_open_lock);
	list_del(&s->open_list);
	spin_unlock(&cdev_open_lock);
	if (s->has_asked)
		rdmaev_notify_release(&s->cred, s);
	rdmaev_stream_free(s);
	return 0;
}

static ssize_t cdev_read(struct file *file, char __user *buf, size_t len,
			 loff_t *pos)
{
	struct rdmaev_stream *s = file->private_data;
	bool wait = !(file->f_flags & O_NONBLOCK);
	ssize_t ret;

	if (len < sizeof(struct rdmaev_record))
		return -EINVAL;
	/* With a watermark, wait until enough records match. */
	if (wait && READ_ONCE(s->watermark) > 1) {
		ret = rdmaev_stream_wait(s);
		if (ret)
			return ret;
	}
	for (;;) {
		if (READ_ONCE(s->hung_up))
			return -ENODEV;
		ret = rdmaev_stream_read(s, buf, len);
		if (ret || !wait)
			return ret ?: -EAGAIN;
		/* No records yet, or another task with this file read them. */
		ret = rdmaev_stream_wait(s);
		if (ret)
			return ret;
	}
}

static __poll_t cdev_poll(struct file *file, poll_table *wait)
{
	struct rdmaev_stream *s = file->private_data;
	wait_queue_head_t *shared = rdmaev_stream_shared_waitq(s);

	poll_wait(file, &s->waitq, wait);
	if (shared)
		poll_wait(file, shared, wait);
	/* read() does not block now, so EPOLLIN is set, too. */
	if (READ_ONCE(s->hung_up))
		return HANG_UP_EVENTS;
	rdmaev_stream_arm(s);
	return rdmaev_stream_ready(s) ? EPOLLIN | EPOLLRDNORM : 0;
}

static loff_t cdev_llseek(struct file *file, loff_t offset, int whence)
{
	struct rdmaev_stream *s = file->private_data;

	if (READ_ONCE(s->hung_up))
		return -ENODEV;
	return rdmaev_stream_seek(s, offset, whence);
}

static_assert(sizeof(struct rdmaev_record) == RDMAEV_RECORD_SIZE);
static_assert(offsetof(struct rdmaev_record, body) == RDMAEV_HEAD_SIZE);
static_assert(sizeof_field(struct rdmaev_record, body) == RDMAEV_BODY_SIZE);
/* The list of targets is at the end, as long as the program needs it. */
static_assert(offsetof(struct rdmaev_filter, target) == RDMAEV_FILTER_SIZE_VER0);

RDMAEV_ASSERT_GROWN(INFO, info);
RDMAEV_ASSERT_GROWN(WAKEUP, wakeup);
RDMAEV_ASSERT_GROWN(NOTIFY, notify);
RDMAEV_ASSERT_GROWN(RELEASE, release);
RDMAEV_ASSERT_GROWN(PROBE_SET, probe_set);

static long cdev_ioctl_info(struct rdmaev_stream *s, void __user *arg)
{
	struct rdmaev_info info;
	u64 position;
	u32 usize;
	int ret;

	ret = rdmaev_get_struct(&info, sizeof(info), RDMAEV_INFO_SIZE_VER0, arg, &usize);
	if (ret)
		return ret;
	if (info.reserved || info.observer.reserved)
		return -EINVAL;
	/* Read first, so newest_seq is not below what was read. */
	position = rdmaev_stream_position(s);
	rdmaev_info_get(&info);
	info.position = position;
	spin_lock(&s->stream_lock);
	info.lost = s->lost;
	spin_unlock(&s->stream_lock);
	return rdmaev_put_struct(arg, &info, sizeof(info), usize);
}

static long cdev_ioctl_filter(struct rdmaev_stream *s, void __user *arg)
{
	struct rdmaev_filter *filter;
	u32 usize;
	int ret;

	filter = kmalloc(sizeof(*filter), GFP_KERNEL_ACCOUNT);
	if (!filter)
		return -ENOMEM;
	ret = rdmaev_get_struct(filter, sizeof(*filter), RDMAEV_FILTER_SIZE_VER0, arg, &usize);
	ret = ret ?: rdmaev_stream_set_filter(s, filter);
	if (ret)
		kfree(filter);
	return ret;
}

static long cdev_ioctl_wakeup(struct rdmaev_stream *s, void __user *arg)
{
	struct rdmaev_wakeup wakeup;
	u32 usize;
	int ret;

	ret = rdmaev_get_struct(&wakeup, sizeof(wakeup), RDMAEV_WAKEUP_SIZE_VER0, arg, &usize);
	if (ret)
		return ret;
	if (wakeup.flags)
		return -EINVAL;
	return rdmaev_stream_set_wakeup(s, wakeup.watermark, wakeup.delay_us);
}

static long cdev_ioctl_probe(struct rdmaev_stream *s, void __user *arg)
{
	struct rdmaev_probe_set set;
	u32 usize;
	int ret;

	ret = rdmaev_get_struct(&set, sizeof(set), RDMAEV_PROBE_SET_SIZE_VER0, arg, &usize);
	if (ret)
		return ret;
	if (set.flags || set.interval_ms > RDMAEV_PROBE_INTERVAL_MAX_MS)
		return -EINVAL;
	if (!s->cred.all || !cdev_is_host_admin())
		return -EPERM;
	return rdmaev_probe_set_interval(&s->cred, set.device, set.interval_ms);
}

static long cdev_ioctl_notify(struct rdmaev_stream *s, void __user *arg)
{
	struct rdmaev_notify notify;
	u32 usize;
	int ret;

	ret = rdmaev_get_struct(&notify, sizeof(notify), RDMAEV_NOTIFY_SIZE_VER0, arg, &usize);
	if (ret)
		return ret;
	if (notify.flags || notify.delay_us > RDMAEV_DELAY_MAX_US)
		return -EINVAL;
	ret = rdmaev_notify_set(&s->cred, s, notify.device, notify.cq,
				notify.every, notify.delay_us);
	/* Only a successful request must be cancelled at close. */
	if (!ret)
		WRITE_ONCE(s->has_asked, true);
	return ret;
}

static long cdev_ioctl_release(struct rdmaev_stream *s, void __user *arg)
{
	struct rdmaev_release release;
	u32 usize;
	int ret;

	ret = rdmaev_get_struct(&release, sizeof(release), RDMAEV_RELEASE_SIZE_VER0, arg, &usize);
	if (ret)
		return ret;
	if (release.flags & ~RDMAEV_RELEASE_QUERY || release.reserved)
		return -EINVAL;
	if (!s->cred.all || !cdev_is_host_admin())
		return -EPERM;
	release.size = sizeof(release);
	if (release.flags & RDMAEV_RELEASE_QUERY)
		release.readers = cdev_count_hung_up();
	else
		release.readers = cdev_hang_up_all(s);
	return rdmaev_put_struct(arg, &release, sizeof(release), usize);
}

static long cdev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct rdmaev_stream *s = file->private_data;
	void __user *uarg = (void __user *)arg;

	if (READ_ONCE(s->hung_up))
		return -ENODEV;
	switch (cmd) {
	case RDMAEV_IOC_INFO:
		return cdev_ioctl_info(s, uarg);
	case RDMAEV_IOC_FILTER:
		return cdev_ioctl_filter(s, uarg);
	case RDMAEV_IOC_WAKEUP:
		return cdev_ioctl_wakeup(s, uarg);
	case RDMAEV_IOC_DEVICES:
		return rdmaev_list_devices(s, uarg);
	case RDMAEV_IOC_PORTS:
		return rdmaev_list_ports(s, uarg);
	case RDMAEV_IOC_CQS:
		return rdmaev_list_cqs(s, uarg);
	case RDMAEV_IOC_QPS:
		return rdmaev_list_qps(s, uarg);
	case RDMAEV_IOC_NOTIFY:
		return cdev_ioctl_notify(s, uarg);
	case RDMAEV_IOC_COUNTERS:
		return rdmaev_list_counters(s, uarg);
	case RDMAEV_IOC_RELEASE:
		return cdev_ioctl_release(s, uarg);
	case RDMAEV_IOC_PROBES:
		return rdmaev_list_probes(s, uarg);
	case RDMAEV_IOC_PROBE:
		return cdev_ioctl_probe(s, uarg);
	}
	return -ENOTTY;
}

static const struct file_operations cdev_fops = {
	.owner = THIS_MODULE,
	.open = cdev_open,
	.release = cdev_release,
	.read = cdev_read,
	.poll = cdev_poll,
	.llseek = cdev_llseek,
	.unlocked_ioctl = cdev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice cdev_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "rdmaev",
	.nodename = "infiniband/rdmaev",
	.mode = 0444,
	.fops = &cdev_fops,
};

/** rdmaev_cdev_init - create the node; open() fails until it is started */
int rdmaev_cdev_init(void)
{
	return misc_register(&cdev_misc);
}

/** rdmaev_cdev_start - allow open() of the node */
void rdmaev_cdev_start(void)
{
	WRITE_ONCE(cdev_started, true);
}

/** rdmaev_cdev_exit - remove the node; no file of it is open */
void rdmaev_cdev_exit(void)
{
	misc_deregister(&cdev_misc);
}
