// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Connections of rdma_cm, while the observer is loaded: events that end or
 * refuse one are records, others are frequent and only counted. A table has the
 * process that uses an rdma_cm_id of a program, and the QP that it connects:
 * ib_core does not show either.
 */
#include <linux/export.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <net/ipv6.h>
#include <rdma/ib.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "cause.h"
#include "cm.h"
#include "device/access.h"
#include "device/count.h"
#include "device/device.h"
#include "device/device_table.h"
#include "device/payer.h"
#include "log/catalogue.h"
#include "log/log.h"
#include "object_table.h"
#include "qp.h"

/**
 * struct cm_entry - what is known of an rdma_cm_id
 * @obj: its entry in the table
 * @resolve_ns: CLOCK_BOOTTIME of the first request to resolve an address; 0: there
 *	was none, or the connection is established
 * @owner: process that used it last, as it was then. This and the rest only of an
 *	id of a program
 * @qp: number of its QP, as the program has it
 * @has_qp: @qp was set
 * @is_owner: a QP with this number belonged to @owner
 *
 * Of a program, from the first request to bind, resolve, connect or accept until the
 * id is destroyed; of an incoming connection, from its CONNECT_REQUEST on. Until the
 * process accepts it, the connection belongs to the process that listens, but its
 * records and its entry count for RDMAEV_PAYER_INCOMING: anybody can connect. Of a
 * ULP, from the first request to resolve until it is connected or destroyed.
 */
struct cm_entry {
	struct rdmaev_object obj;
	u64 resolve_ns;
	struct rdmaev_owner owner;
	u32 qp;
	bool has_qp;
	bool is_owner;
};

#define REFUSED_BITS	12

/*
 * Ids that got no entry because a share was full, and the payer of that share. Their
 * events count for this payer. Ids that are older than the observer have no entry
 * either, and an unknown payer: a user with more ids than his share must not use up
 * the records of these. An id replaces another with the same hash, so a user with
 * thousands of ids beyond his share can still do that. Protected by
 * rdmaev_objects_lock.
 */
static struct cm_refused {
	const struct rdma_cm_id *id;
	u32 payer;
} cm_refused[1 << REFUSED_BITS];

static struct cm_refused *cm_refused_slot(const struct rdma_cm_id *id)
{
	return &cm_refused[hash_ptr(id, REFUSED_BITS)];
}

static void cm_refuse(const struct rdma_cm_id *id, u32 payer)
{
	*cm_refused_slot(id) = (struct cm_refused) { .id = id, .payer = payer };
}

static u32 cm_refused_payer(const struct rdma_cm_id *id)
{
	const struct cm_refused *refused = cm_refused_slot(id);

	return refused->id == id ? refused->payer : RDMAEV_PAYER_UNKNOWN;
}

/** rdmaev_cms_forget - forget ids without an entry, as rdmaev_observe_forget() */
void rdmaev_cms_forget(void)
{
	raw_spin_lock_irq(&rdmaev_objects_lock);
	memset(cm_refused, 0, sizeof(cm_refused));
	raw_spin_unlock_irq(&rdmaev_objects_lock);
}

static struct cm_entry *cm_entry_of(struct rdmaev_object *obj)
{
	return obj ? container_of(obj, struct cm_entry, obj) : NULL;
}

/* Called with rdmaev_objects_lock held, as the next ones. */
static struct cm_entry *cm_find(const struct rdma_cm_id *id)
{
	return cm_entry_of(rdmaev_object_find(RDMAEV_SHARE_CONNECTIONS, id));
}

/* Find the entry of an id of a program. */
static struct cm_entry *cm_find_user(const struct rdma_cm_id *id)
{
	struct cm_entry *entry = cm_find(id);

	return entry && rdmaev_object_is_user(&entry->obj) ? entry : NULL;
}

static struct cm_entry *cm_add(const struct rdma_cm_id *id, bool is_user, u32 payer)
{
	struct cm_entry *entry = cm_find(id);

	/* Its end was missed, or another one pays from now on. */
	if (entry)
		rdmaev_object_remove(&entry->obj);
	entry = cm_entry_of(rdmaev_object_add(RDMAEV_SHARE_CONNECTIONS, id, is_user,
					      payer));
	if (entry) {
		entry->resolve_ns = 0;
		entry->has_qp = false;
	} else if (is_user) {
		cm_refuse(id, payer);
	}
	return entry;
}

