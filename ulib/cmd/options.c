// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The command line. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
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
			complain("more than %d events; omit -e to select all",
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

/* Shorter intervals are of no use. */
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

static int set_count(struct options *o, const char *value)
{
	return parse_number(value, UINT64_MAX, &o->limit) < 0 || !o->limit ? -1 : 0;
}

static int set_timeout(struct options *o, const char *value)
{
	return parse_seconds(value, &o->timeout_ns);
}

static int set_watch(struct options *o, const char *value)
{
	if (parse_seconds(value, &o->watch_ns) < 0)
		return -1;
	return o->watch_ns < WATCH_MIN_NS ? -1 : 0;
}

static int set_since(struct options *o, const char *value)
{
	uint64_t number;

	if (!strcmp(value, "start")) {
		o->since = 0;
		return 0;
	}
	if (parse_number(value, INT64_MAX, &number) < 0)
		return -1;
	o->since = (int64_t)number;
	return 0;
}

static int set_severity(struct options *o, const char *value)
{
	if (!strcmp(value, "error"))
		o->severity = RDMAEV_SEVERITY_ERROR;
	else if (!strcmp(value, "warning"))
		o->severity = RDMAEV_SEVERITY_WARNING;
	else if (!strcmp(value, "info"))
		o->severity = RDMAEV_SEVERITY_INFO;
	else
		return -1;
	return 0;
}

static int set_format(struct options *o, const char *value)
{
	if (!strcmp(value, "nagios"))
		o->format = CHECK_NAGIOS;
	else if (!strcmp(value, "npd"))
		o->format = CHECK_NPD;
	else
		return -1;
	return 0;
}

static int set_node(struct options *o, const char *value)
{
	o->node = value;
	return 0;
}

/*
 * DEV:CQ[:EVERY[:USEC]]. A name can contain colons, so up to three numbers are
 * split off from the end.
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
		complain("--notify given more than %d times", NOTIFIES_MAX);
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
		complain("%s: must be DEVICE or DEVICE/PORT, such as rxe0 or rxe0/1; DEVICE has up to %d characters, with * only at the end",
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

#define USES_MAX	3
#define HELP_COLUMN	25

/**
 * struct option_use - commands that take an option
 * @commands: names separated by blanks; NULL: all, and the option can also
 *	precede the command
 * @help: description; lines but the last end with a newline
 */
struct option_use {
	const char *commands;
	const char *help;
};

/**
 * struct option_spec - an option
 * @letter: its letter, or 0
 * @name: its long name
 * @argument: name of its value, or NULL if it has none
 * @wanted: valid values, for the message when @set returns -1; NULL: @set
 *	prints the message
 * @set: stores the value; 0 or -1. NULL: the option is a flag
 * @flag: offset of the flag, a bool, in struct options
 * @result: return value of parse_options() for it, or 0
 * @uses: commands that take it, each once
 */
struct option_spec {
	char letter;
	const char *name;
	const char *argument;
	const char *wanted;
	int (*set)(struct options *o, const char *value);
	size_t flag;
	int result;
	struct option_use uses[USES_MAX];
};

#define FLAG(member)	.flag = offsetof(struct options, member)

/* All options, in the order in which help lists them. */
static const struct option_spec specs[] = {
	{
		.letter = 'e', .name = "event", .argument = "EVENT,...",
		.set = parse_events,
		.uses = {
			{ "watch log", "only these events; can be repeated" },
		},
	}, {
		.name = "severity", .argument = "SEVERITY",
		.set = set_severity, .wanted = "error, warning or info",
		.uses = {
			{ "watch log wait", "   only error, warning or info" },
		},
	}, {
		.name = "since", .argument = "SEQ|start",
		.set = set_since, .wanted = "a sequence number or start",
		.uses = {
			{ "watch", "begin with this record, or with the oldest one" },
			{ "log", "begin with this record" },
			{ "wait", "begin with this record: accept past events, too" },
		},
	}, {
		.name = "format", .argument = "FORMAT",
		.set = set_format, .wanted = "nagios or npd",
		.uses = {
			{ "status",
			  "one line and the exit status of a plug-in of nagios or\n"
			  "npd (node-problem-detector)" },
		},
	}, {
		.name = "removed",
		FLAG(removed),
		.uses = {
			{ "devices", "include recently removed devices" },
			{ "stats", "include recently removed devices" },
		},
	}, {
		.name = "watch", .argument = "SEC",
		.set = set_watch, .wanted = "a number of seconds, 0.1 or more",
		.uses = {
			{ "status stats cqs", "repeat every SEC seconds, until Ctrl-C" },
		},
	}, {
		.letter = 'n', .name = "count", .argument = "N",
		.set = set_count, .wanted = "a number, 1 or more",
		.uses = {
			{ "watch log", "exit after N events" },
			{ "status stats cqs", "exit after printing N times" },
		},
	}, {
		.letter = 't', .name = "timeout", .argument = "SEC",
		.set = set_timeout, .wanted = "a number of seconds, such as 2 or 0.5",
		.uses = {
			{ "watch", "exit after SEC seconds" },
			{ "wait", "give up after SEC seconds" },
		},
	}, {
		.name = "notify", .argument = "DEV:CQ[:EVERY[:USEC]]",
		.set = add_notify,
		.uses = {
			{ "watch",
			  "\nrecord the completion notifications of this CQ: one\n"
			  "record per EVERY (1000) notifications, or USEC (100000)\n"
			  "after the first; can be repeated" },
		},
	}, {
		.name = "fault",
		FLAG(fault),
		.uses = {
			{ "explain",
			  "explain what both ends of a connection see of a fault,\n"
			  "such as write-rkey, or of all whose names contain this\n" },
		},
	}, {
		.letter = 'j', .name = "json",
		FLAG(json),
		.uses = { { NULL, "one JSON object per line" } },
	}, {
		.letter = 'q', .name = "quiet",
		FLAG(quiet),
		.uses = { { NULL, "no notes on standard error; wait prints nothing" } },
	}, {
		.name = "utc",
		FLAG(utc),
		.uses = { { NULL, "time in UTC" } },
	}, {
		.name = "mono",
		FLAG(mono),
		.uses = { { NULL, "seconds since boot instead of the time" } },
	}, {
		.name = "node", .argument = "PATH",
		.set = set_node,
		.uses = { { NULL, "node to read, instead of " RDMAEV_NODE } },
	}, {
		.name = "netlink",
		FLAG(netlink),
		.uses = { { NULL, "read by generic netlink, instead of the node" } },
	}, {
		.letter = 'V', .name = "version",
		.result = OPTIONS_VERSION,
		.uses = { { NULL, "print the version" } },
	}, {
		.letter = 'h', .name = "help",
		.result = OPTIONS_HELP,
		.uses = { { NULL, "print this text, or the help of a command" } },
	},
};

/* True if @name is one of the words in @list. */
static bool is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);
	const char *word;

	for (word = list; (word = strstr(word, name)); word += len)
		if ((word == list || word[-1] == ' ') &&
		    (!word[len] || word[len] == ' '))
			return true;
	return false;
}

