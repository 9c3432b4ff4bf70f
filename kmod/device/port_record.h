/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Records of what a query has found changed */
#ifndef RDMAEV_PORT_RECORD_H
#define RDMAEV_PORT_RECORD_H

#include "device.h"
#include "port_query.h"

/**
 * struct rdmaev_port_events - data from event handlers for a query
 * @pending: an event or a retry requests the query
 * @attr: which includes a query of the driver
 * @reported: as in &struct rdmaev_dev_port, and the next three
 * @outages: outages reported by events since the last query
 * @history: times of these outages
 * @cause: seq of the newest event about each &enum rdmaev_port_code
 */
struct rdmaev_port_events {
	bool pending;
	bool attr;
	unsigned int reported;
	u32 outages;
	struct rdmaev_outage_history history;
	u64 cause[RDMAEV_PORT_CODES];
};

void rdmaev_port_note_link(struct rdmaev_dev_port *port);
s64 rdmaev_port_outage_left(const struct rdmaev_dev_port *port, u64 now);
void rdmaev_port_report_outage(struct rdmaev_dev *dev,
			       struct rdmaev_dev_port *port, u64 ns);
void rdmaev_port_cmp_values(struct rdmaev_dev *dev,
			    struct rdmaev_dev_port *port,
			    const struct rdmaev_port_query *res,
			    const struct rdmaev_port_events *events);
void rdmaev_port_report_unseen(struct rdmaev_dev *dev,
			       struct rdmaev_dev_port *port,
			       const struct rdmaev_port_events *events,
			       u32 outages);
void rdmaev_port_cmp_pkeys(struct rdmaev_dev *dev,
			   struct rdmaev_dev_port *port,
			   const struct rdmaev_port_events *events);
void rdmaev_port_cmp_gids(struct rdmaev_dev *dev,
			  struct rdmaev_dev_port *port,
			  const struct rdmaev_port_events *events);
u64 rdmaev_port_report_query(struct rdmaev_dev *dev,
			     struct rdmaev_dev_port *port, unsigned int code,
			     u64 cause, u64 ns);

#endif /* RDMAEV_PORT_RECORD_H */
