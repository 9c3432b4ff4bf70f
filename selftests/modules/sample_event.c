// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The events of a connection, kept in their order */
#include "sample.h"

/**
 * sample_note_event - keep an event for reading
 * @end: end that it is about
 * @object: qp, cq or srq
 * @number: its number
 * @code: &enum ib_event_type
 *
 * Context: any, as event handlers are.
 */
void sample_note_event(struct sample_end *end, const char *object, u32 number,
		       unsigned int code)
{
	struct sample_conn *conn = end->conn;
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	if (conn->events < SAMPLE_EVENTS) {
		conn->event[conn->events] = (struct sample_event) {
			.end = end,
			.object = object,
			.number = number,
			.code = code,
		};
	}
	conn->events++;
	spin_unlock_irqrestore(&conn->lock, flags);
	wake_up(&conn->wait);
}
