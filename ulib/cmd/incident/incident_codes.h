/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a record says, for rules that join records */
#ifndef ULIB_INCIDENT_CODES_H
#define ULIB_INCIDENT_CODES_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmaev.h>

static inline bool is_code(const struct rdmaev_record *r, unsigned int kind,
			   unsigned int code)
{
	return r->kind == kind && r->code == code;
}

static inline bool is_active(uint64_t state)
{
	return state >= RDMAEV_STATE_ACTIVE;
}

/* The port left ACTIVE. */
static inline bool takes_down(const struct rdmaev_record *r)
{
	return is_code(r, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_PORT_ERR) ||
	       (is_code(r, RDMAEV_KIND_PORT, RDMAEV_PORT_STATE) &&
		is_active(r->body.port.before.number) &&
		!is_active(r->body.port.after.number));
}

/* The port is ACTIVE, or was again. */
static inline bool brings_up(const struct rdmaev_record *r)
{
	return is_code(r, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_PORT_ACTIVE) ||
	       is_code(r, RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE_UNSEEN) ||
	       (is_code(r, RDMAEV_KIND_PORT, RDMAEV_PORT_STATE) &&
		is_active(r->body.port.after.number));
}

static inline bool is_about_port(const struct rdmaev_record *r)
{
	return r->object_type == RDMAEV_OBJECT_PORT && r->port != RDMAEV_NO_PORT;
}

/* It is about the GID table of a port. */
static inline bool is_gid_change(const struct rdmaev_record *r)
{
	return is_code(r, RDMAEV_KIND_PORT, RDMAEV_PORT_GID) ||
	       is_code(r, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_GID_CHANGE);
}

static inline bool is_fatal(const struct rdmaev_record *r)
{
	return is_code(r, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_DEVICE_FATAL);
}

static inline bool is_removal(const struct rdmaev_record *r)
{
	return is_code(r, RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_REMOVE);
}

static inline bool is_about_qp(const struct rdmaev_record *r, uint32_t generation, uint32_t qp)
{
	return r->object_type == RDMAEV_OBJECT_QP && r->generation == generation &&
	       r->object == qp && r->body.info.known & RDMAEV_KNOWN_OBJECT;
}

/* What happens to QPs and connections whose packets get no answer */
bool is_unreachable(const struct rdmaev_record *r);
/*
 * A process that moves its own QP to ERR may do so for any reason, whatever the
 * state of the port; and one that has a kernel module move a QP, as by writing to a
 * file in sysfs, does what a person wants. If the QP failed before, the rule for
 * records of one QP joins them; and if it was to close a connection, and the peer
 * did not answer, the port is the reason for that.
 */
bool is_own_request(const struct rdmaev_record *r);

#endif /* ULIB_INCIDENT_CODES_H */
