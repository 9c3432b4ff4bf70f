// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Judge the health of ports by their state, their past and the CQs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "acks.h"
#include "base/complain.h"
#include "catalogue.h"
#include "cqs.h"
#include "health.h"
#include "holders.h"
#include "option/arguments.h"
#include "output/open.h"
#include "ports.h"
#include "probes.h"
#include "targets.h"

static bool was_faster(const struct rdmaev_port *port)
{
	return link_rate(port->speed, port->width) <
	       link_rate(port->best_speed, port->best_width);
}

static bool could_be_faster(const struct link_modes *modes)
{
	return modes->speed && modes->speed < modes->common;
}

/* The state was never found, or is out of date. */
static bool is_unknown(const struct rdmaev_port *port)
{
	return !port->state || port->flags & RDMAEV_PORT_FLAG_REMOVING ||
	       port->flags & RDMAEV_PORT_FLAG_QUERY_FAILED;
}

static bool was_never_active(const struct rdmaev_port *port)
{
	return port->flags & RDMAEV_PORT_FLAG_NEVER_ACTIVE;
}

static uint32_t conditions_of(const struct port_health *health, bool expects_active)
{
	const struct rdmaev_port *port = health->port;
	uint32_t conditions = 0;

	if (port->flags & RDMAEV_PORT_FLAG_QUERY_STUCK)
		conditions |= CONDITION_STUCK;
	if (probe_is_failing(&health->probe))
		conditions |= CONDITION_NOT_COMPLETING;
	else if (health->probe.state == RDMAEV_PROBE_STATE_LATE)
		conditions |= CONDITION_PROBE_LATE;
	if (health->missing)
		conditions |= CONDITION_INCOMPLETE;
	if (health->failures)
		conditions |= CONDITION_FAILED;
	if (is_unknown(port))
		return conditions;
	if (was_never_active(port) && !expects_active)
		return conditions;
	if (port->state < RDMAEV_STATE_ACTIVE)
		return conditions | CONDITION_DOWN;
	if (was_faster(port) || could_be_faster(&health->modes))
		conditions |= CONDITION_SLOW;
	if (health->history->recent.most >= FLAPPING_OUTAGES)
		conditions |= CONDITION_FLAPPING;
	if (health->stalled)
		conditions |= CONDITION_STALLED;
	return conditions;
}

static void health_judge(struct port_health *health, bool expects_active)
{
	const uint32_t worst = CONDITION_DOWN | CONDITION_FAILED | CONDITION_NOT_COMPLETING;

	/* The probe and an event need no query. */
	if (is_unknown(health->port) && !health->failures &&
	    !probe_is_failing(&health->probe)) {
		health->health = HEALTH_UNKNOWN;
		return;
	}
	health->conditions = conditions_of(health, expects_active);
	if (health->conditions & worst)
		health->health = HEALTH_DOWN;
	else if (health->conditions)
		health->health = HEALTH_DEGRADED;
	else if (was_never_active(health->port))
		health->health = HEALTH_NEVER_ACTIVE;
}

static void count_stalled(struct host_health *all,
			  const struct rdmaev_cq_stats *cqs, size_t count)
{
	size_t i, p;

	for (i = 0; i < count; i++) {
		if (!(cqs[i].flags & RDMAEV_CQ_STALLED))
			continue;
		for (p = 0; p < all->count; p++)
			if (all->list[p].port->generation == cqs[i].generation)
				all->list[p].stalled++;
	}
}

static int take_stalled(struct rdmaev *h, struct host_health *all)
{
	struct rdmaev_cq_stats *cqs;
	size_t count;
	uint64_t seq;
	int ret = list_cqs(h, 0, &cqs, &count, &seq);

	if (!ret)
		count_stalled(all, cqs, count);
	free(cqs);
	return ret;
}

/* Those of an older module, which has no such list, are none, recorded or not. */
static int take_probes(struct rdmaev *h, struct host_health *all)
{
	struct rdmaev_probe *list;
	uint64_t seq;
	ssize_t n = list_probes(h, &list, &seq), i;
	size_t p;

	for (i = 0; i < n; i++)
		for (p = 0; p < all->count; p++)
			if (all->list[p].port->generation == list[i].generation &&
			    all->list[p].port->port == list[i].port)
				all->list[p].probe = list[i];
	free(list);
	if (n >= 0 || errno == ENOTTY || errno == EOPNOTSUPP ||
	    errno == ENODATA)
		return 0;
	complain("cannot list the probes: %s", reader_error());
	return -1;
}

