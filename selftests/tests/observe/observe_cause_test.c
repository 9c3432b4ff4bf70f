// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Causes belong to owners: nothing that a user does, or claims, is the cause of a
 * record about an object of another user or of the kernel, or takes its cause away.
 */
#include <arpa/inet.h>
#include <sys/wait.h>
#include <rdma/rdma_user_cm.h>

#include "common.h"
#include "kselftest_harness.h"
#include "program.h"

#define DEV "obs0"
#define ADDRESS "10.9.7.1"
#define RAISE "/sys/kernel/debug/rdmaev_inject/raise"
#define ULP "/sys/kernel/debug/rdmaev_ulp/"
#define SIM "/sys/kernel/debug/rdmaev_sim/"

/* More CQs, with an error each, than there are entries for those of users */
#define CQS 1100

/* The error of a queue is a cause for so long */
#define QUEUE_NS 5000000000ULL

static int ready(void)
{
	if (sh("modprobe rdma_ucm") ||
	    (access("/sys/module/rdmaev_inject", F_OK) &&
	     sh("insmod $RDMAEV_TOP/selftests/modules/rdmaev_inject.ko report=0")) ||
	    (access("/sys/module/rdmaev_observe", F_OK) &&
	     sh("insmod $RDMAEV_TOP/kmod/rdmaev_observe.ko")))
		return 0;
	return !rxe_add(DEV) && !sh("ip address add " ADDRESS "/24 dev " DEV "_d");
}

FIXTURE(cause) {
	struct program p;
	int fd;
};

FIXTURE_SETUP(cause)
{
	ASSERT_TRUE(ready());
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(program_begin(&self->p, DEV, 0));
}

FIXTURE_TEARDOWN(cause)
{
	program_end(&self->p);
	close(self->fd);
	rxe_del(DEV);
}

/* The newest record with this kind and code from the position on, with seq 0 if none */
static struct rdmaev_record newest(int fd, unsigned int kind, unsigned int code)
{
	struct rdmaev_record rec, found = {};

	while (read(fd, &rec, sizeof(rec)) == sizeof(rec)) {
		if (rec.kind == kind && rec.code == code)
			found = rec;
	}
	return found;
}

/* A request to rdma_ucm. Returns 0. */
static int ucm(int fd, unsigned int cmd, const void *in, size_t in_size, size_t out_size)
{
	struct {
		struct rdma_ucm_cmd_hdr hdr;
		char in[sizeof(struct rdma_ucm_connect)];
	} __attribute__((packed)) req = {
		.hdr = { .cmd = cmd, .in = in_size, .out = out_size },
	};
	size_t size = sizeof(req.hdr) + in_size;

	memcpy(req.in, in, in_size);
	return write(fd, &req, size) != (ssize_t)size;
}

/* Waits for the next event. Returns its number, -1 if that fails. */
static int ucm_event(int fd)
{
	struct rdma_ucm_event_resp resp = {};
	struct rdma_ucm_get_event cmd = { .response = (uintptr_t)&resp };

	if (ucm(fd, RDMA_USER_CM_CMD_GET_EVENT, &cmd, sizeof(cmd), sizeof(resp)))
		return -1;
	return resp.event;
}

enum { ADDR_RESOLVED, ADDR_ERROR, ROUTE_RESOLVED, REJECTED = 8 };

/* An id of rdma_cm with address and route; the device may not have its address yet */
static int ucm_resolved(int fd)
{
	struct rdma_ucm_create_id_resp id = {};
	struct rdma_ucm_create_id create = {
		.uid = 1,	/* without one there are no events */
		.response = (uintptr_t)&id,
		.ps = RDMA_PS_TCP,
		.qp_type = IBV_QPT_RC,
	};
	struct rdma_ucm_resolve_ip resolve = { .timeout_ms = 2000 };
	struct sockaddr_in *to = (void *)&resolve.dst_addr;
	struct rdma_ucm_resolve_route route = { .timeout_ms = 2000 };
	int event = ADDR_ERROR, tries = SOON_MS / 10;

	to->sin_family = AF_INET;
	to->sin_port = htons(7777);
	inet_pton(AF_INET, ADDRESS, &to->sin_addr);
	while (event == ADDR_ERROR && tries--) {
		if (ucm(fd, RDMA_USER_CM_CMD_CREATE_ID, &create, sizeof(create), sizeof(id)))
			return -1;
		resolve.id = id.id;
		if (!ucm(fd, RDMA_USER_CM_CMD_RESOLVE_IP, &resolve, sizeof(resolve), 0))
			event = ucm_event(fd);
		sleep_ms(10);
	}
	route.id = id.id;
	if (event != ADDR_RESOLVED ||
	    ucm(fd, RDMA_USER_CM_CMD_RESOLVE_ROUTE, &route, sizeof(route), 0) ||
	    ucm_event(fd) != ROUTE_RESOLVED)
		return -1;
	return id.id;
}

/*
 * As a user without privilege: ask for a connection to a port where nobody listens,
 * with the number of a QP of somebody else. Returns the exit status.
 */
