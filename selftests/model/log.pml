/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The log's protocol as kmod/log.c has it, with the reading of kmod/stream.c:
 * what is copied without a lock is whole and in order, and the loss is exact.
 *
 * Stores of a writer go through a buffer out of which they come in any order
 * that barriers allow; the lock's release empties it. Loads of a reader are made
 * in any order that barriers allow, which with all of them is one order only.
 * What is done under the log's lock and looks at nothing outside of it is one
 * step here: nobody else can see less of it.
 *
 * -DNAME leaves out or changes one step; each has to end in an error:
 *
 *	NO_LOCK		appends do not take the lock
 *	NO_WMB		writer's smp_wmb() (A)
 *	NO_RMB		reader's smp_rmb() (A)
 *	NO_HEAD_RELEASE	of the store to head (B)
 *	NO_HEAD_ACQUIRE	of the load of head (C)
 *	NO_SEQ_RELEASE	of the store to seq (D)
 *	NO_SEQ_ACQUIRE	of the load of seq (D)
 *	TAIL_LATE	tail is moved after the copy
 *	NO_RECHECK	the copy is not looked at again
 *	NO_LIMIT	limit is not heeded
 *	NO_BOUND	a run of a lane is not ended by what the others have
 *	LOSS_UNLOCKED	note_loss() does not take the lock
 *	LOSS_SHARED	one gap for all lanes
 *	LOSS_ALL	the loss is what the lane ever lost
 *	LOSS_ANEW	a gap is not kept in the cursor
 *	SEEN_LATE	a loss that was told does not move seen
 *	ADVANCE_FIRST	the position is moved before the records are copied out
 *	READER_LOCKS	records are copied out under the lock
 *	SEEK_ANY	a seek counts what was lost before its seq, too
 *	FOLLOW_TAIL	lanes that are followed anew begin with their oldest record
 *
 * Size: -DREADERS, -DRECORDS in all, -DRING of them in a lane, -DMAX in a read;
 * each reader's -DFAULTS when records are copied out, -DSEEKS, and -DFOLLOWS of
 * other lanes. Readers share nothing but the lock, so what holds for one holds
 * for more; a second one makes the search long.
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
#ifndef FOLLOWS
#define FOLLOWS 0
#endif
#ifndef FAULTS
#define FAULTS 0
#endif

#define LANES	2
#define ALL	RECORDS
#define NONE	255
#define ANY	LANES		/* RDMAEV_LANE_ANY, and its gap */

#define AT(lane, index)	((lane) * RING + (index) % RING)

/* rlog and its rings; memory, as far as stores have come there */
bool lock;
byte seq;
byte head[LANES], tail[LANES], evicted[LANES];
byte slot_seq[LANES * RING], slot_body[LANES * RING];

/* What is known besides: the lane of each seq, and how many a lane had. */
byte lane_of[ALL + 1];
byte total[LANES];
byte left = ALL;	/* to be appended, by either of two writers */

#define bit_of(n)	(1 << (n))

/* What is in a writer's buffer */
#define TAIL	1
#define SEQ	2
#define BODY	4
#define HEAD	8
#define NEWEST	16

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
 * A writer goes on until a barrier has to wait for the buffer. To make stores
 * late is the buffer's part.
 */
inline go_on()
{
	/* ring->evicted and ring->tail, if it is full */
	if
	:: stage == 0 ->
#ifndef TAIL_LATE
		if
		:: h - t == RING ->
			evicted[lane] = slot_seq[AT(lane, h)];
			buffer = TAIL
		:: else
		fi;
#endif
		stage = 1
	:: else
	fi;
	/* smp_wmb() (A), memcpy() */
	if
	:: stage == 1 && WMB ->
		buffer = buffer | SEQ | BODY;
#ifdef TAIL_LATE
		if
		:: h - t == RING ->
			evicted[lane] = slot_seq[AT(lane, h)];
			buffer = buffer | TAIL
		:: else
		fi;
#endif
		stage = 2
	:: else
	fi;
	/* smp_store_release() of ring->head (B) */
	if
	:: stage == 2 && HEAD_RELEASE ->
		buffer = buffer | HEAD;
		stage = 3
	:: else
	fi;
	/* smp_store_release() of rlog.seq (D) */
	if
	:: stage == 3 && SEQ_RELEASE ->
		buffer = buffer | NEWEST;
		stage = 4
	:: else
	fi
}

