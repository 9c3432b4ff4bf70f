/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * The rdmaev ABI: what a program reads from /dev/infiniband/rdmaev and what
 * it may ask of it. This header is the manual; rdmaev(4) says the same in
 * prose.
 *
 * Rules that hold for everything below:
 *
 *  - Nothing here changes once released. Structures passed by ioctl carry
 *    their size and grow at the end; records stay at RDMAEV_RECORD_SIZE.
 *  - Fields named reserved are zero when the kernel writes them and must be
 *    zero when a program does (EINVAL otherwise). So are the unused bytes of a
 *    body; both may get a meaning that zero does not contradict.
 *  - In what a program asks for, zero is the usual case.
 *  - Numbers that a program does not know (kinds, codes, severities, ...) are to
 *    be carried and shown as numbers. A later kernel may send them.
 *  - All layouts are the same for 32-bit and 64-bit programs.
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

/**
 * enum rdmaev_kind - what a record tells; a number from 1 to 31
 * @RDMAEV_KIND_DEVICE: a device came, went or changed its name; code is an
 *	&enum rdmaev_device_code
 * @RDMAEV_KIND_PORT: an attribute of a port was found changed; code is an
 *	&enum rdmaev_port_code
 * @RDMAEV_KIND_ASYNC: an asynchronous event; code is the event's number as in
 *	enum ib_event_type and enum ibv_event_type, also one that nobody knows
 * @RDMAEV_KIND_WC: an unsuccessful completion; code is its enum ib_wc_status
 * @RDMAEV_KIND_COMPLETION: how a CQ gets on; code is an
 *	&enum rdmaev_completion_code
 * @RDMAEV_KIND_LOST: this reader was too slow; how much it missed. Never
 *	removed by a filter
 */
enum rdmaev_kind {
	RDMAEV_KIND_DEVICE = 1,
	RDMAEV_KIND_PORT = 2,
	RDMAEV_KIND_ASYNC = 3,
	RDMAEV_KIND_WC = 4,
	RDMAEV_KIND_COMPLETION = 5,
	RDMAEV_KIND_LOST = 6,
};

/**
 * enum rdmaev_device_code - code of an RDMAEV_KIND_DEVICE record
 * @RDMAEV_DEVICE_ADD: registered with the RDMA core, or there already when
 *	the module was loaded
 * @RDMAEV_DEVICE_REMOVE: unregistered, about to move to another network
 *	namespace, or the module is being unloaded. Last record of its
 *	generation that tells of the device itself
 * @RDMAEV_DEVICE_RENAME: has another name
 * @RDMAEV_DEVICE_NETNS: follows a REMOVE instead of ADD where the device is
 *	the same one, now in another network namespace
 */
enum rdmaev_device_code {
	RDMAEV_DEVICE_ADD = 1,
	RDMAEV_DEVICE_REMOVE = 2,
	RDMAEV_DEVICE_RENAME = 3,
	RDMAEV_DEVICE_NETNS = 4,
};

/**
 * enum rdmaev_port_code - code of an RDMAEV_KIND_PORT record
 * @RDMAEV_PORT_STATE: logical state, enum ib_port_state (1 DOWN, 2 INIT,
 *	3 ARMED, 4 ACTIVE, 5 ACTIVE_DEFER), as a query found it. Before and after
 *	always differ
 * @RDMAEV_PORT_PHYS_STATE: physical state, enum ib_port_phys_state (1 SLEEP,
 *	2 POLLING, 3 DISABLED, 4 TRAINING, 5 LINK_UP, 6 LINK_ERROR_RECOVERY,
 *	7 PHY_TEST)
 * @RDMAEV_PORT_LID: local identifier
 * @RDMAEV_PORT_SM_LID: LID of the subnet manager
 * @RDMAEV_PORT_SPEED: active speed of a lane, enum ib_port_speed (a bit)
 * @RDMAEV_PORT_WIDTH: active width, enum ib_port_width (a bit)
 * @RDMAEV_PORT_GID: one entry of the GID table; all zero is an empty entry
 * @RDMAEV_PORT_PKEY: one entry of the P_Key table; 0 is an empty entry
 * @RDMAEV_PORT_OUTAGE_UNSEEN: the port left ACTIVE and came back between two
 *	queries, so that only its event tells; count is how often. The values are
 *	how often it had left ACTIVE before and has after, previous_ns is the time
 *	between the two queries
 *
 * Each asynchronous event has its port queried, and each difference from the query
 * before is a record, with the event as its cause. While PORT_ACTIVE or PORT_ERR
 * contradicts the query, the query is repeated for some seconds; the last one
 * decides. Besides, every port is queried every poll_ms (a module parameter); what
 * is found then has no cause.
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
};

/**
 * enum rdmaev_completion_code - code of an RDMAEV_KIND_COMPLETION record
 * @RDMAEV_COMPLETION_NOTIFIED: a summary of completion notifications, as asked
 *	for by RDMAEV_IOC_NOTIFY; count is how many there were
 * @RDMAEV_COMPLETION_STALLED: the CQ was notified, and has not been polled since for
 *	the module parameter stall_ms. A notification that got lost is no stall: no
 *	verb tells of it
 * @RDMAEV_COMPLETION_RECOVERED: it was polled again; cause is the record of
 *	the stall. None comes of a CQ that is destroyed meanwhile
 */
enum rdmaev_completion_code {
	RDMAEV_COMPLETION_NOTIFIED = 1,
	RDMAEV_COMPLETION_STALLED = 2,
	RDMAEV_COMPLETION_RECOVERED = 3,
};

