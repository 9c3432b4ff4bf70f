// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev qps: print QPs by owner and state. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/status.h"
#include "catalogue.h"
#include "cmd.h"
#include "format.h"
#include "option/arguments.h"
#include "output/open.h"
#include "output/output.h"
#include "output/refresh.h"
#include "output/table.h"
#include "state/qps.h"
#include "state/snapshot.h"
#include "state/targets.h"

/**
 * struct qps - what is printed
 * @o: command line
 * @targets: devices and ports given as arguments, @targets_count of them
 * @h: reader
 * @s: those devices and ports
 * @list: their QPs, sorted by owner, @count of them
 * @owners: owners of these, @owners_count of them
 * @seq: newest record when they were listed
 * @again: not the first output
 */
struct qps {
	const struct options *o;
	struct target *targets;
	size_t targets_count;
	struct rdmaev *h;
	struct snapshot s;
	struct rdmaev_qp *list;
	size_t count;
	struct qp_owner *owners;
	size_t owners_count;
	uint64_t seq;
	bool again;
};

static const char *qp_state_key(unsigned int state)
{
	return state < QP_STATES - 1 ? rdmaev_qp_state_name(state) : "UNKNOWN";
}

/* A QP without a port belongs to those of whose device all ports are selected. */
static bool qp_selected(const struct qps *q, const struct rdmaev_qp *qp)
{
	const struct rdmaev_device *device = find_device(&q->s, qp->generation);
	uint32_t selected = 0;
	size_t i;

	if (!device)
		return false;
	for (i = 0; i < q->s.ports_count; i++) {
		if (q->s.ports[i].generation != qp->generation)
			continue;
		if (q->s.ports[i].port == qp->port)
			return true;
		selected++;
	}
	return qp->port == RDMAEV_NO_PORT && selected == device->ports;
}

/* Why there is none, or why some may not be here */
static void complain_qps(const struct qps *q)
{
	struct rdmaev_info info;
	uint32_t known = 0;

	if (!rdmaev_info(q->h, &info))
		known = info.observer.observed & RDMAEV_OBSERVED_QP_STATES;
	if (!known)
		complain(q->o->file ? "QPs were not observed when this was recorded" :
			 "QPs are not observed: modprobe rdmaev_observe, if it is not loaded (rdmaev observer says more)");
	else if (!q->count)
		complain("no visible QPs%s", geteuid() ?
			 "; only administrators see those of others" : "");
	else if (info.observer.gaps & RDMAEV_OBSERVED_QP_STATES)
		complain("some QPs may be missing, or in another state: the observer has missed calls");
}

static int take_qps(struct qps *q)
{
	size_t n, i;

	if (take_snapshot(q->h, &q->s, false, false) ||
	    select_targets(q->h, &q->s, q->targets, q->targets_count, q->again))
		return -1;
	if (list_qps(q->h, &q->list, &n, &q->seq)) {
		complain("cannot list the QPs: %s", errno == ENOTTY ?
			 "install the same version of command and module" : reader_error());
		return -1;
	}
	for (i = 0; i < n; i++)
		if (qp_selected(q, &q->list[i]))
			q->list[q->count++] = q->list[i];
	q->owners = find_qp_owners(q->list, q->count, &q->owners_count);
	if (!q->owners) {
		complain("out of memory");
		return -1;
	}
	if (!q->o->quiet && !q->again)
		complain_qps(q);
	return 0;
}

/* "name[pid]", as in records */
static void fill_owner(struct table *table, const struct rdmaev_qp *qp)
{
	struct text *t = table_cell(table);

	if (*qp->info.owner)
		text_name(t, qp->info.owner);
	else if (!qp->pid)
		text_put(t, "-");
	if (qp->pid)
		text_printf(t, "[%u]", qp->pid);
}

