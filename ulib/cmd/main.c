// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The rdmaev command: find the subcommand and run it. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "complete.h"
#include "examples.h"
#include "suggest.h"

/* All subcommands, in the order in which help lists them. */
static const struct command commands[] = {
	{
		.name = "watch",
		.synopsis = "watch [DEV[/PORT]]...",
		.summary = "print events as they happen",
		.usage = "[DEV[/PORT]]...",
		.help =
		"Print events of all or the named devices as they happen, until Ctrl-C. A device\n"
		"is matched by name and can be removed and added again. A * at the end matches any\n"
		"rest of the name: 'mlx5_*', also for devices added later. Records that belong\n"
		"together are one line; E, W and I are error, warning and information.\n\n",
		.run = run_watch,
	}, {
		.name = "log",
		.synopsis = "log [DEV[/PORT]]...",
		.summary = "print the events in the log",
		.usage = "[DEV[/PORT]]...",
		.help =
		"Print the events in the log, oldest first, and exit. If older records that could\n"
		"belong there were overwritten, their number is printed on standard error. DEV can\n"
		"be a removed device, or a name with * at the end: 'mlx5_*'. Records that belong\n"
		"together are one line; E, W and I are error, warning and information.\n\n",
		.run = run_log,
	}, {
		.name = "wait",
		.synopsis = "wait DEV[/PORT] EVENT",
		.summary = "wait for an event, or for a port to be up or down",
		.usage = "DEV[/PORT] EVENT[,EVENT]...\n"
		"       rdmaev wait [OPTION]... DEV[/PORT] up|down",
		.help =
		"Wait for one event, print it and exit; or until the port, or all ports of the\n"
		"device, are up (ACTIVE) or down: it ends at once if they are already.\n"
		"Exit status: 0 event occurred, or they are; 1 timeout, 2 error or interrupted.\n\n",
		.run = run_wait,
	}, {
		.name = "status",
		.synopsis = "status [DEV[/PORT]]...",
		.summary = "print the health of ports",
		.usage = "[DEV[/PORT]]...",
		.help =
		"Print a line for each port, then what is wrong. A port is DEGRADED if it is ACTIVE\n"
		"and its link was faster before, it had three outages in the last hour, or CQs of\n"
		"the device are stalled.\n"
		"Exit status: 0 all well or acknowledged, 1 a port is down or degraded, 2 unknown.\n\n",
		.run = run_status,
	}, {
		.name = "ack",
		.synopsis = "ack DEV[/PORT]...",
		.summary = "acknowledge what is wrong with ports",
		.usage = "DEV[/PORT]...",
		.help =
		"Acknowledge what rdmaev status shows of these ports: they no longer count for its\n"
		"exit status, until something else is wrong or the port has another outage. Valid\n"
		"until the module is reloaded.\n\n",
		.run = run_ack,
	}, {
		.name = "why",
		.synopsis = "why [DEV[/PORT]]...|[SEQ]",
		.summary = "print incidents: what followed from what",
		.usage = "[DEV[/PORT]]...\n"
		"       rdmaev why [OPTION]... SEQ",
		.help =
		"Print the last incidents in the log, a line each; with an argument or a selection,\n"
		"the last one of these devices, QPs, processes or kernel modules, or that of a\n"
		"record: its root, what followed and how long after, whose work was hit, what ended\n"
		"it, and the remedy. Records follow from their cause, or by a rule, in brackets.\n\n",
		.run = run_why,
	}, {
		.name = "report",
		.synopsis = "report [DEV[/PORT]]...",
		.summary = "write the log as an HTML page",
		.usage = "[DEV[/PORT]]...",
		.help =
		"Write one HTML page: the states of ports over time with outages and errors, what\n"
		"failed, the incidents and the records. It needs neither script nor network. On a\n"
		"terminal it wants -o FILE.\n\n",
		.run = run_report,
	}, {
		.name = "devices",
		.synopsis = "devices [DEV[/PORT]]...",
		.summary = "print devices and ports",
		.usage = "[DEV[/PORT]]...",
		.help =
		"Print the last known state of devices and their ports.\n\n",
		.run = run_devices,
	}, {
		.name = "stats",
		.synopsis = "stats [DEV[/PORT]]...",
		.summary = "print statistics of devices and ports",
		.usage = "[DEV[/PORT]]...",
		.help =
		"Print ports with outages, counters of errors and warnings, and CQs of kernel ULPs\n"
		"with failed completions since each device was added; with -v, all ports, counters\n"
		"and CQs, and what reports the events of a device.\n\n",
		.run = run_stats,
	}, {
		.name = "cqs",
		.synopsis = "cqs [DEV]...",
		.summary = "print CQs and their counters",
		.usage = "[DEV]...",
		.help =
		"Print the CQs that kernel ULPs monitor with rdmaev, and their counters.\n"
		"\"-\" marks a value that cannot be observed.\n\n",
		.run = run_cqs,
	}, {
		.name = "observer",
		.synopsis = "observer",
		.summary = "print what the observer observes",
		.usage = "",
		.help =
		"Print what the module rdmaev_observe observes and what not, why, and the remedy;\n"
		"then its hooks on functions and tracepoints of the kernel.\n\n",
		.run = run_observer,
	}, {
		.name = "explain",
		.synopsis = "explain [NAME|NUMBER]...",
		.summary = "explain an event, a status, a state, a reason or a fault",
		.usage = "[NAME|NUMBER]...\n"
		"       rdmaev explain [OPTION]... --fault [FAULT]...",
		.help =
		"Explain events, completion statuses, states of queue pairs and ports, reasons of\n"
		"refused connections, attributes of ports and faults: meaning and remedy; without\n"
		"a name, all of them. Any usual spelling is accepted. A plain number is an\n"
		"asynchronous event, WC_12 is completion status 12, QPS_4 is QP state 4, REJ_8 is\n"
		"reason 8.\n\n",
		.run = run_explain,
	}, {
		.name = "release",
		.synopsis = "release",
		.summary = "hang up all readers, to unload the module",
		.usage = "",
		.help =
		"Hang up all readers of the node and wait up to two seconds until they have closed\n"
		"it, so that the module can be unloaded (rmmod rdmaev). Programs that use librdmaev\n"
		"close it immediately; rdmaev commands exit with status 3.\n"
		"Exit status: 0 all readers closed the node, 1 some did not, 2 error.\n\n",
		.run = run_release,
	},
};

