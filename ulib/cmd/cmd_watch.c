// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev watch, log and wait: print matching events, from now or from a
 * position in the log. The three differ in where they start and end.
 *
 * The kernel filters all records, devices by their name at the time: an index
 * does not identify a device that is added later or again.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "snapshot.h"

#define BATCH	64

/**
 * struct watch - a run of watch, log or wait
 * @o: command line
 * @waits: wait: ends at the first match, prints losses on standard error
 * @h: reader
 * @signals: signalfd of the signals that end it
 * @style: of lines
 * @targets: selected devices, @targets_count of them
 * @deadline: CLOCK_MONOTONIC when to end, -1: never
 * @last: newest seq to print; 0: not known yet
 * @ending: @last is known: end after the records up to it
 * @printed: events printed
 * @from_first: log from the beginning: records lost from the first one on were
 *	overwritten before
 */
struct watch {
	const struct options *o;
	bool waits;
	struct rdmaev *h;
	int signals;
	unsigned int style;
	struct target *targets;
	size_t targets_count;
	int64_t deadline;
	uint64_t last;
	bool ending;
	uint64_t printed;
	bool from_first;
};

/* The kernel's filter has a single bit for codes from 63 on: check again. */
static bool matches_event(const struct watch *w, const struct rdmaev_record *r)
{
	size_t i;

	for (i = 0; i < w->o->events_count; i++)
		if (w->o->events[i].kind == r->kind &&
		    w->o->events[i].code == r->code)
			return true;
	return !w->o->events_count;
}

static void add_code(struct rdmaev_filter *f, unsigned int kind,
		     unsigned int code)
{
	struct rdmaev_filter_codes *c = f->kind_code;

	while (c < &f->kind_code[f->kind_codes] && c->kind != kind)
		c++;
	/* There are fewer kinds; matches_event() checks the records, too. */
	if (c == &f->kind_code[RDMAEV_FILTER_CODES])
		return;
	if (c == &f->kind_code[f->kind_codes])
		f->kind_codes++;
	c->kind = kind;
	c->codes |= 1ULL << (code < RDMAEV_CODE_OTHER ? code : RDMAEV_CODE_OTHER);
}

static void add_target(struct rdmaev_filter *f, const struct target *target)
{
	struct rdmaev_target *t = &f->target[f->targets++];

	memcpy(t->device, target->name, target->name_len);
	if (target->is_prefix)
		t->device[target->name_len] = '*';
	t->port = target->port;
}

static int set_filter(const struct watch *w)
{
	struct rdmaev_filter f;
	size_t i;

	if (w->targets_count > RDMAEV_TARGETS) {
		complain("more than %d devices; use a * at the end of a name to match several",
			 RDMAEV_TARGETS);
		return -1;
	}
	rdmaev_filter_init(&f);
	for (i = 0; i < w->targets_count; i++)
		add_target(&f, &w->targets[i]);
	if (w->o->severity)
		f.severities = 1U << w->o->severity;
	for (i = 0; i < w->o->events_count; i++) {
		const struct event_id *id = &w->o->events[i];

		f.kinds |= 1U << id->kind;
		add_code(&f, id->kind, id->code);
	}
	if (rdmaev_set_filter(w->h, &f) < 0) {
		complain("cannot set the filter: %s", strerror(errno));
		return -1;
	}
	return 0;
}

static int go_to_start(const struct watch *w)
{
	struct rdmaev_info info;

	int64_t since = w->o->since;

	/*
	 * Start at 1, not at the oldest record, to get the number of
	 * overwritten ones.
	 */
	if (w->from_first)
		since = 1;
	if (since < 0 || rdmaev_seek(w->h, since, SEEK_SET) >= 0)
		return 0;
	if (errno == ENXIO && !rdmaev_info(w->h, &info))
		complain("--since %lld: the log ends at #%llu, the module was reloaded; try start",
			 (long long)w->o->since, (unsigned long long)info.newest_seq);
	else
		complain("--since %lld: %s", (long long)w->o->since, strerror(errno));
	return -1;
}

/* Print the records in the log up to now, then end. */
static int end_here(struct watch *w)
{
	struct rdmaev_info info;

	if (rdmaev_info(w->h, &info) < 0) {
		complain("cannot read the log's state: %s", strerror(errno));
		return -1;
	}
	w->last = info.newest_seq;
	w->ending = true;
	return 0;
}

/* Return true if a record in the log has this name. Keeps the read position. */
static bool is_in_log(const struct watch *w, const struct target *target)
{
	int64_t at = rdmaev_seek(w->h, 0, SEEK_CUR);
	const struct target device = {
		.name = target->name,
		.name_len = target->name_len,
	};
	struct rdmaev_record record;
	struct rdmaev_filter f;
	ssize_t n;

	rdmaev_filter_init(&f);
	add_target(&f, &device);
	if (at < 0 || rdmaev_set_filter(w->h, &f) < 0 ||
	    rdmaev_seek(w->h, 0, SEEK_SET) < 0)
		return false;
	do
		n = rdmaev_read(w->h, &record, 1);
	while (n < 0 ? errno == EINTR : record.kind == RDMAEV_KIND_LOST);
	return rdmaev_seek(w->h, at, SEEK_SET) >= 0 && n > 0;
}

