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

#define NOTIFIES_MAX	64
/* Recordings that a command reads at once */
#define FILES_MAX	256

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
 * @notifies: --notify, @notifies_count of them
 * @select: options that select records
 * @files: --file, @files_count of them; @file is the first
 *
 * Others have a member of their own, see options.def.
 */
struct options {
	struct notify notifies[NOTIFIES_MAX];
	size_t notifies_count;
	struct selection select;
	const char *files[FILES_MAX];
	size_t files_count;
#define FLAG(member, ...)			bool member;
#define TEXT(member, ...)			const char *member;
#define NUMBER(member, least, most, ...)	uint64_t member;
#define VALUE(type, member, ...)		type member;
#define OPTION(...)
#include "options.def"
#undef FLAG
#undef TEXT
#undef NUMBER
#undef VALUE
#undef OPTION
};

#define USAGES_MAX	2
#define EXAMPLES	3

/**
 * struct command - a subcommand
 * @name: name
 * @usage: arguments, in one or more ways
 * @summary: one-line description for the list of commands
 * @help: description, of lines that end with a newline
 * @examples: what is needed most first
 * @examples.text: what it does
 * @examples.line: the command line
 * @reads_files: it can read several recordings at once
 * @run: implementation
 */
struct command {
	const char *name;
	const char *usage[USAGES_MAX];
	const char *summary;
	const char *help;
	struct {
		const char *text;
		const char *line;
	} examples[EXAMPLES];
	bool reads_files;
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
