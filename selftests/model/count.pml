/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A counter of kmod/log/log.c, updated by each append and copied without a lock:
 * each copy is of one seq, not older than the newest record before the copy,
 * and not newer than the newest one after it.
 *
 * A writer's stores go through a buffer, which they leave in any order that
 * barriers allow. A reader's loads are made in any order that barriers allow.
 *
 * -DNAME leaves out or changes one step; each must lead to an error:
 *
 *	NO_MARK		the writer does not mark the counter as changing
 *	NO_WMB		no smp_wmb() in the writer (F)
 *	NO_RMB		no smp_rmb() in the reader (F)
 *	NO_RELEASE	no release in the store to seq of the counter (G)
 *	NO_ACQUIRE	no acquire in its load (G)
 *	NO_AGAIN	seq is not read again
 *	NO_HEED		an unpublished copy is used
 *	COUNT_LATE	a record is counted after it has been published
 */
#ifndef RECORDS
#define RECORDS 3
#endif

#define CHANGES	255		/* COUNTER_CHANGES */

/* rdmaev_log.seq and the counter, with the stores that have arrived */
byte newest, seq, count, time;

#define MARK	1
#define COUNT	2
#define TIME	4
#define SEQ	8
#define NEWEST	16

#ifdef NO_WMB
#define WMB	true
#else
#define WMB	(buffer == 0)
#endif
#ifdef NO_RELEASE
#define RELEASE	(!(buffer & MARK))	/* same word: in order */
#else
#define RELEASE	(buffer == 0)
#endif

/* rdmaev_log_append(): its steps for the counter; one append at a time */
proctype writer()
{
	byte s, stage, buffer;

	do
	:: atomic {
		if
		:: stage == 0 && s < RECORDS ->
			s++;
#ifndef NO_MARK
			buffer = MARK;
#endif
#ifdef COUNT_LATE
			buffer = buffer | NEWEST;
#endif
			stage = 1
		:: buffer & MARK -> seq = CHANGES; buffer = buffer & ~MARK
		:: buffer & COUNT -> count = s; buffer = buffer & ~COUNT
		:: buffer & TIME -> time = s; buffer = buffer & ~TIME
		:: buffer & SEQ -> seq = s; buffer = buffer & ~SEQ
		:: buffer & NEWEST -> newest = s; buffer = buffer & ~NEWEST
		fi;
		if
		:: stage == 1 && WMB -> buffer = buffer | COUNT | TIME; stage = 2
		:: else
		fi;
		if
		:: stage == 2 && RELEASE -> buffer = buffer | SEQ; stage = 3
		:: else
		fi;
		if
		:: stage == 3 && buffer == 0 ->
#ifndef COUNT_LATE
			buffer = NEWEST;
#endif
			stage = 4
		:: else
		fi }
	/* the lock's release */
	:: atomic { stage == 4 && buffer == 0 -> stage = 0 }
	:: stage == 0 && s == RECORDS -> break
	od
}

/* rdmaev_log_copy_counter() */
proctype reader()
{
	byte before, s, c, t, again, copies;

	do
	:: copies < 2 ->
		before = newest;
		do
		:: true ->
#ifdef NO_ACQUIRE
			c = count;
			s = seq;			/* (G) */
			t = time;
#else
			s = seq;			/* (G) */
			if
			:: c = count; t = time
			:: t = time; c = count
			fi;
#endif
#ifdef NO_AGAIN
			again = s;
#else
			again = seq;			/* (F) */
#endif
#ifdef NO_RMB
			if
			:: true
			:: t = time
			fi;
#endif
			if
#ifdef NO_HEED
			:: again == s -> break
			:: again != s
#else
			:: atomic { again == s && s <= newest -> break }
			:: atomic { again != s || s > newest }
#endif
			fi
		od;
		assert(c == s && t == s);
		assert(s >= before && s <= newest);
		copies++;
		before = 0; s = 0; c = 0; t = 0; again = 0
	:: copies == 2 -> break
	od
}

init {
	atomic {
		run writer();
		run reader()
	}
}
