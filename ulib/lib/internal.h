/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Internal interface between the parts of librdmaev */
#ifndef ULIB_INTERNAL_H
#define ULIB_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <internal/kinds.h>

/* All other symbols have hidden visibility. */
#pragma GCC visibility push(default)
#include <rdmaev.h>
#pragma GCC visibility pop

#include "text.h"

/* Later versions only append ioctls: a missing one returns ENOTTY. */
#define ABI_OLDEST	1

static inline bool is_zero(const void *from, size_t size)
{
	const char *bytes = from;

	return !size || (!*bytes && !memcmp(bytes, bytes + 1, size - 1));
}

/* The filter sets a field that this version does not know: E2BIG */
static inline bool filter_is_later(const struct rdmaev_filter *f)
{
	return f->size > sizeof(*f) && !is_zero(f + 1, f->size - sizeof(*f));
}

/**
 * struct transport - connection of a reader to the kernel, or to a recording
 * @ops: node, netlink or recording
 * @fd: descriptor to wait on, always O_NONBLOCK: waiting is done in ppoll(2),
 *	without a lock
 * @released: the kernel has hung up: all calls fail with ENODEV, and @fd stays
 *	readable for threads that wait on it. Also read without a lock
 *
 * First member of the transport's own structure. One call at a time.
 */
struct transport {
	const struct transport_ops *ops;
	int fd;
	bool released;
};

/**
 * struct transport_ops - operations of a transport
 * @open: open it; path or NULL for the default
 * @close: close it
 * @read: return up to @n available records, fewer only if there are no more;
 *	EAGAIN if none is available
 * @ready: called first, and when @fd is readable: 1 if the condition of
 *	rdmaev_set_wakeup() is met, 0 if not, -1 on error. NULL: a readable @fd
 *	is sufficient
 * @set_filter: @f can be longer than struct rdmaev_filter, up to FILTER_MAX
 * @set_wakeup: as rdmaev_set_wakeup()
 * @seek: as rdmaev_seek()
 * @info: as rdmaev_info()
 * @devices: as RDMAEV_IOC_DEVICES, and so on
 * @ports: same
 * @counters: same
 * @cqs: same
 * @probes: same
 * @qps: same
 * @notify: as RDMAEV_IOC_NOTIFY; NULL: only the node can do that
 * @probe: as RDMAEV_IOC_PROBE; NULL: likewise
 * @release: drop the module, see @released. NULL: it is not held
 *
 * All but @open, @close and @release return like system calls. None waits.
 */
struct transport_ops {
	struct transport *(*open)(const char *path);
	void (*close)(struct transport *t);
	ssize_t (*read)(struct transport *t, struct rdmaev_record *records,
			size_t n);
	int (*ready)(struct transport *t);
	int (*set_filter)(struct transport *t, const struct rdmaev_filter *f);
	int (*set_wakeup)(struct transport *t, uint32_t records,
			  uint32_t delay_us);
	int64_t (*seek)(struct transport *t, int64_t offset, int whence);
	int (*info)(struct transport *t, struct rdmaev_info *info);
	int (*devices)(struct transport *t, struct rdmaev_devices *devices);
	int (*ports)(struct transport *t, struct rdmaev_ports *ports);
	int (*counters)(struct transport *t, struct rdmaev_counters *counters);
	int (*cqs)(struct transport *t, struct rdmaev_cqs *cqs);
	int (*probes)(struct transport *t, struct rdmaev_probes *probes);
	int (*qps)(struct transport *t, struct rdmaev_qps *qps);
	int (*notify)(struct transport *t, const struct rdmaev_notify *notify);
	int (*probe)(struct transport *t, const struct rdmaev_probe_set *set);
	void (*release)(struct transport *t);
};

/* Longest filter that a later version can have. */
#define FILTER_MAX	4096

extern const struct transport_ops node_ops;
extern const struct transport_ops netlink_ops;

/**
 * struct rdmaev - an open reader
 * @transport: source of records; called under @lock
 * @nonblock: opened with RDMAEV_NONBLOCK
 * @lock: serializes calls of @transport. Protects all below
 * @watermark: as set by rdmaev_set_wakeup()
 */
struct rdmaev {
	struct transport *transport;
	bool nonblock;
	pthread_mutex_t lock;
	uint32_t watermark;
};

/* True if the body has struct rdmaev_queues. */
static inline bool event_has_queues(const struct rdmaev_record *r)
{
	return r->kind == RDMAEV_KIND_ASYNC || r->kind == RDMAEV_KIND_WC;
}

/* True if the body has struct rdmaev_peer. */
static inline bool event_has_peer(const struct rdmaev_record *r)
{
	return event_has_queues(r) || r->kind == RDMAEV_KIND_QP;
}

/* True if the body begins with struct rdmaev_object_info of an object. */
static inline bool event_has_known(const struct rdmaev_record *r)
{
	return event_has_peer(r) || r->kind == RDMAEV_KIND_CM ||
	       r->kind == RDMAEV_KIND_NOTE || r->kind == RDMAEV_KIND_COMPLETION;
}

/* True if the number of the event's object is known. */
static inline bool event_has_object(const struct rdmaev_record *r)
{
	return r->object_type >= RDMAEV_OBJECT_QP &&
	       (!event_has_known(r) ||
		r->body.info.known & RDMAEV_KNOWN_OBJECT);
}

/* Of the probe of a port: a call, and keys after it: status, errno */
void json_probe_error(struct text *t, unsigned int call, int error);

/* One JSON object; with @instance of the log, seq is unique in it. */
void format_json(struct text *t, const struct rdmaev_record *r,
		 const uint64_t *instance);

#endif /* ULIB_INTERNAL_H */
