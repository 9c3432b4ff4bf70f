// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Files that are replaced at once. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "replace_file.h"

int write_and_close(int fd, const char *data, size_t len)
{
	int error = 0;

	while (len && !error) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno != EINTR)
			error = errno;
		if (!n)
			error = ENOSPC;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	if (close(fd) < 0 && !error)
		error = errno;
	return error;
}

int replace_file(const char *path, const char *data, size_t len)
{
	char *name;
	int error = ENOMEM;
	int fd;

	/* In the same directory, as rename(2) needs the same file system. */
	if (asprintf(&name, "%s.%d.new", path, (int)getpid()) < 0)
		return error;
	/* Of an earlier process with this number; or of somebody else, to own ours */
	unlink(name);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	error = fd < 0 ? errno : write_and_close(fd, data, len);
	if (!error && rename(name, path) < 0)
		error = errno;
	if (error && fd >= 0)
		unlink(name);
	free(name);
	return error;
}