static void put_commands(struct text *t)
{
	size_t i;

	text_put(t, "usage: rdmaev [--node PATH|--netlink] COMMAND [OPTION]... [ARGUMENT]...\n\n"
		 "Monitor the RDMA devices of this host.\n\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		text_printf(t, "  %-24s %s\n", commands[i].synopsis,
			    commands[i].summary);
	text_put(t, "\n");
}

static int help(const struct command *command)
{
	char buf[8192];
	struct text t = { .buf = buf, .size = sizeof(buf) };

	if (command)
		text_printf(&t, "usage: rdmaev %s [OPTION]... %s\n\n%s",
			    command->name, command->usage, command->help);
	else
		put_commands(&t);
	put_options(&t, command);
	if (command)
		put_examples(&t, command->name);
	text_put(&t, "\n"
		 "Exit status: 0 success, 1 wait: timeout, status: a port is not well, 2 error,\n"
		 "3 readers hung up or module unloaded. See rdmaev(8).");
	text_end(&t);
	output_line(buf);
	return output_finish(STATUS_OK);
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
	struct options o = { .timeout_ns = -1, .exec_jobs = 1 };
	const struct command *command = NULL;
	int used, status;
	size_t i;

	fill_standard_descriptors();
	signal(SIGPIPE, SIG_IGN);

	if (argc > 1 && !strcmp(argv[1], "__complete"))
		return complete(argc - 2, argv + 2, commands, ARRAY_SIZE(commands));
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
		if (!strcmp(argv[0], commands[i].name))
			command = &commands[i];
	if (!command) {
		complain_command(argv[0]);
		return STATUS_ERROR;
	}
	used = parse_options(&o, argc, argv, command);
	if (used < 0)
		return special(used, command);
	status = command->run(&o, argc - used, argv + used);
	return status == STATUS_ERROR && is_released() ? STATUS_RELEASED : status;
}