/*
 * Numbers that records and lists carry as the RDMA core and libibverbs have them. Names
 * for those that are known today; rdmaev explain and rdmaev_event_describe() say what
 * they mean.
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
	RDMAEV_STATUS_SUCCESS = 0,
	RDMAEV_STATUS_LOC_LEN_ERR = 1,
	RDMAEV_STATUS_LOC_QP_OP_ERR = 2,
	RDMAEV_STATUS_LOC_EEC_OP_ERR = 3,
	RDMAEV_STATUS_LOC_PROT_ERR = 4,
	RDMAEV_STATUS_WR_FLUSH_ERR = 5,
	RDMAEV_STATUS_MW_BIND_ERR = 6,
	RDMAEV_STATUS_BAD_RESP_ERR = 7,
	RDMAEV_STATUS_LOC_ACCESS_ERR = 8,
	RDMAEV_STATUS_REM_INV_REQ_ERR = 9,
	RDMAEV_STATUS_REM_ACCESS_ERR = 10,
	RDMAEV_STATUS_REM_OP_ERR = 11,
	RDMAEV_STATUS_RETRY_EXC_ERR = 12,
	RDMAEV_STATUS_RNR_RETRY_EXC_ERR = 13,
	RDMAEV_STATUS_LOC_RDD_VIOL_ERR = 14,
	RDMAEV_STATUS_REM_INV_RD_REQ_ERR = 15,
	RDMAEV_STATUS_REM_ABORT_ERR = 16,
	RDMAEV_STATUS_INV_EECN_ERR = 17,
	RDMAEV_STATUS_INV_EEC_STATE_ERR = 18,
	RDMAEV_STATUS_FATAL_ERR = 19,
	RDMAEV_STATUS_RESP_TIMEOUT_ERR = 20,
	RDMAEV_STATUS_GENERAL_ERR = 21,
	RDMAEV_STATUS_TM_ERR = 22,
	RDMAEV_STATUS_TM_RNDV_INCOMPLETE = 23,
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

/* State of a QP: enum ib_qp_state, enum ibv_qp_state */
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
 * enum rdmaev_object_type - what a record is about
 * @RDMAEV_OBJECT_NONE: nothing in particular, or not known
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
 * enum rdmaev_severity - how bad it is
 * @RDMAEV_SEVERITY_INFO: information
 * @RDMAEV_SEVERITY_WARNING: degraded, or about to fail; nothing has been lost yet
 * @RDMAEV_SEVERITY_ERROR: error: something failed
 */
enum rdmaev_severity {
	RDMAEV_SEVERITY_INFO = 1,
	RDMAEV_SEVERITY_WARNING = 2,
	RDMAEV_SEVERITY_ERROR = 3,
};

/**
 * enum rdmaev_source - who told rdmaev
 * @RDMAEV_SOURCE_RDMAEV: rdmaev looked itself (device and port records, losses)
 * @RDMAEV_SOURCE_HANDLER: the device's ib_event_handler
 * @RDMAEV_SOURCE_ULP: a kernel ULP reported it
 * @RDMAEV_SOURCE_OBSERVER: seen on its way to another process, which owns the
 *	object
 */
enum rdmaev_source {
	RDMAEV_SOURCE_RDMAEV = 0,
	RDMAEV_SOURCE_HANDLER = 1,
	RDMAEV_SOURCE_ULP = 2,
	RDMAEV_SOURCE_OBSERVER = 3,
};

/**
 * enum rdmaev_ring - the ring that keeps a record
 * @RDMAEV_RING_PORT: facts about devices and ports; rare
 * @RDMAEV_RING_ERROR: errors of QPs, CQs, SRQs and WQs, failed completions
 * @RDMAEV_RING_INFO: all that can be frequent: affiliated information,
 *	GID table changes, events of unknown number
 * @RDMAEV_RINGS: how many there are
 * @RDMAEV_RING_ANY: in an RDMAEV_KIND_LOST record: more than one ring, see
 *	&struct rdmaev_lost_body
 */
enum rdmaev_ring {
	RDMAEV_RING_PORT = 0,
	RDMAEV_RING_ERROR = 1,
	RDMAEV_RING_INFO = 2,
	RDMAEV_RINGS = 3,
	RDMAEV_RING_ANY = 255,
};

/**
 * struct rdmaev_device_body - body of an RDMAEV_KIND_DEVICE record
 * @node_guid: node GUID as a number (host byte order)
 * @old_name: RENAME: the name before; empty for other codes. The name after the
 *	change is in the record
 * @reserved: zero
 */
struct rdmaev_device_body {
	__aligned_u64 node_guid;
	char old_name[RDMAEV_DEVICE_NAME_SIZE];
	__u8 reserved[56];
};

/**
 * union rdmaev_port_value - one attribute of a port
 * @number: for every code but RDMAEV_PORT_GID
 * @gid: for RDMAEV_PORT_GID, in network byte order
 * @bytes: all of it; unused bytes are zero
 */
union rdmaev_port_value {
	__aligned_u64 number;
	__u8 gid[16];
	__u8 bytes[16];
};

/**
 * enum rdmaev_gid_type - what an entry of a GID table is used for
 * @RDMAEV_GID_NONE: the entry is empty, or its type is not known
 * @RDMAEV_GID_IB: InfiniBand
 * @RDMAEV_GID_ROCE_V1: RoCE version 1, over Ethernet
 * @RDMAEV_GID_ROCE_V2: RoCE version 2, over UDP
 * @RDMAEV_GID_IWARP: iWARP
 *
 * The numbers of enum ib_gid_type are not the same in all kernels.
 */
enum rdmaev_gid_type {
	RDMAEV_GID_NONE = 0,
	RDMAEV_GID_IB = 1,
	RDMAEV_GID_ROCE_V1 = 2,
	RDMAEV_GID_ROCE_V2 = 3,
	RDMAEV_GID_IWARP = 4,
};

