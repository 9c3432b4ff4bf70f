// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Simulated HCAs for tests: tests set the state of their ports, and let them
 * report events. ULPs can make objects on them: requests complete, or
 * fail if a test says so, and no data is moved. The core takes them for devices
 * without kernel verbs, if the test does not say otherwise, so neither MADs nor
 * connections nor programs use them.
 *
 * /sys/kernel/debug/rdmaev_sim/
 *	create		write "NAME PORTS [ib|roce|iwarp|switch [WHAT [shared]]]":
 *			register a device of 1 to 8 ports. A name has up to 63
 *			bytes and is not one of these files. RoCE and iWARP
 *			ports have a network interface each, NAME_PORT, down to
 *			begin with; this name must not be too long for an
 *			interface. WHAT is one of
 *			verbs	with kernel verbs
 *			parent	with its device on the bus as parent
 *			user	likewise, and with user verbs, so ib_uverbs makes
 *				a node
 *			late	likewise, but with user verbs, and a port that
 *				ib_umad makes nodes for, only after it was
 *				registered: both make them when they are loaded
 *				the next time
 *			shared: the parent is another device, the same for all
 *	destroy		write "NAME": unregister it, also while it is in use.
 *			This is the name from create, also after a rename
 *	NAME/bus	read: name of the platform device that the driver
 *			rdmaev_sim is bound to. Writing it to unbind in
 *			/sys/bus/platform/drivers/rdmaev_sim removes the HCA,
 *			and writing it to bind adds it again under the name from
 *			create
 *	NAME/raise	write "TYPE NUMBER EVENT [CONTEXT] [COUNT]": call the
 *			event handler of a qp, cq, srq or wq, if it has one. Any
 *			event for any type. CONTEXT is process, softirq (bottom
 *			halves off), or hardirq (from irq_work, with a raw
 *			spinlock of the object held), or dispatch: the device
 *			reports it to the core instead, with a pointer to the
 *			object, like some drivers; the object may be destroyed
 *			before the core calls handlers, and ENODEV if the device
 *			is removed. ENOENT if no object has that number, or not
 *			any more before COUNT is reached. Numbers are those of
 *			the core; a WQ has its own only. Works while the device
 *			is being removed, until the object is destroyed
 *	NAME/fail	write "QPN [recv:]STATUS [COUNT]": the next COUNT (1)
 *			requests on the send queue of the QP fail with this enum
 *			ib_wc_status, the first of which puts the QP in Error.
 *			recv: the next receive requests that a message takes.
 *			Failures have the vendor error 0x80 + STATUS
 *	NAME/receive	write "QPN COUNT [CONTEXT [solicited]]": so many
 *			messages from elsewhere arrive at the QP. CONTEXT as
 *			above. ENOBUFS: there was no receive request
 *	NAME/mute	write "CQN 0|1": 1: notifications of the CQ get lost on
 *			their way, until 0 is written
 *	NAME/hold	write 1: sends do not complete until 0 is written; then
 *			the last one of each QP does
 *	NAME/fault	write "CALL RESULT": the call of the driver returns this
 *			-errno from now on; 1: it hangs until another result is
 *			written; 0: it works. CALL is alloc_pd, create_cq,
 *			create_qp, create_rc (of an RC QP), modify_qp,
 *			create_ah, req_notify, post_send, poll_cq, destroy_ah,
 *			destroy_qp, or destroy_cq, which can only hang
 *	NAME/cover	write 1: replace the operations poll_cq, modify_qp and
 *			destroy_qp by ones that call them, as a module that
 *			traces might; 2: by ones that call the driver's,
 *			until 1 is written; 0: undo it. EINVAL: another module
 *			has replaced them since
 *	NAME/driver	enum rdma_driver_id of the device, initially 4 (cxgb4)
 *	NAME/PORT/
 *		state, phys_state, lid, sm_lid, speed, width, mtu
 *			result of a query of the port, as in struct
 *			ib_port_attr. Writing changes that and nothing else: no
 *			event
 *		fail	1: a query of the port fails with ENODEV
 *		queries	read: number of queries, about: two at once may count as
 *			one
 *		hang	1: it does not return until this is 0
 *		pkey	write "INDEX VALUE": entry 0 to 7 of the P_Key table;
 *			iWARP has none
 *		gid	write "INDEX PREFIX ID": entry 0 to 7 of the GID table,
 *			as two hexadecimal numbers; iWARP has entry 0 only. The
 *			core reads it again for CLIENT_REREGISTER and for
 *			GID_CHANGE, and consumes the latter. RoCE has no such
 *			file: the core makes GIDs of the interface's MAC address
 *			and of its addresses
 *		roce_version
 *			write 1 or 2, of RoCE only: the version of GIDs that the
 *			core adds or removes from now on, initially 2
 *
 * There are no devices to begin with. A new one has all ports ACTIVE with 4X
 * EDR and P_Key 0xffff at index 0; InfiniBand with LID 16 + PORT, SM LID 1 and
 * GID fe80::GUID + PORT at index 0, iWARP with the MAC address as its GID.
 *
 * QPs are connected to themselves. A request posted to a send queue has
 * completed when ib_post_send() returns, including calls of completion
 * handlers; receive requests are taken in their order. A SEND or RDMA WRITE
 * with immediate data without a receive request fails with RNR_RETRY_EXC_ERR,
 * an unknown opcode with LOC_QP_OP_ERR, and each failure puts the QP in Error,
 * where all posted requests are flushed. A full CQ drops completions, and
 * reports CQ_ERR for them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "files.h"
