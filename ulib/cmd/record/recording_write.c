// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Write the file of a recording: frames, one after the other. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recording_write.h"

/* Write all of it; what a failed write has left is cut off. */
static int write_all(struct recording_writer *w, struct iovec *parts, int n)
{
	size_t size = 0, done = 0;
	int i, error;

	for (i = 0; i < n; i++)
		size += parts[i].iov_len;
	while (done < size) {
		ssize_t got = writev(w->fd, parts, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			goto cut;
		done += (size_t)got;
		for (; n && (size_t)got >= parts->iov_len; parts++, n--)
			got -= (ssize_t)parts->iov_len;
		if (n) {
			parts->iov_base = (char *)parts->iov_base + got;
			parts->iov_len -= (size_t)got;
		}
	}
	w->size += size;
	return 0;
cut:
	error = errno;
	if (ftruncate(w->fd, (off_t)w->size) < 0 ||
	    lseek(w->fd, (off_t)w->size, SEEK_SET) < 0)
		error = errno;
	w->error = error;
	errno = error;
	return -1;
}

/* writev(2) does not write to it. */
static struct iovec write_part(const void *from, size_t size)
{
	return (struct iovec){ .iov_base = (void *)(uintptr_t)from, .iov_len = size };
}

int recording_append(struct recording_writer *w, uint32_t type, const void *head,
		     size_t head_size, const void *rest, size_t rest_size)
{
	struct recording_frame frame = {
		.type = type,
		.size = (uint32_t)(head_size + rest_size),
	};
	struct iovec parts[3] = {
		write_part(&frame, sizeof(frame)), write_part(head, head_size),
		write_part(rest, rest_size),
	};

	if (head_size + rest_size > UINT32_MAX) {
		errno = EFBIG;
		return -1;
	}
	frame.crc = recording_crc(0, &frame, sizeof(frame));
	frame.crc = recording_crc(frame.crc, head, head_size);
	frame.crc = recording_crc(frame.crc, rest, rest_size);
	return write_all(w, parts, rest_size ? 3 : 2);
}

int recording_append_records(struct recording_writer *w,
			     const struct rdmaev_record *records, size_t n)
{
	const struct recording_records head = {
		.entry_size = sizeof(*records),
		.count = (uint32_t)n,
	};

	return recording_append(w, RECORDING_RECORDS, &head, sizeof(head), records,
				n * sizeof(*records));
}

int recording_append_list(struct recording_writer *w, struct recording_list *list,
			  const void *entries, size_t count)
{
	size_t size = recording_entry_size(list->list);

	list->entry_size = (uint32_t)size;
	list->count = (uint32_t)count;
	return recording_append(w, RECORDING_LIST, list, sizeof(*list), entries,
				count * size);
}

int recording_create(struct recording_writer *w, const char *path,
		     const struct recording_header *header)
{
	struct iovec magic = write_part(RECORDING_MAGIC, RECORDING_MAGIC_SIZE);
	int error;

	w->size = 0;
	/* For its owner alone: the file has no credentials that a record requires. */
	w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (w->fd < 0)
		return -1;
	if (!flock(w->fd, LOCK_EX | LOCK_NB) && !write_all(w, &magic, 1) &&
	    !recording_append(w, RECORDING_HEADER, header, sizeof(*header), NULL, 0))
		return 0;
	error = errno;
	recording_finish(w);
	/* As on a full disk: an empty file is no recording. */
	unlink(path);
	errno = error;
	return -1;
}

int recording_sync(const struct recording_writer *w)
{
	/* There are file systems without. */
	return fdatasync(w->fd) < 0 && errno != EINVAL && errno != EROFS ? -1 : 0;
}

int recording_finish(struct recording_writer *w)
{
	int fd = w->fd;

	w->fd = -1;
	return fd < 0 ? 0 : close(fd);
}
