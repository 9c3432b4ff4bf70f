/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Is a port well? */
#ifndef ULIB_HEALTH_H
#define ULIB_HEALTH_H

#include "history.h"
#include "link_modes.h"
#include "option/arguments.h"
#include "parts.h"
#include "snapshot.h"

/* Recent outages from which on a port counts as flapping */
#define FLAPPING_OUTAGES	3

/**
 * enum health - summary of a port, the worst last
 * @HEALTH_OK: ACTIVE
 * @HEALTH_NEVER_ACTIVE: never ACTIVE since the module knows it, which is no problem
 * @HEALTH_UNKNOWN: no query has succeeded, or the device is being removed
 * @HEALTH_DEGRADED: ACTIVE, but with a condition; or ACTIVE when its driver last
 *	answered
 * @HEALTH_DOWN: not ACTIVE any more, or its device has failed or does not complete requests
 */
enum health {
	HEALTH_OK,
	HEALTH_NEVER_ACTIVE,
	HEALTH_UNKNOWN,
	HEALTH_DEGRADED,
	HEALTH_DOWN,
};

/* Conditions, as bits */
#define CONDITION_DOWN		(1U << 0)	/* not ACTIVE, and was or should be */
#define CONDITION_SLOW		(1U << 1)	/* the link was, or could be, faster */
#define CONDITION_FLAPPING	(1U << 2)	/* maybe FLAPPING_OUTAGES in an hour */
#define CONDITION_STALLED	(1U << 3)	/* CQs of the device are stalled */
#define CONDITION_STUCK		(1U << 4)	/* a query does not return */
#define CONDITION_PROBE_LATE	(1U << 5)	/* its probe is late */
#define CONDITION_NOT_COMPLETING (1U << 6)	/* its probe fails */
#define CONDITION_INCOMPLETE	(1U << 7)	/* it lacks a node */
#define CONDITION_FAILED	(1U << 8)	/* its device reported DEVICE_FATAL */
#define CONDITIONS		9

/**
 * struct port_health - a port and what is known of its health
 * @device: its device
 * @port: the port
 * @history: what the log has about it
 * @modes: what its Ethernet link could do
 * @stalled: number of stalled CQs of its device
 * @failures: number of DEVICE_FATAL events of its device since it was added
 * @failed_ns: CLOCK_BOOTTIME of the last of them
 * @probe: its probe; of a port without one all is zero
 * @missing: RDMAEV_PART_* that it lacks
 * @openable: can programs open its device?
 * @conditions: CONDITION_*
 * @health: summary
 * @is_acked: all conditions were acknowledged (rdmaev ack)
 */
struct port_health {
	const struct rdmaev_device *device;
	const struct rdmaev_port *port;
	const struct history *history;
	struct link_modes modes;
	uint32_t stalled;
	uint32_t failures;
	uint64_t failed_ns;
	struct rdmaev_probe probe;
	uint32_t missing;
	enum openable openable;
	uint32_t conditions;
	enum health health;
	bool is_acked;
};

/**
 * struct host_health - all selected ports
 * @s: devices and ports
 * @before: those that they were before, see take_before()
 * @history: of each port
 * @instance: of the log
 * @expects_active: a port that was never ACTIVE is down
 * @is_unloaded: no program can open a device: ib_uverbs is not loaded
 * @list: ports, @count of them
 */
struct host_health {
	struct snapshot s;
	struct snapshot before;
	struct history *history;
	uint64_t instance;
	bool expects_active;
	bool is_unloaded;
	struct port_health *list;
	size_t count;
};

/*
 * Get the health of the selected ports; all if none is selected. @expects_active is as
 * in &struct host_health. 0, or -1 after a message; call free_health() in either case.
 */
int take_health(struct rdmaev *h, struct host_health *all, bool expects_active,
		const struct target *targets, size_t count, bool again);
void free_health(struct host_health *all);

/* The worst of all ports that are not acknowledged */
enum health worst_health(const struct host_health *all);

/* "ok", "never-active", "unknown", "degraded", "down" */
const char *health_name(enum health health);
/* "down", "slow", ... by number of its bit */
const char *condition_name(unsigned int bit);
/*
 * "DOWN for 3m05s", "2.5 Gb/sec (1X SDR), was 100 Gb/sec (4X EDR); link of 100 Mb/s,
 * both ends can do 1000 Mb/s; ..."
 */
void put_conditions(struct text *t, const struct port_health *port, uint64_t now);

#endif /* ULIB_HEALTH_H */
