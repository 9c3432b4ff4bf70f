// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The fuzzer's multicast groups: a socket is told that there are records which its group may
 * see, or that there was no room for a message.
 */
#include "fuzz_genl.h"

static struct genl ear = { .fd = -1 };		/* member of groups */
static int in_all;				/* it is in the group all */
static int in_device;				/* and in the group device */
static uint64_t newest_in_all;			/* when it left that */
static uint64_t awaited;			/* first record that it is told of; 0: unknown */

void groups_begin_epoch(void)
{
	if (ear.fd >= 0)
		genl_close(&ear);
	if (genl_open(&ear)) {
		perror("netlink");
		exit(1);
	}
	in_all = 0;
	in_device = 0;
	newest_in_all = 0;
	awaited = 0;
}

void groups_end_epoch(void)
{
	if (ear.fd >= 0)
		genl_close(&ear);
	ear.fd = -1;
}

static void hear(uint64_t seq)
{
	const struct rdmaev_record *rec;

	log_catch_up();
	if (!seq || seq > log_newest())
		bad("told of %llu, of %llu", (unsigned long long)seq,
		    (unsigned long long)log_newest());
	/* That of a loss may be any. */
	rec = log_record(seq);
	if (!in_all && seq > newest_in_all && rec && rec->object_type >= RDMAEV_OBJECT_QP)
		bad("only for administrators");
	if (awaited && seq > awaited)
		bad("not told of %llu, but of %llu", (unsigned long long)awaited,
		    (unsigned long long)seq);
	/* An older one stands for it, too, or not. */
	awaited = 0;
}

/* The socket is told of appended records. */
void genl_listen(int wait)
{
	const struct nlmsghdr *nlh;

	if (fuzz.racing || (!in_all && !in_device))
		return;
	begin_call("listen", in_all, in_device, 0);
	for (;;) {
		int more = wait && in_all && awaited && awaited <= log_newest();

		nlh = genl_receive(&ear, more ? SOON_MS : 0);
		if (!nlh && ear.error == ENOBUFS) {
			awaited = 0;
			continue;
		}
		if (!nlh) {
			if (more)
				bad("not told of %llu", (unsigned long long)awaited);
			return;
		}
		if (nlh->nlmsg_type == ear.family)
			hear(genl_news(nlh));
	}
}

void act_groups(void)
{
	uint32_t group;
	int is_all = one_in(2), is_in, what;

	genl_listen(1);
	begin_call("groups", is_all, 0, 0);
	group = is_all ? ear.group_all : ear.group_device;
	is_in = is_all ? in_all : in_device;
	what = is_in ? NETLINK_DROP_MEMBERSHIP : NETLINK_ADD_MEMBERSHIP;
	log_catch_up();
	if (setsockopt(ear.fd, SOL_NETLINK, what, &group, sizeof(group)))
		bad("%s", strerror(errno));
	if (is_all) {
		in_all = !is_in;
		/*
		 * From the next record on; its seq is known if none was
		 * appended meanwhile.
		 */
		awaited = in_all ? log_newest() + 1 : 0;
		log_catch_up();
		if (awaited != log_newest() + 1)
			awaited = 0;
		newest_in_all = log_newest();
	} else {
		in_device = !is_in;
	}
}
