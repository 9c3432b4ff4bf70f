// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Multicast messages: a listener is woken for all records, however they are appended. */
#include "cq.h"
#include "genl.h"

/* An affiliated event: it causes no port query. */
#define SRQ_LIMIT_REACHED	15

FIXTURE(listen) {
	int fd;
	struct genl *g;
};

FIXTURE_SETUP(listen)
{
	uint32_t index, generation;
	int fd;

	ASSERT_EQ(open_sim0(&fd, &index, &generation), 0);
	close(fd);
	/* The query of a new device */
	sleep_ms(300);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	self->g = malloc(sizeof(*self->g));
	ASSERT_EQ(genl_open(self->g), 0);
}

FIXTURE_TEARDOWN(listen)
{
	genl_close(self->g);
	free(self->g);
	close_sim0(self->fd);
}

/* A record appended while the work item is about to end is not missed. */
TEST_F_TIMEOUT(listen, none_is_missed, 60)
{
	uint64_t last = get_info(self->fd).newest_seq;
	const struct nlmsghdr *nlh;
	unsigned int i;

	ASSERT_EQ(genl_join(self->g, self->g->group_all), 0);
	for (i = 0; i < 2000; i++) {
		ASSERT_EQ(gen("process", "sim0", SRQ_LIMIT_REACHED, 1, 1), 1);
		nlh = genl_event(self->g, SOON_MS);
		ASSERT_NE(nlh, NULL);
		/* The next one follows at once. */
		ASSERT_EQ(genl_news(nlh), ++last);
	}
}

/*
 * Number of interrupts for irq_work on all CPUs; -1: not counted by this kernel
 */
static long irq_works(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	char line[4096], *p, *end;
	long sum = -1;

	while (f && fgets(line, sizeof(line), f)) {
		p = strstr(line, "IWI:");
		if (!p)
			continue;
		sum = 0;
		for (p += 4;; p = end) {
			long n = strtol(p, &end, 10);

			if (end == p)
				break;
			sum += n;
		}
	}
	if (f)
		fclose(f);
	return sum;
}

/* Without a new read of the listener, a record causes no interrupt. */
TEST_F_TIMEOUT(listen, one_interrupt_for_many, 60)
{
	const long count = 20000;
	long before, after;
	int size = 1 << 24;

	ASSERT_EQ(setsockopt(self->g->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size,
			     sizeof(size)), 0);
	ASSERT_EQ(genl_join(self->g, self->g->group_all), 0);
	before = irq_works();
	if (before < 0)
		SKIP(return, "this kernel does not count them");
	ASSERT_EQ(gen("process", "sim0", SRQ_LIMIT_REACHED, 1, count), count);
	after = irq_works();
	TH_LOG("%ld interrupts for %ld records", after - before, count);
	EXPECT_LT(after - before, count / 2);
}

TEST_HARNESS_MAIN
