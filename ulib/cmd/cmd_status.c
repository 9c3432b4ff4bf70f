// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev status: print the health of ports; rdmaev ack: acknowledge it. */
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/status.h"
#include "catalogue.h"
#include "cmd.h"
#include "incident/incident_read.h"
#include "option/arguments.h"
#include "output/open.h"
#include "output/output.h"
#include "output/refresh.h"
#include "output/table.h"
#include "state/acks.h"
#include "state/check_output.h"
#include "state/facts.h"
#include "state/health.h"
#include "state/holders.h"
#include "state/ports.h"
#include "state/renamed.h"

/* Connections of a port that have a line each */
#define LOST_LINES	8

/**
 * struct check - a run of status
 * @o: command line
 * @h: reader
 * @targets: devices and ports given as arguments, @targets_count of them
 * @again: not the first output
 * @all: what was found
 * @lost: connections that their owners try to have again
 * @status: exit status of the last output
 */
struct check {
	const struct options *o;
	struct rdmaev *h;
	struct target *targets;
	size_t targets_count;
	bool again;
	struct host_health all;
	struct lost_list lost;
	int status;
};

static const char *health_color(const struct port_health *port)
{
	if (port->is_acked)
		return DIM;
	switch (port->health) {
	case HEALTH_OK:
		return GREEN;
	case HEALTH_NEVER_ACTIVE:
		return DIM;
	case HEALTH_DOWN:
		return RED;
	default:
		return YELLOW;
	}
}

static void put_state(struct text *t, const struct port_health *port, bool has_color)
{
	text_put(t, has_color ? health_color(port) : "");
	if (port->conditions & CONDITION_DOWN)
		put_port_state(t, port->port);
	else if (port->conditions & CONDITION_FAILED)
		text_put(t, "FAILED");
	else if (port->conditions & CONDITION_NOT_COMPLETING)
		text_put(t, "NOT COMPLETING");
	else if (port->health == HEALTH_DEGRADED &&
		 !(port->port->flags & RDMAEV_PORT_FLAG_NEVER_ACTIVE))
		text_put(t, "DEGRADED");
	else
		put_port_state(t, port->port);
	if (port->is_acked)
		text_put(t, " (acknowledged)");
	text_put(t, has_color ? PLAIN : "");
}

static void put_last_error(struct text *t, const struct snapshot *s,
			   const struct rdmaev_record *error)
{
	if (!error->seq)
		return text_put(t, "-");
	put_event_name(t, error->kind, error->code);
	text_put(t, ", ");
	text_duration(t, age(s, error->boottime_ns));
	text_put(t, " ago");
}

/* Those that had errors, and those that are not connected */
static void put_owners(struct text *t, const struct check *c, const struct port_health *health)
{
	const struct history *history = health->history;
	char names[OWNERS][OWNER_SIZE];
	size_t i, o, count = 0;

	for (i = 0; i < c->lost.count && count < OWNERS; i++) {
		struct text name = { .buf = names[count], .size = OWNER_SIZE };

		if (!is_lost_on(&c->lost, i, health->port))
			continue;
		put_lost_owner(&name, &c->lost, i);
		text_end(&name);
		for (o = 0; o < count && strcmp(names[o], names[count]); o++)
			;
		count += o == count;
	}
	for (i = 0; i < history->owners_count && count < OWNERS; i++) {
		for (o = 0; o < count && strcmp(names[o], history->owners[i]); o++)
			;
		if (o == count)
			memcpy(names[count++], history->owners[i], OWNER_SIZE);
	}
	for (o = 0; o < count; o++)
		text_printf(t, "%s%s", o ? ", " : "", names[o]);
	if (!count)
		text_put(t, "-");
}

static void fill_row(struct table *table, const struct check *c,
		     const struct port_health *health, bool has_color)
{
	const struct snapshot *s = &c->all.s;
	const struct rdmaev_port *port = health->port;
	struct text *t;
	uint64_t down;

	table_row(table);
	t = table_cell(table);
	text_name(t, health->device->name);
	text_printf(t, "/%u", port->port);
	put_netdev(table_cell(table), port);
	put_protocol(table_cell(table), port);
	put_state(table_cell(table), health, has_color);
	table_duration(table, true, age(s, port->state_since_ns));
	put_rate(table_cell(table), port->speed, port->width);
	put_address(table_cell(table), port);
	table_count(table, true, port->outages);
	down = port->down_total_ns;
	if (port->down_since_ns)
		down += age(s, port->down_since_ns);
	table_duration(table, down, down);
	put_last_error(table_cell(table), s, &health->history->last_error);
	put_owners(table_cell(table), c, health);
}

