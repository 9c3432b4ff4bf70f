/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The handler of events of devices and ports */
#ifndef RDMAEV_ASYNC_H
#define RDMAEV_ASYNC_H

struct ib_event;
struct ib_event_handler;

void rdmaev_async_handler(struct ib_event_handler *handler,
			  struct ib_event *event);

#endif /* RDMAEV_ASYNC_H */
