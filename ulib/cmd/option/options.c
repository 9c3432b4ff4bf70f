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

/* Type of the member of struct options that is set */
enum option_type {
	OPTION_SETS,	/* @set does it */
	OPTION_FLAG,
	OPTION_TEXT,
	OPTION_NUMBER,
};

/**
 * struct option_spec - an option
 * @type: &enum option_type
 * @member: offset in struct options, unless @set stores the value
 * @least: least value of a number
 * @most: greatest
 * @letter: its letter, or 0
 * @name: its long name
 * @argument: name of its value, or NULL if it has none
 * @wanted: valid values, for the message when it is none. NULL: @set prints the message; a
 *	number between @least and @most
 * @set: stores the value; 0 or -1
 * @result: return value of parse_options() for it, or 0
 * @uses: commands that take it, each once
 */
struct option_spec {
	enum option_type type;
	size_t member;
	uint64_t least;
	uint64_t most;
	char letter;
	const char *name;
	const char *argument;
	const char *wanted;
	int (*set)(struct options *o, const char *value);
	int result;
	struct option_use uses[USES_MAX];
};

#define MEMBER(type_, member_)	.type = OPTION_##type_, .member = offsetof(struct options, member_)
#define FLAG(member, ...)	{ MEMBER(FLAG, member), __VA_ARGS__ },
#define TEXT(member, ...)	{ MEMBER(TEXT, member), __VA_ARGS__ },
#define NUMBER(member, least_, most_, ...)						\
	{ MEMBER(NUMBER, member), .least = (least_), .most = (most_), __VA_ARGS__ },
#define VALUE(type, member, ...)	{ __VA_ARGS__ },
#define OPTION(...)			{ __VA_ARGS__ },

static const struct option_spec specs[] = {
#include "options.def"
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

/* Store the value; -1: it is none */
static int option_store(struct options *o, const struct option_spec *spec, const char *value)
{
	void *member = (char *)o + spec->member;
	uint64_t number;

	switch (spec->type) {
	case OPTION_FLAG:
		*(bool *)member = true;
		return 0;
	case OPTION_TEXT:
		*(const char **)member = value;
		return *value ? 0 : -1;
	case OPTION_NUMBER:
		if (parse_number(value, spec->most, &number) < 0 || number < spec->least)
			return -1;
		*(uint64_t *)member = number;
		return 0;
	default:
		return spec->set(o, value);
	}
}

static void put_wanted(struct text *t, const struct option_spec *spec)
{
	if (spec->most == UINT64_MAX)
		text_printf(t, "a number, %llu or more", (unsigned long long)spec->least);
	else
		text_printf(t, "a number from %llu to %llu",
			    (unsigned long long)spec->least, (unsigned long long)spec->most);
}

static int option_apply(struct options *o, const struct option_spec *spec)
{
	char name[OPTION_NAME_SIZE], wanted[80];
	struct text t = { .buf = wanted, .size = sizeof(wanted) };

	if (spec->result)
		return spec->result;
	if (!option_store(o, spec, optarg))
		return 0;
	if (spec->type == OPTION_SETS && !spec->wanted)
		return -1;
	put_wanted(&t, spec);
	text_end(&t);
	complain("%s %s: must be %s", option_name(value_of(spec), name), optarg,
		 spec->wanted ? spec->wanted : wanted);
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