/**
 * struct rdmaev_port_body - body of an RDMAEV_KIND_PORT record
 * @previous_ns: nanoseconds that the value before was in force, measured from
 *	the previous record of this code or from the time the device was added,
 *	that of the state also from an RDMAEV_PORT_OUTAGE_UNSEEN;
 *	0 for the two tables, where it is not kept
 * @flaps: how often the port has left ACTIVE in this generation, this change
 *	included
 * @index: index in the GID or P_Key table, 0 for other codes
 * @before: the value before
 * @after: the value after
 * @gid_type_before: &enum rdmaev_gid_type of the GID before; this and the next
 *	three are for RDMAEV_PORT_GID, else 0
 * @gid_type_after: that of the GID after
 * @netdev_before: index of the network device that the GID before belonged to, 0 if
 *	it had none, as in the network namespace of that device
 * @netdev_after: that of the GID after
 * @reserved: zero
 */
struct rdmaev_port_body {
	__aligned_u64 previous_ns;
	__u32 flaps;
	__u32 index;
	union rdmaev_port_value before;
	union rdmaev_port_value after;
	__u32 gid_type_before;
	__u32 gid_type_after;
	__u32 netdev_before;
	__u32 netdev_after;
	__u8 reserved[64];
};

/* Bytes of the name of a source, with the NUL at its end */
#define RDMAEV_SOURCE_NAME_SIZE	24

/* Bytes of the name of a process, with the NUL at its end */
#define RDMAEV_COMM_SIZE	16

/* Bytes of a GID */
#define RDMAEV_GID_SIZE		16

/* known of a body: which numbers there are; 0 is a valid one */
#define RDMAEV_KNOWN_SEND_CQ	(1U << 0)
#define RDMAEV_KNOWN_RECV_CQ	(1U << 1)
#define RDMAEV_KNOWN_SRQ	(1U << 2)
#define RDMAEV_KNOWN_OBJECT	(1U << 3)	/* object in the record */
#define RDMAEV_KNOWN_CQ		(1U << 4)
#define RDMAEV_KNOWN_WR_ID	(1U << 5)	/* wr_id as it was posted */
#define RDMAEV_KNOWN_UID	(1U << 6)	/* uid: the owner is a process */
#define RDMAEV_KNOWN_QP_TYPE	(1U << 7)	/* qp_type */
#define RDMAEV_KNOWN_QP_STATE	(1U << 8)	/* qp_state */
#define RDMAEV_KNOWN_PEER_QPN	(1U << 9)	/* peer_qpn */
#define RDMAEV_KNOWN_PEER_LID	(1U << 10)	/* peer_lid */
#define RDMAEV_KNOWN_PEER_GID	(1U << 11)	/* peer_gid */
#define RDMAEV_KNOWN_CGROUP	(1U << 12)	/* cgroup */

/**
 * struct rdmaev_async_body - body of an RDMAEV_KIND_ASYNC record about a QP, CQ,
 *	SRQ or WQ; all zero where only the device reported it
 * @known: RDMAEV_KNOWN_*: what is known of the fields below
 * @send_cq: CQ of the send queue of a QP
 * @recv_cq: CQ of the receive queue of a QP; CQ of a WQ, and of an SRQ that has
 *	one
 * @srq: SRQ of a QP
 * @uid: with RDMAEV_KNOWN_UID the user of the process that owns the object, as the
 *	user namespace of the reader has it; where it has none, the overflow user
 *	(65534)
 * @qp_type: &enum rdmaev_qp_type of a QP
 * @qp_state: &enum rdmaev_qp_state of a QP, as far as it was known when the event
 *	was reported
 * @reserved: zero
 * @cgroup: id of the cgroup (version 2) of that process, which is the inode number of
 *	its folder in /sys/fs/cgroup; 0 where it is not known
 * @source_name: name of the ULP that reported it, or of the observer that saw it on
 *	its way to another process. NUL-terminated, may hold any other byte
 * @comm: name of the process that owns the object, of the thread that made it;
 *	empty for the kernel. NUL-terminated, may hold any other byte
 * @peer_qpn: number of the QP at the other end of a connected QP
 * @peer_lid: its LID, where the connection is routed by LID
 * @peer_gid: its GID in network byte order, where the connection is routed by GID
 * @pid_ns: a number that stands for the pid namespace of that process: the same for the
 *	same one as long as the module is loaded; 0 for the first, and where it is not
 *	known
 * @reserved2: zero
 *
 * Numbers are those that `rdma resource show` prints, of a WQ its wq_num.
 */
struct rdmaev_async_body {
	__u32 known;
	__u32 send_cq;
	__u32 recv_cq;
	__u32 srq;
	__u32 uid;
	__u8 qp_type;
	__u8 qp_state;
	__u8 reserved[2];
	__aligned_u64 cgroup;
	char source_name[RDMAEV_SOURCE_NAME_SIZE];
	char comm[RDMAEV_COMM_SIZE];
	__u32 peer_qpn;
	__u32 peer_lid;
	__u8 peer_gid[RDMAEV_GID_SIZE];
	__u32 pid_ns;
	__u8 reserved2[28];
};

/**
 * enum rdmaev_wc_opcode - kinds of requests, as completions are told and counted
 * @RDMAEV_WC_OTHER: anything else, or not known
 * @RDMAEV_WC_SEND: SEND, with whatever goes with it, and segmented sends (LSO)
 * @RDMAEV_WC_WRITE: RDMA WRITE
 * @RDMAEV_WC_READ: RDMA READ
 * @RDMAEV_WC_ATOMIC: compare and swap, fetch and add, masked or not
 * @RDMAEV_WC_MEMORY: registered or invalidated a memory region, bound a window
 * @RDMAEV_WC_RECV: received a SEND
 * @RDMAEV_WC_RECV_IMM: received the immediate data of an RDMA WRITE
 *
 * The numbers of enum ib_wc_opcode are not the same in all kernels.
 */
