/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Between rdmaev and the module rdmaev_probe; not for ULPs */
#ifndef RDMAEV_PROBER_H
#define RDMAEV_PROBER_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

struct ib_device;
struct rdmaev_cred;

/**
 * struct rdmaev_probe_ops - the probes of rdmaev_probe
 * @list: fill in the probes of a device, or of all for RDMAEV_ANY, at most
 *	@room, and return how many there are
 * @set: probe a device every @interval_ms, 0: stop. 0, or -EOPNOTSUPP if it
 *	cannot be probed
 *
 * In process context, one call at a time; they may sleep, but do not wait for a
 * driver. Exists until rdmaev_probes_unregister() returns.
 */
struct rdmaev_probe_ops {
	u32 (*list)(u32 device, struct rdmaev_probe *entries, u32 room);
	int (*set)(u32 device, u32 interval_ms);
};

/**
 * struct rdmaev_probed_port - a port, as the last query and the events since
 *	have it
 * @is_active: it is ACTIVE
 * @lid: its LID
 */
struct rdmaev_probed_port {
	bool is_active;
	u32 lid;
};

void rdmaev_probes_register(const struct rdmaev_probe_ops *ops);
void rdmaev_probes_unregister(void);
struct rdmaev_probe *rdmaev_probe_list(const struct rdmaev_cred *cred,
				       u32 device, u32 *count, u64 *seq);
int rdmaev_probe_set_interval(const struct rdmaev_cred *cred, u32 device,
			      u32 interval_ms);

u32 rdmaev_probe_generation(const struct ib_device *ib);
void rdmaev_probe_get_port(const struct ib_device *ib, u32 num,
			   struct rdmaev_probed_port *res);
u64 rdmaev_probe_report(const struct ib_device *ib, u32 port, unsigned int code,
			const struct rdmaev_probe_body *body, u64 cause);

#endif /* RDMAEV_PROBER_H */
