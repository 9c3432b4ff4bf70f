/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Sleep and wake-up in kmod/log/log.c and kmod/reader/stream_wake.c: a sleeping reader has
 * nothing to read, and wake-ups come to an end.
 *
 * The log is a seq here; log.pml shows that records up to seq can be read. A
 * block under a lock that reads nothing outside of it is one step. All memory
 * of this protocol is under the log's lock or armed_lock but the read of seq,
 * which gets the current or an older value; so there are no barriers to leave
 * out, but locks: without them stores wait in a buffer during the next load.
 *
 * -DNAME leaves out or changes one step; each must lead to an error:
 *
 *	APPEND_UNLOCKED	appends read wanted without the lock
 *	WAKE_FIRST	appends read wanted, and wake, before they append
 *	HIT_LATE	hits are set after the work has been queued
 *	CLEAR_LATE	log_wake_fn() clears hit after it has called wake
 *	HIT_STAYS	log_wake_fn() does not clear hit
 *	CLEAR_ALL	a hit clears all of wanted, not only its own code
 *	HITS_LATE	stream_wake_fn() takes the hits after its checks
 *	WANT_UNLOCKED	rdmaev_log_want() does not take the lock
 *	NO_WANT		an armed reader sets nothing in wanted
 *	LOOK_FIRST	a reader checks before it arms itself
 *	SLEEP_LATE	a reader is added to its wait queue after its check
 *	NO_DISARM	a woken reader stays armed
 *	NO_AGAIN	stream_check() does not check again after setting wanted
 *	NO_MORE		it does not repeat a check that was not complete
 *	NO_REWANT	it does not set wanted again for those that sleep on
 *	NO_TIMER	the end of the delay causes no check
 *	FILTER_NO_WAKE	a change of the filter causes no check
 *	SEEK_NO_WAKE	a seek causes no check
 *	SEEK_NO_LOOK	results of checks before a seek are kept
 *	WAKEUP_NO_WAKE	a change of the watermark or delay causes no check
 *	SIGNAL_NO_LOOK	a check ended by a signal is not continued
 *	SIGNAL_KNOWN	what it did not come to counts as known to the reader
 *	KNOWN_LATE	what a reader knows is noted after it has looked
 *	BEHIND_LEFT	the work that reads for a user does not arm it again
 *	NOTIFY_LOST	it wakes nobody if it has to read first
 *	ANY_LATE	a reader of all records checks before it requests a
 *			wake-up for the next one
 *	ANY_NO_WAKE	log_wake_fn() does not wake readers of all records
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
#ifndef POLLS
#define POLLS 0
#endif
#ifndef PLAIN
#define PLAIN 0
#endif
#ifndef SIGNALS
#define SIGNALS 0
#endif
#define ALL	RECORDS

/* rdmaev_log; codes are bits */
bool lock;
byte seq, wanted, hits, hit;
bool wanted_any, irq_work;
byte code_of[ALL + 1];
byte left = ALL;		/* to be appended, by either of two writers */

#define ANY	1		/* RDMAEV_WAKE_* */
#define SOME	2

/* Filters: all; only code 1; both codes, of which only 2 matches */
#define EVERYTHING	0
#define CODE_1		1
#define MATCH_2		2
#define INTEREST(r)	(filter[r] == CODE_1 -> 1 : 3)
#define IS_MATCH(f, s)	((f) == EVERYTHING || code_of[s] == (f))

/* struct rdmaev_stream of each of two readers */
byte filter[2], cursor[2], ahead[2], matched[2];
byte watermark[2] = 1;
bool delay[2], over[2];		/* exists; is over for the first match */
byte timer[2];			/* delay_work: 1: at its end, 2: any time */
byte matched_seq[2], wake_after[2];
bool armed[2], listed[2], todo[2], check_again[2];
bool behind[2], notify_work, must_notify;	/* of reader 1, if it is a user's */
bool sleeping[2];		/* on its wait queue, and not woken */
byte plain_cursor;
bool plain_sleeping;		/* on plain_waitq */

bool armed_lock, wake_work;

