/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The protocol of the log (kmod/log/log_rings.h), with the reads of kmod/reader/stream.c:
 * what is copied without a lock is complete and in order, and losses are exact.
 *
 * Stores of a writer go through a buffer, which they leave in any order that
 * barriers allow; the lock's release empties it. Loads of a reader are made in
 * any order that barriers allow, which with all of them is one order only.
 * Readers never take the lock.
 *
 * -DNAME leaves out or changes one step; each must lead to an error:
 *
 *	NO_LOCK		appends do not take the lock
 *	NO_WMB		no smp_wmb() in the writer (A)
 *	NO_RMB		no smp_rmb() in the reader (A)
 *	NO_HEAD_RELEASE	no release in the store to head (B)
 *	NO_HEAD_ACQUIRE	no acquire in the load of head (C)
 *	NO_SEQ_RELEASE	no release in the store to seq (D)
 *	NO_SEQ_ACQUIRE	no acquire in the load of seq (D)
 *	NO_TAIL_RELEASE	no release in the store to tail (E)
 *	NO_TAIL_ACQUIRE	no acquire in the load of tail (E)
 *	TAIL_LATE	tail is moved after the copy
 *	NO_RECHECK	the copy is not checked
 *	NO_LIMIT	limit is ignored
 *	NO_BOUND	a run of a ring is not ended by records of others
 *	ONE_EVICTED	there is one evicted, not two
 *	NO_TAIL_RECHECK	tail is not read again after evicted
 *	NO_TAIL_RMB	no smp_rmb() before that
 *	LOSS_SHARED	one gap for all rings
 *	LOSS_ALL	the loss is all that the ring ever lost
 *	LOSS_ANEW	a gap is not kept in the cursor
 *	SEEN_LATE	a reported loss does not move seen
 *	ADVANCE_FIRST	the position is moved before the records are copied out
 *	READER_LOCKS	records are copied out under the lock
 *	SEEK_ANY	a seek counts losses before its seq, too
 *	SEEK_EARLY	a seek reads heads before seq
 *	SEEK_STALE	a search continues from an overwritten record
 *	END_HEADS	a seek to the end takes heads for positions
 *	OLDEST_SEEN	a seek to the oldest ignores that rings were empty
 *	OLDEST_STALE	... and that the oldest was overwritten
 *	FOLLOW_TAIL	rings that are followed again begin with their oldest
 *
 * Size: -DREADERS, -DRECORDS in all, -DRING of them in a ring, -DMAX in a read;
 * per reader: -DFAULTS when records are copied out, -DSEEKS, -DOLDEST of them
 * to the oldest, and -DFOLLOWS of other rings. Readers share nothing, so a
 * proof for one holds for more; a second one makes the search long.
 */
#ifndef READERS
#define READERS 1
#endif
#ifndef RECORDS
#define RECORDS 4
#endif
#ifndef RING
#define RING 2
#endif
#ifndef MAX
#define MAX 2
#endif
#ifndef SEEKS
#define SEEKS 0
#endif
#ifndef OLDEST
#define OLDEST 0
#endif
#ifndef FOLLOWS
#define FOLLOWS 0
#endif
#ifndef FAULTS
#define FAULTS 0
#endif

#define LANES	2
#define ALL	RECORDS
#define NONE	255
#define ANY	LANES		/* RDMAEV_RING_ANY, and its gap */

#define AT(ring, index)	((ring) * RING + (index) % RING)

/* Index of evicted for a tail */
#ifdef ONE_EVICTED
#define OF(ring, tail)	((ring) * 2)
#else
#define OF(ring, tail)	((ring) * 2 + (tail) % 2)
#endif

/* rdmaev_log and its rings; memory, with the stores that have arrived */
bool lock;
byte seq;
byte head[LANES], tail[LANES], evicted[LANES * 2];
byte slot_seq[LANES * RING], slot_body[LANES * RING];

/* For checks: the ring of each seq, and the number of records of a ring */
byte ring_of[ALL + 1];
byte total[LANES];
byte left = ALL;	/* to be appended, by either of two writers */

