// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One reader of the log: its position, and what it reads. stream_ahead.c and
 * stream_wake.c have the rest.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "device/access.h"
#include "device/payer.h"
#include "filter.h"
#include "log/log.h"
#include "log/log_read.h"
#include "stream.h"
#include "stream_ahead.h"
#include "stream_wake.h"

/*
 * Readers that a payer may have: open files of the node, and dumps of history. Root
 * has no limit.
 */
#define STREAM_SHARE	1024

/* Every reader that sees the device gets the record, also in a container. */
static void stream_translate_remover(const struct rdmaev_stream *s, struct rdmaev_record *rec)
{
	struct rdmaev_device_body *body = &rec->body.device;

	if (body->remover_pid)
		body->remover_pid = rdmaev_pid_of_reader(body->remover_pid,
							 body->removing_since_ns, s->pids);
	if (!body->remover_pid)
		memset(body->remover_comm, 0, sizeof(body->remover_comm));
}

/* Translate the pids and the uid of a record to the reader's namespaces. */
static void stream_translate(const struct rdmaev_stream *s,
			     struct rdmaev_record *rec)
{
	if (s->pids && rec->pid)
		rec->pid = rdmaev_pid_of_reader(rec->pid, rec->boottime_ns,
						s->pids);
	if (s->pids && rec->kind == RDMAEV_KIND_QP && rec->body.qp.caller_pid)
		rec->body.qp.caller_pid =
			rdmaev_pid_of_reader(rec->body.qp.caller_pid,
					     rec->boottime_ns, s->pids);
	if (s->pids && rec->kind == RDMAEV_KIND_DEVICE)
		stream_translate_remover(s, rec);
	if (s->users && rdmaev_record_has_uid(rec))
		rec->body.info.uid =
			from_kuid_munged(s->users,
					 KUIDT_INIT(rec->body.info.uid));
}

static void stream_give_back(int account)
{
	if (account >= 0)
		rdmaev_payer_uncharge(account, RDMAEV_SHARE_STREAMS);
}

/**
 * rdmaev_stream_new - create a reader for the current process
 * @cred: credentials of the reader
 *
 * It starts at the end of the log.
 *
 * Return: the stream; ERR_PTR(-EMFILE): who pays for the process has
 * STREAM_SHARE of them; ERR_PTR(-ENOMEM).
 */
struct rdmaev_stream *rdmaev_stream_new(const struct rdmaev_cred *cred)
{
	struct rdmaev_stream *s;
	int account = -1;

	if (cred->payer) {
		account = rdmaev_payer_charge(cred->payer, RDMAEV_SHARE_STREAMS,
					      STREAM_SHARE);
		if (account < 0)
			return ERR_PTR(-EMFILE);
	}
	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		goto err_account;
	s->batch = kmalloc_array(RDMAEV_BATCH, sizeof(*s->batch),
				 GFP_KERNEL_ACCOUNT);
	if (!s->batch)
		goto err_stream;
	s->account = account;
	s->cred = *cred;
	if (task_active_pid_ns(current) != &init_pid_ns)
		s->pids = get_pid_ns(task_active_pid_ns(current));
	if (current_user_ns() != &init_user_ns)
		s->users = get_user_ns(current_user_ns());
	mutex_init(&s->read_lock);
	spin_lock_init(&s->stream_lock);
	s->watermark = 1;
	s->plain = cred->all && !s->pids && !s->users;
	s->counted = s->plain;
	s->cursor.rings = rdmaev_match_set(&s->match, NULL, 0, NULL);
	rdmaev_log_seek_end(&s->cursor);
	rdmaev_stream_restart_ahead(s);
	rdmaev_stream_wake_init(s);
	return s;

err_stream:
	kfree(s);
err_account:
	stream_give_back(account);
	return ERR_PTR(-ENOMEM);
}

/**
 * rdmaev_stream_free - free a reader
 * @s: stream; no call with it runs, and no task waits on its queues
 */
void rdmaev_stream_free(struct rdmaev_stream *s)
{
	rdmaev_stream_wake_end(s);
	if (s->pids)
		put_pid_ns(s->pids);
	if (s->users)
		put_user_ns(s->users);
	stream_give_back(s->account);
	kfree(s->match.filter);
	kfree(s->batch);
	kfree(s);
}

/**
 * rdmaev_stream_accept - check and translate a record for a reader
 * @s: stream
 * @rec: record of the log; its pid and uid are translated to the reader's
 *	namespaces
 *
 * Return: true; false if the reader does not get the record.
 */
bool rdmaev_stream_accept(struct rdmaev_stream *s, struct rdmaev_record *rec)
{
	if (!rdmaev_stream_matches(s, rec))
		return false;
	if (unlikely(s->pids || s->users))
		stream_translate(s, rec);
	return true;
}

