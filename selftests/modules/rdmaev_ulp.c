// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A ULP that feeds rdmaev, for tests: it makes one of each object and counts
 * the calls of its own event handlers. It moves no data.
 *
 * /sys/kernel/debug/rdmaev_ulp/
 *	source		write "NAME": register under this name, all bytes up to
 *			a line feed at the end; nothing: unregister
 *	create		write "DEV [PORT]": make on this device two CQs, an SRQ,
 *			an RC QP on the SRQ, an RC QP without it and a WQ, as
 *			far as its driver supports them
 *	destroy		write "DEV": destroy them
 *	reset		write "DEV": rdmaev_qp_flushed() for its QPs
 *	objects		read: "DEV TYPE NUMBER send_cq=N recv_cq=N srq=N calls=N
 *			last=EVENT" for each, "-" for missing ones
 *	delay_ms	duration of a call of this ULP's event handler
 *	bench		write "DEV COUNT": report so many events of its QP
 *			without SRQ. Read: "ns=N" that rdmaev_report() took
 *
 * When a device is removed, the objects on it are destroyed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

#include "compat.h"
#include "files.h"

/* An object, and the calls of the ULP's handler */
struct thing {
	atomic_t calls;
	int last;
};

/*
 * Objects on a device; NULL or ERR_PTR for those missing. Made by the client's
 * add(), freed by its remove().
 */
struct kit {
	struct ib_device *ib;
	struct list_head list;		/* in kits, under kits_lock */
	struct ib_pd *pd;
	struct ib_cq *send_cq, *recv_cq;
	struct ib_srq *srq;
	struct ib_qp *srq_qp, *qp;
	struct ib_wq *wq;
	struct thing of_send_cq, of_recv_cq, of_srq, of_srq_qp, of_qp, of_wq;
};

static DEFINE_MUTEX(kits_lock);		/* also one user of ulp at a time */
static LIST_HEAD(kits);
static struct rdmaev_ulp ulp = RDMAEV_ULP_INIT("");
static bool registered;
static u32 delay_ms;
static struct dentry *root;

/* Of all objects */
static void reporting(struct ib_event *event, void *context)
{
	struct thing *thing = context;

	rdmaev_report(&ulp, event);
	WRITE_ONCE(thing->last, event->event);
	atomic_inc(&thing->calls);
	mdelay(READ_ONCE(delay_ms));
}

/* No request is ever completed. */
static void completed(struct ib_cq *cq, void *context)
{
}

static struct thing *prepare(struct thing *thing)
{
	memset(thing, 0, sizeof(*thing));
	thing->last = -1;
	return thing;
}

static struct ib_cq *make_cq(struct kit *kit, struct thing *thing)
{
	struct ib_cq_init_attr attr = { .cqe = 16 };

	return ib_create_cq(kit->ib, completed, reporting, prepare(thing),
			    &attr);
}

static struct ib_srq *make_srq(struct kit *kit)
{
	struct ib_srq_init_attr attr = {
		.event_handler = reporting,
		.srq_context = prepare(&kit->of_srq),
		.attr = { .max_wr = 16, .max_sge = 1 },
		.srq_type = IB_SRQT_BASIC,
	};

	return ib_create_srq(kit->pd, &attr);
}

static struct ib_qp *make_qp(struct kit *kit, struct thing *thing,
			     struct ib_srq *srq, unsigned int port)
{
	struct ib_qp_init_attr init = {
		.event_handler = reporting,
		.qp_context = prepare(thing),
		.send_cq = kit->send_cq,
		.recv_cq = kit->recv_cq,
		.srq = srq,
		.cap = { .max_send_wr = 4, .max_send_sge = 1 },
		.qp_type = IB_QPT_RC,
	};
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = port };
	struct ib_qp *qp;
	int ret;

	if (!srq) {
		init.cap.max_recv_wr = 4;
		init.cap.max_recv_sge = 1;
	}
	qp = ib_create_qp(kit->pd, &init);
	/* The QPs of iWARP are connected by its connection manager only. */
	if (IS_ERR(qp) || rdma_protocol_iwarp(kit->ib, port))
		return qp;
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX |
			   IB_QP_PORT | IB_QP_ACCESS_FLAGS);
	if (!ret)
		return qp;
	ib_destroy_qp(qp);
	return ERR_PTR(ret);
}

static struct ib_wq *make_wq(struct kit *kit)
{
	struct ib_wq_init_attr attr = {
		.event_handler = reporting,
		.wq_context = prepare(&kit->of_wq),
		.wq_type = IB_WQT_RQ,
		.max_wr = 4,
		.max_sge = 1,
		.cq = kit->recv_cq,
	};

	return ib_create_wq(kit->pd, &attr);
}

