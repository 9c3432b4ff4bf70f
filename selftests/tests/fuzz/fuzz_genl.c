// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The fuzzer's netlink calls. Answers to requests must equal those of the node;
 * a dump of records must equal what a reader would get.
 */
#include "fuzz_genl.h"

#define ROOM		2048U

static struct genl sock = { .fd = -1 };		/* sends requests */
static char list[ROOM * sizeof(struct rdmaev_cq_stats)];

static void open_sock(void)
{
	if (sock.fd >= 0)
		genl_close(&sock);
	if (genl_open(&sock)) {
		perror("netlink");
		exit(1);
	}
}

void genl_begin_epoch(void)
{
	open_sock();
	groups_begin_epoch();
}

void genl_end_epoch(void)
{
	if (sock.fd >= 0)
		genl_close(&sock);
	sock.fd = -1;
	groups_end_epoch();
}

/* Get the list for a request from the node; number of entries, or -errno. */
static int ask_node(const struct request *req)
{
	union {
		struct rdmaev_devices list;
		struct rdmaev_ports ports;
		struct rdmaev_cqs cqs;
		struct rdmaev_counters counters;
		struct rdmaev_probes probes;
		struct rdmaev_qps qps;
	} arg = {
		.list.entry_size = req->c->entry,
		.list.count = ROOM,
		.list.entries = (uintptr_t)list,
	};

	switch (req->c->cmd) {
	case RDMAEV_CMD_DEVICE_GET:
		arg.list.size = sizeof(arg.list);
		arg.list.flags = !!request_value(req, RDMAEV_A_DEVICE_REMOVED);
		break;
	case RDMAEV_CMD_PORT_GET:
		arg.list.size = sizeof(arg.ports);
		arg.list.flags = !!request_value(req, RDMAEV_A_PORT_REMOVED);
		arg.ports.device = request_number(req, RDMAEV_A_PORT_DEVICE, RDMAEV_ANY);
		break;
	case RDMAEV_CMD_COUNTER_GET:
		arg.list.size = sizeof(arg.counters);
		arg.list.flags = !!request_value(req, RDMAEV_A_COUNTER_REMOVED);
		arg.counters.device = request_number(req, RDMAEV_A_COUNTER_DEVICE, RDMAEV_ANY);
		arg.counters.port = request_number(req, RDMAEV_A_COUNTER_PORT, RDMAEV_ANY);
		break;
	case RDMAEV_CMD_CQ_GET:
		arg.list.size = sizeof(arg.cqs);
		arg.list.flags = !!request_value(req, RDMAEV_A_CQ_SUMS);
		arg.cqs.device = request_number(req, RDMAEV_A_CQ_DEVICE, RDMAEV_ANY);
		break;
	case RDMAEV_CMD_PROBE_GET:
		arg.list.size = sizeof(arg.probes);
		arg.probes.device = request_number(req, RDMAEV_A_PROBE_DEVICE, RDMAEV_ANY);
		break;
	case RDMAEV_CMD_QP_GET:
		arg.list.size = sizeof(arg.qps);
		arg.qps.device = request_number(req, RDMAEV_A_QP_DEVICE, RDMAEV_ANY);
		break;
	}
	if (ioctl(fuzz.readers[0].fd, req->c->nr, &arg))
		return -errno;
	if (arg.list.count > ROOM)
		bad("%u are more than there can be", arg.list.count);
	return arg.list.count;
}

/* The time of the last use of a CQ is accurate to some ticks only. */
static void forget_time(const struct command *c, void *entry)
{
	if (c->cmd == RDMAEV_CMD_CQ_GET)
		((struct rdmaev_cq_stats *)entry)->last_ns = 0;
}

/* Predict the result of a well-formed request from its values. */
static void predict_history(const struct request *req)
{
	const __u64 *seq = request_value(req, RDMAEV_A_RECORD_SEQ);

	if (seq && *seq > log_newest() + 1)
		may_fail(ENXIO);
	if (req->is_dump)
		return;
	if (!*seq)
		may_fail(EINVAL);
	else if (!log_record(*seq))
		may_fail(ENOENT);
}

/* Returns the number of entries that answer a request for a list. */
static int predict(const struct request *req)
{
	int count;

	if (req->c->cmd == RDMAEV_CMD_HISTORY_GET)
		predict_history(req);
	if (!req->c->nr)
		return 0;
	count = ask_node(req);
	if (count < 0)
		may_fail(-count);
	return count < 0 ? 0 : count;
}