static void note_missing(const struct target *target, const struct rdmaev_device *device)
{
	if (!device)
		complain("%s: no such device now; waiting for it", target->text);
	else if (target->port > device->ports)
		complain("%s: the device has %u port%s now; waiting anyway",
			 target->text, device->ports, device->ports == 1 ? "" : "s");
}

/*
 * A removed device can be added again, and its records are in the log; a
 * misspelt name never matches. Only wait accepts a device that never existed.
 * Names with a `*` are not checked. Continue if the list is not available.
 */
static int check_targets(const struct watch *w)
{
	struct rdmaev_device *list = NULL;
	bool log = w->ending;
	ssize_t n = 0, i;
	int ret = 0;
	uint64_t seq;
	size_t t;

	if (w->targets_count)
		n = list_devices(w->h, true, &list, &seq);
	for (t = 0; n >= 0 && !ret && t < w->targets_count; t++) {
		const struct target *target = &w->targets[t];
		const struct rdmaev_device *device = NULL;
		bool is_known = false;

		if (target->is_prefix)
			continue;
		for (i = 0; i < n; i++) {
			if (!is_target(target, list[i].name))
				continue;
			is_known = true;
			if (!(list[i].flags & RDMAEV_DEVICE_FLAG_REMOVED))
				device = &list[i];
		}
		if (!is_known && !w->waits && !is_in_log(w, target)) {
			complain("%s: no such device, now or before (rdmaev devices --removed lists them)",
				 target->text);
			ret = -1;
		} else if (!log && !w->o->quiet) {
			note_missing(target, device);
		}
	}
	free(list);
	return ret;
}

/* Return true if the node exists and is to be used. */
static bool has_node(const struct options *o)
{
	return !o->netlink && (o->node || !access(RDMAEV_NODE, F_OK));
}

static const char *notify_error(const struct options *o)
{
	switch (errno) {
	case ENODEV:
		return "no such device (rdmaev devices lists them)";
	case ENOENT:
		return "no such CQ that you may see (rdmaev cqs lists them)";
	case EBUSY:
		return "its notifications are recorded for another reader already";
	case EOPNOTSUPP:
		return has_node(o) ? "its notifications are the RDMA core's (attached)" :
				     "only the node can do that, not generic netlink";
	default:
		return strerror(errno);
	}
}

/* Recording ends when the handle is closed. */
static int ask_notify(const struct watch *w)
{
	struct rdmaev_device *list = NULL;
	ssize_t n = 0, d;
	uint64_t seq;
	size_t i;

	if (w->o->notifies_count)
		n = list_devices(w->h, false, &list, &seq);
	for (i = 0; n >= 0 && i < w->o->notifies_count; i++) {
		const struct notify *notify = &w->o->notifies[i];
		const struct target device = {
			.name = notify->text,
			.name_len = notify->name_len,
		};

		for (d = 0; d < n; d++)
			if (is_target(&device, list[d].name))
				break;
		errno = ENODEV;
		if (d < n && !rdmaev_notify(w->h, list[d].index, notify->cq,
					    notify->every, notify->delay_us))
			continue;
		complain("--notify %s: %s", notify->text, notify_error(w->o));
		n = -1;
	}
	free(list);
	return n < 0 ? -1 : 0;
}

static enum output print(struct watch *w, const struct rdmaev_record *r)
{
	char line[4096];

	rdmaev_format(r, w->style, line, sizeof(line));
	return output_line(line);
}

static void note_overwritten(const struct rdmaev_record *r)
{
	unsigned long long n = r->body.lost.count;

	complain("%llu older record%s overwritten, the newest of them #%llu", n,
		 n == 1 ? " was" : "s were", (unsigned long long)r->body.lost.last);
}

/* Result of show(): continue, end with success, or end with an error. */
enum show {
	SHOW_MORE,
	SHOW_END,
	SHOW_ERROR,
};

static enum show show_one(struct watch *w, const struct rdmaev_record *r)
{
	enum output result = OUTPUT_DONE;

	if (w->ending && r->seq > w->last)
		return SHOW_END;
	/*
	 * Losses of other rings since the first record can follow other
	 * records.
	 */
	if (r->kind == RDMAEV_KIND_LOST && w->from_first && r->body.lost.first == 1) {
		if (!w->o->quiet)
			note_overwritten(r);
	} else if (r->kind == RDMAEV_KIND_LOST) {
		if (!w->waits)
			result = print(w, r);
		else if (!w->o->quiet)
			complain("%llu record%s lost (#%llu to #%llu); the event may be among them",
				 (unsigned long long)r->body.lost.count,
				 r->body.lost.count == 1 ? "" : "s",
				 (unsigned long long)r->body.lost.first,
				 (unsigned long long)r->body.lost.last);
	} else if (matches_event(w, r)) {
		if (!w->waits || !w->o->quiet)
			result = print(w, r);
		w->printed++;
	}
	if (result != OUTPUT_DONE)
		return result == OUTPUT_STOP ? SHOW_END : SHOW_ERROR;
	return w->o->limit && w->printed >= w->o->limit ? SHOW_END : SHOW_MORE;
}

