// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rules about ports that are down, and devices that fail */
#include "incident_codes.h"
#include "incident_port.h"
#include "incident_state.h"

/*
 * What follows from a failed device does so within this time; its reset, which
 * removes it, at any time.
 */
#define FAILED_NS	(60 * SECOND)

static size_t device_failed_parent(const struct incident_log *log,
				   const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	size_t failed;

	if (!is_about_port(r) && !is_unreachable(r) && !is_removal(r) && !is_fatal(r))
		return NONE;
	/* Its GIDs are addresses of the host, which come and go as before. */
	if (is_gid_change(r))
		return NONE;
	/* The newest: it may fail more than once. */
	failed = failed_record(state, r->generation);
	if (failed == NONE || is_removal(r))
		return failed;
	return r->boottime_ns < log->nodes[failed].r.boottime_ns + FAILED_NS ? failed : NONE;
}

const struct incident_rule device_failed_rule = {
	"device_failed", "the device had failed", device_failed_parent,
};

static size_t port_down_parent(const struct incident_log *log,
			       const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;

	/* Changes of GIDs have a rule of their own. */
	if ((!is_about_port(r) && !is_unreachable(r)) || is_gid_change(r) ||
	    (is_own_request(r) && !log->nodes[i].is_unanswered))
		return NONE;
	return down_record(log, state, i);
}

const struct incident_rule port_down_rule = { PORT_DOWN, port_down_parent };
