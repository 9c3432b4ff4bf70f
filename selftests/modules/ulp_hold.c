// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev_ulp: a CQ with a QP that a test controls step by step.
 *
 *	hold DEV create KIND [PORT [public|unnamed|cqe|second]]
 *				make them, the QP on this port (1). public: the
 *				wr_id of its requests may be shown. unnamed: the
 *				QP may be destroyed before its completions are
 *				polled. cqe: requests of created and direct CQs
 *				have a wr_cqe, too. second: the CQ is that of
 *				another ULP, cqtest2, which ends with it
 *	hold DEV other VERB ...	do this with another CQ and its QP
 *	hold DEV destroy [quiet]
 *				undo it. quiet: without rdmaev_qp_flushed()
 *	hold DEV destroyqp	destroy only the QP, whatever was not polled
 *	hold DEV drain		ib_drain_qp(); with cqe while this ULP polls
 *	hold DEV attach		attach the CQ once more, and detach that
 *	hold DEV recv N		post receive requests
 *	hold DEV bare N		post receive requests without a wr_cqe
 *	hold DEV send N [solicited]
 *				post SENDs, each of which takes a receive
 *				request
 *	hold DEV write N	post RDMA WRITEs
 *	hold DEV bad		post a request that fails with LOC_QP_OP_ERR
 *	hold DEV arm solicited|next [missed]
 *				request a notification. armed=: the return value
 *	hold DEV poll N		poll once, up to 16 completions. polled=: their
 *				number
 *	hold DEV steal		poll without rdmaev until the CQ is empty
 *	hold DEV error		modify the QP to ERR
 *	hold DEV reset		modify it to RESET, rdmaev_qp_flushed(), connect
 *				it again
 *	hold DEV flushed	rdmaev_qp_flushed()
 *	hold DEV notify N	call the handler that the driver calls, N times,
 *				with interrupts off. ns=: how much longer than
 *				calls of the ULP's own handler
 *	hold DEV more N		make N more CQs, which are destroyed with it
 *
 * wr_id: those of created and direct CQs are numbers, 1001 and so on, unless
 * they have a wr_cqe.
 */
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ulp.h"

struct more {
	struct list_head list;
	struct cq cq;
};

struct hold {
	struct rdmaev_ulp *second;	/* NULL: run_ulp */
	struct cq cq;
	struct qp qp;			/* ib: NULL when it is destroyed */
	u32 qp_num;
	u32 port;
	u64 wr_id;			/* of the last request */
	bool has_cqes;
	struct work_struct drain;
	struct list_head more;
	int armed;
	int polled;
	u64 ns;
	struct ib_wc wc[16];		/* the completions polled last */
};

/* The poller needs the completions. */
static bool has_numbers(const struct hold *h)
{
	return h->cq.kind == CREATED || h->cq.kind == DIRECT ||
	       h->cq.kind == POLLED;
}

static u64 next_wr_id(struct hold *h)
{
	h->wr_id++;
	return has_numbers(h) && !h->has_cqes ? h->wr_id :
						(uintptr_t)&h->qp.cqe;
}

/* Memory that is freed: nobody may read the name any more. */
static void end_second(struct hold *h)
{
	if (h->second)
		rdmaev_ulp_unregister(h->second);
	kfree(h->second);
}

static int begin_second(struct hold *h)
{
	struct rdmaev_ulp *ulp = kzalloc(sizeof(*ulp), GFP_KERNEL);

	if (!ulp)
		return -ENOMEM;
	h->second = ulp;
	h->cq.ulp = ulp;
	strscpy(ulp->name, "cqtest2", sizeof(ulp->name));
	return rdmaev_ulp_register(ulp);
}

static int create(struct kit *kit, struct hold **at, const char *args)
{
	char name[16], how[8] = "";
	unsigned int flags = 0;
	struct hold *h;
	u32 port = 1;
	int kind, ret = 0;

	if (*at)
		return -EBUSY;
	if (sscanf(args, "%15s %u %7s", name, &port, how) < 1)
		return -EINVAL;
	kind = parse_kind(name);
	if (kind < 0 || !rdma_is_port_valid(kit->ib, port))
		return -EINVAL;
	h = kzalloc(sizeof(*h), GFP_KERNEL);
	if (!h)
		return -ENOMEM;
	INIT_LIST_HEAD(&h->more);
	h->wr_id = 1000;
	h->port = port;
	if (!strcmp(how, "public"))
		flags = RDMAEV_CQ_PUBLIC_WR_ID;
	else if (!strcmp(how, "unnamed"))
		flags = NO_PROMISE;
	else if (!strcmp(how, "cqe"))
		flags = RDMAEV_CQ_WR_CQE;
	else if (!strcmp(how, "second"))
		ret = begin_second(h);
	if (ret)
		goto err;
	h->has_cqes = flags & RDMAEV_CQ_WR_CQE;
	ret = make_cq(&h->cq, kit, kind, 1024, flags);
	if (ret)
		goto err;
	ret = make_qp(&h->qp, &h->cq, &h->cq, port);
	if (ret)
		goto err_cq;
	h->qp_num = h->qp.ib->qp_num;
	*at = h;
	return 0;

err_cq:
	destroy_cq(&h->cq);
err:
	end_second(h);
	kfree(h);
	return ret;
}

