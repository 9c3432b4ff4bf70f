// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What rules join to the removal of a device, or to another hardware address of a port,
 * and what they do not: records made up, with times of their own.
 */
#include "incident_records.h"

#define QP_ERR(ms, number)	qp(ms, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, number, 0)
#define CM(ms, code, number)	qp(ms, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_##code, number, 0)

/* Users of a device that is removed: some of them before the record of that */
TEST_F(rules, device_removed)
{
	struct rdmaev_record by_person = QP_ERR(200, 18);
	char buf[64];
	struct text t = { .buf = buf, .size = sizeof(buf) };

	by_person.body.qp.caller_pid = 600;
	JOIN(UNREACHABLE(99, 1, 1, 17),
	     QP_ERR(100, 17),
	     by_person,
	     qp(300, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_FAILED, 19, 0),
	     UNREACHABLE(400, 1, 1, 20),
	     CM(500, DEVICE_REMOVAL, 21),
	     removal(600, 1, 100),
	     UNREACHABLE(700, 1, 1, 22),
	     QP_ERR(800, 23));
	EXPECT_ALONE(0);
	EXPECT_JOINED(1, 6, "device_removed");
	EXPECT_JOINED(2, 6, "device_removed");
	EXPECT_JOINED(3, 6, "device_removed");
	EXPECT_JOINED(4, 6, "device_removed");
	EXPECT_JOINED(5, 6, "device_removed");
	EXPECT_JOINED(7, 6, "device_removed");
	EXPECT_JOINED(8, 6, "device_removed");
	EXPECT_EQ(summarize(&self->log, 6).records, 8);
	EXPECT_EQ(root_of(&self->log, 1), 6);
	put_after(&t, &self->log.nodes[6].r, &self->log.nodes[1].r);
	text_put(&t, " ");
	put_after(&t, &self->log.nodes[6].r, &self->log.nodes[7].r);
	text_end(&t);
	EXPECT_STREQ(buf, "-500ms +100ms");
}

/* A request to end a connection says by itself that the removal had begun. */
TEST_F(rules, asked_before)
{
	JOIN(CM(99, DEVICE_REMOVAL, 17), removal(200, 1, 100));
	EXPECT_JOINED(0, 1, "device_removed");
}

/* Another device; a process that closes its QP; another failure; no removal is on record. */
TEST_F(rules, device_removed_others)
{
	struct rdmaev_record own = QP_ERR(300, 18), by_other = own;

	own.pid = 500;
	own.body.qp.caller_pid = 500;
	by_other.pid = 500;
	by_other.object = 30;
	by_other.body.qp.caller_pid = 501;
	JOIN(qp(100, 2, 1, RDMAEV_KIND_CM, RDMAEV_CM_DEVICE_REMOVAL, 17, 0),
	     UNREACHABLE(200, 2, 1, 17),
	     own,
	     by_other,
	     qp(400, 1, 1, RDMAEV_KIND_WC, RDMAEV_WC_LOC_PROT_ERR, 19, 0),
	     CM(500, DISCONNECTED, 20),
	     removal(600, 1, 0),
	     UNREACHABLE(700, 2, 1, 18));
	EXPECT_ALONE(0);
	EXPECT_ALONE(1);
	EXPECT_ALONE(2);
	EXPECT_JOINED(3, 6, "device_removed");
	EXPECT_ALONE(4);
	EXPECT_ALONE(5);
	EXPECT_ALONE(7);
}

/* The device had failed, and is reset. */
TEST_F(rules, failed_device_removed)
{
	JOIN(event(0, 1, 0, RDMAEV_ASYNC_DEVICE_FATAL),
	     CM(70000, DEVICE_REMOVAL, 17),
	     removal(70100, 1, 70000));
	EXPECT_JOINED(1, 2, "device_removed");
	EXPECT_JOINED(2, 0, "device_failed");
	EXPECT_EQ(summarize(&self->log, 0).records, 3);
}

/* A bond switches to another network device: each connection has an event of that. */
TEST_F(rules, address_changed)
{
	JOIN(CM(0, ADDR_CHANGE, 17),
	     CM(10, ADDR_CHANGE, 18),
	     caused_by(1, QP_ERR(20, 17)),
	     CM(1000, ADDR_CHANGE, 19),
	     CM(1001, ADDR_CHANGE, 20),
	     CM(2000, ADDR_CHANGE, 21));
	EXPECT_ALONE(0);
	EXPECT_JOINED(1, 0, "same_change");
	EXPECT_EQ(self->log.nodes[2].parent, 0);
	EXPECT_JOINED(3, 0, "same_change");
	/* It switches again. */
	EXPECT_ALONE(4);
	EXPECT_JOINED(5, 4, "same_change");
}

/* Another port, another device, and a connection that has none */
TEST_F(rules, other_addresses_changed)
{
	struct rdmaev_record unbound = CM(30, ADDR_CHANGE, 20), again = CM(40, ADDR_CHANGE, 21);

	unbound.generation = 0;
	again.generation = 0;
	JOIN(qp(0, 2, 1, RDMAEV_KIND_CM, RDMAEV_CM_ADDR_CHANGE, 17, 0),
	     qp(10, 2, 2, RDMAEV_KIND_CM, RDMAEV_CM_ADDR_CHANGE, 18, 0),
	     CM(20, ADDR_CHANGE, 19), unbound, again, CM(50, ADDR_ERROR, 22));
	EXPECT_ALONE(1);
	EXPECT_ALONE(2);
	EXPECT_ALONE(3);
	EXPECT_ALONE(4);
	EXPECT_ALONE(5);
}

TEST_HARNESS_MAIN
