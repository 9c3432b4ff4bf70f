// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Generic netlink transport. Multicast messages only signal that new records
 * exist. The records always come from the history, requested from the read
 * position: the kernel has filtered them and reports the exact loss, so dropped
 * messages do no harm.
 *
 * No record is missed: the group is drained before the history is requested. A
 * record appended after the answer was made leaves a message in the group,
 * which makes the descriptor readable again. The same holds for an unloaded
 * family, which the group reports, too.
 *
 * A dump is received as far as needed and continued by the next call. The
 * kernel holds its position in the log while it lasts, as for an open node.
 */
#include <errno.h>
#include <internal/attributes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "netlink_wait.h"

/* Initial capacity for records */
#define ROOM_MIN	64

/**
 * struct netlink - a reader over generic netlink
 * @base: its descriptor is that of @wait
 * @wait: what makes the descriptor readable
 * @history: for dumps of records
 * @requests: for lists and all other requests
 * @error: errno of every call after the family was unloaded, or 0
 * @dumping: the answer to the last request of @history has not ended
 * @dry: at its end, no more records were available
 * @at: seq of the last returned record plus one, or the start position
 * @next: position after those in @records; 0: the oldest record
 * @records: not yet returned; @count of them from @first on, in @room
 * @first: same
 * @count: same
 * @room: same
 * @lost: number reported as lost
 * @ring_records: the largest watermark
 * @watermark: as set by rdmaev_set_wakeup()
 * @delay_us: same
 * @filter: set by the program; size 0 if it did not set one
 */
struct netlink {
	struct transport base;
	struct netlink_wait wait;
	struct genl history;
	struct genl requests;
	int error;
	bool dumping;
	bool dry;
	uint64_t at;
	uint64_t next;
	struct rdmaev_record *records;
	size_t first;
	size_t count;
	size_t room;
	uint64_t lost;
	uint32_t ring_records;
	uint32_t watermark;
	uint32_t delay_us;
	struct rdmaev_filter filter;
};

static struct netlink *to_netlink(struct transport *t)
{
	return (struct netlink *)t;
}

/*
 * ENOENT means that the family id no longer exists, for requests that look up
 * nothing else: the family was unloaded and may have been registered again
 * under another id. A dump returns EPROTONOSUPPORT while the unload is in
 * progress.
 */
static int netlink_result(struct netlink *nl, int ret)
{
	if (ret < 0 && (errno == ENOENT || errno == EPROTONOSUPPORT)) {
		nl->error = ENODEV;
		errno = ENODEV;
	}
	return ret;
}

static int take_info(void *arg, struct attrs attrs)
{
	parse_entry(&rdmaev_info_attrs, attrs, arg, NULL);
	return 0;
}

static int get_info(struct netlink *nl, struct rdmaev_info *info)
{
	struct request r;

	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	genl_begin(&r, RDMAEV_CMD_INFO_GET, false);
	return netlink_result(nl, genl_call(&nl->requests, &r, take_info, info));
}

static uint64_t boottime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Keep the descriptor readable as long as required. */
static bool netlink_set_ready(struct netlink *nl)
{
	bool due = nl->count >= nl->watermark;
	uint64_t now = boottime_ns(), until = 0;

	if (!due && nl->count && nl->delay_us) {
		until = nl->records[nl->first].boottime_ns + nl->delay_us * 1000ULL;
		due = until <= now;
	}
	netlink_wait_set(&nl->wait, due || !nl->dry || nl->error, now, until);
	return due;
}

/* Reading records */

static bool make_room(struct netlink *nl)
{
	size_t room = nl->room ? 2 * nl->room : ROOM_MIN;
	struct rdmaev_record *records;

	if (nl->first + nl->count < nl->room)
		return true;
	if (nl->first) {
		memmove(nl->records, nl->records + nl->first,
			nl->count * sizeof(*nl->records));
		nl->first = 0;
		return true;
	}
	records = realloc(nl->records, room * sizeof(*records));
	if (!records)
		return false;
	nl->records = records;
	nl->room = room;
	return true;
}

static int take_record(void *arg, struct attrs attrs)
{
	struct netlink *nl = arg;
	struct rdmaev_record *record;
	uint64_t position = 0;

	if (!make_room(nl))
		return -1;
	record = &nl->records[nl->first + nl->count];
	if (parse_record(attrs, record, &position)) {
		nl->count++;
		nl->next = record->seq + 1;
	}
	if (position)
		nl->next = position;
	return 0;
}

static void ask_history(struct request *r, uint64_t seq,
			const struct rdmaev_filter *filter)
{
	genl_begin(r, RDMAEV_CMD_HISTORY_GET, true);
	genl_put(r, RDMAEV_A_RECORD_SEQ, &seq, sizeof(seq));
	if (filter->size)
		nl_put_filter(r, filter);
}

