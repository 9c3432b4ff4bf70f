/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Interfaces and soft RoCE devices over plain netlink: running ip and rdma for
 * each step takes longer than most tests do, above all on kernels with
 * checkers.
 */
#ifndef RDMAEV_TEST_LINKS_H
#define RDMAEV_TEST_LINKS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A request, and its answer */
union links_msg {
	struct nlmsghdr hdr;
	char bytes[8192];
};

static inline void links_begin(union links_msg *m, uint16_t type, uint16_t flags,
			       const void *head, size_t len)
{
	memset(m, 0, NLMSG_SPACE(len));
	m->hdr.nlmsg_len = NLMSG_SPACE(len);
	m->hdr.nlmsg_type = type;
	m->hdr.nlmsg_flags = NLM_F_REQUEST | flags;
	if (len)
		memcpy(NLMSG_DATA(&m->hdr), head, len);
}

static inline void links_put(union links_msg *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr attr = { .nla_len = NLA_HDRLEN + len, .nla_type = type };
	char *end = m->bytes + m->hdr.nlmsg_len;

	memset(end, 0, NLA_HDRLEN + NLA_ALIGN(len));
	memcpy(end, &attr, sizeof(attr));
	memcpy(end + NLA_HDRLEN, data, len);
	m->hdr.nlmsg_len += NLA_HDRLEN + NLA_ALIGN(len);
}

static inline void links_text(union links_msg *m, uint16_t type, const char *text)
{
	links_put(m, type, text, strlen(text) + 1);
}

/* Send a request and wait for its answer; 0 or errno. */
static inline int links_talk(int fd, union links_msg *m)
{
	m->hdr.nlmsg_flags |= NLM_F_ACK;
	if (send(fd, m, m->hdr.nlmsg_len, 0) < 0 ||
	    recv(fd, m, sizeof(*m), 0) < NLMSG_HDRLEN)
		return errno;
	return m->hdr.nlmsg_type == NLMSG_ERROR ?
	       -((const struct nlmsgerr *)NLMSG_DATA(&m->hdr))->error : EPROTO;
}

/* The same on a socket of its own; -1 and errno on failure. */
static inline int links_do(int protocol, union links_msg *m)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	int error = fd < 0 ? errno : links_talk(fd, m);

	close(fd);
	errno = error;
	return error ? -1 : 0;
}

/* Interfaces */

static inline int netdev_add_dummy(const char *name)
{
	struct ifinfomsg ifi = { .ifi_flags = IFF_UP, .ifi_change = IFF_UP };
	struct nlattr kind = { .nla_len = NLA_HDRLEN + 6, .nla_type = IFLA_INFO_KIND };
	char info[NLA_HDRLEN + NLA_ALIGN(6)] = "";
	union links_msg m;

	memcpy(info, &kind, sizeof(kind));
	memcpy(info + NLA_HDRLEN, "dummy", 6);
	links_begin(&m, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &ifi, sizeof(ifi));
	links_text(&m, IFLA_IFNAME, name);
	links_put(&m, IFLA_LINKINFO, info, sizeof(info));
	return links_do(NETLINK_ROUTE, &m);
}

static inline int netdev_set(const char *name, int up)
{
	struct ifinfomsg ifi = { .ifi_flags = up ? IFF_UP : 0, .ifi_change = IFF_UP };
	union links_msg m;

	links_begin(&m, RTM_NEWLINK, 0, &ifi, sizeof(ifi));
	links_text(&m, IFLA_IFNAME, name);
	return links_do(NETLINK_ROUTE, &m);
}

static inline int netdev_del(const char *name)
{
	struct ifinfomsg ifi = {};
	union links_msg m;

	links_begin(&m, RTM_DELLINK, 0, &ifi, sizeof(ifi));
	links_text(&m, IFLA_IFNAME, name);
	return links_do(NETLINK_ROUTE, &m);
}

/* RDMA devices */

