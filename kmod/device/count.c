// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters of the records of a device, consistent with the log */
#include <linux/atomic.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "count.h"
#include "device.h"
#include "log/catalogue.h"
#include "log/log.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* First counter of each kind in a row; the last of a kind is for all codes without one */
enum count_place {
	COUNT_DEVICE,
	COUNT_PORT = COUNT_DEVICE + 8,
	COUNT_ASYNC = COUNT_PORT + 16,
	COUNT_WC = COUNT_ASYNC + 64,
	COUNT_COMPLETION = COUNT_WC + 32,
	COUNT_QP = COUNT_COMPLETION + 8,
	COUNT_CM = COUNT_QP + 48,
	COUNT_NOTE = COUNT_CM + 32,
	COUNT_PROBE = COUNT_NOTE + 8,
	COUNT_ALL = COUNT_PROBE + 8,
};

#define COUNT_LAYOUT(kind, next)					\
	[RDMAEV_KIND_##kind] = { COUNT_##kind, COUNT_##next - COUNT_##kind }

/* By kind: index of the first counter, and number of counters, also of those without records */
static const struct {
	unsigned int first;
	unsigned int n;
} layout[RDMAEV_KINDS] = {
	COUNT_LAYOUT(DEVICE, PORT),
	COUNT_LAYOUT(PORT, ASYNC),
	COUNT_LAYOUT(ASYNC, WC),
	COUNT_LAYOUT(WC, COMPLETION),
	COUNT_LAYOUT(COMPLETION, QP),
	/* RDMAEV_KIND_LOST is not counted. */
	COUNT_LAYOUT(QP, CM),
	/* RDMAEV_KIND_OBSERVER is about no device. */
	COUNT_LAYOUT(CM, NOTE),
	COUNT_LAYOUT(NOTE, PROBE),
	COUNT_LAYOUT(PROBE, ALL),
};

RDMAEV_HAS_KINDS_UP_TO(PROBE);

/**
 * struct counts_row - counters of a port
 * @counter: records
 * @unrecorded: what was counted without a record, in addition to that, of some kinds;
 *	without the log's lock, which costs more than all the rest
 */
struct counts_row {
	struct rdmaev_log_counter counter[COUNT_ALL];
	atomic64_t unrecorded[COUNT_ALL];
};

/**
 * struct rdmaev_counts - counters of a device in one generation
 * @rcu: for freeing
 * @first_port: number of its first port
 * @rows: number of rows
 * @row: counters: of records about no port, then of each port
 *
 * Belongs to a &struct rdmaev_dev, and is freed a grace period after its
 * removal from there. Event handlers need no RCU, as they end before; all
 * others use it under RCU.
 */
struct rdmaev_counts {
	struct rcu_head rcu;
	unsigned int first_port;
	unsigned int rows;
	struct counts_row row[];
};

/**
 * rdmaev_counts_alloc - allocate the counters of a device
 * @first_port: number of its first port
 * @nports: number of ports
 *
 * Return: the counters, or NULL.
 */
struct rdmaev_counts *rdmaev_counts_alloc(unsigned int first_port,
					  unsigned int nports)
{
	struct rdmaev_counts *counts;

	counts = kvzalloc(struct_size(counts, row, nports + 1), GFP_KERNEL);
	if (!counts)
		return NULL;
	counts->first_port = first_port;
	counts->rows = nports + 1;
	return counts;
}

/** rdmaev_counts_free - free counters after a grace period */
void rdmaev_counts_free(struct rdmaev_counts *counts)
{
	kvfree_rcu(counts, rcu);
}

/* A port that the device lacks counts as no port. */
static struct counts_row *count_row(struct rdmaev_counts *counts,
				    u32 port)
{
	unsigned int row = port - counts->first_port + 1;

	if (unlikely(row >= counts->rows))
		row = 0;
	return &counts->row[row];
}

/* Index of the counter of a code among those of its kind */
static unsigned int count_index(unsigned int kind, unsigned int code)
{
	unsigned int n = layout[kind].n;

	return likely(code < n) ? code : n - 1;
}

static struct rdmaev_log_counter *count_find(struct rdmaev_counts *counts,
					     const struct rdmaev_record *rec)
{
	return &count_row(counts, rec->port)->counter[layout[rec->kind].first +
						      count_index(rec->kind,
								  rec->code)];
}

/* Not inline: who is not traced does not pay for it. */
static noinline u64 count_append_traced(struct rdmaev_record *rec,
					const struct rdmaev_log_name *name,
					struct rdmaev_log_counter *counter)
{
	u64 seq = rdmaev_log_append(rec, name, counter);

	trace_rdmaev_record(rec);
	return seq;
}

static __always_inline u64 count_append(struct rdmaev_record *rec,
					const struct rdmaev_log_name *name,
					struct rdmaev_log_counter *counter)
{
	if (trace_rdmaev_record_enabled())
		return count_append_traced(rec, name, counter);
	return rdmaev_log_append(rec, name, counter);
}

/* Append the first record from a source. Not inline, as it happens once. */
static noinline u64 count_append_first(struct rdmaev_dev *dev,
				       struct rdmaev_record *rec)
{
	atomic_or(BIT(rec->source), &dev->sources);
	return rdmaev_append(dev, rec);
}

/**
 * rdmaev_append - count a record and append it to the log
 * @dev: device of the record: it is not removed meanwhile, or the caller is
 *	under RCU; NULL: unknown, and nothing is counted
 * @rec: as for rdmaev_log_append(); the log gets the current name of @dev
 *
 * Context: any but NMI, with any lock held except those of the log.
 *
 * Return: seq of the record.
 */
u64 rdmaev_append(struct rdmaev_dev *dev, struct rdmaev_record *rec)
{
	struct rdmaev_counts *counts;

	if (!dev)
		return count_append(rec, NULL, NULL);
	if (unlikely(!(atomic_read(&dev->sources) & BIT(rec->source))))
		return count_append_first(dev, rec);
	counts = rcu_dereference_check(dev->counts, true);
	return count_append(rec, &dev->name,
			    counts ? count_find(counts, rec) : NULL);
}

/**
 * rdmaev_count - count what a record would be about, without a record
 * @dev: as for rdmaev_append()
 * @port: number of the port, or RDMAEV_NO_PORT
 * @kind: RDMAEV_KIND_ASYNC, _QP, _CM or _NOTE
 * @code: code of that kind
 *
 * Context: as rdmaev_append().
 */
void rdmaev_count(struct rdmaev_dev *dev, u32 port, unsigned int kind,
		  unsigned int code)
{
	struct rdmaev_counts *counts;

	counts = dev ? rcu_dereference_check(dev->counts, true) : NULL;
	if (!counts)
		return;
	code = layout[kind].first + count_index(kind, code);
	atomic64_inc(&count_row(counts, port)->unrecorded[code]);
}

/**
 * rdmaev_count_connecting - count a connection that was accepted
 * @dev: as for rdmaev_append()
 * @ns: how long it had been connecting
 *
 * Context: as rdmaev_append().
 */
void rdmaev_count_connecting(struct rdmaev_dev *dev, u64 ns)
{
	unsigned int bucket = ilog2(div_u64(ns, NSEC_PER_USEC) | 1);

	if (dev)
		atomic64_inc(&dev->connecting[min_t(unsigned int, bucket,
						    RDMAEV_CONNECTING_BUCKETS - 1)]);
}

/*
 * Events of unknown number count as affiliated: the number does not show whether they are.
 * Notes may be.
 */
static bool count_is_affiliated(unsigned int kind, unsigned int code)
{
	unsigned int type = rdmaev_event_traits(kind, code).object_type;

	return type != RDMAEV_OBJECT_DEVICE && type != RDMAEV_OBJECT_PORT;
}

/* Call a function for each counter of a kind in one row. */
static void count_row_for_each(const struct rdmaev_counts *counts,
			       unsigned int row, unsigned int kind,
			       bool affiliated, rdmaev_counter_fn fn, void *data)
{
	const struct counts_row *r = &counts->row[row];
	const struct rdmaev_log_counter *first = &r->counter[layout[kind].first];
	const atomic64_t *unrecorded = &r->unrecorded[layout[kind].first];
	struct rdmaev_counter_id id = {
		.port = row ? counts->first_port + row - 1 : RDMAEV_NO_PORT,
		.kind = kind,
	};
	unsigned int code;

	for (code = 0; code < layout[kind].n; code++) {
		struct rdmaev_log_counter copy;

		rdmaev_log_copy_counter(&copy, first + code);
		copy.count += atomic64_read(unrecorded + code);
		if (!copy.count ||
		    (!affiliated && count_is_affiliated(kind, code)))
			continue;
		id.code = code < layout[kind].n - 1 ? code : RDMAEV_CODE_OTHER;
		fn(&id, &copy, data);
	}
}

/** rdmaev_counts_for_each - call a function for each counter, see count.h */
void rdmaev_counts_for_each(const struct rdmaev_counts *counts, bool affiliated,
			    rdmaev_counter_fn fn, void *data)
{
	unsigned int row, kind;

	for (row = 0; row < counts->rows; row++) {
		for (kind = RDMAEV_KIND_DEVICE; kind <= RDMAEV_KIND_MAX; kind++)
			count_row_for_each(counts, row, kind, affiliated, fn,
					   data);
	}
}
