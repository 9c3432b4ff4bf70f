// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The rdmaev command: find the subcommand and run it. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

static const struct command * const commands[] = {
	&command_watch, &command_log, &command_wait, &command_devices,
	&command_stats, &command_cqs, &command_explain, &command_release,
};

static const char summary[] =
	"usage: rdmaev [--node PATH|--netlink] COMMAND [OPTION]... [ARGUMENT]...\n\n"
	"What happens on the RDMA devices of this host.\n\n"
	"  watch [DEV[/PORT]]...    print events as they happen\n"
	"  log [DEV[/PORT]]...      print the events that are still kept\n"
	"  wait DEV[/PORT] EVENT    wait for an event\n"
	"  devices [DEV[/PORT]]...  print devices and ports\n"
	"  stats [DEV[/PORT]]...    print how often what happened to them\n"
	"  cqs [DEV]...             print CQs of kernel ULPs and their counters\n"
	"  explain [NAME|NUMBER]... say what an event or a status means\n"
	"  release                  hang up all readers, to unload the module\n\n";

static const char common[] =
	"  -j, --json             one JSON object a line\n"
	"  -q, --quiet            no notes on standard error; wait prints nothing\n"
	"      --utc              time in UTC\n"
	"      --mono             seconds since boot instead of the time\n"
	"      --node PATH        node to read, instead of " RDMAEV_NODE "\n"
	"      --netlink          read by generic netlink, instead of the node\n"
	"  -V, --version          print the version\n"
	"  -h, --help             print this text, or that of a command\n\n"
	"Exit status: 0 fine, 1 wait: time is up, 2 error, 3 the readers were hung up or\n"
	"the module was unloaded. See rdmaev(8).";

static int help(const struct command *command)
{
	char buf[2048];
	struct text t = { .buf = buf, .size = sizeof(buf) };

	if (command)
		text_printf(&t, "usage: rdmaev %s [OPTION]... %s\n\n%s",
			    command->name, command->usage, command->help);
	else
		text_put(&t, summary);
	text_put(&t, common);
	text_end(&t);
	output_line(buf);
	return output_finish(STATUS_OK);
}

static int special(int result, const struct command *command)
{
	if (result == OPTIONS_HELP)
		return help(command);
	if (result == OPTIONS_VERSION) {
		output_line("rdmaev " RDMAEV_VERSION);
		return output_finish(STATUS_OK);
	}
	return STATUS_ERROR;
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

int main(int argc, char **argv)
{
	struct options o = { .since = -1, .timeout_ns = -1 };
	const struct command *command = NULL;
	int used, status;
	size_t i;

	fill_standard_descriptors();
	signal(SIGPIPE, SIG_IGN);

	used = parse_options(&o, argc, argv, NULL);
	if (used < 0)
		return special(used, NULL);
	argc -= used;
	argv += used;
	if (!argc) {
		complain("no command given; rdmaev -h lists them");
		return STATUS_ERROR;
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[0], commands[i]->name))
			command = commands[i];
	if (!command) {
		complain("%s: no such command; rdmaev -h lists them", argv[0]);
		return STATUS_ERROR;
	}
	used = parse_options(&o, argc, argv, command);
	if (used < 0)
		return special(used, command);
	status = command->run(&o, argc - used, argv + used);
	return status == STATUS_ERROR && is_released() ? STATUS_RELEASED : status;
}
