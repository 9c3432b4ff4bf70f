// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev status --format: one line and exit status for monitoring systems. */
#include <string.h>

#include "base/complain.h"
#include "base/status.h"
#include "check_output.h"
#include "output/output.h"

/* Longest line of a plug-in of node-problem-detector */
#define NPD_LINE	80

/* Exit status of Nagios plug-ins, by health, with its word */
static const struct {
	int status;
	const char *word;
} nagios[] = {
	[HEALTH_OK] = { 0, "OK" },
	[HEALTH_NEVER_ACTIVE] = { 0, "OK" },
	[HEALTH_DEGRADED] = { 1, "WARNING" },
	[HEALTH_DOWN] = { 2, "CRITICAL" },
	[HEALTH_UNKNOWN] = { NAGIOS_UNKNOWN, "UNKNOWN" },
};

static void put_port(struct text *t, const struct host_health *all,
		     const struct port_health *port)
{
	text_name(t, port->device->name);
	text_printf(t, "/%u ", port->port->port);
	put_conditions(t, port, all->s.now);
}

static size_t count_ports(const struct host_health *all, enum health health)
{
	size_t i, n = 0;

	for (i = 0; i < all->count; i++)
		n += all->list[i].health == health;
	return n;
}

static bool is_problem(const struct port_health *port)
{
	return port->health > HEALTH_NEVER_ACTIVE && !port->is_acked;
}

/*
 * Ports with a problem, the worst first, as many as @width has room for; then
 * how many more.
 */
static void put_problems(struct text *t, const struct host_health *all,
			 size_t width)
{
	size_t problems = 0, put = 0, i;
	const char *between = "";
	enum health health;

	for (i = 0; i < all->count; i++)
		problems += is_problem(&all->list[i]);
	for (health = HEALTH_DOWN; health > HEALTH_NEVER_ACTIVE; health--) {
		for (i = 0; i < all->count; i++) {
			const struct port_health *port = &all->list[i];
			char buf[512];
			struct text one = { .buf = buf, .size = sizeof(buf) };
			size_t room;

			if (port->health != health || !is_problem(port))
				continue;
			put_port(&one, all, port);
			text_end(&one);
			/* "; ", and " +NNNN" if others are left */
			room = t->len + 2 + (put + 1 < problems ? 6 : 0);
			if (put && room + one.len > width) {
				text_printf(t, " +%zu", problems - put);
				return;
			}
			text_printf(t, "%s%s", between, buf);
			between = "; ";
			put++;
		}
	}
}

/* Why it is not known: what standard error has, which few checkers show */
static void put_reason(struct text *t)
{
	const char *c;

	/* After a |, plug-ins have numbers. */
	for (c = last_complaint(); *c; c++)
		text_printf(t, "%c", *c == '|' ? '/' : *c);
}

static void put_summary(struct text *t, const struct host_health *all, size_t width)
{
	size_t i, acked = 0;

	if (!all)
		return put_reason(t);
	if (!all->count)
		return text_put(t, "no RDMA ports");
	if (worst_health(all) > HEALTH_NEVER_ACTIVE)
		return put_problems(t, all, width);
	for (i = 0; i < all->count; i++)
		acked += all->list[i].is_acked;
	text_printf(t, "%zu of %zu port%s ACTIVE", count_ports(all, HEALTH_OK),
		    all->count, all->count == 1 ? "" : "s");
	if (count_ports(all, HEALTH_NEVER_ACTIVE))
		text_printf(t, ", %zu never ACTIVE", count_ports(all, HEALTH_NEVER_ACTIVE));
	if (acked)
		text_printf(t, ", %zu acknowledged", acked);
}

static int print_nagios(const struct host_health *all)
{
	enum health worst = all ? worst_health(all) : HEALTH_UNKNOWN;
	char line[2048];
	struct text t = { .buf = line, .size = sizeof(line) };

	text_printf(&t, "RDMAEV %s - ", nagios[worst].word);
	put_summary(&t, all, sizeof(line) / 2);
	if (all)
		text_printf(&t, " | ports=%zu active=%zu degraded=%zu down=%zu unknown=%zu never_active=%zu",
			    all->count, count_ports(all, HEALTH_OK),
			    count_ports(all, HEALTH_DEGRADED),
			    count_ports(all, HEALTH_DOWN),
			    count_ports(all, HEALTH_UNKNOWN),
			    count_ports(all, HEALTH_NEVER_ACTIVE));
	text_end(&t);
	return output_line(line) == OUTPUT_FAILED ? nagios[HEALTH_UNKNOWN].status :
						    nagios[worst].status;
}

static int print_npd(const struct host_health *all)
{
	enum health worst = all ? worst_health(all) : HEALTH_UNKNOWN;
	char line[NPD_LINE + 1];
	struct text t = { .buf = line, .size = sizeof(line) };

	put_summary(&t, all, NPD_LINE);
	text_end(&t);
	if (output_line(line) == OUTPUT_FAILED || worst == HEALTH_UNKNOWN)
		return STATUS_ERROR;
	return worst <= HEALTH_NEVER_ACTIVE ? STATUS_OK : STATUS_PROBLEM;
}

int print_check(enum check_format format, const struct host_health *all)
{
	return format == CHECK_NAGIOS ? print_nagios(all) : print_npd(all);
}
