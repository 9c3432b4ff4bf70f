// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev_ulp: one of each object, and the calls of its own event handlers */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/seq_file.h>

#include "compat.h"
#include "files.h"
#include "ulp.h"

DEFINE_MUTEX(kits_lock);		/* see ulp.h */
LIST_HEAD(kits);

static struct rdmaev_ulp object_ulp = RDMAEV_ULP_INIT("");
static bool is_registered;		/* under kits_lock */
static u32 delay_ms;

/* Of all objects */
static void reporting(struct ib_event *event, void *context)
{
	struct thing *thing = context;

	rdmaev_report(&object_ulp, event);
	WRITE_ONCE(thing->last, event->event);
	atomic_inc(&thing->calls);
	mdelay(READ_ONCE(delay_ms));
}

static struct thing *prepare(struct thing *thing)
{
	memset(thing, 0, sizeof(*thing));
	thing->last = -1;
	return thing;
}

static struct ib_cq *add_cq(struct objects *o, struct thing *thing)
{
	struct ib_cq_init_attr attr = { .cqe = 16 };

	/* No request is ever completed. */
	return ib_create_cq(o->ib, NULL, reporting, prepare(thing), &attr);
}

static struct ib_srq *add_srq(struct objects *o)
{
	struct ib_srq_init_attr attr = {
		.event_handler = reporting,
		.srq_context = prepare(&o->of_srq),
		.attr = { .max_wr = 16, .max_sge = 1 },
		.srq_type = IB_SRQT_BASIC,
	};

	return ib_create_srq(o->pd, &attr);
}

static struct ib_qp *add_qp(struct objects *o, struct thing *thing,
			    struct ib_srq *srq, unsigned int port)
{
	struct ib_qp_init_attr init = {
		.event_handler = reporting,
		.qp_context = prepare(thing),
		.send_cq = o->send_cq,
		.recv_cq = o->recv_cq,
		.srq = srq,
		.cap = { .max_send_wr = 4, .max_send_sge = 1 },
		.qp_type = IB_QPT_RC,
	};
	struct ib_qp *qp;
	int ret;

	if (!srq) {
		init.cap.max_recv_wr = 4;
		init.cap.max_recv_sge = 1;
	}
	qp = ib_create_qp(o->pd, &init);
	/* The QPs of iWARP are connected by its connection manager only. */
	if (IS_ERR(qp) || rdma_protocol_iwarp(o->ib, port))
		return qp;
	ret = init_qp(qp, port);
	if (!ret)
		return qp;
	ib_destroy_qp(qp);
	return ERR_PTR(ret);
}

static struct ib_wq *add_wq(struct objects *o)
{
	struct ib_wq_init_attr attr = {
		.event_handler = reporting,
		.wq_context = prepare(&o->of_wq),
		.wq_type = IB_WQT_RQ,
		.max_wr = 4,
		.max_sge = 1,
		.cq = o->recv_cq,
	};

	return ib_create_wq(o->pd, &attr);
}

void destroy_objects(struct objects *o)
{
	if (!IS_ERR_OR_NULL(o->wq))
		ib_destroy_wq_user(o->wq, NULL);
	if (!IS_ERR_OR_NULL(o->qp))
		ib_destroy_qp(o->qp);
	if (!IS_ERR_OR_NULL(o->srq_qp))
		ib_destroy_qp(o->srq_qp);
	if (!IS_ERR_OR_NULL(o->srq))
		ib_destroy_srq(o->srq);
	if (!IS_ERR_OR_NULL(o->recv_cq))
		ib_destroy_cq(o->recv_cq);
	if (!IS_ERR_OR_NULL(o->send_cq))
		ib_destroy_cq(o->send_cq);
	if (!IS_ERR_OR_NULL(o->pd))
		ib_dealloc_pd(o->pd);
	o->wq = NULL;
	o->qp = NULL;
	o->srq_qp = NULL;
	o->srq = NULL;
	o->recv_cq = NULL;
	o->send_cq = NULL;
	o->pd = NULL;
}

static int fill(struct objects *o, unsigned int port)
{
	int ret;

	o->pd = ib_alloc_pd(o->ib, 0);
	ret = PTR_ERR_OR_ZERO(o->pd);
	if (ret)
		goto err;
	o->send_cq = add_cq(o, &o->of_send_cq);
	o->recv_cq = add_cq(o, &o->of_recv_cq);
	ret = PTR_ERR_OR_ZERO(o->send_cq) ?: PTR_ERR_OR_ZERO(o->recv_cq);
	if (ret)
		goto err;
	o->srq = add_srq(o);
	ret = PTR_ERR_OR_ZERO(o->srq);
	if (ret)
		goto err;
	o->srq_qp = add_qp(o, &o->of_srq_qp, o->srq, port);
	o->qp = add_qp(o, &o->of_qp, NULL, port);
	ret = PTR_ERR_OR_ZERO(o->srq_qp) ?: PTR_ERR_OR_ZERO(o->qp);
	if (ret)
		goto err;
	o->wq = add_wq(o);
	if (IS_ERR(o->wq) && PTR_ERR(o->wq) != -EOPNOTSUPP) {
		ret = PTR_ERR(o->wq);
		goto err;
	}
	return 0;
err:
	destroy_objects(o);
	return ret;
}

