// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rename the files of a recording, as logrotate(8) does by default. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "recording_rotate.h"

static int rotate_name(char name[PATH_MAX], const char *path, unsigned int number)
{
	int len = number ? snprintf(name, PATH_MAX, "%s.%u", path, number) :
			   snprintf(name, PATH_MAX, "%s", path);

	if (len < PATH_MAX)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

int recording_rotate(const char *path, unsigned int keep)
{
	char from[PATH_MAX], to[PATH_MAX];
	unsigned int number;

	if (access(path, F_OK) < 0)
		return errno == ENOENT ? 0 : -1;
	if (!keep)
		return unlink(path);
	/* Up to the first number that is free, or the last one, which is replaced */
	for (number = 1; number < keep; number++) {
		if (rotate_name(to, path, number) < 0)
			return -1;
		if (access(to, F_OK) < 0 && errno == ENOENT)
			break;
	}
	for (; number; number--) {
		if (rotate_name(from, path, number - 1) < 0 || rotate_name(to, path, number) < 0)
			return -1;
		if (rename(from, to) < 0 && errno != ENOENT)
			return -1;
	}
	return 0;
}
