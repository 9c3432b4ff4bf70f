/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A simulated InfiniBand device sim0 with two ports.
 */
#ifndef RDMAEV_TEST_SIM_IB_H
#define RDMAEV_TEST_SIM_IB_H

#include "sim.h"

FIXTURE(sim) {
	int fd;
	uint32_t index;
};

FIXTURE_SETUP(sim)
{
	sim_destroy("sim0");
	/* Without periodic queries: only events cause a query. */
	ASSERT_EQ(param("poll_ms", 0), 0);
	ASSERT_EQ(sim_create("sim0", 2), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_GE(device_index(self->fd, "sim0"), 0);
	self->index = device_index(self->fd, "sim0");
	ASSERT_EQ(filter_device(self->fd, "sim0"), 0);
	/* The query of a new device, before any change. */
	sleep_ms(200);
	ASSERT_TRUE(nothing(self->fd));
}

FIXTURE_TEARDOWN(sim)
{
	close(self->fd);
	sim_destroy("sim0");
	param("poll_ms", 30000);
	netns_undo();
}

#endif /* RDMAEV_TEST_SIM_IB_H */
