/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * librdmaev: read the record of what happened on the RDMA devices of a host.
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
 * Functions return -1 (or NULL) with errno set on failure. A handle may be
 * used by several threads at once; each event goes to exactly one of them.
 * Nothing is ever acknowledged, and no reader can delay an RDMA object's
 * destruction. librdmaev(3) has complete examples.
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
#define RDMAEV_NONBLOCK	(1U << 0)	/* rdmaev_read() does not wait: EAGAIN */
#define RDMAEV_NETLINK	(1U << 1)	/* by generic netlink, without the node */

/** struct rdmaev - an open reader; close with rdmaev_close() */
struct rdmaev;

/**
 * enum rdmaev_style - how rdmaev_format() writes an event
 * @RDMAEV_STYLE_HUMAN: one line, local time; no line feed at its end
 * @RDMAEV_STYLE_JSON: one JSON object; no line feed at its end
 * @RDMAEV_STYLE_UTC: or-ed to HUMAN: time in UTC
 * @RDMAEV_STYLE_MONO: or-ed to HUMAN: seconds since boot instead of the time
 * @RDMAEV_STYLE_COLOR: or-ed to HUMAN: with terminal colours
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
 * @path: node, or NULL for RDMAEV_NODE
 * @flags: 0, RDMAEV_NONBLOCK, RDMAEV_NETLINK
 *
 * The reader starts at now; rdmaev_seek() goes back. A handle holds one descriptor,
 * or several over generic netlink; all are close-on-exec. Do not use one handle on
 * both sides of a fork(2).
 *
 * Where @path is NULL and there is no node, as in a container, the records come by
 * generic netlink; with RDMAEV_NETLINK always. Calls and records are the same, and
 * so is what one may see, but for the time that counts: CAP_NET_ADMIN is needed at
 * the open, for the multicast group "all", and still when records are read; without,
 * there are those of devices and ports, and of one's own QPs and the like, which no
 * group tells of: the handle looks for them once a second.
 * Then, rdmaev_fd() is less strict; and the module can be unloaded while
 * the handle is open, which makes all calls fail with ENODEV until another one is
 * opened.
 *
 * An open node keeps the module loaded, until all readers are hung up (`rdmaev
 * release`). Then rdmaev_fd() is readable, and with the next call the handle has
 * closed the node: this call and all others fail with ENODEV until another handle is
 * opened. The number of rdmaev_fd() stays the handle's.
 *
 * Errors: ENOENT (module not loaded), EACCES (not the node's mode any more), ENOTSUP
 * (not an rdmaev node, or of an ABI that this library cannot read), EINVAL
 * (unknown flag, or RDMAEV_NETLINK with a @path), ENOMEM, and those of open(2) and
 * socket(2).
 */
struct rdmaev *rdmaev_open(const char *path, unsigned int flags);

/** rdmaev_close - close a reader; NULL is allowed. errno is left alone */
void rdmaev_close(struct rdmaev *h);

/**
 * rdmaev_fd - the descriptor, for poll(2), epoll(7) and event loops
 * @h: reader
 *
 * For waiting only; it is always O_NONBLOCK, whatever the flags. Over netlink it is
 * an epoll descriptor. It is readable as long as there is something to be read,
 * and may be so where there is nothing: then rdmaev_read() says EAGAIN, or waits on
 * without RDMAEV_NONBLOCK. There it is also readable with fewer records than
 * rdmaev_set_wakeup() asks for; rdmaev_wait() is not deceived by either.
 */
int rdmaev_fd(const struct rdmaev *h);

/**
 * rdmaev_wait - wait until there is something to read
 * @h: reader
 * @timeout_ns: nanoseconds; 0 looks only, below 0 waits without end
 *
 * Returns: 1 something to read, 0 time is up, -1 with errno (EINTR: a signal).
 */
int rdmaev_wait(struct rdmaev *h, int64_t timeout_ns);

/**
 * rdmaev_read - take events
 * @h: reader
 * @events: array of the caller
 * @n: its length, at least 1
 *
 * Without RDMAEV_NONBLOCK waits for the first event, never for more.
 *
 * Returns: how many were stored, 1 to @n, or -1 with errno: EAGAIN nothing
 * there, EINTR a signal before the first event, EINVAL @n is 0.
 */
ssize_t rdmaev_read(struct rdmaev *h, struct rdmaev_record *events, size_t n);

/**
 * rdmaev_filter_init - a filter that lets everything pass
 * @f: filter to set up; narrow it afterwards
 */
void rdmaev_filter_init(struct rdmaev_filter *f);

/**
 * rdmaev_set_filter - say which records this reader wants
 * @h: reader
 * @f: filter, see &struct rdmaev_filter; NULL: everything
 *
 * Filtering is done in the kernel: records that do not match do not wake the
 * reader. Errors: EINVAL, ENOMEM, E2BIG if @f is of a later version and
 * asks for what is not known.
 */