static int begin_dump(struct netlink *nl)
{
	struct request r;

	netlink_wait_drain(&nl->wait);
	ask_history(&r, nl->next, &nl->filter);
	if (genl_send(&nl->history, &r) < 0)
		return -1;
	nl->dumping = true;
	return 0;
}

/* Fetch records until @want are available, or until the history has no more. */
static int netlink_fetch(struct netlink *nl, size_t want)
{
	bool asked = false;
	int ret;

	while (nl->count < want) {
		if (!nl->dumping) {
			if (asked)
				break;
			asked = true;
			nl->dry = false;
			if (begin_dump(nl) < 0)
				return -1;
		}
		ret = genl_receive(&nl->history, take_record, nl);
		if (ret < 0) {
			nl->dumping = false;
			return netlink_result(nl, ret);
		}
		nl->dumping = ret;
		nl->dry = asked && !ret;
	}
	return 0;
}

static ssize_t netlink_read(struct transport *t, struct rdmaev_record *records,
			    size_t n)
{
	struct netlink *nl = to_netlink(t);
	const struct rdmaev_record *from;
	size_t i;
	int ret;

	if (nl->error) {
		errno = nl->error;
		return -1;
	}
	ret = netlink_fetch(nl, n);
	if (!nl->count) {
		int error = ret < 0 ? errno : EAGAIN;

		netlink_set_ready(nl);
		errno = error;
		return -1;
	}
	/*
	 * If this failed, the next call returns the error after these records.
	 */
	if (n > nl->count)
		n = nl->count;
	from = nl->records + nl->first;
	for (i = 0; i < n; i++) {
		if (from[i].kind == RDMAEV_KIND_LOST)
			nl->lost += from[i].body.lost.count;
	}
	memcpy(records, from, n * sizeof(*records));
	nl->at = from[n - 1].seq + 1;
	nl->count -= n;
	nl->first = nl->count ? nl->first + n : 0;
	netlink_set_ready(nl);
	return (ssize_t)n;
}

static int netlink_ready(struct transport *t)
{
	struct netlink *nl = to_netlink(t);
	int error;

	if (!nl->error && !netlink_fetch(nl, nl->watermark))
		return netlink_set_ready(nl);
	error = nl->error ? nl->error : errno;
	netlink_set_ready(nl);
	errno = error;
	return -1;
}

/* Position in the log */

static uint64_t netlink_position(const struct netlink *nl)
{
	const struct rdmaev_record *head = nl->records + nl->first;
	uint64_t next = nl->next;

	if (nl->count && head->kind == RDMAEV_KIND_LOST)
		next = head->body.lost.first;
	else if (nl->count)
		next = head->seq;
	return next > nl->at ? next : nl->at;
}

/*
 * Continue at another position or with another filter. Records may be available
 * there.
 */
static void go_to(struct netlink *nl, uint64_t at, uint64_t next)
{
	if (nl->dumping)
		genl_renew(&nl->history);
	nl->dumping = false;
	nl->dry = false;
	nl->count = 0;
	nl->first = 0;
	nl->at = at;
	nl->next = next;
	netlink_set_ready(nl);
}

static int64_t netlink_seek(struct transport *t, int64_t offset, int whence)
{
	struct netlink *nl = to_netlink(t);
	struct rdmaev_info info;
	int64_t end;

	if (get_info(nl, &info) < 0)
		return -1;
	end = (int64_t)info.newest_seq + 1;
	switch (whence) {
	case SEEK_SET:
		if (offset)
			break;
		/* The kernel resolves the oldest record at that time. */
		go_to(nl, info.oldest_seq ? info.oldest_seq : (uint64_t)end, 0);
		return (int64_t)nl->at;
	case SEEK_CUR:
		if (!offset)
			return (int64_t)netlink_position(nl);
		if (__builtin_add_overflow(offset, (int64_t)netlink_position(nl), &offset))
			offset = INT64_MAX;
		break;
	case SEEK_END:
		if (offset > 0) {
			errno = ENXIO;
			return -1;
		}
		offset = offset > -end ? offset + end : 1;
		break;
	default:
		offset = -1;
		break;
	}
	if (offset < 1 || offset > end) {
		errno = offset < 1 ? EINVAL : ENXIO;
		return -1;
	}
	go_to(nl, (uint64_t)offset, (uint64_t)offset);
	return offset;
}