#include "sim.h"

static struct dentry *root;
static struct device *shared_parent;

enum what {
	WHAT_PLAIN,
	WHAT_VERBS,
	WHAT_PARENT,
	WHAT_USER,
	WHAT_LATE,
};

/*
 * A device on the bus. Made by create, freed by the function that removes it
 * from the list.
 */
struct slot {
	struct list_head list;		/* in slots, under slots_lock */
	char name[IB_DEVICE_NAME_MAX];
	struct platform_device *pdev;
};

/* Data for the driver; the device has a copy. */
struct order {
	char name[IB_DEVICE_NAME_MAX];
	unsigned int ports;
	enum sim_link link;
	enum what what;
	bool shared;
	int ret;			/* out: of probe() */
};

/* Taken outside of the driver core's locks */
static DEFINE_MUTEX(slots_lock);
static LIST_HEAD(slots);
static atomic64_t last_guid = ATOMIC64_INIT(0x0200000000000000LL);

static struct slot *find(const char *name)
{
	struct slot *slot;

	list_for_each_entry(slot, &slots, list) {
		if (!strcmp(slot->name, name))
			return slot;
	}
	return NULL;
}

static void remove_sim(void *data)
{
	struct sim_dev *sim = data;

	ib_unregister_device(&sim->ib);
	debugfs_remove(sim->dir);
	sim_ports_exit(sim);
	ib_dealloc_device(&sim->ib);
}

static int bus_show(struct seq_file *m, void *unused)
{
	const struct device *bus_dev = m->private;

	seq_printf(m, "%s\n", dev_name(bus_dev));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bus);

/*
 * The core does not know the device on the bus, unless the test says so: devices
 * that it makes for other namespaces would be children of it, and may outlive
 * it when these end meanwhile.
 */
static void set_parent(struct sim_dev *sim, struct device *bus_dev,
		       const struct order *order)
{
	if (order->what >= WHAT_PARENT)
		sim->ib.dev.parent = order->shared ? shared_parent : bus_dev;
}

/* Those with which ib_uverbs and ib_umad make nodes */
static void set_user_verbs(struct sim_dev *sim, const struct order *order)
{
	ib_set_device_ops(&sim->ib, &sim_user_verbs_ops);
	if (order->what == WHAT_LATE)
		sim_ports_enable_mad(sim);
}

