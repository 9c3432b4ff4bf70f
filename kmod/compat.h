/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What differs between kernels, or is not to be had outside of the kernel's
 * own tree; nowhere else in the module.
 */
#ifndef RDMAEV_COMPAT_H
#define RDMAEV_COMPAT_H

#include <linux/types.h>

struct device;
struct sk_buff;

/*
 * The argument of ib_client.get_nl_info is defined in ib_core's private
 * core_priv.h only. It has been the same since it came with Linux 5.3.
 */
struct ib_client_nl_info {
	struct sk_buff *nl_msg;
	struct device *cdev;
	u32 port;
	u64 abi;
};

/* Newer kernels want to be asked for what queues used to be: see Kbuild. */
#ifndef HAVE_WQ_PERCPU
#define WQ_PERCPU	0
#endif

#endif /* RDMAEV_COMPAT_H */