#define bit_of(n)	(1 << (n))

/* What is in a writer's buffer */
#define TAIL	1
#define SEQ	2
#define BODY	4
#define HEAD	8
#define NEWEST	16
#define EVICTED	32

#ifdef NO_TAIL_RELEASE
#define TAIL_RELEASE	true
#else
#define TAIL_RELEASE	(buffer == 0)
#endif
#ifdef NO_WMB
#define WMB	true
#else
#define WMB	(buffer == 0)
#endif
#ifdef NO_HEAD_RELEASE
#define HEAD_RELEASE	true
#else
#define HEAD_RELEASE	(buffer == 0)
#endif
#ifdef NO_SEQ_RELEASE
#define SEQ_RELEASE	true
#else
#define SEQ_RELEASE	(buffer == 0)
#endif

/*
 * A writer continues until a barrier has to wait for the buffer. The buffer
 * makes stores late.
 */
inline go_on()
{
	/* rdmaev_log.evicted, if the ring is full */
	if
	:: stage == 0 ->
		if
		:: h - t == RING ->
			e = slot_seq[AT(ring, h)];
			buffer = EVICTED
		:: else
		fi;
		stage = 1
	:: else
	fi;
	/* smp_store_release() of ring->tail (E) */
	if
	:: stage == 1 && TAIL_RELEASE ->
#ifndef TAIL_LATE
		if
		:: h - t == RING -> buffer = buffer | TAIL
		:: else
		fi;
#endif
		stage = 2
	:: else
	fi;
	/* smp_wmb() (A), memcpy() */
	if
	:: stage == 2 && WMB ->
		buffer = buffer | SEQ | BODY;
#ifdef TAIL_LATE
		if
		:: h - t == RING -> buffer = buffer | TAIL
		:: else
		fi;
#endif
		stage = 3
	:: else
	fi;
	/* smp_store_release() of ring->head (B) */
	if
	:: stage == 3 && HEAD_RELEASE ->
		buffer = buffer | HEAD;
		stage = 4
	:: else
	fi;
	/* smp_store_release() of rdmaev_log.seq (D) */
	if
	:: stage == 4 && SEQ_RELEASE ->
		buffer = buffer | NEWEST;
		stage = 5
	:: else
	fi
}

/* rdmaev_log_append(); a record's body is its seq once more */
proctype writer()
{
	byte ring, s, stage, buffer, h, t, e;

	do
	:: atomic {
		if
#ifdef NO_LOCK
		:: left > 0 && stage == 0 ->
#else
		:: left > 0 && stage == 0 && !lock ->
			lock = true;
#endif
			left--;
			s = seq + 1;
			if
			:: ring = 0
			:: ring = 1
			fi;
			h = head[ring];
			t = tail[ring];
			ring_of[s] = ring;
			total[ring]++
		:: buffer & EVICTED ->
			evicted[OF(ring, t + 1)] = e;
			buffer = buffer & ~EVICTED
		:: buffer & TAIL ->
			tail[ring] = t + 1;
			buffer = buffer & ~TAIL
		:: buffer & SEQ ->
			slot_seq[AT(ring, h)] = s;
			buffer = buffer & ~SEQ
		:: buffer & BODY ->
			slot_body[AT(ring, h)] = s;
			buffer = buffer & ~BODY
		:: buffer & HEAD ->
			head[ring] = h + 1;
			buffer = buffer & ~HEAD
		:: buffer & NEWEST ->
			seq = s;
			buffer = buffer & ~NEWEST
		fi;
		go_on() }
	/* raw_spin_unlock_irqrestore(): all stores before it have arrived */
	:: atomic { stage == 5 && buffer == 0 ->
		lock = false;
		stage = 0; h = 0; t = 0; e = 0; s = 0; ring = 0 }
	:: left == 0 && stage == 0 -> break
	od
}

/* struct rdmaev_cursor */
typedef cursor {
	byte limit, seen, rings;
	byte pos[LANES], next[LANES];
	byte first[LANES + 1], last[LANES + 1], count[LANES + 1];
}