/* rdmaev_log_append(); a record's body is its seq once more */
proctype writer()
{
	byte lane, s, stage, buffer, h, t;

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
			:: lane = 0
			:: lane = 1
			fi;
			h = head[lane];
			t = tail[lane];
			lane_of[s] = lane;
			total[lane]++
		:: buffer & TAIL ->
			tail[lane] = t + 1;
			buffer = buffer & ~TAIL
		:: buffer & SEQ ->
			slot_seq[AT(lane, h)] = s;
			buffer = buffer & ~SEQ
		:: buffer & BODY ->
			slot_body[AT(lane, h)] = s;
			buffer = buffer & ~BODY
		:: buffer & HEAD ->
			head[lane] = h + 1;
			buffer = buffer & ~HEAD
		:: buffer & NEWEST ->
			seq = s;
			buffer = buffer & ~NEWEST
		fi;
		go_on() }
	/* raw_spin_unlock_irqrestore(): all stores before it have arrived */
	:: atomic { stage == 4 && buffer == 0 ->
		lock = false;
		stage = 0; h = 0; t = 0; s = 0; lane = 0 }
	:: left == 0 && stage == 0 -> break
	od
}

/* struct rdmaev_cursor */
typedef cursor {
	byte limit, seen, lanes;
	byte pos[LANES], next[LANES];
	byte first[LANES + 1], last[LANES + 1], count[LANES + 1];
}