/* Check that the messages equal the list. */
static void check_answer(const struct request *req, int count, uint64_t newest)
{
	static char entry[sizeof(struct rdmaev_cq_stats)];
	const struct nlattr *tb[GENL_ATTRS];
	const struct nlmsghdr *nlh;
	int n = 0, missing, differs = 0;

	while ((nlh = genl_next(&sock))) {
		genl_attrs(nlh, tb);
		memset(entry, 0, sizeof(entry));
		missing = genl_missing(tb, req->c->set, 0) +
			  genl_fill(tb, req->c->set, entry);
		if (missing)
			bad("%d attributes are missing", missing);
		forget_time(req->c, entry);
		if (n < count) {
			forget_time(req->c, list + n * req->c->entry);
			differs |= memcmp(entry, list + n * req->c->entry, req->c->entry);
		}
		n++;
	}
	judge(sock.error ? -1 : 0, sock.error);
	if (sock.error || fuzz.nallowed || fuzz.racing)
		return;
	log_catch_up();
	if (log_newest() != newest)
		return;
	if (n != count)
		bad("%d entries, and the node has %d", n, count);
	else if (differs)
		bad("not what the node tells");
}

static void check_info(void)
{
	const struct nlattr *tb[GENL_ATTRS];
	const struct nlmsghdr *nlh;
	int n = 0;

	while ((nlh = genl_next(&sock))) {
		n++;
		genl_attrs(nlh, tb);
		if (genl_number(tb[RDMAEV_A_INFO_INSTANCE]) != fuzz.instance ||
		    genl_number(tb[RDMAEV_A_INFO_FEATURES]) != fuzz.features ||
		    genl_number(tb[RDMAEV_A_INFO_RING_RECORDS]) != fuzz.records)
			bad("not what the node tells");
	}
	judge(sock.error ? -1 : 0, sock.error);
	if (!sock.error && n != 1)
		bad("%d answers", n);
}

/*
 * A dump equals what a reader gets who opens the node, seeks and reads to the
 * end.
 */
static void check_history(const struct request *req, uint64_t newest)
{
	static struct rdmaev_record recs[8192];
	const struct rdmaev_filter *f = request_value(req, RDMAEV_A_RECORD_FILTER) ?
						&req->filter : NULL;
	const __u64 *seq = request_value(req, RDMAEV_A_RECORD_SEQ);
	uint64_t position = 0, first = seq ? *seq : 0;
	const struct nlmsghdr *nlh;
	struct reader r = { .plain = 1 };
	size_t n = 0;

	fuzz.values[1] = first;
	if (f) {
		fuzz.values[2] = f->kinds;
		r.plain = 0;
		r.filter = *f;
	}
	reader_moved(&r, first ? first : log_oldest(), !first);
	while ((nlh = genl_next(&sock))) {
		uint64_t at = genl_position(nlh);

		if (at) {
			if (at < position)
				bad("goes back to %llu", (unsigned long long)at);
			position = at;
		} else if (n < ARRAY_SIZE(recs) && genl_record(nlh, &recs[n++])) {
			bad("attributes are missing");
		}
	}
	judge(sock.error ? -1 : 0, sock.error);
	if (sock.error || fuzz.nallowed || fuzz.racing)
		return;
	log_catch_up();
	/* Newer records may have evicted the oldest ones. */
	if (log_newest() != newest)
		return;
	if (!req->is_dump) {
		if (n != 1 || memcmp(recs, log_any_record(first), sizeof(recs[0])))
			bad("not the record that others get");
		return;
	}
	reader_take(&r, recs, n, n + 1, newest);
	if (position < newest + 1 || position > log_newest() + 1)
		bad("to go on from %llu, and not %llu", (unsigned long long)position,
		    (unsigned long long)newest + 1);
}

