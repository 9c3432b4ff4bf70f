// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev record: write the log to files. Each file begins with all lists, and has
 * them again after records that change them, so that it can be read alone, also if
 * this is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/complain.h"
#include "base/recorded.h"
#include "base/status.h"
#include "cmd.h"
#include "output/open.h"
#include "output/output.h"
#include "record/anonymous.h"
#include "record/recording_lists.h"
#include "record/recording_rotate.h"

#define BATCH			256

/* How often lists are written, at most */
#define LISTS_INTERVAL_NS	1000000000

/**
 * struct recorder - a run of record
 * @o: command line
 * @path: FILE
 * @h: reader
 * @signals: signalfd of the signals that end it
 * @writer: the file
 * @header: its header
 * @deadline: CLOCK_MONOTONIC when to end, -1: never
 * @begin: CLOCK_MONOTONIC when the file was begun
 * @listed: CLOCK_MONOTONIC when lists were written
 * @has_news: records came since that change them
 * @has_records: the file has records
 * @since: records before it are left out, until one is not
 * @ending: end after the record @last
 * @last: same
 * @read: the last one that was read
 * @lost: records that were lost
 * @held: records that were read and are not written, @held_count of them
 * @held_count: same
 * @anonymous: stand-ins
 * @is_running: the first file was begun
 * @waits: for room on the disk, which was said
 */
struct recorder {
	const struct options *o;
	const char *path;
	struct rdmaev *h;
	int signals;
	struct recording_writer writer;
	struct recording_header header;
	int64_t deadline;
	int64_t begin;
	int64_t listed;
	bool has_news;
	bool has_records;
	struct when since;
	bool ending;
	uint64_t last;
	uint64_t read;
	uint64_t lost;
	struct rdmaev_record held[BATCH];
	size_t held_count;
	struct anonymous anonymous;
	bool is_running;
	bool waits;
};

static int record_failed(const struct recorder *rec, const char *what)
{
	const char *remedy = errno == ENOSPC || errno == EDQUOT ?
			     "; free some space, or limit it by --size and --keep" : "";

	complain("%s: %s: %s%s", rec->path, what, strerror(errno), remedy);
	return -1;
}

/*
 * A write has failed. 1: the disk is full, and a recorder that runs waits for room: it reads no
 * more, so the log has the records, or counts what is lost. -1: it ends.
 */
static int write_failed(struct recorder *rec, const char *what)
{
	if ((errno != ENOSPC && errno != EDQUOT) || !rec->is_running || rec->ending)
		return record_failed(rec, what);
	if (!rec->waits && !rec->o->quiet)
		complain("%s: %s: %s; waiting for room, what is overwritten in the log meanwhile is recorded as lost",
			 rec->path, what, strerror(errno));
	rec->waits = true;
	return 1;
}

static void note_room(struct recorder *rec)
{
	if (rec->waits && !rec->o->quiet)
		complain("%s: there is room again", rec->path);
	rec->waits = false;
}

static void read_boot_id(char id[40])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (read(fd, id, 36) != 36)
		*id = '\0';
	close(fd);
}

static void fill_host(struct recording_header *header)
{
	struct utsname system;

	uname(&system);
	read_boot_id(header->boot_id);
	snprintf(header->host, sizeof(header->host), "%s", system.nodename);
	snprintf(header->kernel, sizeof(header->kernel), "%s", system.release);
}

static int fill_header(struct recorder *rec)
{
	struct recording_header *header = &rec->header;
	struct rdmaev_info info;

	if (rdmaev_info(rec->h, &info) < 0) {
		complain("cannot read the log's state: %s", reader_error());
		return -1;
	}
	/* A copy is of the same host. */
	if (recorded_file())
		*header = recorded_file()->header;
	else
		fill_host(header);
	header->order = RECORDING_ORDER;
	header->version = RECORDING_VERSION;
	header->instance = info.instance;
	header->abi_version = info.abi_version;
	header->rings = info.rings;
	header->ring_records = info.ring_records;
	if (rec->o->anonymous)
		anonymous_header(header);
	return 0;
}

/* The functions that follow return 0; 1: the disk is full; or -1 after a message. */

