/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Long lists, which readers get page by page */
#ifndef RDMAEV_LIST_PAGE_H
#define RDMAEV_LIST_PAGE_H

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/types.h>

struct pid_namespace;
struct rdmaev_cred;
struct user_namespace;

/* Entries of a page: locks are dropped for other users after so many, or earlier */
#define RDMAEV_PAGE_ENTRIES	32

/**
 * struct rdmaev_page - a page of a list. Ids of its entries ascend
 * @after: id of the last entry before the page; on return of the last one visited
 * @until: of CQs: id of the newest one when the first page was read
 * @seq: newest seq before the page was read
 * @changes: differs from that of another page if entries were added or removed
 *	between, for a reader that may see all; 0: the list is none that is true of one
 *	time
 * @count: entries used
 * @only_count: leave @entries as they are
 * @entries: entries of ops->entry_size
 */
struct rdmaev_page {
	u64 after;
	u64 until;
	u64 seq;
	u32 changes;
	u32 count;
	bool only_count;
	u64 entries[];
};

/**
 * struct rdmaev_page_ops - a list
 * @entry_size: size of an entry
 * @read: read the next page of what is visible to a reader, on the device with an index
 *	or on all: 1 if there may be more; 0: no; -EINTR: the reader is being killed. The
 *	first page of a list is zero but for @after
 * @translate: translate pids and uids of @count entries to the namespaces of a reader;
 *	NULL: the initial ones
 */
struct rdmaev_page_ops {
	size_t entry_size;
	int (*read)(const struct rdmaev_cred *cred, u32 device,
		    struct rdmaev_page *page);
	void (*translate)(void *entries, u32 count, struct pid_namespace *pids,
			  struct user_namespace *users);
};

/* A page for kvfree(), or NULL. Accounted: a dump keeps it as long as its reader likes. */
static inline struct rdmaev_page *rdmaev_page_alloc(const struct rdmaev_page_ops *ops)
{
	return kvzalloc(sizeof(struct rdmaev_page) + RDMAEV_PAGE_ENTRIES * ops->entry_size,
			GFP_KERNEL_ACCOUNT);
}

#endif /* RDMAEV_LIST_PAGE_H */
