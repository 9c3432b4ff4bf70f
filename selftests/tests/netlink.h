/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Helpers of the tests of the netlink family: a simulated device sim0, a reader
 * of the node to compare with, and a socket.
 */
#ifndef RDMAEV_TEST_NETLINK_H
#define RDMAEV_TEST_NETLINK_H

#include "cq.h"
#include "genl.h"

/* Affiliated events: they cause no port query. */
#define SRQ_LIMIT_REACHED	15
#define SRQ_ERR			14

#define ENTRIES	64

FIXTURE(nl) {
	int fd;				/* a reader of all records */
	uint32_t index;
	struct genl *g;
};

FIXTURE_SETUP(nl)
{
	uint32_t generation;
	int fd;

	ASSERT_EQ(open_sim0(&fd, &self->index, &generation), 0);
	close(fd);
	/* Each event by itself. */
	ASSERT_EQ(put("/sys/module/rdmaev/parameters/burst_ms", "0"), 0);
	/* The query of a new device */
	sleep_ms(300);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	self->g = malloc(sizeof(*self->g));
	ASSERT_EQ(genl_open(self->g), 0);
}

FIXTURE_TEARDOWN(nl)
{
	genl_close(self->g);
	free(self->g);
	close_sim0(self->fd);
}

static inline long events(unsigned int number, unsigned long count)
{
	return gen("process", "sim0", number, 1, count);
}

/*
 * A list from the kernel: at most ENTRIES entries, and the seq of the last one.
 * Number of entries; -1: it failed, or fields were missing.
 */
static inline int take_list(struct genl *g, const struct rdmaev_attr_set *set,
			    void *entries, size_t size,
			    uint64_t *seq)
{
	const struct nlattr *tb[GENL_ATTRS];
	const struct nlmsghdr *nlh;
	int count = 0;

	memset(entries, 0, ENTRIES * size);
	if (genl_send(g))
		return -1;
	while ((nlh = genl_next(g))) {
		genl_attrs(nlh, tb);
		if (!tb[set->type])
			return -1;
		*seq = genl_number(tb[set->type]);
		if (count == ENTRIES || genl_missing(tb, set, 0) ||
		    genl_fill(tb, set, (char *)entries + count++ * size))
			return -1;
	}
	return g->error ? -1 : count;
}

#define TAKE(g, name, entries, seq) \
	take_list(g, &rdmaev_##name##_attrs, entries, sizeof((entries)[0]), seq)

#endif /* RDMAEV_TEST_NETLINK_H */