inline copy_cursor(to, from)
{
	atomic {
		to.limit = from.limit;
		to.seen = from.seen;
		to.lanes = from.lanes;
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

/* note_loss(); what it returns is in next */
inline note_loss(i, lower)
{
#ifdef LOSS_UNLOCKED
	cur.count[GAP(i)] = tail[i] - cur.pos[i];
	cur.last[GAP(i)] = evicted[i];
	cur.pos[i] = tail[i];
	cur.first[GAP(i)] = lower;
	cur.next[i] = cur.last[GAP(i)]
#else
	atomic {
		!lock;
#ifdef LOSS_ALL
		cur.count[GAP(i)] = tail[i];
#else
		cur.count[GAP(i)] = tail[i] - cur.pos[i];
#endif
		cur.last[GAP(i)] = evicted[i];
		cur.pos[i] = tail[i];
		cur.first[GAP(i)] = lower;
		cur.next[i] = cur.last[GAP(i)]
	}
#endif
}

/* overwritten() after a load of what may have been: smp_rmb() (A) */
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
#define OVERWRITTEN(i)	false
#else
#define OVERWRITTEN(i)	(t > cur.pos[i])
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

/* The load of head (C), where it is not early; false in h: there is nothing */
inline load_head(i)
{
#ifdef NO_SEQ_ACQUIRE
	if
	:: early[i] != NONE -> h = early[i]; early[i] = NONE
	:: else -> h = head[i]
	fi
#else
	h = head[i]
#endif
}

/* peek(): smp_load_acquire() of ring->head (C), seq of the slot, tail */
inline peek(i)
{
	if
	:: (cur.lanes & bit_of(i)) && cur.next[i] == 0 ->
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
		atomic {
			if
			:: h <= cur.pos[i]
			:: h > cur.pos[i] && OVERWRITTEN(i) ->
				note_loss(i, cur.seen + 1)
			:: else -> cur.next[i] = s
			fi;
			h = 0; s = 0; t = 0
		}
	:: else
	fi
}

/* What comes first, and what comes first of the others: rdmaev_log_read() */
inline consider(i)
{
	if
	:: !(cur.lanes & bit_of(i)) || cur.next[i] == 0
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

/* tell_loss() */
inline tell_loss()
{
	atomic {
		got_lost[n] = true;
		got_seq[n] = cur.last[GAP(pick)];
		got_lane[n] = pick;
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

/* copy_run() */
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
	atomic {
		if
		:: OVERWRITTEN(pick) -> note_loss(pick, best)
		:: else ->
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
			:: m < n + k -> got_lane[m] = pick; m++
			:: else -> break
			od;
			n = n + k
		fi;
		/* what was copied and not taken */
		m = n;
		do
		:: m < 3 -> got_seq[m] = 0; got_body[m] = 0; m++
		:: else -> break
		od;
		t = 0; k = 0; m = 0; best = 0; bound = 0; pick = 0
	}
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

/* How many of a lane have a seq from first to last: what a loss has to say. */
inline count_of(lane, first, last)
{
	k = (first > due[lane] -> first : due[lane]);
	m = 0;
	do
	:: k <= last ->
		if
		:: lane_of[k] == lane -> m++
		:: else
		fi;
		k++
	:: else -> break
	od
}

/* The reader has it: whole, newer than all before, of its lane; a loss exact. */
inline accept(j)
{
	assert(got_seq[j] > prev);
	prev = got_seq[j];
	if
	:: !got_lost[j] ->
		assert(got_body[j] == got_seq[j]);
		assert(lane_of[got_seq[j]] == got_lane[j]);
		had[got_lane[j]]++
	:: got_lost[j] && got_lane[j] < LANES ->
		assert(lane_of[got_seq[j]] == got_lane[j]);
		count_of(got_lane[j], got_first[j], got_seq[j]);
		assert(m == got_count[j]);
		had[got_lane[j]] = had[got_lane[j]] + got_count[j]
	:: else ->
		assert(got_seq[j] - got_first[j] + 1 >= got_count[j]);
		had[ANY] = had[ANY] + got_count[j]
	fi
}

#define FORGET(j)	got_seq[j] = 0; got_body[j] = 0; got_lane[j] = 0;	\
			got_lost[j] = 0; got_first[j] = 0; got_count[j] = 0

/* Index of the first kept record of a lane that is newer than @after: find_locked() */
inline find(i, after)
{
	k = tail[i];
	do
	:: k < head[i] && slot_seq[AT(i, k)] <= after -> k++
	:: else -> break
	od
}

/* How many records of a lane are not for the reader: up to a seq, or gone */
inline not_due(i, upto)
{
	k = 1;
	due[i] = (upto) + 1;
	base[i] = 0;
	do
	:: k <= seq ->
		if
		:: lane_of[k] == i && k <= upto -> base[i]++
		:: else
		fi;
		k++
	:: else -> break
	od
}

/* rdmaev_log_seek() */
inline seek(i)
{
	find(i, cur.seen);
	cur.pos[i] = k;
	cur.next[i] = 0;
	m = m - (head[i] - k);
#ifdef SEEK_ANY
	if
	:: tail[i] == 0
	:: else ->
#else
	if
	:: evicted[i] <= cur.seen
	:: else ->
#endif
		pick = (pick == NONE -> i : ANY);
		t = t | bit_of(i);
		if
		:: evicted[i] > best -> best = evicted[i]
		:: else
		fi
	fi;
	had[i] = 0;
	not_due(i, cur.seen)
}

inline move_to()
{
	atomic {
		!lock;
		/* from 1 to the newest and one more: seen is one less */
		s = 0;
		do
		:: s < seq -> s++
		:: break
		od;
		atomic {
			cur.limit = seq;
			cur.seen = s;
			m = seq - s;
			pick = NONE;
			best = 0;
			cur.count[0] = 0;
			cur.count[1] = 0;
			cur.count[ANY] = 0;
			had[ANY] = 0;
			seek(0);
			seek(1);
			if
			:: !(t & cur.lanes)
			:: else ->
				if
				:: pick < LANES -> cur.next[pick] = best
				:: else
				fi;
				cur.first[pick] = s + 1;
				cur.last[pick] = best;
				cur.count[pick] = m
			fi;
			prev = s;
			s = 0; t = 0; m = 0; k = 0; pick = 0; best = 0
		}
	}
}

/* rdmaev_log_follow(); what a lane lost while nobody followed it is not due */
inline follow(i)
{
	if
	:: (m & bit_of(i)) == (cur.lanes & bit_of(i))
	:: else ->
#ifdef FOLLOW_TAIL
		cur.pos[i] = tail[i];
#else
		find(i, cur.seen);
		cur.pos[i] = k;
#endif
		cur.next[i] = 0;
		cur.count[i] = 0;
		had[i] = 0;
		if
		:: evicted[i] > cur.seen -> not_due(i, evicted[i])
		:: else -> not_due(i, cur.seen)
		fi
	fi
}

inline follow_others()
{
	atomic {
		!lock;
		if
		:: m = 1
		:: m = 2
		:: m = 3
		fi;
		atomic {
			follow(0);
			follow(1);
			cur.lanes = m;
			m = 0;
			k = 0
		}
	}
}

/* rdmaev_stream_read() until all has been appended and read */
proctype reader(byte seeks; byte follows; byte faults)
{
	cursor at, cur;			/* s->cursor, and the copy that moves */
	byte got_seq[3], got_body[3], got_lane[3];
	byte got_first[3], got_count[3];
	bool got_lost[3];
	byte h, s, t, n, m, k, best, bound, pick;
	byte prev, had[LANES + 1], base[LANES], due[LANES];
#ifdef NO_SEQ_ACQUIRE
	byte early[LANES] = NONE;
#endif

	if
	:: atomic { true -> at.lanes = 3; cur.lanes = 3 }
	:: atomic { follows -> at.lanes = 1; cur.lanes = 1 }
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
			n = 0;
			move_to();
			copy_cursor(at, cur) }
		:: atomic { follows ->
			follows--;
			n = 0;
			follow_others();
			copy_cursor(at, cur) }
		fi
	od;
#ifndef NO_LOCK
	/* delivered and lost: all that there was */
	atomic {
		assert(seq == ALL);
		assert(had[ANY] || !(cur.lanes & 1) || had[0] == total[0] - base[0]);
		assert(had[ANY] || !(cur.lanes & 2) || had[1] == total[1] - base[1]);
		assert(cur.lanes != 3 || had[0] + had[1] + had[ANY] ==
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
		:: i < READERS -> run reader(SEEKS, FOLLOWS, FAULTS); i++
		:: else -> break
		od
	}
}