inline copy_cursor(to, from)
{
	atomic {
		to.limit = from.limit;
		to.seen = from.seen;
		to.rings = from.rings;
		to.pos[0] = from.pos[0];
		to.pos[1] = from.pos[1];
		to.next[0] = from.next[0];
		to.next[1] = from.next[1];
		to.first[0] = from.first[0];
		to.first[1] = from.first[1];
		to.first[ANY] = from.first[ANY];
		to.last[0] = from.last[0];
		to.last[1] = from.last[1];
		to.last[ANY] = from.last[ANY];
#ifdef LOSS_ANEW
		to.count[0] = 0;
		to.count[1] = 0;
		to.count[ANY] = 0
#else
		to.count[0] = from.count[0];
		to.count[1] = from.count[1];
		to.count[ANY] = from.count[ANY]
#endif
	}
}

#ifdef LOSS_SHARED
#define GAP(i)	0
#else
#define GAP(i)	(i)
#endif

#ifdef NO_TAIL_RECHECK
#define TAIL_AGAIN(i)	t
#else
#define TAIL_AGAIN(i)	tail[i]
#endif

/* log_read_tail(): sets t, and e to what was evicted */
inline read_tail(i)
{
	do
	:: true ->
#ifdef NO_TAIL_ACQUIRE
		atomic { s = evicted[OF(i, 0)]; mid = evicted[OF(i, 1)] };
		atomic { t = tail[i]; e = (t % 2 -> mid : s); s = 0; mid = 0 };
		low = TAIL_AGAIN(i);
#else
		t = tail[i];				/* (E) */
#ifdef NO_TAIL_RMB
		low = TAIL_AGAIN(i);
		e = evicted[OF(i, t)];
#else
		e = evicted[OF(i, t)];
		low = TAIL_AGAIN(i);			/* (A) */
#endif
#endif
		if
		:: atomic { low == t -> low = 0 };
			break
		:: atomic { low != t -> low = 0; t = 0; e = 0 }
		fi
	od
}

/* log_note_loss(); its return value is in next */
inline note_loss(i, lower)
{
	read_tail(i);
	atomic {
		cur.first[GAP(i)] = lower;
#ifdef LOSS_ALL
		cur.count[GAP(i)] = t;
#else
		cur.count[GAP(i)] = t - cur.pos[i];
#endif
		cur.last[GAP(i)] = e;
		cur.pos[i] = t;
		cur.next[i] = e;
		t = 0;
		e = 0
	}
}

/*
 * log_overwritten() after a load of memory that may be overwritten: smp_rmb()
 * (A)
 */
#ifdef NO_RMB
#define LOAD_THEN_TAIL(load, i)						\
	if								\
	:: true -> load; t = tail[i]					\
	:: true -> t = tail[i]; load					\
	fi
#else
#define LOAD_THEN_TAIL(load, i)	load; t = tail[i]
#endif

#ifdef NO_RECHECK
#define OVERWRITTEN(index)	false
#else
#define OVERWRITTEN(index)	(t > (index))
#endif

inline load_run(i)
{
	do
	:: atomic { k < m ->
		got_seq[n + k] = slot_seq[AT(i, cur.pos[i] + k)] };
		atomic { got_body[n + k] = slot_body[AT(i, cur.pos[i] + k)];
		k++ }
	:: k >= m -> break
	od
}

#if defined(NO_SEQ_ACQUIRE) || defined(SEEK_EARLY)
#define HEAD_EARLY
#endif

/* The load of head (C), unless it was made early */
inline load_head(i)
{
#ifdef HEAD_EARLY
	if
	:: early[i] != NONE -> h = early[i]; early[i] = NONE
	:: else -> h = head[i]
	fi
#else
	h = head[i]
#endif
}

