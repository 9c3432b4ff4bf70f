/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Outages of ports: when they began and ended, and their sums. */
#ifndef RDMAEV_OUTAGE_H
#define RDMAEV_OUTAGE_H

#include <linux/types.h>

/**
 * struct rdmaev_outage_history - what PORT_ERR and PORT_ACTIVE tell since a
 * query
 * @back_ns: time of the first PORT_ACTIVE if the port was down before, 0: none
 * @sum_ns: sum of the outages that began and ended, without the last one
 * @longest_ns: longest of these
 * @last_ns: last of these
 * @last_since_ns: time of the PORT_ERR that began it
 * @down_ns: time of the PORT_ERR that began the last outage, 0: none
 * @down_seq: its seq
 * @up_ns: time of the PORT_ACTIVE that ended the last outage, 0: it goes on
 *
 * Times are CLOCK_BOOTTIME, those of the records of the events.
 *
 * One belongs to the event handlers, under the lock of the port. The query
 * takes it and leaves an empty one. It gives back what it could not match.
 */
struct rdmaev_outage_history {
	u64 back_ns;
	u64 sum_ns;
	u64 longest_ns;
	u64 last_ns;
	u64 last_since_ns;
	u64 down_ns;
	u64 down_seq;
	u64 up_ns;
};

/**
 * struct rdmaev_outage - the outage of a port that is not ACTIVE, and the sums
 * of those that have ended
 * @since_ns: CLOCK_BOOTTIME when it began, 0: the port is ACTIVE, or never was
 * @seq: seq of the record that took the port down, 0: the port was not ACTIVE
 *	when the device was added
 * @reported_seq: seq of its PORT_OUTAGE, 0: none
 * @flags: RDMAEV_OUTAGE_* of this outage
 * @admin_since_ns: CLOCK_BOOTTIME since when its network device is down, 0: it
 *	is not
 * @admin_ns: how long it was down in this outage, until @admin_since_ns
 * @last_ns: duration of the last outage that has ended, 0: none
 * @longest_ns: of the longest
 * @total_ns: sum
 * @total_admin_ns: part of @total_ns with the network device down
 */
struct rdmaev_outage {
	u64 since_ns;
	u64 seq;
	u64 reported_seq;
	u32 flags;
	u64 admin_since_ns;
	u64 admin_ns;
	u64 last_ns;
	u64 longest_ns;
	u64 total_ns;
	u64 total_admin_ns;
};

/**
 * struct rdmaev_outage_times - an outage that has ended, or several
 * @since_ns: CLOCK_BOOTTIME when it began
 * @ns: duration
 * @admin_ns: part of it with the network device down
 * @flags: RDMAEV_OUTAGE_*
 */
struct rdmaev_outage_times {
	u64 since_ns;
	u64 ns;
	u64 admin_ns;
	u32 flags;
};

void rdmaev_history_down(struct rdmaev_outage_history *history, u64 ns,
			 u64 seq);
void rdmaev_history_up(struct rdmaev_outage_history *history, u64 ns);
void rdmaev_history_put_back(struct rdmaev_outage_history *history,
			     const struct rdmaev_outage_history *older);
void rdmaev_history_pop_down(struct rdmaev_outage_history *history,
			     struct rdmaev_outage_history *from);

void rdmaev_outage_begin(struct rdmaev_outage *outage, u64 ns, u64 seq,
			 u32 flags);
void rdmaev_outage_set_admin(struct rdmaev_outage *outage, bool is_down,
			     u64 ns);
struct rdmaev_outage_times
rdmaev_outage_at(const struct rdmaev_outage *outage, u64 ns);
struct rdmaev_outage_times
rdmaev_outage_end(struct rdmaev_outage *outage, u64 ns, u32 flags);
struct rdmaev_outage_times
rdmaev_outage_add(struct rdmaev_outage *outage,
		  const struct rdmaev_outage_history *history, u64 up_ns);
#endif /* RDMAEV_OUTAGE_H */
