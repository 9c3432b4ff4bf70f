/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Conditions of ports that somebody has acknowledged */
#ifndef ULIB_ACKS_H
#define ULIB_ACKS_H

#include "health.h"

#define ACKS_DIR	"/var/lib/rdmaev"
#define ACKS_FILE	ACKS_DIR "/acks"

/*
 * Set is_acked of the ports whose conditions were acknowledged: the same ones
 * or more, with no outage since, in this boot and load of the module.
 */
void read_acks(struct host_health *all);

/* Acknowledge the conditions of all ports that have any; 0, or -1 after a message */
int write_acks(const struct host_health *all);

#endif /* ULIB_ACKS_H */
