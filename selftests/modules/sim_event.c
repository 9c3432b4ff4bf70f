// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Simulated HCAs: their events */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/sched/signal.h>

#include "context.h"
#include "files.h"
#include "sim.h"

static bool has_number(const struct sim_object *obj, enum sim_type type,
		       u32 number)
{
	if (obj->type != type)
		return false;
	switch (type) {
	case SIM_QP:
		return obj->qp->qp_num == number;
	case SIM_CQ:
		/* No number yet while the core has not finished creating it. */
		return obj->cq->res.valid && obj->cq->res.id == number;
	case SIM_SRQ:
		return srq_number(obj->srq) == number;
	case SIM_WQ:
		return obj->wq->wq_num == number;
	}
	return false;
}

/* objects_lock is held; the object stays as long as it is. */
struct sim_object *sim_find_object(struct sim_dev *sim, enum sim_type type,
				   u32 number)
{
	struct sim_object *obj;

	list_for_each_entry(obj, &sim->objects, list) {
		if (has_number(obj, type, number))
			return obj;
	}
	return NULL;
}

/* The same, by the name of a type */
static struct sim_object *find(struct sim_dev *sim, const char *type_name,
			       u32 number)
{
	static const char * const names[] = {
		[SIM_QP] = "qp",
		[SIM_CQ] = "cq",
		[SIM_SRQ] = "srq",
		[SIM_WQ] = "wq",
	};
	int type = match_string(names, ARRAY_SIZE(names), type_name);

	if (type < 0)
		return ERR_PTR(-EINVAL);
	return sim_find_object(sim, type, number) ?: ERR_PTR(-ENOENT);
}

/*
 * The type of the event says what its element is, also if the handler of
 * another object gets it: cxgb4 reports errors of CQs to QPs.
 */
static void set_element(struct ib_event *event, const struct sim_object *obj)
{
	switch (obj->type) {
	case SIM_QP:
		if (event->event == IB_EVENT_CQ_ERR)
			event->element.cq = obj->qp->send_cq;
		else
			event->element.qp = obj->qp;
		break;
	case SIM_CQ:
		event->element.cq = obj->cq;
		break;
	case SIM_SRQ:
		event->element.srq = obj->srq;
		break;
	case SIM_WQ:
		event->element.wq = obj->wq;
		break;
	}
}

struct report {
	struct sim_object *obj;
	struct ib_event event;
};

/* Like drivers. An owner may have no handler. */
static void call_handler(void *data)
{
	struct report *rep = data;
	struct sim_object *obj = rep->obj;
	void (*handler)(struct ib_event *event, void *context) = NULL;
	void *context = NULL;

	switch (obj->type) {
	case SIM_QP:
		handler = obj->qp->event_handler;
		context = obj->qp->qp_context;
		break;
	case SIM_CQ:
		handler = obj->cq->event_handler;
		context = obj->cq->cq_context;
		break;
	case SIM_SRQ:
		handler = obj->srq->event_handler;
		context = obj->srq->srq_context;
		break;
	case SIM_WQ:
		handler = obj->wq->event_handler;
		context = obj->wq->wq_context;
		break;
	}
	if (handler)
		handler(&rep->event, context);
}

/* Some drivers hold a lock of the object during the call. */
static void call_handler_locked(void *data)
{
	struct report *rep = data;
	unsigned long flags;

	raw_spin_lock_irqsave(&rep->obj->lock, flags);
	call_handler(rep);
	raw_spin_unlock_irqrestore(&rep->obj->lock, flags);
}

static int raise(struct sim_dev *sim, const char *type, u32 number,
		 unsigned int event, const char *context)
{
	struct report rep = { .event.device = &sim->ib, .event.event = event };
	bool locked = !strcmp(context, "hardirq");
	int ret = 0;

	down_read(&sim->objects_lock);
	rep.obj = find(sim, type, number);
	if (IS_ERR(rep.obj)) {
		ret = PTR_ERR(rep.obj);
		goto out;
	}
	set_element(&rep.event, rep.obj);
	if (!call_in_context(context, locked ? call_handler_locked :
					       call_handler, &rep))
		ret = -EINVAL;
out:
	up_read(&sim->objects_lock);
	return ret;
}

static ssize_t raise_write(struct file *file, const char __user *ubuf,
			   size_t len, loff_t *pos)
{
	unsigned int number, event, count = 1;
	char context[16] = "process";
	char type[8], buf[64];
	unsigned int i;
	int ret;

	ret = get_words(buf, sizeof(buf), ubuf, len);
	if (ret)
		return ret;
	if (sscanf(buf, "%7s %u %u %15s %u", type, &number, &event, context,
		   &count) < 3)
		return -EINVAL;

	/* One at a time: the object can be destroyed in between. */
	for (i = 0; i < count && !ret && !fatal_signal_pending(current); i++) {
		ret = raise(file->private_data, type, number, event, context);
		cond_resched();
	}
	return ret ?: len;
}
DEFINE_WRITE_ATTRIBUTE(raise);

static ssize_t misdirect_write(struct file *file, const char __user *ubuf,
			       size_t len, loff_t *pos)
{
	struct sim_dev *sim = file->private_data;
	struct ib_event event = { .device = &sim->ib };
	unsigned int code, number;
	struct sim_object *obj;
	char type[8], buf[32];
	int ret;

	ret = get_words(buf, sizeof(buf), ubuf, len);
	if (ret)
		return ret;
	if (sscanf(buf, "%u %7s %u", &code, type, &number) != 3)
		return -EINVAL;

	down_read(&sim->objects_lock);
	obj = find(sim, type, number);
	if (IS_ERR(obj)) {
		ret = PTR_ERR(obj);
	} else {
		event.event = code;
		set_element(&event, obj);
		ib_dispatch_event(&event);
	}
	up_read(&sim->objects_lock);
	return ret ?: len;
}
DEFINE_WRITE_ATTRIBUTE(misdirect);

static ssize_t event_write(struct file *file, const char __user *ubuf,
			   size_t len, loff_t *pos)
{
	struct sim_dev *sim = file->private_data;
	struct ib_event event = { .device = &sim->ib };
	unsigned int number, port;
	char buf[32];
	int ret;

	ret = get_words(buf, sizeof(buf), ubuf, len);
	if (ret)
		return ret;
	if (sscanf(buf, "%u %u", &number, &port) != 2)
		return -EINVAL;
	event.event = number;
	event.element.port_num = port;
	ib_dispatch_event(&event);
	return len;
}
DEFINE_WRITE_ATTRIBUTE(event);

/* After the device is registered */
void sim_event_files(struct sim_dev *sim)
{
	sim->dispatch[0] = debugfs_create_file("event", 0200, sim->dir, sim,
					       &event_fops);
	sim->dispatch[1] = debugfs_create_file("misdirect", 0200, sim->dir,
					       sim, &misdirect_fops);
	debugfs_create_file("raise", 0200, sim->dir, sim, &raise_fops);
}
