/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Rules about ports that are down or have another hardware address, and devices that fail
 * or are removed
 */
#ifndef ULIB_INCIDENT_PORT_H
#define ULIB_INCIDENT_PORT_H

#include "incident_rules.h"

/* Name and words of the rule, which is also one of GIDs */
#define PORT_DOWN_NAME	"port_down"
#define PORT_DOWN_WORDS	"the port was down"

extern const struct incident_rule device_failed_rule;
extern const struct incident_rule device_removed_rule;
extern const struct incident_rule same_change_rule;
extern const struct incident_rule port_down_rule;
extern const struct incident_rule before_port_down_rule;

/* Note a failure, and what had failed just before a port went down. */
void note_failures(struct incident_log *log, struct rule_state *state, size_t i);

/* Note a connection whose hardware address has changed. */
void note_change(const struct incident_log *log, struct rule_state *state, size_t i);

#endif /* ULIB_INCIDENT_PORT_H */