static int make_sim(struct device *bus_dev, const struct order *order)
{
	u64 guid = atomic64_add_return(0x100, &last_guid);
	struct sim_dev *sim;
	int ret;

	sim = ib_alloc_device(sim_dev, ib);
	if (!sim)
		return -ENOMEM;
	strscpy(sim->name, order->name, sizeof(sim->name));
	sim->link = order->link;
	init_rwsem(&sim->objects_lock);
	INIT_LIST_HEAD(&sim->objects);
	sim->last_number = 0xff;
	sim->ib.node_type = sim->link == SIM_IWARP ? RDMA_NODE_RNIC :
			    sim->link == SIM_SWITCH ? RDMA_NODE_IB_SWITCH :
						      RDMA_NODE_IB_CA;
	sim->ib.is_switch = sim->link == SIM_SWITCH;
	sim->ib.node_guid = cpu_to_be64(guid);
	sim->ib.phys_port_cnt = order->ports;
	sim->ib.num_comp_vectors = 1;
	strscpy(sim->ib.node_desc, KBUILD_MODNAME, sizeof(sim->ib.node_desc));
	ib_set_device_ops(&sim->ib, &sim_verbs_ops);
	ib_set_device_ops(&sim->ib, &sim_cq_ops);
	ib_set_device_ops(&sim->ib, &sim_qp_ops);
	ib_set_device_ops(&sim->ib, &sim_qp_life_ops);
	ib_set_device_ops(&sim->ib, &sim_port_ops);
	if (order->what == WHAT_VERBS || order->what == WHAT_LATE)
		ib_set_device_ops(&sim->ib, &sim_kernel_verbs_ops);
	if (order->what == WHAT_USER)
		set_user_verbs(sim, order);
	set_parent(sim, bus_dev, order);

	ret = sim_ports_init(sim, guid);
	if (ret)
		goto err_ports;
	/*
	 * The directory first, as this can fail; files that have an effect once
	 * they can.
	 */
	sim->dir = debugfs_create_dir(sim->name, root);
	if (IS_ERR(sim->dir)) {
		ret = PTR_ERR(sim->dir);
		goto err_ports;
	}
	ret = ib_register_device(&sim->ib, sim->name, NULL);
	if (ret)
		goto err_dir;
	if (order->what == WHAT_LATE)
		set_user_verbs(sim, order);
	sim_port_files(sim);
	sim_cover_files(sim);
	sim_cq_files(sim);
	sim_qp_files(sim);
	sim_event_files(sim);
	sim_fault_files(sim);
	debugfs_create_file("bus", 0400, sim->dir, bus_dev, &bus_fops);
	/* Not remove(), as its type differs between kernels */
	return devm_add_action_or_reset(bus_dev, remove_sim, sim);

err_dir:
	debugfs_remove(sim->dir);
err_ports:
	sim_ports_exit(sim);
	ib_dealloc_device(&sim->ib);
	return ret;
}

static int sim_probe(struct platform_device *pdev)
{
	struct order *order = dev_get_platdata(&pdev->dev);

	order->ret = make_sim(&pdev->dev, order);
	return order->ret;
}

static struct platform_driver sim_driver = {
	.probe = sim_probe,
	.driver = {
		.name = KBUILD_MODNAME,
		.probe_type = PROBE_FORCE_SYNCHRONOUS,
	},
};

/* slots_lock is held. */
static int create(const struct order *order)
{
	const struct order *done;
	struct slot *slot;
	int ret;

	if (find(order->name))
		return -EEXIST;
	slot = kzalloc(sizeof(*slot), GFP_KERNEL);
	if (!slot)
		return -ENOMEM;
	strscpy(slot->name, order->name, sizeof(slot->name));
	slot->pdev = platform_device_register_data(NULL, KBUILD_MODNAME,
						   PLATFORM_DEVID_AUTO, order,
						   sizeof(*order));
	ret = PTR_ERR_OR_ZERO(slot->pdev);
	if (ret)
		goto err_slot;
	done = dev_get_platdata(&slot->pdev->dev);
	ret = done->ret;
	if (ret)
		goto err_pdev;
	list_add_tail(&slot->list, &slots);
	return 0;

err_pdev:
	platform_device_unregister(slot->pdev);
err_slot:
	kfree(slot);
	return ret;
}

