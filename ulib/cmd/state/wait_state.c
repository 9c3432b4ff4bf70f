// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev wait DEV/PORT up|down: wait until ports have a state. A record only says
 * that it is time to look: the lists of the kernel have the state, so it does not
 * matter if it was reached before or if records are lost.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/complain.h"
#include "base/status.h"
#include "catalogue.h"
#include "output/open.h"
#include "output/output.h"
#include "snapshot.h"
#include "targets.h"
#include "wait_state.h"

#define BATCH	64

/* A port that could not be queried gets its first state without a record. */
#define LOOK_AGAIN_NS	1000000000

const char * const state_words[] = { "up", "down", NULL };

/**
 * struct state_wait - a run of wait for a state
 * @o: command line
 * @h: reader
 * @target: the port, or the device with all its ports
 * @up: wait for up, else for down
 * @looked: not the first look
 * @signals: signalfd of the signals that end it
 * @deadline: CLOCK_MONOTONIC when to end, -1: never
 */
struct state_wait {
	const struct options *o;
	struct rdmaev *h;
	struct target *target;
	bool up;
	bool looked;
	int signals;
	int64_t deadline;
};

bool is_state_word(const char *word)
{
	size_t i;

	for (i = 0; state_words[i]; i++)
		if (!strcasecmp(word, state_words[i]))
			return true;
	return false;
}

/* A state that is not known, or cannot be queried any more, is neither up nor down. */
static bool has_state(const struct rdmaev_port *port, bool up)
{
	if (port->flags & RDMAEV_PORT_FLAG_REMOVING)
		return !up;
	if (!port->state || port->flags & RDMAEV_PORT_FLAG_QUERY_FAILED)
		return false;
	return up == (port->state >= RDMAEV_STATE_ACTIVE);
}

static const struct rdmaev_device *device_of(const struct snapshot *s,
					     const struct rdmaev_port *port)
{
	size_t d = 0;

	while (s->devices[d].generation != port->generation)
		d++;
	return &s->devices[d];
}

static void put_line(const struct snapshot *s, const struct rdmaev_port *port,
		     bool up, struct text *t)
{
	text_name(t, device_of(s, port)->name);
	text_printf(t, "/%u %s: ", port->port, up ? "up" : "down");
	put_port_state(t, port);
	text_put(t, " for ");
	text_duration(t, age(s, port->state_since_ns));
}

static void put_json(const struct snapshot *s, const struct rdmaev_port *port,
		     bool up, struct text *t)
{
	json_device(t, device_of(s, port));
	text_printf(t, ",\"port\":%u,\"up\":%s", port->port, up ? "true" : "false");
	json_state(t, port);
	text_key_ns(t, "state_since_ns", true, port->state_since_ns);
	text_key_ns(t, "state_ns", true, age(s, port->state_since_ns));
	text_key_number(t, "seq", true, s->seq);
	text_put(t, "}");
}

/* Down because there is no such device */
static void put_missing(const struct state_wait *w, const struct snapshot *s,
			struct text *t)
{
	char name[RDMAEV_DEVICE_NAME_SIZE];

	if (!w->o->json) {
		text_name(t, w->target->text);
		return text_put(t, " down: no such device now");
	}
	snprintf(name, sizeof(name), "%.*s", (int)w->target->name_len,
		 w->target->name);
	text_put(t, "{\"device\":");
	text_json(t, name);
	text_put(t, ",\"index\":null,\"generation\":0");
	text_key_number(t, "port", w->target->port != RDMAEV_ANY, w->target->port);
	text_put(t, ",\"up\":false");
	text_put(t, ",\"state\":null,\"never_active\":null,\"state_since_ns\":null,\"state_ns\":null");
	text_key_number(t, "seq", true, s->seq);
	text_put(t, "}");
}

