/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Losses of a reader with a filter, as in log_note_loss() of kmod/log_read.c: a
 * loss is reported if, and only if, a record that the filter may pass was
 * overwritten. No such record is skipped without a report.
 *
 * One ring; log.pml shows that copies are complete, and all else about reading.
 * A record is its index here, and the newest overwritten one that the filter
 * may pass is one more than its index, 0 if there is none.
 *
 * -DNAME leaves out or changes one step; each must lead to an error:
 *
 *	NO_WMB		appends move tail before they note the eviction (E)
 *	NO_RMB		log_note_loss() reads the evictions before tail (E)
 *	ONE_TAIL	a gap ends at the tail that was read before
 *	NO_WAIT		a gap ends at a tail that does not include the noted
 *			eviction yet
 *	NO_EVICTED	everything overwritten is a loss
 *	NO_GAP		nothing is a loss
 *	FROM_START	evictions before the position count, too
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
		/*
		 * the copy of an existing record is complete, others are not
		 * used
		 */
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
