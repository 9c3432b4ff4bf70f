/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a probe is doing, whether it takes too long, and the records of that */
#ifndef PROBE_WATCH_H
#define PROBE_WATCH_H

#include "probe.h"

extern struct workqueue_struct *probe_wq;

unsigned int probe_late_ms(void);
unsigned int probe_lost_ms(void);
void probe_call(struct probe_port *port, unsigned int call);
void probe_watch_begin(struct probe_port *port);
void probe_watch_end(struct probe_port *port);
void probe_watch_work(struct work_struct *work);
void probe_set_state(struct probe_port *port, unsigned int state);
void probe_set_method(struct probe_port *port, unsigned int method);
void probe_set_objects(struct probe_port *port, u32 qp, u32 cq);
void probe_trouble(struct probe_port *port, unsigned int code,
		   const struct rdmaev_probe_body *about);
void probe_trouble_end(struct probe_port *port);
void probe_trouble_forget(struct probe_port *port);

#endif /* PROBE_WATCH_H */
