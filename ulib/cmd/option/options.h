/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The command line: options, and what each of the subcommands takes */
#ifndef ULIB_OPTIONS_H
#define ULIB_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "select.h"
#include "text.h"
#include "when.h"

/* The most old files of a recording that are kept */
#define KEEP_MAX	999

#define NOTIFIES_MAX	64

/**
 * struct notify - a CQ named with --notify
 * @text: as given
 * @name_len: length of the device's name, with which it begins
 * @cq: number of the CQ
 * @every: notifications for a record
 * @delay_us: or microseconds after the first of them
 */
struct notify {
	const char *text;
	size_t name_len;
	uint32_t cq;
	uint32_t every;
	uint32_t delay_us;
};

/**
 * enum check_format - format of the result of a check
 * @CHECK_NONE: for people
 * @CHECK_NAGIOS: plug-in of Nagios and its kin
 * @CHECK_NPD: plug-in of node-problem-detector
 */
enum check_format {
	CHECK_NONE,
	CHECK_NAGIOS,
	CHECK_NPD,
};

/**
 * enum color - when output is coloured
 * @COLOR_AUTO: on a terminal, unless NO_COLOR is set
 * @COLOR_ALWAYS: always
 * @COLOR_NEVER: never
 */
enum color {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

/**
 * struct options - the command line
 * @node: path of the node, or NULL
 * @netlink: --netlink
 * @file: --file, or NULL
 * @json: -j
 * @quiet: -q
 * @utc: --utc
 * @mono: --mono
 * @fault: --fault
 * @removed: --removed
 * @notifies: --notify, @notifies_count of them
 * @follow: -f
 * @show_cursor: --show-cursor
 * @cursor_file: --cursor-file, or NULL
 * @select: options that select records
 * @since: --since
 * @until: --until
 * @limit: -n, or 0
 * @timeout_ns: -t, or -1
 * @watch_ns: --watch, or 0
 * @format: --format
 * @verbose: -v
 * @exec: --exec, or NULL
 * @exec_jobs: --exec-jobs
 * @color: --color
 * @output: -o, or NULL
 * @pace: --pace, or 0
 * @size: --size
 * @age_ns: --age, or 0
 * @keep: --keep
 */
struct options {
	const char *node;
	bool netlink;
	const char *file;
	bool json;
	bool quiet;
	bool utc;
	bool mono;
	bool fault;
	bool removed;
	struct notify notifies[NOTIFIES_MAX];
	size_t notifies_count;
	bool follow;
	bool show_cursor;
	const char *cursor_file;
	struct selection select;
	struct when since;
	struct when until;
	uint64_t limit;
	int64_t timeout_ns;
	int64_t watch_ns;
	enum check_format format;
	bool verbose;
	const char *exec;
	uint64_t exec_jobs;
	enum color color;
	const char *output;
	double pace;
	uint64_t size;
	uint64_t age_ns;
	uint64_t keep;
};

/**
 * struct command - a subcommand
 * @name: name
 * @synopsis: name and arguments in short
 * @summary: one-line description for the list of commands
 * @usage: arguments
 * @help: description; options.c has the options
 * @run: implementation
 */
struct command {
	const char *name;
	const char *synopsis;
	const char *summary;
	const char *usage;
	const char *help;
	int (*run)(struct options *o, int argc, char **argv);
};

/* Options before (@command NULL) and after the name of a command. */
#define OPTIONS_HELP	(-2)
#define OPTIONS_VERSION	(-3)
int parse_options(struct options *o, int argc, char **argv,
		  const struct command *command);

/* Append the help on these options. */
void put_options(struct text *t, const struct command *command);

/* What help calls the value of an option (-e, --event); NULL: it takes none. */
const char *option_argument(const char *word);

/* Call @show for each option, as it is given, that @command takes. */
void list_options(const struct command *command,
		  void (*show)(const char *name, void *arg), void *arg);

#endif /* ULIB_OPTIONS_H */