/* The context of an id is never dereferenced, it is only a second key. */
static void cm_set_context(struct cm_entry *entry, const struct rdma_cm_id *id)
{
	u64 context = (uintptr_t)id->context;

	rdmaev_object_set_number(&entry->obj, upper_32_bits(context),
				 lower_32_bits(context));
}

/*
 * Find the listening id of a new connection. Both ids have the same context. If the
 * program listens on all devices, the context is the listening id.
 */
static struct cm_entry *cm_find_listener(const struct rdma_cm_id *id)
{
	u64 context = (uintptr_t)id->context;

	return cm_entry_of(rdmaev_object_find_number(RDMAEV_SHARE_CONNECTIONS,
						     upper_32_bits(context),
						     lower_32_bits(context))) ?:
	       cm_find_user(id->context);
}

/*
 * Has the id a QP? Its program may name any number: it counts once a QP of the
 * same owner has had it, until a QP of another owner has it. Called with
 * rdmaev_objects_lock held.
 */
static bool cm_owns_qp(struct cm_entry *entry, const struct rdma_cm_id *id)
{
	const struct ib_device *ib = READ_ONCE(id->device);

	if (!entry->has_qp || !ib)
		return entry->has_qp && entry->is_owner;
	switch (rdmaev_qp_belongs_to(ib->index, entry->qp, &entry->owner)) {
	case RDMAEV_QP_NOT_KNOWN:
		break;
	case RDMAEV_QP_OF_OWNER:
		entry->is_owner = true;
		break;
	case RDMAEV_QP_OF_OTHERS:
		entry->is_owner = false;
		break;
	}
	return entry->is_owner;
}

/**
 * rdmaev_cm_used - note that the current process uses an rdma_cm_id
 * @id: id of a program, its caller holds it
 * @param: parameters of a request to connect or accept; NULL: it has none
 *
 * Context: any but NMI, in the thread that makes the request.
 */
void rdmaev_cm_used(const struct rdma_cm_id *id,
		    const struct rdma_conn_param *param)
{
	struct rdmaev_owner owner;
	struct cm_entry *entry;
	unsigned long flags;

	if (!in_task() || current->flags & PF_KTHREAD)
		return;
	rdmaev_owner_init(&owner, current);
	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = cm_find_user(id);
	/* A process that accepts it pays for it from now on. */
	if (!entry || entry->owner.payer == RDMAEV_PAYER_INCOMING) {
		entry = cm_add(id, true, owner.payer);
		if (entry)
			cm_set_context(entry, id);
	}
	if (entry) {
		entry->owner = owner;
		if (param) {
			entry->qp = param->qp_num;
			entry->has_qp = true;
			entry->is_owner = false;
			cm_owns_qp(entry, id);
		}
	}
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
}
EXPORT_SYMBOL_GPL(rdmaev_cm_used);

/**
 * rdmaev_cm_resolve - note that the owner of an rdma_cm_id has an address resolved
 * @id: id, its caller holds it
 * @is_user: the owner is a program, which is the current process
 *
 * Context: any but NMI, in the thread that makes the request.
 */
void rdmaev_cm_resolve(const struct rdma_cm_id *id, bool is_user)
{
	struct cm_entry *entry;
	unsigned long flags;

	if (is_user)
		rdmaev_cm_used(id, NULL);
	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = is_user ? cm_find_user(id) : cm_find(id) ?: cm_add(id, false, 0);
	if (entry && !entry->resolve_ns)
		entry->resolve_ns = ktime_get_boottime_ns();
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
}
EXPORT_SYMBOL_GPL(rdmaev_cm_resolve);

/*
 * How long the id has been connecting, since it was asked to resolve an address; 0:
 * unknown, or it is not connecting.
 */