int rdmaev_set_filter(struct rdmaev *h, const struct rdmaev_filter *f);

/**
 * rdmaev_set_wakeup - say when a waiting reader is woken
 * @h: reader
 * @watermark: number of records that must be there; 1 at first
 * @delay_us: wake up after this many microseconds with fewer; 0: do not
 *
 * Errors: EINVAL for values out of range, see &struct rdmaev_wakeup.
 */
int rdmaev_set_wakeup(struct rdmaev *h, uint32_t watermark, uint32_t delay_us);

/**
 * rdmaev_seek - go to a place in the log
 * @h: reader
 * @offset: see lseek() in <rdma/rdmaev.h>: SEEK_SET and a seq (0: the oldest
 *	kept), SEEK_END and 0 (now) or -n (the last n), SEEK_CUR
 * @whence: SEEK_SET, SEEK_CUR or SEEK_END
 *
 * Returns: seq of the next record, or -1 with errno: EINVAL before the first,
 * ENXIO beyond the next seq to be given.
 */
int64_t rdmaev_seek(struct rdmaev *h, int64_t offset, int whence);

/** rdmaev_info - the log and this reader's place in it */
int rdmaev_info(struct rdmaev *h, struct rdmaev_info *info);

/*
 * The lists. Structures of entries grow in later versions, so the library is told
 * the size that the program knows; the functions without it in their names do that.
 * All of them return how many entries there are, which may be more than @n, or -1
 * with errno.
 */

/**
 * rdmaev_devices_sized - the devices there are
 * @h: reader
 * @list: array of the caller, may be NULL if @n is 0
 * @entry_size: size of an entry of @list
 * @n: its length
 * @flags: 0, or RDMAEV_DEVICES_GONE to have recently removed ones too
 * @seq: set to the newest record taken into account; may be NULL
 */
ssize_t rdmaev_devices_sized(struct rdmaev *h, struct rdmaev_device *list,
			     size_t entry_size, size_t n, unsigned int flags,
			     uint64_t *seq);

/**
 * rdmaev_ports_sized - the ports of a device as they were last seen
 * @h: reader
 * @device: index, or RDMAEV_ANY for all devices
 * @flags: 0, or RDMAEV_PORTS_GONE to have those of removed devices too
 * @list: array of the caller, may be NULL if @n is 0
 * @entry_size: size of an entry of @list
 * @n: its length
 * @seq: set to the newest record taken into account; may be NULL
 *
 * Errors: ENODEV no such device, EINVAL unknown flag.
 */
ssize_t rdmaev_ports_sized(struct rdmaev *h, uint32_t device,
			   unsigned int flags, struct rdmaev_port *list,
			   size_t entry_size, size_t n, uint64_t *seq);

/**
 * rdmaev_counters_sized - how often what happened
 * @h: reader
 * @device: index, or RDMAEV_ANY for all devices
 * @port: port number, 0 for what is not about a port, or RDMAEV_ANY for all
 * @flags: 0, or RDMAEV_COUNTERS_GONE to have those of removed devices too
 * @list: array of the caller, may be NULL if @n is 0
 * @entry_size: size of an entry of @list
 * @n: its length
 * @seq: set to the newest record when the answer was begun; may be NULL
 *
 * To keep them up to date, add the count of each record that is newer than last_seq
 * of its counter.
 *
 * Errors: ENODEV no such device, EINVAL unknown flag.
 */
ssize_t rdmaev_counters_sized(struct rdmaev *h, uint32_t device, uint32_t port,
			      unsigned int flags, struct rdmaev_counter *list,
			      size_t entry_size, size_t n, uint64_t *seq);

/**
 * rdmaev_cqs_sized - CQs of kernel ULPs, or what those of a device counted together
 * @h: reader
 * @device: index, or RDMAEV_ANY for all devices
 * @flags: 0, or RDMAEV_CQS_SUMS to have one entry for each device
 * @after: 0, or the id of the last entry of the answer before
 * @list: array of the caller, may be NULL if @n is 0
 * @entry_size: size of an entry of @list
 * @n: its length
 * @seq: set to the newest record when the answer was begun; may be NULL
 *
 * There may be thousands, so they can be had in parts:
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
 * Returns: how many there are after @after. Errors: ENODEV no such device, EINVAL
 * unknown flag.
 */
ssize_t rdmaev_cqs_sized(struct rdmaev *h, uint32_t device, unsigned int flags,
			 uint64_t after, struct rdmaev_cq_stats *list,
			 size_t entry_size, size_t n, uint64_t *seq);

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

