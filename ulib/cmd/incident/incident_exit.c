// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs that end with their process: the kernel destroys them one after the other, and finds
 * some of them in ERR just before.
 */
#include "incident_codes.h"
#include "incident_exit.h"
#include "incident_state.h"

/* Of two QPs of one process, the second ends within this time: pids are used again. */
#define EXIT_NS	(60 * SECOND)

bool is_destroyed_by_exit(const struct rdmaev_record *r)
{
	return is_code(r, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY) && !r->body.qp.result && r->pid;
}

static bool is_exit(const struct node *node)
{
	return node->is_exit || (is_destroyed_by_exit(&node->r) && !node->r.cause);
}

/* Both were destroyed, or found to have failed, by the same process, as it ended so. */
static bool is_same_process(const struct rdmaev_record *a, const struct rdmaev_record *b)
{
	return a->body.info.uid == b->body.info.uid &&
	       a->body.info.pid_ns == b->body.info.pid_ns &&
	       a->body.qp.caller_pid == b->body.qp.caller_pid &&
	       (a->code != b->code || a->body.qp.signal == b->body.qp.signal);
}

static size_t same_exit_parent(const struct incident_log *log,
			       const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	const struct rule_place *process;

	if (!is_exit(&log->nodes[i]))
		return NONE;
	process = find_place(state, 0, r->pid);
	if (!process || !is_same_process(&log->nodes[process->first].r, r) ||
	    r->boottime_ns > log->nodes[process->last].r.boottime_ns + EXIT_NS)
		return NONE;
	return process->first;
}

const struct incident_rule same_exit_rule = {
	.name = "same_exit",
	.words = "ended with the same process",
	.parent = same_exit_parent,
	.kind = RDMAEV_KIND_QP,
};

void note_exit(const struct incident_log *log, struct rule_state *state, size_t i)
{
	const struct node *node = &log->nodes[i];
	struct rule_place *process;

	if (!is_exit(node) || (node->rule && node->rule != &same_exit_rule))
		return;
	process = make_place(state, 0, node->r.pid);
	if (!process)
		return;
	if (!node->rule)
		process->first = (uint32_t)i;
	process->last = (uint32_t)i;
}