/* "mlx5_0/1 degraded: 2.5 Gb/sec (1X SDR), was 100 Gb/sec (4X EDR)" */
static enum output print_problem(const struct host_health *all,
				 const struct port_health *port)
{
	const char *old_name = name_before(all->before.devices, all->before.devices_count,
					   port->device);
	char line[512];
	struct text t = { .buf = line, .size = sizeof(line) };

	text_name(&t, port->device->name);
	text_printf(&t, "/%u", port->port->port);
	if (old_name) {
		text_put(&t, " (before: ");
		text_name(&t, old_name);
		text_put(&t, ")");
	}
	text_printf(&t, " %s: ", health_name(port->health));
	put_conditions(&t, port, all->s.now);
	if (port->is_acked)
		text_put(&t, " (acknowledged)");
	text_end(&t);
	return output_line(line);
}

/* "nvm0/1: nvme_rdma is not connected to ..." */
static enum output print_lost(const struct check *c, const struct port_health *port,
			      size_t item)
{
	char line[512];
	struct text t = { .buf = line, .size = sizeof(line) };

	text_name(&t, port->device->name);
	text_printf(&t, "/%u: ", port->port->port);
	put_lost(&t, &c->lost, item);
	text_end(&t);
	return output_line(line);
}

/* "nvm0/1: 92 more are not connected" */
static enum output print_more_lost(const struct port_health *port, size_t more)
{
	char line[256];
	struct text t = { .buf = line, .size = sizeof(line) };

	text_name(&t, port->device->name);
	text_printf(&t, "/%u: %zu more %s not connected", port->port->port, more,
		    more == 1 ? "is" : "are");
	text_end(&t);
	return output_line(line);
}

/* The connections of this port, after an empty line if @is_first */
static enum output print_lost_of(const struct check *c, const struct port_health *port,
				 bool *is_first)
{
	enum output result = OUTPUT_DONE;
	size_t i, n = 0;

	for (i = 0; i < c->lost.count && result == OUTPUT_DONE; i++) {
		if (!is_lost_on(&c->lost, i, port->port) || n++ >= LOST_LINES)
			continue;
		if (*is_first)
			output_line("");
		*is_first = false;
		result = print_lost(c, port, i);
	}
	if (n > LOST_LINES && result == OUTPUT_DONE)
		result = print_more_lost(port, n - LOST_LINES);
	return result;
}

