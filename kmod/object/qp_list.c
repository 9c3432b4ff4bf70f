// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The list of QPs for readers: what the observer knows of them. No driver is asked.
 *
 * In the order of the table, whose buckets are locked one by one: a QP that exists from
 * the begin of the list to its end is in it once.
 */
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "device/access.h"
#include "device/device_table.h"
#include "device/turn.h"
#include "log/log.h"
#include "qp_entry.h"
#include "qp_list.h"

/* The rest of an id has the order of QPs, of which each bucket has the newest one first. */
#define ORDER_BITS		(64 - RDMAEV_OBJECT_BITS)

/* Arguments and result of qp_list_read_page() */
struct qp_page_request {
	const struct rdmaev_cred *cred;
	u32 device;
	struct rdmaev_page *page;
	bool more;
};

/* Ids ascend from one bucket to the next, and in each. */
static u64 qp_list_id(u32 bucket, const struct qp_entry *entry)
{
	return (u64)bucket << ORDER_BITS | (GENMASK_ULL(ORDER_BITS - 1, 0) - entry->order);
}

static u32 qp_list_generation(u32 device)
{
	const struct rdmaev_dev *dev;
	u32 generation;

	rcu_read_lock();
	dev = rdmaev_device_newest(device);
	generation = dev ? dev->generation : 0;
	rcu_read_unlock();
	return generation;
}

/* Called with rdmaev_objects_lock held, as the next ones. */
static bool qp_list_may_see(const struct qp_page_request *req, const struct qp_entry *entry,
			    u32 generation)
{
	struct rdmaev_owner owner = {
		.uid = entry->info.uid,
		.pid_ns = entry->info.pid_ns,
		.known = entry->info.known,
	};

	if (req->device != RDMAEV_ANY && req->device != entry->obj.device)
		return false;
	return rdmaev_object_visible(generation, entry->info.known & RDMAEV_KNOWN_UID ?
						 &owner : NULL, req->cred);
}

static void qp_list_fill(struct rdmaev_qp *qp, const struct qp_entry *entry, u64 id,
			 u32 generation)
{
	*qp = (struct rdmaev_qp) {
		.id = id,
		.device = entry->obj.device,
		.generation = generation,
		.port = entry->port,
		.qp = entry->obj.number,
		.pid = entry->pid,
		.info = entry->info,
		.queues = entry->queues,
		.peer = entry->peer,
		.started_ns = entry->started,
	};
	/* Its driver has said more since. */
	if (entry->seen)
		qp->info.qp_state = entry->seen;
}

static bool qp_list_add(struct qp_page_request *req, const struct qp_entry *entry, u64 id)
{
	u32 generation = qp_list_generation(entry->obj.device);
	struct rdmaev_page *page = req->page;
	struct rdmaev_qp *entries = (void *)page->entries;

	if (!qp_list_may_see(req, entry, generation))
		return true;
	if (!page->only_count) {
		if (page->count == RDMAEV_PAGE_ENTRIES)
			return false;
		qp_list_fill(&entries[page->count], entry, id, generation);
	}
	page->count++;
	return true;
}

/* Returns false if the page is full. */
static bool qp_list_read_bucket(struct qp_page_request *req, u32 bucket)
{
	const struct rdmaev_object *obj;
	const struct qp_entry *entry;
	bool has_room = true;
	u64 id;

	raw_spin_lock_irq(&rdmaev_objects_lock);
	hlist_for_each_entry(obj, &rdmaev_object_buckets[bucket], by_address) {
		if (obj->share != RDMAEV_SHARE_QPS)
			continue;
		entry = container_of(obj, struct qp_entry, obj);
		id = qp_list_id(bucket, entry);
		if (id <= req->page->after)
			continue;
		has_room = qp_list_add(req, entry, id);
		if (!has_room)
			break;
		req->page->after = id;
	}
	raw_spin_unlock_irq(&rdmaev_objects_lock);
	return has_room;
}

static void qp_list_read_page(void *data)
{
	struct qp_page_request *req = data;
	u32 bucket = req->page->after >> ORDER_BITS;

	for (; bucket < ARRAY_SIZE(rdmaev_object_buckets); bucket++) {
		if (hlist_empty(&rdmaev_object_buckets[bucket]))
			continue;
		req->more = !qp_list_read_bucket(req, bucket);
		if (req->more)
			return;
		cond_resched();
	}
}

static int qp_list_read(const struct rdmaev_cred *cred, u32 device, struct rdmaev_page *page)
{
	struct qp_page_request req = { .cred = cred, .device = device, .page = page };
	int ret;

	page->count = 0;
	page->seq = rdmaev_log_newest();
	ret = rdmaev_turn(cred, qp_list_read_page, &req);
	return ret ?: req.more;
}

static void qp_list_translate(void *entries, u32 count, struct pid_namespace *pids,
			      struct user_namespace *users)
{
	struct rdmaev_qp *list = entries, *qp;

	for (qp = list; qp < list + count; qp++) {
		if (qp->pid)
			qp->pid = rdmaev_pid_of_reader(qp->pid, qp->started_ns,
						       pids ?: &init_pid_ns);
		if (users && qp->info.known & RDMAEV_KNOWN_UID)
			qp->info.uid = from_kuid_munged(users, KUIDT_INIT(qp->info.uid));
	}
}

const struct rdmaev_page_ops rdmaev_qp_pages = {
	.entry_size = sizeof(struct rdmaev_qp),
	.read = qp_list_read,
	.translate = qp_list_translate,
};