/* log_peek(): smp_load_acquire() of ring->head (C), seq of the slot, tail */
inline peek(i)
{
	if
	:: (cur.rings & bit_of(i)) && cur.next[i] == 0 ->
#ifdef NO_HEAD_ACQUIRE
		if
		:: true -> s = slot_seq[AT(i, cur.pos[i])]; h = head[i]
		:: true -> h = head[i]; s = slot_seq[AT(i, cur.pos[i])]
		fi;
		t = tail[i];
#else
		atomic { load_head(i);
		if
		:: h <= cur.pos[i] -> h = 0
		:: else
		fi };
		if
		:: h -> LOAD_THEN_TAIL(s = slot_seq[AT(i, cur.pos[i])], i)
		:: else
		fi;
#endif
		if
		:: atomic { h <= cur.pos[i] -> h = 0; s = 0; t = 0 }
		:: atomic { h > cur.pos[i] && OVERWRITTEN(cur.pos[i]) ->
			h = 0; s = 0; t = 0 };
			note_loss(i, cur.seen + 1)
		:: atomic { h > cur.pos[i] && !(OVERWRITTEN(cur.pos[i])) ->
			cur.next[i] = s;
			h = 0; s = 0; t = 0 }
		fi
	:: else
	fi
}

/* The first record, and the first one of the other rings: rdmaev_log_read() */
inline consider(i)
{
	if
	:: !(cur.rings & bit_of(i)) || cur.next[i] == 0
	:: else ->
		if
		:: cur.next[i] < best ->
			if
			:: best < bound -> bound = best
			:: else
			fi;
			best = cur.next[i];
			pick = i
		:: else ->
			if
			:: cur.next[i] < bound -> bound = cur.next[i]
			:: else
			fi
		fi
	fi
}

/* A loss that rdmaev_log_next() finds: rdmaev_log_pass() */
inline tell_loss()
{
	atomic {
		got_lost[n] = true;
		got_seq[n] = cur.last[GAP(pick)];
		got_ring[n] = pick;
		got_first[n] = cur.first[GAP(pick)];
		got_count[n] = cur.count[GAP(pick)];
		n++;
#ifndef SEEN_LATE
		cur.seen = cur.last[GAP(pick)];
#endif
		cur.count[GAP(pick)] = 0;
		if
		:: pick < LANES -> cur.next[pick] = 0
		:: else
		fi
	}
}

/* Copied and not delivered */
inline forget_copies()
{
	m = n;
	do
	:: m < 3 -> got_seq[m] = 0; got_body[m] = 0; m++
	:: else -> break
	od;
	m = 0
}

/*
 * log_find_run(), a copy, rdmaev_log_pass(). The end of the run is found in the
 * slots, before they are copied; as all of it is discarded if one was
 * overwritten since, this is equivalent.
 */
inline copy_run()
{
	atomic {
		h = head[pick];				/* (C) */
		m = MAX - n;
		if
		:: h - cur.pos[pick] < m -> m = h - cur.pos[pick]
		:: else
		fi;
		if
		:: RING - cur.pos[pick] % RING < m -> m = RING - cur.pos[pick] % RING
		:: else
		fi;
		if
#ifdef NO_BOUND
		:: false
#else
		:: bound - best < m -> m = bound - best
#endif
		:: else
		fi;
		h = 0
	}
	LOAD_THEN_TAIL(load_run(pick), pick);
	if
	/*
	 * copy_to_user() straight from the slots may fail: then nothing is
	 * delivered.
	 */
	:: atomic { faults -> faults--; t = 0; k = 0; m = 0; forget_copies() }
	:: atomic { OVERWRITTEN(cur.pos[pick]) -> t = 0; k = 0; m = 0; forget_copies() };
		note_loss(pick, best)
	:: atomic { !(OVERWRITTEN(cur.pos[pick])) ->
			t = 0;
			k = 1;
			do
#ifdef NO_BOUND
			:: k < m -> k++
#else
			:: k < m && got_seq[n + k] < bound -> k++
#endif
			:: else -> break
			od;
			cur.pos[pick] = cur.pos[pick] + k;
			if
			:: k < m -> cur.next[pick] = got_seq[n + k]
			:: else -> cur.next[pick] = 0
			fi;
			cur.seen = got_seq[n + k - 1];
			m = n;
			do
			:: m < n + k -> got_ring[m] = pick; m++
			:: else -> break
			od;
			n = n + k;
			k = 0;
			forget_copies() }
	fi;
	atomic { best = 0; bound = 0; pick = 0 }
}