static int source_write(void *data, const char *text)
{
	size_t n = strlen(text);
	int ret = 0;

	if (n && text[n - 1] == '\n')
		n--;
	mutex_lock(&kits_lock);
	if (!n) {
		rdmaev_ulp_unregister(&object_ulp);
		is_registered = false;
	} else if (is_registered) {
		ret = rdmaev_ulp_register(&object_ulp);
	} else {
		/*
		 * The rest of the previous contents is not cleared: only the
		 * name is new.
		 */
		memcpy(object_ulp.name, text, min(n, sizeof(object_ulp.name)));
		if (n < sizeof(object_ulp.name))
			object_ulp.name[n] = '\0';
		ret = rdmaev_ulp_register(&object_ulp);
		is_registered = !ret;
	}
	mutex_unlock(&kits_lock);
	return ret;
}
DEFINE_WRITE_ATTRIBUTE(source);

struct kit *find_kit(const char *name)
{
	struct kit *kit;

	list_for_each_entry(kit, &kits, list) {
		if (!kit->gone && !strcmp(dev_name(&kit->ib->dev), name))
			return kit;
	}
	return NULL;
}

/* kits_lock is held. */
static struct objects *find_objects(const char *name)
{
	struct kit *kit = find_kit(name);

	return kit ? &kit->objects : NULL;
}

static int create_write(void *data, const char *text)
{
	char name[IB_DEVICE_NAME_MAX + 1];
	unsigned int port = 1;
	struct objects *o;
	int ret;

	if (sscanf(text, "%64s %u", name, &port) < 1)
		return -EINVAL;

	mutex_lock(&kits_lock);
	o = find_objects(name);
	if (!o)
		ret = -ENODEV;
	else if (o->pd)
		ret = -EBUSY;
	else if (!rdma_is_port_valid(o->ib, port))
		ret = -EINVAL;
	else
		ret = fill(o, port);
	mutex_unlock(&kits_lock);
	return ret;
}
DEFINE_WRITE_ATTRIBUTE(create);

/* Simulated QPs have no state to reset, only their history in rdmaev. */
static void reset(struct objects *o)
{
	if (!o->pd)
		return;
	rdmaev_qp_flushed(o->srq_qp);
	rdmaev_qp_flushed(o->qp);
}

static int act(const char *text, void (*action)(struct objects *o))
{
	char name[IB_DEVICE_NAME_MAX + 1];
	struct objects *o;

	if (sscanf(text, "%64s", name) != 1)
		return -EINVAL;

	mutex_lock(&kits_lock);
	o = find_objects(name);
	if (o)
		action(o);
	mutex_unlock(&kits_lock);
	return o ? 0 : -ENODEV;
}

static int destroy_write(void *data, const char *text)
{
	return act(text, destroy_objects);
}
DEFINE_WRITE_ATTRIBUTE(destroy);

static int reset_write(void *data, const char *text)
{
	return act(text, reset);
}
DEFINE_WRITE_ATTRIBUTE(reset);

static u64 bench_ns;

static void bench(struct objects *o, unsigned int count)
{
	struct ib_event event = {
		.device = o->ib,
		.element.qp = o->qp,
		.event = IB_EVENT_COMM_EST,
	};
	unsigned int i;
	u64 start;

	start = ktime_get_raw_ns();
	for (i = 0; i < count; i++)
		rdmaev_report(&object_ulp, &event);
	bench_ns = ktime_get_raw_ns() - start;
}

static int bench_write(void *data, const char *text)
{
	char name[IB_DEVICE_NAME_MAX + 1];
	unsigned int count;
	struct objects *o;
	int ret = 0;

	if (sscanf(text, "%64s %u", name, &count) != 2)
		return -EINVAL;

	mutex_lock(&kits_lock);
	o = find_objects(name);
	if (o && o->pd)
		bench(o, count);
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

static void show(struct seq_file *m, const struct objects *o, const char *type,
		 u32 number, const struct ib_cq *send_cq,
		 const struct ib_cq *recv_cq, const struct ib_srq *srq,
		 const struct thing *thing)
{
	seq_printf(m, "%s %s %u", dev_name(&o->ib->dev), type, number);
	show_number(m, "send_cq", send_cq, send_cq ? send_cq->res.id : 0);
	show_number(m, "recv_cq", recv_cq, recv_cq ? recv_cq->res.id : 0);
	show_number(m, "srq", srq, srq ? srq_number(srq) : 0);
	seq_printf(m, " calls=%d last=%d\n", atomic_read(&thing->calls),
		   READ_ONCE(thing->last));
}

static int objects_show(struct seq_file *m, void *unused)
{
	const struct objects *k;
	const struct kit *kit;

	mutex_lock(&kits_lock);
	list_for_each_entry(kit, &kits, list) {
		k = &kit->objects;
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

void object_files(struct dentry *dir)
{
	debugfs_create_file("source", 0200, dir, NULL, &source_fops);
	debugfs_create_file("create", 0200, dir, NULL, &create_fops);
	debugfs_create_file("destroy", 0200, dir, NULL, &destroy_fops);
	debugfs_create_file("reset", 0200, dir, NULL, &reset_fops);
	debugfs_create_file("objects", 0400, dir, NULL, &objects_fops);
	debugfs_create_file("bench", 0600, dir, NULL, &bench_fops);
	debugfs_create_u32("delay_ms", 0600, dir, &delay_ms);
}

/* There are no objects any more. */
void object_exit(void)
{
	rdmaev_ulp_unregister(&object_ulp);
}
