// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Examples in the help of commands: three each, those that are needed most first. */
#include <string.h>

#include "examples.h"

#define EXAMPLES	3

static const struct {
	const char *command;
	struct {
		const char *text;
		const char *line;
	} list[EXAMPLES];
} examples[] = {
	{ "watch", {
		{ "Errors of all devices", "rdmaev watch --severity error" },
		{ "One port, as JSON", "rdmaev watch -j mlx5_0/1" },
		{ "The last ten minutes, then what follows",
		  "rdmaev watch --since -10min -e 'PORT_*'" },
	} },
	{ "log", {
		{ "The newest 20 events", "rdmaev log -n 20" },
		{ "What happened to ports since eight, but for their GIDs",
		  "rdmaev log --since 08:00 -e 'PORT_*,!PORT_GID'" },
		{ "All that is new since the last call, as JSON",
		  "rdmaev log -j --cursor-file /var/lib/collector/rdmaev" },
	} },
	{ "wait", {
		{ "Up to 30 seconds for a link", "rdmaev wait mlx5_0/1 up -t 30" },
		{ "Until a link fails, then a command",
		  "rdmaev wait mlx5_0/1 down && logger 'mlx5_0/1 is down'" },
		{ "The next failure of a queue pair",
		  "rdmaev wait mlx5_0 QP_FATAL,RETRY_EXC_ERR" },
	} },
	{ "status", {
		{ "All ports, and what is wrong", "rdmaev status" },
		{ "Again every two seconds", "rdmaev status --watch 2" },
		{ "As a check of Nagios", "rdmaev status --format nagios" },
	} },
	{ "ack", {
		{ "A port that is down on purpose", "rdmaev ack mlx5_1/1" },
		{ "All ports of a device", "rdmaev ack mlx5_1" },
		{ "All of a kind", "rdmaev ack 'mlx5_*'" },
	} },
	{ "why", {
		{ "The last incidents", "rdmaev why" },
		{ "The last one of a port, from root to remedy", "rdmaev why mlx5_0/1" },
		{ "What hit a program", "rdmaev why --comm ib_write_bw" },
	} },
	{ "report", {
		{ "The whole log as a page", "rdmaev report -o report.html" },
		{ "The last hour of a device", "rdmaev report -o report.html --since -1h mlx5_0" },
		{ "Of another host", "ssh node17 rdmaev report >node17.html" },
	} },
	{ "record", {
		{ "All that happens, in 8 files of 64 MB", "rdmaev record /var/log/rdmaev.rec" },
		{ "A file for each day of a fortnight",
		  "rdmaev record --age 1d --size 1G --keep 13 /var/log/rdmaev.rec" },
		{ "What is in the log, to be read elsewhere",
		  "rdmaev record -t 0 node17.rec && rdmaev why --file node17.rec" },
	} },
	{ "devices", {
		{ "All devices and ports", "rdmaev devices" },
		{ "Those with such names, removed ones too",
		  "rdmaev devices --removed 'mlx5_*'" },
		{ "Network device of each port",
		  "rdmaev devices -j | "
		  "jq -r '.device as $d | .ports[] | \"\\($d)/\\(.port) \\(.netdev)\"'" },
	} },
	{ "stats", {
		{ "Outages, errors and warnings", "rdmaev stats" },
		{ "All counters of a device", "rdmaev stats -v mlx5_0" },
		{ "Again every two seconds", "rdmaev stats --watch 2" },
	} },
	{ "cqs", {
		{ "All completion queues", "rdmaev cqs" },
		{ "Those of a device, every second", "rdmaev cqs mlx5_0 --watch 1" },
		{ "Stalled ones", "rdmaev cqs -j | jq -c 'select(.stalled)'" },
	} },
	{ "probe", {
		{ "Have a device probed every second", "rdmaev probe mlx5_0 on" },
		{ "What the probes find, with latencies", "rdmaev probe -v" },
		{ "Ports whose requests do not complete",
		  "rdmaev probe -j | jq -c 'select(.state == \"lost\")'" },
	} },
	{ "observer", {
		{ "What is observed, and what not", "rdmaev observer" },
		{ "The same as JSON", "rdmaev observer -j" },
		{ "Is all observed?",
		  "rdmaev observer -j | jq -es 'all(.state == \"observed\")'" },
	} },
	{ "explain", {
		{ "An event", "rdmaev explain PORT_ERR" },
		{ "A number, and what else it can mean", "rdmaev explain 12" },
		{ "What both ends see of a wrong R_Key", "rdmaev explain --fault rkey" },
	} },
	{ "release", {
		{ "Unload the module while it is in use", "rdmaev release && rmmod rdmaev" },
		{ "With the observer", "rmmod rdmaev_observe && rdmaev release && rmmod rdmaev" },
		{ "Without a word", "rdmaev release -q" },
	} },
};

void put_examples(struct text *t, const char *command)
{
	size_t i, e;

	for (i = 0; i < ARRAY_SIZE(examples); i++) {
		if (strcmp(examples[i].command, command))
			continue;
		text_put(t, "\nExamples:\n");
		for (e = 0; e < EXAMPLES; e++)
			text_printf(t, "  %s:\n      %s\n", examples[i].list[e].text,
				    examples[i].list[e].line);
	}
}
