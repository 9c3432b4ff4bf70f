// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The file in which rdmaev keeps its position in the log (--cursor-file). */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "cursor.h"

static int fail(const char *path, const char *what)
{
	complain("--cursor-file %s: %s: %s", path, what, strerror(errno));
	return -1;
}

int read_cursor_file(const char *path, uint64_t *instance, uint64_t *seq)
{
	char text[CURSOR_SIZE + 1];
	struct stat st;
	ssize_t n;
	int fd;

	/* A FIFO would wait for a writer, and be replaced by a file. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? 0 : fail(path, "cannot open");
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		complain("--cursor-file %s: not a regular file", path);
		close(fd);
		return -1;
	}
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n < 0)
		return fail(path, "cannot read");
	if (!n)
		return 0;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	/* There is room for more than a cursor. */
	if ((size_t)n < sizeof(text) - 1 && !parse_cursor(text, instance, seq))
		return 1;
	complain("--cursor-file %s: has no cursor in it; name another file, or remove it",
		 path);
	return -1;
}

static bool write_all(int fd, const char *text)
{
	size_t len = strlen(text);
	ssize_t n = write(fd, text, len);

	if (n >= 0 && (size_t)n != len)
		errno = ENOSPC;
	return n >= 0 && (size_t)n == len;
}

int write_cursor_file(const char *path, uint64_t instance, uint64_t seq)
{
	char cursor[CURSOR_SIZE], line[CURSOR_SIZE + 1], *name;
	bool is_written;
	int fd, error;

	print_cursor(cursor, instance, seq);
	snprintf(line, sizeof(line), "%s\n", cursor);
	/* In the same directory, as rename(2) needs the same file system. */
	if (asprintf(&name, "%s.%d.new", path, (int)getpid()) < 0) {
		complain("out of memory");
		return -1;
	}
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	is_written = fd >= 0 && write_all(fd, line);
	error = errno;
	if (fd >= 0 && close(fd) < 0 && is_written) {
		is_written = false;
		error = errno;
	}
	if (is_written && rename(name, path) < 0) {
		is_written = false;
		error = errno;
	}
	if (!is_written) {
		if (fd >= 0)
			unlink(name);
		errno = error;
		fail(path, "cannot write");
	}
	free(name);
	return is_written ? 0 : -1;
}
