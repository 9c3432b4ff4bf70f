/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A device of which users have shares, and what was missed of the greedy one */
#ifndef RDMAEV_TEST_SHARE_H
#define RDMAEV_TEST_SHARE_H

#include "users.h"
#include "kselftest_harness.h"
#include "program.h"
#include "ucm.h"

#define DEV "obs0"
#define ADDRESS "10.9.8.1"

/* More than a share */
#define MORE 100

FIXTURE(share) {
	int fd;
	uint64_t begin;
};

FIXTURE_SETUP(share)
{
	ASSERT_TRUE(ucm_ready(DEV, ADDRESS));
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	self->begin = get_info(self->fd).newest_seq + 1;
}

FIXTURE_TEARDOWN(share)
{
	children_kill();
	EXPECT_EQ(param("burst_ms", 1000), 0);
	close(self->fd);
	rxe_del(DEV);
}

/* The next record with this kind and code, with seq 0 if there is none */
static inline struct rdmaev_record next_of(int fd, unsigned int kind, unsigned int code)
{
	struct rdmaev_record rec;

	while (read(fd, &rec, sizeof(rec)) == sizeof(rec)) {
		if (rec.kind == kind && rec.code == code)
			return rec;
	}
	return (struct rdmaev_record) {};
}

/* What was missed of the greedy user up to @upto, as the reader @fd sees it */
static inline uint64_t missed(int fd, uint32_t facts, uint64_t upto)
{
	struct rdmaev_record r;
	uint64_t count = 0;

	while ((r = next_of(fd, RDMAEV_KIND_OBSERVER, RDMAEV_OBSERVER_MISSED)).seq) {
		if (r.seq <= upto && r.body.info.known == RDMAEV_KNOWN_UID &&
		    r.body.info.uid == GREEDY_UID &&
		    r.body.observer.facts == facts &&
		    r.ring == RDMAEV_RING_USER)
			count += r.count;
	}
	return count;
}

#endif /* RDMAEV_TEST_SHARE_H */