enum rdmaev_wc_opcode {
	RDMAEV_WC_OTHER = 0,
	RDMAEV_WC_SEND = 1,
	RDMAEV_WC_WRITE = 2,
	RDMAEV_WC_READ = 3,
	RDMAEV_WC_ATOMIC = 4,
	RDMAEV_WC_MEMORY = 5,
	RDMAEV_WC_RECV = 6,
	RDMAEV_WC_RECV_IMM = 7,
};

/**
 * struct rdmaev_wc_body - body of an RDMAEV_KIND_WC record, about a QP, or about
 *	the CQ where the ULP or the driver does not name a QP
 * @known: RDMAEV_KNOWN_*; this and the fields to @peer_gid are as in
 *	&struct rdmaev_async_body, and at the same places
 * @send_cq: CQ of the send queue of the QP
 * @recv_cq: CQ of its receive queue
 * @srq: its SRQ
 * @uid: user of the process that owns it
 * @qp_type: its type
 * @qp_state: its state
 * @reserved: zero
 * @cgroup: id of the cgroup of that process
 * @source_name: name of the ULP that polled the completion
 * @comm: name of that process
 * @peer_qpn: number of the QP at the other end
 * @peer_lid: LID of the other end
 * @peer_gid: GID of the other end
 * @wr_id: with RDMAEV_KNOWN_WR_ID the wr_id of the request, else a number that
 *	stands for it: the same for the same wr_id as long as the module is loaded.
 *	Most ULPs post addresses, and none leaves the kernel
 * @vendor_err: vendor error of the completion, of drivers that are known to set
 *	it (bnxt_re, cxgb4, hns, irdma, mlx4, mlx5, mthca, vmw_pvrdma); else 0
 * @opcode: &enum rdmaev_wc_opcode. Verbs leave it undefined for unsuccessful
 *	completions. It is what the driver set, of drivers that are known to do so
 *	(bnxt_re, cxgb4, hfi1, irdma, qib, siw, vmw_pvrdma); else RDMAEV_WC_RECV
 *	where the QP has that CQ for receives alone, or RDMAEV_WC_OTHER
 * @cq: CQ that it was polled from
 * @folded: further unsuccessful completions of the QP that have no record of
 *	their own, besides those in count
 * @reserved2: zero
 *
 * One record tells the first status that is a cause, as soon as it is polled;
 * its count is 1. Those that follow are folded into a second one, with
 * WR_FLUSH_ERR as its code: how many were flushed in count, all others in @folded,
 * wr_id and the like those of the first of them. Where none was flushed, code and
 * count are those of the others. Its cause is the first record,
 * or an asynchronous event of the QP that tells of an error; 0 and
 * RDMAEV_SEVERITY_INFO if there was none: the owner of the QP moved it to Error, or the
 * device did and does not tell why.
 * It comes when the owner is done with the QP or destroys the CQ, when a second has
 * passed without more of them, or after eleven in any case; what comes later makes
 * another one.
 *
 * RETRY_EXC_ERR has PORT_ERR of the port of the QP for a cause, if that was not
 * longer ago than the module parameter port_err_ms.
 *
 * 16384 QPs are remembered for a minute each. Where RDMAEV_SEVERITY_ERROR and cause 0
 * meet in a record of WR_FLUSH_ERR, more than that failed, and the cause may have
 * been forgotten; then there may be several such records of a QP.
 *
 * REM_ABORT_ERR is told, but is no cause: the QP goes on.
 */
struct rdmaev_wc_body {
	__u32 known;
	__u32 send_cq;
	__u32 recv_cq;
	__u32 srq;
	__u32 uid;
	__u8 qp_type;
	__u8 qp_state;
	__u8 reserved[2];
	__aligned_u64 cgroup;
	char source_name[RDMAEV_SOURCE_NAME_SIZE];
	char comm[RDMAEV_COMM_SIZE];
	__u32 peer_qpn;
	__u32 peer_lid;
	__u8 peer_gid[RDMAEV_GID_SIZE];
	__aligned_u64 wr_id;
	__u32 vendor_err;
	__u32 opcode;
	__u32 cq;
	__u32 folded;
	__u8 reserved2[8];
};

/**
 * struct rdmaev_completion_body - body of an RDMAEV_KIND_COMPLETION record, about
 *	a CQ
 * @time_ns: NOTIFIED: since the first notification that is in it; STALLED and
 *	RECOVERED: since the first notification that was not followed by a poll
 * @notifications: NOTIFIED: how many, as count; STALLED and RECOVERED: since the
 *	last poll
 * @completions: successful completions polled; this and the next two NOTIFIED:
 *	since the record before, or since it was asked for; STALLED: in all;
 *	RECOVERED: 0
 * @failures: unsuccessful completions polled
 * @empty_polls: first polls after a notification that found nothing
 * @source_name: name of the ULP
 * @reserved: zero
 */
struct rdmaev_completion_body {
	__aligned_u64 time_ns;
	__aligned_u64 notifications;
	__aligned_u64 completions;
	__aligned_u64 failures;
	__aligned_u64 empty_polls;
	char source_name[RDMAEV_SOURCE_NAME_SIZE];
	__u8 reserved[64];
};

/**
 * struct rdmaev_lost_body - body of an RDMAEV_KIND_LOST record
 * @first: no missing record has a smaller seq
 * @last: seq of the newest missing record
 * @count: how many records of the ring are missing. Exact, and before the
 *	filter: what was overwritten cannot be looked at any more
 * @reserved: zero
 *
 * A reader gets one only if a record was overwritten that passes its filter by kind
 * and code, and one that does by severity. Records that a filter rejects by these
 * are no loss.
 *
 * After lseek() to a seq where several rings have lost records since, one
 * record with RDMAEV_RING_ANY tells of them. Its count is exact for all rings
 * together; a filter that leaves out a ring does not reduce it.
 */
