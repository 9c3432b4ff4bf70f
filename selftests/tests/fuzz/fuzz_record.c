// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The fuzzer's check that a record is as documented in the header. */
#include <signal.h>

#include "fuzz.h"

static int is_zero(const void *mem, size_t n)
{
	const char *bytes = mem;

	while (n--) {
		if (*bytes++)
			return 0;
	}
	return 1;
}

#define IS_ZERO(array)	is_zero(array, sizeof(array))

/* A name with its NUL, and zeros up to the end */
static int is_name(const char *name, size_t size)
{
	size_t len = strnlen(name, size);

	return len < size && is_zero(name + len, size - len);
}

#define KNOWN_OWNER	(RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_UID | RDMAEV_KNOWN_PID_NS |	\
			 RDMAEV_KNOWN_CGROUP | RDMAEV_KNOWN_SETID)
#define KNOWN_INFO	((RDMAEV_KNOWN_CGROUP * 2 - 1) | KNOWN_OWNER)
#define KNOWN_PATH	(RDMAEV_KNOWN_GID_INDEX | RDMAEV_KNOWN_PATH_MTU |		\
			 RDMAEV_KNOWN_CALLER | RDMAEV_KNOWN_GID)
#define KNOWN_CM	(KNOWN_OWNER | RDMAEV_KNOWN_QP_TYPE | RDMAEV_KNOWN_PEER_QPN |	\
			 RDMAEV_KNOWN_LOCAL_ADDR | RDMAEV_KNOWN_PEER_ADDR | RDMAEV_KNOWN_CLAIMED)

/* Records of processes have their own ring; of some the owner is unknown. */
static int is_ring_of_owner(const struct rdmaev_record *rec)
{
	return rec->ring == RDMAEV_RING_USER ||
	       (rec->ring == RDMAEV_RING_INFO && !(rec->body.info.known & RDMAEV_KNOWN_UID));
}

static int is_info(const struct rdmaev_object_info *info)
{
	return is_name(info->owner, sizeof(info->owner)) && IS_ZERO(info->reserved);
}

static int is_origin(const struct rdmaev_qp_body *body)
{
	switch (body->info.known & (RDMAEV_KNOWN_CALLER | RDMAEV_KNOWN_GID)) {
	case RDMAEV_KNOWN_CALLER:
		return body->origin.caller[0] &&
		       is_name(body->origin.caller, sizeof(body->origin.caller));
	case RDMAEV_KNOWN_GID:
		return body->info.known & RDMAEV_KNOWN_GID_INDEX && body->result < 0 &&
		       !is_zero(body->origin.gid, sizeof(body->origin.gid)) &&
		       is_zero(body->origin.bytes + RDMAEV_GID_SIZE,
			       sizeof(body->origin) - RDMAEV_GID_SIZE);
	default:
		return IS_ZERO(body->origin.bytes);
	}
}

/* A removal has begun before its records. */
static int is_removal(const struct rdmaev_record *rec)
{
	const struct rdmaev_device_body *body = &rec->body.device;

	if (rec->code != RDMAEV_DEVICE_REMOVE && rec->code != RDMAEV_DEVICE_REMOVED)
		return !body->removing_since_ns && !body->remover_pid &&
		       IS_ZERO(body->remover_comm) && IS_ZERO(body->netdev) &&
		       !body->netdev_change;
	return body->removing_since_ns && body->removing_since_ns <= rec->boottime_ns &&
	       !body->remover_pid == !body->remover_comm[0] &&
	       is_name(body->remover_comm, sizeof(body->remover_comm)) &&
	       !body->netdev_change == !body->netdev[0] &&
	       body->netdev_change <= RDMAEV_NETDEV_MOVED &&
	       is_name(body->netdev, sizeof(body->netdev));
}