static void fill_states(struct table *table, const struct qps *q, const struct qp_owner *owner)
{
	bool color = output_color(q->o);
	struct text *t = table_cell(table);
	unsigned int i;

	for (i = 0; i < QP_STATES; i++) {
		bool is_failed = i == RDMAEV_QP_ERR || i == RDMAEV_QP_SQE;

		if (!owner->states[i])
			continue;
		text_printf(t, "%s%s%zu %s%s", t->len ? ", " : "",
			    is_failed && color ? RED : "", owner->states[i], qp_state_key(i),
			    is_failed && color ? PLAIN : "");
	}
}

static int print_owners(const struct qps *q)
{
	static const char * const titles[] = { "DEVICE", "OWNER", "UID", "QPS", "STATES" };
	struct table table;
	size_t i;

	table_start(&table, titles, ARRAY_SIZE(titles));
	for (i = 0; i < q->owners_count; i++) {
		const struct rdmaev_qp *qp = q->owners[i].qps;

		table_row(&table);
		text_name(table_cell(&table), find_device(&q->s, qp->generation)->name);
		fill_owner(&table, qp);
		table_count(&table, qp->info.known & RDMAEV_KNOWN_UID, qp->info.uid);
		table_count(&table, true, q->owners[i].count);
		fill_states(&table, q, &q->owners[i]);
	}
	return table_print(&table);
}

/* "17 at fe80::1": what is known of the other end */
static void fill_peer(struct table *table, const struct rdmaev_qp *qp)
{
	uint32_t known = qp->info.known;
	struct text *t = table_cell(table);

	if (known & RDMAEV_KNOWN_PEER_QPN)
		text_printf(t, "%u", qp->peer.qpn);
	if (known & (RDMAEV_KNOWN_PEER_GID | RDMAEV_KNOWN_PEER_LID))
		text_put(t, t->len ? " at " : "at ");
	if (known & RDMAEV_KNOWN_PEER_GID)
		text_gid(t, qp->peer.gid);
	else if (known & RDMAEV_KNOWN_PEER_LID)
		text_printf(t, "LID %u", qp->peer.lid);
	if (!t->len)
		text_put(t, "-");
}

static void fill_qp(struct table *table, const struct qps *q, const struct rdmaev_qp *qp)
{
	uint32_t known = qp->info.known;
	struct text *t;

	table_row(table);
	t = table_cell(table);
	text_name(t, find_device(&q->s, qp->generation)->name);
	if (qp->port != RDMAEV_NO_PORT)
		text_printf(t, "/%u", qp->port);
	table_count(table, true, qp->qp);
	t = table_cell(table);
	if (known & RDMAEV_KNOWN_QP_TYPE)
		put_known(t, qp_type_name(qp->info.qp_type), qp->info.qp_type);
	else
		text_put(t, "-");
	t = table_cell(table);
	if (known & RDMAEV_KNOWN_QP_STATE)
		put_known(t, rdmaev_qp_state_name(qp->info.qp_state), qp->info.qp_state);
	else
		text_put(t, "-");
	fill_owner(table, qp);
	fill_peer(table, qp);
	table_count(table, known & RDMAEV_KNOWN_SEND_CQ, qp->queues.send_cq);
	table_count(table, known & RDMAEV_KNOWN_RECV_CQ, qp->queues.recv_cq);
	table_count(table, known & RDMAEV_KNOWN_SRQ, qp->queues.srq);
}

static int print_qps(const struct qps *q)
{
	static const char * const titles[] = {
		"PORT", "QP", "TYPE", "STATE", "OWNER", "PEER", "SEND CQ", "RECV CQ", "SRQ",
	};
	struct table table;
	size_t i, k;

	table_start(&table, titles, ARRAY_SIZE(titles));
	for (i = 0; i < q->owners_count; i++)
		for (k = 0; k < q->owners[i].count; k++)
			fill_qp(&table, q, &q->owners[i].qps[k]);
	return table_print(&table);
}

