// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Where watch, log and wait begin, and where log ends.
 *
 * The kernel filters all records, devices by their name at the time: an index
 * does not identify a device that is added later or again. Only if a device was
 * renamed, the command does that.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/complain.h"
#include "line/cursor.h"
#include "option/select.h"
#include "state/targets.h"
#include "watch/start.h"

/* Records of the past are wanted, when a device may have had another name. */
static bool begins_in_past(const struct watch *w)
{
	return w->is_log || w->o->since.type != WHEN_NONE || w->o->cursor_file;
}

static int set_filter(struct watch *w)
{
	struct rdmaev_filter f;
	size_t i;

	if (w->targets_count > RDMAEV_TARGETS) {
		complain("more than %d devices; use a * at the end of a name to match several",
			 RDMAEV_TARGETS);
		return -1;
	}
	if (begins_in_past(w) &&
	    find_renamed(w->h, &w->renamed, w->targets, w->targets_count) < 0)
		return -1;
	rdmaev_filter_init(&f);
	for (i = 0; i < w->targets_count && !w->renamed.count; i++)
		add_target(&f, &w->targets[i]);
	if (fill_filter(&f, &w->o->select) < 0) {
		complain("the options exclude every event: check -e, --kind and --severity");
		return -1;
	}
	if (rdmaev_set_filter(w->h, &f) < 0) {
		complain("cannot set the filter: %s", strerror(errno));
		return -1;
	}
	return 0;
}

/*
 * Start at 1, not at the oldest record, to get the number of overwritten ones.
 */
static int go_to_first(struct watch *w)
{
	w->from_first = true;
	if (rdmaev_seek(w->h, 1, SEEK_SET) >= 0)
		return 0;
	complain("cannot go to the beginning of the log: %s", strerror(errno));
	return -1;
}

/* @remedy: what to do if the log ends before @seq */
static int go_to(const struct watch *w, const char *option, const char *text,
		 uint64_t seq, const char *remedy)
{
	struct rdmaev_info info;

	if (rdmaev_seek(w->h, (int64_t)seq, SEEK_SET) >= 0)
		return 0;
	if (errno == ENXIO && !rdmaev_info(w->h, &info))
		complain("%s %s: the log ends at #%llu; %s", option, text,
			 (unsigned long long)info.newest_seq, remedy);
	else
		complain("%s %s: %s", option, text, strerror(errno));
	return -1;
}

static int go_to_cursor(struct watch *w, const char *option, const char *text,
			uint64_t instance, uint64_t seq, const char *remedy)
{
	if (instance == w->instance)
		return go_to(w, option, text, seq, remedy);
	if (!w->o->quiet)
		complain("%s %s: is of an earlier log: the module was reloaded, or the host rebooted; beginning with the first record of the new log",
			 option, text);
	return go_to_first(w);
}

static bool is_to_come(const struct when *when)
{
	return when->ns > (when->type == WHEN_REALTIME ? realtime() : boottime());
}

static int go_to_since(struct watch *w)
{
	const struct when *since = &w->since;

	switch (since->type) {
	case WHEN_NONE:
		return w->is_log ? go_to_first(w) : 0;
	case WHEN_START:
		if (w->is_log)
			return go_to_first(w);
		return go_to(w, "--since", since->text, 0, "");
	case WHEN_SEQ:
		if (w->is_log && !since->seq)
			return go_to_first(w);
		return go_to(w, "--since", since->text, since->seq,
			     "if the number is of an earlier log, try start");
	case WHEN_CURSOR:
		return go_to_cursor(w, "--since", since->text, since->instance,
				    since->seq, "try start");
	case WHEN_REALTIME:
	case WHEN_BOOTTIME:
		if (is_to_come(since) && !w->o->quiet)
			complain("--since %s: is in the future", since->text);
		break;
	}
	return go_to_first(w);
}

/* The cursor file, if there is one yet, else --since */
static int go_to_start(struct watch *w)
{
	const char *file = w->o->cursor_file;
	uint64_t instance, seq;
	int64_t next;
	int ret = 0;

	if (file)
		ret = read_cursor_file(file, &instance, &seq);
	if (!ret) {
		w->since = w->o->since;
		ret = go_to_since(w);
	} else if (ret > 0) {
		ret = go_to_cursor(w, "--cursor-file", file, instance, seq,
				   "name another file, or remove it");
	}
	if (ret < 0)
		return -1;
	next = rdmaev_seek(w->h, 0, SEEK_CUR);
	w->next = next > 0 ? (uint64_t)next : 1;
	w->seen = w->next;
	return 0;
}

static int get_info(const struct watch *w, struct rdmaev_info *info)
{
	if (!rdmaev_info(w->h, info))
		return 0;
	complain("cannot read the log's state: %s", strerror(errno));
	return -1;
}

int watch_start(struct watch *w)
{
	struct rdmaev_info info;

	if (set_filter(w) < 0 || get_info(w, &info) < 0)
		return -1;
	w->instance = info.instance;
	return go_to_start(w);
}

int watch_end_here(struct watch *w)
{
	struct rdmaev_info info;

	if (get_info(w, &info) < 0)
		return -1;
	w->last = info.newest_seq;
	w->ending = true;
	return 0;
}

int watch_end_log(struct watch *w)
{
	const struct when *until = &w->o->until;

	if (watch_end_here(w) < 0)
		return -1;
	if (until->type == WHEN_CURSOR && until->instance != w->instance) {
		complain("--until %s: is of an earlier log: the module was reloaded, or the host rebooted",
			 until->text);
		return -1;
	}
	if (until->type == WHEN_START)
		w->last = 0;
	else if ((until->type == WHEN_SEQ || until->type == WHEN_CURSOR) &&
		 until->seq < w->last)
		w->last = until->seq;
	return 0;
}