static int is_body(const struct rdmaev_record *rec)
{
	switch (rec->kind) {
	case RDMAEV_KIND_DEVICE:
		return rec->code >= RDMAEV_DEVICE_ADD && rec->code <= RDMAEV_DEVICE_REMOVED &&
		       (rec->body.device.old_name[0] ? rec->code <= RDMAEV_DEVICE_NETNS &&
			rec->code != RDMAEV_DEVICE_REMOVE : rec->code != RDMAEV_DEVICE_RENAME) &&
		       is_name(rec->body.device.old_name, RDMAEV_DEVICE_NAME_SIZE) &&
		       !rec->body.device.missing == (rec->code != RDMAEV_DEVICE_INCOMPLETE) &&
		       is_removal(rec) && IS_ZERO(rec->body.device.reserved);
	case RDMAEV_KIND_PORT:
		return rec->code >= RDMAEV_PORT_STATE && rec->code <= RDMAEV_PORT_MTU &&
		       (rec->code == RDMAEV_PORT_QUERY_STUCK ||
			rec->code == RDMAEV_PORT_QUERY_RETURNED ||
			memcmp(&rec->body.port.before, &rec->body.port.after, 16) ||
			rec->body.port.gid_type_before != rec->body.port.gid_type_after ||
			rec->body.port.netdev_before != rec->body.port.netdev_after) &&
		       rec->port != RDMAEV_NO_PORT &&
		       IS_ZERO(rec->body.port.reserved);
	case RDMAEV_KIND_ASYNC:
		if (rec->object_type < RDMAEV_OBJECT_QP)
			return is_zero(&rec->body, sizeof(rec->body));
		return !(rec->body.info.known & ~KNOWN_INFO) &&
		       is_info(&rec->body.info) && IS_ZERO(rec->body.async.reserved);
	case RDMAEV_KIND_WC:
		return rec->code && !(rec->body.info.known & ~KNOWN_INFO) &&
		       rec->body.wc.opcode <= RDMAEV_OPCODE_RECV_IMM &&
		       is_info(&rec->body.info) && IS_ZERO(rec->body.wc.reserved);
	case RDMAEV_KIND_COMPLETION:
		return rec->code >= RDMAEV_COMPLETION_NOTIFIED &&
		       rec->code <= RDMAEV_COMPLETION_RECOVERED &&
		       !(rec->body.info.known & ~RDMAEV_KNOWN_OBJECT) &&
		       is_info(&rec->body.info) && IS_ZERO(rec->body.completion.reserved);
	case RDMAEV_KIND_LOST:
		return !rec->code && !rec->device && !rec->generation &&
		       rec->port == RDMAEV_NO_PORT &&
		       !rec->object && !rec->pid && !rec->cause && !rec->object_type &&
		       rec->body.lost.count && rec->body.lost.last == rec->seq &&
		       rec->body.lost.first <= rec->body.lost.last &&
		       rec->body.lost.count <= rec->body.lost.last - rec->body.lost.first + 1 &&
		       rec->count == rec->body.lost.count &&
		       IS_ZERO(rec->body.lost.reserved);
	case RDMAEV_KIND_QP:
		return rec->code <= RDMAEV_QP_CREATE_CONTEXT && is_ring_of_owner(rec) &&
		       !(rec->body.info.known & ~(KNOWN_INFO | KNOWN_PATH)) &&
		       rec->body.qp.result <= 0 &&
		       (!rec->body.qp.signal || rec->code == RDMAEV_QP_DESTROY) &&
		       rec->body.qp.flags <= (rec->body.qp.signal == SIGKILL) &&
		       is_name(rec->body.qp.caller_comm, sizeof(rec->body.qp.caller_comm)) &&
		       is_origin(&rec->body.qp) &&
		       is_info(&rec->body.info) && IS_ZERO(rec->body.qp.reserved);
	case RDMAEV_KIND_OBSERVER:
		return rec->code >= RDMAEV_OBSERVER_STARTED &&
		       rec->code <= RDMAEV_OBSERVER_SUPPRESSED &&
		       !rec->device && !rec->generation && rec->port == RDMAEV_NO_PORT &&
		       !rec->object_type &&
		       !rec->object && !rec->pid &&
		       rec->body.observer.facts < RDMAEV_OBSERVED_POLLED_CQS << 1 &&
		       (rec->code == RDMAEV_OBSERVER_SUPPRESSED ||
			rec->code == RDMAEV_OBSERVER_MISSED ||
			rec->ring != RDMAEV_RING_USER) &&
		       (rec->code != RDMAEV_OBSERVER_SUPPRESSED ||
			rec->ring == RDMAEV_RING_USER) &&
		       !(rec->body.info.known & ~RDMAEV_KNOWN_UID) &&
		       is_info(&rec->body.info) && IS_ZERO(rec->body.observer.reserved);
	case RDMAEV_KIND_CM:
		return rec->object_type == RDMAEV_OBJECT_QP &&
		       rec->source == RDMAEV_SOURCE_OBSERVER &&
		       is_ring_of_owner(rec) &&
		       !(rec->body.info.known & ~KNOWN_CM) &&
		       is_info(&rec->body.info) && IS_ZERO(rec->body.cm.reserved);
	case RDMAEV_KIND_NOTE:
		return rec->code == rec->severity && rec->source == RDMAEV_SOURCE_ULP &&
		       rec->ring == (rec->code == RDMAEV_NOTE_ERROR ? RDMAEV_RING_ERROR :
								      RDMAEV_RING_INFO) &&
		       !(rec->body.info.known & ~RDMAEV_KNOWN_OBJECT) &&
		       is_name(rec->body.note.text, RDMAEV_NOTE_SIZE) &&
		       is_info(&rec->body.info) && IS_ZERO(rec->body.note.reserved);
	case RDMAEV_KIND_PROBE:
		return rec->code >= RDMAEV_PROBE_LATE && rec->code <= RDMAEV_PROBE_OK &&
		       rec->object_type == RDMAEV_OBJECT_PORT && rec->port != RDMAEV_NO_PORT &&
		       rec->source == RDMAEV_SOURCE_RDMAEV &&
		       rec->ring == (rec->severity == RDMAEV_SEVERITY_ERROR ? RDMAEV_RING_ERROR :
									      RDMAEV_RING_INFO) &&
		       rec->body.probe.flags <= RDMAEV_PROBE_IN_CQ &&
		       rec->body.probe.method <= RDMAEV_PROBE_BY_CM &&
		       rec->body.probe.call <= RDMAEV_PROBE_CALL_DEALLOC_PD &&
		       IS_ZERO(rec->body.probe.reserved);
	default:
		return 0;
	}
}

