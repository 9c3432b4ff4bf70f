/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Write the file of a recording. */
#ifndef ULIB_RECORDING_WRITE_H
#define ULIB_RECORDING_WRITE_H

#include "recording.h"

struct anonymous;

/**
 * struct recording_writer - a file that is being written
 * @fd: the file, locked; -1: none
 * @size: bytes of whole frames in it
 * @error: errno of the last write that failed
 * @anonymous: stand-ins for what lists have, or NULL
 */
struct recording_writer {
	int fd;
	uint64_t size;
	int error;
	struct anonymous *anonymous;
};

/*
 * Functions return 0, or -1 with errno. A frame is there as a whole, or not at all;
 * if the host fails, a part of the last ones can be missing.
 */

/* Create @path, which must not exist, with its header. EWOULDBLOCK: it is locked. */
int recording_create(struct recording_writer *w, const char *path,
		     const struct recording_header *header);
/* Append a frame of two parts. */
int recording_append(struct recording_writer *w, uint32_t type, const void *head,
		     size_t head_size, const void *rest, size_t rest_size);
int recording_append_records(struct recording_writer *w,
			     const struct rdmaev_record *records, size_t n);
/* @list: its head without sizes; @count entries of the size that this version has */
int recording_append_list(struct recording_writer *w, struct recording_list *list,
			  const void *entries, size_t count);
/* Wait until all is on the disk. */
int recording_sync(const struct recording_writer *w);
/* Close the file, with what is in it; without one, nothing happens. */
int recording_finish(struct recording_writer *w);

#endif /* ULIB_RECORDING_WRITE_H */
