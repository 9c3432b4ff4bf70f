/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Records as they are appended, over netlink */
#ifndef RDMAEV_NETLINK_EVENT_H
#define RDMAEV_NETLINK_EVENT_H

int rdmaev_nl_event_init(void);
void rdmaev_nl_event_start(void);
void rdmaev_nl_event_stop(void);
void rdmaev_nl_event_exit(void);

#endif /* RDMAEV_NETLINK_EVENT_H */