static int print_ports(const struct state_wait *w, const struct snapshot *s)
{
	enum output result = OUTPUT_DONE;
	size_t i;

	for (i = 0; (i < s->ports_count || !i) && result == OUTPUT_DONE; i++) {
		char line[1024];
		struct text t = { .buf = line, .size = sizeof(line) };

		if (!s->ports_count)
			put_missing(w, s, &t);
		else if (w->o->json)
			put_json(s, &s->ports[i], w->up, &t);
		else
			put_line(s, &s->ports[i], w->up, &t);
		text_end(&t);
		result = output_line(line);
	}
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

/* True if the device is there now: then it must have the port, too. */
static bool is_there(const struct state_wait *w, const struct snapshot *s)
{
	size_t d;

	for (d = 0; d < s->devices_count; d++)
		if (is_target(w->target, s->devices[d].name))
			return true;
	return false;
}

/* All ports must have the state. Returns STATUS_TIMEOUT if they do not yet. */
static int wait_look(struct state_wait *w)
{
	struct snapshot s = { .devices = NULL };
	int status = STATUS_ERROR;
	bool there = false;
	size_t i;

	if (take_snapshot(w->h, &s, false, false) < 0)
		return STATUS_ERROR;
	if (!w->looked) {
		there = is_there(w, &s);
		if (!there && w->up && !w->o->quiet)
			complain("%s: no such device now; waiting for it",
				 w->target->text);
	}
	if (select_targets(w->h, &s, w->target, 1, w->looked || !there) < 0)
		goto out;
	w->looked = true;
	/* No port at all is down, as it was removed. */
	status = s.ports_count || !w->up ? STATUS_OK : STATUS_TIMEOUT;
	for (i = 0; i < s.ports_count; i++)
		if (!has_state(&s.ports[i], w->up))
			status = STATUS_TIMEOUT;
	if (status == STATUS_OK && !w->o->quiet)
		status = print_ports(w, &s);
out:
	free_snapshot(&s);
	return status;
}

/* Take what there is to read, or it would be readable for ever. */
static int wait_drain(const struct state_wait *w)
{
	struct rdmaev_record records[BATCH];
	ssize_t n;

	do
		n = rdmaev_read(w->h, records, BATCH);
	while (n > 0 || (n < 0 && errno == EINTR));
	if (!n || errno == EAGAIN)
		return 0;
	complain("cannot read: %s", reader_error());
	return -1;
}

/* Until there is something to read, but not for long. False: a signal arrived. */
static bool pause_here(const struct state_wait *w)
{
	int64_t deadline = monotonic() + LOOK_AGAIN_NS;
	struct pollfd p[2] = {
		{ .fd = rdmaev_fd(w->h), .events = POLLIN },
		{ .fd = w->signals, .events = POLLIN },
	};
	struct timespec ts;

	if (w->deadline >= 0 && w->deadline < deadline)
		deadline = w->deadline;
	ppoll(p, ARRAY_SIZE(p), time_until(deadline, &ts), NULL);
	return !p[1].revents;
}

static int wait_run(struct state_wait *w)
{
	bool late = false;
	int status;

	for (;;) {
		if (wait_drain(w) < 0)
			return STATUS_ERROR;
		status = wait_look(w);
		if (status != STATUS_TIMEOUT || late)
			return status;
		if (!pause_here(w))
			return STATUS_ERROR;
		late = w->deadline >= 0 && monotonic() >= w->deadline;
	}
}

static int wait_prepare(struct state_wait *w)
{
	const unsigned int flags = TARGETS_LOG | TARGETS_ANY_PORT | TARGETS_MATCH;
	struct rdmaev_filter f;

	/*
	 * It has existed at some time; what wait_look() finds now is another matter. Only
	 * those that a pattern will match can be up later without that.
	 */
	if ((!w->up || !w->target->is_prefix) &&
	    check_targets(w->h, w->o, flags, w->target, 1) < 0)
		return -1;
	rdmaev_filter_init(&f);
	f.kinds = 1U << RDMAEV_KIND_DEVICE | 1U << RDMAEV_KIND_PORT;
	add_target(&f, w->target);
	if (rdmaev_set_filter(w->h, &f) < 0) {
		complain("cannot set the filter: %s", strerror(errno));
		return -1;
	}
	if (w->o->timeout_ns >= 0)
		w->deadline = monotonic() + w->o->timeout_ns;
	return 0;
}

static bool wait_selects(const struct options *o)
{
	static const struct selection none;

	return memcmp(&o->select, &none, sizeof(none)) ||
	       o->since.type != WHEN_NONE;
}

int wait_state(struct options *o, char **argv)
{
	struct state_wait w = {
		.o = o,
		.up = !strcasecmp(argv[1], "up"),
		.signals = -1,
		.deadline = -1,
	};
	int status = STATUS_ERROR;

	if (wait_selects(o)) {
		complain("%s is a state: --since and options that select events are not for it",
			 argv[1]);
		return STATUS_ERROR;
	}
	w.target = parse_targets(1, argv);
	if (!w.target)
		goto out;
	w.h = open_node(o, RDMAEV_NONBLOCK);
	if (!w.h)
		goto out;
	w.signals = catch_signals();
	if (w.signals >= 0 && !wait_prepare(&w))
		status = wait_run(&w);
out:
	status = output_finish(status);
	release_signals(w.signals);
	close_node(w.h);
	free(w.target);
	return status;
}