static void destroy(struct slot *slot)
{
	platform_device_unregister(slot->pdev);
	kfree(slot);
}

static int create_write(void *data, const char *text)
{
	static const char * const links[] = {
		[SIM_IB] = "ib",
		[SIM_ROCE] = "roce",
		[SIM_IWARP] = "iwarp",
		[SIM_SWITCH] = "switch",
	};
	static const char * const whats[] = {
		[WHAT_PLAIN] = "plain",
		[WHAT_VERBS] = "verbs",
		[WHAT_PARENT] = "parent",
		[WHAT_USER] = "user",
		[WHAT_LATE] = "late",
	};
	char link_name[8] = "ib", what_name[8] = "plain", shared[8] = "";
	struct order order = { .ret = -ENODEV };
	char name[IB_DEVICE_NAME_MAX + 1];
	int ret, link, what;

	/* One byte more than a name may have, to detect a longer one */
	if (sscanf(text, "%64s %u %7s %7s %7s", name, &order.ports, link_name,
		   what_name, shared) < 2 ||
	    (*shared && strcmp(shared, "shared")) ||
	    strlen(name) >= IB_DEVICE_NAME_MAX || strpbrk(name, "/%") ||
	    order.ports < 1 || order.ports > SIM_PORTS)
		return -EINVAL;
	link = match_string(links, ARRAY_SIZE(links), link_name);
	if (link < 0)
		return link;
	what = match_string(whats, ARRAY_SIZE(whats), what_name);
	if (what < 0)
		return what;
	strscpy(order.name, name, sizeof(order.name));
	order.link = link;
	order.what = what;
	order.shared = *shared;

	mutex_lock(&slots_lock);
	ret = create(&order);
	mutex_unlock(&slots_lock);
	return ret;
}
DEFINE_WRITE_ATTRIBUTE(create);

static int destroy_write(void *data, const char *text)
{
	char name[IB_DEVICE_NAME_MAX + 1];
	struct slot *slot;

	if (sscanf(text, "%64s", name) != 1)
		return -EINVAL;

	mutex_lock(&slots_lock);
	slot = find(name);
	if (slot)
		list_del(&slot->list);
	mutex_unlock(&slots_lock);
	if (!slot)
		return -ENODEV;
	destroy(slot);
	return 0;
}
DEFINE_WRITE_ATTRIBUTE(destroy);

static int __init sim_init(void)
{
	int ret;

	root = debugfs_create_dir("rdmaev_sim", NULL);
	if (IS_ERR(root))
		return PTR_ERR(root);
	shared_parent = root_device_register(KBUILD_MODNAME);
	ret = PTR_ERR_OR_ZERO(shared_parent);
	if (ret)
		goto err_root;
	ret = platform_driver_register(&sim_driver);
	if (ret)
		goto err_parent;
	debugfs_create_file("create", 0200, root, NULL, &create_fops);
	debugfs_create_file("destroy", 0200, root, NULL, &destroy_fops);
	return 0;

err_parent:
	root_device_unregister(shared_parent);
err_root:
	debugfs_remove(root);
	return ret;
}

/* Open files hold the module, so no device is created or destroyed any more. */
static void __exit sim_exit(void)
{
	struct slot *slot, *next;

	/* A test that was ended leaves queries that hang. */
	WRITE_ONCE(sim_is_leaving, true);
	list_for_each_entry_safe(slot, next, &slots, list)
		destroy(slot);
	platform_driver_unregister(&sim_driver);
	root_device_unregister(shared_parent);
	debugfs_remove(root);
}

module_init(sim_init);
module_exit(sim_exit);

MODULE_DESCRIPTION("Simulated HCA for the tests of rdmaev");
MODULE_LICENSE("Dual BSD/GPL");