/* Leaves unpolled completions in the CQ. The QP is destroyed. */
static void destroy(struct hold **at)
{
	struct more *more, *next;
	struct hold *h = *at;

	*at = NULL;
	destroy_cq(&h->cq);
	list_for_each_entry_safe(more, next, &h->more, list) {
		destroy_cq(&more->cq);
		kfree(more);
	}
	end_second(h);
	kfree(h);
}

static void end_one(struct hold **at)
{
	if (!*at)
		return;
	if ((*at)->qp.ib)
		destroy_qp(&(*at)->qp);
	destroy(at);
}

void end_hold(struct kit *kit)
{
	end_one(&kit->hold);
	end_one(&kit->other);
}

static int make_more(struct hold *h, unsigned int n)
{
	struct more *more;
	int ret;

	while (n--) {
		more = kzalloc(sizeof(*more), GFP_KERNEL);
		if (!more)
			return -ENOMEM;
		ret = make_cq(&more->cq, h->cq.kit, CREATED, 1, 0);
		if (ret) {
			kfree(more);
			return ret;
		}
		list_add_tail(&more->list, &h->more);
	}
	return 0;
}

static int recv(struct hold *h, unsigned int n, bool is_bare)
{
	struct ib_recv_wr wr = {};
	int ret = 0;

	while (n-- && !ret) {
		wr.wr_id = is_bare ? 0 : next_wr_id(h);
		ret = ib_post_recv(h->qp.ib, &wr, NULL);
	}
	return ret;
}

static int send(struct hold *h, enum ib_wr_opcode opcode, int flags,
		unsigned int n)
{
	struct ib_rdma_wr wr = {
		.wr.opcode = opcode,
		.wr.send_flags = flags,
	};
	int ret = 0;

	while (n-- && !ret) {
		wr.wr.wr_id = next_wr_id(h);
		ret = ib_post_send(h->qp.ib, &wr.wr, NULL);
	}
	return ret;
}

static int arm(struct hold *h, const char *args)
{
	enum ib_cq_notify_flags flags;
	char how[12], missed[8] = "";

	if (sscanf(args, "%11s %7s", how, missed) < 1)
		return -EINVAL;
	flags = strcmp(how, "solicited") ? IB_CQ_NEXT_COMP : IB_CQ_SOLICITED;
	if (!strcmp(missed, "missed"))
		flags |= IB_CQ_REPORT_MISSED_EVENTS;
	atomic_long_inc(&h->cq.arms);
	h->armed = ib_req_notify_cq(h->cq.rcq->cq, flags);
	return 0;
}

static int poll_hold(struct hold *h, unsigned int n)
{
	int i;

	if (!has_numbers(h))
		return -EINVAL;
	n = min_t(unsigned int, n, ARRAY_SIZE(h->wc));
	atomic_long_inc(&h->cq.polls);
	if (h->cq.kind == DIRECT || h->cq.kind == POLLED) {
		h->polled = ib_poll_cq(h->cq.rcq->cq, n, h->wc);
		if (h->cq.kind == DIRECT)
			rdmaev_count_poll(h->cq.rcq, h->wc, h->polled);
	} else {
		h->polled = rdmaev_poll_cq(h->cq.rcq, n, h->wc);
	}
	for (i = 0; i < h->polled; i++)
		count(&h->cq.counts, &h->wc[i]);
	return 0;
}

static void drain_fn(struct work_struct *work)
{
	struct hold *h = container_of(work, struct hold, drain);

	ib_drain_qp(h->qp.ib);
}

/* As the loop of a ULP: its own requests, and done() of all others */
static void poll_drained(struct hold *h)
{
	int i;

	poll_hold(h, ARRAY_SIZE(h->wc));
	for (i = 0; i < h->polled; i++) {
		if (h->wc[i].wr_cqe != &h->qp.cqe)
			h->wc[i].wr_cqe->done(h->cq.rcq->cq, &h->wc[i]);
	}
}