static void json_qp(struct text *t, const struct rdmaev_qp *qp)
{
	uint32_t known = qp->info.known;

	text_printf(t, "{\"qp\":%u", qp->qp);
	text_key_number(t, "port", qp->port != RDMAEV_NO_PORT, qp->port);
	text_key(t, "qp_type");
	text_json_name(t, known & RDMAEV_KNOWN_QP_TYPE, qp_type_name(qp->info.qp_type),
		       qp->info.qp_type);
	text_key(t, "qp_state");
	text_json_name(t, known & RDMAEV_KNOWN_QP_STATE,
		       rdmaev_qp_state_name(qp->info.qp_state), qp->info.qp_state);
	text_key_number(t, "peer_qpn", known & RDMAEV_KNOWN_PEER_QPN, qp->peer.qpn);
	text_key_number(t, "peer_lid", known & RDMAEV_KNOWN_PEER_LID, qp->peer.lid);
	text_key(t, "peer_gid");
	if (known & RDMAEV_KNOWN_PEER_GID) {
		text_put(t, "\"");
		text_gid(t, qp->peer.gid);
		text_put(t, "\"");
	} else {
		text_put(t, "null");
	}
	text_key_number(t, "send_cq", known & RDMAEV_KNOWN_SEND_CQ, qp->queues.send_cq);
	text_key_number(t, "recv_cq", known & RDMAEV_KNOWN_RECV_CQ, qp->queues.recv_cq);
	text_key_number(t, "srq", known & RDMAEV_KNOWN_SRQ, qp->queues.srq);
	text_put(t, "}");
}

static void put_json(struct text *t, const void *of, size_t item)
{
	const struct qps *q = of;
	const struct qp_owner *owner = &q->owners[item];
	const struct rdmaev_qp *qp = owner->qps;
	const char *comma = "";
	unsigned int state;
	size_t i;

	json_device(t, find_device(&q->s, qp->generation));
	text_put(t, ",\"owner\":");
	text_json(t, *qp->info.owner ? qp->info.owner : NULL);
	text_key_number(t, "pid", qp->pid, qp->pid);
	text_key_number(t, "uid", qp->info.known & RDMAEV_KNOWN_UID, qp->info.uid);
	text_key_number(t, "cgroup", qp->info.known & RDMAEV_KNOWN_CGROUP, qp->info.cgroup);
	text_key_ns(t, "started_ns", qp->started_ns, qp->started_ns);
	text_key_number(t, "qps", true, owner->count);
	text_put(t, ",\"states\":{");
	for (state = 0; state < QP_STATES; state++) {
		if (!owner->states[state])
			continue;
		text_printf(t, "%s\"%s\":%zu", comma, qp_state_key(state), owner->states[state]);
		comma = ",";
	}
	text_put(t, "}");
	if (q->o->verbose) {
		text_put(t, ",\"list\":[");
		for (i = 0; i < owner->count; i++) {
			text_put(t, i ? "," : "");
			json_qp(t, &qp[i]);
		}
		text_put(t, "]");
	}
	text_key_number(t, "seq", true, q->seq);
	text_put(t, "}");
}

static int print_json(const struct qps *q)
{
	enum output result = OUTPUT_DONE;
	size_t i;

	for (i = 0; i < q->owners_count && result == OUTPUT_DONE; i++)
		result = output_item(put_json, q, i);
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

static int qps_show(void *arg)
{
	struct qps *q = arg;
	int status = STATUS_ERROR;

	q->list = NULL;
	q->owners = NULL;
	q->count = 0;
	q->owners_count = 0;
	if (!take_qps(q)) {
		status = STATUS_OK;
		if (q->o->json)
			status = print_json(q);
		else if (q->count || q->o->watch_ns)
			status = q->o->verbose ? print_qps(q) : print_owners(q);
	}
	free(q->owners);
	free(q->list);
	free_snapshot(&q->s);
	q->again = true;
	return status;
}

int run_qps(struct options *o, int argc, char **argv)
{
	struct qps q = { .o = o, .targets_count = (size_t)argc };
	int status = STATUS_ERROR;

	q.targets = parse_targets(argc, argv);
	if (q.targets)
		q.h = open_node(o, RDMAEV_NONBLOCK);
	if (q.h)
		status = refresh(o, q.h, qps_show, &q);
	close_node(q.h);
	free(q.targets);
	return output_finish(status);
}
