// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev_gen: what is reported and appended to rdmaev without its source */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>
#include <rdma/restrack.h>

#include "compat.h"
#include "device/access.h"
#include "device/burst.h"
#include "files.h"
#include "gen.h"
#include "observe/session.h"

static struct rdmaev_ulp gen_ulp = RDMAEV_ULP_INIT(KBUILD_MODNAME);

/* Protects what follows. Held while it is used. */
static DEFINE_MUTEX(lock);
static bool is_ulp;		/* rdmaev is held, and gen_ulp registered there */
static bool reports;		/* see the file report */

/*
 * Functions of rdmaev while it is held. This module is not linked with it, as
 * tests unload rdmaev while this is loaded.
 */
static typeof(rdmaev_ulp_register) *ulp_register;
static typeof(rdmaev_ulp_unregister) *ulp_unregister;
static typeof(rdmaev_report) *ulp_report;
static typeof(rdmaev_note) *ulp_note;
static typeof(rdmaev_observer_report) *observer_report;
/* Those that it does not export. NULL: the kernel has no kprobes. */
static typeof(rdmaev_burst_append_of) *append;
static typeof(rdmaev_owner_init) *owner_init;
static typeof(rdmaev_record_set_owner) *set_owner;

/* A kprobe finds the address of a function. NULL: the kernel has no kprobes. */
static void *find_function(const char *name)
{
	struct kprobe probe = { .symbol_name = name };

	if (register_kprobe(&probe))
		return NULL;
	unregister_kprobe(&probe);
	return probe.addr;
}

static void put_rdmaev(void)
{
	symbol_put(rdmaev_ulp_register);
	symbol_put(rdmaev_ulp_unregister);
	symbol_put(rdmaev_report);
	symbol_put(rdmaev_note);
	symbol_put(rdmaev_observer_report);
}

/* Lock is held. */
static int be_ulp(void)
{
	int ret;

	if (is_ulp)
		return 0;
	ulp_register = symbol_get(rdmaev_ulp_register);
	if (!ulp_register)
		return -ENODEV;
	ulp_unregister = symbol_get(rdmaev_ulp_unregister);
	ulp_report = symbol_get(rdmaev_report);
	ulp_note = symbol_get(rdmaev_note);
	observer_report = symbol_get(rdmaev_observer_report);
	append = find_function("rdmaev_burst_append_of");
	owner_init = find_function("rdmaev_owner_init");
	set_owner = find_function("rdmaev_record_set_owner");
	ret = ulp_register(&gen_ulp);
	if (ret)
		put_rdmaev();
	is_ulp = !ret;
	return ret;
}

static void be_no_ulp(void)
{
	if (!is_ulp)
		return;
	ulp_unregister(&gen_ulp);
	/* Registered again, it has used nothing of its limits. */
	gen_ulp = (struct rdmaev_ulp)RDMAEV_ULP_INIT(KBUILD_MODNAME);
	put_rdmaev();
	is_ulp = false;
}

void gen_record_exit(void)
{
	be_no_ulp();
}

void gen_report(const struct ib_event *event)
{
	if (!READ_ONCE(reports))
		return;
	mutex_lock(&lock);
	if (reports)
		ulp_report(&gen_ulp, event);
	mutex_unlock(&lock);
}

static int report_write(void *data, const char *text)
{
	bool on;
	int ret;

	ret = kstrtobool(text, &on);
	if (ret)
		return ret;
	mutex_lock(&lock);
	if (on)
		ret = be_ulp();
	else
		be_no_ulp();
	WRITE_ONCE(reports, on && !ret);
	mutex_unlock(&lock);
	return ret;
}
DEFINE_WRITE_ATTRIBUTE(report);

static struct task_struct *get_task(pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);

	put_pid(pid);
	return task;
}

/* A process owns the object, 0: the kernel. @name is in the record. */
static int set_process(struct rdmaev_record *rec, pid_t nr)
{
	struct rdmaev_owner owner;
	struct task_struct *task;

	if (!nr) {
		strscpy(rec->body.info.owner, "kernel_ulp", sizeof(rec->body.info.owner));
		return 0;
	}
	task = get_task(nr);
	if (!task)
		return -ESRCH;
	owner_init(&owner, task);
	set_owner(rec, &owner, NULL);
	put_task_struct(task);
	return 0;
}

static int append_owned(struct rdmaev_record *rec, pid_t owner)
{
	int ret;

	mutex_lock(&lock);
	ret = be_ulp();
	if (!ret && !(append && owner_init && set_owner))
		ret = -EOPNOTSUPP;
	if (!ret)
		ret = set_process(rec, owner);
	if (!ret)
		append(rec);
	mutex_unlock(&lock);
	return ret;
}

static int set_caller(struct rdmaev_qp_body *body, pid_t nr)
{
	struct task_struct *task;

	strscpy(body->caller_comm, "kworker/0:1", sizeof(body->caller_comm));
	if (!nr)
		return 0;
	task = get_task(nr);
	if (!task)
		return -ESRCH;
	body->caller_pid = task_tgid_nr(task);
	strscpy_pad(body->caller_comm, task->comm, sizeof(body->caller_comm));
	put_task_struct(task);
	return 0;
}

