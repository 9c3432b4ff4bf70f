// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A recording as a transport: all of the file in memory. Nothing is appended to it,
 * so its end is an error that ends loops over records: ENODATA, or EBADMSG if the
 * file is cut there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "recording.h"

/**
 * struct recording - a reader of a recording
 * @base: its descriptor is an eventfd that is always readable: epoll(7) does not
 *	take that of a file
 * @file: contents of the file
 * @next: index of the first record that was not looked at
 * @at: seq of the last record that was returned plus one, or the start position
 * @lost: number reported as lost
 * @filter: set by the program
 * @is_filtered: not all records pass it
 */
struct recording {
	struct transport base;
	struct recording_file file;
	size_t next;
	uint64_t at;
	uint64_t lost;
	struct rdmaev_filter filter;
	bool is_filtered;
};

static struct recording *to_recording(struct transport *t)
{
	return (struct recording *)t;
}

static void recording_close(struct transport *t)
{
	struct recording *rec = to_recording(t);

	if (t->fd >= 0)
		close(t->fd);
	recording_free(&rec->file);
	free(rec);
}

static int recording_begin(struct recording *rec, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int ret, error;

	if (fd < 0)
		return -1;
	ret = recording_load(&rec->file, fd);
	error = errno;
	close(fd);
	errno = error;
	if (ret < 0)
		return -1;
	rec->base.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	return rec->base.fd < 0 ? -1 : 0;
}

static struct transport *recording_open(const char *path)
{
	struct recording *rec = calloc(1, sizeof(*rec));
	int error;

	if (!rec)
		return NULL;
	rec->base.ops = &recording_ops;
	rec->base.fd = -1;
	rec->at = 1;
	if (!recording_begin(rec, path))
		return (struct transport *)rec;
	error = errno;
	recording_close(&rec->base);
	errno = error;
	return NULL;
}

/* Skip records that do not pass. -1 at the end */
static int recording_ready(struct transport *t)
{
	struct recording *rec = to_recording(t);
	const struct recording_file *file = &rec->file;

	while (rec->is_filtered && rec->next < file->count &&
	       !recording_filter_match(&rec->filter, &file->records[rec->next]))
		rec->next++;
	if (rec->next < file->count)
		return 1;
	errno = file->left_out ? EBADMSG : ENODATA;
	return -1;
}

static ssize_t recording_read(struct transport *t, struct rdmaev_record *records, size_t n)
{
	struct recording *rec = to_recording(t);
	size_t got = 0;

	while (got < n && recording_ready(t) > 0) {
		const struct rdmaev_record *r = &rec->file.records[rec->next++];

		if (r->kind == RDMAEV_KIND_LOST)
			rec->lost += r->body.lost.count;
		rec->at = r->seq + 1;
		records[got++] = *r;
	}
	return got ? (ssize_t)got : -1;
}

static int recording_set_filter(struct transport *t, const struct rdmaev_filter *f)
{
	struct recording *rec = to_recording(t);

	if (!recording_filter_is_valid(f)) {
		errno = EINVAL;
		return -1;
	}
	if (filter_is_later(f)) {
		errno = E2BIG;
		return -1;
	}
	rec->filter = *f;
	rec->is_filtered = !is_zero(&f->flags, sizeof(*f) - offsetof(struct rdmaev_filter, flags));
	return 0;
}

/* All records are there already. */
static int recording_set_wakeup(struct transport *t, uint32_t records, uint32_t delay_us)
{
	if (records && records <= to_recording(t)->file.header.ring_records &&
	    delay_us <= RDMAEV_DELAY_MAX_US)
		return 0;
	errno = EINVAL;
	return -1;
}

/* seq after the newest record */
static uint64_t recording_end(const struct recording *rec)
{
	const struct recording_file *file = &rec->file;

	return file->count ? file->records[file->count - 1].seq + 1 : 1;
}

static uint64_t recording_position(const struct recording *rec)
{
	const struct rdmaev_record *r;
	uint64_t next;

	if (rec->next == rec->file.count)
		return recording_end(rec);
	r = &rec->file.records[rec->next];
	next = r->kind == RDMAEV_KIND_LOST ? r->body.lost.first : r->seq;
	return next > rec->at ? next : rec->at;
}