/* A device that has failed works again when it was reset, which removes it first. */
static void count_failures(struct host_health *all)
{
	const struct snapshot *s = &all->s;
	size_t i, p;

	for (i = 0; i < s->counters_count; i++) {
		const struct rdmaev_counter *counter = &s->counters[i];

		if (counter->kind != RDMAEV_KIND_ASYNC ||
		    counter->code != RDMAEV_ASYNC_DEVICE_FATAL)
			continue;
		for (p = 0; p < all->count; p++) {
			if (all->list[p].port->generation != counter->generation)
				continue;
			all->list[p].failures = (uint32_t)counter->count;
			all->list[p].failed_ns = counter->last_boottime_ns;
		}
	}
}

static int fill_list(struct host_health *all, const struct parts *parts)
{
	const struct snapshot *s = &all->s;
	size_t d, p;

	all->list = calloc(s->ports_count + 1, sizeof(*all->list));
	if (!all->list) {
		complain("out of memory");
		return -1;
	}
	/* In the order of devices */
	for (d = 0; d < s->devices_count; d++) {
		for (p = 0; p < s->ports_count; p++) {
			if (s->ports[p].generation != s->devices[d].generation)
				continue;
			all->list[all->count++] = (struct port_health){
				.device = &s->devices[d],
				.port = &s->ports[p],
				.history = &all->history[p],
				.modes = read_link_modes(&s->ports[p]),
				.missing = missing_parts(parts, &s->ports[p]),
				.openable = openable_by_programs(parts, &s->ports[p]),
			};
		}
	}
	return 0;
}

/* The ports that are not selected, too, are compared. */
static int take_ports(struct rdmaev *h, struct host_health *all, struct parts *parts,
		      const struct target *targets, size_t count, bool again)
{
	memset(all, 0, sizeof(*all));
	memset(parts, 0, sizeof(*parts));
	if (take_snapshot(h, &all->s, false, true) || read_parts(parts, &all->s))
		return -1;
	return select_targets(h, &all->s, targets, count, again);
}

static int take_lists(struct rdmaev *h, struct host_health *all, const struct parts *parts)
{
	struct rdmaev_info info;
	size_t i;

	if (rdmaev_info(h, &info) < 0) {
		complain("cannot read the log's state: %s", reader_error());
		return -1;
	}
	all->instance = info.instance;
	all->history = read_history(h, &all->s);
	if (!all->history || take_before(h, &all->s, &all->before) ||
	    fill_list(all, parts) || take_stalled(h, all) || take_probes(h, all))
		return -1;
	count_failures(all);
	for (i = 0; i < all->count; i++)
		health_judge(&all->list[i], all->expects_active);
	read_acks(all);
	return 0;
}

int take_health(struct rdmaev *h, struct host_health *all, bool expects_active,
		const struct target *targets, size_t count, bool again)
{
	struct parts parts;
	int ret = take_ports(h, all, &parts, targets, count, again);

	all->expects_active = expects_active;
	all->is_unloaded = parts.is_unloaded;
	if (!ret)
		ret = take_lists(h, all, &parts);
	free(parts.list);
	return ret;
}

void free_health(struct host_health *all)
{
	free(all->list);
	free(all->history);
	free_snapshot(&all->before);
	free_snapshot(&all->s);
}

enum health worst_health(const struct host_health *all)
{
	enum health worst = HEALTH_OK;
	size_t i;

	for (i = 0; i < all->count; i++)
		if (!all->list[i].is_acked && all->list[i].health > worst)
			worst = all->list[i].health;
	/* Without a port nobody can tell. */
	return all->count ? worst : HEALTH_UNKNOWN;
}

const char *health_name(enum health health)
{
	static const char * const names[] = {
		[HEALTH_OK] = "ok",
		[HEALTH_NEVER_ACTIVE] = "never-active",
		[HEALTH_UNKNOWN] = "unknown",
		[HEALTH_DEGRADED] = "degraded",
		[HEALTH_DOWN] = "down",
	};

	return names[health];
}

const char *condition_name(unsigned int bit)
{
	static const char * const names[CONDITIONS] = {
		"down", "slow", "flapping", "stalled", "stuck", "probe-late",
		"not-completing", "incomplete", "failed",
	};

	return names[bit];
}

