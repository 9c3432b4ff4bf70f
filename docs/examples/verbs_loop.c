// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A QP that is connected to itself and sends an empty message each time that nothing else
 * happens: completions, asynchronous events and the host's log in one loop.
 *
 *	cc verbs_loop.c $(pkg-config --cflags --libs librdmaev-verbs) -o verbs_loop
 *	./verbs_loop rxe0
 */
#include <stdio.h>
#include <string.h>
#include <rdmaev_verbs.h>

#define IDLE_NS 100000000	/* from one message to the next */

struct connection {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

static int connection_open(struct connection *c, const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	int i;

	for (i = 0; list && list[i]; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), name))
			c->context = ibv_open_device(list[i]);
	}
	ibv_free_device_list(list);
	if (!c->context)
		return -1;
	c->pd = ibv_alloc_pd(c->context);
	c->channel = ibv_create_comp_channel(c->context);
	if (!c->pd || !c->channel)
		return -1;
	c->cq = ibv_create_cq(c->context, 4, NULL, c->channel, 0);
	attr.send_cq = c->cq;
	attr.recv_cq = c->cq;
	c->qp = c->cq ? ibv_create_qp(c->pd, &attr) : NULL;
	return c->qp ? 0 : -1;
}

static void connection_close(struct connection *c)
{
	if (c->qp)
		ibv_destroy_qp(c->qp);
	if (c->cq)
		ibv_destroy_cq(c->cq);
	if (c->channel)
		ibv_destroy_comp_channel(c->channel);
	if (c->pd)
		ibv_dealloc_pd(c->pd);
	if (c->context)
		ibv_close_device(c->context);
}

/* ibv_modify_qp(), which says what is wrong */
static int modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct rdmaev_qp_check why = { .size = sizeof(why) };
	char text[512];
	int error = ibv_modify_qp(qp, attr, mask);

	if (!error)
		return 0;
	if (rdmaev_qp_modify_check(qp, attr, mask, &why) && why.problems)
		rdmaev_qp_check_text(&why, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%s", strerror(error));
	fprintf(stderr, "ibv_modify_qp: %s\n", text);
	return -1;
}

/* To itself, by the first GID of its first port */
static int connection_connect(struct connection *c)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = c->qp->qp_num,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1, .grh = { .hop_limit = 1 } },
	};
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 17,
		.retry_cnt = 7,
		.rnr_retry = 7,
	};
	struct ibv_port_attr port;

	if (ibv_query_port(c->context, 1, &port) ||
	    ibv_query_gid(c->context, 1, 0, &rtr.ah_attr.grh.dgid))
		return -1;
	rtr.ah_attr.dlid = port.lid;
	if (modify(c->qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		   IBV_QP_ACCESS_FLAGS))
		return -1;
	if (modify(c->qp, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
		   IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
		   IBV_QP_MIN_RNR_TIMER))
		return -1;
	return modify(c->qp, &rts, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		      IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

static int send_message(struct connection *c)
{
	struct ibv_recv_wr recv = { .wr_id = 2 }, *bad_recv;
	struct ibv_send_wr send = {
		.wr_id = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad_send;

	return ibv_post_recv(c->qp, &recv, &bad_recv) || ibv_post_send(c->qp, &send, &bad_send);
}

/* The first failure is the cause; what it flushed says nothing more. */
static void print_failure(struct rdmaev_loop *loop, struct ibv_cq *cq, const struct ibv_wc *wc)
{
	struct rdmaev_verbs_event ev;

	if (rdmaev_loop_wc(loop, cq, wc, &ev) || ev.flags & RDMAEV_VERBS_FLUSHED)
		return;
	printf("QP %u: %s: %s\n", ev.number, ev.name ? ev.name : "?", ev.advice ? ev.advice : "");
}

/* Returns how many requests were completed successfully, -1 if no more can be. */
static int handle(struct rdmaev_loop *loop, const struct rdmaev_verbs_event *ev)
{
	struct ibv_wc wc[4];
	int n, i, done = 0;

	if (ev->type != RDMAEV_VERBS_CQ) {
		printf("%s, record %llu\n", ev->name ? ev->name : "?",
		       (unsigned long long)ev->record.seq);
		return ev->type == RDMAEV_VERBS_HANGUP ? -1 : 0;
	}
	n = rdmaev_loop_poll_cq(loop, ev->object, 4, wc);
	for (i = 0; i < n; i++) {
		if (wc[i].status == IBV_WC_SUCCESS)
			done++;
		else
			print_failure(loop, ev->object, &wc[i]);
	}
	return n < 0 ? -1 : done;
}

static void run(struct connection *c, struct rdmaev_loop *loop)
{
	struct rdmaev_verbs_event ev[16];
	int outstanding = 0, done;
	unsigned long messages = 0;
	ssize_t n, i;

	for (;;) {
		n = rdmaev_loop_read(loop, ev, 16, IDLE_NS);
		if (n < 0)
			return;
		for (i = 0; i < n; i++) {
			done = handle(loop, &ev[i]);
			if (done < 0)
				return;
			outstanding -= done;
		}
		/* After a failure there is no other message, only events. */
		if (n || outstanding)
			continue;
		printf("message %lu\n", ++messages);
		if (send_message(c))
			return;
		outstanding = 2;
	}
}

int main(int argc, char **argv)
{
	struct rdmaev *log = rdmaev_open(NULL, RDMAEV_NONBLOCK);
	struct rdmaev_loop *loop = rdmaev_loop_open(0);
	struct connection c = { 0 };

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 2) {
		fprintf(stderr, "Usage: %s DEVICE\n", argv[0]);
	} else if (!loop || connection_open(&c, argv[1])) {
		perror(argv[1]);
	} else if (rdmaev_loop_add_context(loop, c.context, NULL) ||
		   rdmaev_loop_add_channel(loop, c.channel, NULL) ||
		   rdmaev_loop_add_cq(loop, c.cq, &c, 0) ||
		   rdmaev_loop_add_qp(loop, c.qp, &c) ||
		   (log && rdmaev_loop_add_reader(loop, log, NULL))) {
		perror("rdmaev_loop_add");
	} else if (!connection_connect(&c)) {
		run(&c, loop);
	}
	/* Nothing uses the loop any more, so no object need be removed from it. */
	rdmaev_loop_close(loop);
	connection_close(&c);
	rdmaev_close(log);
	return 1;
}
