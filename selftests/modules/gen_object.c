// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev_gen: events of objects that are in use, also by a program, on any
 * device. WQs are missing: they are not in the resource tracking of the core.
 *
 * Why the object is safe: the reference to its restrack entry delays
 * ib_destroy_*() before it calls the driver. So until it is put, driver and
 * core have freed nothing; nor has uverbs, whose handlers use the uobject of
 * the object and the async event file that the uobject has a reference to: both
 * are freed after ib_destroy_*() has returned. An object is tracked a little
 * before its uobject is complete, but with the list of events initialized and,
 * until it is set, no file: the handlers drop an event then. They require no
 * lock and no context, as drivers call them from anywhere: they take the lock
 * of the event queue with interrupts off.
 *
 * On Linux 5.10 the reference does not delay the end of a QP, only of a CQ:
 * rdma_restrack_del() returns at once. No test may destroy a QP there while an
 * event of it is raised.
 */
#include <linux/sched.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

#include "compat.h"
#include "files.h"
#include "gen.h"
#include "objects.h"

static const enum rdma_restrack_type restrack_types[] = {
	[OBJECT_QP] = RDMA_RESTRACK_QP,
	[OBJECT_CQ] = RDMA_RESTRACK_CQ,
	[OBJECT_SRQ] = RDMA_RESTRACK_SRQ,
	[OBJECT_WQ] = RDMA_RESTRACK_MAX,
};

static void *object_of(struct rdma_restrack_entry *res, enum object_type type)
{
	switch (type) {
	case OBJECT_QP:
		return container_of(res, struct ib_qp, res);
	case OBJECT_CQ:
		return container_of(res, struct ib_cq, res);
	default:
		return srq_of_res(res);
	}
}

/* The type of the event says what its element is, whoever raises it. */
static bool is_about(unsigned int code, enum object_type type)
{
	switch (code) {
	case IB_EVENT_CQ_ERR:
		return type == OBJECT_CQ;
	case IB_EVENT_SRQ_ERR:
	case IB_EVENT_SRQ_LIMIT_REACHED:
		return type == OBJECT_SRQ;
	default:
		return type == OBJECT_QP;
	}
}

static int raise(struct ib_device *ib, enum object_type type, u32 number,
		 unsigned int code, unsigned int count)
{
	struct report rep = { .event = { .device = ib, .event = code } };
	struct rdma_restrack_entry *res;
	int ret = 0;

	res = get_res(ib, restrack_types[type], number);
	if (IS_ERR(res))
		return PTR_ERR(res);
	set_object(&rep, type, object_of(res, type));
	if (!rep.handler)
		ret = -ENXIO;
	while (!ret && count--) {
		/*
		 * A handler may write to the event, as that of shared QPs does.
		 */
		struct ib_event copy = rep.event;

		if (!rdma_is_kernel_res(res) && is_about(code, type))
			gen_report(&rep.event);
		rep.handler(&copy, rep.context);
	}
	rdma_restrack_put(res);
	return ret;
}

/* Notify a program of a completion, as its driver would. */
static int notify(struct ib_device *ib, u32 number, unsigned int count)
{
	struct rdma_restrack_entry *res;
	struct ib_cq *cq;
	int ret = 0;

	res = get_res(ib, RDMA_RESTRACK_CQ, number);
	if (IS_ERR(res))
		return PTR_ERR(res);
	cq = container_of(res, struct ib_cq, res);
	if (rdma_is_kernel_res(res) || !cq->comp_handler)
		ret = -ENXIO;
	while (!ret && count--) {
		cq->comp_handler(cq, cq->cq_context);
		cond_resched();
	}
	rdma_restrack_put(res);
	return ret;
}

static int raise_write(void *data, const char *text)
{
	unsigned int number, code, count = 1;
	char name[IB_DEVICE_NAME_MAX];
	struct ib_device *ib;
	char type_name[5];
	int ret, type;

	if (sscanf(text, "%63s %4s %u %u %u", name, type_name, &number, &code,
		   &count) < 4)
		return -EINVAL;
	type = find_object_type(type_name);
	if (type < 0 && strcmp(type_name, "comp"))
		return type;

	ib = gen_get_device(name);
	if (!ib)
		return -ENODEV;
	ret = type < 0 ? notify(ib, number, count) :
			 raise(ib, type, number, code, count);
	ib_device_put(ib);
	return ret;
}
DEFINE_WRITE_ATTRIBUTE(raise);

void gen_object_files(struct dentry *dir)
{
	debugfs_create_file("raise", 0200, dir, NULL, &raise_fops);
}
