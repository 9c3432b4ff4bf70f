// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Many messages, as many at a time as the receiver has requests for */
#include <linux/jiffies.h>

#include "sample.h"

/* Send requests outstanding; receive requests posted */
#define WINDOW	32

/* A stream without progress for this time has stopped. */
#define STALL_MS	5000

/* RC: two of four use a receive request, the others access memory. */
static enum ib_wr_opcode stream_opcode(const struct sample_conn *conn,
				       unsigned int i)
{
	if (conn->setup->ud)
		return IB_WR_SEND;
	switch (i % 4) {
	case 1:
		return IB_WR_RDMA_WRITE;
	case 3:
		return IB_WR_RDMA_READ;
	default:
		return IB_WR_SEND;
	}
}

/*
 * Post as many requests as there is room for. No message without a receive
 * request: UD would drop it.
 */
static int post_more(struct sample_conn *conn, unsigned int *posted,
		     unsigned int *sent, unsigned int count)
{
	struct sample_cq *send = &conn->active.cq[SAMPLE_SEND];
	struct sample_cq *recv = &conn->passive.cq[SAMPLE_RECV];
	struct sample_request req;
	int ret;

	while (*posted < count && *posted - READ_ONCE(send->done) < WINDOW) {
		req = sample_good_request(conn, stream_opcode(conn, *posted));
		if (req.opcode == IB_WR_SEND) {
			if (*sent - READ_ONCE(recv->done) >= WINDOW)
				break;
			ret = sample_post_good_recvs(&conn->passive, 1);
			if (ret)
				return ret;
			(*sent)++;
		}
		ret = sample_post(conn, &req, 1);
		if (ret)
			return ret;
		(*posted)++;
	}
	return 0;
}

/**
 * sample_stream - send messages
 * @conn: connection
 * @count: number of requests; all of UD and half of RC are messages to a
 *	receive request
 *
 * Context: process, with the mutex of the connection.
 *
 * Return: 0 after all have completed at both ends, or -errno.
 */
int sample_stream(struct sample_conn *conn, unsigned int count)
{
	struct sample_cq *send = &conn->active.cq[SAMPLE_SEND];
	struct sample_cq *recv = &conn->passive.cq[SAMPLE_RECV];
	unsigned int posted = 0, sent = 0, seen;
	int ret;

	do {
		seen = sample_progress(conn);
		if (posted == count && READ_ONCE(send->done) >= posted &&
		    READ_ONCE(recv->done) >= sent)
			return 0;
		ret = post_more(conn, &posted, &sent, count);
		if (ret)
			return ret;
	} while (sample_wait_progress(conn, seen,
				      jiffies + msecs_to_jiffies(STALL_MS)));
	return -ETIMEDOUT;
}
