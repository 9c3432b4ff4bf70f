// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Outages of ports: arithmetic of their times. port.c decides from events and
 * queries when one begins and ends, and holds the locks.
 *
 * All times are CLOCK_BOOTTIME: time in suspend counts.
 */
#include <linux/minmax.h>
#include <uapi/rdma/rdmaev.h>

#include "outage.h"

/* Events may be handled out of order. An outage that was seen takes time. */
static u64 outage_time(u64 from, u64 to)
{
	return to > from ? to - from : 1;
}

/**
 * rdmaev_history_down - note that an event reports the port as down
 * @history: history
 * @ns: time of the event
 * @seq: its seq
 */
void rdmaev_history_down(struct rdmaev_outage_history *history, u64 ns,
			 u64 seq)
{
	if (history->down_ns && !history->up_ns)
		return;
	if (history->down_ns) {
		history->last_ns = outage_time(history->down_ns,
					       history->up_ns);
		history->last_since_ns = history->down_ns;
		history->sum_ns += history->last_ns;
		history->longest_ns = max(history->longest_ns,
					  history->last_ns);
	}
	history->down_ns = ns;
	history->down_seq = seq;
	history->up_ns = 0;
}

/** rdmaev_history_up - note that an event reports the port as ACTIVE */
void rdmaev_history_up(struct rdmaev_outage_history *history, u64 ns)
{
	u64 *up = history->down_ns ? &history->up_ns : &history->back_ns;

	if (!*up)
		*up = ns;
}

/**
 * rdmaev_history_put_back - put back a history that no query has matched
 * @history: what was noted since
 * @older: what was taken from it
 */
void rdmaev_history_put_back(struct rdmaev_outage_history *history,
			     const struct rdmaev_outage_history *older)
{
	struct rdmaev_outage_history all = *older;

	if (history->back_ns)
		rdmaev_history_up(&all, history->back_ns);
	if (history->down_ns) {
		rdmaev_history_down(&all, history->down_ns, history->down_seq);
		all.sum_ns += history->sum_ns;
		all.longest_ns = max(all.longest_ns, history->longest_ns);
		if (history->last_ns) {
			all.last_ns = history->last_ns;
			all.last_since_ns = history->last_since_ns;
		}
		if (history->up_ns)
			rdmaev_history_up(&all, history->up_ns);
	}
	*history = all;
}

/**
 * rdmaev_history_pop_down - take the begin of the only outage in a history
 * @history: history; what remains is the end of that outage
 * @from: its @down_ns and @down_seq are set
 *
 * Changes nothing if there is no outage, or more than one.
 */
void rdmaev_history_pop_down(struct rdmaev_outage_history *history,
			     struct rdmaev_outage_history *from)
{
	if (!history->down_ns || history->sum_ns)
		return;
	from->down_ns = history->down_ns;
	from->down_seq = history->down_seq;
	history->back_ns = history->up_ns;
	history->down_ns = 0;
	history->up_ns = 0;
}

/**
 * rdmaev_outage_begin - begin the outage of a port
 * @outage: outage of the port, which has none
 * @ns: when it began
 * @seq: seq of the record that took the port down, 0: none
 * @flags: RDMAEV_OUTAGE_*
 */
void rdmaev_outage_begin(struct rdmaev_outage *outage, u64 ns, u64 seq,
			 u32 flags)
{
	outage->since_ns = ns;
	outage->seq = seq;
	outage->reported_seq = 0;
	outage->flags = flags;
	outage->admin_since_ns = 0;
	outage->admin_ns = 0;
}

/**
 * rdmaev_outage_set_admin - note whether the network device is down
 * @outage: outage that goes on
 * @is_down: it is
 * @ns: since when
 */
void rdmaev_outage_set_admin(struct rdmaev_outage *outage, bool is_down,
			     u64 ns)
{
	if (is_down == !!outage->admin_since_ns)
		return;
	if (is_down) {
		outage->flags |= RDMAEV_OUTAGE_ADMIN;
		outage->admin_since_ns = ns;
	} else {
		outage->admin_ns += outage_time(outage->admin_since_ns, ns);
		outage->admin_since_ns = 0;
	}
}

/** rdmaev_outage_at - return the times of an outage as if it ended at @ns */
struct rdmaev_outage_times
rdmaev_outage_at(const struct rdmaev_outage *outage, u64 ns)
{
	struct rdmaev_outage_times times = {
		.since_ns = outage->since_ns,
		.ns = outage_time(outage->since_ns, ns),
		.admin_ns = outage->admin_ns,
		.flags = outage->flags,
	};

	if (outage->admin_since_ns)
		times.admin_ns += outage_time(outage->admin_since_ns, ns);
	/* The network device is looked at later than the event is received. */
	times.admin_ns = min(times.admin_ns, times.ns);
	return times;
}

/**
 * rdmaev_outage_end - end an outage and add it to the sums
 * @outage: outage that goes on
 * @ns: when it ended
 * @flags: RDMAEV_OUTAGE_END_FOUND or 0
 *
 * Return: its times.
 */
struct rdmaev_outage_times
rdmaev_outage_end(struct rdmaev_outage *outage, u64 ns, u32 flags)
{
	struct rdmaev_outage_times times = rdmaev_outage_at(outage, ns);

	times.flags |= flags;
	outage->last_ns = times.ns;
	outage->longest_ns = max(outage->longest_ns, times.ns);
	outage->total_ns += times.ns;
	outage->total_admin_ns += times.admin_ns;
	rdmaev_outage_begin(outage, 0, 0, 0);
	return times;
}

/**
 * rdmaev_outage_add - add outages that only events show to the sums
 * @outage: outage of the port
 * @history: its outages have all ended
 * @up_ns: end of the last one, if no event reports it
 *
 * Return: sum of their times, with the beginning of the last one.
 */
struct rdmaev_outage_times
rdmaev_outage_add(struct rdmaev_outage *outage,
		  const struct rdmaev_outage_history *history, u64 up_ns)
{
	struct rdmaev_outage_times times = {
		.since_ns = history->down_ns ?: history->last_since_ns,
		.ns = history->sum_ns,
	};
	u64 last = history->last_ns, longest = history->longest_ns;

	if (history->down_ns) {
		if (!history->up_ns)
			times.flags |= RDMAEV_OUTAGE_END_FOUND;
		last = outage_time(history->down_ns, history->up_ns ?: up_ns);
		times.ns += last;
	}
	if (!times.ns)
		return times;
	outage->last_ns = last;
	outage->longest_ns = max3(outage->longest_ns, longest, last);
	outage->total_ns += times.ns;
	return times;
}