/* With a constant size the compiler drops the run-time size checks. */
static __always_inline unsigned long
stream_give(char __user *buf, const struct rdmaev_record *recs, size_t n)
{
	if (n == 1)
		return copy_to_user(buf, recs, sizeof(*recs));
	return copy_to_user(buf, recs, n * sizeof(*recs));
}

static u64 stream_lost_in(const struct rdmaev_record *rec)
{
	return unlikely(rec->kind == RDMAEV_KIND_LOST) ? rec->body.lost.count : 0;
}

/*
 * Fill the batch with up to @max records from @cur on, and add the number of
 * lost records to @lost. Returns the number of records. It is less than @max
 * only at the end of the log or after a signal; @more is set in the latter
 * case. A filter may reject many records before the next match.
 */
static size_t stream_fill_batch(struct rdmaev_stream *s,
				struct rdmaev_cursor *cur, size_t max,
				u64 *lost, bool *more)
{
	size_t n = 0;

	for (;;) {
		struct rdmaev_record *rec = &s->batch[n];
		struct rdmaev_record *end;
		size_t room = max - n;

		end = rec + rdmaev_log_read(cur, rec, room);
		*more = rec + room == end;
		for (; rec < end; rec++) {
			if (!rdmaev_stream_accept(s, rec))
				continue;
			*lost += stream_lost_in(rec);
			if (rec != &s->batch[n])
				s->batch[n] = *rec;
			n++;
		}
		if (n == max || !*more || signal_pending(current))
			return n;
		cond_resched();
	}
}

/*
 * Copy the next records to a reader that does not get all records. The reader
 * must never see one that it may not get, so they are filtered before the copy.
 * Returns bytes, 0 if there are no records, or -EFAULT.
 */
static ssize_t stream_read_some(struct rdmaev_stream *s, char __user *buf,
				size_t room, bool *more)
{
	struct rdmaev_cursor cur;
	u64 lost = 0;
	size_t n;

	/*
	 * Under read_lock only reading ahead moves it, past rejected records.
	 */
	spin_lock(&s->stream_lock);
	cur = s->cursor;
	spin_unlock(&s->stream_lock);

	n = stream_fill_batch(s, &cur, min_t(size_t, room, RDMAEV_BATCH), &lost,
			      more);
	if (stream_give(buf, s->batch, n))
		return -EFAULT;

	spin_lock(&s->stream_lock);
	s->cursor = cur;
	s->lost += lost;
	rdmaev_stream_restart_ahead(s);
	spin_unlock(&s->stream_lock);
	return n * sizeof(*s->batch);
}

/* Shorter runs are copied through the batch, if more records follow */
#define RUN_MIN		4

/*
 * Copy the next records to a reader of all records, directly from the log. If a
 * record is overwritten during the copy, the buffer has bytes of another
 * record, which this reader may also see; the copy is repeated.
 *
 * read_lock is held, so no other task moves the cursor, and reading ahead
 * rejects no record of this reader.
 */
static ssize_t stream_read_plain(struct rdmaev_stream *s, char __user *buf,
				 size_t room, bool *more)
{
	struct rdmaev_record *loss = s->batch;
	struct rdmaev_run run __uninitialized;
	size_t n;
	bool ok;

	do {
		spin_lock(&s->stream_lock);
		n = rdmaev_log_next(&s->cursor, min_t(size_t, room, RDMAEV_BATCH),
				    &run, loss);
		spin_unlock(&s->stream_lock);
		if (!n) {
			*more = false;
			return 0;
		}
		*more = n < room && run.last < rdmaev_log_newest();
		if (*more && n < RUN_MIN)
			return stream_read_some(s, buf, room, more);
		/* May race with a writer; rdmaev_log_pass() then voids it. */
		if (data_race(stream_give(buf, run.recs, n)))
			return -EFAULT;

		spin_lock(&s->stream_lock);
		ok = rdmaev_log_pass(&s->cursor, &run);
		if (ok && run.recs == loss)
			s->lost += stream_lost_in(loss);
		rdmaev_stream_restart_ahead(s);
		spin_unlock(&s->stream_lock);
	} while (!ok);
	return n * sizeof(*loss);
}

/**
 * rdmaev_stream_read - copy records to the reader
 * @s: stream
 * @buf: buffer of the reader
 * @len: its size in bytes, at least a record
 *
 * Does not wait for records. The position advances only past records that were
 * copied or that the filter rejects.
 *
 * Return: bytes; 0 if there are no records; -EFAULT; -ERESTARTSYS.
 */