/* rdmaev_log_read() of up to MAX records */
inline log_read()
{
	do
	:: n < MAX ->
#ifdef NO_SEQ_ACQUIRE
		if
		:: cur.seen >= cur.limit -> early[0] = head[0]; early[1] = head[1]
		:: true
		fi;
#endif
		if
		:: atomic { cur.seen >= cur.limit ->
			cur.limit = seq }		/* (D) */
		:: cur.seen < cur.limit
		fi;
		if
		:: cur.seen >= cur.limit -> break
		:: else
		fi;
		peek(0);
		peek(1);
		if
		:: atomic { true ->
			best = NONE;
			pick = NONE;
			bound = cur.limit + 1;
			if
			:: cur.count[ANY] -> best = cur.last[ANY]; pick = ANY
			:: else
			fi;
			consider(0);
			consider(1);
			if
#ifdef NO_LIMIT
			:: best == NONE ->
#else
			:: best > cur.limit ->
#endif
				cur.seen = cur.limit;
				pick = NONE
			:: else ->
				if
				:: cur.count[GAP(pick)] ->
					tell_loss();
					pick = NONE
				:: else
				fi
			fi;
			if
			:: pick == NONE -> best = 0; bound = 0
			:: else
			fi }
		fi;
		if
		:: atomic { pick == NONE -> pick = 0 }
		:: pick != NONE -> copy_run()
		fi
	:: else -> break
	od
#ifdef NO_SEQ_ACQUIRE
	; atomic { early[0] = NONE; early[1] = NONE }
#endif
}

/* Number of records of a ring with a seq from first to last, for a loss */
inline count_of(ring, first, last)
{
	k = (first > due[ring] -> first : due[ring]);
	m = 0;
	do
	:: k <= last ->
		if
		:: ring_of[k] == ring -> m++
		:: else
		fi;
		k++
	:: else -> break
	od
}

/*
 * Delivered records: complete, newer than all before, of their ring; losses
 * exact
 */
inline accept(j)
{
	assert(got_seq[j] > prev);
	prev = got_seq[j];
	if
	:: !got_lost[j] ->
		assert(got_body[j] == got_seq[j]);
		assert(ring_of[got_seq[j]] == got_ring[j]);
		had[got_ring[j]]++
	:: got_lost[j] && got_ring[j] < LANES ->
		assert(ring_of[got_seq[j]] == got_ring[j]);
		count_of(got_ring[j], got_first[j], got_seq[j]);
		assert(m == got_count[j]);
		had[got_ring[j]] = had[got_ring[j]] + got_count[j]
	:: else ->
		assert(got_seq[j] - got_first[j] + 1 >= got_count[j]);
		had[ANY] = had[ANY] + got_count[j]
	fi
}

#define FORGET(j)	got_seq[j] = 0; got_body[j] = 0; got_ring[j] = 0;	\
			got_lost[j] = 0; got_first[j] = 0; got_count[j] = 0

/*
 * log_find_seq(): sets low to the index of the first kept record of a ring that
 * is newer than @after, and e to what was evicted
 */
#ifdef SEEK_STALE
#define STALE	false
#else
#define STALE	OVERWRITTEN(mid)
#endif

inline find(i, after)
{
	read_tail(i);
	atomic { low = t; t = 0; load_head(i); high = h; h = 0 };	/* (C) */
	do
	:: e <= after && low != high ->
		mid = low + (high - low) / 2;
		LOAD_THEN_TAIL(s = slot_seq[AT(i, mid)], i);
		if
		:: atomic { STALE -> s = 0; t = 0; mid = 0; low = 0 };
			read_tail(i);
			atomic { low = t; t = 0 }
		:: atomic { !(STALE) && s <= after ->
			low = mid + 1; s = 0; t = 0; mid = 0 }
		:: atomic { !(STALE) && s > after ->
			high = mid; s = 0; t = 0; mid = 0 }
		fi
	:: else -> break
	od
}