struct rdmaev_lost_body {
	__aligned_u64 first;
	__aligned_u64 last;
	__aligned_u64 count;
	__u8 reserved[104];
};

/**
 * struct rdmaev_record - one thing that happened
 * @seq: position in the one order over all devices and rings. Starts at 1
 *	when the module is loaded, never skips, never repeats. Of an
 *	RDMAEV_KIND_LOST record: seq of the newest missing record, so that what
 *	one read() after the other returns always ascends
 * @boottime_ns: CLOCK_BOOTTIME when rdmaev was told; the RDMA core queues
 *	events before it passes them on
 * @realtime_ns: CLOCK_REALTIME at the same moment
 * @cause: seq of the record that this one follows from, 0 if none is known
 * @device: index of the device, as `rdma dev` shows it. 0 is a valid index
 * @generation: rdmaev's own count of registrations, from 1; no two
 *	registrations share one, also not of the same index. 0: no device
 * @port: port number, 0 if the record is not about one port
 * @kind: &enum rdmaev_kind
 * @code: meaning by @kind
 * @object_type: &enum rdmaev_object_type
 * @severity: &enum rdmaev_severity
 * @source: &enum rdmaev_source
 * @ring: &enum rdmaev_ring
 * @object: number of the QP, CQ, SRQ or WQ; 0 otherwise, or where the source
 *	could not tell: see RDMAEV_KNOWN_OBJECT
 * @count: how many occurrences the record stands for; at least 1. In an
 *	RDMAEV_KIND_LOST record the number missing, at most 4294967295. Of a burst
 *	of the same event of the same object the first is told at once, and those
 *	that follow it within the module parameter burst_ms in one more record,
 *	with that of the first as its cause, when that time is over
 * @pid: process that owns the object, as the pid namespace has it in which the
 *	node was opened; 0 for the kernel, where it is not known, and for a process
 *	that is not in that namespace. In any but the first also for one that has
 *	ended
 * @device_name: name of the device when rdmaev recorded this, NUL-terminated; after
 *	a rename the new one. Empty where there is no device, or it is not known. May
 *	hold any other byte
 * @body: by @kind; zero for kinds that have none
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
		struct rdmaev_async_body async;
		struct rdmaev_wc_body wc;
		struct rdmaev_completion_body completion;
		struct rdmaev_lost_body lost;
		__u8 bytes[RDMAEV_BODY_SIZE];
	} body;
};

/*
 * read(): whole records, as many as there are and fit. EINVAL for a buffer
 *	under one record, EAGAIN with O_NONBLOCK and nothing to read. After
 *	EFAULT nothing is lost: the same records come again. EINTR when a signal
 *	comes before a record, also with O_NONBLOCK: there may be millions that the
 *	filter rejects. The position is behind those that it has rejected.
 *	There is no pread(): the position is the place in the log.
 * poll(): POLLIN | POLLRDNORM as RDMAEV_IOC_WAKEUP says.
 *	POLLHUP | POLLERR, with POLLIN, after RDMAEV_IOC_RELEASE: then read(), lseek()
 *	and every ioctl() fail with ENODEV, and the file is to be closed.
 * lseek(): the offset is a seq. SEEK_SET n: the next record is the one with
 *	seq n; if that is no longer kept, an RDMAEV_KIND_LOST record comes
 *	first. SEEK_SET 0: the oldest record kept of each ring; what was
 *	overwritten until then counts as lost to nobody. SEEK_END 0: only what is
 *	still to come, where a new reader starts; SEEK_END -n: the last n, or
 *	from the first on if there were not so many. SEEK_CUR 0: the position,
 *	and changes nothing. Returns the seq of the next record. EINVAL below
 *	0, ENXIO beyond the next seq to be given. A seq that was kept means
 *	something only while the instance in &struct rdmaev_info is the same.
 *
 * ioctl(): @arg points to a structure that starts with its own size. A larger
 *	structure than the kernel knows is accepted while all bytes beyond are
 *	zero (E2BIG otherwise); a smaller one than in ABI version 1 is EINVAL.
 *	Commands that answer set size to what the kernel knows, and write no
 *	more than the size given. Unknown commands are ENOTTY.
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

/**
 * struct rdmaev_info - RDMAEV_IOC_INFO: the log and this reader's place in it
 * @size: size of this structure
 * @abi_version: RDMAEV_ABI_VERSION of the kernel; grows only when something
 *	was added
 * @features: bits of optional parts; none in ABI version 1, which has all of this
 *	header
 * @instance: a number that is another one each time the module is loaded. A
 *	seq from another instance is of no use: start again from 0
 * @record_size: bytes of a record, RDMAEV_RECORD_SIZE
 * @rings: number of rings
 * @ring_records: records that each ring keeps
 * @reserved: zero
 * @oldest_seq: seq of the oldest record still kept in any ring, 0 if none
 * @newest_seq: seq of the newest record, 0 if none
 * @position: seq of the next record that this reader would come to
 * @lost: records reported as lost to this reader since it was opened
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
};

#define RDMAEV_TARGETS		16

/**
 * struct rdmaev_target - devices by name, or one of their ports
 * @device: name, NUL-terminated and not empty; bytes after the NUL are 0. A `*` at its
 *	end stands for any rest, so that "mlx5_*" is every device whose name begins
 *	with mlx5_, and "*" is every device. A `*` elsewhere is EINVAL
 * @port: port number, or 0 for the whole device. Records that are about the
 *	whole device match a target that names a port, too: they concern it
 *
 * A record matches if the name that it has in device_name does; a RENAME matches by
 * old_name, too. So a target outlives that the device is removed and registered again
 * with the same name, and matches nothing new once the device has another one.
 * A record without a device_name matches no target.
 */
struct rdmaev_target {
	char device[RDMAEV_DEVICE_NAME_SIZE];
	__u32 port;
};