static u64 cm_connecting_ns(const struct rdma_cm_id *id, unsigned int event)
{
	struct cm_entry *entry;
	unsigned long flags;
	u64 ns = 0;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = cm_find(id);
	if (entry && entry->resolve_ns) {
		ns = ktime_get_boottime_ns() - entry->resolve_ns;
		if (rdmaev_cm_is_accepted(event)) {
			entry->resolve_ns = 0;
			if (!rdmaev_object_is_user(&entry->obj))
				rdmaev_object_remove(&entry->obj);
		}
	}
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return ns;
}

/**
 * rdmaev_cm_destroyed - note that an rdma_cm_id is about to be destroyed
 * @id: id
 *
 * Context: any but NMI.
 */
void rdmaev_cm_destroyed(const struct rdma_cm_id *id)
{
	struct cm_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = cm_find(id);
	if (entry)
		rdmaev_object_remove(&entry->obj);
	if (cm_refused_slot(id)->id == id)
		cm_refused_slot(id)->id = NULL;
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
}
EXPORT_SYMBOL_GPL(rdmaev_cm_destroyed);

/*
 * Note an incoming connection. If the listening id has no entry, it is that of a ULP,
 * or of a program that is older than the observer.
 */
static void cm_note_incoming(const struct rdma_cm_id *id)
{
	struct cm_entry *listener, *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	listener = cm_find_listener(id);
	if (!listener) {
		cm_refuse(id, RDMAEV_PAYER_INCOMING);
	} else if (!cm_find_user(id)) {
		entry = cm_add(id, true, RDMAEV_PAYER_INCOMING);
		if (entry) {
			entry->owner = listener->owner;
			entry->owner.payer = RDMAEV_PAYER_INCOMING;
		}
	}
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
}

/*
 * Copy an address, an IPv4 address as an IPv4-mapped one. Returns false if
 * there is none: not bound, or not resolved yet.
 */
static bool cm_set_addr(const struct sockaddr_storage *from, u8 *addr,
			u16 *port)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;
	const struct sockaddr_ib *ib = (const struct sockaddr_ib *)from;
	struct in6_addr mapped;

	switch (from->ss_family) {
	case AF_INET:
		ipv6_addr_set_v4mapped(in->sin_addr.s_addr, &mapped);
		memcpy(addr, &mapped, sizeof(mapped));
		*port = ntohs(in->sin_port);
		return in->sin_addr.s_addr || *port;
	case AF_INET6:
		memcpy(addr, &in6->sin6_addr, sizeof(in6->sin6_addr));
		*port = ntohs(in6->sin6_port);
		return !ipv6_addr_any(&in6->sin6_addr) || *port;
	case AF_IB:
		memcpy(addr, &ib->sib_addr, sizeof(ib->sib_addr));
		/* The rest of the service ID is the port space. */
		*port = (u16)be64_to_cpu(ib->sib_sid);
		return !ib_addr_any(&ib->sib_addr) || *port;
	default:
		return false;
	}
}

static void cm_set_addrs(struct rdmaev_cm_body *body,
			 const struct rdma_addr *addr)
{
	body->family = addr->src_addr.ss_family ?: addr->dst_addr.ss_family;
	if (cm_set_addr(&addr->src_addr, body->local_addr, &body->local_port))
		body->info.known |= RDMAEV_KNOWN_LOCAL_ADDR;
	else
		memset(body->local_addr, 0, sizeof(body->local_addr));
	if (cm_set_addr(&addr->dst_addr, body->peer_addr, &body->peer_port))
		body->info.known |= RDMAEV_KNOWN_PEER_ADDR;
	else
		memset(body->peer_addr, 0, sizeof(body->peer_addr));
}

/* Set QP and owner of an id of a program. Returns who pays for it. */
static u32 cm_set_user(struct rdmaev_record *rec, const struct rdma_cm_id *id)
{
	struct cm_entry *entry;
	unsigned long flags;
	u32 payer;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = cm_find_user(id);
	if (entry) {
		payer = rdmaev_record_set_owner(rec, &entry->owner, NULL);
		if (cm_owns_qp(entry, id)) {
			rec->object = entry->qp;
			rec->body.info.known |= RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_CLAIMED;
		}
	} else {
		payer = cm_refused_payer(id);
	}
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return payer;
}

/*
 * Set QP and owner of an id of a ULP. The ULP may be destroying the QP, so only
 * its address is used.
 */
