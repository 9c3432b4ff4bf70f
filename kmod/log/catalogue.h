/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RDMAEV_CATALOGUE_H
#define RDMAEV_CATALOGUE_H

#include <linux/types.h>

/**
 * struct rdmaev_event_facts - properties of all events of a number
 * @object_type: &enum rdmaev_object_type
 * @severity: &enum rdmaev_severity
 * @ring: &enum rdmaev_ring
 * @affiliated: element of the event is a QP, CQ, SRQ or WQ
 */
struct rdmaev_event_facts {
	u8 object_type;
	u8 severity;
	u8 ring;
	bool affiliated;
};

struct rdmaev_event_facts rdmaev_event_facts(unsigned int event);
unsigned int rdmaev_cm_severity(unsigned int event);
const char *rdmaev_event_name(unsigned int kind, unsigned int code);

#endif /* RDMAEV_CATALOGUE_H */
