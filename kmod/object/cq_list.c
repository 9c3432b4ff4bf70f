// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Lists of CQs, and of their sums by device, for readers */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sort.h>
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
	struct rdmaev_page *page;
	struct rdmaev_cq_walk walk;
	bool more;
};

static int cq_list_add(struct rdmaev_cq_state *cq, void *data)
{
	struct cq_page_request *req = data;
	struct rdmaev_page *page = req->page;
	struct rdmaev_cq_stats *entries = (void *)page->entries;

	/* Made since the list was begun: there may always be more of these. */
	if (page->until && cq->id > page->until)
		return 1;
	if ((req->device != RDMAEV_ANY && cq->device != req->device) ||
	    READ_ONCE(cq->is_ended) ||
	    !rdmaev_object_visible(rdmaev_cq_generation(cq), cq->owner, req->cred))
		return 0;
	if (!page->only_count)
		rdmaev_cq_fill(&entries[page->count], cq);
	page->count++;
	return 0;
}

static void cq_list_read_page(void *data)
{
	struct cq_page_request *req = data;

	req->more = rdmaev_cqs_walk(&req->walk, cq_list_add, req);
}

/*
 * Visits at most as many CQs as the page has entries, so it holds the lock
 * briefly.
 */
static int cq_list_read(const struct rdmaev_cred *cred, u32 device,
			struct rdmaev_page *page)
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

static void cq_list_translate(void *entries, u32 count, struct pid_namespace *pids,
			      struct user_namespace *users)
{
	struct rdmaev_cq_stats *list = entries, *entry;

	for (entry = list; entry < list + count; entry++) {
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

const struct rdmaev_page_ops rdmaev_cq_pages = {
	.entry_size = sizeof(struct rdmaev_cq_stats),
	.read = cq_list_read,
	.translate = cq_list_translate,
};

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
 * Return: array for kvfree(), or ERR_PTR: -ENOMEM; -EINTR: the
 * reader is being killed; -ENODEV if the device does not exist.
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
