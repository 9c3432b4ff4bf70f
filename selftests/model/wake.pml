/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Sleeping and waking, as kmod/log.c and kmod/stream.c have it: whoever sleeps
 * has nothing to read, and wake-ups come to an end.
 *
 * The log is a seq here; that what is up to seq can be read is shown in log.pml.
 * What is done under a lock and looks at nothing outside of it is one step. All that
 * this protocol has in memory is under the log's lock or armed_lock but the look
 * at seq, which sees what is there or older; so there are no barriers to leave
 * out, but locks: without them stores wait in a buffer while the next load is made.
 *
 * -DNAME leaves out or changes one step; each has to end in an error:
 *
 *	APPEND_UNLOCKED	appends look at wanted without the lock
 *	WAKE_FIRST	appends look at wanted, and wake, before they append
 *	HIT_LATE	hit is set when the work has been queued
 *	CLEAR_LATE	wake_work_fn() clears wanted after it has called wake
 *	WANT_UNLOCKED	rdmaev_log_want() does not take the lock
 *	NO_WANT		a reader that is armed does not want its lanes
 *	LOOK_FIRST	a reader looks before it arms itself
 *	SLEEP_LATE	a reader is on its wait queue only after it has looked
 *	NO_DISARM	who was woken stays armed
 *	NO_AGAIN	wake_fn() does not look for what came meanwhile
 *	NEWEST_LATE	it finds out what is newest only after it has looked
 *	NO_MORE		it has no other turn for one with more to look at
 *	NO_LANES	it does not want the lanes of those that sleep on
 *	NO_TIMER	nobody comes back when the delay is over
 *	FILTER_NO_WANT	other lanes are not wanted when the filter changes
 *	FILTER_NO_WAKE	a change of the filter wakes nobody
 *	SEEK_NO_WAKE	a seek wakes nobody
 *	SEEK_NO_LOOK	what was looked at before a seek is not forgotten
 *	WAKEUP_NO_WAKE	a change of the watermark or delay wakes nobody
 */
#ifndef RECORDS
#define RECORDS 3
#endif
#ifndef READERS
#define READERS 2
#endif
#ifndef CHANGES
#define CHANGES 0
#endif
#define ALL	RECORDS

/* rlog */
bool lock;
byte seq, wanted;
bool hit, irq_work;
byte lane_of[ALL + 1];
byte left = ALL;		/* to be appended, by either of two writers */

/* Filters: all; lane 0 alone; both lanes, of which only lane 1 matches */
#define EVERYTHING	0
#define LANE_0		1
#define MATCH_1		2
#define LANES_OF(f)	((f) == LANE_0 -> 1 : 3)
#define IS_MATCH(f, s)	((f) == EVERYTHING || lane_of[s] == ((f) == MATCH_1))

/* struct rdmaev_stream of each of two readers */
byte filter[2], lanes[2], cursor[2], ahead[2], matched[2];
byte watermark[2] = 1;
bool delay[2], over[2];		/* there is one; it is over for the first match */
byte timer[2];			/* delay_work: 1 for when it is over, 2 for any time */
bool armed[2], listed[2], todo[2];
bool sleeping[2];		/* on its wait queue, and not woken */

bool armed_lock, wake_work;

/* rdmaev_log_want(), in a step that waits for the lock */
#define WANT(which)	wanted = wanted | (which)

/* look_ahead() with room for one record, and is_due(); one step under s->lock */
inline look(r, more, due)
{
	more = false;
	if
	:: matched[r] < watermark[r] && ahead[r] < seq ->
		ahead[r]++;
		if
		:: IS_MATCH(filter[r], ahead[r]) ->
			matched[r]++;
			if
			:: matched[r] == 1 -> over[r] = false
			:: else
			fi
		:: else
		fi;
		if
		:: !matched[r] -> cursor[r] = ahead[r]
		:: else
		fi;
		more = matched[r] < watermark[r] && ahead[r] < seq
	:: else
	fi;
	due = false;
	if
	:: more
	:: !more && matched[r] >= watermark[r] -> due = true
	:: !more && matched[r] < watermark[r] && matched[r] && delay[r] ->
		if
		:: over[r] -> due = true
#ifndef NO_TIMER
		:: else -> timer[r] = 1
#else
		:: else
#endif
		fi
	:: else
	fi
}