static void cm_set_ulp(struct rdmaev_record *rec, const struct rdma_cm_id *id,
		       const char *module)
{
	struct rdmaev_cm_body *body = &rec->body.cm;
	const struct ib_qp *qp = READ_ONCE(id->qp);
	struct rdmaev_object_info info = {};
	struct rdmaev_peer peer;

	if (qp && rdmaev_qp_known(qp, &rec->object, &info, &peer)) {
		body->info.known |= RDMAEV_KNOWN_OBJECT |
				    (info.known & RDMAEV_KNOWN_PEER_QPN);
		body->peer_qpn = peer.qpn;
	}
	strscpy(body->info.owner, info.owner[0] ? info.owner : module,
		sizeof(body->info.owner));
}

/* Called under RCU. */
static void cm_record(struct rdmaev_dev *dev, struct rdmaev_record *rec,
		      const struct rdma_cm_id *id, int status, u64 connecting_ns,
		      const char *module, bool is_user)
{
	struct rdmaev_cm_body *body = &rec->body.cm;
	u32 payer = RDMAEV_PAYER_UNKNOWN;

	if (is_user)
		rec->ring = RDMAEV_RING_USER;
	memset(&rec->body, 0, sizeof(rec->body));
	body->status = status;
	body->port_space = id->ps;
	body->connecting_ns = connecting_ns;
	cm_set_addrs(body, &id->route.addr);
	if (id->qp_type <= U8_MAX) {
		body->info.qp_type = id->qp_type;
		body->info.known |= RDMAEV_KNOWN_QP_TYPE;
	}
	if (is_user)
		payer = cm_set_user(rec, id);
	else
		cm_set_ulp(rec, id, module);
	rdmaev_record(dev, rec, payer);
}

/*
 * Is a connection that was accepted worth a record, after it was connecting for so
 * long? A job of programs connects by thousands. A ULP does seldom, and if it had lost
 * a connection, this is the end of that.
 */
static bool cm_is_worth_record(u64 connecting_ns, bool is_user)
{
	return connecting_ns > (is_user ? RDMAEV_CM_LONG_NS : 0);
}

/**
 * rdmaev_cm_event - report an event on its way to the owner of an rdma_cm_id
 * @id: id, its caller holds it
 * @event: number of the event
 * @status: its status
 * @module: module of the handler that gets it, empty: none
 * @is_user: the handler is that of programs
 *
 * Context: any but NMI.
 */
void rdmaev_cm_event(const struct rdma_cm_id *id, unsigned int event,
		     int status, const char *module, bool is_user)
{
	struct rdmaev_record rec __uninitialized;
	const struct ib_device *ib = READ_ONCE(id->device);
	u64 connecting_ns = cm_connecting_ns(id, event);
	struct rdmaev_dev *dev = NULL;

	rdmaev_record_begin(&rec, RDMAEV_KIND_CM, RDMAEV_SOURCE_OBSERVER);
	rdmaev_record_set_code(&rec, event);
	rcu_read_lock();
	if (ib) {
		dev = rdmaev_device_of(ib);
		rec.device = ib->index;
		rec.generation = dev ? dev->generation : 0;
		/* 0 before it is bound to a port */
		if (rdma_is_port_valid(ib, id->port_num))
			rec.port = id->port_num;
	}
	if (event == RDMA_CM_EVENT_CONNECT_REQUEST)
		cm_note_incoming(id);
	if (connecting_ns && rdmaev_cm_is_accepted(event))
		rdmaev_count_connecting(dev, connecting_ns);
	if (rdmaev_cm_is_recorded(event) ||
	    (rdmaev_cm_is_accepted(event) && cm_is_worth_record(connecting_ns, is_user)))
		cm_record(dev, &rec, id, status, connecting_ns, module, is_user);
	else
		rdmaev_count(dev, rec.port, RDMAEV_KIND_CM, rec.code);
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(rdmaev_cm_event);

/** rdmaev_cms_observe_begin - prepare the table; 0 or -ENOMEM */
int rdmaev_cms_observe_begin(void)
{
	rdmaev_cms_forget();
	return rdmaev_objects_begin(RDMAEV_SHARE_CONNECTIONS,
				    sizeof(struct cm_entry), NULL);
}