static int qp_write(void *data, const char *text)
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
	int ret, before;

	if (sscanf(text, "%u %u %u %hu %d %d %hhu %d %d %23s", &rec.device,
		   &rec.generation, &rec.object, &rec.code, &before,
		   &body->result, &body->signal, &owner, &caller,
		   body->origin.caller) < 9)
		return -EINVAL;
	if (body->result || body->signal)
		rec.severity = RDMAEV_SEVERITY_WARNING;
	body->info.known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_QP_TYPE |
			   RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_GID;
	body->info.qp_type = RDMAEV_QPT_RC;
	body->peer.qpn = 77;
	body->peer.gid[0] = 0xfe;
	body->peer.gid[1] = 0x80;
	body->peer.gid[15] = 1;
	if (body->origin.caller[0])
		body->info.known |= RDMAEV_KNOWN_CALLER;
	if (before >= 0) {
		body->info.known |= RDMAEV_KNOWN_QP_STATE;
		body->info.qp_state = before;
	}
	ret = set_caller(body, caller);
	return ret ?: append_owned(&rec, owner);
}
DEFINE_WRITE_ATTRIBUTE(qp);

static int cm_write(void *data, const char *text)
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
	pid_t owner;

	if (sscanf(text, "%u %u %u %hu %d %d", &rec.device, &rec.generation,
		   &rec.object, &rec.code, &body->status, &owner) != 6)
		return -EINVAL;
	rec.port = rec.generation ? 1 : RDMAEV_NO_PORT;
	body->info.known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_QP_TYPE |
			   RDMAEV_KNOWN_LOCAL_ADDR | RDMAEV_KNOWN_PEER_ADDR |
			   RDMAEV_KNOWN_PEER_QPN;
	body->info.qp_type = RDMAEV_QPT_RC;
	body->family = RDMAEV_FAMILY_INET;
	body->port_space = RDMAEV_PORT_SPACE_TCP;
	memcpy(body->local_addr, mapped, sizeof(mapped));
	memcpy(body->peer_addr, mapped, sizeof(mapped));
	body->peer_addr[15] = 2;
	body->local_port = 40000;
	body->peer_port = 7174;
	body->peer_qpn = 77;
	return append_owned(&rec, owner);
}
DEFINE_WRITE_ATTRIBUTE(cm);

static int observer_write(void *data, const char *text)
{
	struct rdmaev_observer_body body = {};
	unsigned int code;
	u64 count, cause;
	int ret;

	if (sscanf(text, "%u %u %llu %llu %llu", &code, &body.facts, &body.time_ns,
		   &count, &cause) != 5)
		return -EINVAL;
	mutex_lock(&lock);
	ret = be_ulp();
	if (!ret)
		observer_report(code, &body, count, cause);
	mutex_unlock(&lock);
	return ret;
}
DEFINE_WRITE_ATTRIBUTE(observer);

/* Lock is held. */
static void note(struct ib_device *ib, const struct ib_qp *qp, u32 port,
		 int severity, unsigned int count, const char *text)
{
	unsigned long flags;

	local_irq_save(flags);
	do {
		/* With a newline, as in printk() */
		ulp_note(&gen_ulp, severity, ib, port, qp, "%s\n", text);
	} while (count && --count);
	local_irq_restore(flags);
}

static int note_qp(struct ib_device *ib, u32 number, u32 port, int severity,
		   unsigned int count, const char *text)
{
	struct rdma_restrack_entry *res;

	if (!ib)
		return -EINVAL;
	res = get_res(ib, RDMA_RESTRACK_QP, number);
	if (IS_ERR(res))
		return PTR_ERR(res);
	/* The device is that of the QP. */
	note(NULL, container_of(res, struct ib_qp, res), port, severity, count,
	     text);
	rdma_restrack_put(res);
	return 0;
}

static int note_write(void *data, const char *text)
{
	char name[IB_DEVICE_NAME_MAX], qp[12];
	struct ib_device *ib = NULL;
	unsigned int count;
	int ret, severity;
	u32 port, number;
	int n = 0;

	if (sscanf(text, "%63s %11s %u %d %u %n", name, qp, &port, &severity,
		   &count, &n) < 5 || !n)
		return -EINVAL;
	if (strcmp(name, "-")) {
		ib = gen_get_device(name);
		if (!ib)
			return -ENODEV;
	}
	mutex_lock(&lock);
	ret = be_ulp();
	if (ret)
		goto out;
	if (!count)
		ulp_unregister(&gen_ulp);
	if (kstrtou32(qp, 0, &number))
		note(ib, NULL, port, severity, count, text + n);
	else
		ret = note_qp(ib, number, port, severity, count, text + n);
	if (!count)
		ret = ulp_register(&gen_ulp) ?: ret;
out:
	mutex_unlock(&lock);
	if (ib)
		ib_device_put(ib);
	return ret;
}
DEFINE_WRITE_ATTRIBUTE(note);

void gen_record_files(struct dentry *dir)
{
	debugfs_create_file("report", 0200, dir, NULL, &report_fops);
	if (IS_ENABLED(CONFIG_KPROBES)) {
		debugfs_create_file("qp", 0200, dir, NULL, &qp_fops);
		debugfs_create_file("cm", 0200, dir, NULL, &cm_fops);
	}
	debugfs_create_file("note", 0200, dir, NULL, &note_fops);
	debugfs_create_file("observer", 0200, dir, NULL, &observer_fops);
}
