/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * The rdmaev ABI: records and requests of /dev/infiniband/rdmaev. This header
 * is the manual; rdmaev(4) says the same in prose. Most programs use librdmaev(3)
 * instead, which has the same records.
 *
 * open() the device file with O_RDONLY; RDMAEV_IOC_FILTER selects records; lseek(fd, 0,
 * SEEK_SET) goes back to the oldest; read() returns whole records, each a &struct
 * rdmaev_record: kind says what code and body mean. poll() waits.
 *
 *  - reader: an open file of the device file
 *  - cause: seq of the record that a record follows from, 0: unknown
 *  - generation: number of one registration of a device with ib_core, or of its presence
 *    in one network namespace; not used again while the module is loaded
 *  - ACTIVE: ACTIVE or ACTIVE_DEFER, except in the values of RDMAEV_PORT_STATE
 *  - outage: the time from when a port leaves ACTIVE until it is ACTIVE again
 *  - affiliated event: an event of one QP, CQ, SRQ, WQ or connection, or a note of a ULP;
 *    other events are about a port, a device or all devices. A user may read affiliated
 *    events of objects of its own processes, an administrator those of all: see
 *    Permissions in rdmaev(4)
 *  - failed completion: one whose status is not SUCCESS. It is flushed if its status is
 *    WR_FLUSH_ERR
 *  - observer: the module rdmaev_observe
 *  - ULP: a kernel module that uses RDMA, such as nvme_rdma
 *
 * Rules for everything below:
 *
 *  - Existing fields and numbers never change once released. A later version may add
 *    fields at the end of a structure that carries its size, and of list entries
 *    (entry_size). Records stay at RDMAEV_RECORD_SIZE.
 *  - The kernel writes reserved fields and the unused bytes of a body as zero.
 *    A program must do so, too (EINVAL otherwise). A later version may use
 *    them.
 *  - A later kernel may send kinds, codes, severities and other numbers that a
 *    program does not know. The program should keep them and show them as
 *    numbers.
 *  - All layouts are the same for 32-bit and 64-bit programs. Numbers are in host byte
 *    order, also GUIDs; GIDs and IP addresses are bytes in network byte order.
 */
#ifndef _UAPI_RDMA_RDMAEV_H
#define _UAPI_RDMA_RDMAEV_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define RDMAEV_ABI_VERSION	1

/* Bytes of a record, of its head, and of its body */
#define RDMAEV_RECORD_SIZE	256
#define RDMAEV_HEAD_SIZE	128
#define RDMAEV_BODY_SIZE	128

/* Bytes of the name of a device, with the NUL at its end */
#define RDMAEV_DEVICE_NAME_SIZE	64

/* port of what is not about one port. 0 is a port: that of a switch */
#define RDMAEV_NO_PORT		0xfffffffeU

/**
 * enum rdmaev_kind - kind of a record, from 1 to 31
 * @RDMAEV_KIND_DEVICE: a device was added, removed, renamed or moved to another network
 *	namespace, or its missing parts have changed; code is an &enum rdmaev_device_code
 * @RDMAEV_KIND_PORT: an attribute of a port has changed; code is an
 *	&enum rdmaev_port_code
 * @RDMAEV_KIND_ASYNC: an asynchronous event; code is the event's number as in
 *	enum ib_event_type and enum ibv_event_type, known or not
 * @RDMAEV_KIND_WC: a failed completion; code is its enum ib_wc_status
 * @RDMAEV_KIND_COMPLETION: CQ health: notification summary, stall or recovery;
 *	code is an &enum rdmaev_completion_code
 * @RDMAEV_KIND_LOST: records were overwritten before this reader read them.
 *	Passes every filter
 * @RDMAEV_KIND_QP: a QP was modified to another state or destroyed, or was found to have
 *	failed, or an object could not be created; code is the new state, an &enum
 *	rdmaev_qp_state, or one of RDMAEV_QP_DESTROY to RDMAEV_QP_CREATE_CONTEXT
 * @RDMAEV_KIND_OBSERVER: the observer, which reports what no owner of an object
 *	reports, was loaded or unloaded, or misses calls; code is an &enum
 *	rdmaev_observer_code. About all devices
 * @RDMAEV_KIND_CM: an event of the RDMA connection manager (rdma_cm) that ends,
 *	refuses or prevents a connection, or changes an address; code is the event's
 *	number as in enum rdma_cm_event_type, known or not
 * @RDMAEV_KIND_NOTE: a ULP reports what happened, in its own words; code is an
 *	&enum rdmaev_note_code
 * @RDMAEV_KIND_PROBE: a work request of rdmaev_probe, which tests whether the device
 *	works, was late, lost or failed, or a call of its driver does not return, or
 *	all is well again; code is an &enum rdmaev_probe_code
 */
enum rdmaev_kind {
	RDMAEV_KIND_DEVICE = 1,
	RDMAEV_KIND_PORT = 2,
	RDMAEV_KIND_ASYNC = 3,
	RDMAEV_KIND_WC = 4,
	RDMAEV_KIND_COMPLETION = 5,
	RDMAEV_KIND_LOST = 6,
	RDMAEV_KIND_QP = 7,
	RDMAEV_KIND_OBSERVER = 8,
	RDMAEV_KIND_CM = 9,
	RDMAEV_KIND_NOTE = 10,
	RDMAEV_KIND_PROBE = 11,
};

/* The largest kind of this header; a later kernel may send larger ones */
#define RDMAEV_KIND_MAX		RDMAEV_KIND_PROBE

/**
 * enum rdmaev_device_code - code of an RDMAEV_KIND_DEVICE record
 * @RDMAEV_DEVICE_ADD: registered with ib_core, or present when the module
 *	was loaded
 * @RDMAEV_DEVICE_REMOVE: unregistered, about to move to another network
 *	namespace, or the module is being unloaded. The last record of this
 *	generation about the device itself, but for RDMAEV_DEVICE_REMOVED
 * @RDMAEV_DEVICE_RENAME: renamed
 * @RDMAEV_DEVICE_NETNS: follows a REMOVE in place of an ADD: the same device,
 *	now in another network namespace
 * @RDMAEV_DEVICE_INCOMPLETE: two checks in a row found a part missing. If the set of
 *	missing parts changes, there is another record, whose cause is the previous one;
 *	the cause of the first is 0
 * @RDMAEV_DEVICE_COMPLETE: no part is missing any more; cause is the last
 *	RDMAEV_DEVICE_INCOMPLETE. Not recorded if the device is removed before
 * @RDMAEV_DEVICE_REMOVED: the removal has ended, of a device that was
 *	RDMAEV_DEVICE_FLAG_REMOVING for five seconds or more, and still after
 *	RDMAEV_DEVICE_REMOVE, which is its cause. rdmaev looks once a second, so it may have
 *	ended up to a second before. Not recorded if the device is there again by then, in
 *	another network namespace: RDMAEV_DEVICE_NETNS of its next generation says so
 *
 * A part is a character device of ib_uverbs or ib_umad. rdmaev looks for them every
 * poll_ms (a module parameter, 30000), only of devices whose parent device has no other
 * RDMA device, because character devices are children of the parent. A part is missing
 * only if another device has it: otherwise its module may not be loaded.
 */
enum rdmaev_device_code {
	RDMAEV_DEVICE_ADD = 1,
	RDMAEV_DEVICE_REMOVE = 2,
	RDMAEV_DEVICE_RENAME = 3,
	RDMAEV_DEVICE_NETNS = 4,
	RDMAEV_DEVICE_INCOMPLETE = 5,
	RDMAEV_DEVICE_COMPLETE = 6,
	RDMAEV_DEVICE_REMOVED = 7,
};

/**
 * enum rdmaev_port_code - code of an RDMAEV_KIND_PORT record
 * @RDMAEV_PORT_STATE: logical state, enum ib_port_state (1 DOWN, 2 INIT,
 *	3 ARMED, 4 ACTIVE, 5 ACTIVE_DEFER), from a query. The value before
 *	and the value after always differ
 * @RDMAEV_PORT_PHYS_STATE: physical state, enum ib_port_phys_state (1 SLEEP,
 *	2 POLLING, 3 DISABLED, 4 TRAINING, 5 LINK_UP, 6 LINK_ERROR_RECOVERY,
 *	7 PHY_TEST)
 * @RDMAEV_PORT_LID: local identifier
 * @RDMAEV_PORT_SM_LID: LID of the subnet manager
 * @RDMAEV_PORT_SPEED: active speed of a lane, enum ib_port_speed (a bit)
 * @RDMAEV_PORT_WIDTH: active width, enum ib_port_width (a bit). While the port is
 *	ACTIVE, speed and width are compared with those of its last ACTIVE link. The
 *	severity is RDMAEV_SEVERITY_WARNING if the link is slower because of the change
 * @RDMAEV_PORT_GID: one entry of the GID table; all zero is an empty entry
 * @RDMAEV_PORT_PKEY: one entry of the P_Key table; 0 is an empty entry
 * @RDMAEV_PORT_OUTAGE_UNSEEN: events show that the port left ACTIVE and came back between
 *	two queries. count: number of these outages; before, after: number of outages in
 *	this generation; previous_ns: time between the two queries
 * @RDMAEV_PORT_OUTAGE: the port has not been ACTIVE for outage_ms (a module
 *	parameter, 7000). cause: the record by which it left ACTIVE, 0 if it was not
 *	ACTIVE when the device was added. before: ACTIVE, or 0 in that case; after: the
 *	current state
 * @RDMAEV_PORT_OUTAGE_END: a port with an RDMAEV_PORT_OUTAGE record, which is the cause,
 *	is ACTIVE again. before, after: its states. Missing if the device is removed
 *	before
 * @RDMAEV_PORT_QUERY_STUCK: a query of the port has not returned from the driver
 *	for stuck_ms (a module parameter, 5000). Until it returns, all data about the
 *	ports of the device are from the previous query. previous_ns: time so far
 * @RDMAEV_PORT_QUERY_RETURNED: the stuck query has returned. previous_ns: its duration;
 *	cause: the RDMAEV_PORT_QUERY_STUCK record. before and after are 0 in both
 * @RDMAEV_PORT_MTU: active MTU, the largest payload of a packet, in bytes (256 to 4096; 0:
 *	unknown). Compared while the port is ACTIVE, with that of its last ACTIVE link. The
 *	severity is RDMAEV_SEVERITY_WARNING if it is smaller: QPs with a larger path MTU fail.
 *	No event reports it
 *
 * After each event that the device reports of a port, rdmaev queries it. Each difference from
 * the previous query is a record whose cause is the event. While PORT_ACTIVE or
 * PORT_ERR contradicts the query, rdmaev repeats the query for up to five
 * seconds; then the query decides. rdmaev also queries every port every poll_ms
 * (a module parameter); differences found by that have no cause.
 */
enum rdmaev_port_code {
	RDMAEV_PORT_STATE = 1,
	RDMAEV_PORT_PHYS_STATE = 2,
	RDMAEV_PORT_LID = 3,
	RDMAEV_PORT_SM_LID = 4,
	RDMAEV_PORT_SPEED = 5,
	RDMAEV_PORT_WIDTH = 6,
	RDMAEV_PORT_GID = 7,
	RDMAEV_PORT_PKEY = 8,
	RDMAEV_PORT_OUTAGE_UNSEEN = 9,
	RDMAEV_PORT_OUTAGE = 10,
	RDMAEV_PORT_OUTAGE_END = 11,
	RDMAEV_PORT_QUERY_STUCK = 12,
	RDMAEV_PORT_QUERY_RETURNED = 13,
	RDMAEV_PORT_MTU = 14,
};

/**
 * enum rdmaev_completion_code - code of an RDMAEV_KIND_COMPLETION record
 * @RDMAEV_COMPLETION_NOTIFIED: a summary of completion notifications, requested
 *	by RDMAEV_IOC_NOTIFY; count is the number of notifications
 * @RDMAEV_COMPLETION_STALLED: the CQ was notified, and has not been polled for
 *	stall_ms (a module parameter, 10000) since. A lost notification is not
 *	detected: no verb shows it
 * @RDMAEV_COMPLETION_RECOVERED: the CQ was polled again; cause is the record of
 *	the stall. Missing if the CQ was destroyed before
 */
enum rdmaev_completion_code {
	RDMAEV_COMPLETION_NOTIFIED = 1,
	RDMAEV_COMPLETION_STALLED = 2,
	RDMAEV_COMPLETION_RECOVERED = 3,
};

/*
 * Codes of an RDMAEV_KIND_QP record besides &enum rdmaev_qp_state:
 *
 * RDMAEV_QP_DESTROY: the QP is being destroyed; a nonzero result: the driver refused
 * RDMAEV_QP_FAILED: the device had moved the QP to SQE or ERR (@before) without a request.
 *	The observer queries the driver just before a QP is destroyed. A QP that was modified
 *	to SQE or ERR on request has an RDMAEV_QP_SQE or RDMAEV_QP_ERR record instead
 * RDMAEV_QP_CREATE, _CREATE_CQ, _CREATE_SRQ: the driver refused to create a QP, CQ or SRQ;
 *	object is 0. Requests that ib_core refuses have no record, but for the next two
 * RDMAEV_QP_CREATE_OBJECT: the rdma cgroup of a process did not admit one more object: a QP,
 *	CQ, SRQ, MR, PD or any other, as ib_uverbs does not say which. The result is -EAGAIN
 *	above the limit hca_object of that cgroup or of one above it
 * RDMAEV_QP_CREATE_CONTEXT: it did not admit that the process opens the device, likewise:
 *	the limit is hca_handle
 */
