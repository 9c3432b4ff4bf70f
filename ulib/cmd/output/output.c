// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Standard output, line by line. A write is at most the size that a pipe takes
 * atomically and ends with a line, so a reader never sees part of a line,
 * however the program ends. Nothing is written before it can be without
 * waiting, so a stalled reader does not keep a signal from ending the program.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/status.h"
#include "output.h"

static char *buffer;
static size_t used;
static size_t room;
static int until = -1;
static struct rdmaev *reader;

/**
 * struct frame - lines that are shown in place of those before
 * @rows: lines there is room for; 0: output is not shown in place
 * @columns: characters there is room for in each
 * @lines: lines so far
 * @last: where in the buffer the last line that there is room for begins
 */
static struct frame {
	size_t rows;
	size_t columns;
	size_t lines;
	size_t last;
} frame;

int catch_signals(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		/*
		 * A signal that the parent has set to be ignored (nohup) stays
		 * ignored.
		 */
		if (!sigaction(ends[i], NULL, &action) &&
		    action.sa_handler != SIG_IGN)
			sigaddset(&set, ends[i]);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	until = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (until < 0)
		complain("signalfd: %s", strerror(errno));
	return until;
}

void release_signals(int fd)
{
	until = -1;
	if (fd >= 0)
		close(fd);
}

void output_set_reader(struct rdmaev *h)
{
	reader = h;
}

/* As many whole lines as a pipe takes at once, or a part of a long one. */
static size_t output_piece(size_t from)
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
	bool waits = false;
	size_t done = 0;

	while (done < used) {
		struct pollfd p[3] = {
			{ .fd = STDOUT_FILENO, .events = POLLOUT },
			{ .fd = until, .events = POLLIN },
			{ .fd = reader ? rdmaev_fd(reader) : -1 },
		};
		ssize_t n;

		/*
		 * Polling the reader is costly: do it only if this can take
		 * long.
		 */
		if (poll(p, waits ? 3 : 2, waits ? -1 : 0) < 0 && errno != EINTR)
			break;
		waits = true;
		/*
		 * The reader drops the module; available records are still
		 * printed.
		 */
		if (p[2].revents & POLLHUP && rdmaev_wait(reader, 0) < 0)
			reader = NULL;
		if (!p[0].revents && p[1].revents) {
			used = 0;
			return OUTPUT_STOP;
		}
		if (!p[0].revents)
			continue;
		n = write(STDOUT_FILENO, buffer + done, output_piece(done));
		waits = n < 0;
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

/* Append @len bytes of @text. */
static enum output output_append(const char *text, size_t len)
{
	if (used + len > room) {
		size_t larger = 2 * (used + len);
		char *moved = realloc(buffer, larger);

		if (!moved) {
			complain("out of memory");
			return OUTPUT_FAILED;
		}
		buffer = moved;
		room = larger;
	}
	memcpy(buffer + used, text, len);
	used += len;
	return OUTPUT_DONE;
}

/*
 * Append the part of a line that fits. Colours take no room, and those after
 * the cut are still needed to end earlier ones. The rest of the line is cleared
 * afterwards to avoid flicker.
 */
static enum output append_cut(const char *line)
{
	enum output result = OUTPUT_DONE;
	size_t columns = 0;

	while (*line && result == OUTPUT_DONE) {
		size_t len = 1;

		if (*line == '\033')
			len = strcspn(line, "m") + 1;
		else
			columns++;
		if (*line == '\033' || columns <= frame.columns)
			result = output_append(line, len);
		line += len;
	}
	/* In the last column this would clear the last character. */
	if (result == OUTPUT_DONE && columns < frame.columns)
		result = output_append("\033[K", 3);
	return result;
}

static enum output frame_line(const char *line)
{
	enum output result;

	if (++frame.lines > frame.rows)
		return OUTPUT_DONE;
	if (frame.lines == frame.rows)
		frame.last = used;
	result = append_cut(line);
	return result == OUTPUT_DONE ? output_append("\n", 1) : result;
}

void output_frame(void)
{
	struct winsize size;

	frame = (struct frame){ .rows = 23, .columns = 80 };
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col) {
		/* The cursor ends below the last line. */
		frame.rows = size.ws_row > 1 ? size.ws_row - 1U : 1;
		frame.columns = size.ws_col;
	}
	output_append("\033[H", 3);
}

enum output output_frame_end(void)
{
	size_t lines = frame.lines;
	char note[64];
	struct text t = { .buf = note, .size = sizeof(note) };

	if (lines > frame.rows) {
		used = frame.last;
		frame.lines = frame.rows - 1;
		text_printf(&t, "(%zu lines more)", lines - frame.rows + 1);
		text_end(&t);
		frame_line(note);
	}
	output_append("\033[J", 3);
	frame.rows = 0;
	return output_flush();
}

enum output output_line(const char *line)
{
	enum output result;

	if (frame.rows)
		return frame_line(line);
	result = output_append(line, strlen(line));
	if (result == OUTPUT_DONE)
		result = output_append("\n", 1);
	if (result != OUTPUT_DONE || used < 8 * PIPE_BUF)
		return result;
	return output_flush();
}

enum output output_item(void (*put)(struct text *t, const void *of, size_t item),
			const void *of, size_t item)
{
	struct text t = { .size = 0 };
	enum output result;

	put(&t, of, item);
	t.size = t.len + 1;
	t.buf = malloc(t.size);
	if (!t.buf) {
		complain("out of memory");
		return OUTPUT_FAILED;
	}
	t.len = 0;
	put(&t, of, item);
	text_end(&t);
	result = output_line(t.buf);
	free(t.buf);
	return result;
}

int output_finish(int status)
{
	enum output result = output_flush();

	free(buffer);
	buffer = NULL;
	room = 0;
	return result == OUTPUT_FAILED ? STATUS_ERROR : status;
}

bool output_is_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(term && !strcmp(term, "dumb"));
}

bool output_color(const struct options *o)
{
	const char *no_color = getenv("NO_COLOR");

	if (o->color != COLOR_AUTO)
		return o->color == COLOR_ALWAYS;
	return !(no_color && *no_color) && output_is_terminal();
}

size_t output_columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 40)
		return 80;
	return size.ws_col;
}
