// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Ioctls that give lists. The ABI header describes them. */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "cdev_list.h"
#include "cdev_struct.h"
#include "device/access.h"
#include "device/snapshot.h"
#include "log/log.h"
#include "object/cq_list.h"
#include "object/qp_list.h"
#include "probe/prober.h"
#include "stream.h"

RDMAEV_ASSERT_GROWN(DEVICES, devices);
RDMAEV_ASSERT_GROWN(DEVICE, device);
RDMAEV_ASSERT_GROWN(PORTS, ports);
RDMAEV_ASSERT_GROWN(PORT, port);
RDMAEV_ASSERT_GROWN(COUNTERS, counters);
RDMAEV_ASSERT_GROWN(COUNTER, counter);
RDMAEV_ASSERT_GROWN(CQS, cqs);
RDMAEV_ASSERT_GROWN(CQ_STATS, cq_stats);
RDMAEV_ASSERT_GROWN(PROBES, probes);
RDMAEV_ASSERT_GROWN(PROBE, probe);
RDMAEV_ASSERT_GROWN(QPS, qps);
RDMAEV_ASSERT_GROWN(QP, qp);

/*
 * Copy an array of entries to a program whose entries have @usize bytes each,
 * which may be more or fewer than @ksize.
 */
static int list_put_entries(u64 addr, u32 usize, u32 room, const void *entries,
			    size_t ksize, u32 count)
{
	char __user *dst = u64_to_user_ptr(addr);
	size_t n = min_t(size_t, usize, ksize);
	u32 i;

	for (i = 0; i < min(room, count); i++) {
		if (copy_to_user(dst, entries + i * ksize, n) ||
		    clear_user(dst + n, usize - n))
			return -EFAULT;
		dst += usize;
	}
	return 0;
}

/* All requests for lists begin like this one. */
#define ASSERT_LIST(type)							\
	static_assert(offsetof(struct type, flags) ==				\
		      offsetof(struct rdmaev_devices, flags) &&			\
		      offsetof(struct type, entry_size) ==			\
		      offsetof(struct rdmaev_devices, entry_size) &&		\
		      offsetof(struct type, count) ==				\
		      offsetof(struct rdmaev_devices, count) &&			\
		      offsetof(struct type, entries) ==				\
		      offsetof(struct rdmaev_devices, entries) &&		\
		      offsetof(struct type, seq) ==				\
		      offsetof(struct rdmaev_devices, seq))
ASSERT_LIST(rdmaev_ports);
ASSERT_LIST(rdmaev_counters);
ASSERT_LIST(rdmaev_cqs);
ASSERT_LIST(rdmaev_probes);
ASSERT_LIST(rdmaev_qps);

/* All requests for lists with pages are like this one. */
static_assert(sizeof(struct rdmaev_qps) == sizeof(struct rdmaev_cqs) &&
	      offsetof(struct rdmaev_qps, after) == offsetof(struct rdmaev_cqs, after) &&
	      offsetof(struct rdmaev_qps, device) == offsetof(struct rdmaev_cqs, device));

static int list_get(void *list, size_t ksize, size_t min, u32 flags, size_t entry_min,
		    const void __user *arg, u32 *usize)
{
	const struct rdmaev_devices *head = list;
	int ret;

	ret = rdmaev_get_struct(list, ksize, min, arg, usize);
	if (ret)
		return ret;
	if (head->flags & ~flags || head->entry_size < entry_min ||
	    head->entry_size > PAGE_SIZE)
		return -EINVAL;
	return 0;
}

/* Copy a list to the program, and free it. */
static long list_put(void __user *arg, u32 usize, void *list, size_t ksize,
		     void *entries, size_t entry_size, u32 count)
{
	struct rdmaev_devices *head = list;
	int ret;

	if (IS_ERR(entries))
		return PTR_ERR(entries);
	ret = list_put_entries(head->entries, head->entry_size, head->count,
			       entries, entry_size, count);
	kvfree(entries);
	if (ret)
		return ret;
	head->size = ksize;
	head->count = count;
	return rdmaev_put_struct(arg, list, ksize, usize);
}

/*
 * Copy entries of a long list to the program as they are read. No memory is taken but for
 * a page.
 */
static int list_copy_pages(struct rdmaev_stream *s, struct rdmaev_cqs *list,
			   const struct rdmaev_page_ops *ops)
{
	struct rdmaev_page *page;
	u32 room = list->count;
	u64 to = list->entries;
	int ret;

	if (list->device != RDMAEV_ANY && !rdmaev_device_exists(&s->cred, list->device))
		return -ENODEV;
	page = rdmaev_page_alloc(ops);
	if (!page)
		return -ENOMEM;
	page->after = list->after;
	list->seq = rdmaev_log_newest();
	list->count = 0;
	do {
		u32 left = room - min(room, list->count);
		int copied = 0;

		page->only_count = !left;
		ret = ops->read(&s->cred, list->device, page);
		if (ret >= 0 && left) {
			ops->translate(page->entries, page->count, s->pids, s->users);
			copied = list_put_entries(to, list->entry_size, left,
						  page->entries, ops->entry_size, page->count);
			to += (u64)list->entry_size * page->count;
		}
		list->count += page->count;
		ret = copied ?: ret;
		cond_resched();
	} while (ret > 0);
	kvfree(page);
	return ret;
}