/* rdmaev_log_want(), in a step that waits for the lock */
#define WANT(r)	wanted = wanted | INTEREST(r)

/*
 * stream_read_ahead() with room for one record, and stream_is_due(); one step
 * under s->stream_lock
 */
#define MUST_LOOK(r, after) \
	((matched[r] < watermark[r] || matched_seq[r] <= after) && ahead[r] < seq)

inline look(r, after, more, due)
{
	more = false;
	if
	:: MUST_LOOK(r, after) ->
		if
		:: matched[r] >= watermark[r] && ahead[r] < after -> ahead[r] = after
		:: else -> ahead[r]++
		fi;
		if
		:: ahead[r] > after || matched[r] < watermark[r] -> more = true
		:: else
		fi;
		if
		:: more && IS_MATCH(filter[r], ahead[r]) ->
			matched[r]++;
			matched_seq[r] = ahead[r];
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
		more = MUST_LOOK(r, after)
	:: else
	fi;
	due = false;
	if
	:: more
	:: !more && matched[r] >= watermark[r] -> due = matched_seq[r] > after
	:: !more && matched[r] < watermark[r] && matched[r] && delay[r] ->
		if
		:: over[r] -> due = matched_seq[r] > after
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
	matched_seq[r] = 0;
	over[r] = false;
	if
	:: timer[r] -> timer[r] = 2
	:: else
	fi
}

/* stream_check_soon() */
inline look_soon(r)
{
	atomic {
		!armed_lock;
		if
		:: armed[r] ->
			check_again[r] = true;
#ifndef SIGNAL_KNOWN
			wake_after[r] = 0;
#endif
			wake_work = true
		:: else
		fi
	}
}

/* rdmaev_stream_ready(); it drops s->stream_lock between checks */
inline ready(r)
{
	atomic {
		more = true;
		signal = false;
		do
		:: more -> look(r, 0, more, due)
		:: more && ahead[r] != cursor[r] && SIGNALS -> signal = true; break
		:: more && ahead[r] == cursor[r] && SIGNALS && seq > ahead[r] -> signal = true; break
		:: !more -> break
		od;
		more = false
	}
	if
	:: atomic { signal -> signal = false; due = false };
#ifndef SIGNAL_NO_LOOK
		look_soon(r)
#endif
	:: else
	fi
}

/* rdmaev_stream_arm() */
inline arm(r)
{
	atomic {
		!armed_lock && !lock;
		if
		:: !armed[r] ->
			armed[r] = true;
			check_again[r] = false;
#ifndef KNOWN_LATE
			wake_after[r] = seq;
#endif
			listed[r] = true;
#ifndef NO_WANT
#ifndef WANT_UNLOCKED
			WANT(r)
#endif
#endif
		:: else
		fi
	}
}

/* stream_wake(), under stream_armed_lock */
inline wake(r)
{
#ifndef NO_DISARM
	armed[r] = false;
#endif
	behind[r] = false;
	listed[r] = false;
	todo[r] = false;
#ifdef USER
	must_notify = true;
	notify_work = true
#else
	sleeping[r] = false
#endif
}

/* stream_wake_others() */
inline wake_now(r)
{
	atomic {
		!armed_lock;
		if
		:: armed[r] -> wake(r)
		:: else
		fi
	}
}

#ifdef WAKE_FIRST
#define NEW_SEQ
#else
#define NEW_SEQ	seq++;				/* (D) */
#endif

/* log_note_hit(): marks readers to be woken */
inline log_note_hit()
{
	who = 0;
	if
	:: wanted_any ->
		wanted_any = false;
		who = ANY
	:: else
	fi;
	if
	:: wanted & code ->
#ifdef CLEAR_ALL
		wanted = 0;
#else
		wanted = wanted & ~code;
#endif
#ifndef HIT_LATE
		hits = hits | code;
#endif
		who = who | SOME
	:: else
	fi;
	notify = who && !hit;
	hit = hit | who
}

