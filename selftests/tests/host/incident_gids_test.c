// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which changes of GIDs a rule joins to an outage of their port, and which it
 * does not: records made up, with times of their own.
 */
#include "incident_records.h"

/* IPv6 addresses of the network device go with it, and return. */
TEST_F(rules, gids_of_port_set_down)
{
	JOIN(event(0, 2, 1, RDMAEV_ASYNC_PORT_ERR),
	     event(1, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     caused_by(1, set_down(2, 1)),
	     caused_by(2, GID_REMOVED(3, LINK_LOCAL)),
	     GID_REMOVED(4, OTHER_IPV6),
	     event(60000, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     caused_by(6, GID_ADDED(60001, LINK_LOCAL)),
	     GID_ADDED(60002, OTHER_IPV6));
	EXPECT_JOINED(1, 0, "port_down");
	EXPECT_JOINED(4, 0, "port_down");
	EXPECT_JOINED(5, 0, "port_down");
	EXPECT_JOINED(7, 0, "port_down");
}

/* What else changes while the port is down has another cause. */
TEST_F(rules, gids_of_others)
{
	JOIN(set_down(0, 1),
	     GID_REMOVED(1, IPV4),
	     gid(2, 1, false, OTHER_IPV6, RDMAEV_GID_ROCE_V2, NETDEV + 1),
	     gid(3, 1, false, OTHER_IPV6, RDMAEV_GID_ROCE_V2, 0),
	     gid(4, 1, false, OTHER_IPV6, RDMAEV_GID_IB, NETDEV),
	     gid(5, 2, false, OTHER_IPV6, RDMAEV_GID_ROCE_V2, NETDEV + 1),
	     /* None that it has removed, or not of that type or network device */
	     GID_ADDED(6, LINK_LOCAL),
	     GID_REMOVED(7, LINK_LOCAL),
	     gid(8, 1, true, LINK_LOCAL, RDMAEV_GID_ROCE_V1, NETDEV),
	     gid(9, 1, true, LINK_LOCAL, RDMAEV_GID_ROCE_V2, NETDEV + 1),
	     GID_ADDED(10, OTHER_IPV6),
	     GID_ADDED(11, IPV4),
	     /* Much later: an address that was kept is deleted. */
	     GID_REMOVED(5001, OTHER_IPV6));
	EXPECT_JOINED(7, 0, "port_down");
	EXPECT_ALONE(1);
	EXPECT_ALONE(2);
	EXPECT_ALONE(3);
	EXPECT_ALONE(4);
	EXPECT_ALONE(5);
	EXPECT_ALONE(6);
	EXPECT_ALONE(8);
	EXPECT_ALONE(9);
	EXPECT_ALONE(10);
	EXPECT_JOINED(11, 1, "gid_removed");
	EXPECT_ALONE(12);
}

/* Removed before the port went down: by somebody else, who adds it again. */
TEST_F(rules, gid_removed_before)
{
	JOIN(GID_REMOVED(0, LINK_LOCAL), set_down(1000, 1), GID_ADDED(2000, LINK_LOCAL));
	EXPECT_ALONE(0);
	EXPECT_JOINED(2, 0, "gid_removed");
}

/* The event comes before the port is up, what the query finds after that. */
TEST_F(rules, gid_found_later)
{
	JOIN(set_down(0, 1),
	     GID_REMOVED(1, LINK_LOCAL),
	     event(100, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     event(101, 2, 1, RDMAEV_ASYNC_PORT_ACTIVE),
	     caused_by(3, GID_ADDED(102, LINK_LOCAL)),
	     event(103, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     caused_by(6, GID_ADDED(104, OTHER_IPV6)));
	EXPECT_JOINED(2, 0, "port_down");
	EXPECT_ALONE(5);
}

/* One GID replaces another. */
TEST_F(rules, gid_replaced_while_down)
{
	struct rdmaev_record replaced = GID_REMOVED(1, OTHER_IPV6);

	replaced.body.port.after.gid[0] = 0xfd;
	JOIN(set_down(0, 1), replaced);
	EXPECT_ALONE(1);
}

/* The event belongs to the outage if all that follows from it does. */
TEST_F(rules, gid_change_is_what_it_changes)
{
	JOIN(set_down(0, 1),
	     event(1, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     event(2, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     event(3, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     caused_by(3, GID_REMOVED(4, LINK_LOCAL)),
	     caused_by(3, GID_ADDED(5, IPV4)),
	     caused_by(4, GID_REMOVED(6, OTHER_IPV6)),
	     caused_by(4, GID_REMOVED(7, LINK_LOCAL)));
	/* Nothing changed: the record does not say what it was. */
	EXPECT_ALONE(1);
	EXPECT_ALONE(2);
	EXPECT_JOINED(3, 0, "port_down");
}

/* A carrier that is lost removes no GID, and a port of unknown network device neither. */
TEST_F(rules, gids_without_reason)
{
	JOIN(event(0, 2, 1, RDMAEV_ASYNC_PORT_ERR),
	     GID_REMOVED(1, LINK_LOCAL),
	     state(2, 2, 1, RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN),
	     GID_REMOVED(3, LINK_LOCAL));
	EXPECT_ALONE(1);
	EXPECT_ALONE(3);
}

TEST_F(rules, gids_of_unknown_netdev)
{
	self->log.ports_count = 0;
	JOIN(set_down(0, 1), GID_REMOVED(1, LINK_LOCAL),
	     gid(2, 1, false, LINK_LOCAL, RDMAEV_GID_ROCE_V2, 0));
	EXPECT_ALONE(1);
	EXPECT_ALONE(2);
}

/* Addresses come and go: those that the outage explains belong to that. */
TEST_F(rules, gids_of_failed_device)
{
	JOIN(event(0, 2, 0, RDMAEV_ASYNC_DEVICE_FATAL),
	     GID_REMOVED(1, OTHER_IPV6),
	     event(2, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     set_down(3, 1),
	     GID_REMOVED(4, LINK_LOCAL),
	     GID_ADDED(5, IPV4));
	EXPECT_ALONE(1);
	EXPECT_ALONE(2);
	EXPECT_JOINED(3, 0, "device_failed");
	EXPECT_JOINED(4, 3, "port_down");
	EXPECT_ALONE(5);
}

TEST_HARNESS_MAIN