/* Index of the first record of this seq or a larger one */
static size_t recording_find(const struct recording_file *file, uint64_t seq)
{
	size_t low = 0, high = file->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (file->records[mid].seq < seq)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Go to the oldest record; what was lost before it is not reported. */
static int64_t go_to_oldest(struct recording *rec)
{
	const struct recording_file *file = &rec->file;

	rec->next = 0;
	while (rec->next < file->count &&
	       file->records[rec->next].kind == RDMAEV_KIND_LOST)
		rec->next++;
	rec->at = 1;
	return (int64_t)recording_position(rec);
}

static int64_t recording_seek(struct transport *t, int64_t offset, int whence)
{
	struct recording *rec = to_recording(t);
	int64_t end = (int64_t)recording_end(rec);

	if (whence == SEEK_SET && !offset)
		return go_to_oldest(rec);
	if (whence == SEEK_CUR && !offset)
		return (int64_t)recording_position(rec);
	if (whence == SEEK_CUR &&
	    __builtin_add_overflow(offset, (int64_t)recording_position(rec), &offset))
		offset = INT64_MAX;
	if (whence == SEEK_END && offset <= 0)
		offset = offset > -end ? offset + end : 1;
	else if (whence == SEEK_END)
		offset = INT64_MAX;
	else if (whence != SEEK_SET && whence != SEEK_CUR)
		offset = -1;
	if (offset < 1 || offset > end) {
		errno = offset < 1 ? EINVAL : ENXIO;
		return -1;
	}
	rec->next = recording_find(&rec->file, (uint64_t)offset);
	rec->at = (uint64_t)offset;
	return offset;
}

static int recording_info(struct transport *t, struct rdmaev_info *info)
{
	struct recording *rec = to_recording(t);
	const struct recording_file *file = &rec->file;
	const struct recording_entries *observed = &file->lists[RECORDING_OBSERVED];
	size_t i;

	*info = (struct rdmaev_info){
		.size = sizeof(*info),
		.abi_version = file->header.abi_version,
		.instance = file->header.instance,
		.record_size = RDMAEV_RECORD_SIZE,
		.rings = file->header.rings,
		.ring_records = file->header.ring_records,
		.newest_seq = recording_end(rec) - 1,
		.position = recording_position(rec),
		.lost = rec->lost,
	};
	for (i = 0; i < file->count && !info->oldest_seq; i++)
		if (file->records[i].kind != RDMAEV_KIND_LOST)
			info->oldest_seq = file->records[i].seq;
	if (observed->count)
		memcpy(&info->observer, observed->entries, sizeof(info->observer));
	return 0;
}

static int recording_devices(struct transport *t, struct rdmaev_devices *devices)
{
	return recording_list_devices(&to_recording(t)->file, devices);
}

static int recording_ports(struct transport *t, struct rdmaev_ports *ports)
{
	return recording_list_ports(&to_recording(t)->file, ports);
}

static int recording_counters(struct transport *t, struct rdmaev_counters *counters)
{
	return recording_list_counters(&to_recording(t)->file, counters);
}

static int recording_cqs(struct transport *t, struct rdmaev_cqs *cqs)
{
	return recording_list_cqs(&to_recording(t)->file, cqs);
}

static int recording_qps(struct transport *t, struct rdmaev_qps *qps)
{
	return recording_list_qps(&to_recording(t)->file, qps);
}

static int recording_probes(struct transport *t, struct rdmaev_probes *probes)
{
	return recording_list_probes(&to_recording(t)->file, probes);
}

const struct transport_ops recording_ops = {
	.open = recording_open,
	.close = recording_close,
	.read = recording_read,
	.ready = recording_ready,
	.set_filter = recording_set_filter,
	.set_wakeup = recording_set_wakeup,
	.seek = recording_seek,
	.info = recording_info,
	.devices = recording_devices,
	.ports = recording_ports,
	.counters = recording_counters,
	.cqs = recording_cqs,
	.probes = recording_probes,
	.qps = recording_qps,
};

const struct recording_file *recording_of(const struct rdmaev *h)
{
	if (!h || h->transport->ops != &recording_ops)
		return NULL;
	return &to_recording(h->transport)->file;
}
