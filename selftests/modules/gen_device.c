// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev_gen: events of devices */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <rdma/ib_verbs.h>

#include "context.h"
#include "files.h"
#include "gen.h"

/* One run at a time, and its result */
static DEFINE_MUTEX(run_lock);
static u64 result_delivered;
static u64 result_ns;

typedef void (*ib_event_handler_fn)(struct ib_event_handler *handler,
				    struct ib_event *event);

static struct ib_event_handler witness;
static atomic64_t witnessed;
static unsigned int first_code, last_code;	/* that are counted */

/* Other events that the core has queued before may come meanwhile. */
static void witness_fn(struct ib_event_handler *handler, struct ib_event *event)
{
	if (event->event >= first_code && event->event <= last_code)
		atomic64_inc(&witnessed);
}

/*
 * The same as ib_dispatch_event_clients() in the core, which is not exported.
 */
static void call_handlers(void *data)
{
	struct ib_event_handler *handler;
	struct ib_event *event = data;

	list_for_each_entry(handler, &event->device->event_handler_list, list)
		handler->handler(handler, event);
}

struct burst {
	struct ib_event event;
	u64 count;
	struct completion done;
};

static int dispatch_fn(void *data)
{
	struct burst *b = data;
	u64 i;

	for (i = 0; i < b->count; i++) {
		ib_dispatch_event(&b->event);
		/*
		 * The core allocates events with GFP_ATOMIC: let it free some.
		 */
		if (i % 64 == 63)
			usleep_range(100, 200);
	}
	complete(&b->done);
	return 0;
}

static int run_dispatch(struct burst *b)
{
	struct burst half[2] = { *b, *b };
	int i, n;

	half[0].count = b->count / 2;
	half[1].count = b->count - half[0].count;
	for (n = 0; n < 2; n++) {
		struct task_struct *task;

		init_completion(&half[n].done);
		task = kthread_run(dispatch_fn, &half[n], "rdmaev_gen/%d", n);
		if (IS_ERR(task))
			break;
	}
	for (i = 0; i < n; i++)
		wait_for_completion(&half[i].done);
	/*
	 * The core's queue: all queued events are delivered before this
	 * returns.
	 */
	flush_workqueue(ib_wq);
	return n == 2 ? 0 : -ENOMEM;
}

static int run_direct(struct burst *b, const char *context)
{
	int ret = 0;
	u64 i;

	down_read(&b->event.device->event_handler_rwsem);
	for (i = 0; i < b->count && !ret; i++) {
		if (!call_in_context(context, call_handlers, &b->event))
			ret = -EINVAL;
	}
	up_read(&b->event.device->event_handler_rwsem);
	return ret;
}

/* Work of one CPU */
struct share {
	struct burst *b;
	const char *context;
	unsigned int first;
	struct completion *start;
	struct completion done;
	bool is_wrong;
};

static int share_fn(void *data)
{
	static const char * const contexts[] = {
		"process", "softirq", "hardirq"
	};
	struct share *share = data;
	struct ib_event event = share->b->event;
	bool is_mixed = !strcmp(share->context, "mixed");
	u64 i;

	wait_for_completion(share->start);
	for (i = 0; i < share->b->count && !share->is_wrong; i++) {
		event.event = share->first + i;
		share->is_wrong = !call_in_context(is_mixed ? contexts[i % 3] :
						   share->context,
						   call_handlers, &event);
		cond_resched();
	}
	complete(&share->done);
	return 0;
}

static int run_cpus(struct burst *b, const char *context)
{
	DECLARE_COMPLETION_ONSTACK(start);
	struct share *shares, *share;
	struct task_struct *task;
	int ret = 0, cpu;

	shares = kcalloc(nr_cpu_ids, sizeof(*shares), GFP_KERNEL);
	if (!shares)
		return -ENOMEM;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		share = &shares[cpu];
		share->context = context;
		share->first = b->event.event + cpu * b->count;
		share->start = &start;
		init_completion(&share->done);
		task = kthread_create_on_node(share_fn, share, cpu_to_node(cpu),
					      "rdmaev_gen/%d", cpu);
		if (IS_ERR(task)) {
			ret = PTR_ERR(task);
			break;
		}
		share->b = b;
		kthread_bind(task, cpu);
		wake_up_process(task);
	}
	cpus_read_unlock();
	down_read(&b->event.device->event_handler_rwsem);
	complete_all(&start);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (!shares[cpu].b)
			continue;
		wait_for_completion(&shares[cpu].done);
		if (shares[cpu].is_wrong)
			ret = -EINVAL;
	}
	up_read(&b->event.device->event_handler_rwsem);
	kfree(shares);
	return ret;
}