static void act_request(void)
{
	struct request req = {
		.c = request_command(below(GENL_COMMANDS)),
		.is_dump = one_in(2),
	};
	uint64_t newest = log_newest();
	int count;

	begin_call(req.c->name, req.is_dump, 0, 0);
	request_fill(&req);
	if (!(req.c->where & (req.is_dump ? IN_DUMP : IN_DO))) {
		may_fail(EOPNOTSUPP);
		request_put(&sock, &req);
		genl_send(&sock);
		while (genl_next(&sock))
			;
		judge(sock.error ? -1 : 0, sock.error);
		return;
	}
	count = predict(&req);
	if (one_in(3))
		request_spoil(&req);
	/* A second error might correct the first one. */
	if (one_in(8) && !fuzz.nallowed)
		request_spoil(&req);
	if (fuzz.racing) {
		may_fail(ENOENT);
		may_fail(ENXIO);
		fuzz.may_succeed = 1;
	}
	request_put(&sock, &req);
	if (genl_send(&sock)) {
		bad("not sent: %s", strerror(errno));
		return;
	}
	switch (req.c->cmd) {
	case RDMAEV_CMD_INFO_GET:
		check_info();
		break;
	case RDMAEV_CMD_HISTORY_GET:
		check_history(&req, newest);
		break;
	default:
		check_answer(&req, count, newest);
		break;
	}
}

/* A request of random bytes: it is enough that it is answered with an error. */
static void act_garbage(void)
{
	unsigned int i, len = below(one_in(2) ? 16 : 200);
	char *bytes;

	begin_call("garbage", len, 0, 0);
	genl_begin(&sock, one_in(2) ? below(256) : below(RDMAEV_CMD_MAX + 2),
		   NLM_F_ACK | (one_in(2) ? NLM_F_DUMP : 0));
	bytes = sock.req.bytes + sock.req.hdr.nlmsg_len;
	for (i = 0; i < len; i++)
		bytes[i] = one_in(2) ? 0 : rnd();
	sock.req.hdr.nlmsg_len += len;
	/* Shorter than a header */
	if (one_in(4))
		sock.req.hdr.nlmsg_len = NLMSG_HDRLEN + below(GENL_HDRLEN);
	if (one_in(8))
		sock.req.hdr.nlmsg_flags |= rnd() & 0xff00;
	if (genl_send(&sock))
		return;
	while (genl_next(&sock))
		;
	open_sock();
}

/*
 * Sockets with small buffers, dumps that are not read to the end, two at a time
 */
static void act_abandon(void)
{
	static struct genl g;
	char small[64];
	int one = 1, i;

	begin_call("abandon", 0, 0, 0);
	if (genl_open(&g))
		return;
	if (one_in(2))
		setsockopt(g.fd, SOL_SOCKET, SO_RCVBUF, &one, sizeof(one));
	if (one_in(2))
		genl_join(&g, g.group_all);
	genl_begin(&g, one_in(2) ? RDMAEV_CMD_HISTORY_GET :
		   request_command(1 + below(4))->cmd, NLM_F_DUMP);
	genl_send(&g);
	for (i = below(4); i; i--) {
		recv(g.fd, small, below(sizeof(small)), MSG_DONTWAIT);
		if (one_in(2)) {
			genl_begin(&g, RDMAEV_CMD_INFO_GET, NLM_F_ACK);
			genl_send(&g);
		} else if (one_in(2)) {
			genl_begin(&g, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
			genl_send(&g);
		}
	}
	genl_close(&g);
}

/* A second dump on a socket whose first dump has not ended returns EBUSY. */
static void act_interleave(void)
{
	begin_call("interleave", 0, 0, 0);
	genl_begin(&sock, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
	genl_send(&sock);
	genl_begin(&sock, RDMAEV_CMD_INFO_GET, NLM_F_ACK);
	if (send(sock.fd, &sock.req, sock.req.hdr.nlmsg_len, 0) < 0)
		bad("not sent: %s", strerror(errno));
	genl_begin(&sock, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
	if (send(sock.fd, &sock.req, sock.req.hdr.nlmsg_len, 0) < 0)
		bad("not sent: %s", strerror(errno));
	while (genl_next(&sock))
		;
	/*
	 * The first dump may have fitted, and ended before the second request.
	 */
	if (sock.error && sock.error != EBUSY)
		bad("%s, and not busy", strerror(sock.error));
	open_sock();
}

void do_genl(void)
{
	switch (below(32)) {
	case 0:
		act_garbage();
		break;
	case 1:
		act_abandon();
		break;
	case 2:
		act_interleave();
		break;
	case 3:
		act_groups();
		break;
	default:
		act_request();
		break;
	}
}