#define RDMAEV_QP_DESTROY	32
#define RDMAEV_QP_FAILED	33
#define RDMAEV_QP_CREATE	34
#define RDMAEV_QP_CREATE_CQ	35
#define RDMAEV_QP_CREATE_SRQ	36
#define RDMAEV_QP_CREATE_OBJECT	37
#define RDMAEV_QP_CREATE_CONTEXT	38

/**
 * enum rdmaev_observer_code - code of an RDMAEV_KIND_OBSERVER record
 * @RDMAEV_OBSERVER_STARTED: the observer was loaded, and observes from here on
 * @RDMAEV_OBSERVER_STOPPED: the observer is being unloaded, and has observed
 *	until here
 * @RDMAEV_OBSERVER_BLIND: calls do not reach the observer: tracing was switched off,
 *	or has failed, or ib_core does not call it as expected. Its records
 *	are missing until the SEEING record
 * @RDMAEV_OBSERVER_SEEING: calls reach it again; cause is the BLIND record
 * @RDMAEV_OBSERVER_MISSED: calls were not observed; count is their number since the
 *	previous MISSED or STARTED. Reasons: too many calls at a time, or a call within
 *	another kprobe; too many QPs, CQs, connections or event handlers, or too many new
 *	ones at a time; the state of a QP was not queried, see &struct rdmaev_qp_body. For
 *	objects of processes there is a record for each user in RDMAEV_RING_USER; one user
 *	can use an eighth of the capacity for processes
 * @RDMAEV_OBSERVER_SUPPRESSED: events of objects of a user's processes have no
 *	record, because there were too many; count is their number. See RDMAEV_RING_USER
 */
enum rdmaev_observer_code {
	RDMAEV_OBSERVER_STARTED = 1,
	RDMAEV_OBSERVER_STOPPED = 2,
	RDMAEV_OBSERVER_BLIND = 3,
	RDMAEV_OBSERVER_SEEING = 4,
	RDMAEV_OBSERVER_MISSED = 5,
	RDMAEV_OBSERVER_SUPPRESSED = 6,
};

/**
 * enum rdmaev_note_code - code of an RDMAEV_KIND_NOTE record: its severity, so
 *	that each severity has a counter
 * @RDMAEV_NOTE_INFO: information
 * @RDMAEV_NOTE_WARNING: degraded, or about to fail
 * @RDMAEV_NOTE_ERROR: something failed
 */
enum rdmaev_note_code {
	RDMAEV_NOTE_INFO = 1,
	RDMAEV_NOTE_WARNING = 2,
	RDMAEV_NOTE_ERROR = 3,
};

/**
 * enum rdmaev_probe_code - code of an RDMAEV_KIND_PROBE record
 * @RDMAEV_PROBE_LATE: no completion notification within probe_late_ms (a parameter of
 *	rdmaev_probe) after the work request was posted
 * @RDMAEV_PROBE_LOST: none within probe_lost_ms. The probe creates a new QP and CQ, and
 *	continues
 * @RDMAEV_PROBE_FAILED: a work request has completed with an error; cause is the
 *	record of that completion. Or a call that the probe needs has failed
 * @RDMAEV_PROBE_STUCK: a call of the driver has not returned for
 *	probe_lost_ms
 * @RDMAEV_PROBE_OK: a work request has completed after LATE, LOST, FAILED or STUCK; cause
 *	is the first of these records
 *
 * LATE, LOST, FAILED and STUCK are each recorded at most once until the next OK, or until
 * the port leaves ACTIVE or the probe is stopped, which have no OK record.
 */
enum rdmaev_probe_code {
	RDMAEV_PROBE_LATE = 1,
	RDMAEV_PROBE_LOST = 2,
	RDMAEV_PROBE_FAILED = 3,
	RDMAEV_PROBE_STUCK = 4,
	RDMAEV_PROBE_OK = 5,
};

/*
 * Numbers of ib_core and of libibverbs in records and lists, with the
 * names known today; `rdmaev explain` and rdmaev_event_describe() explain them.
 */

/* Code of an RDMAEV_KIND_ASYNC record: enum ib_event_type, enum ibv_event_type */
enum rdmaev_async_code {
	RDMAEV_ASYNC_CQ_ERR = 0,
	RDMAEV_ASYNC_QP_FATAL = 1,
	RDMAEV_ASYNC_QP_REQ_ERR = 2,
	RDMAEV_ASYNC_QP_ACCESS_ERR = 3,
	RDMAEV_ASYNC_COMM_EST = 4,
	RDMAEV_ASYNC_SQ_DRAINED = 5,
	RDMAEV_ASYNC_PATH_MIG = 6,
	RDMAEV_ASYNC_PATH_MIG_ERR = 7,
	RDMAEV_ASYNC_DEVICE_FATAL = 8,
	RDMAEV_ASYNC_PORT_ACTIVE = 9,
	RDMAEV_ASYNC_PORT_ERR = 10,
	RDMAEV_ASYNC_LID_CHANGE = 11,
	RDMAEV_ASYNC_PKEY_CHANGE = 12,
	RDMAEV_ASYNC_SM_CHANGE = 13,
	RDMAEV_ASYNC_SRQ_ERR = 14,
	RDMAEV_ASYNC_SRQ_LIMIT_REACHED = 15,
	RDMAEV_ASYNC_QP_LAST_WQE_REACHED = 16,
	RDMAEV_ASYNC_CLIENT_REREGISTER = 17,
	RDMAEV_ASYNC_GID_CHANGE = 18,
	RDMAEV_ASYNC_WQ_FATAL = 19,
	RDMAEV_ASYNC_DEVICE_SPEED_CHANGE = 20,
};

/* Code of an RDMAEV_KIND_WC record: enum ib_wc_status, enum ibv_wc_status */
enum rdmaev_wc_status {
	RDMAEV_WC_SUCCESS = 0,
	RDMAEV_WC_LOC_LEN_ERR = 1,
	RDMAEV_WC_LOC_QP_OP_ERR = 2,
	RDMAEV_WC_LOC_EEC_OP_ERR = 3,
	RDMAEV_WC_LOC_PROT_ERR = 4,
	RDMAEV_WC_WR_FLUSH_ERR = 5,
	RDMAEV_WC_MW_BIND_ERR = 6,
	RDMAEV_WC_BAD_RESP_ERR = 7,
	RDMAEV_WC_LOC_ACCESS_ERR = 8,
	RDMAEV_WC_REM_INV_REQ_ERR = 9,
	RDMAEV_WC_REM_ACCESS_ERR = 10,
	RDMAEV_WC_REM_OP_ERR = 11,
	RDMAEV_WC_RETRY_EXC_ERR = 12,
	RDMAEV_WC_RNR_RETRY_EXC_ERR = 13,
	RDMAEV_WC_LOC_RDD_VIOL_ERR = 14,
	RDMAEV_WC_REM_INV_RD_REQ_ERR = 15,
	RDMAEV_WC_REM_ABORT_ERR = 16,
	RDMAEV_WC_INV_EECN_ERR = 17,
	RDMAEV_WC_INV_EEC_STATE_ERR = 18,
	RDMAEV_WC_FATAL_ERR = 19,
	RDMAEV_WC_RESP_TIMEOUT_ERR = 20,
	RDMAEV_WC_GENERAL_ERR = 21,
	RDMAEV_WC_TM_ERR = 22,
	RDMAEV_WC_TM_RNDV_INCOMPLETE = 23,
};

/* Code of an RDMAEV_KIND_CM record: enum rdma_cm_event_type */
enum rdmaev_cm_code {
	RDMAEV_CM_ADDR_RESOLVED = 0,
	RDMAEV_CM_ADDR_ERROR = 1,
	RDMAEV_CM_ROUTE_RESOLVED = 2,
	RDMAEV_CM_ROUTE_ERROR = 3,
	RDMAEV_CM_CONNECT_REQUEST = 4,
	RDMAEV_CM_CONNECT_RESPONSE = 5,
	RDMAEV_CM_CONNECT_ERROR = 6,
	RDMAEV_CM_UNREACHABLE = 7,
	RDMAEV_CM_REJECTED = 8,
	RDMAEV_CM_ESTABLISHED = 9,
	RDMAEV_CM_DISCONNECTED = 10,
	RDMAEV_CM_DEVICE_REMOVAL = 11,
	RDMAEV_CM_MULTICAST_JOIN = 12,
	RDMAEV_CM_MULTICAST_ERROR = 13,
	RDMAEV_CM_ADDR_CHANGE = 14,
	RDMAEV_CM_TIMEWAIT_EXIT = 15,
	RDMAEV_CM_ADDRINFO_RESOLVED = 16,
	RDMAEV_CM_ADDRINFO_ERROR = 17,
	RDMAEV_CM_USER = 18,
	RDMAEV_CM_INTERNAL = 19,
};

/* Value of RDMAEV_PORT_STATE: enum ib_port_state, enum ibv_port_state */
enum rdmaev_port_state {
	RDMAEV_STATE_NOP = 0,
	RDMAEV_STATE_DOWN = 1,
	RDMAEV_STATE_INIT = 2,
	RDMAEV_STATE_ARMED = 3,
	RDMAEV_STATE_ACTIVE = 4,
	RDMAEV_STATE_ACTIVE_DEFER = 5,
};

/* Value of RDMAEV_PORT_PHYS_STATE: enum ib_port_phys_state */
enum rdmaev_phys_state {
	RDMAEV_PHYS_SLEEP = 1,
	RDMAEV_PHYS_POLLING = 2,
	RDMAEV_PHYS_DISABLED = 3,
	RDMAEV_PHYS_TRAINING = 4,
	RDMAEV_PHYS_LINK_UP = 5,
	RDMAEV_PHYS_LINK_ERROR_RECOVERY = 6,
	RDMAEV_PHYS_PHY_TEST = 7,
};

/*
 * State of a QP, and code of an RDMAEV_KIND_QP record: enum ib_qp_state, enum
 * ibv_qp_state
 */
enum rdmaev_qp_state {
	RDMAEV_QP_RESET = 0,
	RDMAEV_QP_INIT = 1,
	RDMAEV_QP_RTR = 2,
	RDMAEV_QP_RTS = 3,
	RDMAEV_QP_SQD = 4,
	RDMAEV_QP_SQE = 5,
	RDMAEV_QP_ERR = 6,
};

/* Type of a QP: enum ib_qp_type, enum ibv_qp_type */
enum rdmaev_qp_type {
	RDMAEV_QPT_SMI = 0,
	RDMAEV_QPT_GSI = 1,
	RDMAEV_QPT_RC = 2,
	RDMAEV_QPT_UC = 3,
	RDMAEV_QPT_UD = 4,
	RDMAEV_QPT_RAW_PACKET = 8,
	RDMAEV_QPT_XRC_INI = 9,
	RDMAEV_QPT_XRC_TGT = 10,
	RDMAEV_QPT_DRIVER = 255,
};

/**
 * enum rdmaev_object_type - type of the object that a record is about
 * @RDMAEV_OBJECT_NONE: none, or unknown
 * @RDMAEV_OBJECT_DEVICE: the device
 * @RDMAEV_OBJECT_PORT: the port named in the record
 * @RDMAEV_OBJECT_QP: a queue pair
 * @RDMAEV_OBJECT_CQ: a completion queue
 * @RDMAEV_OBJECT_SRQ: a shared receive queue
 * @RDMAEV_OBJECT_WQ: a work queue
 */
enum rdmaev_object_type {
	RDMAEV_OBJECT_NONE = 0,
	RDMAEV_OBJECT_DEVICE = 1,
	RDMAEV_OBJECT_PORT = 2,
	RDMAEV_OBJECT_QP = 3,
	RDMAEV_OBJECT_CQ = 4,
	RDMAEV_OBJECT_SRQ = 5,
	RDMAEV_OBJECT_WQ = 6,
};

/**
 * enum rdmaev_severity - severity of a record
 * @RDMAEV_SEVERITY_INFO: information
 * @RDMAEV_SEVERITY_WARNING: degraded, about to fail, or a request that was refused; also the
 *	end of an outage or of a stuck query
 * @RDMAEV_SEVERITY_ERROR: something failed
 *
 * `rdmaev explain` has the severity of each code in the usual case.
 */
enum rdmaev_severity {
	RDMAEV_SEVERITY_INFO = 1,
	RDMAEV_SEVERITY_WARNING = 2,
	RDMAEV_SEVERITY_ERROR = 3,
};

/**
 * enum rdmaev_source - source of a record
 * @RDMAEV_SOURCE_RDMAEV: rdmaev itself: records of devices, ports, probes and losses
 * @RDMAEV_SOURCE_HANDLER: the struct ib_event_handler that rdmaev registers on the device
 * @RDMAEV_SOURCE_ULP: a ULP reported it
 * @RDMAEV_SOURCE_OBSERVER: observed on its way to the owner of the object, a process
 *	or a ULP; and records about the observer
 */
enum rdmaev_source {
	RDMAEV_SOURCE_RDMAEV = 0,
	RDMAEV_SOURCE_HANDLER = 1,
	RDMAEV_SOURCE_ULP = 2,
	RDMAEV_SOURCE_OBSERVER = 3,
};

