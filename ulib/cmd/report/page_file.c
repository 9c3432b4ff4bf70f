// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Write the file of a report. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/replace_file.h"
#include "output/output.h"
#include "page_file.h"

static int page_file_fail(const char *path, int error)
{
	complain("-o %s: cannot write: %s%s", path, strerror(error),
		 error == ENOENT ? " (make the directory first)" : "");
	return -1;
}

/* A device or a FIFO is written to, not replaced. */
static int write_special(const char *path, const char *html, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int error = fd < 0 ? errno : write_and_close(fd, html, len);

	return error ? page_file_fail(path, error) : 0;
}

int write_page_file(const char *path, const char *html, size_t len)
{
	struct stat st;
	char *target;
	int error;

	if (!path || !strcmp(path, "-"))
		return output_line(html) == OUTPUT_FAILED ? -1 : 0;
	if (!stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			return page_file_fail(path, EISDIR);
		if (!S_ISREG(st.st_mode))
			return write_special(path, html, len);
	}
	/* A symbolic link stays, and what it leads to is replaced. */
	target = realpath(path, NULL);
	error = replace_file(target ? target : path, html, len);
	free(target);
	return error ? page_file_fail(path, error) : 0;
}
