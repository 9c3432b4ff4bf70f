/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A simulated device sim0 with two ports, of each link type; and the objects
 * that rdmaev_ulp has on it.
 */
#ifndef RDMAEV_TEST_SIM_LINK_H
#define RDMAEV_TEST_SIM_LINK_H

#include "sim.h"

#define ULP "/sys/kernel/debug/rdmaev_ulp/"
#define ULP_NAME "a test's ULP"
#define MAX_OBJECTS 16

/* An object of rdmaev_ulp; -1: no CQ or SRQ */
struct object {
	char dev[64];
	char type[4];
	unsigned int number;
	long send_cq, recv_cq, srq;
	int calls;			/* of the ULP's own event handler */
	int last;			/* event of the last call, -1 none */
};

static inline int load_ulp(void)
{
	return load_module("rdmaev_ulp") ||
	       /* A killed test may have left it registered. */
	       put(ULP "source", "\n") ||
	       put(ULP "source", ULP_NAME);
}

/* QPs are bound to @port, but for those of iWARP. */
static inline int ulp_create(const char *dev, unsigned int port)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %u", dev, port);
	return put(ULP "create", text);
}

static inline int ulp_destroy(const char *dev)
{
	return put(ULP "destroy", dev);
}

/* The objects on @dev; returns their number. */
static inline int ulp_objects(const char *dev, struct object *list)
{
	char cq[2][16], srq[16], line[256];
	struct object obj;
	int n = 0;
	FILE *f;

	f = fopen(ULP "objects", "r");
	if (!f)
		return -1;
	while (n < MAX_OBJECTS && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63s %3s %u send_cq=%15s recv_cq=%15s"
			   " srq=%15s calls=%d last=%d", obj.dev, obj.type,
			   &obj.number, cq[0], cq[1], srq, &obj.calls,
			   &obj.last) != 8) {
			n = -1;
			break;
		}
		obj.send_cq = *cq[0] == '-' ? -1 : atol(cq[0]);
		obj.recv_cq = *cq[1] == '-' ? -1 : atol(cq[1]);
		obj.srq = *srq == '-' ? -1 : atol(srq);
		if (!strcmp(obj.dev, dev))
			list[n++] = obj;
	}
	fclose(f);
	return n;
}

/* Let an object report an event; @context as in rdmaev_sim. */
static inline int sim_raise(const struct object *obj, unsigned int event,
			    const char *context, unsigned int count)
{
	char path[192], text[64];

	snprintf(path, sizeof(path), SIM "%.63s/raise", obj->dev);
	snprintf(text, sizeof(text), "%s %u %u %s %u", obj->type, obj->number,
		 event, context, count);
	return put(path, text);
}

FIXTURE(link) {
	int fd;
	uint32_t index;
	uint32_t generation;
};

FIXTURE_VARIANT(link) {
	const char *name;
	uint32_t protocol;
	uint32_t link_layer;
	uint32_t node_type;
	unsigned int gids, pkeys;
};

FIXTURE_VARIANT_ADD(link, ib) {
	.name = "ib",
	.protocol = RDMAEV_PROTOCOL_IB,
	.link_layer = 1,
	.node_type = 1,
	.gids = 8,
	.pkeys = 8,
};

FIXTURE_VARIANT_ADD(link, roce) {
	.name = "roce",
	.protocol = RDMAEV_PROTOCOL_ROCE,
	.link_layer = 2,
	.node_type = 1,
	.gids = 8,
	.pkeys = 8,
};

FIXTURE_VARIANT_ADD(link, iwarp) {
	.name = "iwarp",
	.protocol = RDMAEV_PROTOCOL_IWARP,
	.link_layer = 2,
	.node_type = 4,
	.gids = 1,
	.pkeys = 0,
};

FIXTURE_SETUP(link)
{
	struct rdmaev_device dev;

	sim_destroy("sim0");
	ASSERT_EQ(sim_create_link("sim0", 2, variant->name), 0);
	if (variant->protocol != RDMAEV_PROTOCOL_IB) {
		ASSERT_EQ(bring_up("sim0_1"), 0);
		ASSERT_EQ(bring_up("sim0_2"), 0);
	}
	ASSERT_EQ(load_ulp(), 0);
	/* Each event by itself. */
	ASSERT_EQ(param("burst_ms", 0), 0);
	/* The query of a new device, before any change. */
	sleep_ms(300);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	self->index = dev.index;
	self->generation = dev.generation;
	ASSERT_EQ(dev.node_type, variant->node_type);
	ASSERT_EQ(filter_device(self->fd, "sim0"), 0);
}

FIXTURE_TEARDOWN(link)
{
	close(self->fd);
	sim_destroy("sim0");
	put(ULP "source", "\n");
}

#endif /* RDMAEV_TEST_SIM_LINK_H */