/**
 * enum rdmaev_ring - the ring that keeps a record
 * @RDMAEV_RING_PORT: devices, ports and the observer; rare
 * @RDMAEV_RING_ERROR: asynchronous errors of QPs, CQs, SRQs and WQs of the kernel; failed
 *	completions, unless they are flushed and no failure preceded; CQ stalls and
 *	recoveries; notes of errors; PROBE_LOST, PROBE_FAILED and PROBE_STUCK
 * @RDMAEV_RING_INFO: everything else that can be frequent: affiliated information,
 *	flushed completions without a failure before, summaries of completion
 *	notifications, modified and destroyed QPs, events of connections, other notes,
 *	other records of probes, GID table changes, calls that the observer missed,
 *	events of unknown number
 * @RDMAEV_RING_USER: QPs, CQs, SRQs, WQs and connections of processes, whatever
 *	happened to them: a process can cause as many of these events as it
 *	likes, and overwrites no record of another ring
 * @RDMAEV_RINGS: number of rings
 * @RDMAEV_RING_ANY: in an RDMAEV_KIND_LOST record: more than one ring, see
 *	&struct rdmaev_lost_body
 *
 * Bursts: many equal events can share one record, whose count is their number. burst_ms is
 * a module parameter (1000); 0: no event shares a record.
 *
 * - Information (RDMAEV_KIND_ASYNC) about a QP, CQ, SRQ or WQ of the kernel with a known
 *   number, and GID_CHANGE of a port: the first event has a record at once. Equal events
 *   within burst_ms share one record at the end of that time, whose cause is the first.
 * - Rings ERROR and INFO, in addition: a remote host can cause records about objects of a
 *   ULP. So each ULP (by name) has a limit on each device: a quarter of each ring at once,
 *   and then four records a second. Above it, events of equal kind, code, severity and
 *   result within 16 times burst_ms share one record at the end of that time. The record
 *   has an object, a cause and a reason of RDMAEV_CM_REJECTED only if they are equal for
 *   all events; without an object, wr_id is 0. Its cause is never a record of the same
 *   event, and it is never a cause.
 * - Ring USER: of events of equal kind, code, result and process, the first 16 within
 *   burst_ms have a record each; fewer, if the user has used half of its limit. The others
 *   share one record, whose cause is the first of the 16, and which has an object only if
 *   it is equal for all. The limit of a user is 256 records at once, and then 16 a second;
 *   shared records do not count. Events above it have no record: RDMAEV_OBSERVER_SUPPRESSED
 *   counts them once a second. Root in the initial user namespace has no limit.
 */
enum rdmaev_ring {
	RDMAEV_RING_PORT = 0,
	RDMAEV_RING_ERROR = 1,
	RDMAEV_RING_INFO = 2,
	RDMAEV_RING_USER = 3,
	RDMAEV_RINGS = 4,
	RDMAEV_RING_ANY = 255,
};

/*
 * Parts of a device
 * UVERBS: the character device of ib_uverbs, by which programs use the device
 * UMAD: the character devices of ib_umad, by which subnet managers and diagnostics use
 *	its InfiniBand ports
 */
#define RDMAEV_PART_UVERBS	(1U << 0)
#define RDMAEV_PART_UMAD	(1U << 1)

/**
 * enum rdmaev_netdev_change - how the network device of an RDMA device has left
 * @RDMAEV_NETDEV_NONE: it has not, or that is not known to be the reason
 * @RDMAEV_NETDEV_DELETED: deleted
 * @RDMAEV_NETDEV_MOVED: moved to another network namespace
 */
enum rdmaev_netdev_change {
	RDMAEV_NETDEV_NONE = 0,
	RDMAEV_NETDEV_DELETED = 1,
	RDMAEV_NETDEV_MOVED = 2,
};

/**
 * struct rdmaev_device_body - body of an RDMAEV_KIND_DEVICE record
 * @node_guid: node GUID as a number (host byte order)
 * @old_name: RENAME: the old name. ADD, NETNS: the name of the device that this one
 *	was before it was removed, see previous of &struct rdmaev_device, if that is
 *	another one. Else empty. The new name is device_name of the record
 * @missing: INCOMPLETE: RDMAEV_PART_* that the device lacks now; 0 for other
 *	codes
 * @remover_pid: REMOVE, REMOVED: process whose thread removes the device, in the pid namespace of
 *	the reader, like pid of the record; 0 for a kernel thread, and for other codes
 * @removing_since_ns: REMOVE, REMOVED: CLOCK_BOOTTIME when the removal was seen to begin, see
 *	RDMAEV_DEVICE_FLAG_REMOVING; 0 for other codes. boottime_ns of the record -
 *	@removing_since_ns is what it has taken: REMOVE: until it reached rdmaev; REMOVED: in all
 * @remover_comm: with @remover_pid: name of the thread, NUL-terminated, may contain any
 *	other byte; else empty
 * @netdev: REMOVE, REMOVED: name of the network device with which the device leaves,
 *	NUL-terminated, may contain any other byte; else empty
 * @netdev_change: with @netdev: &enum rdmaev_netdev_change: why. Only of drivers that have
 *	ib_core remove the device for that reason: soft RoCE and siw
 * @reserved: zero
 */
struct rdmaev_device_body {
	__aligned_u64 node_guid;
	char old_name[RDMAEV_DEVICE_NAME_SIZE];
	__u32 missing;
	__u32 remover_pid;
	__aligned_u64 removing_since_ns;
	char remover_comm[16];
	char netdev[16];
	__u8 netdev_change;
	__u8 reserved[7];
};

/**
 * union rdmaev_port_value - one attribute of a port
 * @number: for all codes except RDMAEV_PORT_GID
 * @gid: for RDMAEV_PORT_GID, in network byte order
 * @bytes: the whole value; unused bytes are zero
 */
union rdmaev_port_value {
	__aligned_u64 number;
	__u8 gid[16];
	__u8 bytes[16];
};

/**
 * enum rdmaev_gid_type - type of an entry of a GID table
 * @RDMAEV_GID_NONE: empty entry, or unknown type
 * @RDMAEV_GID_IB: InfiniBand
 * @RDMAEV_GID_ROCE_V1: RoCE version 1, over Ethernet
 * @RDMAEV_GID_ROCE_V2: RoCE version 2, over UDP
 * @RDMAEV_GID_IWARP: iWARP
 *
 * The numbers of enum ib_gid_type differ between kernels.
 */
enum rdmaev_gid_type {
	RDMAEV_GID_NONE = 0,
	RDMAEV_GID_IB = 1,
	RDMAEV_GID_ROCE_V1 = 2,
	RDMAEV_GID_ROCE_V2 = 3,
	RDMAEV_GID_IWARP = 4,
};

/*
 * Flags of an outage: how well its times are known
 * BEGIN_FOUND: no event reports its beginning, a query found the port not
 *	ACTIVE: it began earlier, after the query before
 * AT_ADD: the port was not ACTIVE when the device was added, and was before
 *	that, in an earlier generation (previous of &struct rdmaev_device): when
 *	it began is unknown, and it is not counted in outages. A port that never
 *	was ACTIVE has no outage, see RDMAEV_PORT_FLAG_NEVER_ACTIVE
 * END_FOUND: no event reports its end, or the event came before the port was
 *	ACTIVE: a query found it ACTIVE. It ended earlier, after the query before
 * ADMIN: the network device of the port was down (IFF_UP is not set) at a query
 *	during the outage: a person or a program set it down. Never set for
 *	InfiniBand, whose ports do not say why they are down
 */
#define RDMAEV_OUTAGE_BEGIN_FOUND	(1U << 0)
#define RDMAEV_OUTAGE_AT_ADD		(1U << 1)
#define RDMAEV_OUTAGE_END_FOUND		(1U << 2)
#define RDMAEV_OUTAGE_ADMIN		(1U << 3)

/**
 * struct rdmaev_port_body - body of an RDMAEV_KIND_PORT record
 * @previous_ns: in nanoseconds. STATE, PHYS_STATE, LID, SM_LID, SPEED, WIDTH: how long
 *	@before was valid: since the previous record of this code, since the device was
 *	added or, for STATE, since an OUTAGE_UNSEEN. OUTAGE_UNSEEN: time between the two
 *	queries. QUERY_STUCK, QUERY_RETURNED: duration of the query. Others: 0
 * @outages: number of times that the port left ACTIVE in this generation, including
 *	this one; an outage with RDMAEV_OUTAGE_AT_ADD is not counted
 * @index: index in the GID or P_Key table, 0 for other codes
 * @before: the value before
 * @after: the value after
 * @gid_type_before: &enum rdmaev_gid_type of the GID before; this and the next
 *	three fields are for RDMAEV_PORT_GID, else 0
 * @gid_type_after: type of the GID after
 * @netdev_before: index of the network device of the GID before, in the network
 *	namespace of that network device; 0: none
 * @netdev_after: index of the network device of the GID after
 * @down_since_ns: CLOCK_BOOTTIME when the outage began: boottime_ns of the
 *	event that reported it, or the time of the query that found it. This and
 *	the next three fields are for the three codes of outages, and for a
 *	state that leaves ACTIVE or is ACTIVE again, else 0.
 *	RDMAEV_PORT_OUTAGE_UNSEEN: that of the last one
 * @down_ns: duration of the outage in nanoseconds, time in suspend included.
 *	RDMAEV_PORT_OUTAGE: until this record; RDMAEV_PORT_OUTAGE_UNSEEN: sum of
 *	all of them; a state that leaves ACTIVE: 0
 * @down_admin_ns: part of @down_ns in which queries found the network device of
 *	the port down. 0 for RDMAEV_PORT_OUTAGE_UNSEEN: no query was made
 * @outage_flags: RDMAEV_OUTAGE_*
 * @reserved: zero
 */
struct rdmaev_port_body {
	__aligned_u64 previous_ns;
	__u32 outages;
	__u32 index;
	union rdmaev_port_value before;
	union rdmaev_port_value after;
	__u32 gid_type_before;
	__u32 gid_type_after;
	__u32 netdev_before;
	__u32 netdev_after;
	__aligned_u64 down_since_ns;
	__aligned_u64 down_ns;
	__aligned_u64 down_admin_ns;
	__u32 outage_flags;
	__u8 reserved[36];
};

/* Bytes of the name of an owner, a ULP or a thread, with the NUL at its end */
#define RDMAEV_OWNER_SIZE	20

/* Bytes of a GID */
#define RDMAEV_GID_SIZE		16

/* Bits of known in a body: which fields are set. 0 is a valid number */
#define RDMAEV_KNOWN_SEND_CQ	(1U << 0)
#define RDMAEV_KNOWN_RECV_CQ	(1U << 1)
#define RDMAEV_KNOWN_SRQ	(1U << 2)
#define RDMAEV_KNOWN_OBJECT	(1U << 3)	/* object in the record */
#define RDMAEV_KNOWN_CQ		(1U << 4)
#define RDMAEV_KNOWN_WR_ID	(1U << 5)	/* wr_id as it was posted */
#define RDMAEV_KNOWN_UID	(1U << 6)	/* uid: the owner is a process */
#define RDMAEV_KNOWN_QP_TYPE	(1U << 7)	/* qp_type */
#define RDMAEV_KNOWN_QP_STATE	(1U << 8)	/* qp_state */
#define RDMAEV_KNOWN_PEER_QPN	(1U << 9)	/* peer.qpn, peer_qpn */
#define RDMAEV_KNOWN_PEER_LID	(1U << 10)	/* peer.lid */
#define RDMAEV_KNOWN_PEER_GID	(1U << 11)	/* peer.gid */
#define RDMAEV_KNOWN_CGROUP	(1U << 12)	/* cgroup */
#define RDMAEV_KNOWN_LOCAL_ADDR	(1U << 13)	/* local_addr, local_port */
#define RDMAEV_KNOWN_PEER_ADDR	(1U << 14)	/* peer_addr, peer_port */
#define RDMAEV_KNOWN_SETID	(1U << 15)	/* the owner has other rights than its user */
#define RDMAEV_KNOWN_GID_INDEX	(1U << 16)	/* gid_index */
#define RDMAEV_KNOWN_PATH_MTU	(1U << 17)	/* path_mtu */
#define RDMAEV_KNOWN_PID_NS	(1U << 18)	/* pid_ns */
#define RDMAEV_KNOWN_CLAIMED	(1U << 19)	/* a program has named the object, see
						 * &struct rdmaev_cm_body
						 */
#define RDMAEV_KNOWN_CALLER	(1U << 20)	/* origin.caller */
#define RDMAEV_KNOWN_GID	(1U << 21)	/* origin.gid */

/**
 * struct rdmaev_object_info - object that a record is about, and its owner: first in the
 *	body of every kind that can be about an object
 * @known: RDMAEV_KNOWN_*: fields of the body that are set
 * @uid: with RDMAEV_KNOWN_UID: user of the process that owns the object, in the
 *	user namespace of the reader; 65534 (the overflow user) if not mapped
 *	there
 * @cgroup: with RDMAEV_KNOWN_CGROUP: id of the cgroup (version 2) of that
 *	process, which is the inode number of its directory in /sys/fs/cgroup
 * @pid_ns: with RDMAEV_KNOWN_PID_NS: a number for the pid namespace of that
 *	process, the same for all records of one namespace while the module is
 *	loaded; 0: the initial pid namespace
 * @owner: with RDMAEV_KNOWN_UID: name of the thread that created the object; else name
 *	of the ULP that owns it; empty: unknown. NUL-terminated, may contain any other
 *	byte
 * @qp_type: with RDMAEV_KNOWN_QP_TYPE: &enum rdmaev_qp_type of a QP
 * @qp_state: with RDMAEV_KNOWN_QP_STATE: &enum rdmaev_qp_state of a QP
 * @reserved: zero
 */
struct rdmaev_object_info {
	__u32 known;
	__u32 uid;
	__aligned_u64 cgroup;
	__u32 pid_ns;
	char owner[RDMAEV_OWNER_SIZE];
	__u8 qp_type;
	__u8 qp_state;
	__u8 reserved[6];
};

/**
 * struct rdmaev_peer - other end of a connected QP
 * @qpn: with RDMAEV_KNOWN_PEER_QPN: number of its QP
 * @lid: with RDMAEV_KNOWN_PEER_LID: its LID, where the connection is routed by LID
 * @gid: with RDMAEV_KNOWN_PEER_GID: its GID in network byte order, where the connection
 *	is routed by GID
 */
