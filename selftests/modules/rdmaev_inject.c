// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Injector of affiliated events for tests: raises an event on a QP, CQ or SRQ
 * that is in use, also on one of a program, on any device. And of records of
 * requests for QPs, without a request, of connections, without one, and of the
 * observer, without one. And notes of a ULP.
 *
 * /sys/kernel/debug/rdmaev_inject/
 *	raise	write "DEV TYPE NUMBER EVENT [COUNT]": report the event to the
 *		event handler of the object, as its driver would, COUNT times
 *		(1). DEV is the name that the device had when it was registered,
 *		TYPE qp, cq or srq, NUMBER as in `rdma resource show`.
 *		If the object belongs to a process, rdmaev gets the event, too,
 *		as from a ULP that monitors it (not with report=0); otherwise
 *		its owner reports it or not.
 *		COUNT 0 only makes the object known: rdmaev takes no older event
 *		for the cause of later ones.
 *		With TYPE comp, NUMBER is a CQ of a process, which is notified
 *		of a completion that it does not have; EVENT is ignored.
 *		ENOENT: no such object; ENXIO: it has no event handler, or
 *		belongs to no process;
 *		EOPNOTSUPP: the kernel has no list of objects of this type
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
 *	note	write "DEV QP PORT SEVERITY COUNT TEXT": report TEXT by
 *		rdmaev_note(), COUNT times, with interrupts off. DEV and QP may
 *		be -: none. With COUNT 0 once, while the ULP is not registered
 *
 *	observer	write "CODE MECHANISMS FACTS TIME_NS COUNT CAUSE": append a
 *		record of RDMAEV_KIND_OBSERVER
 *
 * WQs are missing: they are not in the resource tracking of the core.
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
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>
#include <rdma/restrack.h>

#include "compat.h"
#include "device/access.h"
#include "device/burst.h"
#include "files.h"
#include "observe/session.h"

/* From add() to remove() of the client. */
struct inject_device {
	struct list_head list;
	struct ib_device *ib;
	char name[IB_DEVICE_NAME_MAX];
};

/*
 * Protects the list of devices. Held while an event is raised: remove() waits
 * for it, so the device stays.
 */
static DEFINE_MUTEX(lock);
static LIST_HEAD(devices);

static struct dentry *dir;

static bool report = true;
module_param(report, bool, 0444);
MODULE_PARM_DESC(report, "report events of processes to rdmaev; no: the observer does");

static struct rdmaev_ulp inject_ulp = RDMAEV_ULP_INIT("rdmaev_inject");

static const struct inject_type {
	const char *name;
	enum rdma_restrack_type restrack;
	enum rdmaev_object_type object;
} types[] = {
	{ "qp", RDMA_RESTRACK_QP, RDMAEV_OBJECT_QP },
	{ "cq", RDMA_RESTRACK_CQ, RDMAEV_OBJECT_CQ },
	{ "srq", RDMA_RESTRACK_SRQ, RDMAEV_OBJECT_SRQ },
};

static const struct inject_type *find_type(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (!strcmp(types[i].name, name))
			return &types[i];
	}
	return NULL;
}

static struct inject_device *find_device(const char *name)
{
	struct inject_device *dev;

	list_for_each_entry(dev, &devices, list) {
		if (!strcmp(dev->name, name))
			return dev;
	}
	return NULL;
}

/* The type of the event says what its element is, whoever raises it. */
static bool is_about(unsigned int code, enum rdmaev_object_type object)
{
	switch (code) {
	case IB_EVENT_CQ_ERR:
		return object == RDMAEV_OBJECT_CQ;
	case IB_EVENT_SRQ_ERR:
	case IB_EVENT_SRQ_LIMIT_REACHED:
		return object == RDMAEV_OBJECT_SRQ;
	default:
		return object == RDMAEV_OBJECT_QP;
	}
}

struct inject_handler {
	void (*fn)(struct ib_event *event, void *context);
	void *context;
};

/* The receiver of the event, and its element */
static struct inject_handler find_handler(struct rdma_restrack_entry *res,
					  struct ib_event *event)
{
	struct inject_handler handler = {};

	switch (res->type) {
	case RDMA_RESTRACK_QP: {
		struct ib_qp *qp = container_of(res, struct ib_qp, res);

		event->element.qp = qp;
		handler.fn = qp->event_handler;
		handler.context = qp->qp_context;
		break;
	}
	case RDMA_RESTRACK_CQ: {
		struct ib_cq *cq = container_of(res, struct ib_cq, res);

		event->element.cq = cq;
		handler.fn = cq->event_handler;
		handler.context = cq->cq_context;
		break;
	}
	case RDMA_RESTRACK_SRQ: {
		struct ib_srq *srq = srq_of_res(res);

		event->element.srq = srq;
		handler.fn = srq->event_handler;
		handler.context = srq->srq_context;
		break;
	}
	default:
		break;
	}
	return handler;
}