static void put_slow(struct text *t, const struct port_health *health)
{
	const struct link_modes *modes = &health->modes;
	const struct rdmaev_port *port = health->port;

	if (was_faster(port)) {
		put_rate(t, port->speed, port->width);
		text_put(t, ", was ");
		put_rate(t, port->best_speed, port->best_width);
	}
	if (could_be_faster(modes))
		text_printf(t, "%slink of %u Mb/s, both ends can do %u Mb/s",
			    was_faster(port) ? "; " : "", modes->speed,
			    modes->common);
}

/* "3 outages in the last hour", or "1 to 57 ..." if records of it were overwritten */
static void put_outages(struct text *t, const struct outages *recent)
{
	if (recent->least < recent->most)
		text_printf(t, "%llu to ", (unsigned long long)recent->least);
	text_printf(t, "%llu outages in the last hour",
		    (unsigned long long)recent->most);
	if (recent->least < recent->most)
		text_put(t, ", of which records were overwritten");
}

/* "no uverbs device file, as other devices have; reload ib_uverbs" */
static void put_missing(struct text *t, const struct port_health *health)
{
	const char *between = "no ";
	unsigned int bit;

	for (bit = 0; bit < PARTS; bit++) {
		if (!(health->missing & 1U << bit))
			continue;
		text_printf(t, "%s%s", between, part_name(bit));
		between = " and ";
	}
	between = " device file, as other devices have; reload ib_";
	for (bit = 0; bit < PARTS; bit++) {
		if (!(health->missing & 1U << bit))
			continue;
		text_printf(t, "%s%s", between, part_name(bit));
		between = " ib_";
	}
}

static void put_condition(struct text *t, const struct port_health *health,
			  uint32_t condition, uint64_t now)
{
	const struct rdmaev_port *port = health->port;

	switch (condition) {
	case CONDITION_DOWN:
		if (was_never_active(port))
			text_put(t, "never ACTIVE, ");
		put_known(t, state_name(port->state), port->state);
		text_put(t, " for ");
		text_duration(t, now > port->state_since_ns ?
			      now - port->state_since_ns : 0);
		if (port->outage_flags & RDMAEV_OUTAGE_ADMIN)
			text_put(t, ", network device set down");
		break;
	case CONDITION_SLOW:
		put_slow(t, health);
		break;
	case CONDITION_FLAPPING:
		put_outages(t, &health->history->recent);
		break;
	case CONDITION_STALLED:
		text_printf(t, "%u CQ%s stalled", health->stalled,
			    health->stalled == 1 ? "" : "s");
		break;
	case CONDITION_STUCK:
		text_put(t, "a query of the port does not return");
		break;
	case CONDITION_INCOMPLETE:
		put_missing(t, health);
		break;
	case CONDITION_FAILED:
		text_put(t, "the device failed (DEVICE_FATAL) ");
		text_duration(t, now > health->failed_ns ? now - health->failed_ns : 0);
		text_put(t, " ago");
		break;
	case CONDITION_PROBE_LATE:
	case CONDITION_NOT_COMPLETING:
		text_put(t, "probe: ");
		put_probe_problem(t, &health->probe);
		text_put(t, " for ");
		text_duration(t, now > health->probe.since_ns ?
			      now - health->probe.since_ns : 0);
		break;
	}
}

/* "being removed for 5s, by rdma[1234], which waits in ib_uverbs, held by python3[155]" */
static void put_removal(struct text *t, const struct rdmaev_device *device, uint64_t now)
{
	text_put(t, "being removed");
	/* An older module does not say since when. */
	if (device->removing_since_ns) {
		text_put(t, " for ");
		text_duration(t, now > device->removing_since_ns ?
			      now - device->removing_since_ns : 0);
	}
	if (device->remover_pid) {
		text_put(t, ", by ");
		text_name(t, device->remover_comm);
		text_printf(t, "[%u]", device->remover_pid);
	}
	put_holders(t, device);
}

void put_conditions(struct text *t, const struct port_health *port, uint64_t now)
{
	const char *between = "";
	unsigned int bit;

	if (port->health == HEALTH_UNKNOWN) {
		if (port->port->flags & RDMAEV_PORT_FLAG_REMOVING)
			put_removal(t, port->device, now);
		else if (port->port->flags & RDMAEV_PORT_FLAG_QUERY_FAILED)
			put_query_failure(t, port->port, now);
		else
			text_put(t, "the driver reports no state");
		return;
	}
	for (bit = 0; bit < CONDITIONS; bit++) {
		if (!(port->conditions & 1U << bit))
			continue;
		text_put(t, between);
		put_condition(t, port, 1U << bit, now);
		between = "; ";
	}
}