/*
 * Number of records of a ring that are not for the reader: up to a seq, or
 * evicted
 */
inline not_due(i, upto)
{
	k = 1;
	due[i] = (upto) + 1;
	base[i] = 0;
	do
	:: k <= (upto) ->
		if
		:: ring_of[k] == i -> base[i]++
		:: else
		fi;
		k++
	:: else -> break
	od;
	k = 0
}

/* The same for those before an index */
inline not_due_before(i, index)
{
	k = 1;
	base[i] = 0;
	do
	:: base[i] < index ->
		if
		:: ring_of[k] == i -> base[i]++
		:: else
		fi;
		k++
	:: else -> break
	od;
	due[i] = k;
	k = 0
}

/* rdmaev_log_seek() */
inline seek(i)
{
	find(i, cur.seen);
	atomic {
#ifdef END_HEADS
		if
		:: cur.seen == cur.limit -> low = head[i]
		:: else
		fi;
#endif
		cur.pos[i] = low;
		cur.next[i] = 0;
		before = before + low;
#ifdef SEEK_ANY
		if
		:: e == 0
		:: else ->
#else
		if
		:: e <= cur.seen
		:: else ->
#endif
			pick = (pick == NONE -> i : ANY);
			lossy = lossy | bit_of(i);
			if
			:: e > best -> best = e
			:: else
			fi
		fi;
		had[i] = 0;
		not_due(i, cur.seen);
		low = 0; high = 0; e = 0
	}
}

inline clear_gaps()
{
	cur.count[0] = 0;
	cur.count[1] = 0;
	cur.count[ANY] = 0;
	had[ANY] = 0
}

inline move_to()
{
#ifdef SEEK_EARLY
	atomic { early[0] = head[0]; early[1] = head[1] };
#endif
	atomic {
		cur.limit = seq;			/* (D) */
		/* from 1 to the newest and one more: seen is one less */
		k = 0;
		do
		:: k < cur.limit -> k++
		:: break
		od;
		cur.seen = k;
		prev = k;
		k = 0;
		pick = NONE;
		clear_gaps()
	};
	seek(0);
	seek(1);
	atomic {
		if
		:: !(lossy & cur.rings)
		:: else ->
			if
			:: pick < LANES -> cur.next[pick] = best
			:: else
			fi;
			cur.first[pick] = cur.seen + 1;
			cur.last[pick] = best;
			cur.count[pick] = before - cur.seen
		fi;
		before = 0; lossy = 0; pick = 0; best = 0
#ifdef SEEK_EARLY
		; early[0] = NONE; early[1] = NONE
#endif
	}
}

/* log_read_oldest(), as rdmaev_log_seek_oldest() does with it */
#ifdef OLDEST_STALE
#define OLDEST_GONE	false
#else
#define OLDEST_GONE	OVERWRITTEN(low)
#endif

inline read_oldest(i)
{
	do
	:: low = tail[i];				/* (E) */
		atomic { h = head[i];			/* (C) */
		if
		:: h == low -> h = 0; s = 0; break
		:: else -> h = 0
		fi };
		LOAD_THEN_TAIL(s = slot_seq[AT(i, low)], i);
		if
		:: atomic { OLDEST_GONE -> s = 0; t = 0; low = 0 }
		:: atomic { !(OLDEST_GONE) -> t = 0 };
			break
		fi
	od;
	atomic {
		cur.pos[i] = low;
		cur.next[i] = 0;
		if
		:: s && s - 1 < cur.seen -> cur.seen = s - 1
#ifdef OLDEST_SEEN
		:: s && (best == 0 || s - 1 < cur.seen) -> cur.seen = s - 1; best = 1
#endif
		:: else
		fi;
		had[i] = 0;
		not_due_before(i, low);
		low = 0; s = 0
	}
}