static void empty(struct kit *kit)
{
	if (!IS_ERR_OR_NULL(kit->wq))
		ib_destroy_wq_user(kit->wq, NULL);
	if (!IS_ERR_OR_NULL(kit->qp))
		ib_destroy_qp(kit->qp);
	if (!IS_ERR_OR_NULL(kit->srq_qp))
		ib_destroy_qp(kit->srq_qp);
	if (!IS_ERR_OR_NULL(kit->srq))
		ib_destroy_srq(kit->srq);
	if (!IS_ERR_OR_NULL(kit->recv_cq))
		ib_destroy_cq(kit->recv_cq);
	if (!IS_ERR_OR_NULL(kit->send_cq))
		ib_destroy_cq(kit->send_cq);
	if (!IS_ERR_OR_NULL(kit->pd))
		ib_dealloc_pd(kit->pd);
	kit->wq = NULL;
	kit->qp = NULL;
	kit->srq_qp = NULL;
	kit->srq = NULL;
	kit->recv_cq = NULL;
	kit->send_cq = NULL;
	kit->pd = NULL;
}

static int fill(struct kit *kit, unsigned int port)
{
	int ret;

	kit->pd = ib_alloc_pd(kit->ib, 0);
	ret = PTR_ERR_OR_ZERO(kit->pd);
	if (ret)
		goto err;
	kit->send_cq = make_cq(kit, &kit->of_send_cq);
	kit->recv_cq = make_cq(kit, &kit->of_recv_cq);
	ret = PTR_ERR_OR_ZERO(kit->send_cq) ?: PTR_ERR_OR_ZERO(kit->recv_cq);
	if (ret)
		goto err;
	kit->srq = make_srq(kit);
	ret = PTR_ERR_OR_ZERO(kit->srq);
	if (ret)
		goto err;
	kit->srq_qp = make_qp(kit, &kit->of_srq_qp, kit->srq, port);
	kit->qp = make_qp(kit, &kit->of_qp, NULL, port);
	ret = PTR_ERR_OR_ZERO(kit->srq_qp) ?: PTR_ERR_OR_ZERO(kit->qp);
	if (ret)
		goto err;
	kit->wq = make_wq(kit);
	if (IS_ERR(kit->wq) && PTR_ERR(kit->wq) != -EOPNOTSUPP) {
		ret = PTR_ERR(kit->wq);
		goto err;
	}
	return 0;
err:
	empty(kit);
	return ret;
}

static int add_one(struct ib_device *ib)
{
	struct kit *kit = kzalloc(sizeof(*kit), GFP_KERNEL);

	if (!kit)
		return -ENOMEM;
	kit->ib = ib;
	mutex_lock(&kits_lock);
	list_add_tail(&kit->list, &kits);
	mutex_unlock(&kits_lock);
	return 0;
}

static struct ib_client client;

static void remove_one(struct ib_device *ib, void *data)
{
	struct kit *kit, *next;

	mutex_lock(&kits_lock);
	list_for_each_entry_safe(kit, next, &kits, list) {
		if (kit->ib != ib)
			continue;
		empty(kit);
		list_del(&kit->list);
		kfree(kit);
	}
	mutex_unlock(&kits_lock);
}

static struct ib_client client = {
	.name = KBUILD_MODNAME,
	.add = add_one,
	.remove = remove_one,
	/* Simulated HCAs have verbs, but not all those that the core checks. */
	.no_kverbs_req = 1,
};

/* kits_lock is held. */
static struct kit *find(const char *name)
{
	struct kit *kit;

	list_for_each_entry(kit, &kits, list) {
		if (!strcmp(dev_name(&kit->ib->dev), name))
			return kit;
	}
	return NULL;
}

static int source_write(void *data, const char *text)
{
	size_t n = strlen(text);
	int ret = 0;

	if (n && text[n - 1] == '\n')
		n--;
	mutex_lock(&kits_lock);
	if (!n) {
		rdmaev_ulp_unregister(&ulp);
		registered = false;
	} else if (registered) {
		ret = rdmaev_ulp_register(&ulp);
	} else {
		/*
		 * The rest of the previous contents is not cleared: only the
		 * name is new.
		 */
		memcpy(ulp.name, text, min(n, sizeof(ulp.name)));
		if (n < sizeof(ulp.name))
			ulp.name[n] = '\0';
		ret = rdmaev_ulp_register(&ulp);
		registered = !ret;
	}
	mutex_unlock(&kits_lock);
	return ret;
}
DEFINE_WRITE_ATTRIBUTE(source);

static int create_write(void *data, const char *text)
{
	char name[IB_DEVICE_NAME_MAX + 1];
	unsigned int port = 1;
	struct kit *kit;
	int ret;

	if (sscanf(text, "%64s %u", name, &port) < 1)
		return -EINVAL;

	mutex_lock(&kits_lock);
	kit = find(name);
	if (!kit)
		ret = -ENODEV;
	else if (kit->pd)
		ret = -EBUSY;
	else if (!rdma_is_port_valid(kit->ib, port))
		ret = -EINVAL;
	else
		ret = fill(kit, port);
	mutex_unlock(&kits_lock);
	return ret;
}
DEFINE_WRITE_ATTRIBUTE(create);

/* Simulated QPs have no state to reset, only their history in rdmaev. */
static void reset(struct kit *kit)
{
	if (!kit->pd)
		return;
	rdmaev_qp_flushed(kit->srq_qp);
	rdmaev_qp_flushed(kit->qp);
}

