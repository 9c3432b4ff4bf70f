// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The fuzzer's multicast groups: a socket gets each appended record that its
 * group may see, or a report of lost ones.
 */
#include "fuzz_genl.h"

static struct genl ear = { .fd = -1 };		/* member of groups */
static int in_all;				/* it is in the group all */
static int in_device;				/* and in the group device */
static int was_in_device;			/* and was: records come twice */
static uint64_t heard;				/* newest seq; 0: unknown */
static int has_overrun;				/* unknown until all are read */

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
	was_in_device = 0;
	has_overrun = 0;
	heard = 0;
}

void groups_end_epoch(void)
{
	if (ear.fd >= 0)
		genl_close(&ear);
	ear.fd = -1;
}

/* The socket gets all appended records unless it reports a loss. */
void genl_listen(int wait)
{
	const struct nlmsghdr *nlh;
	struct rdmaev_record rec;

	if (fuzz.racing || (!in_all && !in_device))
		return;
	begin_call("listen", in_all, in_device, 0);
	for (;;) {
		int more = wait && in_all && heard && heard < log_newest();

		nlh = genl_receive(&ear, more ? SOON_MS : 0);
		/*
		 * The error comes before messages that were queued when one did
		 * not fit.
		 */
		if (!nlh && ear.error == ENOBUFS) {
			has_overrun = 1;
			heard = 0;
			continue;
		}
		if (!nlh) {
			has_overrun = 0;
			if (more)
				bad("heard up to %llu of %llu", (unsigned long long)heard,
				    (unsigned long long)log_newest());
			return;
		}
		if (nlh->nlmsg_type != ear.family)
			continue;
		if (genl_record(nlh, &rec))
			bad("attributes are missing");
		log_catch_up();
		if (rec.kind == RDMAEV_KIND_LOST) {
			heard = 0;
			continue;
		}
		if (!rec.seq || rec.seq > log_newest() ||
		    memcmp(&rec, log_any_record(rec.seq), sizeof(rec)))
			bad("not the record that others get");
		if (!in_all && rec.object_type >= RDMAEV_OBJECT_QP)
			bad("only for administrators");
		/* In both groups, records for all users come twice. */
		if (heard && in_all && rec.seq != heard + 1 && !(was_in_device && rec.seq <= heard))
			bad("record %llu comes after %llu", (unsigned long long)rec.seq,
			    (unsigned long long)heard);
		if (in_all && !has_overrun && rec.seq > heard)
			heard = rec.seq;
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
		heard = log_newest();
		log_catch_up();
		if (heard != log_newest())
			heard = 0;
	} else {
		in_device = !is_in;
		was_in_device = 1;
	}
}
