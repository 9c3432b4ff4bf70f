// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ask ib_core for the network device of a port, as rdma link does. The GIDs of
 * iWARP have none up to Linux 6.4, and sysfs shows those of GIDs only.
 */
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netdev.h"

/* An answer has some hundred bytes. */
#define ANSWER_MAX	8192

struct attribute {
	struct nlattr head;
	uint32_t number;
};

struct request {
	struct nlmsghdr head;
	struct attribute device;
	struct attribute port;
};

static struct attribute make_attribute(uint16_t type, uint32_t number)
{
	return (struct attribute){
		.head = { .nla_len = sizeof(struct attribute), .nla_type = type },
		.number = number,
	};
}

/* Of the kernel */
struct answer {
	struct nlmsghdr head;
	char attributes[ANSWER_MAX];
};

/* Index in this network namespace, 0: there is none */
static uint32_t netdev_parse(const struct answer *of, size_t len)
{
	const char *answer = (const char *)of;
	struct attribute found;
	size_t at = NLMSG_HDRLEN;

	if (len < at || of->head.nlmsg_type == NLMSG_ERROR)
		return 0;
	while (at + sizeof(found.head) <= len) {
		memcpy(&found.head, answer + at, sizeof(found.head));
		if (found.head.nla_len < sizeof(found.head) || found.head.nla_len > len - at)
			return 0;
		if (found.head.nla_type == RDMA_NLDEV_ATTR_NDEV_INDEX &&
		    found.head.nla_len == sizeof(found)) {
			memcpy(&found, answer + at, sizeof(found));
			return found.number;
		}
		at += NLA_ALIGN(found.head.nla_len);
	}
	return 0;
}

/* The kernel has answered when the request is sent. */
static uint32_t ask_core(const struct rdmaev_port *port)
{
	struct request request = {
		.head = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_PORT_GET),
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.device = make_attribute(RDMA_NLDEV_ATTR_DEV_INDEX, port->device),
		.port = make_attribute(RDMA_NLDEV_ATTR_PORT_INDEX, port->port),
	};
	struct answer answer;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	ssize_t len = -1;

	if (fd < 0)
		return 0;
	if (send(fd, &request, sizeof(request), 0) == sizeof(request))
		len = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT);
	close(fd);
	return len > 0 ? netdev_parse(&answer, (size_t)len) : 0;
}

/* The core asks the driver for the port, which is not to be done if it does not answer. */
static bool may_ask(const struct rdmaev_port *port)
{
	return port->protocols & RDMAEV_PROTOCOL_IWARP &&
	       !(port->flags & (RDMAEV_PORT_FLAG_REMOVING |
				RDMAEV_PORT_FLAG_QUERY_STUCK |
				RDMAEV_PORT_FLAG_QUERY_FAILED));
}

const char *find_netdev(const struct rdmaev_port *port, char name[IF_NAMESIZE])
{
	uint32_t index = port->netdev;

	/* Its number may be that of another one by now. */
	if (port->flags & RDMAEV_PORT_FLAG_REMOVED)
		return NULL;
	if (!index && may_ask(port))
		index = ask_core(port);
	return index ? if_indextoname(index, name) : NULL;
}
