// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The file of a recording: check its frames and take them in. It may have been cut
 * anywhere and come from anywhere, so each size is checked, and memory grows only
 * with bytes that are there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording.h"

/**
 * struct list_layout - entries of a list
 * @size: bytes of an entry; later versions only make it larger
 * @least: bytes of an entry in version 1
 * @strings: offsets and sizes of its strings, which have to end
 */
static const struct list_layout {
	size_t size;
	size_t least;
	struct {
		size_t offset;
		size_t size;
	} strings[3];
} layouts[RECORDING_LISTS] = {
#define STRING(type, member)	{ offsetof(type, member), sizeof(((type *)0)->member) }
	[RECORDING_DEVICES] = {
		sizeof(struct rdmaev_device), RDMAEV_DEVICE_SIZE_VER0, {
			STRING(struct rdmaev_device, name),
			STRING(struct rdmaev_device, driver),
			STRING(struct rdmaev_device, remover_comm),
		},
	},
	[RECORDING_PORTS] = {
		.size = sizeof(struct rdmaev_port), .least = RDMAEV_PORT_SIZE_VER0,
	},
	[RECORDING_COUNTERS] = {
		.size = sizeof(struct rdmaev_counter), .least = RDMAEV_COUNTER_SIZE_VER0,
	},
	[RECORDING_CQS] = {
		sizeof(struct rdmaev_cq_stats), RDMAEV_CQ_STATS_SIZE_VER0, {
			STRING(struct rdmaev_cq_stats, owner),
		},
	},
	[RECORDING_CQ_SUMS] = {
		sizeof(struct rdmaev_cq_stats), RDMAEV_CQ_STATS_SIZE_VER0, {
			STRING(struct rdmaev_cq_stats, owner),
		},
	},
	[RECORDING_OBSERVED] = {
		.size = sizeof(struct rdmaev_observed), .least = sizeof(struct rdmaev_observed),
	},
	[RECORDING_PROBES] = {
		.size = sizeof(struct rdmaev_probe), .least = RDMAEV_PROBE_SIZE_VER0,
	},
	[RECORDING_QPS] = {
		sizeof(struct rdmaev_qp), RDMAEV_QP_SIZE_VER0, {
			STRING(struct rdmaev_qp, info.owner),
		},
	},
	[RECORDING_HOST_PORTS] = {
		sizeof(struct recording_host_port), RECORDING_HOST_PORT_SIZE_VER0, {
			STRING(struct recording_host_port, netdev),
		},
	},
#undef STRING
};

size_t recording_entry_size(unsigned int list)
{
	return layouts[list].size;
}

size_t recording_entry_least(unsigned int list)
{
	return layouts[list].least;
}

static size_t smaller_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Set the end of the recording to what was written last. */
static void file_advance(struct recording_file *file, uint64_t boottime_ns,
			 uint64_t realtime_ns)
{
	if (boottime_ns <= file->boottime_ns)
		return;
	file->boottime_ns = boottime_ns;
	file->realtime_ns = realtime_ns;
}

/*
 * Functions below take the payload of a frame. 1: done; 0: the frame is not what it
 * should be; -1: with errno.
 */

static int take_header(struct recording_file *file, const char *payload, size_t size)
{
	struct recording_header *header = &file->header;

	if (size < sizeof(*header)) {
		errno = ENOTSUP;
		return -1;
	}
	memcpy(header, payload, sizeof(*header));
	if (header->order != RECORDING_ORDER || header->features) {
		errno = ENOTSUP;
		return -1;
	}
	header->boot_id[sizeof(header->boot_id) - 1] = '\0';
	header->host[sizeof(header->host) - 1] = '\0';
	header->kernel[sizeof(header->kernel) - 1] = '\0';
	file_advance(file, header->boottime_ns, header->realtime_ns);
	return 1;
}

static int make_room(struct recording_file *file, size_t count)
{
	size_t room = file->room ? file->room : 256;
	struct rdmaev_record *records;

	while (room < file->count + count)
		room *= 2;
	if (room == file->room)
		return 1;
	if (room > SIZE_MAX / sizeof(*records)) {
		errno = ENOMEM;
		return -1;
	}
	records = realloc(file->records, room * sizeof(*records));
	if (!records)
		return -1;
	file->records = records;
	file->room = room;
	return 1;
}

/* Of a loss, whose times can be those of a later record, too */
static bool is_next(const struct recording_file *file, const struct rdmaev_record *r)
{
	return r->seq && r->seq < INT64_MAX &&
	       (!file->count || r->seq >= file->records[file->count - 1].seq);
}

static int take_records(struct recording_file *file, const char *payload, size_t size)
{
	size_t before = file->count, known, i;
	struct recording_records head;

	if (size < sizeof(head))
		return 0;
	memcpy(&head, payload, sizeof(head));
	if (head.entry_size < RDMAEV_HEAD_SIZE ||
	    (uint64_t)head.entry_size * head.count != size - sizeof(head))
		return 0;
	if (make_room(file, head.count) < 0)
		return -1;
	payload += sizeof(head);
	known = smaller_of(sizeof(*file->records), head.entry_size);
	for (i = 0; i < head.count; i++, payload += head.entry_size) {
		struct rdmaev_record *r = &file->records[file->count];

		memcpy(r, payload, known);
		memset((char *)r + known, 0, sizeof(*r) - known);
		if (!is_next(file, r)) {
			file->count = before;
			return 0;
		}
		file->count++;
		file_advance(file, r->boottime_ns, r->realtime_ns);
	}
	return 1;
}