/* rdmaev_log_append() */
proctype writer()
{
	byte code, who;
	bool notify;

	do
	:: atomic { left > 0 && !lock ->
		lock = true;
		left--;
		if
		:: code = 1
		:: code = 2
		fi;
		code_of[ALL - left] = code;
#ifdef APPEND_UNLOCKED
		/*
		 * the store to seq may still be in a buffer when wanted is read
		 */
		lock = false };
		if
		:: seq++; atomic { log_note_hit() }
		:: atomic { log_note_hit() }; seq++
		fi;
#else
		NEW_SEQ
		skip };
		atomic {
			log_note_hit();
			lock = false
		}
#endif
		/* irq_work_queue() */
		atomic {
			irq_work = irq_work || notify;
			notify = false;
#ifndef HIT_LATE
			code = 0;
#endif
			who = 0
		}
#ifdef HIT_LATE
		atomic {
			!lock;
			hits = hits | code;
			code = 0
		}
#endif
#ifdef WAKE_FIRST
		seq++
#endif
	:: left == 0 -> break
	od
}

/* log_wake_fn(): irq_work is no longer pending when it runs */
active proctype irq()
{
	byte who;

end:	do
	:: atomic { irq_work -> irq_work = false };
		atomic {
			!lock;
			who = hit;
#ifndef HIT_STAYS
#ifndef CLEAR_LATE
			hit = 0
#endif
#endif
		}
		/* rdmaev_stream_wake_soon(), queue_work() */
		atomic {
#ifndef ANY_NO_WAKE
			if
			:: who & ANY -> plain_sleeping = false
			:: else
			fi;
#endif
			if
			:: (who & SOME) && (armed[0] || armed[1]) -> wake_work = true
			:: else
			fi;
			who = 0
		}
#ifdef CLEAR_LATE
		atomic { !lock -> hit = 0 }
#endif
	od
}

/*
 * One of the streams to do in stream_wake_fn(), stream_check();
 * stream_armed_lock is held.
 */
inline turn(r)
{
	if
	:: atomic { check_again[r] || (took & INTEREST(r)) ->
		look(r, wake_after[r], more, due) };
		if
		:: atomic { !due && !more && !lock ->
#ifndef NO_REWANT
			WANT(r)
#endif
			};
#ifndef NO_AGAIN
			atomic { look(r, wake_after[r], more, due) }
#endif
		:: due || more
		fi;
		atomic {
			if
			:: due -> wake(r)
#ifdef USER
			:: !due && more ->
				/* stream_wait_behind() */
				behind[r] = true;
				todo[r] = false;
				listed[r] = false;
				notify_work = true
#endif
			:: else ->
				todo[r] = false;
				listed[r] = true;
#ifndef NO_MORE
				check_again[r] = more;
#else
				check_again[r] = false;
#endif
				if
				:: check_again[r] -> wake_work = true
				:: else
				fi
			fi;
			more = false;
			due = false
		}
	:: atomic { !check_again[r] && !(took & INTEREST(r)) ->
		todo[r] = false;
		listed[r] = true }
	fi
}

/* stream_wake_fn() */
active proctype worker()
{
	byte took;
	bool more, due;

end:	do
	:: atomic { wake_work -> wake_work = false };
		atomic {
			!armed_lock -> armed_lock = true;
			todo[0] = listed[0];
			todo[1] = listed[1];
			listed[0] = false;
			listed[1] = false
		}
		/* rdmaev_log_pop_hits() */
		atomic {
			!lock;
			took = hits;
#ifndef HITS_LATE
			hits = 0
#endif
		}
		do
		:: armed_lock && todo[0] -> turn(0)
		:: armed_lock && todo[1] -> turn(1)
		/* cond_resched_lock() */
		:: atomic { armed_lock && (todo[0] || todo[1]) -> armed_lock = false };
			atomic { !armed_lock -> armed_lock = true }
		:: atomic { !todo[0] && !todo[1] -> break }
		od;
#ifdef HITS_LATE
		atomic { !lock -> hits = 0 }
#endif
		atomic {
			armed_lock = false;
			took = 0
		}
	od
}

