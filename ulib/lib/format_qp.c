// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The line of a request for a QP, or of its end; and that of many of them */
#include <errno.h>
#include <string.h>

#include "catalogue.h"
#include "format.h"

static void put_qp_state(struct text *t, unsigned int state)
{
	const char *name = rdmaev_qp_state_name(state);

	if (name)
		text_put(t, name);
	else
		text_printf(t, "state %u", state);
}

/*
 * Thread and kernel function that made a request: " by rm[276] in
 * nvmet_rdma_delete_ctrl". Nothing if it was the owner by a system call.
 */
static void put_caller(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_qp_body *body = &r->body.qp;
	struct name comm = GET_NAME(body->caller_comm);
	bool has_function = body->info.known & RDMAEV_KNOWN_CALLER;
	struct name function = get_name(body->origin.caller,
					has_function ? sizeof(body->origin.caller) : 0);
	struct name owner = owner_name(r);
	bool is_owner = body->info.known & RDMAEV_KNOWN_UID &&
			body->caller_pid == r->pid &&
			!strcmp(comm.text, owner.text);

	if (comm.text[0] && (!is_owner || function.text[0])) {
		text_put(t, " by ");
		text_name(t, comm.text);
		if (body->caller_pid)
			text_printf(t, "[%u]", body->caller_pid);
	} else if (body->caller_pid && body->caller_pid != r->pid) {
		text_printf(t, " by pid %u", body->caller_pid);
	}
	if (function.text[0]) {
		text_put(t, " in ");
		text_name(t, function.text);
	}
}

/* Reason of a destruction: only that by a process that exits is recorded. */
static void put_exit(struct text *t, const struct rdmaev_qp_body *body)
{
	const char *name = signal_name(body->signal);

	if (body->signal) {
		text_printf(t, ", process killed by signal %u", body->signal);
		if (name)
			text_printf(t, " (%s)", name);
		if (body->flags & RDMAEV_QP_FLAG_OUT_OF_MEMORY)
			text_put(t, ", out of memory");
	} else if (body->info.known & RDMAEV_KNOWN_UID) {
		text_put(t, ", process exited");
	}
}

/* Which limit of the rdma cgroup a process has reached */
static void put_limit(struct text *t, const struct rdmaev_record *r)
{
	if (r->body.qp.result != -EAGAIN)
		return;
	if (r->code == RDMAEV_QP_CREATE_OBJECT)
		text_put(t, ", limit hca_object of its rdma cgroup");
	else if (r->code == RDMAEV_QP_CREATE_CONTEXT)
		text_put(t, ", limit hca_handle of its rdma cgroup");
}

/* What happened to a QP, or to several */
static void put_qp_change(struct text *t, const struct rdmaev_record *r, bool is_one)
{
	const struct rdmaev_qp_body *body = &r->body.qp;
	bool is_end = r->code == RDMAEV_QP_DESTROY;

	if (is_end) {
		text_put(t, body->result ? "destruction" : "destroyed");
	} else if (r->code == RDMAEV_QP_FAILED) {
		text_put(t, is_one ? "was in " : "were in ");
		if (body->info.known & RDMAEV_KNOWN_QP_STATE)
			put_qp_state(t, body->info.qp_state);
		else
			text_put(t, "SQE or ERR");
		text_put(t, is_one ? ", not asked for by its owner" :
				     ", not asked for by their owner");
		return;
	} else if (r->code >= RDMAEV_QP_CREATE && r->code <= RDMAEV_QP_CREATE_SRQ) {
		text_put(t, "creation");
	} else if (r->code == RDMAEV_QP_CREATE_OBJECT) {
		text_put(t, "creation of an object");
	} else if (r->code == RDMAEV_QP_CREATE_CONTEXT) {
		text_put(t, "opening the device");
	} else {
		if (body->info.known & RDMAEV_KNOWN_QP_STATE) {
			put_qp_state(t, body->info.qp_state);
			text_put(t, " ");
		}
		text_put(t, "-> ");
		put_qp_state(t, r->code);
	}
	put_caller(t, r);
	if (body->result) {
		text_put(t, " failed: ");
		put_errno(t, body->result);
		put_limit(t, r);
	} else if (is_end) {
		put_exit(t, body);
	}
}

void put_qp_detail(struct text *t, const struct rdmaev_record *r)
{
	size_t start = t->len;

	put_object_detail(t, r);
	text_put(t, t->len == start ? "" : ": ");
	/* The sum of a burst may be of several. */
	put_qp_change(t, r, r->count == 1 || event_has_object(r));
}

void put_qps_detail(struct text *t, const struct rdmaev_record *r, size_t qps,
		    unsigned long long times)
{
	const struct rdmaev_qp_body *body = &r->body.qp;

	if (qps)
		text_printf(t, "%zu QP%s", qps, qps == 1 ? "" : "s");
	else
		put_object(t, r);
	put_owner(t, " ", "of ", r);
	/* The others of the same line asked for the same. */
	if (body->result) {
		put_peer(t, body->info.known & ~RDMAEV_KNOWN_PEER_QPN, &body->peer);
		put_path(t, body);
	}
	if (times != qps)
		text_printf(t, ", %llu times", times);
	text_put(t, ": ");
	put_qp_change(t, r, qps == 1);
}

void put_qps_more(struct text *t, const struct rdmaev_record *r, unsigned long long times)
{
	text_printf(t, "%llu more: ", times);
	put_qp_change(t, r, times == 1);
}