#define RDMAEV_FILTER_CODES	16

/*
 * In masks of codes: this one and all greater ones. So a mask tells 63 codes of a
 * kind apart, 0 to 62. In counters: every code that has no counter of its own, of
 * any kind
 */
#define RDMAEV_CODE_OTHER	63

/**
 * struct rdmaev_filter_codes - the codes of one kind that are wanted
 * @kind: &enum rdmaev_kind
 * @reserved: zero
 * @codes: bit n: code n; bit RDMAEV_CODE_OTHER: every code from 63 on. Not 0
 */
struct rdmaev_filter_codes {
	__u32 kind;
	__u32 reserved;
	__aligned_u64 codes;
};

/* struct rdmaev_filter.flags */
#define RDMAEV_FILTER_OBJECT	(1U << 0)	/* object counts */
#define RDMAEV_FILTER_PID	(1U << 1)	/* pid counts */

/**
 * struct rdmaev_filter - RDMAEV_IOC_FILTER: what this reader wants
 * @size: size of this structure
 * @flags: RDMAEV_FILTER_*
 * @kinds: bit n: kind n; 0: all kinds
 * @severities: bit n: severity n; 0: all severities
 * @object_types: bit n: &enum rdmaev_object_type n; 0: all types
 * @object: number of the object, with RDMAEV_FILTER_OBJECT; else 0
 * @pid: owner as in the record, with RDMAEV_FILTER_PID; else 0
 * @targets: entries used in @target; 0: every device
 * @kind_codes: entries used in @kind_code; 0: all codes of every kind
 * @reserved: zero
 * @target: devices and ports, of which a record must match one; unused entries are 0
 * @kind_code: codes that are wanted of a kind. All codes of a kind that has no entry;
 *	two entries of one kind are EINVAL. Unused entries are 0
 *
 * A record must pass every part; all zero lets everything pass. Takes effect
 * for records that the reader has not passed yet; what an earlier filter kept
 * back can be had by lseek(), as far as it is still kept: what was overwritten
 * while it was not wanted is no loss. RDMAEV_KIND_LOST records always pass.
 * Bits of kinds, severities and types that do not exist are EINVAL, so a program
 * can find out what the kernel knows. So is a target that is not as it should be.
 */
struct rdmaev_filter {
	__u32 size;
	__u32 flags;
	__u32 kinds;
	__u32 severities;
	__u32 object_types;
	__u32 object;
	__u32 pid;
	__u32 targets;
	__u32 kind_codes;
	__u32 reserved;
	struct rdmaev_target target[RDMAEV_TARGETS];
	struct rdmaev_filter_codes kind_code[RDMAEV_FILTER_CODES];
};

#define RDMAEV_DELAY_MAX_US	60000000U

/**
 * struct rdmaev_wakeup - RDMAEV_IOC_WAKEUP: when a waiting reader is woken
 * @size: size of this structure
 * @flags: 0
 * @watermark: records that must be there to be read, 1 (at first) to the
 *	number of records a ring keeps
 * @delay_us: with fewer there, wake up this many microseconds after the first
 *	of them, 0 to RDMAEV_DELAY_MAX_US; 0: wait for the watermark
 *
 * Holds for poll() and for a read() that may wait. A read() with O_NONBLOCK
 * takes what is there.
 */
struct rdmaev_wakeup {
	__u32 size;
	__u32 flags;
	__u32 watermark;
	__u32 delay_us;
};

/**
 * struct rdmaev_device - one device
 * @index: index, as `rdma dev` shows it
 * @generation: generation, as in records
 * @ports: number of ports
 * @node_type: enum rdma_node_type (1 CA, 2 switch, 3 router, 4 RNIC, ...)
 * @node_guid: node GUID as a number
 * @since_ns: CLOCK_BOOTTIME when it was added
 * @flags: RDMAEV_DEVICE_GONE, RDMAEV_DEVICE_REMOVING
 * @sources: bit n: &enum rdmaev_source n reports about it: RDMAEV and HANDLER
 *	always, the others once they did, for those who see affiliated events of
 *	the device
 * @name: name, NUL-terminated
 * @driver: module of its driver, NUL-terminated; empty where that is part of the
 *	kernel
 * @last_seq: seq of the newest record about it or one of its ports that is counted
 *	for this reader, with the fields below; 0: none
 * @last_boottime_ns: CLOCK_BOOTTIME of that record
 * @last_realtime_ns: CLOCK_REALTIME of it
 * @last_port: its port
 * @last_kind: its kind
 * @last_code: its code, in the terms of &struct rdmaev_counter
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
};

/*
 * struct rdmaev_device.flags
 * GONE: removed; shown with RDMAEV_DEVICES_GONE only
 * REMOVING: being removed, or moved to another network namespace: RDMA programs can
 *	no longer open it
 */
#define RDMAEV_DEVICE_GONE	(1U << 0)
#define RDMAEV_DEVICE_REMOVING	(1U << 1)

/**
 * struct rdmaev_devices - RDMAEV_IOC_DEVICES: the devices this reader may see
 * @size: size of this structure
 * @flags: RDMAEV_DEVICES_GONE
 * @entry_size: size of &struct rdmaev_device as the program knows it; entries
 *	are laid that far apart
 * @count: in: room in @entries; out: how many there are, which may be more
 *	than was written
 * @entries: address of the array; may be 0 if @count is 0
 * @seq: out: the newest record that the answer takes into account. Applying
 *	the newer ones to it gives the state at any later time. What is counted may
 *	be newer: see last_seq of the entries
 */
struct rdmaev_devices {
	__u32 size;
	__u32 flags;
	__u32 entry_size;
	__u32 count;
	__aligned_u64 entries;
	__aligned_u64 seq;
};

/*
 * struct rdmaev_devices.flags: list the removed devices first, as many as are
 * remembered: see RDMAEV_GONE_KEPT
 */