struct rdmaev_peer {
	__u32 qpn;
	__u32 lid;
	__u8 gid[RDMAEV_GID_SIZE];
};

/**
 * struct rdmaev_queues - CQs and SRQ that an object uses
 * @send_cq: with RDMAEV_KNOWN_SEND_CQ: CQ of the send queue of a QP
 * @recv_cq: with RDMAEV_KNOWN_RECV_CQ: CQ of the receive queue of a QP; CQ of a WQ, or of
 *	an XRC or tag-matching SRQ
 * @srq: with RDMAEV_KNOWN_SRQ: SRQ of a QP
 *
 * Numbers of objects are those of `rdma resource show`; of a WQ, its wq_num.
 */
struct rdmaev_queues {
	__u32 send_cq;
	__u32 recv_cq;
	__u32 srq;
};

/**
 * struct rdmaev_async_body - body of an RDMAEV_KIND_ASYNC record
 * @info: the object; all zero with RDMAEV_SOURCE_HANDLER
 * @peer: other end of the QP
 * @queues: CQs and SRQ of the object
 * @reserved: zero
 */
struct rdmaev_async_body {
	struct rdmaev_object_info info;
	struct rdmaev_peer peer;
	struct rdmaev_queues queues;
	__u8 reserved[44];
};

/**
 * enum rdmaev_wc_opcode - operations, as completions are recorded and counted
 * @RDMAEV_OPCODE_OTHER: any other, or unknown
 * @RDMAEV_OPCODE_SEND: SEND, with immediate data or invalidate or without, and LSO
 * @RDMAEV_OPCODE_WRITE: RDMA WRITE
 * @RDMAEV_OPCODE_READ: RDMA READ
 * @RDMAEV_OPCODE_ATOMIC: compare and swap, fetch and add, masked or not
 * @RDMAEV_OPCODE_MEMORY: memory region registered or invalidated, memory window
 *	bound
 * @RDMAEV_OPCODE_RECV: SEND received
 * @RDMAEV_OPCODE_RECV_IMM: immediate data of an RDMA WRITE received
 *
 * The numbers of enum ib_wc_opcode differ between kernels.
 */
enum rdmaev_wc_opcode {
	RDMAEV_OPCODE_OTHER = 0,
	RDMAEV_OPCODE_SEND = 1,
	RDMAEV_OPCODE_WRITE = 2,
	RDMAEV_OPCODE_READ = 3,
	RDMAEV_OPCODE_ATOMIC = 4,
	RDMAEV_OPCODE_MEMORY = 5,
	RDMAEV_OPCODE_RECV = 6,
	RDMAEV_OPCODE_RECV_IMM = 7,
};

/**
 * struct rdmaev_wc_body - body of an RDMAEV_KIND_WC record, about a QP, or
 *	about the CQ if the QP is unknown
 * @info: the QP or CQ
 * @peer: other end of the QP
 * @queues: CQs and SRQ of the QP
 * @cq: with RDMAEV_KNOWN_CQ: CQ that the completion was polled from
 * @wr_id: with RDMAEV_KNOWN_WR_ID: wr_id of the work request; else a hash of it, the
 *	same for the same wr_id while the module is loaded. Most ULPs post
 *	addresses, and no address leaves the kernel
 * @vendor_err: vendor error of the completion, for drivers that are known to
 *	set it (bnxt_re, cxgb4, hns, irdma, mlx4, mlx5, mthca, vmw_pvrdma); else
 *	0
 * @opcode: &enum rdmaev_wc_opcode. Verbs leave it undefined for failed
 *	completions, so it is set for drivers that are known to set it (bnxt_re,
 *	cxgb4, hfi1, irdma, qib, siw, vmw_pvrdma). Else RDMAEV_OPCODE_RECV if the QP
 *	uses this CQ for receives alone, or RDMAEV_OPCODE_OTHER
 * @folded: failed completions of the QP without a record of their own, besides those
 *	in count
 * @reserved: zero
 *
 * A QP failure has two records. The first one has the first status that is neither
 * WR_FLUSH_ERR nor REM_ABORT_ERR. It is appended when that completion is polled, with count 1. The
 * second one stands for all that follow: code WR_FLUSH_ERR, flushed completions
 * in count, others in @folded, and wr_id, opcode and vendor_err of the first of
 * them. If none was flushed, code and count are those of the others. The cause
 * of the second record is the first one, or an asynchronous event of the QP
 * that reports an error. If no failure preceded, the cause is the RDMAEV_QP_ERR record of the
 * request that modified the QP to ERR, or the RDMAEV_KIND_CM record that ended its connection,
 * or 0 if neither has a record; the severity is RDMAEV_SEVERITY_INFO. With cause 0, the owner
 * modified the QP to ERR, or the device did and does not report why.
 *
 * If a failure preceded but has no record, because the ULP was above its limit (see Bursts at
 * &enum rdmaev_ring), cause is 0 and the severity RDMAEV_SEVERITY_ERROR. Above that limit, first
 * and second records stand for completions of several QPs, and the second has a cause only if
 * the QP has had an event with a record.
 *
 * The second record is appended when the owner calls rdmaev_qp_flushed() or
 * destroys the CQ, or one second after the last failed completion, but no later than
 * after eleven seconds. Completions after that have a further record.
 *
 * The cause of RETRY_EXC_ERR is PORT_ERR of the port of the QP, if it happened
 * within port_err_ms (a module parameter, 30000).
 *
 * rdmaev remembers 16384 failed QPs of the kernel, each for a minute. If more fail, the
 * oldest are evicted:
 * their records have no causes, and a QP may have several WR_FLUSH_ERR records.
 *
 * REM_ABORT_ERR is recorded, but is no cause: the QP goes on. Completions of
 * ib_drain_qp() are neither counted nor recorded.
 */
struct rdmaev_wc_body {
	struct rdmaev_object_info info;
	struct rdmaev_peer peer;
	struct rdmaev_queues queues;
	__u32 cq;
	__aligned_u64 wr_id;
	__u32 vendor_err;
	__u32 opcode;
	__u32 folded;
	__u8 reserved[20];
};

/**
 * struct rdmaev_completion_body - body of an RDMAEV_KIND_COMPLETION record,
 *	about a CQ
 * @info: the CQ and its ULP
 * @time_ns: nanoseconds. NOTIFIED: since the first notification of this record;
 *	STALLED and RECOVERED: since the first notification without a poll after
 *	it
 * @notifications: NOTIFIED: number of notifications, as count; STALLED and
 *	RECOVERED: those since the last poll
 * @completions: successful completions polled. This and the next two fields:
 *	NOTIFIED: since the previous record, or since the request; STALLED:
 *	total; RECOVERED: 0
 * @failures: failed completions polled
 * @empty_polls: first polls after a notification that found no completion
 * @reserved: zero
 */
struct rdmaev_completion_body {
	struct rdmaev_object_info info;
	__aligned_u64 time_ns;
	__aligned_u64 notifications;
	__aligned_u64 completions;
	__aligned_u64 failures;
	__aligned_u64 empty_polls;
	__u8 reserved[40];
};

/**
 * union rdmaev_origin - where a request comes from
 * @caller: with RDMAEV_KNOWN_CALLER: first kernel function outside of ib_core and rdma_cm
 *	that made the request, cut to 23 bytes. NUL-terminated. For people to read:
 *	functions differ between kernels
 * @gid: with RDMAEV_KNOWN_GID: the port's own GID at gid_index, in network byte order.
 *	Unknown if there was none, and on kernels with PREEMPT_RT
 * @bytes: the whole; unused bytes are zero
 *
 * A program makes requests by system calls, so they have no caller.
 */
union rdmaev_origin {
	char caller[24];
	__u8 gid[RDMAEV_GID_SIZE];
	__u8 bytes[24];
};

/**
 * struct rdmaev_qp_body - body of an RDMAEV_KIND_QP record
 * @info: the QP. qp_state is the state before the request; of RDMAEV_QP_FAILED: in which
 *	the QP was found
 * @peer: other end of the QP. Of a failed request: as the request has it
 * @origin: function that made the request; or, of a failed request, the port's own GID in it
 * @caller_comm: name of the thread that made the request; empty: unknown.
 *	NUL-terminated, may contain any other byte
 * @caller_pid: process whose thread made the request, in the pid namespace of
 *	the reader, like pid of the record. 0 for a kernel thread, if unknown,
 *	and for a process outside of that namespace
 * @result: 0, or the negative errno that the request returned
 * @path_mtu: with RDMAEV_KNOWN_PATH_MTU: of a failed request: the path MTU in it, in bytes,
 *	256 to 4096; 0: not a path MTU
 * @gid_index: with RDMAEV_KNOWN_GID_INDEX: of a failed request: index of the port's own GID
 *	in it
 * @signal: RDMAEV_QP_DESTROY: number of the signal that ended the process;
 *	0: none
 * @flags: RDMAEV_QP_FLAG_*
 * @reserved: zero
 *
 * These have records, others are only counted:
 *
 *  - requests that failed
 *  - requests that modify a QP to SQD, SQE or ERR, unless it is known to be in that state
 *  - RESET of a QP in RTR, RTS, SQD or SQE, whose work requests then never complete
 *  - destructions by a process that exits
 *  - destructions and creations that the driver refused, and creations that the rdma cgroup
 *    refused; of creations, object is 0, and owner the thread that made the request
 *
 * A device moves a QP to SQE or ERR without a request. So the observer queries the state of
 * RC, UC, UD and XRC QPs of processes before they are destroyed, if their last known state is
 * RTR, RTS or SQD: see RDMAEV_QP_FAILED. At most query_qps QPs of a device are queried in a second
 * (a parameter of rdmaev_observe, 100; 0: none is queried, and none is counted as missed),
 * and half as many of one user on all devices; RDMAEV_OBSERVER_MISSED has the number of the
 * others. A QP that failed and was then modified to ERR has an RDMAEV_QP_ERR record only.
 *
 * The severity is RDMAEV_SEVERITY_ERROR for RDMAEV_QP_FAILED, unless cause is an earlier
 * record about the QP; RDMAEV_SEVERITY_WARNING for a failed request and for a
 * destruction by a signal; else RDMAEV_SEVERITY_INFO. The ring is
 * RDMAEV_RING_USER for an object of a process, else RDMAEV_RING_INFO. object is the
 * number of the QP, if there is one.
 */
struct rdmaev_qp_body {
	struct rdmaev_object_info info;
	struct rdmaev_peer peer;
	union rdmaev_origin origin;
	char caller_comm[16];
	__u32 caller_pid;
	__s32 result;
	__u16 path_mtu;
	__u8 gid_index;
	__u8 signal;
	__u8 flags;
	__u8 reserved[3];
};

/* struct rdmaev_qp_body.flags: with signal: the kernel sent it as memory ran out, of the host or
 * of a cgroup
 */
#define RDMAEV_QP_FLAG_OUT_OF_MEMORY	(1U << 0)

/**
 * struct rdmaev_observer_body - body of an RDMAEV_KIND_OBSERVER record
 * @info: with RDMAEV_KNOWN_UID: SUPPRESSED, and MISSED in RDMAEV_RING_USER: uid is the real
 *	user of the processes. For processes in a user
 *	namespace: the owner of the outermost one or, if that is root, the user to whom
 *	its root is mapped. Other records are about several or unknown users
 * @time_ns: nanoseconds. STOPPED: since STARTED; BLIND and SEEING: since a call
 *	last reached the observer before BLIND, so records may be missing in all
 *	of that time; MISSED: since the previous MISSED or STARTED; SUPPRESSED
 *	and MISSED of a user: since the first of the events or calls; else 0
 * @facts: RDMAEV_OBSERVED_*: what the record is about. A kernel that lacks a function
 *	cannot observe all of them
 * @reserved: zero
 *
 * Ftrace and kprobes are checked every two seconds, each with a call of a
 * function of the observer that it traces in the same way. Tracing that is
 * switched off and on again between two checks is not detected. Tracepoints and
 * operations cannot be switched off. The observer checks what they observe, and events of
 * ULPs, with objects of its own, on each device when it is first seen, when
 * another module has replaced an operation, and every eight seconds while it is blind.
 * Neither check covers events of objects of processes, or connections.
 *
 * The severity is RDMAEV_SEVERITY_ERROR for BLIND and RDMAEV_SEVERITY_WARNING
 * for SUPPRESSED and for MISSED, unless that is about RDMAEV_OBSERVED_QP_ENDS: QPs whose
 * state was not queried, most of which have not failed; else RDMAEV_SEVERITY_INFO. The ring is
 * RDMAEV_RING_USER for SUPPRESSED and for MISSED of a user, RDMAEV_RING_INFO for
 * other MISSED, else RDMAEV_RING_PORT.
 *
 * The records have generation 0 and no object, and pass every target of a
 * filter. Every reader may see them, but those in RDMAEV_RING_USER are for the
 * administrator of the host, and for that user in the initial pid namespace.
 */
struct rdmaev_observer_body {
	struct rdmaev_object_info info;
	__aligned_u64 time_ns;
	__u32 facts;
	__u8 reserved[68];
};

/* Bits of facts in &struct rdmaev_observer_body */
#define RDMAEV_OBSERVED_USER_EVENTS	(1U << 0) /* events of objects of
						   * processes
						   */
#define RDMAEV_OBSERVED_KERNEL_EVENTS	(1U << 1) /* events of QPs, CQs and
						   * SRQs of ULPs
						   */
#define RDMAEV_OBSERVED_QP_STATES	(1U << 2) /* requests to modify QPs,
						   * and to create QPs, CQs,
						   * SRQs
						   */