ssize_t rdmaev_stream_read(struct rdmaev_stream *s, char __user *buf,
			   size_t len)
{
	size_t room = len / sizeof(struct rdmaev_record);
	bool more = false;
	ssize_t done = 0;

	if (READ_ONCE(s->plain) && !rdmaev_stream_has_next(s))
		return 0;
	if (mutex_lock_interruptible(&s->read_lock))
		return -ERESTARTSYS;
	do {
		ssize_t n = s->plain ?
			stream_read_plain(s, buf + done, room, &more) :
			stream_read_some(s, buf + done, room, &more);

		if (n < 0) {
			done = done ?: n;
			break;
		}
		done += n;
		room -= n / sizeof(struct rdmaev_record);
	} while (more && room && !signal_pending(current));
	mutex_unlock(&s->read_lock);
	/* Here, in the reader's own time, and not in notify_work */
	if (!s->cred.all && READ_ONCE(s->armed))
		rdmaev_stream_ready(s);
	/* The restarted call continues from there. */
	if (!done && more)
		return -ERESTARTSYS;
	return done;
}

/**
 * rdmaev_stream_position - return the position of a reader
 * @s: stream
 *
 * For a reader that may not see all records, that is the next one that it gets. How
 * far reading ahead has come depends on records that it may not see.
 *
 * Return: seq of the next record.
 */
u64 rdmaev_stream_position(struct rdmaev_stream *s)
{
	unsigned long rounds = RDMAEV_RINGS * rdmaev_log_records() / RDMAEV_AHEAD_MAX + 1;
	u64 position;
	bool more;

	do {
		spin_lock(&s->stream_lock);
		more = !s->cred.all && !s->matched &&
		       rdmaev_stream_read_ahead(s, RDMAEV_AHEAD_MAX, 0);
		position = !s->cred.all && s->matched ? s->first_seq :
							s->cursor.seen + 1;
		spin_unlock(&s->stream_lock);
		cond_resched();
	} while (more && rounds--);
	/* Another task seeks back all the time, or many records are appended. */
	return more ? rdmaev_log_newest() + 1 : position;
}

static int stream_seek_to(struct rdmaev_cursor *cur, loff_t offset, int whence,
			  u64 position)
{
	u64 newest = rdmaev_log_newest();

	switch (whence) {
	case SEEK_SET:
		if (!offset) {
			rdmaev_log_seek_oldest(cur);
			return 0;
		}
		break;
	case SEEK_CUR:
		if (check_add_overflow(offset, (loff_t)position, &offset))
			return -ENXIO;
		break;
	case SEEK_END:
		if (!offset) {
			rdmaev_log_seek_end(cur);
			return 0;
		}
		if (offset > 0)
			return -ENXIO;
		offset = max_t(loff_t, offset + (loff_t)newest + 1, 1);
		break;
	default:
		return -EINVAL;
	}
	return offset > 0 ? rdmaev_log_seek(cur, offset) : -EINVAL;
}

/**
 * rdmaev_stream_seek - change the position of a reader
 * @s: stream
 * @offset: as for lseek() in the ABI header
 * @whence: SEEK_SET, SEEK_CUR or SEEK_END
 *
 * Return: seq of the next record, -EINVAL, -ENXIO or -ERESTARTSYS.
 */
loff_t rdmaev_stream_seek(struct rdmaev_stream *s, loff_t offset, int whence)
{
	struct rdmaev_cursor cur;
	u64 position = 0;
	loff_t ret;

	/* A query must not discard losses to report. */
	if (whence == SEEK_CUR && !offset)
		return rdmaev_stream_position(s);
	if (mutex_lock_interruptible(&s->read_lock))
		return -ERESTARTSYS;
	if (whence == SEEK_CUR)
		position = rdmaev_stream_position(s);
	spin_lock(&s->stream_lock);
	cur = s->cursor;
	ret = stream_seek_to(&cur, offset, whence, position);
	if (!ret) {
		s->cursor = cur;
		rdmaev_stream_restart_ahead(s);
		ret = cur.seen + 1;
	}
	spin_unlock(&s->stream_lock);
	mutex_unlock(&s->read_lock);
	/* Other tasks may wait with the same file. */
	if (ret >= 0)
		rdmaev_stream_wake_others(s);
	return ret;
}

/**
 * rdmaev_stream_set_wakeup - set when the reader is woken
 * @s: stream
 * @watermark: as in &struct rdmaev_wakeup
 * @delay_us: as in &struct rdmaev_wakeup
 *
 * Return: 0 or -EINVAL.
 */
int rdmaev_stream_set_wakeup(struct rdmaev_stream *s, u32 watermark,
			     u32 delay_us)
{
	if (!watermark || watermark > rdmaev_log_records() ||
	    delay_us > RDMAEV_DELAY_MAX_US)
		return -EINVAL;
	spin_lock(&s->stream_lock);
	WRITE_ONCE(s->watermark, watermark);
	s->delay_ns = (u64)delay_us * NSEC_PER_USEC;
	rdmaev_stream_restart_ahead(s);
	spin_unlock(&s->stream_lock);
	rdmaev_stream_wake_others(s);
	return 0;
}
