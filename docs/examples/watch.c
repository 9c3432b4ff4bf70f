// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Prints the errors of all ports with the recommended action, from an event loop.
 *
 *	cc watch.c $(pkg-config --cflags --libs librdmaev) -o watch
 *	./watch
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <rdmaev.h>

static int print_events(struct rdmaev *h)
{
	struct rdmaev_record events[32];
	char line[4096];
	ssize_t n, i;

	n = rdmaev_read(h, events, 32);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;

	for (i = 0; i < n; i++) {
		const struct rdmaev_record *r = &events[i];
		const char *advice = rdmaev_event_advice(r->kind, r->code);

		rdmaev_format(&events[i], RDMAEV_STYLE_HUMAN, line, sizeof(line));
		puts(line);
		if (advice)
			puts(advice);
	}
	return 0;
}

int main(void)
{
	struct rdmaev_filter filter;
	struct pollfd fds[1];
	struct rdmaev *h;

	h = rdmaev_open(NULL, RDMAEV_NONBLOCK);
	if (!h) {
		perror(RDMAEV_NODE);
		return 1;
	}

	rdmaev_filter_init(&filter);
	filter.kinds = 1U << RDMAEV_KIND_ASYNC | 1U << RDMAEV_KIND_PORT;
	filter.severities = 1U << RDMAEV_SEVERITY_ERROR;
	if (rdmaev_set_filter(h, &filter) < 0) {
		perror("rdmaev_set_filter");
		return 1;
	}

	fds[0].fd = rdmaev_fd(h);
	fds[0].events = POLLIN;
	for (;;) {
		if (poll(fds, 1, -1) < 0) {
			if (errno == EINTR)
				continue;
			perror("poll");
			break;
		}
		if (fds[0].revents && print_events(h) < 0) {
			perror("rdmaev_read");
			break;
		}
	}
	rdmaev_close(h);
	return 1;
}