#define RDMAEV_OBSERVED_QP_ENDS		(1U << 3) /* destructions of QPs */
#define RDMAEV_OBSERVED_USER_CQS	(1U << 4) /* CQs of processes */
#define RDMAEV_OBSERVED_KERNEL_CQS	(1U << 5) /* CQs that ib_core
						   * polls for ULPs
						   */
#define RDMAEV_OBSERVED_CONNECTIONS	(1U << 6) /* events of rdma_cm */
#define RDMAEV_OBSERVED_CONNECTION_OWNERS (1U << 7) /* processes that use
						     * rdma_cm, and their QPs
						     */
#define RDMAEV_OBSERVED_POLLED_CQS	(1U << 8) /* CQs that ULPs poll */

/* struct rdmaev_cm_body.family: AF_* of Linux */
#define RDMAEV_FAMILY_INET	2
#define RDMAEV_FAMILY_INET6	10
#define RDMAEV_FAMILY_IB	27

/* struct rdmaev_cm_body.port_space: enum rdma_ucm_port_space */
#define RDMAEV_PORT_SPACE_IPOIB	0x0002
#define RDMAEV_PORT_SPACE_IB	0x013f
#define RDMAEV_PORT_SPACE_TCP	0x0106
#define RDMAEV_PORT_SPACE_UDP	0x0111

/**
 * struct rdmaev_cm_body - body of an RDMAEV_KIND_CM record, about the QP of an
 *	rdma_cm_id
 * @info: the QP and the owner of the rdma_cm_id; qp_type is that of the QPs of the
 *	rdma_cm_id. With RDMAEV_KNOWN_UID the owner's name is that of the thread that
 *	bound, resolved, connected or accepted last
 * @status: status of the event: 0, or a negative errno. REJECTED: the reason in
 *	the peer's CM REJ message, enum ib_cm_rej_reason (8 invalid service ID:
 *	nobody listens; 28 consumer defined: the peer's program or ULP); with
 *	iWARP a negative errno. UNREACHABLE of a UD QP: also what the peer
 *	answered, a positive enum ib_cm_sidr_status
 * @peer_qpn: with RDMAEV_KNOWN_PEER_QPN: number of the peer's QP
 * @family: RDMAEV_FAMILY_* of both addresses; another number for a later one
 * @port_space: RDMAEV_PORT_SPACE_* of the rdma_cm_id
 * @local_port: with RDMAEV_KNOWN_LOCAL_ADDR: port of this end, a number in the
 *	port space
 * @peer_port: with RDMAEV_KNOWN_PEER_ADDR: port of the peer
 * @local_addr: with RDMAEV_KNOWN_LOCAL_ADDR: address of this end, in network
 *	byte order. An IPv4 address is written as an IPv4-mapped IPv6 address
 *	(::ffff:192.0.2.1); of RDMAEV_FAMILY_IB it is a GID
 * @peer_addr: with RDMAEV_KNOWN_PEER_ADDR: address of the peer
 * @connecting_ns: how long the rdma_cm_id had been connecting: time since the first
 *	request to resolve an address; CONNECT_RESPONSE or ESTABLISHED, whichever is
 *	first, is the last record that has it. 0: it was not connecting, or unknown
 * @reserved: zero
 *
 * Events and addresses are those of the tracepoint cm_event_handler of rdma_cm,
 * before the owner gets the event. The QP (object of the record, with
 * RDMAEV_KNOWN_OBJECT) and the owner are those of the last request to connect or
 * accept, if a program issued it; if a ULP did, they come from the observation of
 * QP states, and without that the owner is the name of the module that gets the
 * event. Until a program accepts it, an incoming connection belongs to the one that
 * listens. A program can name any QP: it is known only if QP states are observed,
 * the QP was modified, and it belongs to the same user, and has RDMAEV_KNOWN_CLAIMED:
 * nothing else confirms that it is the QP of this connection. They are unknown if the
 * request was made before the observer was loaded, or saw again after BLIND.
 *
 * Recorded are ADDR_ERROR, ROUTE_ERROR, CONNECT_ERROR, UNREACHABLE, REJECTED,
 * DISCONNECTED, DEVICE_REMOVAL, MULTICAST_ERROR, ADDR_CHANGE, ADDRINFO_ERROR and
 * events of unknown number, and CONNECT_RESPONSE or ESTABLISHED, whichever is first,
 * of the end that connects: of a ULP, and of a program if that took more than a second.
 * The others are only counted. Connections that do not use rdma_cm have no records.
 *
 * The record is the cause of the QP_ERR that follows for this QP, or of the work
 * requests that are flushed without one. If this end modified the QP to ERR first,
 * that QP_ERR is the cause of DISCONNECTED; if the QP failed first, the failure
 * is. The cause of DEVICE_REMOVAL is the record of the removal, if that was
 * appended before.
 *
 * The severity is RDMAEV_SEVERITY_INFO for DISCONNECTED, ADDR_CHANGE and events
 * of unknown number, CONNECT_RESPONSE and ESTABLISHED, RDMAEV_SEVERITY_WARNING for
 * REJECTED and DEVICE_REMOVAL, else RDMAEV_SEVERITY_ERROR. The ring is
 * RDMAEV_RING_USER for a connection of a process, else RDMAEV_RING_INFO, as peers
 * can make many of these events.
 *
 * ADDR_ERROR, and any event of an rdma_cm_id that is not bound to a device, has
 * generation 0. The administrator of the host and the owner may see it.
 */
struct rdmaev_cm_body {
	struct rdmaev_object_info info;
	__s32 status;
	__u32 peer_qpn;
	__u16 family;
	__u16 port_space;
	__u16 local_port;
	__u16 peer_port;
	__u8 local_addr[16];
	__u8 peer_addr[16];
	__aligned_u64 connecting_ns;
	__u8 reserved[24];
};

/* Bytes of the text of a note, with the NUL at its end */
#define RDMAEV_NOTE_SIZE	64

/**
 * struct rdmaev_note_body - body of an RDMAEV_KIND_NOTE record
 * @info: the ULP; with RDMAEV_KNOWN_OBJECT the note is about a QP, whose number is object
 *	of the record
 * @suppressed: notes of this ULP since its previous record of this kind that
 *	were not recorded, of any severity, device and QP
 * @text: what the ULP reports, NUL-terminated printable ASCII; longer texts are
 *	cut. The ULP chooses the words, so a program should show them and not
 *	compare them
 * @reserved: zero
 *
 * Each severity of each ULP has a limit of its own, so that information does
 * not suppress errors: RDMAEV_NOTE_BURST notes at once, and one more every
 * note_ms (a module parameter; 0: no limit). Counters include those that were
 * suppressed.
 *
 * The object is the QP if the note is about one, else the port, else the
 * device; without a device the object type is RDMAEV_OBJECT_NONE and the
 * generation 0. Administrators may see a note, whatever it is about, as they
 * see events of ULPs.
 *
 * The cause is the failure of the QP, if that is known, or the event that ended
 * its connection. The ring is RDMAEV_RING_ERROR for errors, else
 * RDMAEV_RING_INFO.
 */
struct rdmaev_note_body {
	struct rdmaev_object_info info;
	__aligned_u64 suppressed;
	char text[RDMAEV_NOTE_SIZE];
	__u8 reserved[8];
};

/* Notes of one severity that a ULP that was silent can have recorded at once */
#define RDMAEV_NOTE_BURST	64

/**
 * enum rdmaev_probe_method - how a port is probed
 * @RDMAEV_PROBE_BY_NONE: not known yet
 * @RDMAEV_PROBE_BY_RC: RDMA WRITE without data on an RC QP that is connected to
 *	itself: it completes when the responder has acknowledged it
 * @RDMAEV_PROBE_BY_UD: SEND without data on a UD QP to itself, where no RC QP
 *	can be created: it completes when it was sent; nothing receives it
 * @RDMAEV_PROBE_BY_CM: RDMA WRITE without data on a connection between two QPs
 *	that rdma_cm makes: iWARP
 */
enum rdmaev_probe_method {
	RDMAEV_PROBE_BY_NONE = 0,
	RDMAEV_PROBE_BY_RC = 1,
	RDMAEV_PROBE_BY_UD = 2,
	RDMAEV_PROBE_BY_CM = 3,
};

/* A call that the probe makes, most of them into the driver */
enum rdmaev_probe_call {
	RDMAEV_PROBE_CALL_NONE = 0,
	RDMAEV_PROBE_CALL_ALLOC_PD = 1,
	RDMAEV_PROBE_CALL_CREATE_CQ = 2,
	RDMAEV_PROBE_CALL_CREATE_QP = 3,
	RDMAEV_PROBE_CALL_MODIFY_QP = 4,
	RDMAEV_PROBE_CALL_CREATE_AH = 5,
	RDMAEV_PROBE_CALL_CONNECT = 6,
	RDMAEV_PROBE_CALL_REQ_NOTIFY = 7,
	RDMAEV_PROBE_CALL_POST_SEND = 8,
	RDMAEV_PROBE_CALL_POLL_CQ = 9,
	RDMAEV_PROBE_CALL_DESTROY_AH = 10,
	RDMAEV_PROBE_CALL_DESTROY_QP = 11,
	RDMAEV_PROBE_CALL_DESTROY_CQ = 12,
	RDMAEV_PROBE_CALL_DEALLOC_PD = 13,
};

/**
 * struct rdmaev_probe_body - body of an RDMAEV_KIND_PROBE record
 * @time_ns: LATE, LOST: since the request was posted; STUCK: since @call
 *	began; OK: since the record that is its cause; else 0
 * @sent: requests posted on the port while it has been probed, with this one
 * @qp: number of the QP of the probe, of the posting one of two; 0: none
 * @cq: number of its CQ, if there is a QP
 * @flags: RDMAEV_PROBE_IN_CQ, or 0
 * @method: &enum rdmaev_probe_method
 * @call: FAILED, STUCK: &enum rdmaev_probe_call; 0 if a completion failed
 * @error: FAILED: the negative errno of @call; or &enum rdmaev_wc_status of the
 *	completion
 * @reserved: zero
 *
 * The object is the port. Errors are in RDMAEV_RING_ERROR, LATE and OK in
 * RDMAEV_RING_INFO. The failed completion itself, and events of the QP and CQ,
 * are records of the ULP "rdmaev_probe".
 */
struct rdmaev_probe_body {
	__aligned_u64 time_ns;
	__aligned_u64 sent;
	__u32 qp;
	__u32 cq;
	__u32 flags;
	__u32 method;
	__u32 call;
	__s32 error;
	__u8 reserved[88];
};

/*
 * struct rdmaev_probe_body.flags
 * IN_CQ: LOST: the completion is in the CQ, so the device has lost the
 *	notification, and not the request
 */
#define RDMAEV_PROBE_IN_CQ	(1U << 0)

/**
 * struct rdmaev_lost_body - body of an RDMAEV_KIND_LOST record
 * @first: lower bound of the seq of the lost records
 * @last: seq of the newest lost record
 * @count: exact number of lost records of the ring, whether they would have
 *	passed the filter or not: overwritten records cannot be examined
 * @reserved: zero
 *
 * Lost records are counted for each ring that can have records that the filter passes. The
 * count does not say whether one of them would have passed, or is visible to this reader.
 * While a reader waits in read(), poll() or epoll_wait(), rdmaev advances its position past
 * records that it does not get, after each half of a ring. So these records cause no loss,
 * unless a ring is overwritten faster than rdmaev can examine it.
 *
 * After lseek() to a seq from which several rings have lost records, one LOST
 * record with RDMAEV_RING_ANY stands for all of them. Its count is exact for
 * all rings together; a filter that leaves out a ring does not reduce it.
 */
struct rdmaev_lost_body {
	__aligned_u64 first;
	__aligned_u64 last;
	__aligned_u64 count;
	__u8 reserved[104];
};

/**
 * struct rdmaev_record - a record
 * @seq: sequence number: one strict order over all devices and rings. Starts at
 *	1 when the module is loaded, without gaps or repeats. Of an
 *	RDMAEV_KIND_LOST record: seq of the newest lost record, so that the seqs
 *	that a reader gets always ascend
 * @boottime_ns: CLOCK_BOOTTIME when rdmaev received the event; ib_core
 *	queues events before it passes them on
 * @realtime_ns: CLOCK_REALTIME at the same moment
 * @cause: seq of the record that this one follows from, 0: unknown
 * @device: index of the device, as `rdma dev` shows it. 0 is a valid index
 * @generation: rdmaev's count of device registrations, from 1. Unique for each
 *	registration, also of the same index. 0: no device
 * @port: port number; RDMAEV_NO_PORT: the record is not about one port
 * @kind: &enum rdmaev_kind
 * @code: meaning by @kind
 * @object_type: &enum rdmaev_object_type
 * @severity: &enum rdmaev_severity
 * @source: &enum rdmaev_source
 * @ring: &enum rdmaev_ring
 * @object: number of the QP, CQ, SRQ or WQ; 0 for other types, or if unknown:
 *	see RDMAEV_KNOWN_OBJECT
 * @count: number of occurrences that the record stands for, at least 1. In an
 *	RDMAEV_KIND_LOST record the number of lost records, at most 4294967295.
 *	See &enum rdmaev_ring
 * @pid: process that owns the object, in the pid namespace in which the device file
 *	was opened. 0 for the kernel, if unknown, for a process outside of that
 *	namespace, and for one that had ended before; outside of the initial pid
 *	namespace also for one that has ended since
 * @device_name: name of the device when the record was appended,
 *	NUL-terminated, may contain any other byte; after a rename the new name.
 *	Empty: no device, or unknown
 * @body: by @kind; zero for kinds without a body
 */