/**
 * rdmaev_notify - have the completion notifications of a CQ recorded
 * @h: reader
 * @device: index of the device
 * @cq: number of the CQ
 * @every: a record each so many notifications; 0: none any more
 * @delay_us: or so many microseconds after the first, 0: wait for @every
 *
 * All readers see the records. There are none any more when @h is closed.
 *
 * Returns: 0, or -1 with errno: ENODEV no such device, ENOENT no such CQ among
 * those that this reader may see, EBUSY another reader has asked for it,
 * EOPNOTSUPP the RDMA core has its notifications (RDMAEV_CQ_ATTACHED), or @h
 * reads by generic netlink, EINVAL value out of range.
 */
int rdmaev_notify(struct rdmaev *h, uint32_t device, uint32_t cq,
		  uint32_t every, uint32_t delay_us);

/**
 * rdmaev_event_name - name of a code, in capitals ("PORT_ERR", "DEVICE_ADD")
 * @kind: &enum rdmaev_kind
 * @code: code of that kind
 *
 * Returns: a constant string, or NULL for a code this library does not know.
 */
const char *rdmaev_event_name(unsigned int kind, unsigned int code);

/** rdmaev_event_describe - one sentence on what it means; NULL if not known */
const char *rdmaev_event_describe(unsigned int kind, unsigned int code);

/** rdmaev_event_advice - what a reader should do about it; NULL if not known */
const char *rdmaev_event_advice(unsigned int kind, unsigned int code);

/**
 * rdmaev_event_parse - kind and code of a name
 * @name: in any usual spelling, in capitals or not, with _ or -: PORT_ERR,
 *	IB_EVENT_PORT_ERR, IBV_EVENT_PORT_ERR; RETRY_EXC_ERR, IB_WC_RETRY_EXC_ERR,
 *	IBV_WC_RETRY_EXC_ERR. A number is that of an asynchronous event (10,
 *	EVENT_10), or after WC_ of a completion status (WC_12), known or not
 * @kind: set to the kind
 * @code: set to the code
 *
 * Returns: 0, or -1 with ENOENT for a name this library does not know.
 */
int rdmaev_event_parse(const char *name, unsigned int *kind,
		       unsigned int *code);

/**
 * rdmaev_wc_status_name - name of a completion status ("RETRY_EXC_ERR")
 * @status: enum ibv_wc_status, or enum ib_wc_status
 *
 * The same as rdmaev_event_name() for RDMAEV_KIND_WC.
 *
 * Returns: a constant string, or NULL for a status this library does not know.
 */
const char *rdmaev_wc_status_name(unsigned int status);

/** rdmaev_wc_status_describe - what it means; NULL if not known */
const char *rdmaev_wc_status_describe(unsigned int status);

/** rdmaev_wc_status_advice - what to do about it; NULL if not known */
const char *rdmaev_wc_status_advice(unsigned int status);

/**
 * rdmaev_wc_status_parse - number of a completion status
 * @name: in any usual spelling, as for rdmaev_event_parse(), or its number
 * @status: set to the number
 *
 * Returns: 0, or -1 with ENOENT for a name this library does not know.
 */
int rdmaev_wc_status_parse(const char *name, unsigned int *status);

/**
 * rdmaev_wc_opcode_name - name of a kind of request, as completions are counted
 * @opcode: &enum rdmaev_wc_opcode
 *
 * Returns: a constant string ("SEND", "RECV_IMM"), or NULL for a kind this
 * library does not know.
 */
const char *rdmaev_wc_opcode_name(unsigned int opcode);

/**
 * rdmaev_qp_state_name - name of the state of a QP, in capitals ("SQD", "ERR")
 * @state: enum ibv_qp_state, or enum ib_qp_state
 *
 * Returns: a constant string, or NULL for a state this library does not know.
 */
const char *rdmaev_qp_state_name(unsigned int state);

/** rdmaev_qp_state_describe - what it means; NULL if not known */
const char *rdmaev_qp_state_describe(unsigned int state);

/**
 * rdmaev_qp_state_parse - number of the state of a QP
 * @name: in any usual spelling: SQD, sqd, IB_QPS_SQD, IBV_QPS_SQD; ERR or Error;
 *	or its number
 * @state: set to the number
 *
 * Returns: 0, or -1 with ENOENT for a name this library does not know.
 */
int rdmaev_qp_state_parse(const char *name, unsigned int *state);

/**
 * rdmaev_format - write an event as text
 * @event: event
 * @style: &enum rdmaev_style
 * @buf: buffer, may be NULL if @len is 0
 * @len: its size
 *
 * Names are made safe for a terminal, or for JSON, whatever bytes they hold.
 *
 * Returns: length of the text as snprintf(3) does; it was cut if that is
 * @len or more. -1 with EINVAL for an unknown style.
 */
int rdmaev_format(const struct rdmaev_record *event, unsigned int style,
		  char *buf, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* RDMAEV_H */
