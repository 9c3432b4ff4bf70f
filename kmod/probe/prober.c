// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the module rdmaev_probe reports and lists. It depends on this module, so
 * that this one does not depend on rdma_cm.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "device/access.h"
#include "device/count.h"
#include "device/device.h"
#include "device/device_table.h"
#include "device/turn.h"
#include "log/catalogue.h"
#include "log/log.h"
#include "object/cause.h"
#include "prober.h"

/*
 * NULL: rdmaev_probe is not loaded. The mutex is held during each call, so that
 * none runs when rdmaev_probes_unregister() returns.
 */
static DEFINE_MUTEX(probes_lock);
static const struct rdmaev_probe_ops *probes_ops;

/**
 * rdmaev_probes_register - register the probes, for lists and requests
 * @ops: probes
 *
 * Context: process, may sleep.
 */
void rdmaev_probes_register(const struct rdmaev_probe_ops *ops)
{
	mutex_lock(&probes_lock);
	probes_ops = ops;
	mutex_unlock(&probes_lock);
}
EXPORT_SYMBOL_GPL(rdmaev_probes_register);

/**
 * rdmaev_probes_unregister - no list has the probes any more, and none reads
 *	them
 *
 * Context: process, may sleep.
 */
void rdmaev_probes_unregister(void)
{
	mutex_lock(&probes_lock);
	probes_ops = NULL;
	mutex_unlock(&probes_lock);
}
EXPORT_SYMBOL_GPL(rdmaev_probes_unregister);

/* Keep those that the reader may see; returns their number. */
static u32 probes_keep_visible(struct rdmaev_probe *entries, u32 n,
			       const struct rdmaev_cred *cred)
{
	u32 i, kept = 0;

	for (i = 0; i < n; i++) {
		if (rdmaev_device_visible(entries[i].generation, cred, false))
			entries[kept++] = entries[i];
	}
	return kept;
}

/* Arguments and result of probes_walk() */
struct probe_list {
	u32 device;
	struct rdmaev_probe *entries;
	u32 room;
	u32 n;
};

static void probes_walk(void *data)
{
	struct probe_list *list = data;

	mutex_lock(&probes_lock);
	list->n = probes_ops ? probes_ops->list(list->device, list->entries,
						list->room) : 0;
	mutex_unlock(&probes_lock);
}

/**
 * rdmaev_probe_list - list the probes visible to a reader
 * @cred: credentials of the reader
 * @device: index of the device, or RDMAEV_ANY
 * @count: set to the number of entries, 0: rdmaev_probe is not loaded, or can
 *	probe no port
 * @seq: set to the newest seq before the list was made
 *
 * Return: array for kvfree(), or ERR_PTR: -ENOMEM; -ENODEV if the device does
 * not exist.
 */
struct rdmaev_probe *rdmaev_probe_list(const struct rdmaev_cred *cred,
				       u32 device, u32 *count, u64 *seq)
{
	struct probe_list list = { .device = device, .room = 16 };

	if (device != RDMAEV_ANY && !rdmaev_device_exists(cred, device))
		return ERR_PTR(-ENODEV);
	for (;;) {
		/* Before the lock is taken: it may wait long for memory. */
		list.entries = kvcalloc(list.room, sizeof(*list.entries),
					GFP_KERNEL_ACCOUNT);
		if (!list.entries)
			return ERR_PTR(-ENOMEM);
		*seq = rdmaev_log_newest();
		if (rdmaev_turn(cred, probes_walk, &list)) {
			kvfree(list.entries);
			return ERR_PTR(-EINTR);
		}
		if (list.n <= list.room)
			break;
		kvfree(list.entries);
		list.room = list.n + 16;
	}
	*count = probes_keep_visible(list.entries, list.n, cred);
	return list.entries;
}

/**
 * rdmaev_probe_set_interval - start or stop to probe a device
 * @cred: credentials of a reader that may administer the host
 * @device: index of the device
 * @interval_ms: interval, 0: stop
 *
 * Return: 0; -ENODEV: no such device; -EOPNOTSUPP: it cannot be probed, or
 * rdmaev_probe is not loaded.
 */
int rdmaev_probe_set_interval(const struct rdmaev_cred *cred, u32 device,
			      u32 interval_ms)
{
	int ret = -EOPNOTSUPP;

	if (!rdmaev_device_exists(cred, device))
		return -ENODEV;
	mutex_lock(&probes_lock);
	if (probes_ops)
		ret = probes_ops->set(device, interval_ms);
	mutex_unlock(&probes_lock);
	return ret;
}

/**
 * rdmaev_probe_generation - get generation of a device, 0: it is not recorded
 * @ib: device, between add() and remove() of a client
 */
u32 rdmaev_probe_generation(const struct ib_device *ib)
{
	return rdmaev_device_generation(ib);
}
EXPORT_SYMBOL_GPL(rdmaev_probe_generation);

/**
 * rdmaev_probe_get_port - look up whether a port is ACTIVE, without a query
 * @ib: device, between add() and remove() of a client
 * @num: number of the port
 * @res: set to its state; not ACTIVE if it is not recorded
 *
 * Context: process, may sleep.
 */
void rdmaev_probe_get_port(const struct ib_device *ib, u32 num,
			   struct rdmaev_probed_port *res)
{
	const struct rdmaev_dev *dev;
	unsigned int i;

	*res = (struct rdmaev_probed_port) {};
	rdmaev_state_lock();
	dev = rdmaev_device_of(ib);
	for (i = 0; dev && dev->ib && i < dev->nports; i++) {
		if (dev->ports[i].num != num)
			continue;
		res->is_active = READ_ONCE(dev->ports[i].up);
		res->lid = dev->ports[i].value[RDMAEV_PORT_LID];
	}
	rdmaev_state_unlock();
}
EXPORT_SYMBOL_GPL(rdmaev_probe_get_port);

/* The failed completion is on record, as the failure of the QP. */
static u64 probe_failure_of_qp(const struct rdmaev_record *rec)
{
	struct rdmaev_record of_qp = {
		.device = rec->device,
		.generation = rec->generation,
		.object_type = RDMAEV_OBJECT_QP,
		.object = rec->body.probe.qp,
	};

	return rdmaev_cause_of_end(&of_qp);
}

/**
 * rdmaev_probe_report - append a record about the probe of a port
 * @ib: device, between add() and remove() of a client
 * @port: number of the port
 * @code: &enum rdmaev_probe_code
 * @body: body of the record
 * @cause: seq of the record that it follows from, or 0. Of a completion that
 *	failed, the cause is the record of that
 *
 * Context: any but NMI.
 *
 * Return: seq of the record.
 */
u64 rdmaev_probe_report(const struct ib_device *ib, u32 port, unsigned int code,
			const struct rdmaev_probe_body *body, u64 cause)
{
	struct rdmaev_record rec = {};

	rdmaev_record_begin(&rec, RDMAEV_KIND_PROBE, RDMAEV_SOURCE_RDMAEV);
	rec.device = ib->index;
	rec.generation = rdmaev_device_generation(ib);
	rec.port = port;
	rdmaev_record_set_code(&rec, code);
	rec.body.probe = *body;
	rec.cause = cause;
	if (code == RDMAEV_PROBE_FAILED && !body->call)
		rec.cause = probe_failure_of_qp(&rec);
	return rdmaev_append_of(&rec);
}
EXPORT_SYMBOL_GPL(rdmaev_probe_report);