static int raise(struct inject_device *dev, const struct inject_type *type,
		 u32 number, unsigned int code, unsigned int count)
{
	struct rdma_restrack_entry *res;
	struct inject_handler handler;
	struct ib_event event = {
		.device = dev->ib,
		.event = code,
	};
	int ret = 0;

	res = get_res(dev->ib, type->restrack, number);
	if (IS_ERR(res))
		return PTR_ERR(res);
	handler = find_handler(res, &event);
	if (!handler.fn) {
		ret = -ENXIO;
		goto put;
	}
	while (count--) {
		/*
		 * A handler may write to the event, as that of shared QPs does.
		 */
		struct ib_event copy = event;

		if (report && !rdma_is_kernel_res(res) && is_about(code, type->object))
			rdmaev_report(&inject_ulp, &event);
		handler.fn(&copy, handler.context);
	}
put:
	rdma_restrack_put(res);
	return ret;
}

/* Notify a program of a completion, as its driver would. */
static int notify(struct inject_device *dev, u32 number, unsigned int count)
{
	struct rdma_restrack_entry *res;
	struct ib_cq *cq;
	int ret = 0;

	res = get_res(dev->ib, RDMA_RESTRACK_CQ, number);
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

static ssize_t raise_write(struct file *file, const char __user *ubuf,
			   size_t len, loff_t *pos)
{
	unsigned int number, code, count = 1;
	const struct inject_type *type;
	char name[IB_DEVICE_NAME_MAX];
	struct inject_device *dev;
	char type_name[5];
	char buf[128];
	int ret;

	ret = get_words(buf, sizeof(buf), ubuf, len);
	if (ret)
		return ret;
	if (sscanf(buf, "%63s %4s %u %u %u", name, type_name, &number, &code,
		   &count) < 4)
		return -EINVAL;
	type = find_type(type_name);
	if (!type && strcmp(type_name, "comp"))
		return -EINVAL;

	mutex_lock(&lock);
	dev = find_device(name);
	if (!dev)
		ret = -ENODEV;
	else if (type)
		ret = raise(dev, type, number, code, count);
	else
		ret = notify(dev, number, count);
	mutex_unlock(&lock);
	return ret ?: len;
}
DEFINE_WRITE_ATTRIBUTE(raise);

/*
 * Functions of rdmaev that are not exported; rdmaev stays loaded, as this is a
 * ULP.
 */
static u64 (*append)(struct rdmaev_record *rec);
static_assert(__same_type(*append, rdmaev_burst_append_of));
static void (*owner_init)(struct rdmaev_owner *owner, struct task_struct *task);
static_assert(__same_type(*owner_init, rdmaev_owner_init));
static u32 (*set_owner)(struct rdmaev_record *rec, const struct rdmaev_owner *owner,
			const struct rdma_restrack_entry *res);
static_assert(__same_type(*set_owner, rdmaev_record_set_owner));

/* A kprobe finds the address of a function. NULL: the kernel has no kprobes. */
static void *find_function(const char *name)
{
	struct kprobe probe = { .symbol_name = name };

	if (register_kprobe(&probe))
		return NULL;
	unregister_kprobe(&probe);
	return probe.addr;
}

static struct task_struct *get_task(pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);

	put_pid(pid);
	return task;
}

/* @name is as long as the name of a process. */
static void set_process(struct rdmaev_record *rec, struct task_struct *task, char *name)
{
	struct rdmaev_owner owner;

	owner_init(&owner, task);
	set_owner(rec, &owner, NULL);
	strscpy_pad(name, owner.comm, sizeof(owner.comm));
}

static int set_processes(struct rdmaev_record *rec, pid_t owner_nr, pid_t caller_nr)
{
	struct task_struct *owner = owner_nr ? get_task(owner_nr) : NULL;
	struct task_struct *caller = caller_nr ? get_task(caller_nr) : NULL;
	struct rdmaev_qp_body *body = &rec->body.qp;
	int ret = -ESRCH;

	if ((owner_nr && !owner) || (caller_nr && !caller))
		goto put;
	strscpy(body->owner, "kernel_ulp", sizeof(body->owner));
	strscpy(body->caller_comm, "kworker/0:1", sizeof(body->caller_comm));
	if (owner)
		set_process(rec, owner, body->owner);
	if (caller) {
		body->caller_pid = task_tgid_nr(caller);
		strscpy_pad(body->caller_comm, caller->comm,
			    sizeof(body->caller_comm));
	}
	ret = 0;
put:
	if (owner)
		put_task_struct(owner);
	if (caller)
		put_task_struct(caller);
	return ret;
}

