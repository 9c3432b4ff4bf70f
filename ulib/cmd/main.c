// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The rdmaev command: find the subcommand and run it. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/status.h"
#include "base/suggest.h"
#include "cmd.h"
#include "complete.h"
#include "option/arguments.h"
#include "option/examples.h"
#include "output/open.h"
#include "output/output.h"
#include "state/check_output.h"

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
		"belong there were overwritten, their number is printed on standard error; and a\n"
		"note, if nothing has the name of --comm or --ulp, or the number of --qp or --pid.\n"
		"DEV can be a removed device, or a name with * at the end: 'mlx5_*'. Records that\n"
		"belong together are one line; E, W and I are error, warning and information.\n\n",
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
		"and its link was or could be faster, it had three outages in the last hour, or CQs\n"
		"of the device are stalled.\n"
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
		.name = "record",
		.synopsis = "record FILE",
		.summary = "record the log in files, to be read later or elsewhere",
		.usage = "FILE",
		.help =
		"Write the log, and the lists of devices, ports, counters, CQs and probes, to\n"
		"FILE until Ctrl-C or SIGTERM, from the oldest record on; if FILE is a recording of\n"
		"the same log, from where it ends, in a new file. Most commands read FILE with\n"
		"--file FILE. Errors are on the disk at once.\n\n",
		.run = run_record,
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
		"Print what the module rdmaev_observe observes and what not, why, and the remedy.\n\n",
		.run = run_observer,
	}, {
		.name = "probe",
		.synopsis = "probe [DEV[/PORT]]...",
		.summary = "print whether ports complete requests, as their probes find",
		.usage = "[DEV[/PORT]]...\n"
		"       rdmaev probe DEV... on|off|MS",
		.help =
		"Print the probes of ports: requests that the module rdmaev_probe posts to find out\n"
		"whether the device completes them. on has the ports of the devices probed every\n"
		"second, MS every MS milliseconds, off stops that.\n\n",
		.run = run_probe,
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

static int command_help(const struct command *command)
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
static int use_file(struct options *o)
{
	if (open_file(o) < 0)
		return -1;
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
	if (use_file(&o) < 0)
		return command_special(-1, command, o.format);
	status = command->run(&o, argc - used, argv + used);
	return status == STATUS_ERROR && is_released() ? STATUS_RELEASED : status;
}