static bool is_named(ib_event_handler_fn fn, const char *prefix)
{
	char name[KSYM_SYMBOL_LEN];

	snprintf(name, sizeof(name), "%ps", fn);
	return !strncmp(name, prefix, strlen(prefix));
}

/* Cost of some handlers, or of none, with nothing else in the loop */
static int run_bare(struct burst *b, const char *prefix)
{
	static struct ib_event_handler *handlers[64];	/* under run_lock */
	struct ib_event_handler *pos;
	unsigned int n = 0, j;
	u64 i, start;

	down_read(&b->event.device->event_handler_rwsem);
	list_for_each_entry(pos, &b->event.device->event_handler_list, list) {
		if (prefix && n < ARRAY_SIZE(handlers) &&
		    is_named(pos->handler, prefix))
			handlers[n++] = pos;
	}
	start = ktime_get_ns();
	for (i = 0; i < b->count; i++) {
		barrier();
		for (j = 0; j < n; j++)
			handlers[j]->handler(handlers[j], &b->event);
	}
	result_ns = ktime_get_ns() - start;
	up_read(&b->event.device->event_handler_rwsem);
	return prefix && !n ? -ENOENT : 0;
}

static int run(const char *mode, struct burst *b)
{
	u64 start = ktime_get_ns();
	int ret = 0;

	atomic64_set(&witnessed, 0);
	first_code = b->event.event;
	last_code = first_code;
	if (!strncmp(mode, "cpus=", 5))
		last_code += nr_cpu_ids * b->count - 1;
	INIT_IB_EVENT_HANDLER(&witness, b->event.device, witness_fn);
	ib_register_event_handler(&witness);

	result_ns = 0;
	if (!strcmp(mode, "dispatch"))
		ret = run_dispatch(b);
	else if (!strncmp(mode, "cpus=", 5))
		ret = run_cpus(b, mode + 5);
	else if (!strcmp(mode, "none"))
		ret = run_bare(b, NULL);
	else if (!strncmp(mode, "only=", 5))
		ret = run_bare(b, mode + 5);
	else
		ret = run_direct(b, mode);

	ib_unregister_event_handler(&witness);
	result_delivered = atomic64_read(&witnessed);
	if (!result_ns)
		result_ns = ktime_get_ns() - start;
	return ret;
}

static int run_write(void *data, const char *text)
{
	char name[IB_DEVICE_NAME_MAX], mode[32];
	unsigned int event, port;
	struct burst b = {};
	int ret = 0;
	u64 i;

	if (sscanf(text, "%31s %63s %u %u %llu", mode, name, &event, &port,
		   &b.count) != 5)
		return -EINVAL;
	b.event.device = gen_get_device(name);
	if (!b.event.device)
		return -ENODEV;
	b.event.event = event;
	b.event.element.port_num = port;
	if (!strcmp(mode, "queue")) {
		for (i = 0; i < b.count; i++)
			ib_dispatch_event(&b.event);
	} else {
		mutex_lock(&run_lock);
		ret = run(mode, &b);
		mutex_unlock(&run_lock);
	}
	ib_device_put(b.event.device);
	return ret;
}

static int run_show(struct seq_file *m, void *unused)
{
	mutex_lock(&run_lock);
	seq_printf(m, "delivered=%llu ns=%llu\n", result_delivered, result_ns);
	mutex_unlock(&run_lock);
	return 0;
}
DEFINE_COMMAND_ATTRIBUTE(run);

void gen_device_files(struct dentry *dir)
{
	debugfs_create_file("run", 0600, dir, NULL, &run_fops);
}
