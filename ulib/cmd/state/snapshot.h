/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Devices, ports and counters at one time */
#ifndef ULIB_SNAPSHOT_H
#define ULIB_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <rdmaev.h>

#include "text.h"

/**
 * struct snapshot - devices, ports and counters at one time
 * @devices: devices, @devices_count of them
 * @ports: their ports, @ports_count of them
 * @counters: their event counters, @counters_count of them
 * @sums: sums of their CQs, @sums_count of them
 * @seq: newest record that all of them include
 * @now: CLOCK_BOOTTIME
 */
struct snapshot {
	struct rdmaev_device *devices;
	size_t devices_count;
	struct rdmaev_port *ports;
	size_t ports_count;
	struct rdmaev_counter *counters;
	size_t counters_count;
	struct rdmaev_cq_stats *sums;
	size_t sums_count;
	uint64_t seq;
	uint64_t now;
};

/* Devices and ports; with @counters the rest, too. 0, or -1 after a message. */
int take_snapshot(struct rdmaev *h, struct snapshot *s, bool removed, bool counters);
void free_snapshot(struct snapshot *s);

/* A device of the snapshot, or NULL */
const struct rdmaev_device *find_device(const struct snapshot *s, uint32_t generation);

/*
 * Devices and ports with removed ones, if a device of @s is one of those again; else
 * nothing. 0, or -1 after a message.
 */
int take_before(struct rdmaev *h, const struct snapshot *s, struct snapshot *before);

/* All devices, with @removed also removed ones; -1 after a message. Free it. */
ssize_t list_devices(struct rdmaev *h, bool removed, struct rdmaev_device **list,
		     uint64_t *seq);

/* Nanoseconds from @then to the time of the snapshot */
uint64_t age(const struct snapshot *s, uint64_t then);

/* Counter name of an event; events without their own counter share a name. */
void put_counted_name(struct text *t, unsigned int kind, unsigned int code);

/* Names of the sources of a device, and of its counted events */
void put_sources(struct text *t, const struct rdmaev_device *device,
		 void (*put)(struct text *t, const char *name), const char *between);
void put_seen(struct text *t, const struct snapshot *s,
	      const struct rdmaev_device *device,
	      void (*put)(struct text *t, const char *name), const char *between);

/* A name, or the number where there is none */
void put_known(struct text *t, const char *name, uint32_t number);
/* State of a port as a table has it */
void put_port_state(struct text *t, const struct rdmaev_port *port);
/* "queries of the port have failed for 3s: No such device (-19)" */
void put_query_failure(struct text *t, const struct rdmaev_port *port, uint64_t now);

/* {"device":..,"index":..,"generation":.. */
void json_device(struct text *t, const struct rdmaev_device *device);
/* ,"driver":..,"removed":..,"removing":..,"sources":[..] */
void json_knowledge(struct text *t, const struct rdmaev_device *device);
/* ,"state":.. of a port, null while its device is being removed; ,"never_active":.. */
void json_state(struct text *t, const struct rdmaev_port *port);
/* ,"query_error":..,"query_failed_since_ns":.. */
void json_query(struct text *t, const struct rdmaev_port *port);
/* Of a port ,"state_since_ns":.. to ,"down_admin_ns":.. */
void json_history(struct text *t, const struct snapshot *s,
		  const struct rdmaev_port *port);

#endif /* ULIB_SNAPSHOT_H */