static int act(const char *text, void (*action)(struct kit *kit))
{
	char name[IB_DEVICE_NAME_MAX + 1];
	struct kit *kit;

	if (sscanf(text, "%64s", name) != 1)
		return -EINVAL;

	mutex_lock(&kits_lock);
	kit = find(name);
	if (kit)
		action(kit);
	mutex_unlock(&kits_lock);
	return kit ? 0 : -ENODEV;
}

static int destroy_write(void *data, const char *text)
{
	return act(text, empty);
}
DEFINE_WRITE_ATTRIBUTE(destroy);

static int reset_write(void *data, const char *text)
{
	return act(text, reset);
}
DEFINE_WRITE_ATTRIBUTE(reset);

static u64 bench_ns;

static void bench(struct kit *kit, unsigned int count)
{
	struct ib_event event = {
		.device = kit->ib,
		.element.qp = kit->qp,
		.event = IB_EVENT_COMM_EST,
	};
	unsigned int i;
	u64 start;

	start = ktime_get_raw_ns();
	for (i = 0; i < count; i++)
		rdmaev_report(&ulp, &event);
	bench_ns = ktime_get_raw_ns() - start;
}

static int bench_write(void *data, const char *text)
{
	char name[IB_DEVICE_NAME_MAX + 1];
	unsigned int count;
	struct kit *kit;
	int ret = 0;

	if (sscanf(text, "%64s %u", name, &count) != 2)
		return -EINVAL;

	mutex_lock(&kits_lock);
	kit = find(name);
	if (kit && kit->pd)
		bench(kit, count);
	else
		ret = -ENODEV;
	mutex_unlock(&kits_lock);
	return ret;
}

static int bench_show(struct seq_file *m, void *unused)
{
	mutex_lock(&kits_lock);
	seq_printf(m, "ns=%llu\n", bench_ns);
	mutex_unlock(&kits_lock);
	return 0;
}
DEFINE_COMMAND_ATTRIBUTE(bench);

static void show_number(struct seq_file *m, const char *key, bool there,
			u32 number)
{
	if (there)
		seq_printf(m, " %s=%u", key, number);
	else
		seq_printf(m, " %s=-", key);
}

static void show(struct seq_file *m, const struct kit *kit, const char *type,
		 u32 number, const struct ib_cq *send_cq,
		 const struct ib_cq *recv_cq, const struct ib_srq *srq,
		 const struct thing *thing)
{
	seq_printf(m, "%s %s %u", dev_name(&kit->ib->dev), type, number);
	show_number(m, "send_cq", send_cq, send_cq ? send_cq->res.id : 0);
	show_number(m, "recv_cq", recv_cq, recv_cq ? recv_cq->res.id : 0);
	show_number(m, "srq", srq, srq ? srq_number(srq) : 0);
	seq_printf(m, " calls=%d last=%d\n", atomic_read(&thing->calls),
		   READ_ONCE(thing->last));
}

static int objects_show(struct seq_file *m, void *unused)
{
	const struct kit *k;

	mutex_lock(&kits_lock);
	list_for_each_entry(k, &kits, list) {
		if (!k->pd)
			continue;
		show(m, k, "cq", k->send_cq->res.id, NULL, NULL, NULL,
		     &k->of_send_cq);
		show(m, k, "cq", k->recv_cq->res.id, NULL, NULL, NULL,
		     &k->of_recv_cq);
		show(m, k, "srq", srq_number(k->srq), NULL, NULL, NULL,
		     &k->of_srq);
		show(m, k, "qp", k->srq_qp->qp_num, k->send_cq, k->recv_cq,
		     k->srq, &k->of_srq_qp);
		show(m, k, "qp", k->qp->qp_num, k->send_cq, k->recv_cq, NULL,
		     &k->of_qp);
		if (!IS_ERR(k->wq))
			show(m, k, "wq", k->wq->wq_num, NULL, k->recv_cq, NULL,
			     &k->of_wq);
	}
	mutex_unlock(&kits_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(objects);

static int __init ulp_init(void)
{
	int ret;

	ret = ib_register_client(&client);
	if (ret)
		return ret;
	root = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("source", 0200, root, NULL, &source_fops);
	debugfs_create_file("create", 0200, root, NULL, &create_fops);
	debugfs_create_file("destroy", 0200, root, NULL, &destroy_fops);
	debugfs_create_file("reset", 0200, root, NULL, &reset_fops);
	debugfs_create_file("objects", 0400, root, NULL, &objects_fops);
	debugfs_create_file("bench", 0600, root, NULL, &bench_fops);
	debugfs_create_u32("delay_ms", 0600, root, &delay_ms);
	return 0;
}

/* Destroyed first, unregistered last: see <rdma/rdmaev_ulp.h>. */
static void __exit ulp_exit(void)
{
	debugfs_remove(root);
	ib_unregister_client(&client);
	rdmaev_ulp_unregister(&ulp);
}

module_init(ulp_init);
module_exit(ulp_exit);

MODULE_DESCRIPTION("A ULP that feeds rdmaev, for its tests");
MODULE_LICENSE("Dual BSD/GPL");