static int claim(uid_t uid, uint32_t qpn)
{
	struct rdma_ucm_connect connect = {
		.conn_param = { .qp_num = qpn, .retry_count = 7, .valid = 1 },
	};
	int status = -1, fd, id;
	pid_t pid = fork();

	if (!pid) {
		if (setgid(uid) || setuid(uid))
			_exit(2);
		fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
		id = fd < 0 ? -1 : ucm_resolved(fd);
		connect.id = id;
		if (id < 0 || ucm(fd, RDMA_USER_CM_CMD_CONNECT, &connect, sizeof(connect), 0))
			_exit(3);
		_exit(ucm_event(fd) == REJECTED ? 0 : 4);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

TEST_F_TIMEOUT(cause, claimed, 60)
{
	struct rdmaev_record rejected, moved;

	ASSERT_EQ(to_init(self->p.qp[0]), 0);
	ASSERT_EQ(to_init(self->p.qp[1]), 0);
	ASSERT_EQ(claim(60100, self->p.qp[0]->qp_num), 0);
	rejected = newest(self->fd, RDMAEV_KIND_CM, REJECTED);
	ASSERT_GT(rejected.seq, 0);
	ASSERT_EQ(rejected.object, self->p.qp[0]->qp_num);
	ASSERT_EQ(move(self->p.qp[0], IBV_QPS_ERR), 0);
	moved = newest(self->fd, RDMAEV_KIND_QP, RDMAEV_QP_ERR);
	ASSERT_EQ(moved.object, self->p.qp[0]->qp_num);
	EXPECT_EQ(moved.cause, 0);

	/* Of the same owner it is. */
	ASSERT_EQ(claim(0, self->p.qp[1]->qp_num), 0);
	rejected = newest(self->fd, RDMAEV_KIND_CM, REJECTED);
	ASSERT_EQ(rejected.object, self->p.qp[1]->qp_num);
	ASSERT_EQ(move(self->p.qp[1], IBV_QPS_ERR), 0);
	moved = newest(self->fd, RDMAEV_KIND_QP, RDMAEV_QP_ERR);
	ASSERT_EQ(moved.object, self->p.qp[1]->qp_num);
	EXPECT_EQ(moved.cause, rejected.seq);
}

/* Number of the @nth object of a type that the ULP has on sim0, -1: none */
static int of_ulp(const char *type, int nth)
{
	char line[256], dev[32], its_type[32];
	FILE *f = fopen(ULP "objects", "r");
	int number, found = -1;

	while (f && found < 0 && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%31s %31s %d", dev, its_type, &number) == 3 &&
		    !strcmp(dev, "sim0") && !strcmp(its_type, type) && !--nth)
			found = number;
	}
	if (f)
		fclose(f);
	return found;
}

/* An event of an object, from its driver: @path is the file of the device for that */
static int raise_event(const char *path, const char *object, unsigned int number,
		       unsigned int event)
{
	char text[64];

	snprintf(text, sizeof(text), "%s %u %u", object, number, event);
	return put(path, text);
}

/* The CQs of this process on the device, at most @max. Returns how many. */
static int my_cqs(unsigned int *number, int max)
{
	char command[128];
	int n = 0;
	FILE *f;

	snprintf(command, sizeof(command), "rdma resource show cq dev " DEV " -j | "
		 "jq '.[] | select(.pid == %d) | .cqn'", getpid());
	f = popen(command, "r");
	while (f && n < max && fscanf(f, "%u", &number[n]) == 1)
		n++;
	if (f)
		pclose(f);
	return n;
}

/* More errors of queues of a process than there are entries evict none of the kernel. */
TEST_F_TIMEOUT(cause, overflows, 120)
{
	struct rdmaev_record error, fatal;
	unsigned int number[CQS];
	struct ibv_cq *cq[CQS];
	int i, fd;

	for (i = 0; i < CQS; i++) {
		cq[i] = ibv_create_cq(self->p.ctx, 1, NULL, NULL, 0);
		ASSERT_TRUE(cq[i]);
	}
	ASSERT_EQ(my_cqs(number, CQS), CQS);
	ASSERT_EQ(load_module("rdmaev_sim"), 0);
	ASSERT_EQ(load_module("rdmaev_ulp"), 0);
	ASSERT_EQ(put(SIM "create", "sim0 1 ib"), 0);
	ASSERT_EQ(put(ULP "source", "tester"), 0);
	ASSERT_EQ(put(ULP "create", "sim0"), 0);
	ASSERT_EQ(param("burst_ms", 0), 0);
	fd = open_node(O_NONBLOCK);
	ASSERT_GE(fd, 0);
	do {
		ASSERT_EQ(raise_event(SIM "sim0/raise", "cq", of_ulp("cq", 1),
				      RDMAEV_ASYNC_CQ_ERR), 0);
		error = newest(fd, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_CQ_ERR);
		ASSERT_EQ(error.ring, RDMAEV_RING_ERROR);
		for (i = 0; i < CQS; i++)
			ASSERT_EQ(raise_event(RAISE, DEV " cq", number[i],
					      RDMAEV_ASYNC_CQ_ERR), 0);
		ASSERT_EQ(raise_event(SIM "sim0/raise", "qp", of_ulp("qp", 1),
				      RDMAEV_ASYNC_QP_FATAL), 0);
		fatal = newest(fd, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_QP_FATAL);
		ASSERT_NE(fatal.seq, 0);
		/* On a machine that is too slow for it, once more */
	} while (fatal.boottime_ns - error.boottime_ns >= QUEUE_NS);
	EXPECT_EQ(fatal.cause, error.seq);
	EXPECT_EQ(param("burst_ms", 1000), 0);
	EXPECT_EQ(put(ULP "destroy", "sim0"), 0);
	EXPECT_EQ(put(SIM "destroy", "sim0"), 0);
	for (i = 0; i < CQS; i++)
		ibv_destroy_cq(cq[i]);
	close(fd);
}

TEST_HARNESS_MAIN
