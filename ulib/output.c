// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Standard output, line by line. A write is at most what a pipe takes whole and
 * ends with a line, so a reader never sees half of one, however the program
 * ends; and nothing is written before it can be without waiting, so that a
 * reader that stands still does not keep a signal from ending it.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd.h"

static char *buffer;
static size_t used;
static size_t room;
static int until = -1;

void output_until(int fd)
{
	until = fd;
}

/* As many whole lines as a pipe takes at once, or a part of a long one. */
static size_t piece(size_t from)
{
	size_t len = used - from;
	const char *end;

	if (len <= PIPE_BUF)
		return len;
	end = memrchr(buffer + from, '\n', PIPE_BUF);
	return end ? (size_t)(end - buffer) + 1 - from : PIPE_BUF;
}

enum output output_flush(void)
{
	size_t done = 0;

	while (done < used) {
		struct pollfd p[2] = {
			{ .fd = STDOUT_FILENO, .events = POLLOUT },
			{ .fd = until, .events = POLLIN },
		};
		ssize_t n;

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			break;
		if (!p[0].revents && p[1].revents) {
			used = 0;
			return OUTPUT_STOP;
		}
		if (!p[0].revents)
			continue;
		n = write(STDOUT_FILENO, buffer + done, piece(done));
		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR && errno != EAGAIN)
			break;
	}
	if (done < used) {
		used = 0;
		if (errno == EPIPE)
			return OUTPUT_STOP;
		complain("cannot write: %s", strerror(errno));
		return OUTPUT_FAILED;
	}
	used = 0;
	return OUTPUT_DONE;
}

enum output output_line(const char *line)
{
	size_t len = strlen(line);

	if (used + len + 1 > room) {
		size_t larger = 2 * (used + len + 1);
		char *moved = realloc(buffer, larger);

		if (!moved) {
			complain("out of memory");
			return OUTPUT_FAILED;
		}
		buffer = moved;
		room = larger;
	}
	memcpy(buffer + used, line, len);
	buffer[used + len] = '\n';
	used += len + 1;
	return used < 8 * PIPE_BUF ? OUTPUT_DONE : output_flush();
}

int output_finish(int status)
{
	enum output result = output_flush();

	free(buffer);
	buffer = NULL;
	room = 0;
	return result == OUTPUT_FAILED ? STATUS_ERROR : status;
}

bool output_color(void)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return !(no_color && *no_color) && isatty(STDOUT_FILENO) &&
	       !(term && !strcmp(term, "dumb"));
}

size_t output_columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 40)
		return 80;
	return size.ws_col;
}
