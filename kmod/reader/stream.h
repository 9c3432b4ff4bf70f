/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One reader of the log: its position, permissions, filter and wake-ups. It
 * does not depend on files or sockets. stream_wake.h has what is about waiting.
 */
#ifndef RDMAEV_STREAM_H
#define RDMAEV_STREAM_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "device/access.h"
#include "filter.h"
#include "log/log_read.h"

/* Number of records in a batch for the reader: 8 KB */
#define RDMAEV_BATCH	32

/* Number of records read ahead at a time to decide whether to wake */
#define RDMAEV_AHEAD_BATCH	8

/**
 * struct rdmaev_stream - one reader
 * @cred: credentials of the reader. Constant
 * @counted: counted as a reader of all records: it is one until it sets a
 *	filter. Constant
 * @pids: the reader's pid namespace, with a reference; NULL: the initial one,
 *	which the pids of records belong to. Constant
 * @users: the same for the reader's user namespace
 * @account: account of payer.c that pays for it; -1: root's. Constant
 * @read_lock: serializes read, seek and change of the filter. May be held for
 *	long, as the reader's memory is written under it
 * @batch: records on their way to the reader, under @read_lock
 * @stream_lock: protects all fields from here to @delay_ns
 * @match: the reader's filter, which belongs to the stream. Changed with both
 *	locks held, @match.interest also with stream_armed_lock held
 * @plain: the reader gets all records, unchanged; changed like @match
 * @cursor: position of the reader
 * @ahead: position up to which records were read ahead to decide whether to
 *	wake; valid if @is_ahead
 * @is_ahead: records were read ahead
 * @ahead_rec: buffer for records that are read ahead
 * @matched: number of records between @cursor and @ahead that the reader gets;
 *	may exceed @watermark
 * @first_ns: boottime_ns of the first of them
 * @first_seq: its seq; of a loss, the first seq of that
 * @matched_seq: seq of the last of them, or 0
 * @lost: number of records reported as lost
 * @watermark: wake when this number of records matches,
 * @delay_ns: or this time after the first one; 0: no limit
 * @waitq: waiting tasks
 * @hung_up: waiting tasks were woken, and read() and other calls fail from now
 *	on, see cdev.c
 * @open_list: in the list of open files of cdev.c
 * @has_asked: the reader requested notification records, see cq_notify.c
 * @armed: to be woken; this and the next five are under stream_armed_lock of
 *	stream_wake.c
 * @check_again: the reader may have records to read
 * @is_behind: notify_work reads ahead
 * @must_notify: notify_work wakes the tasks
 * @wake_after: wake for a match after this seq: the reader knows of others
 * @list: in the list of armed readers, unless @is_behind
 * @delay_work: wakes the reader when the delay has passed
 * @notify_work: reads ahead for a reader that may not see all records, and wakes its
 *	tasks
 *
 * Belongs to its creator, which frees it when no call with it runs and no task
 * is on its waitq.
 */
struct rdmaev_stream {
	struct rdmaev_cred cred;
	bool counted;
	struct pid_namespace *pids;
	struct user_namespace *users;
	int account;

	struct mutex read_lock;		/* protects batch */
	struct rdmaev_record *batch;

	spinlock_t stream_lock;	/* protects all fields to delay_ns */
	struct rdmaev_match match;
	bool plain;
	struct rdmaev_cursor cursor;
	struct rdmaev_cursor ahead;
	bool is_ahead;
	struct rdmaev_record ahead_rec[RDMAEV_AHEAD_BATCH];
	u32 matched;
	u64 first_ns;
	u64 first_seq;
	u64 matched_seq;
	u64 lost;
	u32 watermark;
	u64 delay_ns;

	wait_queue_head_t waitq;
	bool hung_up;
	struct list_head open_list;
	bool has_asked;
	bool armed;
	bool check_again;
	bool is_behind;
	bool must_notify;
	u64 wake_after;
	struct list_head list;
	struct delayed_work delay_work;
	struct work_struct notify_work;
};

struct rdmaev_stream *rdmaev_stream_new(const struct rdmaev_cred *cred);
void rdmaev_stream_free(struct rdmaev_stream *s);

ssize_t rdmaev_stream_read(struct rdmaev_stream *s, char __user *buf,
			   size_t len);
bool rdmaev_stream_accept(struct rdmaev_stream *s, struct rdmaev_record *rec);

u64 rdmaev_stream_position(struct rdmaev_stream *s);
loff_t rdmaev_stream_seek(struct rdmaev_stream *s, loff_t offset, int whence);
int rdmaev_stream_set_wakeup(struct rdmaev_stream *s, u32 watermark,
			     u32 delay_us);

#endif /* RDMAEV_STREAM_H */
