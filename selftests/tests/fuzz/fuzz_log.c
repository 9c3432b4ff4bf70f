// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The fuzzer's model of the log: all records appended since the module was
 * loaded, as a reader gets them that is never too slow; and for each other
 * reader the records that it has to get next. A ring keeps its newest records
 * and loses those before, so the lost records are known, too.
 */
#include "fuzz.h"

#define KINDS		(RDMAEV_KIND_MAX + 1)
#define ASYNC_CODES	64
#define PORTS_MAX	9
#define GENERATIONS	96

struct counter {
	uint64_t count;
	uint64_t last_seq;
};

static struct {
	int fd;
	struct rdmaev_record *recs;		/* seq 1 at [0] */
	uint64_t newest;
	uint64_t room;
	uint64_t *index[RDMAEV_RINGS];		/* seq of each record */
	uint64_t n[RDMAEV_RINGS];
	struct counter counters[GENERATIONS][PORTS_MAX][KINDS][ASYNC_CODES];
	uint32_t device[GENERATIONS];
	uint64_t removed[GENERATIONS];		/* 0: it exists */
	int uncounted;				/* there was no room for all */
} the_log;

static const struct rdmaev_record *record(uint64_t seq)
{
	return &the_log.recs[seq - 1];
}

/*
 * The first record of a ring that is still kept, according to the records so
 * far
 */
static uint64_t tail(int ring)
{
	uint64_t n = the_log.n[ring];

	return n > fuzz.records ? n - fuzz.records : 0;
}