static int print_problems(const struct check *c)
{
	const struct host_health *all = &c->all;
	enum output result = OUTPUT_DONE;
	bool is_first = true;
	size_t i;

	for (i = 0; i < all->count && result == OUTPUT_DONE; i++) {
		if (all->list[i].health <= HEALTH_NEVER_ACTIVE)
			continue;
		if (is_first)
			output_line("");
		is_first = false;
		result = print_problem(all, &all->list[i]);
	}
	for (i = 0; i < all->count && result == OUTPUT_DONE; i++)
		result = print_lost_of(c, &all->list[i], &is_first);
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

/* Why the observer, which is loaded, does not observe a fact; false if it does */
static bool put_blindness(struct text *t, const struct rdmaev_observed *o, unsigned int bit)
{
	if (!fact_needs_care(o, bit))
		return false;
	put_why(t, o, bit);
	text_put(t, "; ");
	put_remedy(t, o, bit);
	text_end(t);
	return true;
}

/* "observer: user events, QP ends: tracing is switched off, ...": all with this reason */
static enum output print_blindness(const struct rdmaev_observed *o, unsigned int first)
{
	char line[1024], why[512], other[512];
	struct text t = { .buf = line, .size = sizeof(line) };
	struct text w = { .buf = why, .size = sizeof(why) };
	unsigned int bit;

	if (!put_blindness(&w, o, first))
		return OUTPUT_DONE;
	text_put(&t, "observer: ");
	for (bit = 0; bit < FACTS_MAX; bit++) {
		struct text u = { .buf = other, .size = sizeof(other) };

		if (!put_blindness(&u, o, bit) || strcmp(why, other))
			continue;
		if (bit < first)
			return OUTPUT_DONE;
		if (bit > first)
			text_put(&t, ", ");
		put_fact(&t, bit);
	}
	text_printf(&t, ": %s", why);
	text_end(&t);
	return output_line(line);
}

/* What the observer misses; nothing if it is not loaded, or cannot be asked. */
static int print_observer(struct rdmaev *h)
{
	enum output result = OUTPUT_DONE;
	struct rdmaev_info info;
	unsigned int bit;

	if (!rdmaev_info(h, &info))
		for (bit = 0; bit < FACTS_MAX && result == OUTPUT_DONE; bit++)
			result = print_blindness(&info.observer, bit);
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

/* What is wrong with the host, not with one of its ports */
static int print_host(const struct check *c)
{
	static const char closed[] = "no program can open a device: ib_uverbs is not loaded; "
				     "modprobe ib_uverbs";

	if (c->all.is_unloaded && output_line(closed) == OUTPUT_FAILED)
		return STATUS_ERROR;
	return print_observer(c->h);
}

static int print_table(const struct check *c, bool has_color)
{
	static const char * const titles[] = {
		"PORT", "NETDEV", "PROTO", "STATE", "FOR", "RATE", "ADDRESS",
		"OUTAGES", "DOWN", "LAST ERROR", "OF",
	};
	struct table table;
	size_t i;

	table_start(&table, titles, ARRAY_SIZE(titles));
	for (i = 0; i < c->all.count; i++)
		fill_row(&table, c, &c->all.list[i], has_color);
	if (table_print(&table) != STATUS_OK)
		return STATUS_ERROR;
	return print_problems(c);
}

static void json_conditions(struct text *t, const struct port_health *health)
{
	const char *comma = "";
	unsigned int bit;

	text_put(t, ",\"conditions\":[");
	for (bit = 0; bit < CONDITIONS; bit++) {
		if (!(health->conditions & 1U << bit))
			continue;
		text_put(t, comma);
		text_json(t, condition_name(bit));
		comma = ",";
	}
	text_printf(t, "],\"acknowledged\":%s", health->is_acked ? "true" : "false");
}

static void json_history_of(struct text *t, const struct history *history)
{
	const struct rdmaev_record *error = &history->last_error;
	const char *comma = "";
	size_t i;

	text_key_number(t, "outages_last_hour", true, history->recent.least);
	text_key_number(t, "outages_last_hour_max", true, history->recent.most);
	text_put(t, ",\"last_error\":");
	if (error->seq) {
		text_put(t, "{\"seq\":");
		text_number(t, error->seq);
		text_put(t, ",\"time\":");
		text_json_time(t, error->realtime_ns);
		text_key_name(t, "kind", kind_name(error->kind), error->kind);
		text_put(t, ",\"event\":\"");
		put_event_name(t, error->kind, error->code);
		text_printf(t, "\",\"code\":%u}", error->code);
	} else {
		text_put(t, "null");
	}
	text_put(t, ",\"failed\":[");
	for (i = 0; i < history->owners_count; i++) {
		text_put(t, comma);
		text_json(t, history->owners[i]);
		comma = ",";
	}
	text_put(t, "]");
}

static void json_lost_of(struct text *t, const struct check *c, const struct port_health *port)
{
	const char *comma = "";
	size_t i;

	text_put(t, ",\"not_connected\":[");
	for (i = 0; i < c->lost.count; i++) {
		if (!is_lost_on(&c->lost, i, port->port))
			continue;
		text_put(t, comma);
		json_lost(t, &c->lost, i);
		comma = ",";
	}
	text_put(t, "]");
}

static void put_json(struct text *t, const void *of, size_t item)
{
	const struct check *c = of;
	const struct host_health *all = &c->all;
	const struct port_health *health = &all->list[item];
	const struct rdmaev_port *port = health->port;

	json_device(t, health->device);
	text_printf(t, ",\"port\":%u", port->port);
	json_netdev(t, port);
	json_protocols(t, port);
	json_state(t, port);
	json_query(t, port);
	text_put(t, ",\"health\":");
	text_json(t, health_name(health->health));
	json_conditions(t, health);
	text_key_name(t, "speed", speed_name(port->speed), port->speed);
	text_key_name(t, "width", width_name(port->width), port->width);
	json_rate(t, "rate_mbps", port->speed, port->width);
	json_rate(t, "best_rate_mbps", port->best_speed, port->best_width);
	text_printf(t, ",\"mtu\":%u", port->mtu);
	json_link_modes(t, &health->modes);
	text_printf(t, ",\"lid\":%u", port->lid);
	json_gid(t, port);
	text_printf(t, ",\"outages\":%u", port->outages);
	json_history(t, &all->s, port);
	text_printf(t, ",\"stalled_cqs\":%u", health->stalled);
	text_put(t, ",\"probe\":");
	if (health->probe.interval_ms)
		text_json(t, probe_state_name(health->probe.state));
	else
		text_put(t, "null");
	text_put(t, ",\"missing\":");
	text_json_bits(t, health->missing, part_name);
	text_put(t, ",\"openable\":");
	text_put(t, health->openable == OPENABLE_UNKNOWN ? "null" :
		 health->openable == OPENABLE_YES ? "true" : "false");
	json_holders(t, health->device);
	json_history_of(t, health->history);
	json_lost_of(t, c, health);
	text_key_number(t, "seq", true, all->s.seq);
	text_put(t, "}");
}

static int print_json(const struct check *c)
{
	enum output result = OUTPUT_DONE;
	size_t i;

	for (i = 0; i < c->all.count && result == OUTPUT_DONE; i++)
		result = output_item(put_json, c, i);
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

/* Returns the exit status. */
static int print_all(const struct check *c)
{
	const struct host_health *all = &c->all;
	int status = STATUS_OK;

	if (c->o->format)
		return print_check(c->o->format, all);
	if (c->o->json)
		status = print_json(c);
	else if (all->count)
		status = print_table(c, output_color(c->o));
	if (status == STATUS_OK && !c->o->json && !c->targets_count)
		status = print_host(c);
	if (!all->count && !c->o->quiet)
		complain("%s", c->targets_count ? "no such port" : "no RDMA ports");
	if (status != STATUS_OK)
		return status;
	switch (worst_health(all)) {
	case HEALTH_OK:
	case HEALTH_NEVER_ACTIVE:
		return STATUS_OK;
	case HEALTH_UNKNOWN:
		return STATUS_ERROR;
	default:
		return STATUS_PROBLEM;
	}
}

/* All of the log is only read if there is something to be found. */
static int find_lost(struct check *c)
{
	const uint64_t now = c->all.s.now;
	size_t i;

	for (i = 0; i < c->all.count; i++) {
		const uint64_t failed = c->all.list[i].history->connection_ns;

		if (failed && failed + TRYING_NS > now)
			return read_lost(c->h, now, &c->lost);
	}
	return 0;
}

static int status_fetch(struct check *c)
{
	return take_health(c->h, &c->all, c->o->expect_active, c->targets, c->targets_count,
			   c->again);
}

static int status_show(void *arg)
{
	struct check *c = arg;
	int ret = status_fetch(c);

	if (!ret && !c->o->format)
		ret = find_lost(c);
	if (!ret)
		c->status = print_all(c);
	else if (c->o->format)
		c->status = print_check(c->o->format, NULL);
	else
		c->status = STATUS_ERROR;
	free_health(&c->all);
	free_lost(&c->lost);
	c->again = true;
	return ret ? STATUS_ERROR : STATUS_OK;
}

/* False after a message */
static bool open_check(struct check *c, int argc, char **argv)
{
	c->targets = parse_targets(argc, argv);
	c->targets_count = (size_t)argc;
	if (c->targets)
		c->h = open_node(c->o, RDMAEV_NONBLOCK);
	return c->h;
}

static void close_check(struct check *c)
{
	close_node(c->h);
	free(c->targets);
}

/* What cannot be written is unknown to a checker, too. */
static int check_finish(const struct options *o, int status)
{
	int finished = output_finish(status);

	return o->format == CHECK_NAGIOS && finished != status ? NAGIOS_UNKNOWN : finished;
}

int run_status(struct options *o, int argc, char **argv)
{
	struct check c = { .o = o, .status = STATUS_ERROR };

	if (o->format && o->json) {
		complain("--format and --json exclude each other");
		return output_finish(print_check(o->format, NULL));
	}
	if (open_check(&c, argc, argv)) {
		if (refresh(o, c.h, status_show, &c) != STATUS_OK && !o->format)
			c.status = STATUS_ERROR;
	} else if (o->format) {
		c.status = print_check(o->format, NULL);
	}
	close_check(&c);
	return check_finish(o, c.status);
}

static int status_ack(const struct check *c)
{
	enum output result = OUTPUT_DONE;
	size_t i, problems = 0;

	for (i = 0; i < c->all.count; i++)
		problems += c->all.list[i].conditions != 0;
	if (!problems) {
		if (!c->o->quiet)
			complain("nothing to acknowledge: no condition on %s",
				 c->all.count == 1 ? "this port" : "these ports");
		return STATUS_OK;
	}
	if (write_acks(&c->all) < 0)
		return STATUS_ERROR;
	for (i = 0; i < c->all.count && result == OUTPUT_DONE; i++) {
		struct port_health port = c->all.list[i];

		if (!port.conditions)
			continue;
		port.is_acked = true;
		result = print_problem(&c->all, &port);
	}
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

int run_ack(struct options *o, int argc, char **argv)
{
	struct check c = { .o = o };
	int status = STATUS_ERROR;

	if (!argc) {
		complain("ack needs a device or a port: rdmaev ack rxe0/1");
		return STATUS_ERROR;
	}
	if (open_check(&c, argc, argv) && !status_fetch(&c)) {
		if (c.all.count)
			status = status_ack(&c);
		else
			complain("no such port");
	}
	free_health(&c.all);
	close_check(&c);
	return output_finish(status);
}
