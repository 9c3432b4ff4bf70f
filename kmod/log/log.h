/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The event log: writers append in any context, each reader reads with its own
 * cursor. It handles records and rings, and does not depend on RDMA.
 */
#ifndef RDMAEV_LOG_H
#define RDMAEV_LOG_H

#include <asm/barrier.h>
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <internal/kinds.h>
#include <uapi/rdma/rdmaev.h>

#define RDMAEV_RECORDS_MIN	64U
#define RDMAEV_RECORDS_MAX	1048576U

#define RDMAEV_RING_MASK	((1U << RDMAEV_RINGS) - 1)

/* Number of severities, including 0 */
#define RDMAEV_LOG_SEVERITIES	4

/* Number of kinds, including 0 */
#define RDMAEV_KINDS	(RDMAEV_KIND_MAX + 1)

/**
 * struct rdmaev_interest - records that can match a reader's filter
 * @codes: for each kind, bit n: code n, bit 63: every code from 63 on
 * @severities: bit n: severity n
 *
 * The filter may reject some of these records. It rejects all others.
 */
struct rdmaev_interest {
	u64 codes[RDMAEV_KINDS];
	u32 severities;
};

static inline unsigned int rdmaev_code_bit(unsigned int code)
{
	return min_t(unsigned int, code, RDMAEV_CODE_BIT_OTHER);
}

/*
 * Records of a device's event handler have no body: ib_event has no more data.
 */
static inline bool rdmaev_has_body(const struct rdmaev_record *rec)
{
	return rec->source != RDMAEV_SOURCE_HANDLER;
}

/**
 * rdmaev_record_begin - initialize a record on a fast path
 * @rec: record, __uninitialized
 * @kind: &enum rdmaev_kind
 * @source: &enum rdmaev_source
 *
 * Sets all fields except the body and those that the log sets.
 */
static __always_inline void
rdmaev_record_begin(struct rdmaev_record *rec, unsigned int kind,
		    unsigned int source)
{
	rec->cause = 0;
	rec->device = 0;
	rec->generation = 0;
	rec->port = RDMAEV_NO_PORT;
	rec->kind = kind;
	rec->code = 0;
	rec->object_type = RDMAEV_OBJECT_NONE;
	rec->severity = 0;
	rec->source = source;
	rec->ring = 0;
	rec->object = 0;
	rec->count = 1;
	rec->pid = 0;
}

/**
 * struct rdmaev_log_name - name of a device, for its records
 * @changed: the device was renamed, so older records of it in the log may have
 *	another name
 * @now: index of the current name in @text
 * @text: names, padded with zeros. The entry that is not current may be written
 *	a grace period after it was replaced
 */
struct rdmaev_log_name {
	bool changed;
	unsigned int now;
	char text[2][RDMAEV_DEVICE_NAME_SIZE];
};

static inline const char *
rdmaev_log_name_text(const struct rdmaev_log_name *name)
{
	/* Pairs with smp_store_release() in client_set_name(). */
	return name->text[smp_load_acquire(&name->now)];
}

/**
 * struct rdmaev_log_counter - counter of records
 * @count: sum of the counts of the records
 * @seq: seq of the newest record, 0: none
 * @boottime_ns: boottime_ns of that record
 * @realtime_ns: realtime_ns of that record
 *
 * Belongs to the writer that appends with it. Written under the log's lock, so
 * it is consistent with the log: it includes exactly the records up to @seq.
 * Read it with rdmaev_log_copy_counter(), which takes no lock.
 */
struct rdmaev_log_counter {
	u64 count;
	u64 seq;
	u64 boottime_ns;
	u64 realtime_ns;
};

/**
 * struct rdmaev_listener - receiver of notifications besides the readers
 * @wants: returns whether the listener wants a record; called with the log's
 *	lock held, in any context but NMI
 * @notify: called once after wanted records were appended; from irq_work, like
 *	wake
 */
struct rdmaev_listener {
	bool (*wants)(const struct rdmaev_record *rec);
	void (*notify)(void);
};

/* Readers to wake, an argument of wake */
#define RDMAEV_WAKE_ANY		BIT(0)	/* readers of all records */
#define RDMAEV_WAKE_SOME	BIT(1)	/* readers that want a code in hits */
#define RDMAEV_WAKE_AHEAD	BIT(2)	/* half a ring is new: see stream_wake.c */

int rdmaev_log_init(unsigned int records, void (*wake)(unsigned int who));
void rdmaev_log_exit(void);

u64 rdmaev_log_append(struct rdmaev_record *rec,
		      const struct rdmaev_log_name *name,
		      struct rdmaev_log_counter *counter);
void rdmaev_log_copy_counter(struct rdmaev_log_counter *to,
			     const struct rdmaev_log_counter *from);

unsigned int rdmaev_log_records(void);
u64 rdmaev_log_newest(void);

u64 rdmaev_log_want(const struct rdmaev_interest *interest);
void rdmaev_log_want_any(void);
void rdmaev_log_pop_hits(u64 *hits);
void rdmaev_log_set_listener(const struct rdmaev_listener *listener);
u64 rdmaev_log_pop_wanted(void);

#endif /* RDMAEV_LOG_H */