struct rdmaev_record {
	__aligned_u64 seq;
	__aligned_u64 boottime_ns;
	__aligned_u64 realtime_ns;
	__aligned_u64 cause;
	__u32 device;
	__u32 generation;
	__u32 port;
	__u16 kind;
	__u16 code;
	__u8 object_type;
	__u8 severity;
	__u8 source;
	__u8 ring;
	__u32 object;
	__u32 count;
	__u32 pid;
	char device_name[RDMAEV_DEVICE_NAME_SIZE];
	union {
		struct rdmaev_device_body device;
		struct rdmaev_port_body port;
		struct rdmaev_object_info info;	/* first in all but device, port,
						 * lost and probe
						 */
		struct rdmaev_async_body async;
		struct rdmaev_wc_body wc;
		struct rdmaev_completion_body completion;
		struct rdmaev_lost_body lost;
		struct rdmaev_qp_body qp;
		struct rdmaev_observer_body observer;
		struct rdmaev_cm_body cm;
		struct rdmaev_note_body note;
		struct rdmaev_probe_body probe;
		__u8 bytes[RDMAEV_BODY_SIZE];
	} body;
};

/*
 * open(): EMFILE: this user has 1024 open files of the device file, and is not root in the
 *	initial user namespace. Users in a user namespace count as one user: see @uid of
 *	&struct rdmaev_observer_body. A dump of the log by netlink counts as an open file
 *	until it ends.
 * read(): whole records, as many as are available and fit. EINVAL: the buffer
 *	is smaller than one record. EAGAIN: O_NONBLOCK, and nothing to read.
 *	EFAULT: nothing is lost, the next read() returns the same records.
 *	EINTR: a signal came before a record, also with O_NONBLOCK, as the
 *	filter may have to reject millions of records; the position is behind
 *	those that it rejected. There is no pread(): the file position is a
 *	position in the log.
 * poll(): POLLIN | POLLRDNORM as RDMAEV_IOC_WAKEUP says. POLLHUP | POLLERR,
 *	with POLLIN, after RDMAEV_IOC_RELEASE: then read(), lseek() and every
 *	ioctl() fail with ENODEV, and the program should close the file.
 * lseek(): the offset is a seq. SEEK_SET n: go to the record with seq n; if it
 *	is no longer kept, an RDMAEV_KIND_LOST record comes first. SEEK_SET 0:
 *	go to the oldest record kept of each ring, with no loss reported.
 *	SEEK_END 0: skip everything up to now; a new reader starts there.
 *	SEEK_END -n: go to the last n records, or to the first if there are
 *	fewer. SEEK_CUR 0: return the position. Returns the seq of the next
 *	record. EINVAL: below 0. ENXIO: past the end of the log. A seq is valid
 *	only for the instance in &struct rdmaev_info.
 *
 * ioctl(): the argument points to a structure that starts with its own size, so the
 *	command has none. A larger structure than the kernel knows is accepted if all
 *	bytes beyond are zero (E2BIG otherwise, and above PAGE_SIZE); a smaller one, if
 *	it has the bytes of ABI version 1 (RDMAEV_*_SIZE_VER0; EINVAL otherwise): fields
 *	that it lacks are zero. The kernel sets size to the size that it knows, and writes
 *	no more than the size given. An entry_size below RDMAEV_*_SIZE_VER0 of the entry,
 *	or above PAGE_SIZE, is EINVAL; bytes of an entry that the kernel does not know are
 *	zero. Unknown commands are ENOTTY.
 */
#define RDMAEV_IOC_TYPE		0xED
#define RDMAEV_IOC_INFO		_IO(RDMAEV_IOC_TYPE, 0)
#define RDMAEV_IOC_FILTER	_IO(RDMAEV_IOC_TYPE, 1)
#define RDMAEV_IOC_WAKEUP	_IO(RDMAEV_IOC_TYPE, 2)
#define RDMAEV_IOC_DEVICES	_IO(RDMAEV_IOC_TYPE, 3)
#define RDMAEV_IOC_PORTS	_IO(RDMAEV_IOC_TYPE, 4)
#define RDMAEV_IOC_CQS		_IO(RDMAEV_IOC_TYPE, 5)
#define RDMAEV_IOC_NOTIFY	_IO(RDMAEV_IOC_TYPE, 6)
#define RDMAEV_IOC_COUNTERS	_IO(RDMAEV_IOC_TYPE, 7)
#define RDMAEV_IOC_RELEASE	_IO(RDMAEV_IOC_TYPE, 8)
#define RDMAEV_IOC_PROBES	_IO(RDMAEV_IOC_TYPE, 9)
#define RDMAEV_IOC_PROBE	_IO(RDMAEV_IOC_TYPE, 10)
#define RDMAEV_IOC_QPS		_IO(RDMAEV_IOC_TYPE, 11)

/**
 * struct rdmaev_observed - what the observer observes, and what it does not and why
 * @observed: every occurrence has a record or is counted, but those of @gaps
 * @gaps: calls have been missed since the observer was loaded, not counting calls about
 *	objects of processes; see RDMAEV_OBSERVER_MISSED
 * @waiting: observed as soon as a module is loaded
 * @missing: this kernel has no function or tracepoint for it that can be traced
 * @blind: calls do not reach the observer; see RDMAEV_OBSERVER_BLIND
 * @failed: functions cannot be hooked for another reason
 * @off: a parameter of the observer disables it
 * @reserved: zero
 *
 * Masks of RDMAEV_OBSERVED_*, each bit in one of them and perhaps in @gaps. All
 * are 0 while the observer is not loaded. Up to two seconds old. The hooks are listed in
 * rdmaev_observe/hooks in debugfs.
 */
struct rdmaev_observed {
	__u32 observed;
	__u32 gaps;
	__u32 waiting;
	__u32 missing;
	__u32 blind;
	__u32 failed;
	__u32 off;
	__u32 reserved;
};

/**
 * struct rdmaev_info - RDMAEV_IOC_INFO: the log, the position of this reader, and
 *	the observer
 * @size: size of this structure
 * @abi_version: RDMAEV_ABI_VERSION of the kernel; grows when something is added
 * @features: bits of optional parts; none in ABI version 1
 * @instance: random number of this load of the module. A seq of another
 *	instance is not valid: start from 0
 * @record_size: bytes of a record, RDMAEV_RECORD_SIZE
 * @rings: number of rings
 * @ring_records: capacity of each ring, in records
 * @reserved: zero
 * @oldest_seq: seq of the oldest record still kept in any ring, 0 if none
 * @newest_seq: seq of the newest record, 0 if none
 * @position: seq of the next record of this reader: for one that may not see all
 *	records, of the next one that it gets, or will get
 * @lost: records reported as lost to this reader since open()
 * @observer: what is observed, and what is not and why
 */
struct rdmaev_info {
	__u32 size;
	__u32 abi_version;
	__aligned_u64 features;
	__aligned_u64 instance;
	__u32 record_size;
	__u32 rings;
	__u32 ring_records;
	__u32 reserved;
	__aligned_u64 oldest_seq;
	__aligned_u64 newest_seq;
	__aligned_u64 position;
	__aligned_u64 lost;
	struct rdmaev_observed observer;
};

#define RDMAEV_INFO_SIZE_VER0	104

/* device of a request: all devices; port of &struct rdmaev_counters: all */
#define RDMAEV_ANY		0xffffffffU

#define RDMAEV_TARGETS		16

/**
 * struct rdmaev_target - devices by name, or one of their ports
 * @device: name, NUL-terminated and not empty; bytes after the NUL are 0. A
 *	trailing `*` matches any rest: "mlx5_*" matches every device whose name
 *	begins with mlx5_, and "*" every device. A `*` elsewhere is EINVAL
 * @flags: RDMAEV_TARGET_PORT, or 0: the device and all of its ports
 * @port: port number, with RDMAEV_TARGET_PORT; else 0. Records about the whole device
 *	match a target with a port, too
 *
 * A record matches by its device_name; one of a device also by old_name. So a target
 * stays valid when the device is removed and registered again with the same
 * name, and stops matching when the device is renamed. A record without a
 * device_name matches no target, except for RDMAEV_KIND_OBSERVER, which matches
 * all.
 */
struct rdmaev_target {
	char device[RDMAEV_DEVICE_NAME_SIZE];
	__u32 flags;
	__u32 port;
};

/* struct rdmaev_target.flags */
#define RDMAEV_TARGET_PORT	(1U << 0)	/* match port */

/* In masks of codes: the bit of code 63 and all greater ones */
#define RDMAEV_CODE_BIT_OTHER	63
/* In counters: the code of all codes of a kind without a counter of their own */
#define RDMAEV_CODE_OTHER	65535

/* struct rdmaev_filter.flags */
#define RDMAEV_FILTER_OBJECT	(1U << 0)	/* match object */
#define RDMAEV_FILTER_PID	(1U << 1)	/* match pid */
#define RDMAEV_FILTER_UID	(1U << 2)	/* match uid */
#define RDMAEV_FILTER_CGROUP	(1U << 3)	/* match cgroup */

/**
 * struct rdmaev_filter - RDMAEV_IOC_FILTER: records that this reader gets
 * @size: size of this structure
 * @flags: RDMAEV_FILTER_*
 * @kinds: bit n: kind n; 0: all kinds
 * @severities: bit n: severity n; 0: all severities
 * @object_types: bit n: &enum rdmaev_object_type n; 0: all types
 * @object: number of the object, with RDMAEV_FILTER_OBJECT; else 0
 * @pid: owner as in the record, with RDMAEV_FILTER_PID; else 0
 * @uid: user of the owner as in the record, with RDMAEV_FILTER_UID; else 0
 * @cgroup: cgroup of the owner, with RDMAEV_FILTER_CGROUP; else 0. With one of these
 *	two, only records with a known owner pass: of RDMAEV_KIND_ASYNC, _QP and _CM, and
 *	by @uid of _OBSERVER
 * @codes: for each kind: bit n: code n; bit RDMAEV_CODE_BIT_OTHER: every code from 63
 *	on; 0: all codes
 * @targets: entries used in @target, at most RDMAEV_TARGETS; 0: every device
 * @reserved: zero
 * @target: devices and ports; a record must match one. Unused entries are 0. @size need
 *	not include them
 *
 * A record must pass every part; a filter of zeros passes everything. A new
 * filter applies to records after the position of the reader; lseek() goes back
 * to records that an earlier filter rejected, if they are still kept.
 * RDMAEV_KIND_LOST records always pass. Bits of unknown kinds, severities and
 * types are EINVAL, so a program can find out what the kernel knows. An invalid
 * target is EINVAL.
 */
struct rdmaev_filter {
	__u32 size;
	__u32 flags;
	__u32 kinds;
	__u32 severities;
	__u32 object_types;
	__u32 object;
	__u32 pid;
	__u32 uid;
	__aligned_u64 cgroup;
	__aligned_u64 codes[32];
	__u32 targets;
	__u8 reserved[36];
	struct rdmaev_target target[RDMAEV_TARGETS];
};

#define RDMAEV_FILTER_SIZE_VER0	336	/* without targets */

#define RDMAEV_DELAY_MAX_US	60000000U

/**
 * struct rdmaev_wakeup - RDMAEV_IOC_WAKEUP: when a waiting reader is woken
 * @size: size of this structure
 * @flags: 0
 * @watermark: wake up when this many records can be read: 1 (the default) to
 *	ring_records of &struct rdmaev_info
 * @delay_us: with fewer records, wake up this many microseconds after the first
 *	of them, at most RDMAEV_DELAY_MAX_US; 0: wait for the watermark
 *
 * Applies to poll() and to a blocking read(). A read() with O_NONBLOCK returns
 * what is available.
 */
struct rdmaev_wakeup {
	__u32 size;
	__u32 flags;
	__u32 watermark;
	__u32 delay_us;
};

#define RDMAEV_WAKEUP_SIZE_VER0	16

/* Number of counters by the time that it took to connect */
#define RDMAEV_CONNECTING_BUCKETS	32

/**
 * struct rdmaev_device - one device
 * @index: index, as `rdma dev` shows it
 * @generation: generation, as in records
 * @ports: number of ports
 * @node_type: enum rdma_node_type (1 CA, 2 switch, 3 router, 4 RNIC, ...)
 * @node_guid: node GUID as a number
 * @since_ns: CLOCK_BOOTTIME when it was added
 * @flags: RDMAEV_DEVICE_FLAG_REMOVED, RDMAEV_DEVICE_FLAG_REMOVING
 * @sources: bit n: &enum rdmaev_source n reports about the device: RDMAEV and
 *	HANDLER always; others once they have, for readers that see affiliated
 *	events of the device
 * @name: name, NUL-terminated
 * @driver: module of its driver, NUL-terminated; empty for a driver that is
 *	built into the kernel
 * @last_seq: seq of the newest record about the device or one of its ports that
 *	is counted for this reader; 0: none
 * @last_boottime_ns: CLOCK_BOOTTIME of that record
 * @last_realtime_ns: CLOCK_REALTIME of that record
 * @last_port: port of that record, or RDMAEV_NO_PORT; without a record, too
 * @last_kind: kind of that record
 * @last_code: code of that record, as in &struct rdmaev_counter
 * @missing: RDMAEV_PART_* that it lacks, as the newest RDMAEV_DEVICE_INCOMPLETE
 *	says; 0: none since RDMAEV_DEVICE_COMPLETE
 * @previous: generation of the device that this one was before, possibly under another
 *	name or index: the last one that was removed in this network namespace
 *	with the same node GUID, driver and number of ports. 0: none is known, as
 *	no such device is remembered (RDMAEV_REMOVED_KEPT), the node GUID is 0, or
 *	two devices had it at the same time
 * @remover_pid: with RDMAEV_DEVICE_FLAG_REMOVING: as in &struct rdmaev_device_body; else 0
 * @removing_since_ns: likewise
 * @remover_comm: likewise; else empty
 * @connecting: number of connections of rdma_cm that were accepted, by the time since their
 *	owner asked for the peer's address: n counts those of 2^n to 2^(n+1) - 1
 *	microseconds, the first one shorter and the last one longer ones, too. Those that came
 *	from peers are not counted. As the observer has seen them, in this generation; 0 for
 *	readers that do not see all affiliated events of the device
 * @reserved: zero
 */
