/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the Ethernet link of a port could do */
#ifndef ULIB_LINK_MODES_H
#define ULIB_LINK_MODES_H

#include <stdint.h>

#include <rdmaev.h>

/**
 * struct link_modes - speeds of a network device in Mb/s, each 0 if not known
 * @speed: of the link, while it has one
 * @common: fastest that it supports and its link partner advertises
 * @supported: fastest that it supports
 */
struct link_modes {
	uint32_t speed;
	uint32_t common;
	uint32_t supported;
};

/*
 * As ethtool has them, for the network device of a port. All 0 if it has none in
 * this network namespace: so for InfiniBand, where no verb gives them.
 */
struct link_modes read_link_modes(const struct rdmaev_port *port);

#endif /* ULIB_LINK_MODES_H */