static int record_lists(struct recorder *rec, bool all)
{
	rec->listed = monotonic();
	rec->writer.error = 0;
	rec->has_news = recording_append_lists(&rec->writer, rec->h, all) < 0;
	if (!rec->has_news) {
		note_room(rec);
		return 0;
	}
	errno = rec->writer.error;
	return errno ? write_failed(rec, "cannot write") : -1;
}

static int begin_file(struct recorder *rec)
{
	if (recording_rotate(rec->path, (unsigned int)rec->o->keep) < 0)
		return record_failed(rec, "cannot rename it");
	rec->begin = monotonic();
	if (!rec->o->file) {
		rec->header.boottime_ns = boottime();
		rec->header.realtime_ns = realtime();
	}
	rec->has_records = false;
	if (recording_create(&rec->writer, rec->path, &rec->header) < 0)
		return write_failed(rec, "cannot create it");
	return record_lists(rec, true);
}

/* Closed in any case */
static int end_file(struct recorder *rec)
{
	const struct recording_end end = {
		.boottime_ns = boottime(),
		.realtime_ns = realtime(),
	};
	int ret = recording_append(&rec->writer, RECORDING_END, &end, sizeof(end), NULL, 0) < 0 ||
		  recording_sync(&rec->writer) < 0 ? write_failed(rec, "cannot write") : 0;

	if (recording_finish(&rec->writer) < 0 && !ret)
		ret = write_failed(rec, "cannot write");
	return ret;
}

/* A full disk leaves the file without its lists and its end. */
static int begin_next_file(struct recorder *rec)
{
	return record_lists(rec, true) < 0 || end_file(rec) < 0 ? -1 : begin_file(rec);
}

/* Nobody else writes to it, and it is not something else. */
static int check_file(const struct recorder *rec, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return record_failed(rec, "cannot read it");
	if (!S_ISREG(st.st_mode)) {
		complain("%s: not a regular file; record writes to a new file", rec->path);
		return -1;
	}
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	if (errno != EWOULDBLOCK)
		return record_failed(rec, "cannot lock it");
	complain("%s: another rdmaev record writes to it; end that, or name another file",
		 rec->path);
	return -1;
}

/*
 * Go on where a recording of the same log ends: @seq is set to its first record that
 * is missing, or stays.
 */
static int read_previous(const struct recorder *rec, int fd, uint64_t *seq)
{
	struct recording_file file;
	struct stat st;
	int ret = recording_load(&file, fd), error = errno;

	if (!ret && file.header.instance == rec->header.instance && file.count)
		*seq = file.records[file.count - 1].seq + 1;
	recording_free(&file);
	/* A recorder that was killed may have left an empty one. */
	if (!ret || error == EBADMSG || (!fstat(fd, &st) && !st.st_size))
		return 0;
	errno = error;
	if (error != ENOTSUP)
		return record_failed(rec, "cannot read it");
	complain("%s: exists, and is no recording; name another file, or remove it", rec->path);
	return -1;
}

