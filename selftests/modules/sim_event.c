// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Simulated HCAs: events of their objects */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/sched/signal.h>

#include "context.h"
#include "files.h"
#include "sim.h"

static bool has_number(const struct sim_object *obj, enum object_type type,
		       u32 number)
{
	if (obj->type != type)
		return false;
	switch (type) {
	case OBJECT_QP:
		return obj->qp->qp_num == number;
	case OBJECT_CQ:
		/* No number yet while the core has not finished creating it. */
		return obj->cq->res.valid && obj->cq->res.id == number;
	case OBJECT_SRQ:
		return srq_number(obj->srq) == number;
	case OBJECT_WQ:
		return obj->wq->wq_num == number;
	}
	return false;
}

/* objects_lock is held; the object stays as long as it is. */
struct sim_object *sim_find_object(struct sim_dev *sim, enum object_type type,
				   u32 number)
{
	struct sim_object *obj;

	list_for_each_entry(obj, &sim->objects, list) {
		if (has_number(obj, type, number))
			return obj;
	}
	return NULL;
}

struct sim_report {
	struct report rep;
	raw_spinlock_t *lock;
};

/* Like drivers. An owner may have no handler. */
static void call_handler(void *data)
{
	struct sim_report *sim_rep = data;
	struct report *rep = &sim_rep->rep;

	if (rep->handler)
		rep->handler(&rep->event, rep->context);
}

/* Some drivers hold a lock of the object during the call. */
static void call_handler_locked(void *data)
{
	struct sim_report *sim_rep = data;
	unsigned long flags;

	raw_spin_lock_irqsave(sim_rep->lock, flags);
	call_handler(sim_rep);
	raw_spin_unlock_irqrestore(sim_rep->lock, flags);
}

/* The device reports it, unless it is removed. The object may go meanwhile. */
static int dispatch(const struct ib_event *event)
{
	if (!ib_device_try_get(event->device))
		return -ENODEV;
	ib_dispatch_event(event);
	ib_device_put(event->device);
	return 0;
}

static int raise(struct sim_dev *sim, enum object_type type, u32 number,
		 unsigned int event, const char *context)
{
	struct sim_report sim_rep = {
		.rep.event = { .device = &sim->ib, .event = event },
	};
	bool locked = !strcmp(context, "hardirq");
	struct sim_object *obj;
	int ret = 0;

	down_read(&sim->objects_lock);
	obj = sim_find_object(sim, type, number);
	if (!obj) {
		ret = -ENOENT;
		goto out;
	}
	sim_rep.lock = &obj->lock;
	set_object(&sim_rep.rep, type, obj->any);
	if (!strcmp(context, "dispatch"))
		ret = dispatch(&sim_rep.rep.event);
	else if (!call_in_context(context, locked ? call_handler_locked :
						    call_handler, &sim_rep))
		ret = -EINVAL;
out:
	up_read(&sim->objects_lock);
	return ret;
}

static int raise_write(void *data, const char *text)
{
	unsigned int number, event, count = 1;
	char context[16] = "process";
	int ret = 0, type;
	char type_name[8];
	unsigned int i;

	if (sscanf(text, "%7s %u %u %15s %u", type_name, &number, &event,
		   context, &count) < 3)
		return -EINVAL;
	type = find_object_type(type_name);
	if (type < 0)
		return type;
	/* One at a time: the object can be destroyed in between. */
	for (i = 0; i < count && !ret && !fatal_signal_pending(current); i++) {
		ret = raise(data, type, number, event, context);
		cond_resched();
	}
	return ret;
}
DEFINE_WRITE_ATTRIBUTE(raise);

/* After the device has its directory */
void sim_event_files(struct sim_dev *sim)
{
	debugfs_create_file("raise", 0200, sim->dir, sim, &raise_fops);
}
