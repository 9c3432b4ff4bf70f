// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The rules of incidents. The kernel gives a record its cause where it knows
 * it. A rule joins others, but only if the log itself shows the connection: the same port
 * while it is down, or whose hardware address has changed, the same device after it failed
 * or while it is removed, the two ends of one connection, the same QP, its peer, a GID while
 * it is not there, QPs that a process has a ULP close, an owner that connects again, a
 * process that ends.
 */
#include "incident_exit.h"
#include "incident_gid_removed.h"
#include "incident_gids.h"
#include "incident_port.h"
#include "incident_qp.h"
#include "incident_retry.h"
#include "incident_rules.h"
#include "incident_state.h"
#include "text.h"

/* The first that finds a parent applies. */
static const struct incident_rule *const rules[] = {
	&device_failed_rule,
	&device_removed_rule,
	&same_change_rule,
	&port_down_rule,
	&gid_of_outage_rule,
	&other_end_rule,
	&same_qp_rule,
	&gid_removed_rule,
	&peer_qp_rule,
	&same_call_rule,
	&connects_again_rule,
	&same_exit_rule,
};

const struct incident_rule *find_rule(const struct incident_log *log,
				      const struct rule_state *state, size_t i,
				      size_t *parent)
{
	const unsigned int kind = log->nodes[i].r.kind;
	size_t rule;

	for (rule = 0; rule < ARRAY_SIZE(rules); rule++) {
		if (rules[rule]->kind && rules[rule]->kind != kind)
			continue;
		*parent = rules[rule]->parent(log, state, i);
		if (*parent != NONE)
			return rules[rule];
	}
	return NULL;
}

void note_record(struct incident_log *log, struct rule_state *state, size_t i)
{
	note_place(log, state, i);
	switch (log->nodes[i].r.kind) {
	case RDMAEV_KIND_ASYNC:
	case RDMAEV_KIND_WC:
		note_failures(log, state, i);
		break;
	case RDMAEV_KIND_PORT:
		note_failures(log, state, i);
		note_gid(log, state, i);
		break;
	case RDMAEV_KIND_CM:
		note_failures(log, state, i);
		note_change(log, state, i);
		note_gid(log, state, i);
		note_retry(log, state, i);
		break;
	case RDMAEV_KIND_QP:
		note_exit(log, state, i);
		break;
	}
	note_qp(log, state, i);
}