static long list_put_pages(struct rdmaev_stream *s, void __user *arg, u32 usize,
			   struct rdmaev_cqs *list, const struct rdmaev_page_ops *ops)
{
	int ret;

	if (list->reserved)
		return -EINVAL;
	ret = list_copy_pages(s, list, ops);
	if (ret)
		return ret;
	list->size = sizeof(*list);
	return rdmaev_put_struct(arg, list, sizeof(*list), usize);
}

/** rdmaev_list_devices - list devices; 0 or -errno */
long rdmaev_list_devices(struct rdmaev_stream *s, void __user *arg)
{
	struct rdmaev_device *entries;
	struct rdmaev_devices list;
	u32 usize, count = 0;
	int ret;

	ret = list_get(&list, sizeof(list), RDMAEV_DEVICES_SIZE_VER0, RDMAEV_DEVICES_REMOVED,
		       RDMAEV_DEVICE_SIZE_VER0, arg, &usize);
	if (ret)
		return ret;
	entries = rdmaev_device_list(&s->cred, s->pids,
				     list.flags & RDMAEV_DEVICES_REMOVED,
				     &count, &list.seq);
	return list_put(arg, usize, &list, sizeof(list), entries,
			sizeof(*entries), count);
}

/** rdmaev_list_ports - list ports of devices; 0 or -errno */
long rdmaev_list_ports(struct rdmaev_stream *s, void __user *arg)
{
	struct rdmaev_port *entries;
	struct rdmaev_ports list;
	u32 usize, count = 0;
	int ret;

	ret = list_get(&list, sizeof(list), RDMAEV_PORTS_SIZE_VER0, RDMAEV_PORTS_REMOVED,
		       RDMAEV_PORT_SIZE_VER0, arg, &usize);
	if (ret)
		return ret;
	if (list.reserved)
		return -EINVAL;
	entries = rdmaev_port_list(&s->cred, list.device,
				   list.flags & RDMAEV_PORTS_REMOVED, &count,
				   &list.seq);
	return list_put(arg, usize, &list, sizeof(list), entries,
			sizeof(*entries), count);
}

/** rdmaev_list_counters - list counters; 0 or -errno */
long rdmaev_list_counters(struct rdmaev_stream *s, void __user *arg)
{
	struct rdmaev_counter *entries;
	struct rdmaev_counters list;
	u32 usize, count = 0;
	int ret;

	ret = list_get(&list, sizeof(list), RDMAEV_COUNTERS_SIZE_VER0, RDMAEV_COUNTERS_REMOVED,
		       RDMAEV_COUNTER_SIZE_VER0, arg, &usize);
	if (ret)
		return ret;
	entries = rdmaev_counter_list(&s->cred, list.device, list.port,
				      list.flags & RDMAEV_COUNTERS_REMOVED, &count,
				      &list.seq);
	return list_put(arg, usize, &list, sizeof(list), entries,
			sizeof(*entries), count);
}

/** rdmaev_list_cqs - list CQs, or their sums; 0 or -errno */
long rdmaev_list_cqs(struct rdmaev_stream *s, void __user *arg)
{
	struct rdmaev_cq_stats *entries;
	struct rdmaev_cqs list;
	u32 usize, count = 0;
	int ret;

	ret = list_get(&list, sizeof(list), RDMAEV_CQS_SIZE_VER0, RDMAEV_CQS_SUMS,
		       RDMAEV_CQ_STATS_SIZE_VER0, arg, &usize);
	if (ret)
		return ret;
	if (list.reserved)
		return -EINVAL;
	if (list.flags & RDMAEV_CQS_SUMS) {
		entries = rdmaev_cq_sums(&s->cred, list.device, list.after,
					 &count, &list.seq);
		return list_put(arg, usize, &list, sizeof(list), entries,
				sizeof(*entries), count);
	}
	return list_put_pages(s, arg, usize, &list, &rdmaev_cq_pages);
}

/** rdmaev_list_qps - list QPs that the observer knows; 0 or -errno */
long rdmaev_list_qps(struct rdmaev_stream *s, void __user *arg)
{
	struct rdmaev_cqs list;
	u32 usize;
	int ret;

	ret = list_get(&list, sizeof(list), RDMAEV_QPS_SIZE_VER0, 0, RDMAEV_QP_SIZE_VER0,
		       arg, &usize);
	return ret ?: list_put_pages(s, arg, usize, &list, &rdmaev_qp_pages);
}

/** rdmaev_list_probes - list probes of ports; 0 or -errno */
long rdmaev_list_probes(struct rdmaev_stream *s, void __user *arg)
{
	struct rdmaev_probe *entries;
	struct rdmaev_probes list;
	u32 usize, count = 0;
	int ret;

	ret = list_get(&list, sizeof(list), RDMAEV_PROBES_SIZE_VER0, 0,
		       RDMAEV_PROBE_SIZE_VER0, arg, &usize);
	if (ret)
		return ret;
	if (list.reserved)
		return -EINVAL;
	entries = rdmaev_probe_list(&s->cred, list.device, &count, &list.seq);
	return list_put(arg, usize, &list, sizeof(list), entries,
			sizeof(*entries), count);
}