/* Use of the option by @command (NULL before the command); NULL: not taken. */
static const struct option_use *find_use(const struct option_spec *spec,
					 const struct command *command)
{
	const struct option_use *use = spec->uses;

	for (; use < spec->uses + USES_MAX && use->help; use++)
		if (!use->commands ||
		    (command && is_listed(use->commands, command->name)))
			return use;
	return NULL;
}

static void put_option(struct text *t, const struct option_spec *spec,
		       const char *help)
{
	size_t start = t->len, len;

	if (spec->letter)
		text_printf(t, "  -%c, --%s", spec->letter, spec->name);
	else
		text_printf(t, "      --%s", spec->name);
	if (spec->argument)
		text_printf(t, " %s", spec->argument);
	for (;; help += len + 1) {
		len = strcspn(help, "\n");
		if (len) {
			text_pad(t, start, HELP_COLUMN);
			text_printf(t, "%.*s", (int)len, help);
		}
		text_put(t, "\n");
		if (!help[len])
			return;
		start = t->len;
	}
}

void put_options(struct text *t, const struct command *command)
{
	const struct option_use *use;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		use = find_use(&specs[i], command);
		if (use)
			put_option(t, &specs[i], use->help);
	}
}

/*
 * Value of an option in getopt_long(3): its letter, or a number above all
 * letters.
 */
