// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * When the descriptor of a reader over generic netlink is readable: after a
 * message of a group, at a time, or as long as a record may be available.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "netlink_wait.h"

/* Query interval for events that no group reports */
#define LOOK_NS		1000000000ULL

/* Messages to drain from the group at once; more leave it readable */
#define DRAIN_MAX	64

static int wait_join(int fd, uint32_t group)
{
	return setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group,
			  sizeof(group));
}

/* Open a socket that receives a message for each new record. */
static int wait_open_group(struct netlink_wait *w, const struct genl_family *family)
{
	struct genl_family control = { .group_name = { "notify" } };
	struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	int small = 1;

	if (genl_find(&control, "nlctrl") < 0)
		return -1;
	w->group = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			  NETLINK_GENERIC);
	if (w->group < 0)
		return -1;
	/*
	 * One message carries as much information as many, so queue few. The
	 * error for dropped messages does, too; it is all that arrives if the
	 * kernel had no memory for a message.
	 */
	setsockopt(w->group, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	/* A message without an address looks as if the kernel had sent it. */
	if (bind(w->group, (struct sockaddr *)&any, sizeof(any)) < 0 ||
	    wait_join(w->group, control.group[0]) < 0)
		return -1;
	/* A kernel that cannot restrict this group does not register it. */
	if (family->group[0] && !wait_join(w->group, family->group[0]))
		return 0;
	if (family->group[0] && errno != EPERM)
		return -1;
	/*
	 * The other group does not report events of the user's own QPs, CQs,
	 * SRQs and WQs.
	 */
	w->looks = true;
	return wait_join(w->group, family->group[1]);
}

static int wait_watch(const struct netlink_wait *w, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return fd < 0 ? -1 : epoll_ctl(w->fd, EPOLL_CTL_ADD, fd, &event);
}

int netlink_wait_open(struct netlink_wait *w, const struct genl_family *family)
{
	w->group = -1;
	w->due = -1;
	w->timer = -1;
	w->fd = epoll_create1(EPOLL_CLOEXEC);
	if (w->fd < 0)
		return -1;
	if (wait_open_group(w, family) < 0 || wait_watch(w, w->group) < 0)
		return -1;
	w->due = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wait_watch(w, w->due) < 0)
		return -1;
	w->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	return wait_watch(w, w->timer);
}

void netlink_wait_close(struct netlink_wait *w)
{
	const int fds[] = { w->group, w->due, w->timer, w->fd };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}

void netlink_wait_drain(struct netlink_wait *w)
{
	char none;
	int i;

	for (i = 0; i < DRAIN_MAX; i++) {
		if (recv(w->group, &none, 0, MSG_DONTWAIT | MSG_TRUNC) < 0 &&
		    errno == EAGAIN)
			break;
	}
}

static void wait_set_due(struct netlink_wait *w, bool due)
{
	uint64_t value = 1;
	ssize_t n;

	if (due == w->is_due)
		return;
	if (due)
		n = write(w->due, &value, sizeof(value));
	else
		n = read(w->due, &value, sizeof(value));
	if (n == sizeof(value))
		w->is_due = due;
}

static void wait_set_timer(struct netlink_wait *w, uint64_t when_ns)
{
	struct itimerspec when = {
		.it_value.tv_sec = (time_t)(when_ns / 1000000000),
		.it_value.tv_nsec = (long)(when_ns % 1000000000),
	};

	if (!when_ns && !w->timer_set)
		return;
	timerfd_settime(w->timer, TFD_TIMER_ABSTIME, &when, NULL);
	w->timer_set = when_ns;
}

void netlink_wait_set(struct netlink_wait *w, bool readable, uint64_t now, uint64_t until)
{
	if (w->looks && (!until || until > now + LOOK_NS))
		until = now + LOOK_NS;
	wait_set_timer(w, readable ? 0 : until);
	wait_set_due(w, readable);
}
