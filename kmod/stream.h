/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One reader of the log: its position, what it may and wants to see, and when
 * it is woken. Knows nothing of files or sockets.
 */
#ifndef RDMAEV_STREAM_H
#define RDMAEV_STREAM_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "access.h"
#include "log.h"

/* Records that are copied to the reader at a time: a page of them. */
#define RDMAEV_BATCH	32

/* Records that are looked at in one go to find out whether to wake. */
#define RDMAEV_LOOK_BATCH	8

/**
 * struct rdmaev_stream - one reader
 * @cred: credentials of the reader. Constant
 * @counted: one of those that get every record, at first. Constant
 * @pids: the reader's pid namespace, with a reference; NULL: the first, whose
 *	numbers records have. Constant
 * @users: the same of the reader's user namespace
 * @read_lock: one read, seek or change of the filter at a time; held while
 *	the reader's memory is written, so it may be held for long
 * @batch: records on their way to the reader, under @read_lock
 * @stream_lock: protects all from here to @delay_ns
 * @filter: what the reader wants, its own; NULL: everything. Changed with both locks
 *	held
 * @target_len: for each target in @filter how many bytes of a name must be the same
 * @interest: what can pass @filter, as far as the log knows; changed with
 *	stream_armed_lock held, too
 * @owner: pid of @filter, as records have it
 * @filtered: there is one
 * @plain: the reader gets every record, as it is; changed as @filter
 * @cursor: what has been read
 * @ahead: what has been looked at besides, to find out whether to wake
 * @is_ahead: something has, and @ahead is set
 * @look: records that are being looked at
 * @matched: records between the two that the reader gets, or more than @watermark
 * @first_ns: boottime_ns of the first of them
 * @lost: records told as lost
 * @watermark: wake when so many are there,
 * @delay_ns: or so long after the first; 0: not
 * @waitq: those that wait
 * @fasync: those that want a signal
 * @hung_up: nobody waits with it, and read() and the like fail from now on, in cdev.c
 * @open_list: in the list of open files, of cdev.c
 * @has_asked: for notification records, see cq_notify.c
 * @armed: on the list of those to be woken; this and the next two under
 *	stream_armed_lock of stream.c
 * @look_again: there may be something to read
 * @list: on that list
 * @delay_work: wakes when the delay is over
 *
 * Belongs to who made it, who frees it when nobody can be in a call with it
 * or on its waitq any more.
 */
struct rdmaev_stream {
	struct rdmaev_cred cred;
	bool counted;
	struct pid_namespace *pids;
	struct user_namespace *users;

	struct mutex read_lock;		/* protects batch */
	struct rdmaev_record *batch;

	spinlock_t stream_lock;	/* protects all down to delay_ns */
	const struct rdmaev_filter *filter;
	u8 target_len[RDMAEV_TARGETS];
	struct rdmaev_interest interest;
	u32 owner;
	bool filtered;
	bool plain;
	struct rdmaev_cursor cursor;
	struct rdmaev_cursor ahead;
	bool is_ahead;
	struct rdmaev_record look[RDMAEV_LOOK_BATCH];
	u32 matched;
	u64 first_ns;
	u64 lost;
	u32 watermark;
	u64 delay_ns;

	wait_queue_head_t waitq;
	struct fasync_struct *fasync;
	bool hung_up;
	struct list_head open_list;
	bool has_asked;
	bool armed;
	bool look_again;
	struct list_head list;
	struct delayed_work delay_work;
};

struct rdmaev_stream *rdmaev_stream_new(const struct rdmaev_cred *cred);
void rdmaev_stream_free(struct rdmaev_stream *s);

ssize_t rdmaev_stream_read(struct rdmaev_stream *s, char __user *buf,
			   size_t len);
bool rdmaev_stream_take(struct rdmaev_stream *s, struct rdmaev_record *rec);
int rdmaev_stream_wait(struct rdmaev_stream *s);
bool rdmaev_stream_ready(struct rdmaev_stream *s);
void rdmaev_stream_arm(struct rdmaev_stream *s);
wait_queue_head_t *rdmaev_stream_shared_waitq(struct rdmaev_stream *s);
void rdmaev_stream_wake_shared(__poll_t events);

loff_t rdmaev_stream_seek(struct rdmaev_stream *s, loff_t offset, int whence);
bool rdmaev_target_is_valid(const struct rdmaev_target *t);
int rdmaev_stream_set_filter(struct rdmaev_stream *s,
			     const struct rdmaev_filter *filter);
int rdmaev_stream_set_wakeup(struct rdmaev_stream *s, u32 watermark,
			     u32 delay_us);

void rdmaev_stream_wake_soon(unsigned int who);

#endif /* RDMAEV_STREAM_H */