/* The first record of a ring with this seq or a larger one */
static uint64_t find(int ring, uint64_t seq)
{
	uint64_t low = 0, high = the_log.n[ring];

	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (the_log.index[ring][mid] < seq)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* @fd: a reader of a log that was empty when it was opened */
void log_begin(int fd)
{
	log_end();
	the_log.fd = fd;
}

void log_end(void)
{
	int i;

	free(the_log.recs);
	for (i = 0; i < RDMAEV_RINGS; i++)
		free(the_log.index[i]);
	memset(&the_log, 0, sizeof(the_log));
}

static void grow(void)
{
	int i;

	the_log.room = the_log.room ? the_log.room * 2 : 4096;
	the_log.recs = realloc(the_log.recs, the_log.room * sizeof(*the_log.recs));
	for (i = 0; i < RDMAEV_RINGS; i++)
		the_log.index[i] = realloc(the_log.index[i],
					   the_log.room * sizeof(*the_log.index[i]));
}

/* As documented in the header: codes that are counted together */
static unsigned int counted_as(const struct rdmaev_record *rec)
{
	unsigned int codes = rec->kind == RDMAEV_KIND_WC ? 31 : 63;

	return rec->code < codes ? rec->code : ASYNC_CODES - 1;
}

/* Of counters: 0 is for those of no port, as no device here has a port 0 */
static unsigned int row_of(uint32_t port)
{
	return port == RDMAEV_NO_PORT ? 0 : port;
}

/* The device of each generation, and whether it exists */
static void note_device(const struct rdmaev_record *rec)
{
	if (rec->kind != RDMAEV_KIND_DEVICE || rec->generation >= GENERATIONS)
		return;
	the_log.device[rec->generation] = rec->device;
	the_log.removed[rec->generation] = rec->code == RDMAEV_DEVICE_REMOVE ? rec->seq : 0;
}

static void add(const struct rdmaev_record *rec)
{
	struct counter *c;

	if (the_log.newest == the_log.room)
		grow();
	the_log.recs[the_log.newest++] = *rec;
	the_log.index[rec->ring][the_log.n[rec->ring]++] = rec->seq;
	if (!rec->generation)
		return;
	note_device(rec);
	if (rec->generation >= GENERATIONS || row_of(rec->port) >= PORTS_MAX) {
		the_log.uncounted = 1;
		return;
	}
	c = &the_log.counters[rec->generation][row_of(rec->port)][rec->kind][counted_as(rec)];
	c->count += rec->count;
	c->last_seq = rec->seq;
}

/* Read new records. */
void log_catch_up(void)
{
	struct rdmaev_record recs[256];
	ssize_t got, i;

	/* No reader is that fast. */
	if (fuzz.racing)
		return;
	do {
		got = read(the_log.fd, recs, sizeof(recs)) / (ssize_t)sizeof(recs[0]);
		for (i = 0; i < got; i++) {
			if (recs[i].seq != the_log.newest + 1 ||
			    recs[i].kind == RDMAEV_KIND_LOST) {
				bad("record %llu comes after %llu",
				    (unsigned long long)recs[i].seq,
				    (unsigned long long)the_log.newest);
				exit(1);
			}
			check_record(&recs[i]);
			add(&recs[i]);
		}
	} while (got == ARRAY_SIZE(recs));
}

uint64_t log_newest(void)
{
	return the_log.newest;
}

uint64_t log_oldest(void)
{
	uint64_t oldest = 0;
	int i;

	for (i = 0; i < RDMAEV_RINGS; i++) {
		uint64_t seq;

		if (!the_log.n[i])
			continue;
		seq = the_log.index[i][tail(i)];
		if (!oldest || seq < oldest)
			oldest = seq;
	}
	return oldest;
}

int reader_open(struct reader *r, int plain, int stays)
{
	int i;

	memset(r, 0, sizeof(*r));
	r->fd = open_node(O_NONBLOCK);
	r->twin = -1;
	if (r->fd < 0)
		return -1;
	r->plain = plain;
	r->stays = stays;
	r->pos = get_info(r->fd).position;
	r->start = r->pos - 1;
	r->watermark = 1;
	log_catch_up();
	for (i = 0; i < RDMAEV_RINGS; i++)
		r->next[i] = find(i, r->pos);
	return 0;
}

void reader_close(struct reader *r)
{
	unsigned int i;

	for (i = 0; i < fuzz.ncqs; i++) {
		if (fuzz.cqs[i].owner == r)
			fuzz.cqs[i].owner = NULL;
	}
	close(r->fd);
	if (r->twin >= 0)
		close(r->twin);
}

/*
 * After lseek() to the oldest record or to @pos. A gap in one ring is reported
 * for this ring, gaps in several rings in one record for all.
 */
void reader_moved(struct reader *r, uint64_t pos, int oldest)
{
	int i, lossy = 0;

	r->pos = pos;
	r->any_count = 0;
	r->any_last = 0;
	for (i = 0; i < RDMAEV_RINGS; i++) {
		r->next[i] = find(i, pos);
		r->silent[i] = 0;
		lossy += r->next[i] < tail(i);
	}
	if (lossy < 2 && !oldest)
		return;
	for (i = 0; i < RDMAEV_RINGS; i++) {
		uint64_t kept = tail(i);

		if (kept <= r->next[i])
			continue;
		if (!oldest) {
			r->any_count += kept - r->next[i];
			if (the_log.index[i][kept - 1] > r->any_last)
				r->any_last = the_log.index[i][kept - 1];
		}
		r->next[i] = kept;
	}
}

static int is_named(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');

	return *name && (star ? !strncmp(pattern, name, star - pattern) : !strcmp(pattern, name));
}

static int is_target(const struct rdmaev_filter *f, const struct rdmaev_record *rec)
{
	unsigned int i;

	for (i = 0; i < f->targets; i++) {
		const struct rdmaev_target *t = &f->target[i];

		/* Nothing is renamed here. */
		if (is_named(t->device, rec->device_name) &&
		    (!(t->flags & RDMAEV_TARGET_PORT) || rec->port == RDMAEV_NO_PORT ||
		     t->port == rec->port))
			return 1;
	}
	return !f->targets;
}

/* The bodies of these kinds begin as that of an asynchronous event does. */
static int is_of_user(const struct rdmaev_filter *f, const struct rdmaev_record *rec)
{
	const struct rdmaev_object_info *info = &rec->body.info;
	int has_owner = (rec->kind == RDMAEV_KIND_ASYNC || rec->kind == RDMAEV_KIND_QP ||
			 rec->kind == RDMAEV_KIND_CM || rec->kind == RDMAEV_KIND_OBSERVER) &&
			info->known & RDMAEV_KNOWN_UID;

	return (!(f->flags & RDMAEV_FILTER_UID) || (has_owner && f->uid == info->uid)) &&
	       (!(f->flags & RDMAEV_FILTER_CGROUP) ||
		(has_owner && info->known & RDMAEV_KNOWN_CGROUP && f->cgroup == info->cgroup));
}

/* Filters as documented in the header */
static int is_wanted(const struct reader *r, const struct rdmaev_record *rec)
{
	const struct rdmaev_filter *f = &r->filter;
	uint64_t codes = f->codes[rec->kind];

	if (r->plain)
		return 1;
	return (!f->kinds || f->kinds >> rec->kind & 1) &&
	       (!f->severities || f->severities >> rec->severity & 1) &&
	       (!f->object_types || f->object_types >> rec->object_type & 1) &&
	       (!codes || codes >> (rec->code < 63 ? rec->code : 63) & 1) &&
	       (!(f->flags & RDMAEV_FILTER_OBJECT) || f->object == rec->object) &&
	       (!(f->flags & RDMAEV_FILTER_PID) || f->pid == rec->pid) &&
	       is_of_user(f, rec) && is_target(f, rec);
}

/*
 * The filter changed. What was evicted before is no loss, and skipped records
 * stay skipped: the position was @before, and is @after now.
 */
void reader_filtered(struct reader *r, const struct rdmaev_filter *filter, uint64_t before,
		     uint64_t after)
{
	struct reader old = *r;
	int i;

	r->filter = *filter;
	for (i = 0; i < RDMAEV_RINGS; i++) {
		uint64_t n = find(i, before), passed = find(i, after);

		if (n < tail(i))
			n = tail(i);
		for (; n < passed; n++) {
			const struct rdmaev_record *rec = record(the_log.index[i][n]);

			if (is_wanted(r, rec) && is_wanted(&old, rec))
				bad("record %llu was passed, and wanted all the time",
				    (unsigned long long)rec->seq);
		}
		/* A loss may be reported after newer records of other rings. */
		r->silent[i] = passed > tail(i) ? passed : tail(i);
		if (r->next[i] >= tail(i) && r->next[i] < passed)
			r->next[i] = passed;
	}
}

/*
 * Records of a ring up to index @to were not delivered: the filter must not
 * match them.
 */
static void skip(struct reader *r, int ring, uint64_t to)
{
	for (; r->next[ring] < to; r->next[ring]++) {
		uint64_t seq = the_log.index[ring][r->next[ring]];

		if (r->next[ring] < r->silent[ring] && !r->plain)
			continue;
		if (is_wanted(r, record(seq)))
			bad("record %llu of ring %d was withheld",
			    (unsigned long long)seq, ring);
	}
}

static void take_loss(struct reader *r, const struct rdmaev_record *rec)
{
	uint64_t count = rec->body.lost.count, known;
	int ring = rec->ring;

	if (ring == RDMAEV_RING_ANY) {
		if (r->any_count < count || r->any_last != rec->seq ||
		    (r->plain && r->any_count != count))
			bad("lost %llu up to %llu, and not %llu up to %llu",
			    (unsigned long long)count, (unsigned long long)rec->seq,
			    (unsigned long long)r->any_count,
			    (unsigned long long)r->any_last);
		r->any_count = 0;
		return;
	}
	known = find(ring, rec->seq + 1);
	if (known > tail(ring))
		bad("record %llu is not lost", (unsigned long long)rec->seq);
	if (!known || the_log.index[ring][known - 1] != rec->seq)
		bad("lost up to %llu, which is not in ring %d",
		    (unsigned long long)rec->seq, ring);
	/* With a filter it may have skipped some records. */
	if (known - r->next[ring] < count ||
	    (r->plain && known - r->next[ring] != count))
		bad("lost %llu of ring %d up to its %lluth, and was at the %lluth",
		    (unsigned long long)count, ring, (unsigned long long)known,
		    (unsigned long long)r->next[ring]);
	r->next[ring] = known;
}

/*
 * Check the result of one read(), with room for @room records, when at least
 * all records up to @newest were there.
 */
void reader_take(struct reader *r, const struct rdmaev_record *recs, size_t n, size_t room,
		 uint64_t newest)
{
	size_t i;
	int ring;

	for (i = 0; i < n; i++) {
		const struct rdmaev_record *rec = &recs[i];
		int is_loss = rec->kind == RDMAEV_KIND_LOST;

		check_record(rec);
		fuzz.arg = rec;
		fuzz.arg_size = sizeof(*rec);
		if (rec->seq < r->pos)
			bad("record %llu, and %llu was to come",
			    (unsigned long long)rec->seq, (unsigned long long)r->pos);
		r->pos = rec->seq + 1;
		if (is_loss)
			r->lost += rec->body.lost.count;
		else
			r->delivered++;
		if (fuzz.racing)
			continue;
		if (is_loss) {
			take_loss(r, rec);
			continue;
		}
		if (rec->seq > log_newest() || memcmp(rec, record(rec->seq), sizeof(*rec)))
			bad("not the record that others get");
		if (!is_wanted(r, rec))
			bad("not wanted");
		skip(r, rec->ring, find(rec->ring, rec->seq));
		r->next[rec->ring]++;
	}
	fuzz.arg_size = 0;
	if (n >= room || fuzz.racing)
		return;
	for (ring = 0; ring < RDMAEV_RINGS; ring++)
		skip(r, ring, find(ring, newest + 1));
	if (r->any_count && r->plain)
		bad("%llu were lost, and nothing told of it",
		    (unsigned long long)r->any_count);
	r->any_count = 0;
}

/*
 * Number of records that a reader has to get. @exact: no fewer and no more, the
 * first of which was appended at @first_ns; otherwise some are lost, and the
 * number of LOST records varies.
 */
uint64_t reader_waiting(const struct reader *r, uint64_t *first_ns, int *exact)
{
	uint64_t n = 0, first = 0, i;
	int ring;

	*exact = !r->any_count;
	for (ring = 0; ring < RDMAEV_RINGS; ring++) {
		if (r->next[ring] < tail(ring))
			*exact = 0;
		i = r->next[ring] < tail(ring) ? tail(ring) : r->next[ring];
		if (i < r->silent[ring])
			i = r->silent[ring];
		for (; i < the_log.n[ring]; i++) {
			const struct rdmaev_record *rec = record(the_log.index[ring][i]);

			if (!is_wanted(r, rec))
				continue;
			n++;
			if (!first || rec->seq < first) {
				first = rec->seq;
				*first_ns = rec->boottime_ns;
			}
		}
	}
	return n;
}

/* True if RDMAEV_REMOVED_KEPT devices were removed after it. */
static int is_forgotten(unsigned int generation)
{
	unsigned int g, later = 0;

	if (!the_log.removed[generation])
		return 0;
	for (g = 1; g < GENERATIONS; g++)
		later += the_log.removed[g] > the_log.removed[generation];
	return later >= RDMAEV_REMOVED_KEPT;
}

/* A record that was appended */
const struct rdmaev_record *log_any_record(uint64_t seq)
{
	return record(seq);
}

/* A record that is kept, or NULL */
const struct rdmaev_record *log_record(uint64_t seq)
{
	const struct rdmaev_record *rec = seq && seq <= the_log.newest ? record(seq) : NULL;

	return rec && find(rec->ring, seq) >= tail(rec->ring) ? rec : NULL;
}

int log_remembers(uint32_t device)
{
	unsigned int g;

	for (g = GENERATIONS - 1; g; g--) {
		if (the_log.removed[g] && the_log.device[g] == device)
			return !is_forgotten(g);
	}
	return 0;
}

/* Removed devices come first, in the order of their removal. */
static int is_before(const struct rdmaev_counter *a, const struct rdmaev_counter *b, int gone)
{
	if (a->generation != b->generation)
		return a->generation < b->generation || gone;
	if (a->port != b->port)
		return row_of(a->port) < row_of(b->port);
	return a->kind != b->kind ? a->kind < b->kind : a->code < b->code;
}

/* Check the counters of a selection against the records up to @known. */
void check_counters(const struct rdmaev_counter *list, unsigned int count, int gone,
		    uint32_t device, uint32_t port, uint64_t known)
{
	unsigned int g, p, k, c, n, found = 0, forgotten = 0;

	if (the_log.uncounted)
		return;
	for (n = 0; n < count; n++) {
		const struct rdmaev_counter *e = &list[n];
		unsigned int at = e->code == RDMAEV_CODE_OTHER ? ASYNC_CODES - 1 : e->code;
		const struct counter *own;

		fuzz.arg = e;
		fuzz.arg_size = sizeof(*e);
		if (n && !is_before(e - 1, e, gone))
			bad("counters are not in their order");
		if (e->generation >= GENERATIONS || row_of(e->port) >= PORTS_MAX ||
		    e->kind >= KINDS || at >= ASYNC_CODES || e->code == ASYNC_CODES - 1) {
			bad("no such counter");
			continue;
		}
		own = &the_log.counters[e->generation][row_of(e->port)][e->kind][at];
		if (own->last_seq <= known &&
		    (own->last_seq != e->last_seq || own->count != e->count))
			bad("counted %llu up to %llu, and not %llu up to %llu",
			    (unsigned long long)e->count, (unsigned long long)e->last_seq,
			    (unsigned long long)own->count,
			    (unsigned long long)own->last_seq);
	}
	fuzz.arg_size = 0;
	for (g = 1; g < GENERATIONS; g++) {
		if ((device != RDMAEV_ANY && the_log.device[g] != device) ||
		    (the_log.removed[g] && !gone))
			continue;
		n = 0;
		for (p = 0; p < PORTS_MAX; p++) {
			if (port != RDMAEV_ANY && port != (p ? p : RDMAEV_NO_PORT))
				continue;
			for (k = 0; k < KINDS; k++) {
				for (c = 0; c < ASYNC_CODES; c++)
					n += !!the_log.counters[g][p][k][c].count;
			}
		}
		found += n;
		if (is_forgotten(g))
			forgotten += n;
	}
	if (known == log_newest() && count + forgotten != found)
		bad("%u counters of device %u port %u, and not %u", count, device, port,
		    found - forgotten);
}
