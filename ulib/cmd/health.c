// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Judge the health of ports by their state, their past and the CQs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "acks.h"
#include "catalogue.h"
#include "cqs.h"
#include "health.h"
#include "ports.h"

static uint32_t conditions_of(const struct port_health *health)
{
	const struct rdmaev_port *port = health->port;
	uint32_t conditions = 0;

	if (port->state < RDMAEV_STATE_ACTIVE)
		return CONDITION_DOWN;
	if (link_rate(port->speed, port->width) <
	    link_rate(port->best_speed, port->best_width))
		conditions |= CONDITION_SLOW;
	if (health->history->recent_outages >= FLAPPING_OUTAGES)
		conditions |= CONDITION_FLAPPING;
	if (health->stalled)
		conditions |= CONDITION_STALLED;
	return conditions;
}

static void judge(struct port_health *health)
{
	/* Of a port whose queries fail, and of a device that is being removed */
	if (!health->port->state) {
		health->health = HEALTH_UNKNOWN;
		return;
	}
	health->conditions = conditions_of(health);
	if (health->conditions & CONDITION_DOWN)
		health->health = HEALTH_DOWN;
	else if (health->conditions)
		health->health = HEALTH_DEGRADED;
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

static int fill_list(struct host_health *all)
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
			};
		}
	}
	return 0;
}

int take_health(struct rdmaev *h, struct host_health *all,
		const struct target *targets, size_t count, bool again)
{
	struct rdmaev_info info;
	size_t i;

	memset(all, 0, sizeof(*all));
	if (take_snapshot(h, &all->s, false, false) ||
	    select_targets(&all->s, targets, count, again))
		return -1;
	if (rdmaev_info(h, &info) < 0) {
		complain("cannot read the log's state: %s", reader_error());
		return -1;
	}
	all->instance = info.instance;
	all->history = read_history(h, &all->s);
	if (!all->history || fill_list(all) || take_stalled(h, all))
		return -1;
	for (i = 0; i < all->count; i++)
		judge(&all->list[i]);
	read_acks(all);
	return 0;
}

void free_health(struct host_health *all)
{
	free(all->list);
	free(all->history);
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
		[HEALTH_UNKNOWN] = "unknown",
		[HEALTH_DEGRADED] = "degraded",
		[HEALTH_DOWN] = "down",
	};

	return names[health];
}

const char *condition_name(unsigned int bit)
{
	static const char * const names[CONDITIONS] = {
		"down", "slow", "flapping", "stalled",
	};

	return names[bit];
}

static void put_condition(struct text *t, const struct port_health *health,
			  uint32_t condition, uint64_t now)
{
	const struct rdmaev_port *port = health->port;

	switch (condition) {
	case CONDITION_DOWN:
		put_known(t, state_name(port->state), port->state);
		text_put(t, " for ");
		text_duration(t, now > port->state_since_ns ?
			      now - port->state_since_ns : 0);
		if (port->outage_flags & RDMAEV_OUTAGE_ADMIN)
			text_put(t, ", network device set down");
		break;
	case CONDITION_SLOW:
		put_rate(t, port->speed, port->width);
		text_put(t, ", was ");
		put_rate(t, port->best_speed, port->best_width);
		break;
	case CONDITION_FLAPPING:
		text_printf(t, "%llu outages in the last hour",
			    (unsigned long long)health->history->recent_outages);
		break;
	case CONDITION_STALLED:
		text_printf(t, "%u CQ%s stalled", health->stalled,
			    health->stalled == 1 ? "" : "s");
		break;
	}
}

void put_conditions(struct text *t, const struct port_health *port, uint64_t now)
{
	const char *between = "";
	unsigned int bit;

	if (port->health == HEALTH_UNKNOWN)
		return text_put(t, port->port->flags & RDMAEV_PORT_FLAG_REMOVING ?
				"being removed" : "queries of the port fail");
	for (bit = 0; bit < CONDITIONS; bit++) {
		if (!(port->conditions & 1U << bit))
			continue;
		text_put(t, between);
		put_condition(t, port, 1U << bit, now);
		between = "; ";
	}
}
