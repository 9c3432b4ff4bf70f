// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The log and its readers in user space, for the sanitizers: writers on all
 * rings, and readers of every sort. Each round ends with a last record that
 * every reader has to reach by itself: it sleeps if there is nothing to read,
 * and nothing else will wake it.
 *
 *	log_test [ROUNDS [PATIENCE]]
 */
#include "kernel.c"
#include "../../kmod/log/log.c"
#include "../../kmod/log/log_read.c"
#include "../../kmod/log/catalogue.c"
#include "../../kmod/reader/filter.c"
#include "../../kmod/reader/stream_ahead.c"
#include "../../kmod/reader/stream_news.c"
#include "../../kmod/reader/stream_wake.c"
#include "../../kmod/reader/stream.c"

struct workqueue_struct *rdmaev_wq;

#define RING_RECORDS	16
#define WRITERS		3
#define BATCH		24

/* Kinds: those of writers, the last record of a round, and the last of all */
#define FROM_WRITER	RDMAEV_KIND_ASYNC
#define LAST		RDMAEV_KIND_DEVICE
#define CODE_LAST	RDMAEV_DEVICE_RENAME
#define CODE_END	RDMAEV_DEVICE_REMOVE

static unsigned int rounds = 40;
static unsigned int marked;		/* newest round with its last record */
static bool ending;
static pthread_mutex_t end_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t begin, appended;
static struct rdmaev_log_counter counter;	/* counts all records */

static unsigned int torn, unordered, inexact, uncounted, unwoken, strange;

