// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev __complete WORD...: what the last word of a command line can become, one
 * a line. The completion of the shell asks for it, so it knows every command, option
 * and event that this program knows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/port_states.h"
#include "base/relations.h"
#include "base/status.h"
#include "catalogue.h"
#include "complete.h"
#include "output/output.h"
#include "state/snapshot.h"
#include "state/wait_state.h"

/**
 * struct completion - the word to complete
 * @prefix: parts of a list that stay as they are: "PORT_ERR,!"
 * @prefix_len: its length
 * @word: what follows, to be completed
 */
struct completion {
	const char *prefix;
	size_t prefix_len;
	const char *word;
};

/* Print the candidate if it begins like the word, in any case. */
static void complete_offer(const struct completion *c, const char *candidate)
{
	char line[256];
	struct text t = { .buf = line, .size = sizeof(line) };

	if (strncasecmp(candidate, c->word, strlen(c->word)))
		return;
	text_printf(&t, "%.*s%s", (int)c->prefix_len, c->prefix, candidate);
	text_end(&t);
	output_line(line);
}

static void offer_option(const char *name, void *arg)
{
	complete_offer(arg, name);
}

static void offer_events(const struct completion *c)
{
	size_t i;

	for (i = 0; i < catalogue_count; i++)
		complete_offer(c, catalogue[i].name);
}

/* All that rdmaev explain explains */
static void offer_words(const struct completion *c)
{
	size_t i;

	offer_events(c);
	for (i = 0; i < qp_states_count; i++)
		complete_offer(c, qp_states[i].name);
	for (i = 0; i < port_states_count; i++)
		complete_offer(c, port_state_name(&port_states[i]));
	for (i = 0; i < cm_reasons_count; i++)
		complete_offer(c, cm_reasons[i].name);
}

static void offer_faults(const struct completion *c)
{
	size_t i;

	for (i = 0; i < faults_count; i++)
		complete_offer(c, faults[i].id);
}

static void offer_names(const struct completion *c, unsigned int max,
			const char *(*name_of)(unsigned int number))
{
	unsigned int number;

	for (number = 1; number <= max; number++)
		complete_offer(c, name_of(number));
}

static const char * const times[] = {
	"boot", "now", "start", "today", "yesterday", "-10min", "-1h", "-1d", NULL
};

static const char * const colors[] = { "auto", "always", "never", NULL };
static const char * const formats[] = { "nagios", "npd", NULL };
static const char * const probe_words[] = { "on", "off", NULL };

/* @words end with NULL. */
static void offer_list(const struct completion *c, const char * const *words)
{
	for (; *words; words++)
		complete_offer(c, *words);
}

/* Nothing is offered if the module is not loaded. */
static void offer_devices(const struct completion *c, bool ports, bool removed)
{
	struct rdmaev_device *list = NULL;
	struct rdmaev *h = rdmaev_open(NULL, RDMAEV_NONBLOCK);
	ssize_t n = 0, i;
	uint64_t seq;

	if (h)
		n = list_devices(h, removed, &list, &seq);
	for (i = 0; i < n; i++) {
		char port_name[RDMAEV_DEVICE_NAME_SIZE + 16];
		uint32_t port;

		complete_offer(c, list[i].name);
		for (port = 0; ports && port < list[i].ports; port++) {
			snprintf(port_name, sizeof(port_name), "%s/%u", list[i].name,
				 port + (list[i].node_type != NODE_TYPE_SWITCH));
			complete_offer(c, port_name);
		}
	}
	free(list);
	rdmaev_close(h);
}

/* The value of an option, by what its help calls the value */
static void offer_value(struct completion *c, const char *argument)
{
	const char *comma = strrchr(c->word, ',');
	const char *start = comma ? comma + 1 : c->word;

	if (strchr(argument, ',')) {
		start += *start == '!';
		c->prefix_len = (size_t)(start - c->prefix);
		c->word = start;
	}
	if (!strncmp(argument, "EVENT", 5))
		offer_events(c);
	else if (!strncmp(argument, "KIND", 4))
		offer_names(c, RDMAEV_KIND_MAX, kind_name);
	else if (!strncmp(argument, "SEVERITY", 8))
		offer_names(c, RDMAEV_SEVERITY_ERROR, severity_name);
	else if (!strcmp(argument, "WHEN"))
		offer_list(c, times);
	else if (!strcmp(argument, "COLOR"))
		offer_list(c, colors);
	else if (!strcmp(argument, "FORMAT"))
		offer_list(c, formats);
	else if (!strncmp(argument, "DEV", 3))
		offer_devices(c, false, false);
}

/* The second argument of wait */
static void offer_wait(struct completion *c)
{
	static const char event_list[] = "EVENT,...";

	offer_list(c, state_words);
	offer_value(c, event_list);
}

/* An argument that is no option; @before of them precede it. */
static void offer_argument(struct completion *c, const struct command *command,
			   unsigned int before, bool fault)
{
	bool is_log = !strcmp(command->name, "log") || !strcmp(command->name, "report");

	if (!strcmp(command->name, "wait") && before == 1)
		offer_wait(c);
	else if (!strcmp(command->name, "explain") && fault)
		offer_faults(c);
	else if (!strcmp(command->name, "explain"))
		offer_words(c);
	else if (!strcmp(command->name, "probe") && before)
		offer_list(c, probe_words);
	else if (!strcmp(command->name, "probe"))
		offer_devices(c, true, false);
	else if (strstr(command->usage[0], "DEV") && !(*command->usage[0] == 'D' && before))
		offer_devices(c, strstr(command->usage[0], "/PORT"), is_log);
}

int complete(int argc, char **argv, const struct command *commands, size_t n)
{
	const struct command *command = NULL;
	const char *last = argc ? argv[argc - 1] : "", *argument = NULL;
	struct completion c = { .prefix = last, .word = last };
	unsigned int before = 0;
	bool fault = false;
	size_t d;
	int i;

	for (i = 0; i < argc - 1; i++) {
		if (argument) {
			argument = NULL;
			continue;
		}
		argument = option_argument(argv[i]);
		fault |= !strcmp(argv[i], "--fault");
		if (*argv[i] == '-')
			continue;
		for (d = 0; !command && d < n; d++)
			if (!strcmp(argv[i], commands[d].name))
				command = &commands[d];
		before += command && strcmp(argv[i], command->name);
	}
	if (argument)
		offer_value(&c, argument);
	else if (*last == '-')
		list_options(command, offer_option, &c);
	else if (command)
		offer_argument(&c, command, before, fault);
	else
		for (d = 0; d < n; d++)
			complete_offer(&c, commands[d].name);
	return output_finish(STATUS_OK);
}
