// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev_probe: does a device still complete requests? A ULP with a QP
 * and a CQ of its own on each port that is probed. rdmaev records what it finds.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include <internal/version.h>

#include "make.h"
#include "port.h"
#include "probe.h"
#include "prober.h"
#include "watch.h"

static unsigned int probe_ms;
module_param(probe_ms, uint, 0444);
MODULE_PARM_DESC(probe_ms, "milliseconds from one request to the next on each port of each device, at most 3600000 (default 0: only on devices that `rdmaev probe` names)");

/* Devices that can be probed */
static DEFINE_MUTEX(probe_devs_lock);	/* protects the list */
static LIST_HEAD(probe_devs);

static struct ib_client probe_client;

static int probe_client_add(struct ib_device *ib)
{
	u32 num, generation = rdmaev_probe_generation(ib);
	struct probe_dev *dev;

	/* Not recorded, for lack of memory */
	if (!generation)
		return -EOPNOTSUPP;
	dev = kzalloc(struct_size(dev, port, ib->phys_port_cnt), GFP_KERNEL);
	if (!dev) {
		dev_warn(&ib->dev, "rdmaev_probe: out of memory, device will not be probed; reload rdmaev_probe to retry\n");
		return -ENOMEM;
	}
	dev->ib = ib;
	dev->interval_ms = probe_ms;
	rdma_for_each_port(ib, num)
		probe_port_init(&dev->port[dev->nports++], dev, num,
				generation);
	ib_set_client_data(ib, &probe_client, dev);
	mutex_lock(&probe_devs_lock);
	list_add_tail(&dev->list, &probe_devs);
	for (num = 0; dev->interval_ms && num < dev->nports; num++)
		probe_port_start(&dev->port[num]);
	mutex_unlock(&probe_devs_lock);
	return 0;
}

/*
 * The driver has not destroyed the QP: the objects stay, with what they use,
 * their port and this module. While the module is unloaded nothing can keep it,
 * so unloading waits for the driver. Returns false if the QP is destroyed.
 */
static bool probe_leak(struct probe_port *port, int error)
{
	bool kept = try_module_get(THIS_MODULE);

	pr_err("%s/%u: the driver does not destroy the QP of the probe (%d); the module %s\n",
	       dev_name(&port->dev->ib->dev), port->num, error,
	       kept ? "cannot be unloaded any more" :
		      "is unloaded as soon as it does");
	while (!kept && probe_port_stop(port))
		msleep(100);
	return kept;
}

/* Waits for calls of the driver of this device, and for nothing else. */
static void probe_client_remove(struct ib_device *ib, void *data)
{
	struct probe_dev *dev = data;
	bool is_leaked = false;
	unsigned int i;
	int ret;

	mutex_lock(&probe_devs_lock);
	list_del(&dev->list);
	mutex_unlock(&probe_devs_lock);
	for (i = 0; i < dev->nports; i++)
		WRITE_ONCE(dev->port[i].is_leaving, true);
	for (i = 0; i < dev->nports; i++) {
		ret = probe_port_stop(&dev->port[i]);
		if (ret)
			is_leaked |= probe_leak(&dev->port[i], ret);
	}
	if (!is_leaked)
		kfree(dev);
}

static struct ib_client probe_client = {
	.name = "rdmaev_probe",
	.add = probe_client_add,
	.remove = probe_client_remove,
};

static void probe_copy(struct rdmaev_probe *entry, struct probe_port *port)
{
	spin_lock(&port->lock);
	*entry = port->info;
	spin_unlock(&port->lock);
	entry->interval_ms = READ_ONCE(port->dev->interval_ms);
}

static u32 probe_list(u32 device, struct rdmaev_probe *entries, u32 room)
{
	struct probe_dev *dev;
	unsigned int i;
	u32 n = 0;

	mutex_lock(&probe_devs_lock);
	list_for_each_entry(dev, &probe_devs, list) {
		if (device != RDMAEV_ANY && device != dev->ib->index)
			continue;
		for (i = 0; i < dev->nports; i++) {
			if (n < room)
				probe_copy(&entries[n], &dev->port[i]);
			n++;
		}
	}
	mutex_unlock(&probe_devs_lock);
	return n;
}

static int probe_set(u32 device, u32 interval_ms)
{
	struct probe_dev *dev;
	int ret = -EOPNOTSUPP;
	unsigned int i;

	mutex_lock(&probe_devs_lock);
	list_for_each_entry(dev, &probe_devs, list) {
		if (device != dev->ib->index)
			continue;
		WRITE_ONCE(dev->interval_ms, interval_ms);
		for (i = 0; i < dev->nports; i++)
			probe_port_start(&dev->port[i]);
		ret = 0;
	}
	mutex_unlock(&probe_devs_lock);
	return ret;
}

static const struct rdmaev_probe_ops probe_ops = {
	.list = probe_list,
	.set = probe_set,
};

static int __init probe_init(void)
{
	int ret;

	if (probe_ms > RDMAEV_PROBE_INTERVAL_MAX_MS) {
		pr_err("probe_ms=%u is more than %u\n", probe_ms,
		       RDMAEV_PROBE_INTERVAL_MAX_MS);
		return -EINVAL;
	}
	probe_wq = alloc_workqueue("rdmaev_probe", WQ_UNBOUND, 0);
	if (!probe_wq)
		return -ENOMEM;
	ret = rdmaev_ulp_register(&probe_ulp);
	if (ret)
		goto err_wq;
	ret = ib_register_client(&probe_client);
	if (ret)
		goto err_ulp;
	rdmaev_probes_register(&probe_ops);
	return 0;

err_ulp:
	rdmaev_ulp_unregister(&probe_ulp);
err_wq:
	destroy_workqueue(probe_wq);
	return ret;
}

static void __exit probe_exit(void)
{
	rdmaev_probes_unregister();
	ib_unregister_client(&probe_client);
	rdmaev_ulp_unregister(&probe_ulp);
	destroy_workqueue(probe_wq);
}

module_init(probe_init);
module_exit(probe_exit);

MODULE_DESCRIPTION("Probe for rdmaev: does a device still complete requests?");
MODULE_AUTHOR("The rdmaev authors");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(RDMAEV_VERSION);