static ssize_t qp_write(struct file *file, const char __user *ubuf, size_t len,
			loff_t *pos)
{
	struct rdmaev_record rec = {
		.kind = RDMAEV_KIND_QP,
		.port = 1,
		.object_type = RDMAEV_OBJECT_QP,
		.severity = RDMAEV_SEVERITY_INFO,
		.source = RDMAEV_SOURCE_OBSERVER,
		.ring = RDMAEV_RING_INFO,
		.count = 1,
	};
	struct rdmaev_qp_body *body = &rec.body.qp;
	pid_t owner, caller;
	char buf[128];
	int ret, before;

	ret = get_words(buf, sizeof(buf), ubuf, len);
	if (ret)
		return ret;
	if (sscanf(buf, "%u %u %u %hu %d %d %hhu %d %d %23s", &rec.device,
		   &rec.generation, &rec.object, &rec.code, &before,
		   &body->result, &body->signal, &owner, &caller,
		   body->caller) < 9)
		return -EINVAL;
	if (body->result || body->signal)
		rec.severity = RDMAEV_SEVERITY_WARNING;
	body->known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_QP_TYPE |
		      RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_GID;
	body->qp_type = RDMAEV_QPT_RC;
	body->peer_qpn = 77;
	body->peer_gid[0] = 0xfe;
	body->peer_gid[1] = 0x80;
	body->peer_gid[15] = 1;
	if (before >= 0) {
		body->known |= RDMAEV_KNOWN_QP_STATE;
		body->before = before;
	}
	ret = set_processes(&rec, owner, caller);
	if (ret)
		return ret;
	append(&rec);
	return len;
}
DEFINE_WRITE_ATTRIBUTE(qp);

static ssize_t cm_write(struct file *file, const char __user *ubuf, size_t len,
			loff_t *pos)
{
	static const u8 mapped[16] = { [10] = 0xff, 0xff, 10, 0, 0, 1 };
	struct rdmaev_record rec = {
		.kind = RDMAEV_KIND_CM,
		.object_type = RDMAEV_OBJECT_QP,
		.severity = RDMAEV_SEVERITY_INFO,
		.source = RDMAEV_SOURCE_OBSERVER,
		.ring = RDMAEV_RING_INFO,
		.count = 1,
	};
	struct rdmaev_cm_body *body = &rec.body.cm;
	struct task_struct *task = NULL;
	char buf[128];
	pid_t owner;
	int ret;

	ret = get_words(buf, sizeof(buf), ubuf, len);
	if (ret)
		return ret;
	if (sscanf(buf, "%u %u %u %hu %d %d", &rec.device, &rec.generation,
		   &rec.object, &rec.code, &body->status, &owner) != 6)
		return -EINVAL;
	rec.port = rec.generation ? 1 : 0;
	body->known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_QP_TYPE |
		      RDMAEV_KNOWN_LOCAL_ADDR | RDMAEV_KNOWN_PEER_ADDR |
		      RDMAEV_KNOWN_PEER_QPN;
	body->qp_type = RDMAEV_QPT_RC;
	body->family = RDMAEV_FAMILY_INET;
	body->port_space = RDMAEV_PORT_SPACE_TCP;
	memcpy(body->local_addr, mapped, sizeof(mapped));
	memcpy(body->peer_addr, mapped, sizeof(mapped));
	body->peer_addr[15] = 2;
	body->local_port = 40000;
	body->peer_port = 7174;
	body->peer_qpn = 77;
	strscpy(body->owner, "kernel_ulp", sizeof(body->owner));
	if (owner) {
		task = get_task(owner);
		if (!task)
			return -ESRCH;
		set_process(&rec, task, body->owner);
		put_task_struct(task);
	}
	append(&rec);
	return len;
}
DEFINE_WRITE_ATTRIBUTE(cm);

static ssize_t observer_write(struct file *file, const char __user *ubuf,
			      size_t len, loff_t *pos)
{
	struct rdmaev_observer_body body = {};
	unsigned int code;
	char buf[128];
	u64 count, cause;
	int ret;

	ret = get_words(buf, sizeof(buf), ubuf, len);
	if (ret)
		return ret;
	if (sscanf(buf, "%u %u %u %llu %llu %llu", &code, &body.mechanisms,
		   &body.facts, &body.time_ns, &count, &cause) != 6)
		return -EINVAL;
	rdmaev_observer_report(code, &body, count, cause);
	return len;
}
DEFINE_WRITE_ATTRIBUTE(observer);