/* Zero what may have any bytes: GIDs, wr_ids of programs, hashes of those of ULPs. */
static void drop_any(struct rdmaev_record *rec)
{
	struct rdmaev_qp_body *qp = &rec->body.qp;
	struct rdmaev_peer *peer = NULL;

	switch (rec->kind) {
	case RDMAEV_KIND_PORT:
		memset(&rec->body.port.before, 0, sizeof(rec->body.port.before));
		memset(&rec->body.port.after, 0, sizeof(rec->body.port.after));
		break;
	case RDMAEV_KIND_ASYNC:
		peer = &rec->body.async.peer;
		break;
	case RDMAEV_KIND_WC:
		rec->body.wc.wr_id = 0;
		peer = &rec->body.wc.peer;
		break;
	case RDMAEV_KIND_QP:
		peer = &qp->peer;
		if (qp->info.known & RDMAEV_KNOWN_GID)
			memset(&qp->origin, 0, sizeof(qp->origin));
		break;
	case RDMAEV_KIND_CM:
		memset(rec->body.cm.local_addr, 0, sizeof(rec->body.cm.local_addr));
		memset(rec->body.cm.peer_addr, 0, sizeof(rec->body.cm.peer_addr));
		break;
	}
	if (peer)
		memset(peer->gid, 0, sizeof(peer->gid));
}

/*
 * Can any eight bytes of it be an address in the kernel? Those of 64-bit machines begin with
 * 0xffff8; a small negative number does not.
 */
static int has_pointer(const struct rdmaev_record *rec)
{
	struct rdmaev_record copy = *rec;
	uint32_t words[sizeof(copy) / sizeof(uint32_t)];
	size_t i;

	drop_any(&copy);
	memcpy(words, &copy, sizeof(words));
	for (i = 0; i + 1 < ARRAY_SIZE(words); i += 2) {
		int is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
		uint32_t low = words[is_little ? i : i + 1], high = words[is_little ? i + 1 : i];

		if (high == UINT32_MAX ? low >= 0x80000000 && low < 0xfffff000 :
					 high >= 0xffff8000 && high < 0xfffff000)
			return 1;
	}
	return 0;
}

static int is_record(const struct rdmaev_record *rec)
{
	if (!rec->seq || rec->cause >= rec->seq || !rec->boottime_ns || !rec->realtime_ns ||
	    rec->boottime_ns / 1000000 > now_ms() || !rec->count)
		return 0;
	if (rec->ring >= RDMAEV_RINGS &&
	    (rec->ring != RDMAEV_RING_ANY || rec->kind != RDMAEV_KIND_LOST))
		return 0;
	if (rec->object_type > RDMAEV_OBJECT_WQ || rec->source > RDMAEV_SOURCE_OBSERVER ||
	    rec->severity < RDMAEV_SEVERITY_INFO || rec->severity > RDMAEV_SEVERITY_ERROR)
		return 0;
	/* Each record of a device has its index and generation. */
	if (!is_name(rec->device_name, sizeof(rec->device_name)) ||
	    !rec->device_name[0] != !rec->generation)
		return 0;
	return is_body(rec) && !has_pointer(rec);
}

/* Check that a record is as documented in the header. */
void check_record(const struct rdmaev_record *rec)
{
	if (!is_record(rec)) {
		fuzz.arg = rec;
		fuzz.arg_size = sizeof(*rec);
		bad("no proper record");
	}
}