#define RDMAEV_DEVICES_GONE	(1U << 0)

/**
 * struct rdmaev_port - one port as it was last seen
 * @device: index of the device
 * @generation: generation of the device
 * @port: port number
 * @link_layer: enum rdma_link_layer (1 InfiniBand, 2 Ethernet)
 * @protocols: RDMAEV_PROTOCOL_*
 * @state: as in RDMAEV_PORT_STATE
 * @phys_state: as in RDMAEV_PORT_PHYS_STATE
 * @lid: as in RDMAEV_PORT_LID
 * @sm_lid: as in RDMAEV_PORT_SM_LID
 * @speed: as in RDMAEV_PORT_SPEED
 * @width: as in RDMAEV_PORT_WIDTH
 * @flaps: how often it has left ACTIVE in this generation
 * @gids: length of the GID table
 * @pkeys: length of the P_Key table
 * @state_since_ns: CLOCK_BOOTTIME when it was found in this state
 * @transitions: records of RDMAEV_PORT_STATE in this generation
 * @up_shortest_ns: the shortest time from becoming ACTIVE to leaving it, as its events
 *	tell, in this generation; a time that has not ended does not count. 0: none
 * @up_longest_ns: the longest
 * @flags: RDMAEV_PORT_GONE, RDMAEV_PORT_REMOVING
 * @reserved: zero
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
	__u32 flaps;
	__u32 gids;
	__u32 pkeys;
	__aligned_u64 state_since_ns;
	__aligned_u64 transitions;
	__aligned_u64 up_shortest_ns;
	__aligned_u64 up_longest_ns;
	__u32 flags;
	__u32 reserved;
};

/*
 * struct rdmaev_port.flags
 * GONE: of a device that was removed, as the last query found it
 * REMOVING: of a device that is being removed, or moved to another network namespace;
 *	its state is not shown, but 0
 */
#define RDMAEV_PORT_GONE	(1U << 0)
#define RDMAEV_PORT_REMOVING	(1U << 1)

/* struct rdmaev_port.protocols: what the port speaks */
#define RDMAEV_PROTOCOL_IB	(1U << 0)
#define RDMAEV_PROTOCOL_ROCE	(1U << 1)
#define RDMAEV_PROTOCOL_IWARP	(1U << 2)

/* struct rdmaev_ports.device: all devices */
#define RDMAEV_ANY		0xffffffffU

/**
 * struct rdmaev_ports - RDMAEV_IOC_PORTS: ports of one device, or of all that
 *	this reader may see
 * @size: size of this structure
 * @flags: RDMAEV_PORTS_GONE
 * @entry_size: size of &struct rdmaev_port as the program knows it
 * @count: in: room in @entries; out: how many there are
 * @entries: address of the array; may be 0 if @count is 0
 * @seq: out: the newest record that the answer takes into account
 * @device: index of the device, or RDMAEV_ANY. ENODEV if there is none such
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

/*
 * struct rdmaev_ports.flags: those of devices that were removed first, as many as
 * are remembered: see RDMAEV_GONE_KEPT. @device selects among them, too
 */
#define RDMAEV_PORTS_GONE	(1U << 0)

/* Removed devices that are remembered, with ports and counters: the last ones */
#define RDMAEV_GONE_KEPT	64

/**
 * struct rdmaev_counter - how often something happened to a device or a port
 * @device: index of the device
 * @generation: its generation; each one counts from 0
 * @port: port number; 0: what is not about one port
 * @kind: &enum rdmaev_kind
 * @code: code of that kind; RDMAEV_CODE_OTHER: all codes of it that have no counter of
 *	their own, together. Each that has a name in this header has one
 * @count: sum of count of all such records
 * @last_seq: seq of the newest of them
 * @last_boottime_ns: CLOCK_BOOTTIME of that one
 * @last_realtime_ns: CLOCK_REALTIME of it
 *
 * Exact: a record is in it if its seq is not larger than last_seq, and only then.
 * So what is newer can be added to it, without any other look.
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

/**
 * struct rdmaev_counters - RDMAEV_IOC_COUNTERS: counters that are not 0, of one
 *	device or port or of all that this reader may see
 * @size: size of this structure
 * @flags: RDMAEV_COUNTERS_GONE
 * @entry_size: size of &struct rdmaev_counter as the program knows it
 * @count: in: room in @entries; out: how many there are
 * @entries: address of the array; may be 0 if @count is 0. Devices that are gone
 *	come first; those of a device are ordered by port, kind and code
 * @seq: out: the newest record when the answer was begun: it and all older ones have
 *	been counted. Some newer ones may be; see &struct rdmaev_counter
 * @device: index of the device, or RDMAEV_ANY. ENODEV if there is none such
 * @port: port number, 0: what is not about a port, or RDMAEV_ANY
 *
 * What happens to QPs, CQs, SRQs and WQs is counted for those who see affiliated
 * events of the device; how often something happened to one's own is not told apart.
 * So are asynchronous events of unknown number, which may be about any of them.
 * Records of no known device (generation 0) are not counted.
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

/* struct rdmaev_counters.flags: those of removed devices, too, as for ports */
#define RDMAEV_COUNTERS_GONE	(1U << 0)

/*
 * Counters of completions: by kind of request, of which there are RDMAEV_WC_OPCODES
 * now and room for more, and by status
 */
#define RDMAEV_WC_COUNTERS	16
#define RDMAEV_WC_OPCODES	8
#define RDMAEV_WC_STATUSES	32

