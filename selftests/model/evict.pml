/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Losses of a reader that wants some records only, as log_note_loss() of kmod/log.c
 * has them: a reader has a loss only where one was overwritten that it wants, and
 * then it always has. Nothing that it wants is passed in silence.
 *
 * One ring; that copies are whole, and all else about reading, is shown in log.pml.
 * A record is its index here, and the newest overwritten one of the sort that the
 * reader wants is one more than its index, 0 if there is none.
 *
 * -DNAME leaves out or changes one step; each has to end in an error:
 *
 *	NO_WMB		appends move tail before they note what is overwritten (E)
 *	NO_RMB		log_note_loss() reads what was overwritten before tail (E)
 *	ONE_TAIL	a gap ends at the tail that was read before
 *	NO_WAIT		a gap ends at a tail that has yet to be moved past what was noted
 *	NO_EVICTED	everything overwritten is a loss
 *	NO_GAP		nothing is
 *	FROM_START	what was overwritten before the position counts, too
 */
#ifndef RECORDS
#define RECORDS 6
#endif
#define SIZE	2		/* records that the ring keeps */

byte head, tail, evicted;
bool is_wanted[RECORDS];
bool had[RECORDS];		/* delivered, or in a gap */

active proctype writer()
{
	do
	:: head < RECORDS ->
		if
		:: is_wanted[head] = true
		:: is_wanted[head] = false
		fi;
		if
		:: head - tail == SIZE ->
#ifdef NO_WMB
			tail++;
			if
			:: is_wanted[tail - 1] -> evicted = tail
			:: else
			fi
#else
			if
			:: is_wanted[tail] -> evicted = tail + 1
			:: else
			fi;
			tail++
#endif
		:: else
		fi;
		head++
	:: head == RECORDS -> break
	od
}

byte pos;

inline log_note_loss()
{
#ifdef NO_RMB
	newest = evicted;
	seen = tail;
#else
	seen = tail;
	newest = evicted;
#endif
#ifdef NO_EVICTED
	newest = 255;
#endif
#ifdef NO_GAP
	newest = 0;
#endif
	if
#ifdef FROM_START
	:: atomic { newest == 0 -> pos = seen }
	:: newest > 0 ->
#else
	:: atomic { newest <= pos -> pos = seen }
	:: newest > pos ->
#endif
		/* log_extend_gap() */
		atomic {
#if !defined(ONE_TAIL) && !defined(NO_WAIT)
			tail >= newest;
#endif
#ifndef ONE_TAIL
			seen = tail;
#endif
			n = 0;
			do
			:: pos < seen ->
				had[pos] = true;
				if
				:: is_wanted[pos] -> n++
				:: else
				fi;
				pos++
			:: else -> break
			od;
			assert(n)
		}
	fi;
	atomic { newest = 0; seen = 0; n = 0 }
}

active proctype reader()
{
	byte seen, newest, n;

	do
	:: pos < head ->
		/* the copy of one that is there is whole, and else not used */
		if
		:: atomic { tail <= pos -> had[pos] = true; pos++ }
		:: tail > pos -> log_note_loss()
		fi
	:: atomic { pos == RECORDS -> break }
	od;
	atomic {
		do
		:: n < RECORDS ->
			assert(had[n] || !is_wanted[n]);
			n++
		:: else -> break
		od
	}
}