/* stream_notify_fn() */
active proctype notifier()
{
	bool more, due;

end:	do
	:: atomic { notify_work -> notify_work = false };
		atomic {
			!armed_lock;
#ifdef NOTIFY_LOST
			if
			:: must_notify && !behind[1] -> sleeping[1] = false
			:: else
			fi;
#else
			if
			:: must_notify -> sleeping[1] = false
			:: else
			fi;
#endif
			must_notify = false
		}
		if
		:: atomic { behind[1] -> look(1, wake_after[1], more, due) };
			atomic {
				if
				:: more -> notify_work = true
				:: else -> !armed_lock;
					/* stream_catch_up() */
					if
					:: behind[1] && due ->
						armed[1] = false;
						sleeping[1] = false
#ifndef BEHIND_LEFT
					:: behind[1] && !due ->
						check_again[1] = true;
						listed[1] = true;
						wake_work = true
#endif
					:: else
					fi;
					behind[1] = false
				fi;
				more = false;
				due = false
			}
		:: !behind[1]
		fi
	od
}

/* stream_delay_over(), and time that passes */
active proctype timers()
{
end:	do
	:: atomic { matched[1] && delay[1] && !over[1] -> over[1] = true }
	:: atomic { (timer[1] == 1 && over[1]) || timer[1] == 2 -> timer[1] = 0 };
		look_soon(1)
	od
}

/* A thread in rdmaev_stream_wait() and rdmaev_stream_read(), repeatedly */
proctype reader(byte r)
{
	bool more, due, signal;

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
#ifdef KNOWN_LATE
			wake_after[r] = seq;
#endif
#ifdef WANT_UNLOCKED
			WANT(r);
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

/* A reader of all records; there may be another that wants the next record */
proctype plain_reader()
{
	bool due;

	do
	:: true ->
		plain_sleeping = true;
#ifdef ANY_LATE
		due = seq > plain_cursor;
#endif
		/* rdmaev_log_want_any() */
		if
		:: wanted_any
		:: atomic { !wanted_any -> skip };
			atomic { !lock -> wanted_any = true }
		fi;
#ifndef ANY_LATE
		due = seq > plain_cursor;
#endif
		if
		:: atomic { due -> due = false; plain_cursor++; plain_sleeping = false }
		:: !due ->
end_asleep:		!plain_sleeping
		fi
	od
}

/* Another thread with the file of reader 1 */
proctype changer()
{
	if
	/* rdmaev_stream_set_filter() */
	:: atomic { !armed_lock && !lock ->
		filter[1] = EVERYTHING;
		look_anew(1)
		};
#ifndef FILTER_NO_WAKE
		wake_now(1)
#endif
	/* rdmaev_stream_seek() to the oldest */
	:: atomic { true ->
		cursor[1] = 0;
#ifndef SEEK_NO_LOOK
		look_anew(1)
#endif
		};
#ifndef SEEK_NO_WAKE
		wake_now(1)
#endif
	/* rdmaev_stream_set_wakeup() */
	:: atomic { true ->
		if
		:: watermark[1] = 1
		:: delay[1] = true
		fi;
		look_anew(1) };
#ifndef WAKEUP_NO_WAKE
		wake_now(1)
#endif
	fi
}

/* Another thread with the file of reader 1, in poll(): it reads nothing */
proctype poller()
{
	bool more, due, signal;

	arm(1);
	ready(1)
}

/* In a state without a next step, sleeping threads have nothing to read. */
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
		filter[0] = CODE_1;
		watermark[1] = (POLLS -> 1 : 2);
		if
		:: filter[1] = MATCH_2
		:: !POLLS -> filter[1] = CODE_1
		fi;
		run writer();
		run writer();
		if
		:: READERS > 0 -> run reader(1)
		:: else
		fi;
		if
		:: READERS > 1 -> run reader(0)
		:: else
		fi;
		if
		:: PLAIN -> run plain_reader()
		:: else
		fi;
		if
		:: CHANGES -> run changer()
		:: else
		fi;
		if
		:: POLLS -> run poller()
		:: else
		fi
	}
	atomic {
		timeout;
		assert(seq == ALL);
		assert(!PLAIN || plain_cursor == seq);
		if
		:: READERS > 0 -> check(1)
		:: else
		fi;
		if
		:: READERS > 1 -> check(0)
		:: else
		fi
	}
}