static void drain(struct hold *h)
{
	if (!h->has_cqes) {
		ib_drain_qp(h->qp.ib);
		return;
	}
	INIT_WORK(&h->drain, drain_fn);
	queue_work(run_wq, &h->drain);
	while (work_busy(&h->drain)) {
		poll_drained(h);
		cond_resched();
	}
	flush_work(&h->drain);
	poll_drained(h);
}

static void steal(struct hold *h)
{
	struct ib_wc wc;

	while (ib_poll_cq(h->cq.rcq->cq, 1, &wc) > 0)
		;
}

static int notify(struct hold *h, unsigned int n)
{
	struct ib_cq *cq = h->cq.rcq->cq;
	unsigned long flags;
	unsigned int i;
	u64 start, own;

	if (h->cq.kind != CREATED)
		return -EINVAL;
	local_irq_save(flags);
	start = ktime_get_raw_ns();
	for (i = 0; i < n; i++)
		completed(cq, cq->cq_context);
	own = ktime_get_raw_ns() - start;
	start = ktime_get_raw_ns();
	for (i = 0; i < n; i++)
		cq->comp_handler(cq, cq->cq_context);
	h->ns = ktime_get_raw_ns() - start - own;
	local_irq_restore(flags);
	return 0;
}

static int attach_again(struct hold *h)
{
	struct rdmaev_cq *rcq = rdmaev_attach_cq(&run_ulp, h->cq.rcq->cq, 0);

	if (!IS_ERR(rcq))
		rdmaev_detach_cq(rcq);
	return PTR_ERR_OR_ZERO(rcq);
}

static int do_hold(struct kit *kit, struct hold **at, const char *verb, const char *args)
{
	struct hold *h = *at;
	unsigned int n;
	char how[12] = "";

	if (!strcmp(verb, "create"))
		return create(kit, at, args);
	if (!h)
		return -ENOENT;
	if (sscanf(args, "%u %11s", &n, how) < 1)
		n = 1;
	if (!strcmp(verb, "poll"))
		return poll_hold(h, n);
	if (!strcmp(verb, "attach"))
		return attach_again(h);
	if (!strcmp(verb, "destroy")) {
		if (h->qp.ib && strcmp(args, "quiet"))
			rdmaev_qp_flushed(h->qp.ib);
		if (h->qp.ib)
			ib_destroy_qp(h->qp.ib);
		destroy(at);
		return 0;
	}
	if (!h->qp.ib)
		return -ENOENT;
	if (!strcmp(verb, "destroyqp")) {
		ib_destroy_qp(h->qp.ib);
		h->qp.ib = NULL;
		return 0;
	}
	if (!strcmp(verb, "drain")) {
		drain(h);
		return 0;
	}
	if (!strcmp(verb, "recv"))
		return recv(h, n, false);
	if (!strcmp(verb, "bare"))
		return recv(h, n, true);
	if (!strcmp(verb, "send"))
		return send(h, IB_WR_SEND, strcmp(how, "solicited") ?
			    0 : IB_SEND_SOLICITED, n);
	if (!strcmp(verb, "write"))
		return send(h, IB_WR_RDMA_WRITE, 0, n);
	if (!strcmp(verb, "bad"))
		return send(h, IB_WR_RESERVED1, 0, 1);
	if (!strcmp(verb, "arm"))
		return arm(h, args);
	if (!strcmp(verb, "error"))
		return error_qp(h->qp.ib);
	if (!strcmp(verb, "reset"))
		return reset_qp(h->qp.ib, h->port);
	if (!strcmp(verb, "notify"))
		return notify(h, n);
	if (!strcmp(verb, "more"))
		return make_more(h, n);
	if (!strcmp(verb, "steal")) {
		steal(h);
		return 0;
	}
	if (!strcmp(verb, "flushed")) {
		rdmaev_qp_flushed(h->qp.ib);
		return 0;
	}
	return -EINVAL;
}

int run_hold(struct kit *kit, const char *args, struct result *res)
{
	struct hold **at = &kit->hold, *h;
	char verb[12];
	int n = 0, ret;

	if (!strncmp(args, "other ", 6)) {
		at = &kit->other;
		args += 6;
	}
	if (sscanf(args, "%11s %n", verb, &n) != 1)
		return -EINVAL;
	ret = do_hold(kit, at, verb, args + n);
	h = *at;
	if (!h)
		return ret;
	tell(res, "qp=%u armed=%d polled=%d wr_id=%llu ns=%llu own=%d",
	     h->qp_num, h->armed, h->polled, h->wr_id, h->ns,
	     h->cq.rcq->cq->cq_context == &h->cq);
	tell_cq(res, &h->cq);
	return ret;
}
