// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QP records as text and as JSON: who modified or destroyed a QP, and the
 * result.
 */
#include <limits.h>

#include "format.h"
#include "kselftest_harness.h"

/* Requests for QPs: who made them, and their results */
TEST(format_qp)
{
	const uint32_t user = RDMAEV_KNOWN_UID, state = RDMAEV_KNOWN_QP_STATE;
	const uint32_t peer = RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_GID |
			      RDMAEV_KNOWN_PEER_LID;
	const struct {
		unsigned int code, before;
		uint32_t known;
		int result;
		unsigned int signal;
		uint32_t pid;
		const char *owner;
		uint32_t caller_pid;
		const char *comm, *caller;
		const char *human, *json;
	} cases[] = {
		{ 6, 3, state, 0, 0, 0, "nvmet_rdma", 276, "rm", "nvmet_rdma_delete_ctrl",
		  " QP_ERR               QP 20 of nvmet_rdma: RTS -> ERR by rm[276] in nvmet_rdma_delete_ctrl  #41",
		  "\"pid\":0,\"comm\":null,\"qp\":{\"before\":\"RTS\",\"result\":0,"
		  "\"signal\":null,\"owner\":\"nvmet_rdma\",\"uid\":null,\"pid_ns\":null,"
		  "\"cgroup\":null,\"qp_type\":null,\"caller\":\"nvmet_rdma_delete_ctrl\","
		  "\"caller_pid\":276,\"caller_comm\":\"rm\",\"gid_index\":null,\"gid\":null,\"path_mtu\":null,\"peer_qpn\":null,"
		  "\"peer_lid\":null,\"peer_gid\":null,\"flags\":[]},\"source\":\"observer\"," },
		{ 6, 3, state, 0, 0, 0, "nvme_rdma", 0, "kworker/u8:1", "nvme_rdma_stop_queue",
		  ": RTS -> ERR by kworker/u8:1 in nvme_rdma_stop_queue  #41",
		  "\"caller_pid\":null,\"caller_comm\":\"kworker/u8:1\"," },
		{ 6, 3, state, 0, 0, 0, "nvme_rdma", 0, "", "nvme_rdma_stop_queue",
		  ": RTS -> ERR in nvme_rdma_stop_queue  #41", "\"caller_comm\":null," },
		/* The owner is not named twice */
		{ 2, 1, user | state, -22, 0, 1234, "ib_write_bw", 1234, "ib_write_bw", "",
		  " QP_RTR               QP 20 of ib_write_bw[1234]: INIT -> RTR failed: Invalid argument (-22)  #41",
		  "\"pid\":1234,\"comm\":\"ib_write_bw\",\"qp\":{\"before\":\"INIT\",\"result\":-22,"
		  "\"signal\":null,\"owner\":\"ib_write_bw\",\"uid\":1000,\"pid_ns\":9,"
		  "\"cgroup\":null,\"qp_type\":null,\"caller\":null," },
		{ 2, 0, user, -22, 0, 1234, "ib_write_bw", 1234, "rpc-poll", "",
		  ": -> RTR by rpc-poll[1234] failed: Invalid argument (-22)  #41",
		  "\"before\":null,\"result\":-22," },
		{ 6, 3, user | state, 0, 0, 1234, "rping", 1234, "rping", "ucma_disconnect",
		  "QP 20 of rping[1234]: RTS -> ERR by rping[1234] in ucma_disconnect  #41", "" },
		/* Outside of the reader's pid namespace */
		{ 6, 3, user | state, 0, 0, 0, "rping", 0, "rping", "",
		  "QP 20 of rping: RTS -> ERR  #41", "\"pid\":0,\"comm\":\"rping\"," },
		/* Unknown names */
		{ 6, 3, user | state, 0, 0, 17, "", 18, "", "",
		  "QP 20 pid 17: RTS -> ERR by pid 18  #41",
		  "\"comm\":null,\"qp\":{\"before\":\"RTS\",\"result\":0,\"signal\":null,"
		  "\"owner\":null," },
		{ 32, 3, user | state, 0, 9, 206, "rping", 206, "rping", "",
		  " QP_DESTROY           QP 20 of rping[206]: destroyed, process killed by signal 9 (SIGKILL)  #41",
		  "\"event\":\"QP_DESTROY\",\"code\":32," },
		{ 32, 3, user | state, 0, 60, 206, "rping", 207, "child", "",
		  ": destroyed by child[207], process killed by signal 60  #41",
		  "\"signal\":60," },
		{ 32, 3, user | state, 0, 0, 206, "rping", 206, "rping", "",
		  "QP 20 of rping[206]: destroyed, process exited  #41", "\"signal\":null," },
		{ 32, 3, state, 0, 0, 0, "ulp", 0, "kworker/0:1", "ulp_free",
		  "QP 20 of ulp: destroyed by kworker/0:1 in ulp_free  #41", "" },
		{ 32, 3, user | state, -16, 0, 206, "rping", 206, "rping", "",
		  ": destruction failed: Device or resource busy (-16)  #41", "" },
		{ 33, 6, user | state, 0, 0, 206, "rping", 206, "rping", "",
		  " QP_FAILED            QP 20 of rping[206]: was in ERR, not asked for by its owner  #41",
		  "\"event\":\"QP_FAILED\",\"code\":33," },
		{ 34, 0, user, -12, 0, 206, "rping", 206, "rping", "",
		  " CREATE_QP            QP 20 of rping[206]: creation failed: Cannot allocate memory (-12)  #41",
		  "\"event\":\"CREATE_QP\",\"code\":34," },
		{ 37, 0, user, -11, 0, 206, "rping", 206, "rping", "",
		  ": creation of an object failed: Resource temporarily unavailable (-11), limit hca_object of its rdma cgroup  #41",
		  "\"event\":\"CREATE_OBJECT\",\"code\":37," },
		{ 37, 0, user, -12, 0, 206, "rping", 206, "rping", "",
		  ": creation of an object failed: Cannot allocate memory (-12)  #41",
		  "\"event\":\"CREATE_OBJECT\",\"code\":37," },
		{ 38, 0, user, -11, 0, 206, "rping", 206, "rping", "",
		  ": opening the device failed: Resource temporarily unavailable (-11), limit hca_handle of its rdma cgroup  #41",
		  "\"event\":\"CREATE_CONTEXT\",\"code\":38," },
		/* Numbers without a name */
		{ 9, 7, state, -5000, 0, 0, "x", 0, "", "",
		  " QP_9                 QP 20 of x: state 7 -> state 9 failed: -5000  #41",
		  "\"event\":\"QP_9\",\"code\":9," },
		{ 6, 255, state, INT_MIN, 0, 0, "x", 0, "", "",
		  ": state 255 -> ERR failed: -2147483648  #41",
		  "\"before\":255,\"result\":-2147483648," },
	};
	struct rdmaev_record e;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rdmaev_qp_body *body = &e.body.qp;

		e = made_up(RDMAEV_KIND_QP, cases[i].code);
		e.object_type = RDMAEV_OBJECT_QP;
		e.object = 20;
		e.source = RDMAEV_SOURCE_OBSERVER;
		e.pid = cases[i].pid;
		body->info.known = RDMAEV_KNOWN_OBJECT | cases[i].known;
		if (body->info.known & RDMAEV_KNOWN_UID)
			body->info.known |= RDMAEV_KNOWN_PID_NS;
		body->result = cases[i].result;
		body->caller_pid = cases[i].caller_pid;
		body->info.uid = 1000;
		body->info.pid_ns = 9;
		body->info.qp_state = cases[i].before;
		body->signal = cases[i].signal;
		strcpy(body->info.owner, cases[i].owner);
		strcpy(body->caller_comm, cases[i].comm);
		strcpy(body->origin.caller, cases[i].caller);
		if (cases[i].caller[0])
			body->info.known |= RDMAEV_KNOWN_CALLER;
		EXPECT_STREQ(end_of(HUMAN(&e), cases[i].human), cases[i].human)
			TH_LOG("%u: %s", i, HUMAN(&e));
		EXPECT_HAS(JSON(&e), cases[i].json)
			TH_LOG("%u: %s", i, JSON(&e));
	}

	e = made_up(RDMAEV_KIND_QP, RDMAEV_QP_DESTROY);
	e.object_type = RDMAEV_OBJECT_QP;
	e.body.info.known = RDMAEV_KNOWN_UID;
	e.body.qp.signal = 9;
	e.body.qp.flags = RDMAEV_QP_FLAG_OUT_OF_MEMORY | 2;
	EXPECT_HAS(HUMAN(&e), ", process killed by signal 9 (SIGKILL), out of memory  #41");
	EXPECT_HAS(JSON(&e), "\"flags\":[\"out_of_memory\",1]");

	/* All other fields that can be known */
	e = made_up(RDMAEV_KIND_QP, RDMAEV_QP_ERR);
	e.object_type = RDMAEV_OBJECT_QP;
	strcpy(e.body.info.owner, "x");
	e.body.info.known = RDMAEV_KNOWN_QP_TYPE | RDMAEV_KNOWN_CGROUP | peer;
	e.body.qp.result = 0;
	e.body.info.qp_type = RDMAEV_QPT_RC;
	e.body.info.cgroup = 4711;
	e.body.qp.peer.qpn = 18;
	e.body.qp.peer.lid = 5;
	e.body.qp.peer.gid[0] = 0xfe;
	e.body.qp.peer.gid[1] = 0x80;
	e.body.qp.peer.gid[15] = 1;
	EXPECT_HAS(JSON(&e), "\"object_id\":null,");
	EXPECT_HAS(JSON(&e), "\"cgroup\":4711,\"qp_type\":\"RC\",");
	EXPECT_HAS(JSON(&e), "\"peer_qpn\":18,\"peer_lid\":5,\"peer_gid\":\"fe80::1\",\"flags\":[]},");
	EXPECT_HAS(HUMAN(&e), " QP ? of x, peer QP 18 at fe80::1: -> ERR  #41");
	e.count = 3;
	EXPECT_HAS(HUMAN(&e), ", peer QP 18 at fe80::1 x3: -> ERR  #41");
	e.body.info.known |= RDMAEV_KNOWN_GID_INDEX | RDMAEV_KNOWN_PATH_MTU;
	e.body.qp.gid_index = 7;
	e.body.qp.path_mtu = 4096;
	EXPECT_HAS(JSON(&e), "\"caller\":null,\"caller_pid\":null,\"caller_comm\":null,"
		   "\"gid_index\":7,\"gid\":null,\"path_mtu\":4096,\"peer_qpn\":18,");
	EXPECT_HAS(HUMAN(&e), ", peer QP 18 at fe80::1 from GID [7], path MTU 4096 x3: -> ERR  #41");
	e.body.info.known |= RDMAEV_KNOWN_GID;
	memcpy(e.body.qp.origin.gid, e.body.qp.peer.gid, sizeof(e.body.qp.origin.gid));
	e.body.qp.origin.gid[15] = 7;
	EXPECT_HAS(JSON(&e), "\"caller\":null,");
	EXPECT_HAS(JSON(&e), "\"gid_index\":7,\"gid\":\"fe80::7\",\"path_mtu\":4096,");
	EXPECT_HAS(HUMAN(&e), ", peer QP 18 at fe80::1 from GID [7] fe80::7, path MTU 4096 x3: "
			      "-> ERR  #41");
	e.body.info.known ^= peer | RDMAEV_KNOWN_GID;
	EXPECT_HAS(HUMAN(&e), " of x, from GID [7], path MTU 4096 x3: -> ERR  #41");
	e.body.info.known ^= peer | RDMAEV_KNOWN_GID_INDEX | RDMAEV_KNOWN_PATH_MTU;
	/* Names without a NUL, and bytes that a terminal interprets */
	memset(e.body.info.owner, 'o', sizeof(e.body.info.owner));
	memset(e.body.qp.caller_comm, 'c', sizeof(e.body.qp.caller_comm));
	e.body.info.known |= RDMAEV_KNOWN_CALLER;
	memset(e.body.qp.origin.caller, 'f', sizeof(e.body.qp.origin.caller));
	EXPECT_HAS(HUMAN(&e), "QP ? of oooooooooooooooooooo, peer");
	EXPECT_HAS(HUMAN(&e), " by cccccccccccccccc in ffffffffffffffffffffffff  #41");
	EXPECT_HAS(JSON(&e), "\"owner\":\"oooooooooooooooooooo\",");
	EXPECT_HAS(JSON(&e), "\"caller\":\"ffffffffffffffffffffffff\",");
	EXPECT_HAS(JSON(&e), "\"caller_comm\":\"cccccccccccccccc\",");
	memset(&e.body, 0x9b, sizeof(e.body));
	EXPECT_EQ(strpbrk(HUMAN(&e), "\x9b\033"), NULL);
	EXPECT_EQ(strpbrk(JSON(&e), "\x9b\033"), NULL);
}

TEST_HARNESS_MAIN
