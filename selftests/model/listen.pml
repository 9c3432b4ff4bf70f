/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Multicast messages of kmod/reader/netlink_event.c: records appended while there is a
 * listener are sent, once and in order; and nothing runs after it was stopped.
 *
 * log.pml shows that records up to seq can be read. rdmaev_log.unnotified is
 * under the log's lock everywhere, so each of its steps is atomic.
 *
 * -DNAME leaves out or changes one step; each must lead to an error:
 *
 *	NEWEST		appends note the newest record to send, not the oldest
 *	NO_TAKE		event_fn() leaves the note, so that no other is made
 *	TELL_FIRST	appends notify the listener before they make the note
 *	TAKE_LATE	event_fn() takes the note after it has read
 *	SEEK_BACK	it seeks to the note though it is beyond it
 *	NOT_BEHIND	it forgets until its next run that it was not done
 *	NO_AGAIN	it has no next run
 *	NO_IRQ_SYNC	rdmaev_log_set_listener(NULL) does not wait for irq_work
 *	NO_CANCEL	rdmaev_nl_event_stop() does not cancel the work
 */
#ifndef RECORDS
#define RECORDS 3
#endif
#define ALL	RECORDS
#define ROUND	2

bool lock;			/* log.lock */
byte seq, listened;
bool listener = true;		/* rdmaev_log_set_listener() */
byte left = ALL;		/* to be appended, by either of two writers */

bool joined;			/* genl_has_listeners() */
byte since;			/* records after this one are sent */

bool irq_work, irq_runs;
bool event_work, event_runs, canceled;
byte seen;			/* the cursor's */
bool is_behind;

byte sent;			/* the last that was sent */
byte missed;			/* a record to send was not sent */
bool stopped;

/* queue_work(): there has to be a queue still */
inline queue_work()
{
	assert(!stopped);
	event_work = event_work || !canceled
}

/* rdmaev_log_append() */
proctype writer()
{
	bool is_wanted, notify;

	do
	:: atomic { left > 0 && !lock ->
		lock = true;
		left--;
		seq++ };
		/* wants(), is_listened_for() */
		atomic {
			is_wanted = listener && joined;
			notify = is_wanted && !listened;
#ifndef TELL_FIRST
			if
#ifdef NEWEST
			:: is_wanted -> listened = seq
#else
			:: notify -> listened = seq
#endif
			:: else
			fi;
			lock = false;
#endif
			is_wanted = false
		}
		atomic {
			irq_work = irq_work || notify;
#ifndef TELL_FIRST
			notify = false
#endif
		}
#ifdef TELL_FIRST
		atomic {
			if
			:: notify && !listened -> listened = seq
			:: else
			fi;
			notify = false;
			lock = false
		}
#endif
	:: left == 0 -> break
	od
}

/* log_wake_fn() */
active proctype irq()
{
	bool is_told;

end:	do
	:: atomic { irq_work -> irq_work = false; irq_runs = true };
		atomic {
#ifndef TELL_FIRST
			!lock;
#endif
			is_told = listener && listened
		}
		/* listener->notify(), event_notify() */
		atomic {
			if
			:: is_told -> queue_work()
			:: else
			fi;
			is_told = false;
			irq_runs = false
		}
	od
}

/* send(): listeners have got all records before */
inline send()
{
	assert(!stopped);
	if
	:: joined ->
		assert(seen > sent);
		if
		:: sent >= since && seen != sent + 1 && seen > since + 1 -> missed = seen - 1
		:: sent < since && seen > since + 1 -> missed = seen - 1
		:: else
		fi;
		sent = seen
	:: else
	fi
}


/* event_fn() */
active proctype worker()
{
	byte wanted, n;

end:	do
	:: atomic { event_work -> event_work = false; event_runs = true };
		/* rdmaev_log_take_wanted() */
		atomic {
			!lock;
			wanted = listened;
#ifndef TAKE_LATE
#ifndef NO_TAKE
			listened = 0
#endif
#endif
		}
		atomic {
			n = 0;
			if
			:: !is_behind && !wanted -> n = ROUND + 1
			:: !is_behind && wanted ->
				/* rdmaev_log_seek() */
#ifdef SEEK_BACK
				seen = wanted - 1;
#else
				if
				:: wanted > seen -> seen = wanted - 1
				:: else
				fi;
#endif
				is_behind = true
			:: is_behind
			fi;
			wanted = 0
		}
		do
		/* rdmaev_log_read() of one, and sending it */
		:: atomic { n < ROUND && seen < seq -> seen++ };
			atomic { send(); n++ }
		:: atomic { n < ROUND && seen == seq ->
			is_behind = false;
			n = ROUND + 1 }
		:: n >= ROUND -> break
		od;
#ifdef TAKE_LATE
		atomic { !lock -> listened = 0 }
#endif
		atomic {
			if
			:: n == ROUND ->
#ifdef NOT_BEHIND
				is_behind = false;
#endif
#ifndef NO_AGAIN
				queue_work()
#endif
			:: else
			fi;
			n = 0;
			event_runs = false
		}
	od
}

/* A listener joins the group, may leave it, and joins it again. */
proctype somebody()
{
	byte times;

	do
	:: atomic { times < 2 && !joined ->
		times++;
		/* a record that is being appended may be before or after */
		since = seq;
		joined = true }
	:: atomic { joined && times < 2 -> joined = false; missed = 0 }
	:: break
	od
}

/* rdmaev_nl_event_stop() */
proctype stopper()
{
	/* rdmaev_log_set_listener(NULL) */
	atomic {
		!lock;
		listener = false;
		listened = 0
	}
#ifndef NO_IRQ_SYNC
	!irq_work && !irq_runs;
#endif
#ifndef NO_CANCEL
	/* cancel_work_sync() */
	atomic { canceled = true; event_work = false };
	!event_runs;
#endif
	/* destroy_workqueue() */
	atomic { stopped = true }
}

init {
	/* rdmaev_nl_event_start() */
	atomic {
		is_behind = true;
		event_work = true;
		run writer();
		run writer();
		run somebody();
#if STOP
		run stopper()
#endif
	}
	atomic {
		timeout;
		assert(seq == ALL);
#if !STOP
		/* sent up to the last, and none skipped */
		assert(!joined || since == seq || sent == seq);
		assert(!joined || !missed)
#endif
	}
}
