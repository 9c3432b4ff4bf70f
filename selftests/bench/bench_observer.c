// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What others pay while the observer is loaded, in guest instructions: see bench.h.
 *
 * bench_observer DEVICE: prints a table, and exits with 1 if a budget is exceeded.
 */
#include "bench.h"

#define QUERY_QPS "/sys/module/rdmaev_observe/parameters/query_qps"
#define RAISE "/sys/kernel/debug/rdmaev_gen/raise"

#define MOVES		1000
#define PDS		100
/* The tree of ids gets another level there */
#define PDS_CHEAP	4096
#define QPS_CHEAP	64
#define ENDS		16

static unsigned long poll_once(const char *kind, unsigned int batch)
{
	unsigned long ns;
	FILE *f = fopen(CQTEST, "w");

	if (!f || fprintf(f, "%s sim0 %u %u", kind, COMPLETIONS, batch) < 0 || fclose(f))
		die(CQTEST);
	f = fopen(CQTEST, "r");
	if (!f || fscanf(f, "ns=%lu", &ns) != 1)
		die(CQTEST);
	fclose(f);
	return ns;
}

/* Without what else the guest had to do meanwhile */
static unsigned long polls(const char *kind, unsigned int batch)
{
	unsigned long least = ULONG_MAX, ns;
	int i;

	for (i = 0; i < 7; i++) {
		ns = poll_once(kind, batch);
		least = ns < least ? ns : least;
	}
	return least;
}

/* Nanoseconds that a program takes to move a QP to INIT and back, @count times */
static uint64_t moves(struct ibv_qp *qp, unsigned int count)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	uint64_t start = now();

	while (count--) {
		if (ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
				  IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) ||
		    ibv_modify_qp(qp, &reset, IBV_QP_STATE))
			die("ibv_modify_qp");
	}
	return now() - start;
}

/* Nanoseconds for MOVES requests like this one; all others that it takes are not counted. */
static uint64_t requests(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, int is_refused)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	uint64_t least = UINT64_MAX, ns, start;
	int i, n;

	for (i = 0; i < 10; i++) {
		ns = 0;
		for (n = 0; n < MOVES / 10; n++) {
			if (ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
					  IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
				die("ibv_modify_qp");
			start = now();
			if (!!ibv_modify_qp(qp, attr, mask) != is_refused)
				die("ibv_modify_qp");
			ns += now() - start;
			if (ibv_modify_qp(qp, &reset, IBV_QP_STATE))
				die("ibv_modify_qp");
		}
		least = ns < least ? ns : least;
	}
	return least * 10;
}

static uint64_t to_error(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	return requests(qp, &attr, IBV_QP_STATE, 0);
}

/* The driver refuses it. */
static uint64_t refused(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };

	return requests(qp, &attr, IBV_QP_STATE, 1);
}

/* The core refuses it, for the address. */
static uint64_t refused_address(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.ah_attr = { .port_num = 1, .is_global = 1, .grh.sgid_index = 200 },
	};

	return requests(qp, &attr, IBV_QP_STATE | IBV_QP_AV, 1);
}

/* Number of the only CQ of this program, as in the core's resource tracking */
static unsigned int cq_number(void)
{
	char command[80], line[256];
	unsigned int number;
	const char *at;
	FILE *f;

	snprintf(command, sizeof(command), "rdma resource show cq | grep ' pid %d '", getpid());
	f = popen(command, "r");
	if (!f || !fgets(line, sizeof(line), f))
		die("rdma resource show cq");
	pclose(f);
	at = strstr(line, " cqn ");
	if (!at || sscanf(at, " cqn %u", &number) != 1)
		die(line);
	return number;
}

/* Nanoseconds that it takes to raise KEPT events of an object, which verbs keep. */
static uint64_t raised(struct ibv_context *ctx, struct ibv_comp_channel *channel,
		       const char *type, unsigned int number)
{
	uint64_t least = UINT64_MAX, start, ns;
	char text[128];
	void *context;
	struct ibv_cq *cq;
	int fd, n, i;

	for (i = 0; i < 15; i++) {
		fd = open(RAISE, O_WRONLY);
		n = snprintf(text, sizeof(text), "%s %s %u %u %u", device, type, number,
			     QP_EVENT, KEPT);
		start = now();
		if (write(fd, text, n) != n)
			die(RAISE);
		ns = now() - start;
		close(fd);
		least = ns < least ? ns : least;
		drain(ctx);
		while (!ibv_get_cq_event(channel, &cq, &context))
			ibv_ack_cq_events(cq, 1);
	}
	return least;
}

static void make_pds(struct ibv_context *ctx, int count)
{
	struct ibv_pd *pd;

	while (count--) {
		pd = ibv_alloc_pd(ctx);
		if (!pd || ibv_dealloc_pd(pd))
			die("ibv_alloc_pd");
	}
}

/*
 * Nanoseconds to make and destroy PDS PDs. The core gives each a new id, and the first
 * ids cost less than those from PDS_CHEAP on. Verbs free what they had for the PDs many
 * at a time, and most of the short rounds are without that.
 */
static uint64_t pds(struct ibv_context *ctx)
{
	uint64_t least = UINT64_MAX, start, ns;
	int i;

	make_pds(ctx, PDS_CHEAP);
	for (i = 0; i < 150; i++) {
		start = now();
		make_pds(ctx, PDS);
		ns = now() - start;
		least = ns < least ? ns : least;
	}
	return least;
}