static inline void rdma_begin(union links_msg *m, uint16_t cmd, uint16_t flags)
{
	links_begin(m, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), flags, NULL, 0);
}

/* The index of a device in a dump if it has this name, else -1. */
static inline long rdma_index_if(const struct nlmsghdr *nlh, const char *name)
{
	const struct rtattr *attr = NLMSG_DATA(nlh);
	int left = NLMSG_PAYLOAD(nlh, 0), same = 0;
	long index = -1;

	for (; RTA_OK(attr, left); attr = RTA_NEXT(attr, left)) {
		if (attr->rta_type == RDMA_NLDEV_ATTR_DEV_INDEX)
			index = *(const uint32_t *)RTA_DATA(attr);
		else if (attr->rta_type == RDMA_NLDEV_ATTR_DEV_NAME)
			same = !strcmp(RTA_DATA(attr), name);
	}
	return same ? index : -1;
}

/* Index of a device, -1 if none is visible here. */
static inline long rdma_index(const char *name)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	const struct nlmsghdr *nlh;
	int n, more = 1;
	union links_msg m;
	long index = -1;

	rdma_begin(&m, RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	if (send(fd, &m, m.hdr.nlmsg_len, 0) < 0)
		more = 0;
	while (more) {
		n = recv(fd, &m, sizeof(m), 0);
		if (n <= 0)
			break;
		for (nlh = &m.hdr; NLMSG_OK(nlh, n); nlh = NLMSG_NEXT(nlh, n)) {
			if (nlh->nlmsg_type == NLMSG_DONE || nlh->nlmsg_type == NLMSG_ERROR)
				more = 0;
			else if (index < 0)
				index = rdma_index_if(nlh, name);
		}
	}
	close(fd);
	return index;
}

/*
 * The generator returns when what the core has queued for the device was delivered: soft
 * RoCE tells by an event that its port is ACTIVE, which would come at any time.
 */
static inline int rdma_settle(const char *name)
{
	int fd = open("/sys/kernel/debug/rdmaev_gen/run", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		dprintf(fd, "dispatch %s 77 1 0", name);
		close(fd);
	}
	return 0;
}

static inline int rdma_add(const char *name, const char *type, const char *netdev)
{
	union links_msg m;

	rdma_begin(&m, RDMA_NLDEV_CMD_NEWLINK, 0);
	links_text(&m, RDMA_NLDEV_ATTR_DEV_NAME, name);
	links_text(&m, RDMA_NLDEV_ATTR_LINK_TYPE, type);
	links_text(&m, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	return links_do(NETLINK_RDMA, &m) || rdma_settle(name);
}

static inline int rdma_del(const char *name)
{
	uint32_t index = rdma_index(name);
	union links_msg m;

	rdma_begin(&m, RDMA_NLDEV_CMD_DELLINK, 0);
	links_put(&m, RDMA_NLDEV_ATTR_DEV_INDEX, &index, sizeof(index));
	return links_do(NETLINK_RDMA, &m);
}

/* Let network namespaces share all devices, or each have its own. */
static inline int rdma_netns_shared(uint8_t shared)
{
	union links_msg m;

	rdma_begin(&m, RDMA_NLDEV_CMD_SYS_SET, 0);
	links_put(&m, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, &shared, sizeof(shared));
	return links_do(NETLINK_RDMA, &m);
}

/* A soft RoCE device on a dummy interface of its own. */
static inline int rxe_add(const char *name)
{
	char netdev[IFNAMSIZ + 3];

	snprintf(netdev, sizeof(netdev), "%s_d", name);
	return netdev_add_dummy(netdev) || rdma_add(name, "rxe", netdev);
}

static inline int rxe_del(const char *name)
{
	char netdev[IFNAMSIZ + 3];
	int failed;

	snprintf(netdev, sizeof(netdev), "%s_d", name);
	failed = rdma_del(name);
	return netdev_del(netdev) || failed;
}

#endif /* RDMAEV_TEST_LINKS_H */
