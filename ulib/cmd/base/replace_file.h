/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Files that are replaced at once: a reader sees the old or the new one. */
#ifndef ULIB_REPLACE_FILE_H
#define ULIB_REPLACE_FILE_H

#include <stddef.h>

/* Write all and close @fd; 0 or an errno. */
int write_and_close(int fd, const char *data, size_t len);

/*
 * Replace a file by one with this contents. Not synced to the disk. 0 or an errno:
 * the file is as it was.
 */
int replace_file(const char *path, const char *data, size_t len);

#endif /* ULIB_REPLACE_FILE_H */
