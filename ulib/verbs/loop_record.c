// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Records of the host's log: joined with the event of libibverbs that they are
 * about, or events of their own.
 */
#include <errno.h>
#include <string.h>

#include "loop.h"

/* Records read at a time */
#define BATCH 16

/* What an event and a record about it have in common */
static bool record_fits(const struct rdmaev_record *record, const struct recent *r)
{
	if (record->kind != RDMAEV_KIND_ASYNC || record->code != r->code ||
	    record->object_type != r->object_type || !r->context ||
	    strcmp(record->device_name, ibv_get_device_name(r->context->device)))
		return false;
	switch (r->object_type) {
	case RDMAEV_OBJECT_QP:
	case RDMAEV_OBJECT_WQ:
		return record->object == r->number;
	case RDMAEV_OBJECT_PORT:
		return record->port == r->port;
	case RDMAEV_OBJECT_DEVICE:
		return true;
	default:
		/* libibverbs has no number of a CQ or SRQ */
		return false;
	}
}

static struct recent record_key(const struct rdmaev_verbs_event *ev)
{
	return (struct recent) {
		.id = ev->id,
		.code = ev->code,
		.object_type = ev->object_type,
		.number = ev->number,
		.port = ev->port,
		.context = ev->context,
	};
}

void loop_match_queued(struct rdmaev_loop *loop, struct rdmaev_verbs_event *ev)
{
	struct recent key = record_key(ev);
	unsigned int i;

	for (i = 0; i < loop->count; i++) {
		struct rdmaev_verbs_event *other = loop_queued(loop, i);

		if (other->type != RDMAEV_VERBS_RECORD || other->of ||
		    !record_fits(&other->record, &key))
			continue;
		/* The record's place is the right one: the log is in order. */
		ev->record = other->record;
		*other = *ev;
		loop->count--;
		return;
	}
}

/* An event that still waits for its record; true if there was one */
static bool record_join(struct rdmaev_loop *loop, const struct rdmaev_record *record)
{
	unsigned int i;

	for (i = 0; i < loop->count; i++) {
		struct rdmaev_verbs_event *ev = loop_queued(loop, i);
		struct recent key = record_key(ev);

		if (ev->type == RDMAEV_VERBS_ASYNC && !ev->record.seq &&
		    record_fits(record, &key)) {
			ev->record = *record;
			return true;
		}
	}
	return false;
}

/* The oldest event that was returned without this record; 0: none */
static uint64_t record_of(struct rdmaev_loop *loop, const struct rdmaev_record *record)
{
	unsigned int i;

	for (i = 0; i < RECENT_MAX; i++) {
		struct recent *r = &loop->recent[(loop->recent_at + i) % RECENT_MAX];
		uint64_t id = r->id;

		if (id && record_fits(record, r)) {
			r->id = 0;
			return id;
		}
	}
	return 0;
}

/* The QP or WQ of the program that a record is about */
static bool record_is_about(const struct entry *e, const void *arg)
{
	const struct rdmaev_record *record = arg;
	const struct ibv_qp *qp = e->object;
	const struct ibv_wq *wq = e->object;

	if (!(e->kind == ENTRY_QP && record->object_type == RDMAEV_OBJECT_QP &&
	      record->object == qp->qp_num) &&
	    !(e->kind == ENTRY_WQ && record->object_type == RDMAEV_OBJECT_WQ &&
	      record->object == wq->wq_num))
		return false;
	return !strcmp(record->device_name, ibv_get_device_name(e->context->device));
}

static void record_queue(struct rdmaev_loop *loop, const struct entry *reader,
			 const struct rdmaev_record *record)
{
	struct rdmaev_verbs_event *ev;
	const struct entry *e;

	if (record_join(loop, record))
		return;
	ev = loop_push(loop);
	if (!ev)
		return;
	e = loop_search(loop, record_is_about, record);
	if (!e)
		e = reader;
	ev->type = RDMAEV_VERBS_RECORD;
	ev->code = record->code;
	ev->object_type = record->object_type;
	ev->number = record->object;
	ev->port = record->port;
	ev->of = record_of(loop, record);
	ev->record = *record;
	ev->user = e->user;
	ev->object = (void *)(uintptr_t)e->object;
	ev->context = e->context;
	event_set_words(ev, record->kind);
}

void loop_record_collect(struct rdmaev_loop *loop, struct entry *reader)
{
	struct rdmaev *h = (void *)(uintptr_t)reader->object;
	struct rdmaev_record records[BATCH];
	ssize_t n, i;

	while (loop->count + BATCH <= QUEUE_MAX) {
		n = rdmaev_wait(h, 0);
		if (n > 0)
			n = rdmaev_read(h, records, BATCH);
		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			loop_push_hangup(loop, reader, errno);
			loop_unwatch(loop, reader);
		}
		if (n <= 0)
			return;
		for (i = 0; i < n; i++)
			record_queue(loop, reader, &records[i]);
	}
}
