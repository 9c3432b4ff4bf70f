/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Parts of the line of an event */
#ifndef ULIB_FORMAT_H
#define ULIB_FORMAT_H

#include <arpa/inet.h>

#include "internal.h"

/* Columns of a line: "rocep1s0f1v12/1", "CM_ADDRINFO_RESOLVED" */
#define COLUMN_DEVICE	15
#define COLUMN_EVENT	20

/* A name in a record, with the NUL that its array need not have */
struct name {
	char text[sizeof(((union rdmaev_origin *)0)->caller) + 1];
};

struct name get_name(const char *array, size_t size);

#define GET_NAME(array)	get_name(array, sizeof(array))

/* Name of the process or ULP that owns the object; "": unknown. */
struct name owner_name(const struct rdmaev_record *r);

/*
 * Owner of the object: "OF NAME[PID]" or "pid PID" after @before, or nothing if
 * neither is known. A process, or the ULP that reported the event.
 */
void put_owner(struct text *t, const char *before, const char *of,
	       const struct rdmaev_record *r);

/* "QP 17" */
void put_object(struct text *t, const struct rdmaev_record *r);
/* Object of an affiliated event */
void put_object_detail(struct text *t, const struct rdmaev_record *r);
/* Peer of a connection: ", peer QP 77 at ::ffff:192.0.2.1" */
void put_peer(struct text *t, uint32_t known, const struct rdmaev_peer *peer);
/* What a failed request asked for besides: " from GID [1] fe80::1, path MTU 1024" */
void put_path(struct text *t, const struct rdmaev_qp_body *body);

/* What a line has after the event: the object, and what happened to it. */
void put_detail(struct text *t, const struct rdmaev_record *r);

/* "rxe0/1", padded to its column */
void put_where(struct text *t, const struct rdmaev_record *r);

/* Colour of the event in a line, "": none */
const char *event_color(const struct rdmaev_record *r);

/* One attribute of a port; @code is an enum rdmaev_port_code */
void put_port_value(struct text *t, unsigned int code,
		    const union rdmaev_port_value *value);

/* A record of a port */
void put_port_detail(struct text *t, const struct rdmaev_record *r);

/* "[1] empty -> ::1": the value of a port attribute before and after */
void put_port_change(struct text *t, const struct rdmaev_record *r);

/* "at least 1.234s": how long an outage was */
void put_outage_time(struct text *t, const struct rdmaev_record *r);

/* "left ACTIVE 2 times between two queries 5ms apart, outage 2" */
void put_unseen_outages(struct text *t, const struct rdmaev_record *r);

/* "Connection timed out (-110)" */
void put_errno(struct text *t, int result);

/* A request for a QP, or its end */
void put_qp_detail(struct text *t, const struct rdmaev_record *r);
/*
 * Requests for QPs of one owner, of which @r is the first: "16 QPs of python3[1234]: RTS -> ERR",
 * with their number @times if that is not @qps, the number of QPs. 0: not known
 */
void put_qps_detail(struct text *t, const struct rdmaev_record *r, size_t qps,
		    unsigned long long times);
/* Others that have no record of their own: "184 more: -> ERR" */
void put_qps_more(struct text *t, const struct rdmaev_record *r, unsigned long long times);

/* An event of rdma_cm */
void put_cm_detail(struct text *t, const struct rdmaev_record *r);

/* " to 192.0.2.2:4420"; nothing if the peer's address is not known */
void put_cm_peer(struct text *t, const struct rdmaev_record *r);

/* The probe of a port */
void put_probe_detail(struct text *t, const struct rdmaev_record *r);
/* "create_qp failed: ...", "a request failed: RETRY_EXC_ERR" */
void put_probe_failure(struct text *t, unsigned int call, int error);

/* An address of struct rdmaev_cm_body; @buf, of INET6_ADDRSTRLEN bytes, has it. */
const char *cm_address(unsigned int family, const uint8_t *addr, char *buf);

#endif /* ULIB_FORMAT_H */
