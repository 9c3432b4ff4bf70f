/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What there is and how often what happened, at one time. */
#ifndef ULIB_SNAPSHOT_H
#define ULIB_SNAPSHOT_H

#include "cmd.h"

/**
 * struct snapshot - devices, ports and counters at one time
 * @devices: devices, @devices_count of them
 * @ports: their ports, @ports_count of them
 * @counters: how often what happened to them, @counters_count of them
 * @sums: what their CQs have counted, @sums_count of them
 * @seq: newest record that all of it takes into account
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

/* All devices, removed ones too with @removed, or -1 after a message; to be freed. */
ssize_t list_devices(struct rdmaev *h, bool removed, struct rdmaev_device **list,
		     uint64_t *seq);

/*
 * Keep the devices and ports asked for, with all that belongs to them; all if none
 * is. 0, or -1 after a message if one is not there. It may have gone @again, and
 * none need be there whose name has a `*`.
 */
int select_targets(struct snapshot *s, const struct target *targets, size_t count,
		   bool again);

/* Nanoseconds from @then to the time of the snapshot */
uint64_t age(const struct snapshot *s, uint64_t then);

/* Name of an event as it is counted: those without a counter of their own as one. */
void put_counted_name(struct text *t, unsigned int kind, unsigned int code);

/* Names of what reports about a device, and of the events that were counted of it */
void put_sources(struct text *t, const struct rdmaev_device *device,
		 void (*put)(struct text *t, const char *name), const char *between);
void put_seen(struct text *t, const struct snapshot *s,
	      const struct rdmaev_device *device,
	      void (*put)(struct text *t, const char *name), const char *between);

/* A name, or the number where there is none */
void put_known(struct text *t, const char *name, uint32_t number);
/* State of a port as a table has it */
void put_port_state(struct text *t, const struct rdmaev_port *port);

/* {"device":..,"index":..,"generation":.. */
void json_device(struct text *t, const struct rdmaev_device *device);
/* ,"driver":..,"removed":..,"removing":..,"sources":[..] */
void json_knowledge(struct text *t, const struct rdmaev_device *device);
/* ,"state":.. of a port, null while its device is being removed */
void json_state(struct text *t, const struct rdmaev_port *port);
/* Of a port ,"state_since_ns":.. to ,"up_longest_ns":.. */
void json_history(struct text *t, const struct snapshot *s,
		  const struct rdmaev_port *port);

#endif /* ULIB_SNAPSHOT_H */