static void terminate_strings(char *entry, const struct list_layout *layout)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(layout->strings) && layout->strings[i].size; i++)
		entry[layout->strings[i].offset + layout->strings[i].size - 1] = '\0';
}

static int take_list(struct recording_file *file, const char *payload, size_t size)
{
	const struct list_layout *layout;
	struct recording_list head;
	char *entries;
	uint32_t i;

	if (size < sizeof(head))
		return 0;
	memcpy(&head, payload, sizeof(head));
	if (head.list >= RECORDING_LISTS)
		return 1;
	layout = &layouts[head.list];
	if (head.entry_size < layout->least ||
	    (uint64_t)head.entry_size * head.count != size - sizeof(head))
		return 0;
	entries = calloc((size_t)head.count + 1, layout->size);
	if (!entries)
		return -1;
	for (i = 0; i < head.count; i++) {
		memcpy(entries + i * layout->size,
		       payload + sizeof(head) + (size_t)i * head.entry_size,
		       smaller_of(layout->size, head.entry_size));
		terminate_strings(entries + i * layout->size, layout);
	}
	free(file->lists[head.list].entries);
	file->lists[head.list] = (struct recording_entries){ entries, head.count, head.seq };
	file_advance(file, head.boottime_ns, head.realtime_ns);
	return 1;
}

static int take_end(struct recording_file *file, const char *payload, size_t size)
{
	struct recording_end end;

	if (size < sizeof(end))
		return 0;
	memcpy(&end, payload, sizeof(end));
	file_advance(file, end.boottime_ns, end.realtime_ns);
	file->is_ended = true;
	return 1;
}

static int take_frame(struct recording_file *file, const struct recording_frame *frame,
		      const char *payload)
{
	switch (frame->type) {
	case RECORDING_RECORDS:
		return take_records(file, payload, frame->size);
	case RECORDING_LIST:
		return take_list(file, payload, frame->size);
	case RECORDING_END:
		return take_end(file, payload, frame->size);
	default:
		return 1;
	}
}

/* False: that many bytes are not there. */
static bool read_at(int fd, void *to, size_t size, uint64_t at)
{
	char *bytes = to;

	while (size) {
		ssize_t n = pread(fd, bytes, size, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		at += (uint64_t)n;
		size -= (size_t)n;
	}
	return true;
}

/**
 * struct frame_reader - a position in a file
 * @fd: the file
 * @at: where the next frame begins
 * @size: size of the file
 * @payload: what follows the head of the frame, in @room bytes
 * @room: same
 */
struct frame_reader {
	int fd;
	uint64_t at;
	uint64_t size;
	char *payload;
	size_t room;
};

/* Read a frame: 1: it is whole; 0: it is not; -1: with errno. */
static int read_frame(struct frame_reader *r, struct recording_frame *frame)
{
	uint64_t left = r->size - r->at;

	if (left < sizeof(*frame) || !read_at(r->fd, frame, sizeof(*frame), r->at) ||
	    frame->size > left - sizeof(*frame))
		return 0;
	if (frame->size > r->room) {
		char *larger = realloc(r->payload, frame->size);

		if (!larger)
			return -1;
		r->payload = larger;
		r->room = frame->size;
	}
	if (!read_at(r->fd, r->payload, frame->size, r->at + sizeof(*frame)) ||
	    frame->crc != recording_frame_crc(frame, r->payload))
		return 0;
	r->at += sizeof(*frame) + frame->size;
	return 1;
}

static int read_header(struct recording_file *file, struct frame_reader *r)
{
	char magic[RECORDING_MAGIC_SIZE];
	struct recording_frame frame;
	int ret;

	if (!read_at(r->fd, magic, sizeof(magic), 0) ||
	    memcmp(magic, RECORDING_MAGIC, sizeof(magic))) {
		errno = ENOTSUP;
		return -1;
	}
	r->at = sizeof(magic);
	ret = read_frame(r, &frame);
	if (!ret)
		errno = EBADMSG;
	if (ret <= 0)
		return -1;
	if (frame.type != RECORDING_HEADER) {
		errno = ENOTSUP;
		return -1;
	}
	return take_header(file, r->payload, frame.size);
}

static int read_frames(struct recording_file *file, struct frame_reader *r)
{
	struct recording_frame frame;
	int ret = 1;

	while (ret > 0 && r->at < r->size) {
		uint64_t at = r->at;

		ret = read_frame(r, &frame);
		if (ret > 0)
			ret = take_frame(file, &frame, r->payload);
		if (!ret)
			file->left_out = r->size - at;
	}
	return ret < 0 ? -1 : 0;
}

int recording_load(struct recording_file *file, int fd)
{
	struct frame_reader r = { .fd = fd };
	struct stat st;
	int ret, error;

	memset(file, 0, sizeof(*file));
	if (fstat(fd, &st) < 0)
		return -1;
	r.size = (uint64_t)st.st_size;
	ret = read_header(file, &r);
	if (ret > 0)
		ret = read_frames(file, &r);
	error = errno;
	free(r.payload);
	errno = error;
	return ret;
}

void recording_free(struct recording_file *file)
{
	size_t i;

	for (i = 0; i < RECORDING_LISTS; i++)
		free(file->lists[i].entries);
	free(file->records);
}
