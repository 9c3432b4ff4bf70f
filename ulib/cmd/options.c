// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The command line. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

int parse_events(struct options *o, const char *list)
{
	char *copy = strdup(list), *rest = copy, *name;
	int ret = copy ? 0 : -1;

	while (!ret && (name = strsep(&rest, ","))) {
		struct event_id id;

		if (!*name)
			continue;
		if (rdmaev_event_parse(name, &id.kind, &id.code) < 0) {
			complain_event(name);
			ret = -1;
		} else if (o->events_count == EVENTS_MAX) {
			complain("more than %d events; leave -e away to have all",
				 EVENTS_MAX);
			ret = -1;
		} else {
			o->events[o->events_count++] = id;
		}
	}
	free(copy);
	return ret;
}

static int parse_number(const char *text, uint64_t max, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return errno || *end || *number > max ? -1 : 0;
}

/* More often than that is of no use to anybody. */
#define WATCH_MIN_NS	100000000

static int parse_seconds(const char *text, int64_t *ns)
{
	double seconds;
	char *end;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return -1;
	seconds = strtod(text, &end);
	if (end == text || *end || !isfinite(seconds) || seconds > 9e9)
		return -1;
	*ns = (int64_t)(seconds * 1e9);
	return 0;
}

static int parse_since(const char *text, int64_t *since)
{
	uint64_t number;

	if (!strcmp(text, "start")) {
		*since = 0;
		return 0;
	}
	if (parse_number(text, INT64_MAX, &number) < 0)
		return -1;
	*since = (int64_t)number;
	return 0;
}

static int parse_severity(const char *text, unsigned int *severity)
{
	if (!strcmp(text, "error"))
		*severity = RDMAEV_SEVERITY_ERROR;
	else if (!strcmp(text, "warning"))
		*severity = RDMAEV_SEVERITY_WARNING;
	else if (!strcmp(text, "info"))
		*severity = RDMAEV_SEVERITY_INFO;
	else
		return -1;
	return 0;
}

/*
 * DEV:CQ[:EVERY[:USEC]]. A name may have colons, too: the last three numbers are
 * none of it.
 */
static int parse_notify(const char *text, struct notify *notify)
{
	char *copy = strdup(text), *colon;
	uint64_t numbers[3];
	size_t n = 0;

	if (!copy)
		return -1;
	while (n < ARRAY_SIZE(numbers) && (colon = strrchr(copy, ':')) &&
	       !parse_number(colon + 1, UINT32_MAX, &numbers[n])) {
		*colon = '\0';
		n++;
	}
	notify->text = text;
	notify->name_len = strlen(copy);
	free(copy);
	if (!n || !notify->name_len)
		return -1;
	notify->cq = (uint32_t)numbers[n - 1];
	notify->every = n > 1 ? (uint32_t)numbers[n - 2] : 1000;
	notify->delay_us = n > 2 ? (uint32_t)numbers[n - 3] : 100000;
	return notify->every && notify->delay_us <= RDMAEV_DELAY_MAX_US ? 0 : -1;
}

static int add_notify(struct options *o, const char *text)
{
	if (o->notifies_count == NOTIFIES_MAX) {
		complain("more than %d times --notify", NOTIFIES_MAX);
		return -1;
	}
	if (!parse_notify(text, &o->notifies[o->notifies_count])) {
		o->notifies_count++;
		return 0;
	}
	complain("--notify %s: must be DEV:CQ[:EVERY[:USEC]], EVERY 1 or more, USEC up to %u",
		 text, RDMAEV_DELAY_MAX_US);
	return -1;
}

static int parse_target(struct target *target, const char *text)
{
	const char *slash = strrchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	uint64_t port = 0;
	bool is_good;

	is_good = len && len < RDMAEV_DEVICE_NAME_SIZE &&
		  !memchr(text, '*', len - 1) &&
		  (!slash || (!parse_number(slash + 1, UINT32_MAX, &port) && port));
	if (!is_good) {
		complain("%s: must be DEVICE or DEVICE/PORT, such as rxe0 or rxe0/1; DEVICE has up to %d characters, and * at its end only",
			 text, RDMAEV_DEVICE_NAME_SIZE - 1);
		return -1;
	}
	target->text = text;
	target->name = text;
	target->is_prefix = text[len - 1] == '*';
	target->name_len = target->is_prefix ? len - 1 : len;
	target->port = (uint32_t)port;
	return 0;
}

struct target *parse_targets(int argc, char **argv)
{
	struct target *targets = calloc((size_t)argc + 1, sizeof(*targets));
	int i;

	if (!targets)
		complain("out of memory");
	for (i = 0; targets && i < argc; i++) {
		if (parse_target(&targets[i], argv[i]) < 0) {
			free(targets);
			return NULL;
		}
	}
	return targets;
}