/**
 * struct rdmaev_cq_stats - one CQ, or all that a device has had
 * @id: ascends in the order in which CQs were made, never used again. Of a sum
 *	the generation of the device
 * @device: index of the device
 * @generation: its generation; 0 if it is not known
 * @cq: number of the CQ, as `rdma resource show cq` has it; 0 in a sum
 * @flags: RDMAEV_CQ_*
 * @cqs: CQs that are in it and have not been destroyed; 1 unless it is a sum
 * @cqe: completions that it can hold
 * @largest_batch: the most completions that one poll returned
 * @moderation_count: completions per notification, 0: not set by its ULP
 * @moderation_us: microseconds after which one comes at the latest
 * @reserved: zero
 * @since_ns: CLOCK_BOOTTIME when it was made or attached
 * @last_ns: CLOCK_BOOTTIME when it was last polled, armed or notified, to some
 *	ticks of the kernel's clock; 0: never
 * @notifications: calls of its completion handler
 * @polls: polls
 * @empty_polls: first polls after a notification that found nothing. Some are
 *	normal: what came between arming and polling was found, and notified later
 * @arms: requests for a notification
 * @missed_events: those that answered that completions were there
 * @owner: name of the ULP; empty in a sum
 * @completions: successful ones that were polled, by &enum rdmaev_wc_opcode; those
 *	that no opcode has are 0
 * @failures: unsuccessful ones, by &enum rdmaev_wc_status; the last is of all larger
 *	numbers. [0] is 0
 *
 * Read while the CQ is at work: each counter was exact at a time during the call.
 */
struct rdmaev_cq_stats {
	__aligned_u64 id;
	__u32 device;
	__u32 generation;
	__u32 cq;
	__u32 flags;
	__u32 cqs;
	__u32 cqe;
	__u32 largest_batch;
	__u32 moderation_count;
	__u32 moderation_us;
	__u32 reserved;
	__aligned_u64 since_ns;
	__aligned_u64 last_ns;
	__aligned_u64 notifications;
	__aligned_u64 polls;
	__aligned_u64 empty_polls;
	__aligned_u64 arms;
	__aligned_u64 missed_events;
	char owner[RDMAEV_SOURCE_NAME_SIZE];
	__aligned_u64 completions[RDMAEV_WC_COUNTERS];
	__aligned_u64 failures[RDMAEV_WC_STATUSES];
};

/* struct rdmaev_cq_stats.flags */
#define RDMAEV_CQ_SUM		(1U << 0)	/* of all CQs of the device */
#define RDMAEV_CQ_NUMBERED	(1U << 1)	/* cq is its number */
#define RDMAEV_CQ_ATTACHED	(1U << 2)	/* the RDMA core's (ib_alloc_cq()):
						 * arms, notifications and stalls
						 * are not seen
						 */
#define RDMAEV_CQ_STALLED	(1U << 3)	/* see RDMAEV_COMPLETION_STALLED */
#define RDMAEV_CQ_NOTIFIED	(1U << 4)	/* notifications are recorded */

/**
 * struct rdmaev_cqs - RDMAEV_IOC_CQS: CQs of kernel ULPs that use rdmaev, those of
 *	one device or of all that this reader may see
 * @size: size of this structure
 * @flags: RDMAEV_CQS_SUMS
 * @entry_size: size of &struct rdmaev_cq_stats as the program knows it
 * @count: in: room in @entries; out: how many there are after @after, which is
 *	more than was written only if there was no room
 * @entries: address of the array; may be 0 if @count is 0
 * @seq: out: the newest record when the answer was begun. Every failure that
 *	it and older ones tell of has been counted
 * @after: in: only those with a larger id; 0: all. The id of the last entry
 *	of an answer gets the next ones, whatever came and went meanwhile
 * @device: index of the device, or RDMAEV_ANY. ENODEV if there is none such
 * @reserved: zero
 *
 * CQs and sums are shown to those who see all affiliated events of the device.
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

/*
 * struct rdmaev_cqs.flags: an entry for each device instead, with all that its CQs
 * have counted in this generation, those that are destroyed included. Devices
 * that never had one are there, too.
 */
#define RDMAEV_CQS_SUMS		(1U << 0)

/**
 * struct rdmaev_notify - RDMAEV_IOC_NOTIFY: have the completion notifications of a
 *	CQ recorded, as RDMAEV_COMPLETION_NOTIFIED
 * @size: size of this structure
 * @flags: 0
 * @device: index of the device
 * @cq: number of the CQ, as `rdma resource show cq` has it
 * @every: a record for each so many notifications, or for more of them that come
 *	before it is made; 0: none any more
 * @delay_us: and with fewer, so many microseconds after the first of them, to the
 *	tick of the kernel's clock, 0 to RDMAEV_DELAY_MAX_US; 0: wait for @every
 *
 * The records go to the log, so to all who read it. Lasts until it is ended, the
 * file is closed or the CQ is destroyed. ENODEV: no such device, ENOENT: no such CQ
 * among those that this reader may see, EBUSY: asked for by somebody else,
 * EOPNOTSUPP: RDMAEV_CQ_ATTACHED.
 */
struct rdmaev_notify {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 cq;
	__u32 every;
	__u32 delay_us;
};

/* struct rdmaev_release.flags: hang up nobody, only count */
#define RDMAEV_RELEASE_QUERY	(1U << 0)

/**
 * struct rdmaev_release - RDMAEV_IOC_RELEASE: hang up all readers of the node, so
 *	that the module can be unloaded
 * @size: size of this structure
 * @flags: RDMAEV_RELEASE_*
 * @readers: set to how many open files have been hung up, by this or an earlier
 *	call, and were not closed when it began. Each keeps the module
 * @reserved: zero
 *
 * All open files are hung up but the one that is asked. The node can be opened
 * again at once. Needs CAP_NET_ADMIN in the first namespaces of users and network,
 * when the node is opened and now (EPERM). To write 1 to the module parameter
 * release does the same.
 */
struct rdmaev_release {
	__u32 size;
	__u32 flags;
	__u32 readers;
	__u32 reserved;
};

#endif /* _UAPI_RDMA_RDMAEV_H */
