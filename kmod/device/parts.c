// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parts of a device: the node of ib_uverbs, and those of ib_umad for its
 * InfiniBand ports. These modules make them when the device is added or the
 * module is loaded; if that fails, ib_core continues without them, and no
 * event reports it.
 *
 * A node is a device of its own, whose parent is that of the ib_device, in a
 * folder of sysfs that has the name of its class. Only that folder is looked up
 * here, which belongs to the driver core. A reference to a node, as
 * device_for_each_child() takes it, could be the last one, and dropped after
 * the module that must release the node was unloaded; and names of other
 * children can change meanwhile.
 *
 * Two RDMA devices with the same parent have the same folder, and those without
 * a parent share one: they are not judged.
 */
#include <linux/device.h>
#include <linux/sysfs.h>
#include <rdma/ib_verbs.h>

#include "count.h"
#include "device.h"
#include "device_table.h"
#include "log/catalogue.h"
#include "parts.h"

/**
 * struct parts_others - what the other devices of the host have
 * @dev: the device that they are compared with
 * @parts: RDMAEV_PART_* that at least one of them has
 * @same_parent: one of them has the parent of @dev
 */
struct parts_others {
	const struct rdmaev_dev *dev;
	u32 parts;
	bool same_parent;
};

static bool parts_have_folder(const struct device *parent, const char *class)
{
	struct kernfs_node *folder = sysfs_get_dirent(parent->kobj.sd, class);

	sysfs_put(folder);
	return folder;
}

/* A parent that has a class itself has no folders for the classes of others. */
static bool parts_can_be_found(const struct ib_device *ib)
{
	return ib->dev.parent && !ib->dev.parent->class;
}

/*
 * The parts that are there. Clients of ib_core make devices below the
 * parent as long as the ib_device has clients, so the parent is in sysfs.
 */
static u32 parts_found(const struct ib_device *ib)
{
	u32 found = 0;

	if (parts_have_folder(ib->dev.parent, "infiniband_verbs"))
		found |= RDMAEV_PART_UVERBS;
	if (parts_have_folder(ib->dev.parent, "infiniband_mad"))
		found |= RDMAEV_PART_UMAD;
	return found;
}

/* The parts that ib_uverbs and ib_umad do not refuse to make. */
static u32 parts_wanted(const struct ib_device *ib)
{
	u32 wanted = 0;
	unsigned int num;

	if (ib->ops.alloc_ucontext)
		wanted |= RDMAEV_PART_UVERBS;
	if (!ib->kverbs_provider)
		return wanted;
	/* RoCE ports have such nodes, too, but no subnet manager. */
	rdma_for_each_port(ib, num) {
		if (rdma_protocol_ib(ib, num) && rdma_cap_ib_mad(ib, num))
			wanted |= RDMAEV_PART_UMAD;
	}
	return wanted;
}

/*
 * devices_lock is held, so the ib_device exists. The locks of sysfs are taken
 * inside it, as no holder of them takes another lock.
 */
static void parts_compare(struct rdmaev_dev *dev, void *data)
{
	struct parts_others *others = data;

	if (dev == others->dev || !dev->ib || !parts_can_be_found(dev->ib))
		return;
	if (dev->ib->dev.parent == others->dev->ib->dev.parent)
		others->same_parent = true;
	others->parts |= parts_found(dev->ib);
}

/* devices_lock is held. */
static void parts_report(struct rdmaev_dev *dev, u32 missing)
{
	struct rdmaev_record rec = {
		.cause = dev->missing_seq,
		.device = dev->index,
		.generation = dev->generation,
		.port = RDMAEV_NO_PORT,
		.kind = RDMAEV_KIND_DEVICE,
		.source = RDMAEV_SOURCE_RDMAEV,
		.count = 1,
		.body.device.node_guid = dev->node_guid,
		.body.device.missing = missing,
	};
	u64 seq;

	rdmaev_record_set_code(&rec, missing ? RDMAEV_DEVICE_INCOMPLETE : RDMAEV_DEVICE_COMPLETE);
	seq = rdmaev_append(dev, &rec);
	dev->missing = missing;
	dev->missing_seq = missing ? seq : 0;
}

/*
 * Record a difference from what is on record. devices_lock is held.
 * @twice: parts that this poll and the one before have not found
 */
static void parts_judge(struct rdmaev_dev *dev, u32 twice)
{
	struct parts_others others = { .dev = dev };
	u32 missing;

	/* Its nodes are removed one after the other; those of clients that came later before. */
	if (dev->is_leaving)
		return;
	rdmaev_devices_for_each(parts_compare, &others);
	if (others.same_parent)
		return;
	/* What no device has was not made: its module may not be loaded. */
	missing = (dev->missing & dev->lacks) | (twice & others.parts);
	if (missing != dev->missing)
		parts_report(dev, missing);
}

/**
 * rdmaev_parts_check - record parts of a device that are missing, or are back
 * @dev: device
 *
 * A part is missing if two calls in succession do not find it: while a device
 * is added, or a module loaded, nodes are made one after the other.
 *
 * Context: the work of the device, without devices_lock. Calls no driver.
 */
void rdmaev_parts_check(struct rdmaev_dev *dev)
{
	u32 before = dev->lacks;

	if (!parts_can_be_found(dev->ib))
		return;
	dev->lacks = parts_wanted(dev->ib) & ~parts_found(dev->ib);
	if (!(dev->lacks & before) && !dev->missing)
		return;
	rdmaev_state_lock();
	parts_judge(dev, dev->lacks & before);
	rdmaev_state_unlock();
}