bool is_target(const struct target *target, const char *name)
{
	return !strncmp(name, target->name, target->name_len) &&
	       (target->is_prefix || !name[target->name_len]);
}

/* Letters stand for themselves; capitals for options that have none. */
static const struct option table[] = {
	{ "event",   required_argument, NULL, 'e' },
	{ "count",   required_argument, NULL, 'n' },
	{ "timeout", required_argument, NULL, 't' },
	{ "severity",   required_argument, NULL, 'C' },
	{ "since",   required_argument, NULL, 'S' },
	{ "notify",  required_argument, NULL, 'A' },
	{ "watch",   required_argument, NULL, 'W' },
	{ "node",    required_argument, NULL, 'N' },
	{ "netlink", no_argument, NULL, 'L' },
	{ "gone",    no_argument, NULL, 'G' },
	{ "json",    no_argument, NULL, 'j' },
	{ "quiet",   no_argument, NULL, 'q' },
	{ "utc",     no_argument, NULL, 'U' },
	{ "mono",    no_argument, NULL, 'M' },
	{ "fault",   no_argument, NULL, 'F' },
	{ "help",    no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

#define COMMON "NLjqUMhV"

static const char *option_name(int letter, char *buf)
{
	const struct option *option;

	for (option = table; option->name; option++)
		if (option->val == letter && isupper(letter))
			return option->name;
	buf[0] = (char)letter;
	buf[1] = '\0';
	return buf;
}

static int bad_value(int letter, const char *wanted)
{
	char buf[2];
	const char *name = option_name(letter, buf);

	complain("%s%s %s: must be %s", name[1] ? "--" : "-", name, optarg, wanted);
	return -1;
}

static int apply(struct options *o, int letter)
{
	switch (letter) {
	case 'e':
		return parse_events(o, optarg);
	case 'n':
		if (parse_number(optarg, UINT64_MAX, &o->limit) < 0 || !o->limit)
			return bad_value(letter, "a number, 1 or more");
		return 0;
	case 't':
		if (parse_seconds(optarg, &o->timeout_ns) < 0)
			return bad_value(letter, "a number of seconds, such as 2 or 0.5");
		return 0;
	case 'C':
		if (parse_severity(optarg, &o->severity) < 0)
			return bad_value(letter, "error, warning or info");
		return 0;
	case 'S':
		if (parse_since(optarg, &o->since) < 0)
			return bad_value(letter, "a sequence number or start");
		return 0;
	case 'A':
		return add_notify(o, optarg);
	case 'W':
		if (parse_seconds(optarg, &o->watch_ns) < 0 || o->watch_ns < WATCH_MIN_NS)
			return bad_value(letter, "a number of seconds, 0.1 or more");
		return 0;
	case 'N':
		o->node = optarg;
		return 0;
	case 'L':
		o->netlink = true;
		return 0;
	case 'G':
		o->gone = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'U':
		o->utc = true;
		return 0;
	case 'M':
		o->mono = true;
		return 0;
	case 'F':
		o->fault = true;
		return 0;
	case 'h':
		return OPTIONS_HELP;
	default:
		return OPTIONS_VERSION;
	}
}

/* What getopt_long(3) did not like, in our own words. */
static void complain_option(char **argv, const char *help)
{
	char buf[2];
	const char *name;

	/* It tells the letter, but not of a long option that does not exist. */
	if (optopt) {
		name = option_name(optopt, buf);
		complain("%s%s: no such option, or its value is missing or too much (%s -h)",
			 name[1] ? "--" : "-", name, help);
	} else {
		complain("%s: no such option (%s -h)", argv[optind - 1], help);
	}
}

int parse_options(struct options *o, int argc, char **argv,
		  const struct command *command)
{
	char help[32] = "rdmaev";
	int letter, ret;
	char buf[2];

	if (command)
		snprintf(help, sizeof(help), "rdmaev %s", command->name);
	opterr = 0;
	optind = 0;
	for (;;) {
		/* Before the command's name, what follows it is not ours. */
		letter = getopt_long(argc, argv,
				     command ? "e:n:t:jqhV" : "+e:n:t:jqhV",
				     table, NULL);
		if (letter < 0)
			return optind;
		if (letter == '?') {
			complain_option(argv, help);
			return -1;
		}
		if (!strchr(COMMON, letter) &&
		    !(command && strchr(command->letters, letter))) {
			const char *name = option_name(letter, buf);

			complain("%s%s: not an option of %s (%s -h)",
				 name[1] ? "--" : "-", name, help, help);
			return -1;
		}
		ret = apply(o, letter);
		if (ret)
			return ret;
	}
}