struct rdmaev_device {
	__u32 index;
	__u32 generation;
	__u32 ports;
	__u32 node_type;
	__aligned_u64 node_guid;
	__aligned_u64 since_ns;
	__u32 flags;
	__u32 sources;
	char name[RDMAEV_DEVICE_NAME_SIZE];
	char driver[56];
	__aligned_u64 last_seq;
	__aligned_u64 last_boottime_ns;
	__aligned_u64 last_realtime_ns;
	__u32 last_port;
	__u16 last_kind;
	__u16 last_code;
	__u32 missing;
	__u32 previous;
	__aligned_u64 removing_since_ns;
	__u32 remover_pid;
	__u32 reserved;
	char remover_comm[16];
	__aligned_u64 connecting[RDMAEV_CONNECTING_BUCKETS];
};

#define RDMAEV_DEVICE_SIZE_VER0	232

/*
 * struct rdmaev_device.flags
 * REMOVED: removed; shown with RDMAEV_DEVICES_REMOVED only
 * REMOVING: being removed, or moved to another network namespace: RDMA programs
 *	can no longer open it. Set when ib_core calls the first of rdmaev's ib_clients, which
 *	is before those of all modules that were loaded at least two seconds before. It
 *	stays set after RDMAEV_DEVICE_REMOVE until ib_core has called all others, and nobody
 *	uses the device any more; then it is REMOVED, or there again as another generation
 */
#define RDMAEV_DEVICE_FLAG_REMOVED	(1U << 0)
#define RDMAEV_DEVICE_FLAG_REMOVING	(1U << 1)

/**
 * struct rdmaev_devices - RDMAEV_IOC_DEVICES: the devices this reader may see
 * @size: size of this structure
 * @flags: RDMAEV_DEVICES_REMOVED
 * @entry_size: size of &struct rdmaev_device as the program knows it, and
 *	distance between entries
 * @count: in: room in @entries; out: number of devices, which may be more than
 *	were written
 * @entries: address of the array; may be 0 if @count is 0
 * @seq: out: seq of the newest record that the list includes. Apply newer
 *	records to it to get the state at any later time. Counts may be newer:
 *	see last_seq of the entries
 */
struct rdmaev_devices {
	__u32 size;
	__u32 flags;
	__u32 entry_size;
	__u32 count;
	__aligned_u64 entries;
	__aligned_u64 seq;
};

#define RDMAEV_DEVICES_SIZE_VER0	32

/*
 * struct rdmaev_devices.flags: list the removed devices first, as many as are
 * remembered: see RDMAEV_REMOVED_KEPT
 */
#define RDMAEV_DEVICES_REMOVED	(1U << 0)

/**
 * struct rdmaev_port - one port, as the last query found it
 * @device: index of the device
 * @generation: generation of the device
 * @port: port number
 * @link_layer: enum rdma_link_layer (1 InfiniBand, 2 Ethernet)
 * @protocols: RDMAEV_PROTOCOL_*
 * @state: as in RDMAEV_PORT_STATE
 * @phys_state: as in RDMAEV_PORT_PHYS_STATE
 * @lid: as in RDMAEV_PORT_LID
 * @sm_lid: as in RDMAEV_PORT_SM_LID
 * @speed: as in RDMAEV_PORT_SPEED. If the port is not ACTIVE: of its last link
 * @width: as in RDMAEV_PORT_WIDTH, likewise
 * @outages: number of times that the port left ACTIVE in this generation, without an
 *	outage with RDMAEV_OUTAGE_AT_ADD
 * @gids: length of the GID table
 * @pkeys: length of the P_Key table
 * @state_since_ns: CLOCK_BOOTTIME since when it is in this state
 * @transitions: records of RDMAEV_PORT_STATE in this generation
 * @flags: RDMAEV_PORT_FLAG_*
 * @outage_flags: RDMAEV_OUTAGE_* of the current outage. A query may set ADMIN
 *	without a record
 * @down_since_ns: CLOCK_BOOTTIME since when the port is not ACTIVE, as in &struct
 *	rdmaev_port_body; 0: it is ACTIVE, never was, or no query has succeeded.
 *	Of a removed device: as it was when that was removed
 * @down_last_ns: duration of the last outage in this generation, in nanoseconds,
 *	time in suspend included; this and the next three fields are without the
 *	current one. The removal of a device ends the outages of its ports.
 *	0: none has ended
 * @down_longest_ns: longest outage
 * @down_total_ns: sum of the outages
 * @down_admin_ns: part of it in which queries found the network device of the
 *	port down; 0 for InfiniBand
 * @netdev: index of the network device of the first GID that has one, in the
 *	network namespace of that device; 0: none
 * @best_speed: speed of the fastest link that a query found ACTIVE in this
 *	generation; 0: none
 * @best_width: its width
 * @gid_type: enum rdmaev_gid_type of @gid
 * @gid: first entry of the GID table that is not empty; zero: none
 * @mtu: as in RDMAEV_PORT_MTU. If the port is not ACTIVE: of its last link
 * @query_error: with RDMAEV_PORT_FLAG_QUERY_FAILED: negative errno of the newest
 *	query; else 0
 * @query_failed_since_ns: with RDMAEV_PORT_FLAG_QUERY_FAILED: CLOCK_BOOTTIME of the
 *	first query that failed after the last one that succeeded; else 0
 */
struct rdmaev_port {
	__u32 device;
	__u32 generation;
	__u32 port;
	__u32 link_layer;
	__u32 protocols;
	__u32 state;
	__u32 phys_state;
	__u32 lid;
	__u32 sm_lid;
	__u32 speed;
	__u32 width;
	__u32 outages;
	__u32 gids;
	__u32 pkeys;
	__aligned_u64 state_since_ns;
	__aligned_u64 transitions;
	__u32 flags;
	__u32 outage_flags;
	__aligned_u64 down_since_ns;
	__aligned_u64 down_last_ns;
	__aligned_u64 down_longest_ns;
	__aligned_u64 down_total_ns;
	__aligned_u64 down_admin_ns;
	__u32 netdev;
	__u32 best_speed;
	__u32 best_width;
	__u32 gid_type;
	__u8 gid[16];
	__u32 mtu;
	__s32 query_error;
	__aligned_u64 query_failed_since_ns;
};

#define RDMAEV_PORT_SIZE_VER0	168

/*
 * struct rdmaev_port.flags
 * REMOVED: of a device that was removed, as the last query found it
 * REMOVING: of a device that is being removed, or moved to another network
 *	namespace, as said there; its state is 0
 * QUERY_STUCK: a query of it has not returned, see RDMAEV_PORT_QUERY_STUCK: all
 *	is as the query before found it
 * QUERY_FAILED: the newest query has failed, see query_error: all else is as the
 *	last one that succeeded found it
 * NEVER_ACTIVE: a query has found the port not ACTIVE, and none has found it ACTIVE
 *	since rdmaev was loaded, in this generation or an earlier one (previous
 *	of &struct rdmaev_device): perhaps it is not in use. That is no outage
 */
#define RDMAEV_PORT_FLAG_REMOVED	(1U << 0)
#define RDMAEV_PORT_FLAG_REMOVING	(1U << 1)
#define RDMAEV_PORT_FLAG_QUERY_STUCK	(1U << 2)
#define RDMAEV_PORT_FLAG_QUERY_FAILED	(1U << 3)
#define RDMAEV_PORT_FLAG_NEVER_ACTIVE	(1U << 4)

/* struct rdmaev_port.protocols */
#define RDMAEV_PROTOCOL_IB	(1U << 0)
#define RDMAEV_PROTOCOL_ROCE	(1U << 1)
#define RDMAEV_PROTOCOL_IWARP	(1U << 2)

/**
 * struct rdmaev_ports - RDMAEV_IOC_PORTS: ports of one device, or of all
 *	devices that this reader may see
 * @size: size of this structure
 * @flags: RDMAEV_PORTS_REMOVED
 * @entry_size: size of &struct rdmaev_port as the program knows it
 * @count: in: room in @entries; out: number of ports
 * @entries: address of the array; may be 0 if @count is 0
 * @seq: out: seq of the newest record that the list includes
 * @device: index of the device, or RDMAEV_ANY. ENODEV: no such device
 * @reserved: zero
 */
struct rdmaev_ports {
	__u32 size;
	__u32 flags;
	__u32 entry_size;
	__u32 count;
	__aligned_u64 entries;
	__aligned_u64 seq;
	__u32 device;
	__u32 reserved;
};

#define RDMAEV_PORTS_SIZE_VER0	40

/*
 * struct rdmaev_ports.flags: begin with the ports of removed devices, as many as are
 * remembered: see RDMAEV_REMOVED_KEPT. @device selects among them, too
 */
#define RDMAEV_PORTS_REMOVED	(1U << 0)

/* Removed devices that are remembered, with ports and counters: the last ones */
#define RDMAEV_REMOVED_KEPT	64

/**
 * struct rdmaev_counter - occurrences of one event of a device or port
 * @device: index of the device
 * @generation: generation of the device; each one counts from 0
 * @port: port number, or RDMAEV_NO_PORT
 * @kind: &enum rdmaev_kind
 * @code: code of that kind; RDMAEV_CODE_OTHER: all codes without a counter of
 *	their own. Each code with a name in this header has one, except those of
 *	RDMAEV_KIND_OBSERVER and RDMAEV_KIND_LOST, which are not counted
 * @count: sum of the counts of all these records, and of the events that are
 *	only counted: see &struct rdmaev_qp_body, &struct rdmaev_cm_body and
 *	&struct rdmaev_note_body
 * @last_seq: seq of the newest of these records; 0: none of these events has a
 *	record, and the next two fields are 0, too
 * @last_boottime_ns: CLOCK_BOOTTIME of that record
 * @last_realtime_ns: CLOCK_REALTIME of that record
 *
 * Exact: the counter includes a record if and only if its seq is not larger
 * than @last_seq. So newer records can be added to it.
 */
struct rdmaev_counter {
	__u32 device;
	__u32 generation;
	__u32 port;
	__u16 kind;
	__u16 code;
	__aligned_u64 count;
	__aligned_u64 last_seq;
	__aligned_u64 last_boottime_ns;
	__aligned_u64 last_realtime_ns;
};

#define RDMAEV_COUNTER_SIZE_VER0	48

/**
 * struct rdmaev_counters - RDMAEV_IOC_COUNTERS: counters that are not 0, of one
 *	device or port, or of all that this reader may see
 * @size: size of this structure
 * @flags: RDMAEV_COUNTERS_REMOVED
 * @entry_size: size of &struct rdmaev_counter as the program knows it
 * @count: in: room in @entries; out: number of counters
 * @entries: address of the array; may be 0 if @count is 0. Removed devices come
 *	first; counters of a device are ordered by port, those of no port first, by
 *	kind and by code
 * @seq: out: seq of the newest record when the list was begun: it and all
 *	older records have been counted, newer ones may be; see &struct
 *	rdmaev_counter
 * @device: index of the device, or RDMAEV_ANY. ENODEV: no such device
 * @port: port number, or RDMAEV_NO_PORT, or RDMAEV_ANY: all
 *
 * Events of QPs, CQs, SRQs and WQs, events of unknown number, and notes are in
 * the list for readers that see affiliated events of the device; there are no
 * counters for a reader's own objects. Records without a known device
 * (generation 0) are not counted.
 */
struct rdmaev_counters {
	__u32 size;
	__u32 flags;
	__u32 entry_size;
	__u32 count;
	__aligned_u64 entries;
	__aligned_u64 seq;
	__u32 device;
	__u32 port;
};

#define RDMAEV_COUNTERS_SIZE_VER0	40

/* struct rdmaev_counters.flags: those of removed devices, too, as for ports */
#define RDMAEV_COUNTERS_REMOVED	(1U << 0)

/*
 * Number of completion counters by operation (RDMAEV_OPCODES are used now),
 * number of operations, number of counters by status
 */
#define RDMAEV_OPCODE_COUNTERS	16
#define RDMAEV_OPCODES	8
#define RDMAEV_WC_STATUSES	32

/**
 * struct rdmaev_cq_stats - counters of one CQ, or the sum of all CQs of a
 *	device
 * @id: ascends in the order of creation, with gaps, never reused.
 *	Of a sum: generation of the device
 * @device: index of the device
 * @generation: generation of the device; 0: unknown
 * @cq: number of the CQ, as `rdma resource show cq` has it; 0 in a sum
 * @flags: RDMAEV_CQ_*
 * @cqs: number of CQs in a sum that have not been destroyed; else 1
 * @cqe: capacity, in completions
 * @pid: with RDMAEV_CQ_USER: process that owns the CQ, as in &struct
 *	rdmaev_record; else 0
 * @uid: with RDMAEV_CQ_USER: its user, as in &struct rdmaev_object_info
 * @since_ns: CLOCK_BOOTTIME when it was created or attached; of an observed CQ,
 *	when it was first seen in use
 * @last_ns: CLOCK_BOOTTIME when it was last polled or notified, accurate to a few
 *	jiffies; 0: never
 * @notifications: calls of its completion handler
 * @polls: polls
 * @empty_polls: first polls after a notification that found no completion. Some
 *	are normal: a completion between arming and polling is polled, and
 *	notified later
 * @owner: name of the ULP; of a CQ with RDMAEV_CQ_USER, name of the thread that
 *	created it; of a CQ that ULPs share, "ib_core"; empty in a sum
 * @completions: successful completions polled, by &enum rdmaev_wc_opcode
 * @failures: failed completions polled, by &enum rdmaev_wc_status; the
 *	last one counts all larger numbers. Those of ib_drain_qp() are left out
 * @reserved: zero
 *
 * Counters are read while the CQ is in use: each was exact at some time during
 * the call.
 */
