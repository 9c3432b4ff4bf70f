/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * librdmaev: read the log of events on the RDMA devices of a host, or a recording
 * of it.
 *
 *	struct rdmaev *h = rdmaev_open(NULL, 0);
 *	struct rdmaev_record ev[32];
 *
 *	while (rdmaev_wait(h, -1) > 0) {
 *		ssize_t n = rdmaev_read(h, ev, 32);
 *		...
 *	}
 *	rdmaev_close(h);
 *
 * Functions that fail return -1 (or NULL) and set errno. Several threads may
 * use a handle at once; each event goes to exactly one of them. There is
 * nothing to acknowledge, and no reader delays the destruction of an RDMA
 * object. librdmaev(3) has complete examples.
 */
#ifndef RDMAEV_H
#define RDMAEV_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <rdma/rdmaev.h>

#ifdef __cplusplus
extern "C" {
#endif

/** RDMAEV_NODE - the node that rdmaev_open() opens by default */
#define RDMAEV_NODE "/dev/infiniband/rdmaev"

/* flags of rdmaev_open() */
#define RDMAEV_NONBLOCK	(1U << 0)	/* rdmaev_read() fails with EAGAIN */
#define RDMAEV_NETLINK	(1U << 1)	/* generic netlink, not the node */

/** struct rdmaev - an open reader; close with rdmaev_close() */
struct rdmaev;

/**
 * enum rdmaev_style - format of an event written by rdmaev_format()
 * @RDMAEV_STYLE_HUMAN: one line, local time, without a line feed
 * @RDMAEV_STYLE_JSON: one JSON object, without a line feed
 * @RDMAEV_STYLE_UTC: OR with HUMAN: time in UTC
 * @RDMAEV_STYLE_MONO: OR with HUMAN: seconds since boot in place of the time
 * @RDMAEV_STYLE_COLOR: OR with HUMAN: terminal colours
 */
enum rdmaev_style {
	RDMAEV_STYLE_HUMAN = 0,
	RDMAEV_STYLE_JSON = 1,
	RDMAEV_STYLE_UTC = 1 << 8,
	RDMAEV_STYLE_MONO = 1 << 9,
	RDMAEV_STYLE_COLOR = 1 << 10,
};

/**
 * rdmaev_open - open a reader
 * @path: node, a recording, or NULL for RDMAEV_NODE
 * @flags: 0, RDMAEV_NONBLOCK, RDMAEV_NETLINK
 *
 * The reader starts at the end of the log; rdmaev_seek() goes back. A handle
 * holds one descriptor, or several over generic netlink; all are close-on-exec.
 * Do not use a handle on both sides of a fork(2).
 *
 * The handle uses generic netlink with RDMAEV_NETLINK, and if @path is NULL and
 * there is no node, as in a container. Calls, records and permissions are the
 * same, with these differences. CAP_NET_ADMIN is needed at the open, for the
 * multicast group "all", and when records are read. Without it, the reader gets
 * the records of devices and ports, and of its own QPs, CQs, SRQs and WQs; for
 * the latter, the handle asks once a second, as no group carries them.
 * rdmaev_fd() may be readable without a record. The module can be unloaded
 * while the handle is open; then all calls fail with ENODEV until another
 * handle is opened.
 *
 * An open node keeps the module loaded until all readers are hung up (`rdmaev
 * release`). Then rdmaev_fd() is readable, and the next call closes the node:
 * this call and all others fail with ENODEV until another handle is opened. The
 * number of rdmaev_fd() stays in use until rdmaev_close().
 *
 * A recording is a file that `rdmaev record` has written, see
 * rdmaev-recording(5). Its reader starts at the first record. At the end,
 * rdmaev_wait() and rdmaev_read() fail with ENODATA, or with EBADMSG if the file
 * is cut or damaged there; rdmaev_fd() is readable all the time. Lists are the
 * last ones that were recorded, and fail with ENODATA if there is none.
 * rdmaev_notify() fails with EOPNOTSUPP, rdmaev_probe_set() with
 * EPROTONOSUPPORT. What is appended after the open is not read.
 *
 * Errors: ENOENT: the module is not loaded. EACCES: the mode of the node was
 * changed. ENOTSUP: not an rdmaev node or recording, or an ABI or format that
 * this library cannot read. EBADMSG: a recording that is cut in its header.
 * EINVAL: unknown flag, or RDMAEV_NETLINK with a @path. ENOMEM, and those of
 * open(2) and socket(2).
 */
struct rdmaev *rdmaev_open(const char *path, unsigned int flags);

/** rdmaev_close - close a reader; NULL is allowed. Does not change errno */
void rdmaev_close(struct rdmaev *h);

/**
 * rdmaev_fd - get the descriptor for poll(2), epoll(7) and event loops
 * @h: reader
 *
 * Only for waiting; always O_NONBLOCK. It is readable while there is something
 * to read. Over netlink it is an epoll descriptor, and may be readable without
 * a record, or with fewer records than rdmaev_set_wakeup() sets; then
 * rdmaev_read() fails with EAGAIN, or waits without RDMAEV_NONBLOCK.
 * rdmaev_wait() takes this into account.
 */
int rdmaev_fd(const struct rdmaev *h);

/**
 * rdmaev_wait - wait until there is something to read
 * @h: reader
 * @timeout_ns: nanoseconds; 0: do not wait; negative: no time limit
 *
 * Returns: 1: something to read; 0: timeout; -1 with errno (EINTR: a signal.
 * ENODATA, EBADMSG: the end of a recording).
 */
int rdmaev_wait(struct rdmaev *h, int64_t timeout_ns);

/**
 * rdmaev_read - read events
 * @h: reader
 * @events: array of the caller
 * @n: length of @events, at least 1
 *
 * Without RDMAEV_NONBLOCK waits for the first event, never for more.
 *
 * Returns: number of events, 1 to @n, or -1 with errno: EAGAIN: no event.
 * EINTR: a signal before the first event. EINVAL: @n is 0. ENODATA: the end of
 * a recording. EBADMSG: likewise, and the file is cut or damaged there.
 */
ssize_t rdmaev_read(struct rdmaev *h, struct rdmaev_record *events, size_t n);

/**
 * rdmaev_filter_init - initialize a filter that passes everything
 * @f: filter
 */
void rdmaev_filter_init(struct rdmaev_filter *f);

/**
 * rdmaev_set_filter - set the filter of a reader
 * @h: reader
 * @f: filter, see &struct rdmaev_filter; NULL: pass everything
 *
 * The kernel filters: records that do not match do not wake the reader. Errors:
 * EINVAL, ENOMEM, E2BIG: @f is of a later version and uses a field that the
 * kernel does not know.
 */
int rdmaev_set_filter(struct rdmaev *h, const struct rdmaev_filter *f);

/**
 * rdmaev_set_wakeup - set when a waiting reader is woken
 * @h: reader
 * @watermark: wake up with this many records; the default is 1
 * @delay_us: wake up after this many microseconds with fewer; 0: do not
 *
 * Errors: EINVAL for values out of range, see &struct rdmaev_wakeup.
 */
int rdmaev_set_wakeup(struct rdmaev *h, uint32_t watermark, uint32_t delay_us);

/**
 * rdmaev_seek - set the position in the log
 * @h: reader
 * @offset: see lseek() in <rdma/rdmaev.h>: SEEK_SET and a seq (0: the oldest
 *	kept), SEEK_END and 0 (the end) or -n (the last n), SEEK_CUR
 * @whence: SEEK_SET, SEEK_CUR or SEEK_END
 *
 * Returns: seq of the next record, or -1 with errno: EINVAL: before the first
 * record. ENXIO: past the end of the log.
 */
int64_t rdmaev_seek(struct rdmaev *h, int64_t offset, int whence);

/*
 * Structures that may grow in later versions: programs pass the size that they know; the
 * functions without _sized do that.
 */

/**
 * rdmaev_info_sized - get the state of the log and the position of this reader
 * @h: reader
 * @info: filled in as far as @size goes; what this version does not know is 0
 * @size: at least RDMAEV_INFO_SIZE_VER0
 *
 * Returns: 0, or -1 with errno.
 */
int rdmaev_info_sized(struct rdmaev *h, struct rdmaev_info *info, size_t size);

/*
 * Lists: they return the number of entries there are, which may be more than @n, or -1
 * with errno.
 */

/**
 * rdmaev_devices_sized - list devices
 * @h: reader
 * @list: array of the caller, may be NULL if @n is 0
 * @entry_size: size of an entry of @list
 * @n: length of @list
 * @flags: 0, or RDMAEV_DEVICES_REMOVED to list recently removed ones, too
 * @seq: set to the newest record that the list includes; may be NULL
 */
ssize_t rdmaev_devices_sized(struct rdmaev *h, struct rdmaev_device *list,
			     size_t entry_size, size_t n, unsigned int flags,
			     uint64_t *seq);

/**
 * rdmaev_ports_sized - list ports, as the last query found them
 * @h: reader
 * @device: index, or RDMAEV_ANY for all devices
 * @flags: 0, or RDMAEV_PORTS_REMOVED to list those of removed devices, too
 * @list: array of the caller, may be NULL if @n is 0
 * @entry_size: size of an entry of @list
 * @n: length of @list
 * @seq: set to the newest record that the list includes; may be NULL
 *
 * Errors: ENODEV: no such device. EINVAL: unknown flag.
 */
ssize_t rdmaev_ports_sized(struct rdmaev *h, uint32_t device,
			   unsigned int flags, struct rdmaev_port *list,
			   size_t entry_size, size_t n, uint64_t *seq);

/**
 * rdmaev_counters_sized - list counters
 * @h: reader
 * @device: index, or RDMAEV_ANY for all devices
 * @port: port number; RDMAEV_NO_PORT: not about a port; or RDMAEV_ANY for all
 * @flags: 0, or RDMAEV_COUNTERS_REMOVED to list those of removed devices, too
 * @list: array of the caller, may be NULL if @n is 0
 * @entry_size: size of an entry of @list
 * @n: length of @list
 * @seq: set to the newest record when the list was begun; may be NULL
 *
 * To keep a counter up to date, add the count of each record newer than
 * last_seq.
 *
 * Errors: ENODEV: no such device. EINVAL: unknown flag.
 */
ssize_t rdmaev_counters_sized(struct rdmaev *h, uint32_t device, uint32_t port,
			      unsigned int flags, struct rdmaev_counter *list,
			      size_t entry_size, size_t n, uint64_t *seq);

/**
 * rdmaev_cqs_sized - list CQs, or their sums by device
 * @h: reader
 * @device: index, or RDMAEV_ANY for all devices
 * @flags: 0, or RDMAEV_CQS_SUMS to list one sum for each device
 * @after: 0, or the id of the last entry of the previous call
 * @list: array of the caller, may be NULL if @n is 0
 * @entry_size: size of an entry of @list
 * @n: length of @list
 * @seq: set to the newest record when the list was begun; may be NULL
 *
 * There may be thousands, so they can be listed in parts:
 *
 *	struct rdmaev_cq_stats list[64];
 *	uint64_t after = 0;
 *	ssize_t n;
 *
 *	do {
 *		n = rdmaev_cqs(h, RDMAEV_ANY, 0, after, list, 64, NULL);
 *		for (ssize_t i = 0; i < n && i < 64; i++)
 *			after = list[i].id;
 *	} while (n > 64);
 *
 * Returns: number of CQs after @after. Errors: ENODEV: no such device. EINVAL:
 * unknown flag.
 */
ssize_t rdmaev_cqs_sized(struct rdmaev *h, uint32_t device, unsigned int flags,
			 uint64_t after, struct rdmaev_cq_stats *list,
			 size_t entry_size, size_t n, uint64_t *seq);

/**
 * rdmaev_probes_sized - list the probes of ports, see rdmaev_probe(4)
 * @h: reader
 * @device: index, or RDMAEV_ANY for all devices
 * @flags: 0
 * @list: array of the caller, may be NULL if @n is 0
 * @entry_size: size of an entry of @list
 * @n: length of @list
 * @seq: set to the newest record when the list was begun; may be NULL
 *
 * Returns: number of ports that can be probed; 0: none, or the module
 * rdmaev_probe is not loaded. Errors: ENODEV: no such device. EINVAL: unknown
 * flag. ENOTTY: the kernel module has no such list.
 */
ssize_t rdmaev_probes_sized(struct rdmaev *h, uint32_t device, unsigned int flags,
			    struct rdmaev_probe *list, size_t entry_size,
			    size_t n, uint64_t *seq);

/**
 * rdmaev_qps_sized - list the QPs that the observer knows, see rdmaev_observe(4)
 * @h: reader
 * @device: index, or RDMAEV_ANY for all devices
 * @flags: 0
 * @after: 0, or the id of the last entry of the previous call, as of rdmaev_cqs_sized()
 * @list: array of the caller, may be NULL if @n is 0
 * @entry_size: size of an entry of @list
 * @n: length of @list
 * @seq: set to the newest record when the list was begun; may be NULL
 *
 * Returns: number of QPs after @after. Errors: ENODEV: no such device. EINVAL:
 * unknown flag. ENOTTY: the kernel module has no such list.
 */
ssize_t rdmaev_qps_sized(struct rdmaev *h, uint32_t device, unsigned int flags,
			 uint64_t after, struct rdmaev_qp *list,
			 size_t entry_size, size_t n, uint64_t *seq);

/** rdmaev_info - rdmaev_info_sized() for a program in C */
static inline int rdmaev_info(struct rdmaev *h, struct rdmaev_info *info)
{
	return rdmaev_info_sized(h, info, sizeof(*info));
}

/** rdmaev_devices - rdmaev_devices_sized() for a program in C */
static inline ssize_t rdmaev_devices(struct rdmaev *h,
				     struct rdmaev_device *list, size_t n,
				     unsigned int flags, uint64_t *seq)
{
	return rdmaev_devices_sized(h, list, sizeof(*list), n, flags, seq);
}

/** rdmaev_ports - rdmaev_ports_sized() for a program in C */
static inline ssize_t rdmaev_ports(struct rdmaev *h, uint32_t device,
				   unsigned int flags, struct rdmaev_port *list,
				   size_t n, uint64_t *seq)
{
	return rdmaev_ports_sized(h, device, flags, list, sizeof(*list), n,
				  seq);
}

/** rdmaev_counters - rdmaev_counters_sized() for a program in C */
static inline ssize_t rdmaev_counters(struct rdmaev *h, uint32_t device,
				      uint32_t port, unsigned int flags,
				      struct rdmaev_counter *list, size_t n,
				      uint64_t *seq)
{
	return rdmaev_counters_sized(h, device, port, flags, list,
				     sizeof(*list), n, seq);
}

/** rdmaev_cqs - rdmaev_cqs_sized() for a program in C */
static inline ssize_t rdmaev_cqs(struct rdmaev *h, uint32_t device,
				 unsigned int flags, uint64_t after,
				 struct rdmaev_cq_stats *list, size_t n,
				 uint64_t *seq)
{
	return rdmaev_cqs_sized(h, device, flags, after, list, sizeof(*list),
				n, seq);
}

/** rdmaev_probes - rdmaev_probes_sized() for a program in C */
static inline ssize_t rdmaev_probes(struct rdmaev *h, uint32_t device,
				    unsigned int flags,
				    struct rdmaev_probe *list, size_t n,
				    uint64_t *seq)
{
	return rdmaev_probes_sized(h, device, flags, list, sizeof(*list), n,
				   seq);
}

/** rdmaev_qps - rdmaev_qps_sized() for a program in C */
static inline ssize_t rdmaev_qps(struct rdmaev *h, uint32_t device,
				 unsigned int flags, uint64_t after,
				 struct rdmaev_qp *list, size_t n,
				 uint64_t *seq)
{
	return rdmaev_qps_sized(h, device, flags, after, list, sizeof(*list),
				n, seq);
}

/**
 * rdmaev_probe_set - start or stop to probe the ports of a device
 * @h: reader
 * @device: index of the device
 * @interval_ms: milliseconds from one request to the next, at most
 *	RDMAEV_PROBE_INTERVAL_MAX_MS; 0: stop
 *
 * Lasts until the device is removed or rdmaev_probe is unloaded, also when @h
 * is closed.
 *
 * Returns: 0, or -1 with errno: EPERM: needs CAP_NET_ADMIN in the initial user
 * and network namespaces, when @h was opened and now. ENODEV: no such device.
 * EOPNOTSUPP: the module rdmaev_probe is not loaded, or the device has no verbs
 * for the kernel. EPROTONOSUPPORT: @h uses generic netlink. EINVAL: longer
 * interval. ENOTTY: the kernel module cannot do that.
 */
int rdmaev_probe_set(struct rdmaev *h, uint32_t device, uint32_t interval_ms);

/**
 * rdmaev_notify - record the completion notifications of a CQ
 * @h: reader
 * @device: index of the device
 * @cq: number of the CQ
 * @every: append a record for this many notifications; 0: stop
 * @delay_us: or this many microseconds after the first; 0: wait for @every
 *
 * The records are in the log, for all readers, until @h is closed.
 *
 * Returns: 0, or -1 with errno: ENODEV: no such device. ENOENT: no such CQ
 * among those that this reader may see. EBUSY: notifications of this CQ are
 * already being recorded for another reader. EOPNOTSUPP: ib_core receives
 * its notifications (RDMAEV_CQ_ATTACHED), or @h uses generic netlink. EINVAL:
 * value out of range.
 */
int rdmaev_notify(struct rdmaev *h, uint32_t device, uint32_t cq,
		  uint32_t every, uint32_t delay_us);

/**
 * rdmaev_event_name - get the name of a code, in capitals ("PORT_ERR",
 * "DEVICE_ADD")
 * @kind: &enum rdmaev_kind
 * @code: code of that kind
 *
 * Returns: a constant string, or NULL for a code this library does not know.
 */
const char *rdmaev_event_name(unsigned int kind, unsigned int code);

/** rdmaev_event_describe - describe a code in a sentence; NULL: unknown */
const char *rdmaev_event_describe(unsigned int kind, unsigned int code);

/** rdmaev_event_advice - get the remedy for an event; NULL: unknown */
const char *rdmaev_event_advice(unsigned int kind, unsigned int code);

/**
 * rdmaev_event_parse - get kind and code from a name
 * @name: in any usual spelling, in capitals or not, with _ or -: PORT_ERR,
 *	IB_EVENT_PORT_ERR, IBV_EVENT_PORT_ERR; RETRY_EXC_ERR,
 *	IB_WC_RETRY_EXC_ERR, IBV_WC_RETRY_EXC_ERR. A number is that of an
 *	asynchronous event (10, EVENT_10), or after WC_ of a completion status
 *	(WC_12), known or not
 * @kind: set to the kind
 * @code: set to the code
 *
 * Returns: 0, or -1 with ENOENT for a name this library does not know.
 */
int rdmaev_event_parse(const char *name, unsigned int *kind,
		       unsigned int *code);

/**
 * rdmaev_wc_status_name - get the name of a completion status ("RETRY_EXC_ERR")
 * @status: enum ibv_wc_status, or enum ib_wc_status
 *
 * The same as rdmaev_event_name() for RDMAEV_KIND_WC.
 *
 * Returns: a constant string, or NULL for a status this library does not know.
 */
const char *rdmaev_wc_status_name(unsigned int status);

/** rdmaev_wc_status_describe - describe a status; NULL: unknown */
const char *rdmaev_wc_status_describe(unsigned int status);

/** rdmaev_wc_status_advice - get the remedy for a status; NULL: unknown */
const char *rdmaev_wc_status_advice(unsigned int status);

/**
 * rdmaev_wc_status_parse - get a completion status from its name
 * @name: in any usual spelling, as for rdmaev_event_parse(), or its number
 * @status: set to the number
 *
 * Returns: 0, or -1 with ENOENT for a name this library does not know.
 */
int rdmaev_wc_status_parse(const char *name, unsigned int *status);

/**
 * rdmaev_wc_opcode_name - get the name of an operation
 * @opcode: &enum rdmaev_wc_opcode
 *
 * Returns: a constant string ("SEND", "RECV_IMM"), or NULL for an opcode that
 * this library does not know.
 */
const char *rdmaev_wc_opcode_name(unsigned int opcode);

/**
 * rdmaev_qp_state_name - get the name of a QP state, in capitals ("SQD", "ERR")
 * @state: enum ibv_qp_state, or enum ib_qp_state
 *
 * Returns: a constant string, or NULL for a state this library does not know.
 */
const char *rdmaev_qp_state_name(unsigned int state);

/** rdmaev_qp_state_describe - describe a QP state; NULL: unknown */
const char *rdmaev_qp_state_describe(unsigned int state);

/**
 * rdmaev_qp_state_parse - get a QP state from its name
 * @name: in any usual spelling: SQD, sqd, IB_QPS_SQD, IBV_QPS_SQD; ERR or
 *	Error; or its number
 * @state: set to the number
 *
 * Returns: 0, or -1 with ENOENT for a name this library does not know.
 */
int rdmaev_qp_state_parse(const char *name, unsigned int *state);

/**
 * rdmaev_cm_reason_name - get the name of a reason why a connection was refused
 * ("INVALID_SERVICE_ID")
 * @reason: enum ib_cm_rej_reason: the status of a RDMAEV_CM_REJECTED record
 *
 * Returns: a constant string, or NULL for a reason this library does not know,
 * as a negative status.
 */
const char *rdmaev_cm_reason_name(int reason);

/** rdmaev_cm_reason_describe - describe a reason; NULL: unknown */
const char *rdmaev_cm_reason_describe(int reason);

/** rdmaev_cm_reason_advice - get the remedy for a reason; NULL: unknown */
const char *rdmaev_cm_reason_advice(int reason);

/**
 * rdmaev_cm_reason_parse - get a reason from its name
 * @name: in any usual spelling: STALE_CONN, stale-conn, IB_CM_REJ_STALE_CONN;
 *	or its number, also after REJ_
 * @reason: set to the number
 *
 * Returns: 0, or -1 with ENOENT for a name this library does not know.
 */
int rdmaev_cm_reason_parse(const char *name, int *reason);

/**
 * rdmaev_format - format an event as text
 * @event: event
 * @style: &enum rdmaev_style
 * @buf: buffer, may be NULL if @len is 0
 * @len: size of @buf
 *
 * Names are escaped for a terminal, or for JSON.
 *
 * Returns: length of the text, as snprintf(3); if it is @len or more, the text
 * was truncated. -1 with EINVAL: unknown style.
 */
int rdmaev_format(const struct rdmaev_record *event, unsigned int style,
		  char *buf, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* RDMAEV_H */
