// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The file in which rdmaev keeps its position in the log (--cursor-file). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/replace_file.h"
#include "cursor.h"
#include "option/when.h"

static int cursor_fail(const char *path, const char *what)
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
		return errno == ENOENT ? 0 : cursor_fail(path, "cannot open");
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		complain("--cursor-file %s: not a regular file", path);
		close(fd);
		return -1;
	}
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n < 0)
		return cursor_fail(path, "cannot read");
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

int write_cursor_file(const char *path, uint64_t instance, uint64_t seq)
{
	char cursor[CURSOR_SIZE], line[CURSOR_SIZE + 1];

	print_cursor(cursor, instance, seq);
	snprintf(line, sizeof(line), "%s\n", cursor);
	errno = replace_file(path, line, strlen(line));
	return errno ? cursor_fail(path, "cannot write") : 0;
}