/* Print the records of one read. */
static enum show show(struct watch *w)
{
	struct rdmaev_record events[BATCH];
	enum show result = SHOW_MORE;
	ssize_t n, i;

	n = rdmaev_read(w->h, events, BATCH);
	if (n < 0 && errno == EAGAIN)
		return w->ending ? SHOW_END : SHOW_MORE;
	if (n < 0 && errno == EINTR)
		return SHOW_MORE;
	if (n < 0) {
		complain("cannot read: %s", reader_error());
		return SHOW_ERROR;
	}
	for (i = 0; i < n && result == SHOW_MORE; i++)
		result = show_one(w, &events[i]);

	if (result != SHOW_ERROR) {
		switch (output_flush()) {
		case OUTPUT_DONE:
			break;
		case OUTPUT_STOP:
			return SHOW_END;
		case OUTPUT_FAILED:
			return SHOW_ERROR;
		}
	}
	return result;
}

static const struct timespec *remaining(const struct watch *w, struct timespec *ts)
{
	if (!w->ending && w->deadline < 0)
		return NULL;
	return time_until(w->ending ? 0 : w->deadline, ts);
}

static int run_loop(struct watch *w)
{
	for (;;) {
		/*
		 * poll() reports POLLERR for a pipe without a reader. For wait,
		 * only the exit status matters.
		 */
		struct pollfd p[3] = {
			{ .fd = rdmaev_fd(w->h), .events = POLLIN },
			{ .fd = w->signals, .events = POLLIN },
			{ .fd = w->waits ? -1 : STDOUT_FILENO },
		};
		struct timespec ts;
		int n;

		n = ppoll(p, 3, remaining(w, &ts), NULL);
		if (n < 0 && errno != EINTR) {
			complain("cannot wait: %s", strerror(errno));
			return STATUS_ERROR;
		}
		if (n < 0)
			continue;
		if (p[1].revents)
			return w->waits ? STATUS_ERROR : STATUS_OK;
		if (p[2].revents & (POLLERR | POLLHUP))
			return STATUS_OK;
		if (!w->ending && w->deadline >= 0 && monotonic() >= w->deadline &&
		    end_here(w) < 0)
			return STATUS_ERROR;
		if (!p[0].revents && !w->ending)
			continue;
		if (p[0].revents & (POLLERR | POLLHUP | POLLNVAL) &&
		    !(p[0].revents & POLLIN)) {
			complain("the node failed; open it again");
			return STATUS_ERROR;
		}
		switch (show(w)) {
		case SHOW_MORE:
			break;
		case SHOW_END:
			return w->waits && !w->printed ? STATUS_TIMEOUT : STATUS_OK;
		case SHOW_ERROR:
			return STATUS_ERROR;
		}
	}
}

static unsigned int choose_style(const struct options *o)
{
	if (o->json)
		return RDMAEV_STYLE_JSON;
	return time_style(o) | (output_color() ? RDMAEV_STYLE_COLOR : 0);
}

static int run(struct watch *w, int argc, char **argv)
{
	bool log = w->ending;
	int status = STATUS_ERROR;

	w->style = choose_style(w->o);
	w->deadline = -1;
	w->signals = -1;
	w->targets = parse_targets(argc, argv);
	if (!w->targets)
		goto out;
	w->targets_count = (size_t)argc;
	w->h = open_node(w->o, RDMAEV_NONBLOCK);
	if (!w->h)
		goto out;
	w->signals = catch_signals();
	if (w->signals < 0 || check_targets(w) < 0 || set_filter(w) < 0 ||
	    go_to_start(w) < 0)
		goto out;
	if (ask_notify(w) < 0 || (log && end_here(w) < 0))
		goto out;
	if (w->o->timeout_ns >= 0)
		w->deadline = monotonic() + w->o->timeout_ns;
	status = run_loop(w);
out:
	status = output_finish(status);
	release_signals(w->signals);
	close_node(w->h);
	free(w->targets);
	return status;
}

int run_watch(struct options *o, int argc, char **argv)
{
	struct watch w = { .o = o };

	return run(&w, argc, argv);
}

int run_log(struct options *o, int argc, char **argv)
{
	struct watch w = { .o = o, .ending = true };

	if (o->since < 0)
		o->since = 0;
	w.from_first = !o->since;
	return run(&w, argc, argv);
}

int run_wait(struct options *o, int argc, char **argv)
{
	struct watch w = { .o = o, .waits = true };

	if (argc != 2) {
		complain("wait needs a device and an event: rdmaev wait rxe0/1 PORT_ACTIVE");
		return STATUS_ERROR;
	}
	if (parse_events(o, argv[1]) < 0)
		return STATUS_ERROR;
	if (!o->events_count) {
		complain_event(argv[1]);
		return STATUS_ERROR;
	}
	o->limit = 1;
	return run(&w, 1, argv);
}