struct rdmaev_cq_stats {
	__aligned_u64 id;
	__u32 device;
	__u32 generation;
	__u32 cq;
	__u32 flags;
	__u32 cqs;
	__u32 cqe;
	__u32 pid;
	__u32 uid;
	__aligned_u64 since_ns;
	__aligned_u64 last_ns;
	__aligned_u64 notifications;
	__aligned_u64 polls;
	__aligned_u64 empty_polls;
	char owner[RDMAEV_OWNER_SIZE];
	__u32 reserved;
	__aligned_u64 completions[RDMAEV_OPCODE_COUNTERS];
	__aligned_u64 failures[RDMAEV_WC_STATUSES];
};

#define RDMAEV_CQ_STATS_SIZE_VER0	488

/* struct rdmaev_cq_stats.flags */
#define RDMAEV_CQ_SUM		(1U << 0)	/* of all CQs of the device */
#define RDMAEV_CQ_NUMBERED	(1U << 1)	/* cq is its number */
#define RDMAEV_CQ_ATTACHED	(1U << 2)	/* ib_core's (ib_alloc_cq()):
						 * notifications and stalls are
						 * not seen
						 */
#define RDMAEV_CQ_STALLED	(1U << 3)	/* see RDMAEV_COMPLETION_STALLED */
#define RDMAEV_CQ_NOTIFIED	(1U << 4)	/* notifications are recorded */
#define RDMAEV_CQ_OBSERVED	(1U << 5)	/* by the observer */
#define RDMAEV_CQ_USER		(1U << 6)	/* of a process: of its counters
						 * only notifications are seen
						 */

/**
 * struct rdmaev_cqs - RDMAEV_IOC_CQS: CQs of ULPs that call rdmaev, and
 *	CQs that the observer has seen in use; those of one device or of all
 *	that this reader may see
 * @size: size of this structure
 * @flags: RDMAEV_CQS_SUMS
 * @entry_size: size of &struct rdmaev_cq_stats as the program knows it
 * @count: in: room in @entries; out: number of CQs after @after, which is more
 *	than were written only if @entries had no room for all
 * @entries: address of the array; may be 0 if @count is 0
 * @seq: out: seq of the newest record when the list was begun. Failures that
 *	it and older records report have been counted
 * @after: in: list only CQs with a larger id; 0: all. Pass the id of the last
 *	entry to get the next ones, whatever was created or destroyed meanwhile
 * @device: index of the device, or RDMAEV_ANY. ENODEV: no such device
 * @reserved: zero
 *
 * CQs and sums are listed for readers that see all affiliated events of the
 * device, and to other readers the CQs that they own.
 */
struct rdmaev_cqs {
	__u32 size;
	__u32 flags;
	__u32 entry_size;
	__u32 count;
	__aligned_u64 entries;
	__aligned_u64 seq;
	__aligned_u64 after;
	__u32 device;
	__u32 reserved;
};

#define RDMAEV_CQS_SIZE_VER0	48

/*
 * struct rdmaev_cqs.flags: list one sum for each device in place of its CQs:
 * what they have counted in this generation, destroyed ones included. Devices
 * without CQs are listed, too.
 */
#define RDMAEV_CQS_SUMS		(1U << 0)

/**
 * struct rdmaev_notify - RDMAEV_IOC_NOTIFY: have the completion notifications
 *	of a CQ recorded, as RDMAEV_COMPLETION_NOTIFIED
 * @size: size of this structure
 * @flags: 0
 * @device: index of the device
 * @cq: number of the CQ, as `rdma resource show cq` has it
 * @every: append a record for this many notifications, or for more if they come
 *	before it is appended; 0: stop
 * @delay_us: with fewer notifications, append it this many microseconds after
 *	the first of them, accurate to a jiffy, at most RDMAEV_DELAY_MAX_US; 0:
 *	wait for @every
 *
 * The records are in the log, for all readers. Ends when @every is 0, the file
 * is closed or the CQ is destroyed. ENODEV: no such device. ENOENT: no such CQ
 * among those that this reader may see. EBUSY: notifications of this CQ are
 * already being recorded for another reader. EOPNOTSUPP:
 * RDMAEV_CQ_ATTACHED or RDMAEV_CQ_OBSERVED.
 */
struct rdmaev_notify {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 cq;
	__u32 every;
	__u32 delay_us;
};

#define RDMAEV_NOTIFY_SIZE_VER0	24

/* struct rdmaev_release.flags: count readers that an earlier call hung up; hang up none */
#define RDMAEV_RELEASE_QUERY	(1U << 0)

/**
 * struct rdmaev_release - RDMAEV_IOC_RELEASE: hang up all other readers, so that the
 *	module can be unloaded
 * @size: size of this structure
 * @flags: RDMAEV_RELEASE_*
 * @readers: out: number of open files that were hung up, by this call or an
 *	earlier one, and were not closed before this call. Each one keeps the
 *	module loaded
 * @reserved: zero
 *
 * The device file can be opened again at once. EPERM: needs CAP_NET_ADMIN in the
 * initial user and network namespaces, at open() and now.
 */
struct rdmaev_release {
	__u32 size;
	__u32 flags;
	__u32 readers;
	__u32 reserved;
};

#define RDMAEV_RELEASE_SIZE_VER0	16

/**
 * enum rdmaev_probe_state - state of the probe of a port
 * @RDMAEV_PROBE_STATE_OFF: the port is not probed
 * @RDMAEV_PROBE_STATE_INACTIVE: the port is not ACTIVE, and so not probed
 * @RDMAEV_PROBE_STATE_STARTING: no request has completed since the probe was
 *	enabled, or the port became ACTIVE
 * @RDMAEV_PROBE_STATE_OK: the last request has completed
 * @RDMAEV_PROBE_STATE_LATE: see RDMAEV_PROBE_LATE
 * @RDMAEV_PROBE_STATE_LOST: see RDMAEV_PROBE_LOST; no request has completed
 *	since
 * @RDMAEV_PROBE_STATE_FAILED: see RDMAEV_PROBE_FAILED; likewise
 * @RDMAEV_PROBE_STATE_STUCK: see RDMAEV_PROBE_STUCK; the call has not returned
 */
enum rdmaev_probe_state {
	RDMAEV_PROBE_STATE_OFF = 0,
	RDMAEV_PROBE_STATE_INACTIVE = 1,
	RDMAEV_PROBE_STATE_STARTING = 2,
	RDMAEV_PROBE_STATE_OK = 3,
	RDMAEV_PROBE_STATE_LATE = 4,
	RDMAEV_PROBE_STATE_LOST = 5,
	RDMAEV_PROBE_STATE_FAILED = 6,
	RDMAEV_PROBE_STATE_STUCK = 7,
};

/* Number of counters by latency */
#define RDMAEV_PROBE_BUCKETS	32

/**
 * struct rdmaev_probe - the probe of a port
 * @device: index of the device
 * @generation: generation of the device
 * @port: port number
 * @state: &enum rdmaev_probe_state
 * @method: &enum rdmaev_probe_method
 * @interval_ms: time from one request to the next; 0: the port is not probed
 * @qp: number of the QP, of the posting one of two; 0: none
 * @cq: number of the CQ, if there is a QP
 * @call: FAILED, STUCK: as in &struct rdmaev_probe_body; else 0
 * @error: FAILED: likewise; else 0
 * @since_ns: CLOCK_BOOTTIME since when the probe is in this state
 * @sent: requests posted
 * @completed: requests completed successfully, in time or late
 * @failed: requests completed with an error, and failed calls
 * @late: requests that were late, those lost included
 * @lost: requests that were lost
 * @rebuilt: how often the probe got a new QP
 * @newest_ns: latency of the newest request that completed: from posting it to
 *	the call of the completion handler
 * @longest_ns: the longest latency of a request
 * @latency: number of requests by latency: n counts those of 2^n ns to
 *	2^(n+1) - 1 ns, the first one shorter and the last one longer ones, too
 *
 * A request is sent, and then either completed, failed or lost, or outstanding,
 * or given up, when the port left ACTIVE or the probe was stopped. Counters are
 * of this generation.
 */
struct rdmaev_probe {
	__u32 device;
	__u32 generation;
	__u32 port;
	__u32 state;
	__u32 method;
	__u32 interval_ms;
	__u32 qp;
	__u32 cq;
	__u32 call;
	__s32 error;
	__aligned_u64 since_ns;
	__aligned_u64 sent;
	__aligned_u64 completed;
	__aligned_u64 failed;
	__aligned_u64 late;
	__aligned_u64 lost;
	__aligned_u64 rebuilt;
	__aligned_u64 newest_ns;
	__aligned_u64 longest_ns;
	__aligned_u64 latency[RDMAEV_PROBE_BUCKETS];
};

#define RDMAEV_PROBE_SIZE_VER0	368

/**
 * struct rdmaev_probes - RDMAEV_IOC_PROBES: probes of the ports of one device,
 *	or of all devices that this reader may see
 * @size: size of this structure
 * @flags: 0
 * @entry_size: size of &struct rdmaev_probe as the program knows it
 * @count: in: room in @entries; out: number of probes: one for each port that
 *	can be probed; 0: the module rdmaev_probe is not loaded
 * @entries: address of the array; may be 0 if @count is 0
 * @seq: out: seq of the newest record when the list was begun
 * @device: index of the device, or RDMAEV_ANY. ENODEV: no such device
 * @reserved: zero
 */
struct rdmaev_probes {
	__u32 size;
	__u32 flags;
	__u32 entry_size;
	__u32 count;
	__aligned_u64 entries;
	__aligned_u64 seq;
	__u32 device;
	__u32 reserved;
};

#define RDMAEV_PROBES_SIZE_VER0	40

/* The longest interval of a probe: one hour */
#define RDMAEV_PROBE_INTERVAL_MAX_MS	3600000

/**
 * struct rdmaev_probe_set - RDMAEV_IOC_PROBE: start or stop to probe the ports
 *	of a device
 * @size: size of this structure
 * @flags: 0
 * @device: index of the device
 * @interval_ms: time from one request to the next, at most
 *	RDMAEV_PROBE_INTERVAL_MAX_MS; 0: stop
 *
 * Returns at once; RDMAEV_IOC_PROBES shows when it has taken effect. EPERM: needs CAP_NET_ADMIN in
 * the initial user and network namespaces, at open() and now. ENODEV: no such
 * device. EOPNOTSUPP: the module rdmaev_probe is not loaded, or the device
 * has no verbs for the kernel. EINVAL: unknown flags, or a longer interval.
 */
struct rdmaev_probe_set {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 interval_ms;
};

#define RDMAEV_PROBE_SET_SIZE_VER0	16

/**
 * struct rdmaev_qp - a QP that the observer knows
 * @id: ascends in the list, whose order means nothing; never reused
 * @device: index of the device
 * @generation: generation of the device; 0: unknown
 * @port: port number; RDMAEV_NO_PORT: none is known
 * @qp: number of the QP
 * @pid: process that has created it, as in &struct rdmaev_record; 0: the owner is no
 *	process, or that has ended
 * @started_ns: CLOCK_BOOTTIME when this process began; 0: the owner is no process, or
 *	is unknown. Two processes of one @pid differ in it
 * @info: type and owner; and the state that the last request has set, or that the driver
 *	has reported since to somebody who asked it for it. So a QP that has failed by
 *	itself has the state that it had before until its driver is asked
 * @queues: its CQs and SRQ
 * @peer: other end, as the last requests have set it
 */
struct rdmaev_qp {
	__aligned_u64 id;
	__u32 device;
	__u32 generation;
	__u32 port;
	__u32 qp;
	__aligned_u64 started_ns;
	struct rdmaev_object_info info;
	struct rdmaev_peer peer;
	struct rdmaev_queues queues;
	__u32 pid;
};

#define RDMAEV_QP_SIZE_VER0	120

/**
 * struct rdmaev_qps - RDMAEV_IOC_QPS: QPs that the observer knows, on one device or on
 *	all that this reader may see
 * @size: size of this structure
 * @flags: 0
 * @entry_size: size of &struct rdmaev_qp as the program knows it
 * @count: in: room in @entries; out: number of QPs after @after, which is more
 *	than were written only if @entries had no room for all
 * @entries: address of the array; may be 0 if @count is 0
 * @seq: out: seq of the newest record when the list was begun
 * @after: in: list only QPs with a larger id; 0: all. Pass the id of the last
 *	entry to get the next ones
 * @device: index of the device, or RDMAEV_ANY. ENODEV: no such device
 * @reserved: zero
 *
 * A QP is known from the first request that moves it on, or since the observer was
 * loaded, until it is destroyed. One that is known during the whole call is listed once;
 * of those created or destroyed meanwhile some are. Too many QPs of one user are not
 * known: see RDMAEV_OBSERVER_MISSED. Drivers are not asked for anything. QPs are listed
 * for readers that see all affiliated events of the device, and to other readers those
 * that they own. Without the observer the list is empty.
 */
struct rdmaev_qps {
	__u32 size;
	__u32 flags;
	__u32 entry_size;
	__u32 count;
	__aligned_u64 entries;
	__aligned_u64 seq;
	__aligned_u64 after;
	__u32 device;
	__u32 reserved;
};

#define RDMAEV_QPS_SIZE_VER0	48

#endif /* _UAPI_RDMA_RDMAEV_H */