/* @seq is set to where to begin. */
static int take_previous(const struct recorder *rec, uint64_t *seq)
{
	int fd = open(rec->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int ret;

	if (fd < 0)
		return errno == ENOENT ? 0 : record_failed(rec, "cannot open it");
	ret = check_file(rec, fd);
	if (!ret)
		ret = read_previous(rec, fd, seq);
	close(fd);
	return ret;
}

/*
 * By default from 1 on, not from the oldest record: what was overwritten before is
 * recorded as lost.
 */
static int go_to_start(struct recorder *rec, uint64_t previous)
{
	const struct when *since = &rec->o->since;
	uint64_t seq = previous;

	if (since->type == WHEN_CURSOR && since->instance != rec->header.instance) {
		complain("--since %s: is of an earlier log: the module was reloaded, or the host rebooted",
			 since->text);
		return -1;
	}
	if (since->type == WHEN_SEQ || since->type == WHEN_CURSOR)
		seq = since->seq;
	else if (since->type != WHEN_NONE)
		seq = 0;
	rec->since = *since;
	if (rdmaev_seek(rec->h, (int64_t)seq, SEEK_SET) >= 0)
		return 0;
	complain("cannot go to #%llu of the log: %s", (unsigned long long)seq,
		 strerror(errno));
	return -1;
}

/* End with what is in the log now. */
static int end_here(struct recorder *rec)
{
	struct rdmaev_info info;

	if (rdmaev_info(rec->h, &info) < 0) {
		complain("cannot read the log's state: %s", reader_error());
		return -1;
	}
	rec->ending = true;
	rec->last = info.newest_seq;
	return 0;
}

/* Number of records before the first that is wanted */
static size_t skip_old(struct recorder *rec, const struct rdmaev_record *records, size_t n)
{
	size_t i = 0;

	while (i < n && !is_since(&rec->since, records[i].realtime_ns, records[i].boottime_ns))
		i++;
	if (i < n)
		rec->since.type = WHEN_NONE;
	return i;
}

/* Worth new lists before the end: else counters of what may be frequent change. */
static bool is_news(const struct rdmaev_record *r)
{
	return r->severity != RDMAEV_SEVERITY_INFO || r->kind == RDMAEV_KIND_DEVICE ||
	       r->kind == RDMAEV_KIND_PORT || r->kind == RDMAEV_KIND_OBSERVER;
}

/* Those that are held. */
static int write_records(struct recorder *rec)
{
	const struct rdmaev_record *records = rec->held;
	size_t i, n = rec->held_count;
	bool has_error = false;
	int ret = 0;

	if (rec->writer.fd < 0)
		ret = begin_file(rec);
	if (ret || rec->writer.fd < 0)
		return ret;
	if (n && recording_append_records(&rec->writer, records, n) < 0)
		return write_failed(rec, "cannot write");
	note_room(rec);
	rec->held_count = 0;
	rec->has_records |= n > 0;
	for (i = 0; i < n; i++) {
		has_error |= records[i].severity == RDMAEV_SEVERITY_ERROR;
		rec->has_news |= is_news(&records[i]);
		if (records[i].kind == RDMAEV_KIND_LOST && records[i].body.lost.first > 1)
			rec->lost += records[i].body.lost.count;
	}
	if (has_error && recording_sync(&rec->writer) < 0)
		return write_failed(rec, "cannot write");
	return 0;
}

/* What came of a step */
enum step {
	STEP_MORE,
	STEP_IDLE,
	STEP_FAILED,
};

/* Read what is new, unless records are held. */
static enum step read_batch(struct recorder *rec)
{
	ssize_t n = rec->held_count ? 0 : rdmaev_read(rec->h, rec->held, BATCH);
	size_t skipped;

	if (n < 0 && errno == EINTR)
		return STEP_MORE;
	if (n < 0 && recorded_all(errno))
		return STEP_IDLE;
	if (n < 0) {
		complain("cannot read: %s", reader_error());
		return STEP_FAILED;
	}
	if (n) {
		rec->read = rec->held[n - 1].seq;
		skipped = skip_old(rec, rec->held, (size_t)n);
		rec->held_count = (size_t)n - skipped;
		memmove(rec->held, rec->held + skipped, rec->held_count * sizeof(*rec->held));
		if (rec->o->anonymous &&
		    anonymous_records(&rec->anonymous, rec->held, rec->held_count) < 0) {
			complain("out of memory");
			return STEP_FAILED;
		}
	}
	return rec->ending && rec->read >= rec->last ? STEP_IDLE : STEP_MORE;
}

static enum step record_batch(struct recorder *rec)
{
	enum step step = read_batch(rec);
	int ret = step == STEP_FAILED ? -1 :
		  rec->held_count || rec->writer.fd < 0 ? write_records(rec) : 0;

	return ret < 0 ? STEP_FAILED : ret > 0 ? STEP_IDLE : step;
}

static bool is_full(const struct recorder *rec)
{
	const struct options *o = rec->o;

	/* A copy is one file. */
	return !o->file && rec->has_records && rec->writer.fd >= 0 &&
	       (rec->writer.size >= o->size ||
		(o->age_ns && monotonic() - rec->begin >= (int64_t)o->age_ns));
}

/* When to look again, without a record */
static int64_t next_time(const struct recorder *rec)
{
	int64_t next = rec->deadline;
	int64_t lists = rec->listed + LISTS_INTERVAL_NS;
	int64_t age = rec->begin + (int64_t)rec->o->age_ns;

	/* Then there may be room. */
	if (rec->waits && (next < 0 || monotonic() + LISTS_INTERVAL_NS < next))
		return monotonic() + LISTS_INTERVAL_NS;
	if (rec->has_news && (next < 0 || lists < next))
		next = lists;
	if (rec->o->age_ns && rec->has_records && (next < 0 || age < next))
		next = age;
	return next;
}

/* -1: failed */
static int record_wait(struct recorder *rec)
{
	struct pollfd p[2] = {
		/* Without events: hung up, which must not wait for room. */
		{ .fd = rdmaev_fd(rec->h), .events = rec->waits ? 0 : POLLIN },
		{ .fd = rec->signals, .events = POLLIN },
	};
	int64_t next = next_time(rec);
	struct timespec ts;
	int n = ppoll(p, 2, next < 0 ? NULL : time_until(next, &ts), NULL);

	if (n < 0 && errno != EINTR) {
		complain("cannot wait: %s", strerror(errno));
		return -1;
	}
	if (n > 0 && rec->waits && p[0].revents && rdmaev_wait(rec->h, 0) < 0) {
		complain("cannot read: %s", reader_error());
		return -1;
	}
	if ((n > 0 && p[1].revents) ||
	    (rec->deadline >= 0 && monotonic() >= rec->deadline))
		return end_here(rec);
	return 0;
}

static int record_step(struct recorder *rec)
{
	enum step step;

	do {
		step = record_batch(rec);
		if (step != STEP_FAILED && is_full(rec) && begin_next_file(rec) < 0)
			return -1;
	} while (step == STEP_MORE && rec->ending);
	if (step == STEP_FAILED)
		return -1;
	if (!rec->ending && rec->has_news && !rec->held_count &&
	    monotonic() - rec->listed >= LISTS_INTERVAL_NS && record_lists(rec, false) < 0)
		return -1;
	return 0;
}

static int run_loop(struct recorder *rec)
{
	for (;;) {
		if (record_wait(rec) < 0 || record_step(rec) < 0)
			return -1;
		if (rec->ending)
			return rec->writer.fd < 0 ? 0 : record_lists(rec, true);
	}
}

static void note_lost(const struct recorder *rec)
{
	if (rec->lost && !rec->o->quiet && !rec->o->file)
		complain("%llu record%s lost while recording; %s has where",
			 (unsigned long long)rec->lost, rec->lost == 1 ? " was" : "s were",
			 rec->path);
}

static int recorder_run(struct recorder *rec)
{
	uint64_t seq = 1;
	int ret;

	if (fill_header(rec) < 0 || take_previous(rec, &seq) < 0 || go_to_start(rec, seq) < 0)
		return -1;
	if (rec->o->timeout_ns >= 0)
		rec->deadline = monotonic() + rec->o->timeout_ns;
	/* A copy ends with what is there. */
	if (rec->o->file)
		rec->deadline = monotonic();
	if (rec->o->anonymous)
		rec->writer.anonymous = &rec->anonymous;
	ret = begin_file(rec);
	rec->is_running = !ret;
	if (!ret)
		ret = run_loop(rec);
	if (rec->writer.fd >= 0 && end_file(rec) < 0)
		ret = -1;
	note_lost(rec);
	return ret;
}

int run_record(struct options *o, int argc, char **argv)
{
	struct recorder rec = { .o = o, .signals = -1, .writer.fd = -1, .deadline = -1 };
	int status = STATUS_ERROR;

	if (argc != 1) {
		complain("record needs the name of a file: rdmaev record /var/log/rdmaev.rec");
		return STATUS_ERROR;
	}
	rec.path = argv[0];
	rec.h = open_node(o, RDMAEV_NONBLOCK);
	if (rec.h)
		rec.signals = catch_signals();
	if (rec.signals >= 0 && !recorder_run(&rec))
		status = STATUS_OK;
	release_signals(rec.signals);
	recording_finish(&rec.writer);
	anonymous_free(&rec.anonymous);
	close_node(rec.h);
	return output_finish(status);
}