static void bad(unsigned int *what)
{
	__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

/* Nobody has too much. */
int rdmaev_payer_charge(u32 uid, enum rdmaev_share share, u32 max)
{
	(void)uid;
	(void)share;
	(void)max;
	return 0;
}

void rdmaev_payer_uncharge(unsigned int account, enum rdmaev_share share)
{
	(void)account;
	(void)share;
}

/* Access rules are not part of the log. */
bool rdmaev_record_visible(const struct rdmaev_record *rec,
			   const struct rdmaev_cred *cred)
{
	return rec->pid <= cred->uid;
}

u64 rdmaev_cred_owners(const struct rdmaev_cred *cred)
{
	return cred->all ? U64_MAX : 1;
}

u64 rdmaev_record_owners(const struct rdmaev_record *rec)
{
	return rec->pid ? 2 : 1;
}

/* A record whose contents show whether all of it is from one append */
static void append(unsigned int ring, unsigned int kind, unsigned int code,
		   unsigned int object)
{
	struct rdmaev_record rec = {
		.cause = number(),
		.kind = kind,
		.code = code,
		.severity = RDMAEV_SEVERITY_INFO,
		.ring = ring,
		.object_type = object ? RDMAEV_OBJECT_DEVICE : RDMAEV_OBJECT_NONE,
		.object = object,
		.count = 1,
	};
	u64 *words = (u64 *)rec.body.bytes;
	unsigned int i;

	for (i = 0; i < sizeof(rec.body) / sizeof(u64); i++)
		words[i] = rec.cause + i;
	rdmaev_log_append(&rec, NULL, &counter);
}

static void *write_fn(void *arg)
{
	unsigned int round, i, n;

	(void)arg;
	for (round = 0; round < rounds; round++) {
		pthread_barrier_wait(&begin);
		n = number() % 60;
		for (i = 0; i < n; i++) {
			append(number() % RDMAEV_RINGS, FROM_WRITER, 0, 0);
			if (!(number() % 8))
				usleep(number() % 100);
		}
		pthread_barrier_wait(&appended);
	}
	return NULL;
}

/*
 * @shared: read by two threads, so checked at the end only
 * @from_oldest: began with the oldest: no records are lost before the first,
 *	whatever was in other rings
 * @picky: its filter matches only the last records of rounds
 * @base: records after this seq count
 * @had: number of records delivered or lost
 * @upto: seq of the newest of them, at the end
 * @reached: newest round whose last record has come
 */
struct reader {
	const char *name;
	struct rdmaev_stream *s;
	u32 watermark, delay_us;
	unsigned int room, pause_us, fault_every;
	bool seeks, changes, shared, picky, from_oldest;

	u64 base, had, lost, upto;
	unsigned int reached, faults, seeked;
};

static void check_record(struct reader *r, const struct rdmaev_record *rec,
			 u64 *prev)
{
	const u64 *words = (const u64 *)rec->body.bytes;
	unsigned int i;
	u64 had = 1;

	if (rec->seq <= *prev)
		bad(&unordered);
	*prev = rec->seq;
	if (rec->kind == RDMAEV_KIND_LOST) {
		const struct rdmaev_lost_body *lost = &rec->body.lost;

		if (!lost->count || lost->last - lost->first + 1 < lost->count)
			bad(&inexact);
		had = lost->count;
		__atomic_fetch_add(&r->lost, had, __ATOMIC_RELAXED);
	} else {
		for (i = 0; i < sizeof(rec->body) / sizeof(u64); i++) {
			if (words[i] != rec->cause + i)
				bad(&torn);
		}
	}
	had += __atomic_fetch_add(&r->had, had, __ATOMIC_RELAXED);
	if (rec->kind != LAST || rec->code != CODE_LAST ||
	    rec->object <= READ_ONCE(r->reached))
		return;
	/* No records are appended afterwards until all readers are here. */
	if (!r->shared && !r->changes && !r->picky && rec->object == READ_ONCE(marked) &&
	    (r->from_oldest ? had > rec->seq - r->base :
			      had != rec->seq - r->base))
		bad(&inexact);
	WRITE_ONCE(r->reached, rec->object);
}

/* To a position before the last record of the round */
static u64 seek_somewhere(struct reader *r)
{
	u64 newest = rdmaev_log_newest();
	loff_t to;

	r->from_oldest = false;
	switch (number() % 3) {
	case 0:
		r->from_oldest = true;
		to = rdmaev_stream_seek(r->s, 0, SEEK_SET);
		break;
	case 1:
		to = rdmaev_stream_seek(r->s, 1 + number() % max(newest, 1),
					SEEK_SET);
		break;
	default:
		to = rdmaev_stream_seek(r->s, -1 - (loff_t)(number() % 60),
					SEEK_END);
	}
	if (to <= 0) {
		bad(&strange);
		to = 1;
	}
	r->base = to - 1;
	r->had = 0;
	r->seeked++;
	return r->base;
}

static void *read_fn(void *arg)
{
	struct rdmaev_record recs[BATCH];
	struct reader *r = arg;
	u64 prev = 0;
	ssize_t i, n;

	for (;;) {
		fault_every = r->fault_every;
		if (rdmaev_stream_wait(r->s))
			bad(&strange);
		n = rdmaev_stream_read(r->s, (char *)recs,
				       r->room * sizeof(*recs));
		if (n == -EFAULT) {
			r->faults++;
			continue;
		}
		n /= (ssize_t)sizeof(*recs);
		for (i = 0; i < n; i++)
			check_record(r, &recs[i], &prev);
		for (i = 0; i < n; i++) {
			if (recs[i].kind == LAST && recs[i].code == CODE_END)
				goto out;
		}
		if (r->pause_us && number() % 4 == 0)
			usleep(r->pause_us);
		if (r->seeks && number() % 8 == 0)
			prev = seek_somewhere(r);
	}
out:
	/* The other thread may have read a newer one. */
	pthread_mutex_lock(&end_lock);
	r->upto = max(r->upto, prev);
	pthread_mutex_unlock(&end_lock);
	return NULL;
}

/* Like rdmaev_stream_set_filter(), which keeps its argument. */
static int set_filter(struct rdmaev_stream *s, const struct rdmaev_filter *filter)
{
	struct rdmaev_filter *copy = malloc(sizeof(*copy));
	int ret;

	if (!copy)
		return -ENOMEM;
	*copy = *filter;
	ret = rdmaev_stream_set_filter(s, copy);
	if (ret)
		free(copy);
	return ret;
}

/*
 * Another thread with a file: its filter always passes the last record of a
 * round.
 */
static void *change_fn(void *arg)
{
	static const u32 kinds[] = {
		0,
		BIT(LAST),
		BIT(LAST) | BIT(FROM_WRITER),
		BIT(LAST) | BIT(RDMAEV_KIND_WC),
	};
	struct reader *r = arg;

	while (!READ_ONCE(ending)) {
		struct rdmaev_filter filter = { .kinds = kinds[number() % 4] };

		if (set_filter(r->s, &filter) ||
		    rdmaev_stream_set_wakeup(r->s, 1 + number() % 8,
					     1 + number() % 2000))
			bad(&strange);
		usleep(number() % 500);
	}
	return NULL;
}

/* Files that are opened and closed: nothing may be done with a closed one. */
static void *open_fn(void *arg)
{
	struct rdmaev_cred cred = { .all = true };

	(void)arg;
	while (!READ_ONCE(ending)) {
		struct rdmaev_stream *s = rdmaev_stream_new(&cred);

		if (IS_ERR(s)) {
			bad(&strange);
			break;
		}
		if (rdmaev_stream_set_wakeup(s, 2, 1 + number() % 3000))
			bad(&strange);
		rdmaev_stream_arm(s);
		usleep(number() % 2000);
		rdmaev_stream_ready(s);
		rdmaev_stream_free(s);
	}
	return NULL;
}

/* The counter equals the appended records, at any time. */
static void *count_fn(void *arg)
{
	struct rdmaev_log_counter copy;

	(void)arg;
	while (!READ_ONCE(ending)) {
		u64 newest = rdmaev_log_newest();

		rdmaev_log_copy_counter(&copy, &counter);
		if (copy.count != copy.seq || copy.seq < newest ||
		    copy.seq > rdmaev_log_newest() ||
		    rdmaev_log_oldest() > rdmaev_log_newest() + 1)
			bad(&uncounted);
		if (!(number() % 64))
			usleep(100);
	}
	return NULL;
}

static bool has_gap(const struct rdmaev_cursor *cur)
{
	unsigned int i;

	for (i = 0; i <= RDMAEV_RINGS; i++) {
		if (cur->gap[i].count)
			return true;
	}
	return false;
}

/* From its start to its newest record, each is delivered or lost. */
static void *seek_fn(void *arg)
{
	struct rdmaev_record recs[BATCH];
	struct rdmaev_cursor cur = { .rings = RDMAEV_RING_MASK };
	u64 newest, had;
	size_t i, n;

	(void)arg;
	while (!READ_ONCE(ending)) {
		newest = rdmaev_log_newest();
		n = number() % (4 * RING_RECORDS);
		if (rdmaev_log_seek(&cur, newest - min(newest, n) + 1))
			bad(&strange);
		newest = cur.seen;
		had = 0;
		/* The first loss may be of all rings, and be reported late. */
		do {
			n = rdmaev_log_read(&cur, recs, 1 + number() % BATCH);
			for (i = 0; i < n; i++)
				had += recs[i].kind == RDMAEV_KIND_LOST ?
				       recs[i].body.lost.count : 1;
		} while (has_gap(&cur));
		if (had != cur.seen - newest)
			bad(&inexact);
	}
	return NULL;
}

/* A listener, like the netlink part */
static unsigned int calls;
static u64 last_called;

static bool wants(const struct rdmaev_record *rec)
{
	return rec->kind == LAST;
}

static void tell(void)
{
	u64 seq = rdmaev_log_pop_wanted();

	if (seq) {
		__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
		WRITE_ONCE(last_called, seq);
	}
}

static const struct rdmaev_listener listener = {
	.wants = wants,
	.notify = tell,
};

static unsigned int points;

static void point(bool ok, const char *name)
{
	printf("%sok %u %s\n", ok ? "" : "not ", ++points, name);
}

static struct reader readers[] = {
	{ "fast", .room = BATCH },
	{ "slow", .room = 1, .pause_us = 300 },
	{ "sleepy", .room = BATCH, .watermark = 8, .delay_us = 2000 },
	{ "faulty", .room = 3, .fault_every = 3 },
	{ "seeking", .room = 5, .seeks = true },
	{ "changed", .room = 4, .changes = true },
	{ "shared", .room = 2, .shared = true },
	{ "picky", .room = 4, .picky = true, .fault_every = 3 },
};

#define OTHERS		4
#define READERS		ARRAY_SIZE(readers)

static bool all_reached(unsigned int round)
{
	unsigned int i;

	for (i = 0; i < READERS; i++) {
		if (READ_ONCE(readers[i].reached) < round)
			return false;
	}
	return true;
}

/*
 * More records than the ring has room for, none of them for the reader that
 * waits. It is moved past them if those that append leave it the time.
 */
static bool pass_by(struct reader *r, struct rdmaev_stream *s)
{
	u64 seen, passed, until;
	unsigned int i, n;

	for (i = 0; i < 8; i++) {
		for (n = 0; n < RING_RECORDS / 4; n++)
			append(RDMAEV_RING_PORT, FROM_WRITER, 0, 0);
		until = ktime_get_boot_fast_ns() + patience * 1000000000ULL;
		/* After the last half */
		passed = rdmaev_log_newest() - RING_RECORDS / 2;
		do {
			spin_lock(&s->stream_lock);
			seen = s->cursor.seen;
			spin_unlock(&s->stream_lock);
			if (ktime_get_boot_fast_ns() > until)
				return false;
		} while (seen < passed);
	}
	return !__atomic_load_n(&r->lost, __ATOMIC_RELAXED);
}

/*
 * The only reader, with records that do not wake it. So it alone is responsible
 * for the wake-up when there is one.
 */
static bool wait_alone(const struct rdmaev_cred *cred, bool *is_passed)
{
	struct rdmaev_filter filter = {
		.kinds = BIT(LAST),
		.object_types = BIT(RDMAEV_OBJECT_DEVICE),
	};
	struct reader alone = { "alone", .room = 4, .changes = true };
	unsigned int round, i, n;
	pthread_t thread;
	u64 until;

	alone.s = rdmaev_stream_new(cred);
	if (IS_ERR(alone.s) || set_filter(alone.s, &filter))
		return false;
	pthread_create(&thread, NULL, read_fn, &alone);
	for (round = 1; round <= rounds; round++) {
		n = number() % 4;
		for (i = 0; i < n; i++) {
			append(number() % RDMAEV_RINGS, LAST, CODE_LAST, 0);
			usleep(number() % 200);
		}
		append(RDMAEV_RING_PORT, LAST, CODE_LAST, round);
		until = ktime_get_boot_fast_ns() + patience * 1000000000ULL;
		while (READ_ONCE(alone.reached) < round) {
			if (ktime_get_boot_fast_ns() > until)
				return false;
			usleep(100);
		}
	}
	*is_passed = pass_by(&alone, alone.s);
	append(RDMAEV_RING_PORT, LAST, CODE_END, 1);
	pthread_join(thread, NULL);
	*is_passed &= !alone.lost;
	rdmaev_stream_free(alone.s);
	return true;
}

int main(int argc, char **argv)
{
	pthread_t writer[WRITERS], reader[READERS + 1], others[OTHERS];
	struct rdmaev_filter last_only = { .kinds = BIT(LAST) };
	struct rdmaev_cred cred = { .all = true };
	unsigned int i, round, calls_at_end, left = READERS + 1;
	bool is_called = true, is_woken, is_passed = false;
	bool joined[READERS + 1] = {};
	u64 last = 0;

	if (argc > 1)
		rounds = atoi(argv[1]);
	if (argc > 2)
		patience = atoi(argv[2]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..11\n");
	rdmaev_wq = alloc_workqueue("rdmaev", 0, 0);
	if (!rdmaev_wq || rdmaev_log_init(RING_RECORDS, rdmaev_stream_wake_soon))
		return 1;
	pthread_barrier_init(&begin, NULL, WRITERS + 1);
	pthread_barrier_init(&appended, NULL, WRITERS + 1);
	rdmaev_log_set_listener(&listener);
	for (i = 0; i < READERS; i++) {
		struct reader *r = &readers[i];

		r->s = rdmaev_stream_new(&cred);
		if (IS_ERR(r->s) ||
		    (r->watermark &&
		     rdmaev_stream_set_wakeup(r->s, r->watermark, r->delay_us)) ||
		    (r->picky && set_filter(r->s, &last_only)))
			return 1;
	}
	for (i = 0; i < READERS; i++)
		pthread_create(&reader[i], NULL, read_fn, &readers[i]);
	for (i = 0; i < WRITERS; i++)
		pthread_create(&writer[i], NULL, write_fn, NULL);
	pthread_create(&others[0], NULL, change_fn, &readers[5]);
	pthread_create(&others[1], NULL, open_fn, NULL);
	pthread_create(&others[2], NULL, count_fn, NULL);
	pthread_create(&others[3], NULL, seek_fn, NULL);
	pthread_create(&reader[READERS], NULL, read_fn, &readers[6]);

	for (round = 1; round <= rounds; round++) {
		u64 until = ktime_get_boot_fast_ns() +
			    patience * 1000000000ULL;

		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&appended);
		WRITE_ONCE(marked, round);
		append(RDMAEV_RING_PORT, LAST, CODE_LAST, round);
		last = rdmaev_log_newest();
		while (!all_reached(round) || READ_ONCE(last_called) < last) {
			if (ktime_get_boot_fast_ns() > until) {
				is_called = READ_ONCE(last_called) >= last;
				if (!all_reached(round))
					bad(&unwoken);
				goto out;
			}
			usleep(200);
		}
	}
out:
	point(round > rounds && !unwoken, "nobody sleeps on with a record to read");
	/* They will not end. */
	if (unwoken)
		_exit(1);
	rdmaev_log_set_listener(NULL);
	calls_at_end = READ_ONCE(calls);
	WRITE_ONCE(ending, true);
	/* One for each thread: threads that share a file share these, too. */
	while (left) {
		append(RDMAEV_RING_PORT, LAST, CODE_END, 0);
		usleep(1000);
		for (i = 0; i <= READERS; i++) {
			if (!joined[i] && !pthread_tryjoin_np(reader[i], NULL)) {
				joined[i] = true;
				left--;
			}
		}
	}
	for (i = 0; i < WRITERS; i++)
		pthread_join(writer[i], NULL);
	for (i = 0; i < OTHERS; i++)
		pthread_join(others[i], NULL);
	is_woken = wait_alone(&cred, &is_passed);
	point(is_woken, "nor does one that is alone");
	if (!is_woken)
		_exit(1);
	point(is_called && calls == calls_at_end, "a listener is called until it goes");
	point(!torn, "records are whole");
	point(!unordered, "they come in order");
	for (i = 0; i < READERS; i++) {
		struct reader *r = &readers[i];

		if (r->shared && r->had != r->upto)
			bad(&inexact);
		printf("# %s: %llu had, %llu of them lost, %u faults, %u seeks\n",
		       r->name, r->had, r->lost, r->faults, r->seeked);
		rdmaev_stream_free(r->s);
	}
	point(!inexact, "delivered and lost are all that there was");
	point(readers[1].lost, "a slow reader loses some");
	point(is_passed, "one that waits nothing, as it is moved past what it does not get");
	point(readers[3].faults, "copies to a bad address fail");
	point(!uncounted && counter.count == rdmaev_log_newest(),
	      "tallies are true of their seq");
	point(!strange, "nothing else fails");
	destroy_workqueue(rdmaev_wq);
	rdmaev_log_exit();
	return 0;
}
