/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Descriptor of a reader over generic netlink: when it is readable */
#ifndef ULIB_NETLINK_WAIT_H
#define ULIB_NETLINK_WAIT_H

#include "genl.h"

/**
 * struct netlink_wait - what makes the descriptor of a reader readable
 * @fd: epoll descriptor with @group, @due and @timer
 * @group: socket in the groups; queues few messages and drops the others
 * @due: eventfd, not 0 while a record is or may be available
 * @timer: expires after the delay of rdmaev_set_wakeup(), or when to query again
 * @is_due: @due is not 0
 * @timer_set: @timer is set
 * @looks: no group reports the visible events of QPs, CQs, SRQs and WQs
 */
struct netlink_wait {
	int fd;
	int group;
	int due;
	int timer;
	bool is_due;
	bool timer_set;
	bool looks;
};

/* Open all descriptors. After a failure, too, netlink_wait_close() closes them. */
int netlink_wait_open(struct netlink_wait *w, const struct genl_family *family);
void netlink_wait_close(struct netlink_wait *w);

/* Take the messages of the groups that have come so far. */
void netlink_wait_drain(struct netlink_wait *w);

/*
 * Make the descriptor readable at once, or at the time @until, 0: by the next
 * message. @now: the time, both of CLOCK_BOOTTIME.
 */
void netlink_wait_set(struct netlink_wait *w, bool readable, uint64_t now, uint64_t until);

#endif /* ULIB_NETLINK_WAIT_H */
