// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The rdmaev command: find the subcommand and run it. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <internal/version.h>

#include "base/complain.h"
#include "base/status.h"
#include "base/suggest.h"
#include "cmd.h"
#include "complete.h"
#include "option/arguments.h"
#include "output/open.h"
#include "output/output.h"
#include "state/check_output.h"

static const struct command commands[] = {
#define COMMAND(id, ...)	{ .name = #id, .run = run_##id, __VA_ARGS__ },
#include "commands.def"
};

static void put_commands(struct text *t)
{
	size_t i;

	text_put(t, "usage: rdmaev [--node PATH|--netlink] COMMAND [OPTION]... [ARGUMENT]...\n\n"
		 "Monitor the RDMA devices of this host.\n\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		text_printf(t, "  %-10s %s\n", commands[i].name, commands[i].summary);
	text_put(t, "\n");
}

static void put_usage(struct text *t, const struct command *command)
{
	size_t i;

	for (i = 0; i < USAGES_MAX && command->usage[i]; i++)
		text_printf(t, "%s rdmaev %s [OPTION]... %s\n", i ? "      " : "usage:",
			    command->name, command->usage[i]);
	text_printf(t, "\n%s\n", command->help);
}

static void put_examples(struct text *t, const struct command *command)
{
	size_t i;

	text_put(t, "\nExamples:\n");
	for (i = 0; i < EXAMPLES; i++)
		text_printf(t, "  %s:\n      %s\n", command->examples[i].text,
			    command->examples[i].line);
}

static int command_help(const struct command *command)
{
	char buf[8192];
	struct text t = { .buf = buf, .size = sizeof(buf) };

	if (command)
		put_usage(&t, command);
	else
		put_commands(&t);
	put_options(&t, command);
	if (command)
		put_examples(&t, command);
	text_put(&t, "\n"
		 "Exit status: 0 success, 1 wait: timeout, status: a port is not well, 2 error,\n"
		 "3 readers hung up or module unloaded. See rdmaev(8).");
	text_end(&t);
	output_line(buf);
	return output_finish(STATUS_OK);
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

static void complain_command(const char *name)
{
	struct guess guess = { .name = name };
	unsigned int kind, code;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		consider(&guess, commands[i].name);
	if (!guess.count && !rdmaev_event_parse(name, &kind, &code))
		complain("%s: no such command; rdmaev explain %s explains it", name, name);
	else
		complain("%s: no such command%s; rdmaev -h lists them", name,
			 guess_text(&guess));
}

/* rdmaev help [COMMAND], as -h; @name can be NULL */
static int help_on(const char *name)
{
	const struct command *command = name ? find_command(name) : NULL;

	if (!name || command)
		return command_help(command);
	complain_command(name);
	return STATUS_ERROR;
}

static int command_special(int result, const struct command *command,
			   enum check_format format)
{
	if (result == OPTIONS_HELP)
		return command_help(command);
	if (result == OPTIONS_VERSION) {
		output_line("rdmaev " RDMAEV_VERSION);
		return output_finish(STATUS_OK);
	}
	/* To a monitoring system, 2 would say that a port is down. */
	return format ? output_finish(print_check(format, NULL)) : STATUS_ERROR;
}

/* Descriptors 0 to 2 must not become the node's by accident. */
static void fill_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* With --file, times such as -1h are relative to the end of the recording. */
static int use_file(struct options *o, const struct command *command)
{
	if (open_files(o) < 0)
		return -1;
	if (o->files_count > 1 && !command->reads_files) {
		complain("several recordings: only rdmaev log reads them at once");
		return -1;
	}
	if (o->file && o->since.text)
		set_since(o, o->since.text);
	if (o->file && o->until.text)
		set_until(o, o->until.text);
	return check_range(o);
}

int main(int argc, char **argv)
{
	struct options o = {
		.timeout_ns = -1,
		.exec_jobs = 1,
		.size = 64 << 20,
		.keep = 7,
	};
	const struct command *command = NULL;
	int used, status;

	fill_standard_descriptors();
	signal(SIGPIPE, SIG_IGN);

	if (argc > 1 && !strcmp(argv[1], "__complete"))
		return complete(argc - 2, argv + 2, commands, ARRAY_SIZE(commands));
	used = parse_options(&o, argc, argv, NULL);
	if (used < 0)
		return command_special(used, NULL, CHECK_NONE);
	argc -= used;
	argv += used;
	if (!argc) {
		complain("no command given; rdmaev -h lists them");
		return STATUS_ERROR;
	}
	if (!strcmp(argv[0], "help"))
		return help_on(argv[1]);
	command = find_command(argv[0]);
	if (!command) {
		complain_command(argv[0]);
		return STATUS_ERROR;
	}
	used = parse_options(&o, argc, argv, command);
	if (used < 0)
		return command_special(used, command, o.format);
	if (use_file(&o, command) < 0)
		status = command_special(-1, command, o.format);
	else
		status = command->run(&o, argc - used, argv + used);
	close_files();
	return status == STATUS_ERROR && is_released() ? STATUS_RELEASED : status;
}