/* A UD QP in RTS */
static struct ibv_qp *make_sender(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1 },
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	if (!qp || ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				 IBV_QP_QKEY))
		die("ibv_create_qp");
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		die("ibv_modify_qp");
	attr.qp_state = IBV_QPS_RTS;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN))
		die("ibv_modify_qp");
	return qp;
}

/* Nanoseconds to destroy ENDS QPs in RTS */
static uint64_t ends(struct ibv_pd *pd, struct ibv_cq *cq)
{
	uint64_t least = UINT64_MAX, start, ns;
	struct ibv_qp *qps[ENDS];
	int i, n;

	/* Numbers of one size, as for the ids of PDs */
	for (i = 0; i < QPS_CHEAP; i++)
		ibv_destroy_qp(make_sender(pd, cq));
	for (i = 0; i < 40; i++) {
		for (n = 0; n < ENDS; n++)
			qps[n] = make_sender(pd, cq);
		start = now();
		for (n = 0; n < ENDS; n++) {
			if (ibv_destroy_qp(qps[n]))
				die("ibv_destroy_qp");
		}
		ns = now() - start;
		least = ns < least ? ns : least;
	}
	return least;
}

/* What others pay while the observer is loaded */
static void observed(void)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 1, .max_recv_wr = 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_context *ctx = open_context();
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_comp_channel *channel = ibv_create_comp_channel(ctx);
	uint64_t error_alone, refused_alone, address_alone;
	uint64_t alone, notified_alone, event_alone, pds_alone, ends_alone;
	unsigned long alone16, alone1, polled16, polled1;
	unsigned int cq;
	struct ibv_qp *qp;

	attr.send_cq = pd && channel ? ibv_create_cq(ctx, 4, NULL, channel, 0) : NULL;
	attr.recv_cq = attr.send_cq;
	qp = attr.send_cq ? ibv_create_qp(pd, &attr) : NULL;
	if (!qp)
		die("ibv_create_qp");
	fcntl(channel->fd, F_SETFL, O_NONBLOCK);
	cq = cq_number();
	notified_alone = raised(ctx, channel, "comp", cq);
	event_alone = raised(ctx, channel, "qp", qp->qp_num);
	alone16 = polls("softirq", 16);
	alone1 = polls("softirq", 1);
	polled16 = polls("polled", 16);
	polled1 = polls("polled", 1);
	alone = moves(qp, MOVES);
	error_alone = to_error(qp);
	refused_alone = refused(qp);
	address_alone = refused_address(qp);
	pds_alone = pds(ctx);
	ends_alone = ends(pd, attr.send_cq);
	if (system("insmod kmod/rdmaev_observe.ko"))
		die("rdmaev_observe");
	/* The process that makes it is seen. */
	ibv_destroy_qp(qp);
	qp = ibv_create_qp(pd, &attr);
	if (!qp)
		die("ibv_create_qp");
	row("observer: a notification of a program's CQ",
	    raised(ctx, channel, "comp", cq) - notified_alone, KEPT, 90);
	put(BURST_MS, "0");
	row("... an event of a program's QP: owner, cause, record",
	    raised(ctx, channel, "qp", qp->qp_num) - event_alone, KEPT, 1180);
	put(BURST_MS, "1000");
	row("... the same again and again, folded",
	    raised(ctx, channel, "qp", qp->qp_num) - event_alone, KEPT, 720);
	/* A notification, a poll with the completions and often one without any */
	row("... a completion that the core polls, 16 at a time",
	    polls("softirq", 16) - alone16, COMPLETIONS, 30);
	row("... one at a time", polls("softirq", 1) - alone1, COMPLETIONS, 190);
	row("... a request that moves a QP", moves(qp, MOVES) - alone, 2 * MOVES, 575);
	put(BURST_MS, "0");
	row("... one that moves it to ERR: owner, record", to_error(qp) - error_alone, MOVES, 2500);
	row("... one that the driver refuses: owner, record",
	    refused(qp) - refused_alone, MOVES, 1700);
	row("... one that the core refuses", refused_address(qp) - address_alone, MOVES, 1780);
	put(BURST_MS, "1000");
	row("... an object of a program made and destroyed", pds(ctx) - pds_alone, PDS, 1300);
	put(QUERY_QPS, "0");
	row("... the end of a program's QP", ends(pd, attr.send_cq) - ends_alone, ENDS, 1800);
	put(QUERY_QPS, "1000000");
	row("... with the question for its state, and the driver's answer",
	    ends(pd, attr.send_cq) - ends_alone, ENDS, 2700);
	/* This makes each poll slower. */
	if (system("rmmod rdmaev_observe && insmod kmod/rdmaev_observe.ko polls=1"))
		die("rdmaev_observe");
	row("... a completion that its ULP polls, polls=1, 16 at a time",
	    polls("polled", 16) - polled16, COMPLETIONS, 25);
	row("... one at a time", polls("polled", 1) - polled1, COMPLETIONS, 180);
	ibv_destroy_qp(qp);
	ibv_destroy_cq(attr.send_cq);
	ibv_destroy_comp_channel(channel);
	ibv_dealloc_pd(pd);
	ibv_close_device(ctx);
	if (system("rmmod rdmaev_observe"))
		die("rdmaev_observe");
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: bench_observer DEVICE\n");
		return 2;
	}
	device = argv[1];
	make_sim();
	observed();
	return over;
}