inline move_to_oldest()
{
	atomic {
		cur.limit = seq;			/* (D) */
		cur.seen = cur.limit;
		clear_gaps()
	};
	read_oldest(0);
	read_oldest(1);
	atomic { prev = cur.seen; best = 0 }
}

/*
 * rdmaev_log_follow(); losses of a ring while it was not followed do not count
 */
inline follow(i)
{
	if
	:: (lossy & bit_of(i)) == (cur.rings & bit_of(i))
	:: else ->
		find(i, cur.seen);
		atomic {
#ifdef FOLLOW_TAIL
			low = tail[i];
#endif
			cur.pos[i] = low;
			cur.next[i] = 0;
			cur.count[i] = 0;
			had[i] = 0;
			if
			:: e > cur.seen -> not_due(i, e)
			:: else -> not_due(i, cur.seen)
			fi;
			low = 0; high = 0; e = 0
		}
	fi
}

inline follow_others()
{
	if
	:: lossy = 1
	:: lossy = 2
	:: lossy = 3
	fi;
	follow(0);
	follow(1);
	atomic { cur.rings = lossy; lossy = 0 }
}

/* rdmaev_stream_read() until all has been appended and read */
proctype reader(byte seeks; byte oldest; byte follows; byte faults)
{
	cursor at, cur;			/* s->cursor, and the copy that moves */
	byte got_seq[3], got_body[3], got_ring[3];
	byte got_first[3], got_count[3];
	bool got_lost[3];
	byte h, s, t, e, n, m, k, best, bound, pick;
	byte low, high, mid, before, lossy;
	byte prev, had[LANES + 1], base[LANES], due[LANES];
#ifdef HEAD_EARLY
	byte early[LANES] = NONE;
#endif

	if
	:: atomic { true -> at.rings = 3; cur.rings = 3 }
	:: atomic { follows -> at.rings = 1; cur.rings = 1 }
	fi;
	do
	:: true ->
		log_read();
#ifdef ADVANCE_FIRST
		skip;
		copy_cursor(at, cur);
#endif
#ifdef READER_LOCKS
		atomic { !lock -> lock = true };
#endif
		/*
		 * copy_to_user(): it may take for ever, it may fail, or the reader
		 * has them.
		 */
		if
		:: n ->
end_stuck:		false
		:: atomic { n && faults -> faults-- }
		:: atomic { true ->
			copy_cursor(at, cur);
			if
			:: n > 0 -> accept(0)
			:: else
			fi;
			if
			:: n > 1 -> accept(1)
			:: else
			fi;
			k = 0;
			m = 0 }
		fi;
#ifdef READER_LOCKS
		lock = false;
#endif
		atomic { FORGET(0); FORGET(1); FORGET(2); copy_cursor(cur, at) }
		if
		:: n == 0 && left == 0 && at.seen == ALL -> break
		:: atomic { n == 0 && seq != at.seen }
		:: atomic { n != 0 -> n = 0 }
		:: atomic { seeks ->
			seeks--;
			n = 0 };
			move_to();
			copy_cursor(at, cur)
		:: atomic { oldest ->
			oldest--;
			n = 0 };
			move_to_oldest();
			copy_cursor(at, cur)
		:: atomic { follows ->
			follows--;
			n = 0 };
			follow_others();
			copy_cursor(at, cur)
		fi
	od;
#ifndef NO_LOCK
	/* delivered and lost records are all there were */
	atomic {
		assert(seq == ALL);
		assert(had[ANY] || !(cur.rings & 1) || had[0] == total[0] - base[0]);
		assert(had[ANY] || !(cur.rings & 2) || had[1] == total[1] - base[1]);
		assert(cur.rings != 3 || had[0] + had[1] + had[ANY] ==
		       total[0] + total[1] - base[0] - base[1])
	}
#endif
}

init {
	byte i;

	atomic {
		run writer();
		run writer();
		do
		:: i < READERS -> run reader(SEEKS, OLDEST, FOLLOWS, FAULTS); i++
		:: else -> break
		od
	}
}