static void note(struct ib_device *ib, const struct ib_qp *qp, u32 port,
		 int severity, unsigned int count, const char *text)
{
	unsigned long flags;

	if (!count)
		rdmaev_ulp_unregister(&inject_ulp);
	local_irq_save(flags);
	do {
		/* With a newline, as in printk() */
		rdmaev_note(&inject_ulp, severity, ib, port, qp, "%s\n", text);
	} while (count && --count);
	local_irq_restore(flags);
}

static int note_find(const char *dev_name, const char *qp_name, u32 port,
		     int severity, unsigned int count, const char *text)
{
	struct inject_device *dev = find_device(dev_name);
	struct rdma_restrack_entry *res;
	u32 number;

	if (!dev && strcmp(dev_name, "-"))
		return -ENODEV;
	if (kstrtou32(qp_name, 0, &number)) {
		note(dev ? dev->ib : NULL, NULL, port, severity, count, text);
		return 0;
	}
	if (!dev)
		return -EINVAL;
	res = get_res(dev->ib, RDMA_RESTRACK_QP, number);
	if (IS_ERR(res))
		return PTR_ERR(res);
	/* The device is that of the QP. */
	note(NULL, container_of(res, struct ib_qp, res), port, severity, count,
	     text);
	rdma_restrack_put(res);
	return 0;
}

static ssize_t note_write(struct file *file, const char __user *ubuf,
			  size_t len, loff_t *pos)
{
	char name[IB_DEVICE_NAME_MAX], qp[12];
	unsigned int count;
	int ret, severity;
	int text = 0;
	char buf[512];
	u32 port;

	ret = get_words(buf, sizeof(buf), ubuf, len);
	if (ret)
		return ret;
	if (sscanf(buf, "%63s %11s %u %d %u %n", name, qp, &port, &severity,
		   &count, &text) < 5 || !text)
		return -EINVAL;
	mutex_lock(&lock);
	ret = note_find(name, qp, port, severity, count, buf + text);
	if (!ret && !count)
		ret = rdmaev_ulp_register(&inject_ulp);
	mutex_unlock(&lock);
	return ret ?: len;
}
DEFINE_WRITE_ATTRIBUTE(note);

static struct ib_client inject_client;

static int inject_add(struct ib_device *ib)
{
	struct inject_device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (!dev)
		return -ENOMEM;
	dev->ib = ib;
	strscpy(dev->name, dev_name(&ib->dev), sizeof(dev->name));
	ib_set_client_data(ib, &inject_client, dev);
	mutex_lock(&lock);
	list_add_tail(&dev->list, &devices);
	mutex_unlock(&lock);
	return 0;
}

static void inject_remove(struct ib_device *ib, void *data)
{
	struct inject_device *dev = data;

	mutex_lock(&lock);
	list_del(&dev->list);
	mutex_unlock(&lock);
	kfree(dev);
}

static struct ib_client inject_client = {
	.name = "rdmaev_inject",
	/* Simulated devices, too */
	.no_kverbs_req = 1,
	.add = inject_add,
	.remove = inject_remove,
};

static int __init inject_init(void)
{
	int ret = rdmaev_ulp_register(&inject_ulp);

	if (ret)
		return ret;
	ret = ib_register_client(&inject_client);
	if (ret)
		goto unregister;
	dir = debugfs_create_dir("rdmaev_inject", NULL);
	debugfs_create_file("raise", 0200, dir, NULL, &raise_fops);
	debugfs_create_file("note", 0200, dir, NULL, &note_fops);
	debugfs_create_file("observer", 0200, dir, NULL, &observer_fops);
	append = find_function("rdmaev_burst_append_of");
	owner_init = find_function("rdmaev_owner_init");
	set_owner = find_function("rdmaev_record_set_owner");
	if (append && owner_init && set_owner) {
		debugfs_create_file("qp", 0200, dir, NULL, &qp_fops);
		debugfs_create_file("cm", 0200, dir, NULL, &cm_fops);
	}
	return 0;

unregister:
	rdmaev_ulp_unregister(&inject_ulp);
	return ret;
}

static void __exit inject_exit(void)
{
	debugfs_remove(dir);
	ib_unregister_client(&inject_client);
	rdmaev_ulp_unregister(&inject_ulp);
}

module_init(inject_init);
module_exit(inject_exit);

MODULE_DESCRIPTION("Injector of affiliated events for the tests of rdmaev");
MODULE_LICENSE("Dual BSD/GPL");