inline look_anew(r)
{
	ahead[r] = cursor[r];
	matched[r] = 0;
	over[r] = false;
	if
	:: timer[r] -> timer[r] = 2
	:: else
	fi
}

/* rdmaev_stream_ready(); the lock that it drops between looks is s->lock */
inline ready(r)
{
	atomic {
		more = true;
		do
		:: more -> look(r, more, due)
		:: else -> break
		od
	}
}

/* rdmaev_stream_arm() */
inline arm(r)
{
	atomic {
		!armed_lock && !lock;
		if
		:: !armed[r] ->
			armed[r] = true;
			listed[r] = true;
#ifndef NO_WANT
#ifndef WANT_UNLOCKED
			WANT(lanes[r])
#endif
#endif
		:: else
		fi
	}
}

/* wake(), under armed_lock */
inline wake(r)
{
#ifndef NO_DISARM
	armed[r] = false;
#endif
	listed[r] = false;
	todo[r] = false;
	sleeping[r] = false
}

/* wake_if_ready() */
inline wake_if_ready(r)
{
	ready(r);
	if
	:: atomic { due && !armed_lock ->
		if
		:: armed[r] -> wake(r)
		:: else
		fi }
	:: !due
	fi
}

#ifdef WAKE_FIRST
#define NEW_SEQ
#else
#define NEW_SEQ	seq++;				/* (D) */
#endif

/* rdmaev_log_append() */
proctype writer()
{
	byte lane;
	bool notify;

	do
	:: atomic { left > 0 && !lock ->
		lock = true;
		left--;
		if
		:: lane = 1
		:: lane = 2
		fi;
		lane_of[ALL - left] = lane - 1;
#ifdef APPEND_UNLOCKED
		/* the store to seq may be in a buffer when wanted is looked at */
		lock = false };
		if
		:: seq++; notify = (wanted & lane) != 0
		:: notify = (wanted & lane) != 0; seq++
		fi;
		atomic {
			hit = hit || notify;
			lane = 0
		}
#else
		NEW_SEQ
		skip };
		atomic {
			notify = (wanted & lane) != 0;
#ifndef HIT_LATE
			hit = hit || notify;
#endif
			lane = 0;
			lock = false
		}
#endif
		/* irq_work_queue() */
		atomic {
			irq_work = irq_work || notify;
#ifndef HIT_LATE
			notify = false
#endif
		}
#ifdef HIT_LATE
		atomic {
			hit = hit || notify;
			notify = false
		}
#endif
#ifdef WAKE_FIRST
		seq++
#endif
	:: left == 0 -> break
	od
}

/* wake_work_fn(): irq_work is no longer pending when it runs */
active proctype irq()
{
	bool is_hit;

end:	do
	:: atomic { irq_work -> irq_work = false };
		atomic {
			!lock;
			is_hit = hit;
#ifndef CLEAR_LATE
			if
			:: is_hit -> wanted = 0
			:: else
			fi;
#endif
			hit = false
		}
		if
		:: atomic { is_hit ->
			/* rdmaev_stream_wake_soon(), queue_work() */
			wake_work = true;
			is_hit = false };
#ifdef CLEAR_LATE
			atomic { !lock -> wanted = 0 }
#endif
		:: !is_hit
		fi
	od
}

/* One of those to do in wake_fn() has its turn; armed_lock is held. */
inline turn(r)
{
	look(r, more, due);
	if
	:: due -> wake(r)
	:: else ->
		todo[r] = false;
		listed[r] = true;
#ifndef NO_LANES
		which = which | lanes[r]
#endif
	fi;
#ifndef NO_MORE
	if
	:: more -> wake_work = true
	:: else
	fi;
#endif
	more = false;
	due = false
}