/* Let the kernel validate the filter with an empty dump before it is used. */
static int netlink_set_filter(struct transport *t, const struct rdmaev_filter *f)
{
	struct netlink *nl = to_netlink(t);
	struct rdmaev_info info;
	struct request r;
	uint64_t at;

	if (!nl_is_filter(f)) {
		errno = EINVAL;
		return -1;
	}
	if (filter_is_later(f)) {
		errno = E2BIG;
		return -1;
	}
	if (get_info(nl, &info) < 0)
		return -1;
	ask_history(&r, info.newest_seq + 1, f);
	if (netlink_result(nl, genl_call(&nl->requests, &r, NULL, NULL)) < 0) {
		/*
		 * A number out of range; the node has a single error for all of
		 * them.
		 */
		if (errno == ERANGE)
			errno = EINVAL;
		return -1;
	}
	nl->filter = *f;
	at = netlink_position(nl);
	go_to(nl, at, nl->next ? at : 0);
	return 0;
}

static int netlink_set_wakeup(struct transport *t, uint32_t records,
			      uint32_t delay_us)
{
	struct netlink *nl = to_netlink(t);

	if (!records || records > nl->ring_records ||
	    delay_us > RDMAEV_DELAY_MAX_US) {
		errno = EINVAL;
		return -1;
	}
	nl->watermark = records;
	nl->delay_us = delay_us;
	netlink_set_ready(nl);
	return 0;
}

static int netlink_info(struct transport *t, struct rdmaev_info *info)
{
	struct netlink *nl = to_netlink(t);

	if (get_info(nl, info) < 0)
		return -1;
	info->position = netlink_position(nl);
	info->lost = nl->lost;
	return 0;
}

static int netlink_devices(struct transport *t, struct rdmaev_devices *devices)
{
	struct netlink *nl = to_netlink(t);

	return netlink_result(nl, nl_list_devices(&nl->requests, devices));
}

static int netlink_ports(struct transport *t, struct rdmaev_ports *ports)
{
	struct netlink *nl = to_netlink(t);

	return netlink_result(nl, nl_list_ports(&nl->requests, ports));
}

static int netlink_counters(struct transport *t, struct rdmaev_counters *counters)
{
	struct netlink *nl = to_netlink(t);

	return netlink_result(nl, nl_list_counters(&nl->requests, counters));
}

static int netlink_cqs(struct transport *t, struct rdmaev_cqs *cqs)
{
	struct netlink *nl = to_netlink(t);

	return netlink_result(nl, nl_list_cqs(&nl->requests, cqs));
}

static int netlink_qps(struct transport *t, struct rdmaev_qps *qps)
{
	struct netlink *nl = to_netlink(t);

	return netlink_result(nl, nl_list_qps(&nl->requests, qps));
}

static int netlink_probes(struct transport *t, struct rdmaev_probes *probes)
{
	struct netlink *nl = to_netlink(t);

	return netlink_result(nl, nl_list_probes(&nl->requests, probes));
}

/* Opening and closing */

static void netlink_close(struct transport *t)
{
	struct netlink *nl = to_netlink(t);

	netlink_wait_close(&nl->wait);
	genl_close(&nl->history);
	genl_close(&nl->requests);
	free(nl->records);
	free(nl);
}

static struct transport *netlink_open(const char *path)
{
	struct genl_family family = {
		.group_name = { RDMAEV_MCGRP_ALL, RDMAEV_MCGRP_DEVICE },
	};
	struct rdmaev_info info;
	struct netlink *nl;
	int error;

	(void)path;
	if (genl_find(&family, RDMAEV_FAMILY_NAME) < 0)
		return NULL;
	nl = calloc(1, sizeof(*nl));
	if (!nl)
		return NULL;
	nl->base.ops = &netlink_ops;
	nl->history.fd = -1;
	nl->requests.fd = -1;
	nl->watermark = 1;

	/* Join the group first: it reports records newer than the info. */
	if (netlink_wait_open(&nl->wait, &family) < 0 ||
	    genl_open(&nl->history, family.id) < 0 ||
	    genl_open(&nl->requests, family.id) < 0 || get_info(nl, &info) < 0)
		goto err_close;
	if (info.abi_version < ABI_OLDEST ||
	    info.record_size != RDMAEV_RECORD_SIZE) {
		errno = ENOTSUP;
		goto err_close;
	}
	nl->base.fd = nl->wait.fd;
	nl->ring_records = info.ring_records;
	nl->at = info.newest_seq + 1;
	nl->next = nl->at;
	nl->dry = true;
	netlink_set_ready(nl);
	return &nl->base;

err_close:
	error = errno;
	netlink_close(&nl->base);
	errno = error;
	return NULL;
}

const struct transport_ops netlink_ops = {
	.open = netlink_open,
	.close = netlink_close,
	.read = netlink_read,
	.ready = netlink_ready,
	.set_filter = netlink_set_filter,
	.set_wakeup = netlink_set_wakeup,
	.seek = netlink_seek,
	.info = netlink_info,
	.devices = netlink_devices,
	.ports = netlink_ports,
	.counters = netlink_counters,
	.cqs = netlink_cqs,
	.probes = netlink_probes,
	.qps = netlink_qps,
};
