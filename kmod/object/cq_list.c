// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Lists of CQs, and of their sums by device, for readers */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "cq.h"
#include "cq_list.h"
#include "cq_table.h"
#include "device/access.h"
#include "device/device_table.h"
#include "device/snapshot.h"
#include "device/turn.h"
#include "log/log.h"

/* Arguments and result of cq_list_read_page() */
struct cq_page_request {
	const struct rdmaev_cred *cred;
	u32 device;
	struct rdmaev_cq_page *page;
	struct rdmaev_cq_walk walk;
	bool more;
};

static int cq_list_add(struct rdmaev_cq_state *cq, void *data)
{
	struct cq_page_request *req = data;
	struct rdmaev_cq_page *page = req->page;

	/* Made since the list was begun: there may always be more of these. */
	if (page->until && cq->id > page->until)
		return 1;
	if ((req->device != RDMAEV_ANY && cq->device != req->device) ||
	    READ_ONCE(cq->is_ended) ||
	    !rdmaev_object_visible(rdmaev_cq_generation(cq), cq->owner, req->cred))
		return 0;
	if (!page->only_count)
		rdmaev_cq_fill(&page->entries[page->count], cq);
	page->count++;
	return 0;
}

static void cq_list_read_page(void *data)
{
	struct cq_page_request *req = data;

	req->more = rdmaev_cqs_walk(&req->walk, cq_list_add, req);
}

/**
 * rdmaev_cq_page - read the next page of the CQs visible to a reader
 * @cred: credentials of the reader
 * @device: index of the device, or RDMAEV_ANY
 * @page: page, filled in with CQs after id @after; the first of a list is zero but for
 *	that
 *
 * Visits at most as many CQs as the page has entries, so it holds the lock
 * briefly.
 *
 * Return: 1 if there may be more; 0: no; -EINTR: the reader is being killed.
 */
int rdmaev_cq_page(const struct rdmaev_cred *cred, u32 device,
		   struct rdmaev_cq_page *page)
{
	struct cq_page_request req = {
		.cred = cred,
		.device = device,
		.page = page,
		.walk.last = page->after,
	};
	int ret;

	page->count = 0;
	page->seq = rdmaev_log_newest();
	ret = rdmaev_turn(cred, cq_list_read_page, &req);
	/* When others make CQs is not told. */
	page->changes = cred->all ? req.walk.changes + 1 : 1;
	page->after = req.walk.last;
	page->until = page->until ?: req.walk.newest;
	return ret ?: req.more;
}

/* CQs for rdmaev_cq_list() */
struct cq_list {
	struct rdmaev_cq_stats *entries;
	u32 size;
	u32 count;
};

/* Append what of a page fits in @room entries. Returns 0 or -ENOMEM. */
static int cq_list_append(struct cq_list *list, const struct rdmaev_cq_page *page,
			  u32 room)
{
	u32 n = min(page->count, room - list->count);
	struct rdmaev_cq_stats *entries;
	u32 size;

	if (list->size - list->count < n) {
		size = min(room, max(2 * list->size, 4U * RDMAEV_CQ_PAGE));
		entries = kvmalloc_array(size, sizeof(*entries), GFP_KERNEL_ACCOUNT);
		if (!entries)
			return -ENOMEM;
		memcpy(entries, list->entries, list->count * sizeof(*entries));
		kvfree(list->entries);
		list->entries = entries;
		list->size = size;
	}
	memcpy(list->entries + list->count, page->entries, n * sizeof(*page->entries));
	list->count += n;
	return 0;
}

/**
 * rdmaev_cq_list - list the CQs visible to a reader
 * @cred: credentials of the reader
 * @device: index of the device, or RDMAEV_ANY
 * @after: list only CQs with a larger id
 * @room: maximum number of entries
 * @written: set to the number of entries
 * @count: set to the number of entries without @room
 * @seq: set to the newest seq before the list was made
 *
 * Its memory, which may be the reader's to give back as late as he likes, is no more
 * than three times what his own CQs need, or a few pages.
 *
 * Return: array for kvfree(), NULL if it is empty; or ERR_PTR: -ENOMEM; -EINTR: the
 * reader is being killed; -ENODEV if the device does not exist.
 */
