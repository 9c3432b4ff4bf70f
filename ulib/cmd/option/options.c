// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The command line. */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/complain.h"
#include "base/suggest.h"
#include "options.h"
#include "selecting.h"

#define USES_MAX	5
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
			{ "watch log report",
			  "only these events, also 'PORT_*'; not those after a !;\n"
			  "can be repeated" },
		},
	}, {
		.name = "kind", .argument = "KIND,...",
		.set = add_kinds,
		.uses = {
			{ "watch log wait report",
			  "only device, port, async, wc, completion, qp, observer, cm,\n"
			  "note, probe" },
		},
	}, {
		.name = "severity", .argument = "SEVERITY,...",
		.set = add_severities,
		.uses = {
			{ "watch log wait report", "\nonly error, warning or info" },
		},
	}, {
		.name = "qp", .argument = "QPN,...",
		.set = add_qps,
		.uses = {
			{ "watch log wait report", "only records about these QPs" },
			{ "why", "only incidents that hit these QPs" },
		},
	}, {
		.name = "pid", .argument = "PID,...",
		.set = add_pids,
		.uses = {
			{ "watch log wait report", "only objects of these processes" },
			{ "why", "only incidents that hit these processes" },
		},
	}, {
		.name = "comm", .argument = "NAME",
		.set = add_comm,
		.uses = {
			{ "watch log wait report",
			  "only objects of processes of this name, or 'NAME*'" },
			{ "why", "only incidents that hit processes of this name" },
		},
	}, {
		.name = "ulp", .argument = "NAME",
		.set = add_ulp,
		.uses = {
			{ "watch log wait report",
			  "only objects of this kernel module, or 'NAME*'" },
			{ "why", "only incidents that hit this kernel module" },
		},
	}, {
		.name = "since", .argument = "WHEN",
		.set = set_since, .wanted = WHEN_EXAMPLES,
		.uses = {
			{ "watch",
			  "begin with past events: '10 min ago', -1h, 01:20,\n"
			  "'2026-11-20 08:00', yesterday, boot, start, '#1041', a cursor" },
			{ "log report",
			  "begin at '10 min ago', -1h, 01:20, '2026-11-20 08:00',\n"
			  "yesterday, boot, '#1041' or a cursor" },
			{ "wait", "accept past events, too; WHEN as of watch" },
			{ "record",
			  "begin there, instead of where FILE ends or the log begins:\n"
			  "now, '10 min ago', boot, '#1041'" },
		},
	}, {
		.name = "until", .argument = "WHEN",
		.set = set_until, .wanted = WHEN_EXAMPLES,
		.uses = {
			{ "log report", "end at this time or record" },
		},
	}, {
		.name = "file", .argument = "FILE",
		.set = set_file, .wanted = "the name of a file",
		.uses = {
			{ "watch",
			  "replay this recording (rdmaev record) in the time it took" },
			{ "log status why report devices stats cqs observer probe",
			  "read this recording (rdmaev record), not the log" },
		},
	}, {
		.name = "pace", .argument = "FACTOR",
		.set = set_pace, .wanted = "a number, such as 60 or 0.5",
		.uses = {
			{ "watch", "replay FACTOR times faster" },
		},
	}, {
		.letter = 'f', .name = "follow",
		FLAG(follow),
		.uses = {
			{ "log", "at the end of the log, wait for more" },
		},
	}, {
		.name = "cursor-file", .argument = "FILE",
		.set = set_cursor_file, .wanted = "the name of a file",
		.uses = {
			{ "watch log",
			  "go on where the last command with this FILE ended, and\n"
			  "keep the position in it" },
		},
	}, {
		.name = "show-cursor",
		FLAG(show_cursor),
		.uses = {
			{ "watch log", "at the end, print the position for --since" },
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
			{ "status stats cqs probe", "repeat every SEC seconds, until Ctrl-C" },
		},
	}, {
		.letter = 'n', .name = "count", .argument = "N",
		.set = set_count, .wanted = "a number, 1 or more",
		.uses = {
			{ "watch", "exit after N lines; records with -v and -j" },
			{ "log", "only the newest N lines; records with -v and -j" },
			{ "status stats cqs probe", "exit after printing N times" },
			{ "why", "the newest N incidents" },
			{ "report", "only the newest N records, instead of 10000" },
		},
	}, {
		.letter = 't', .name = "timeout", .argument = "SEC",
		.set = set_timeout, .wanted = "a number of seconds, such as 2 or 0.5",
		.uses = {
			{ "watch", "exit after SEC seconds" },
			{ "wait", "give up after SEC seconds" },
			{ "record", "end after SEC seconds; 0: with what is in the log" },
		},
	}, {
		.name = "size", .argument = "SIZE",
		.set = set_size, .wanted = "a size of 4K or more, such as 64M or 1G",
		.uses = {
			{ "record", "begin a new file when this one has SIZE bytes (64M)" },
		},
	}, {
		.name = "age", .argument = "TIME",
		.set = set_age, .wanted = "a time, such as 12h or 1d",
		.uses = {
			{ "record", "begin a new file after TIME, such as 12h or 1d" },
		},
	}, {
		.name = "keep", .argument = "N",
		.set = set_keep, .wanted = "a number, 999 at most",
		.uses = {
			{ "record", "keep N older files: FILE.1, FILE.2 and so on (7)" },
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
		.name = "exec", .argument = "COMMAND",
		.set = set_exec, .wanted = "a command",
		.uses = {
			{ "watch",
			  "run this for each event: RDMAEV_EVENT and others in the\n"
			  "environment, the event as JSON on standard input" },
		},
	}, {
		.name = "exec-jobs", .argument = "N",
		.set = set_exec_jobs, .wanted = "a number from 1 to 64",
		.uses = {
			{ "watch", "run so many at the same time (1)" },
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
		.letter = 'o', .name = "output", .argument = "FILE",
		.set = set_output, .wanted = "the name of a file",
		.uses = {
			{ "report",
			  "write the page to FILE, instead of standard output" },
		},
	}, {
		.letter = 'v', .name = "verbose",
		FLAG(verbose),
		.uses = {
			{ "watch log",
			  "print each record, not one line for those that belong\n"
			  "together" },
			{ "why", "print each record, also many of the same event" },
			{ "probe", "print how many requests took how long, too" },
			{ "stats", "print all counters, also zeros and what is no error" },
		},
	}, {
		.name = "color", .argument = "COLOR",
		.set = set_color, .wanted = "auto, always or never",
		.uses = {
			{ "watch log wait status why cqs",
			  "colours: auto (on a terminal), always or never" },
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

const char *option_argument(const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		if (!strncmp(word, "--", 2) && !strcmp(word + 2, specs[i].name))
			return specs[i].argument;
		if (word[0] == '-' && specs[i].letter &&
		    word[1] == specs[i].letter && !word[2])
			return specs[i].argument;
	}
	return NULL;
}

void list_options(const struct command *command,
		  void (*show)(const char *name, void *arg), void *arg)
{
	char name[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		if (!find_use(&specs[i], command))
			continue;
		snprintf(name, sizeof(name), "--%s", specs[i].name);
		show(name, arg);
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
#define OPTION_NAME_SIZE	20

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

static int option_apply(struct options *o, const struct option_spec *spec)
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

/* A long option that @command does not have; those that are like it are suggested. */
static void complain_unknown(const char *option, const struct command *command,
			     const char *help)
{
	static char names[ARRAY_SIZE(specs)][OPTION_NAME_SIZE];
	char given[OPTION_NAME_SIZE * 2];
	struct guess guess = { .name = given };
	size_t i;

	snprintf(given, sizeof(given), "%.*s", (int)strcspn(option, "="), option);
	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		if (!find_use(&specs[i], command))
			continue;
		snprintf(names[i], sizeof(names[i]), "--%s", specs[i].name);
		consider(&guess, names[i]);
	}
	complain("%s: no such option%s (%s -h)", option, guess_text(&guess), help);
}

/* Report an option that getopt_long(3) rejected. */
static void complain_option(char **argv, const struct command *command,
			    const char *help)
{
	const struct option_spec *spec = find_option(optopt);
	char name[OPTION_NAME_SIZE];

	/* optopt has the letter, but is 0 for an unknown long option. */
	if (!optopt)
		return complain_unknown(argv[optind - 1], command, help);
	option_name(optopt, name);
	if (!spec)
		complain("%s: no such option (%s -h)", name, help);
	else if (spec->argument)
		complain("%s: needs a value: %s %s (%s -h)", name, name, spec->argument, help);
	else
		complain("%s: takes no value (%s -h)", name, help);
}

int parse_options(struct options *o, int argc, char **argv,
		  const struct command *command)
{
	char help[32] = "rdmaev", name[OPTION_NAME_SIZE];
	const struct option_spec *spec;
	struct getopt_args args = { 0 };
	bool failed = false;
	int value, ret;

	if (command)
		snprintf(help, sizeof(help), "rdmaev %s", command->name);
	fill_args(&args, !command);
	opterr = 0;
	optind = 0;
	for (;;) {
		value = getopt_long(argc, argv, args.letters, args.options, NULL);
		if (value < 0)
			return failed ? -1 : optind;
		spec = find_option(value);
		/* After an error, --format still says who reads the exit status. */
		if (failed && (!spec || spec->set != set_format))
			continue;
		if (!spec) {
			complain_option(argv, command, help);
			failed = true;
			continue;
		}
		if (!find_use(spec, command)) {
			complain("%s: not an option of %s (%s -h)",
				 option_name(value, name), help, help);
			failed = true;
			continue;
		}
		ret = option_apply(o, spec);
		if (ret == OPTIONS_HELP || ret == OPTIONS_VERSION)
			return ret;
		failed |= ret < 0;
	}
}
