/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Readers that wait in all ways, the records that each got of a device, and
 * requests to RDMA netlink that change that device
 */
#ifndef RDMAEV_TEST_READER_H
#define RDMAEV_TEST_READER_H

#include "race.h"
#include "kselftest_harness.h"

#define TOLD_MAX	16384

enum waiting { BY_READ, BY_POLL, BY_EPOLL, BY_EDGE, BY_NETLINK, WAYS };

/* A reader, and the records that it got of a device, or of all */
struct reader {
	enum waiting way;
	int fd, ep;
	struct genl_listener *listener;
	uint32_t device;
	unsigned int n;
	struct rdmaev_record rec[TOLD_MAX];
};

static inline int open_reader(struct reader *me, enum waiting way, uint32_t device,
			      const char *name)
{
	struct epoll_event ev = { .events = EPOLLIN };

	*me = (struct reader){ .way = way, .fd = -1, .ep = -1, .device = device };
	if (way == BY_NETLINK) {
		me->listener = malloc(sizeof(*me->listener));
		me->fd = open_node(O_NONBLOCK);
		return !me->listener || me->fd < 0 ||
		       genl_listener_open(me->listener, get_info(me->fd).newest_seq + 1, 1);
	}
	me->fd = open_node(way == BY_READ ? 0 : O_NONBLOCK);
	if (me->fd < 0 || (name && filter_device(me->fd, name)))
		return -1;
	if (way == BY_EDGE)
		ev.events |= EPOLLET;
	me->ep = epoll_create1(EPOLL_CLOEXEC);
	return way >= BY_EPOLL && epoll_ctl(me->ep, EPOLL_CTL_ADD, me->fd, &ev);
}

static inline void close_reader(struct reader *me)
{
	if (me->listener)
		genl_listener_close(me->listener);
	free(me->listener);
	if (me->fd >= 0)
		close(me->fd);
	if (me->ep >= 0)
		close(me->ep);
}

/* The next record, as long as it takes; 1, or -1: there is none. */
static inline int get(struct reader *me, struct rdmaev_record *rec)
{
	struct pollfd p = { .fd = me->fd, .events = POLLIN };
	struct epoll_event ev;
	int ret;

	if (me->way == BY_NETLINK)
		return genl_read(me->listener, rec, HANGS_S * 1000) == 1 ? 1 : -1;
	for (;;) {
		/*
		 * Read available records first, as an edge does not report
		 * them.
		 */
		ret = read_one(me->fd, rec);
		if (ret == 1 || errno != EAGAIN)
			return ret;
		if (me->way == BY_POLL)
			ret = poll(&p, 1, HANGS_S * 1000);
		else
			ret = epoll_wait(me->ep, &ev, 1, HANGS_S * 1000);
		if (ret != 1)
			return -1;
	}
}

static inline int is_device(const struct rdmaev_record *rec, uint16_t code)
{
	return rec->kind == RDMAEV_KIND_DEVICE && rec->code == code;
}

static inline void keep(struct reader *me, const struct rdmaev_record *rec)
{
	if (me->n < TOLD_MAX)
		me->rec[me->n++] = *rec;
}

/* All records of a device that a reader gets without waiting */
static inline void drain(int fd, struct reader *all)
{
	struct rdmaev_record rec;

	all->n = 0;
	while (read_one(fd, &rec) == 1)
		keep(all, &rec);
}

static inline int same_order(const struct reader *one, const struct reader *all)
{
	unsigned int i;

	for (i = 0; i < one->n && i < all->n; i++) {
		if (one->rec[i].seq == all->rec[i].seq)
			continue;
		fprintf(stderr, "# reader %u: %llu, not %llu\n", one->way,
			(unsigned long long)one->rec[i].seq,
			(unsigned long long)all->rec[i].seq);
		return 0;
	}
	if (one->n != all->n)
		fprintf(stderr, "# reader %u: %u records, not %u\n", one->way, one->n,
			all->n);
	return one->n == all->n;
}

/* A request to RDMA netlink about a device; 0 or errno. */
static inline int nldev(int fd, uint16_t cmd, uint32_t device, uint16_t attr, const void *data,
			size_t len)
{
	union links_msg m;

	rdma_begin(&m, cmd, 0);
	links_put(&m, RDMA_NLDEV_ATTR_DEV_INDEX, &device, sizeof(device));
	if (attr)
		links_put(&m, attr, data, len);
	return links_talk(fd, &m);
}

static inline int open_nldev(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
}

#endif /* RDMAEV_TEST_READER_H */