struct rdmaev_cq_stats *rdmaev_cq_list(const struct rdmaev_cred *cred,
				       u32 device, u64 after, u32 room,
				       u32 *written, u32 *count, u64 *seq)
{
	struct cq_list list = {};
	struct rdmaev_cq_page *page;
	int ret;

	if (device != RDMAEV_ANY && !rdmaev_device_exists(cred, device))
		return ERR_PTR(-ENODEV);
	page = kvzalloc(sizeof(*page), GFP_KERNEL_ACCOUNT);
	if (!page)
		return ERR_PTR(-ENOMEM);
	page->after = after;
	*seq = rdmaev_log_newest();
	*count = 0;
	do {
		page->only_count = list.count == room;
		ret = rdmaev_cq_page(cred, device, page);
		*count += page->count;
		if (ret >= 0 && !page->only_count &&
		    cq_list_append(&list, page, room))
			ret = -ENOMEM;
		cond_resched();
	} while (ret > 0);
	kvfree(page);
	if (ret) {
		kvfree(list.entries);
		return ERR_PTR(ret);
	}
	*written = list.count;
	return list.entries;
}

/**
 * rdmaev_cq_translate - translate pids and uids to the namespaces of a reader
 * @entries: CQs
 * @count: number of them
 * @pids: pid namespace; NULL: the initial one
 * @users: user namespace; NULL: the initial one
 */
void rdmaev_cq_translate(struct rdmaev_cq_stats *entries, u32 count,
			 struct pid_namespace *pids,
			 struct user_namespace *users)
{
	struct rdmaev_cq_stats *entry;

	for (entry = entries; entry < entries + count; entry++) {
		if (!(entry->flags & RDMAEV_CQ_USER))
			continue;
		if (pids)
			entry->pid = rdmaev_pid_of_reader(entry->pid,
							  entry->since_ns, pids);
		if (users)
			entry->uid = from_kuid_munged(users,
						      KUIDT_INIT(entry->uid));
	}
}

static int cq_sums_compare(const void *a, const void *b)
{
	const struct rdmaev_device *left = a, *right = b;

	return left->generation < right->generation ? -1 : 1;
}

static u32 cq_sums_begin(struct rdmaev_cq_stats *sums,
			 const struct rdmaev_cred *cred, u32 device, u64 after,
			 const struct rdmaev_device *devices, u32 n)
{
	u32 count = 0, i;

	for (i = 0; i < n; i++) {
		if ((device != RDMAEV_ANY && devices[i].index != device) ||
		    devices[i].generation <= after ||
		    !rdmaev_device_visible(devices[i].generation, cred, true))
			continue;
		sums[count++] = (struct rdmaev_cq_stats) {
			.id = devices[i].generation,
			.device = devices[i].index,
			.generation = devices[i].generation,
			.flags = RDMAEV_CQ_SUM,
			.since_ns = devices[i].since_ns,
		};
	}
	return count;
}

/**
 * rdmaev_cq_sums - list the CQ sums of devices visible to a reader
 * @cred: credentials of the reader
 * @device: index of the device, or RDMAEV_ANY
 * @after: list only devices with a larger generation
 * @count: set to the number of entries
 * @seq: set to the newest seq before the list was made
 *
 * Return: array for kvfree(), or ERR_PTR as of rdmaev_cq_list().
 */
struct rdmaev_cq_stats *rdmaev_cq_sums(const struct rdmaev_cred *cred,
				       u32 device, u64 after, u32 *count,
				       u64 *seq)
{
	struct rdmaev_device *devices;
	struct rdmaev_cq_sums all = {};
	u32 n;

	if (device != RDMAEV_ANY && !rdmaev_device_exists(cred, device))
		return ERR_PTR(-ENODEV);
	devices = rdmaev_device_list(cred, NULL, false, &n, seq);
	if (IS_ERR(devices))
		return ERR_CAST(devices);
	sort(devices, n, sizeof(*devices), cq_sums_compare, NULL);
	all.sums = kvcalloc((size_t)n + 1, sizeof(*all.sums), GFP_KERNEL_ACCOUNT);
	if (all.sums)
		all.count = cq_sums_begin(all.sums, cred, device, after, devices, n);
	kvfree(devices);
	if (!all.sums)
		return ERR_PTR(-ENOMEM);
	*count = all.count;
	if (all.count && rdmaev_turn(cred, rdmaev_cqs_sum_up, &all)) {
		kvfree(all.sums);
		return ERR_PTR(-EINTR);
	}
	return all.sums;
}
