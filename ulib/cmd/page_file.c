// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Write the file of a report. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "page_file.h"

static int fail(const char *path, int error)
{
	complain("-o %s: cannot write: %s%s", path, strerror(error),
		 error == ENOENT ? " (make the directory first)" : "");
	return -1;
}

/* 0 or an errno; closes @fd */
static int write_all(int fd, const char *html, size_t len)
{
	int error = 0;

	while (len && !error) {
		ssize_t n = write(fd, html, len);

		if (n < 0 && errno != EINTR)
			error = errno;
		if (n > 0) {
			html += n;
			len -= (size_t)n;
		}
	}
	if (close(fd) < 0 && !error)
		error = errno;
	return error;
}

/* A device or a FIFO is written to, not replaced. */
static int write_special(const char *path, const char *html, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int error = fd < 0 ? errno : write_all(fd, html, len);

	return error ? fail(path, error) : 0;
}

/* @target: the file itself, @path names it in messages */
static int replace(const char *path, const char *target, const char *html, size_t len)
{
	char *name;
	int fd, error;

	/* In the same directory, as rename(2) needs the same file system. */
	if (asprintf(&name, "%s.%d.new", target, (int)getpid()) < 0) {
		complain("out of memory");
		return -1;
	}
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	error = fd < 0 ? errno : write_all(fd, html, len);
	if (!error && rename(name, target) < 0)
		error = errno;
	if (error && fd >= 0)
		unlink(name);
	free(name);
	return error ? fail(path, error) : 0;
}

int write_page_file(const char *path, const char *html, size_t len)
{
	struct stat st;
	char *target;
	int ret;

	if (!path || !strcmp(path, "-"))
		return output_line(html) == OUTPUT_FAILED ? -1 : 0;
	if (!stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			return fail(path, EISDIR);
		if (!S_ISREG(st.st_mode))
			return write_special(path, html, len);
	}
	/* A symbolic link stays, and what it leads to is replaced. */
	target = realpath(path, NULL);
	ret = replace(path, target ? target : path, html, len);
	free(target);
	return ret;
}
