/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The file in which rdmaev keeps its position in the log (--cursor-file). */
#ifndef ULIB_CURSOR_H
#define ULIB_CURSOR_H

#include <stdint.h>

/* 1: read; 0: there is no file, or it is empty; -1 after a message. */
int read_cursor_file(const char *path, uint64_t *instance, uint64_t *seq);

/*
 * Replace the file by one with this position: a reader sees the old or the new
 * one. Not synced to the disk, as the log does not survive a crash of the host
 * either. 0, or -1 after a message.
 */
int write_cursor_file(const char *path, uint64_t instance, uint64_t seq);

#endif /* ULIB_CURSOR_H */
