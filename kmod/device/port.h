/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Between the files of ports: queries, their comparison, events */
#ifndef RDMAEV_PORT_H
#define RDMAEV_PORT_H

#include "device.h"

/**
 * struct rdmaev_port_query - result of a query, without the tables
 * @value: numeric attributes, by &enum rdmaev_port_code
 * @admin_down: the port is not ACTIVE, and its network device is down
 * @ngids: length of the GID table
 * @npkeys: length of the P_Key table
 */
struct rdmaev_port_query {
	u64 value[RDMAEV_PORT_CODES];
	bool admin_down;
	unsigned int ngids;
	unsigned int npkeys;
};

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

static inline bool rdmaev_port_is_active(u64 state)
{
	return state >= IB_PORT_ACTIVE;
}

int rdmaev_port_query_driver(struct ib_device *ib, unsigned int num,
			     struct rdmaev_port_query *res);
void rdmaev_port_get_gid(struct ib_device *ib, unsigned int num,
			 unsigned int index, struct rdmaev_gid *gid);
u16 rdmaev_port_get_pkey(struct ib_device *ib, unsigned int num,
			 unsigned int index);
int rdmaev_port_make_tables(struct rdmaev_dev_port *port,
			    const struct rdmaev_port_query *res);
u32 rdmaev_port_protocols(struct ib_device *ib, unsigned int num);

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

/* port_stuck.c */
void rdmaev_query_begin(struct rdmaev_dev *dev, struct rdmaev_dev_port *port);
void rdmaev_query_end(struct rdmaev_dev *dev);

#endif /* RDMAEV_PORT_H */