/* wake_fn() */
active proctype worker()
{
	byte newest, which;
	bool more, due;

end:	do
	:: atomic { wake_work -> wake_work = false };
		newest = seq;
		atomic {
			!armed_lock -> armed_lock = true;
			todo[0] = listed[0];
			todo[1] = listed[1];
			listed[0] = false;
			listed[1] = false
		}
		do
		:: atomic { armed_lock && todo[0] -> turn(0) }
		:: atomic { armed_lock && todo[1] -> turn(1) }
		/* cond_resched_lock() */
		:: atomic { armed_lock && (todo[0] || todo[1]) -> armed_lock = false };
			atomic { !armed_lock -> armed_lock = true }
		:: atomic { !todo[0] && !todo[1] -> break }
		od;
#ifdef NEWEST_LATE
		newest = seq;
#endif
		atomic {
			!lock;
			if
			:: which ->
				WANT(which);
#ifndef NO_AGAIN
				if
				:: seq != newest -> wake_work = true
				:: else
				fi
#endif
			:: else
			fi;
			armed_lock = false;
			which = 0;
			newest = 0
		}
	od
}

/* delay_over(), and time that passes */
active proctype timers()
{
	bool more, due;

end:	do
	:: atomic { matched[1] && delay[1] && !over[1] -> over[1] = true }
	:: atomic { (timer[1] == 1 && over[1]) || timer[1] == 2 -> timer[1] = 0 };
		wake_if_ready(1);
		due = false
	od
}

/* A thread in rdmaev_stream_wait() and rdmaev_stream_read(), again and again */
proctype reader(byte r)
{
	bool more, due;

	do
	:: true ->
		/* wait_event_interruptible() */
		do
		:: true ->
#ifndef SLEEP_LATE
			sleeping[r] = true;
#endif
#ifdef LOOK_FIRST
			ready(r);
			arm(r);
#else
			arm(r);
			ready(r);
#endif
#ifdef WANT_UNLOCKED
			WANT(lanes[r]);
#endif
#ifdef SLEEP_LATE
			if
			:: !due -> sleeping[r] = true
			:: due
			fi;
#endif
			if
			:: atomic { due -> sleeping[r] = false; break }
			:: !due ->
end_asleep:			!sleeping[r]
			fi
		od;
		/* the next one that matches */
		atomic {
			due = false;
			do
			:: cursor[r] < seq ->
				cursor[r]++;
				if
				:: IS_MATCH(filter[r], cursor[r]) -> break
				:: else
				fi
			:: else -> break
			od;
			look_anew(r)
		}
	od
}

/* Another thread with the file of reader 1 */
proctype changer()
{
	bool more, due;

	if
	/* rdmaev_stream_set_filter() */
	:: atomic { !armed_lock && !lock ->
		lanes[1] = LANES_OF(EVERYTHING);
#ifndef FILTER_NO_WANT
		if
		:: armed[1] -> WANT(lanes[1])
		:: else
		fi
#endif
		};
		atomic {
			filter[1] = EVERYTHING;
			look_anew(1)
		}
#ifndef FILTER_NO_WAKE
		wake_if_ready(1)
#endif
	/* rdmaev_stream_seek() to the oldest */
	:: atomic { true ->
		cursor[1] = 0;
#ifndef SEEK_NO_LOOK
		look_anew(1)
#endif
		};
#ifndef SEEK_NO_WAKE
		wake_if_ready(1)
#endif
	/* rdmaev_stream_set_wakeup() */
	:: atomic { true ->
		if
		:: watermark[1] = 1
		:: delay[1] = true
		fi;
		look_anew(1) };
#ifndef WAKEUP_NO_WAKE
		wake_if_ready(1)
#endif
	fi
}

/* When nothing can go on, those that sleep have nothing to read. */
inline check(r)
{
	n = 0;
	s = cursor[r] + 1;
	do
	:: s <= seq ->
		if
		:: IS_MATCH(filter[r], s) -> n++
		:: else
		fi;
		s++
	:: else -> break
	od;
	assert(n < watermark[r] && !(n && delay[r]))
}

init {
	byte n, s;

	atomic {
		filter[0] = LANE_0;
		lanes[0] = LANES_OF(LANE_0);
		watermark[1] = 2;
		if
		:: filter[1] = MATCH_1
		:: filter[1] = LANE_0
		fi;
		lanes[1] = LANES_OF(filter[1]);
		run writer();
		run writer();
		run reader(1);
		if
		:: READERS > 1 -> run reader(0)
		:: else
		fi;
		if
		:: CHANGES -> run changer()
		:: else
		fi
	}
	atomic {
		timeout;
		assert(seq == ALL);
		check(1);
		if
		:: READERS > 1 -> check(0)
		:: else
		fi
	}
}