static int value_of(const struct option_spec *spec)
{
	return spec->letter ? spec->letter : UCHAR_MAX + 1 + (int)(spec - specs);
}

static const struct option_spec *find_option(int value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(specs); i++)
		if (value_of(&specs[i]) == value)
			return &specs[i];
	return NULL;
}

/* Arguments of getopt_long(3) for all options */
struct getopt_args {
	char letters[2 * ARRAY_SIZE(specs) + 2];
	struct option options[ARRAY_SIZE(specs) + 1];
};

/* @args: all zero */
static void fill_args(struct getopt_args *args, bool before_command)
{
	char *letter = args->letters;
	size_t i;

	/* Arguments after the command name are parsed later. */
	if (before_command)
		*letter++ = '+';
	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		args->options[i] = (struct option) {
			.name = specs[i].name,
			.has_arg = specs[i].argument ? required_argument : no_argument,
			.val = value_of(&specs[i]),
		};
		if (!specs[i].letter)
			continue;
		*letter++ = specs[i].letter;
		if (specs[i].argument)
			*letter++ = ':';
	}
}

/* Room for the longest name with its dashes */
#define OPTION_NAME_SIZE	16

/* Name in messages of the option with this getopt_long(3) value. */
static const char *option_name(int value, char name[OPTION_NAME_SIZE])
{
	const struct option_spec *spec = find_option(value);

	if (spec && !spec->letter)
		snprintf(name, OPTION_NAME_SIZE, "--%s", spec->name);
	else
		snprintf(name, OPTION_NAME_SIZE, "-%c", value);
	return name;
}

static int apply(struct options *o, const struct option_spec *spec)
{
	char name[OPTION_NAME_SIZE];

	if (spec->result)
		return spec->result;
	if (!spec->set) {
		*(bool *)((char *)o + spec->flag) = true;
		return 0;
	}
	if (!spec->set(o, optarg))
		return 0;
	if (spec->wanted)
		complain("%s %s: must be %s", option_name(value_of(spec), name),
			 optarg, spec->wanted);
	return -1;
}

/* Report an option that getopt_long(3) rejected. */
static void complain_option(char **argv, const char *help)
{
	char name[OPTION_NAME_SIZE];

	/* optopt has the letter, but is 0 for an unknown long option. */
	if (optopt)
		complain("%s: no such option, or its value is missing or unexpected (%s -h)",
			 option_name(optopt, name), help);
	else
		complain("%s: no such option (%s -h)", argv[optind - 1], help);
}

int parse_options(struct options *o, int argc, char **argv,
		  const struct command *command)
{
	char help[32] = "rdmaev", name[OPTION_NAME_SIZE];
	const struct option_spec *spec;
	struct getopt_args args = { 0 };
	int value, ret;

	if (command)
		snprintf(help, sizeof(help), "rdmaev %s", command->name);
	fill_args(&args, !command);
	opterr = 0;
	optind = 0;
	for (;;) {
		value = getopt_long(argc, argv, args.letters, args.options, NULL);
		if (value < 0)
			return optind;
		spec = find_option(value);
		if (!spec) {
			complain_option(argv, help);
			return -1;
		}
		if (!find_use(spec, command)) {
			complain("%s: not an option of %s (%s -h)",
				 option_name(value, name), help, help);
			return -1;
		}
		ret = apply(o, spec);
		if (ret)
			return ret;
	}
}
