/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Ioctls that give lists of what there is */
#ifndef RDMAEV_CDEV_LIST_H
#define RDMAEV_CDEV_LIST_H

#include <linux/compiler_types.h>

struct rdmaev_stream;

long rdmaev_list_devices(struct rdmaev_stream *s, void __user *arg);
long rdmaev_list_ports(struct rdmaev_stream *s, void __user *arg);
long rdmaev_list_counters(struct rdmaev_stream *s, void __user *arg);
long rdmaev_list_cqs(struct rdmaev_stream *s, void __user *arg);
long rdmaev_list_qps(struct rdmaev_stream *s, void __user *arg);
long rdmaev_list_probes(struct rdmaev_stream *s, void __user *arg);

#endif /* RDMAEV_CDEV_LIST_H */
