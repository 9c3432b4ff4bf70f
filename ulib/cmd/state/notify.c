// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev watch --notify: have the notifications of CQs recorded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "notify.h"
#include "option/arguments.h"
#include "snapshot.h"

/* Return true if the node exists and is to be used. */
static bool has_node(const struct options *o)
{
	return !o->netlink && (o->node || !access(RDMAEV_NODE, F_OK));
}

static const char *notify_error(const struct options *o)
{
	switch (errno) {
	case ENODEV:
		return "no such device (rdmaev devices lists them)";
	case ENOENT:
		return "no such CQ that you may see (rdmaev cqs lists them)";
	case EBUSY:
		return "its notifications are recorded for another reader already";
	case EOPNOTSUPP:
		return has_node(o) ? "its notifications are ib_core's (attached)" :
				     "only the node can do that, not generic netlink";
	default:
		return strerror(errno);
	}
}

/* Recording ends when the handle is closed. */
int ask_notify(struct rdmaev *h, const struct options *o)
{
	struct rdmaev_device *list = NULL;
	ssize_t n = 0, d;
	uint64_t seq;
	size_t i;

	if (o->notifies_count)
		n = list_devices(h, false, &list, &seq);
	for (i = 0; n >= 0 && i < o->notifies_count; i++) {
		const struct notify *notify = &o->notifies[i];
		const struct target device = {
			.name = notify->text,
			.name_len = notify->name_len,
		};

		for (d = 0; d < n; d++)
			if (is_target(&device, list[d].name))
				break;
		errno = ENODEV;
		if (d < n && !rdmaev_notify(h, list[d].index, notify->cq,
					    notify->every, notify->delay_us))
			continue;
		complain("--notify %s: %s", notify->text, notify_error(o));
		n = -1;
	}
	free(list);
	return n < 0 ? -1 : 0;
}
