// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Simulated InfiniBand HCAs for tests: their ports are in whatever state they
 * are told to be in, and they report whatever event they are told to. They
 * have no verbs, so neither MADs nor connections nor programs get at them.
 *
 * /sys/kernel/debug/rdmaev_sim/
 *	create		write "NAME PORTS [ib]": register a device of 1 to 8 ports.
 *			A name has up to 63 bytes and is not one of these files
 *	destroy		write "NAME": unregister it, whoever uses it. This is the
 *			name from create, also if it has another one by now
 *	NAME/event	write "EVENT PORT": ib_dispatch_event(); the core brings
 *			its caches up to date, then calls the event handlers
 *	NAME/PORT/
 *		state, phys_state, lid, sm_lid, speed, width
 *			what a query of the port tells, as in struct ib_port_attr.
 *			Writing changes that and nothing else: no event
 *		fail	1: a query of the port fails with ENODEV
 *		pkey	write "INDEX VALUE": entry 0 to 7 of the P_Key table
 *		gid	write "INDEX PREFIX ID": entry 0 to 7 of the GID table, as
 *			two hexadecimal numbers. The core looks at it again for
 *			CLIENT_REREGISTER and for GID_CHANGE, and does not pass
 *			the latter on
 *
 * There are no devices to begin with. A new one has all ports ACTIVE with
 * LID 16 + PORT, SM LID 1, 4X EDR, P_Key 0xffff and GID fe80::GUID + PORT, each
 * at index 0.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <rdma/ib_verbs.h>

#define SIM_PORTS	8
#define SIM_TABLE	8	/* entries in the GID and in the P_Key table */

/* u8 up to Linux 5.12, u32 since. */
#define port_num_t	typeof(((struct ib_event *)NULL)->element.port_num)

/* The numbers are written by debugfs, one by one. */
struct sim_port {
	u32 state;
	u32 phys_state;
	u32 lid;
	u32 sm_lid;
	u32 speed;
	u32 width;
	u32 fail;
	spinlock_t lock;		/* an entry of a table changes in one */
	u16 pkey[SIM_TABLE];
	union ib_gid gid[SIM_TABLE];
};

/*
 * Made by create, freed by destroy or the end of the module. dir goes before
 * the device is unregistered: debugfs_remove() waits for whoever is inside one
 * of its files, so an event is never reported by a device that is gone.
 */
struct sim_dev {
	struct ib_device ib;
	struct list_head list;		/* in devices, under devices_lock */
	struct dentry *dir;
	char name[IB_DEVICE_NAME_MAX];
	struct sim_port port[SIM_PORTS];
};

static struct dentry *root;

/*
 * One device is made or destroyed at a time. Not taken in the files of a
 * device, because they are removed with it held.
 */
static DEFINE_MUTEX(devices_lock);
static LIST_HEAD(devices);
static u64 last_guid = 0x0200000000000000ULL;

static struct sim_port *sim_port(struct ib_device *ib, unsigned int num)
{
	return &container_of(ib, struct sim_dev, ib)->port[num - 1];
}

static int sim_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			    struct ib_udata *udata)
{
	attr->sys_image_guid = ib->node_guid;
	attr->max_pkeys = SIM_TABLE;
	return 0;
}

static int sim_query_port(struct ib_device *ib, port_num_t num,
			  struct ib_port_attr *attr)
{
	struct sim_port *port = sim_port(ib, num);

	if (READ_ONCE(port->fail))
		return -ENODEV;
	attr->state = READ_ONCE(port->state);
	attr->phys_state = READ_ONCE(port->phys_state);
	attr->lid = READ_ONCE(port->lid);
	attr->sm_lid = READ_ONCE(port->sm_lid);
	attr->active_speed = READ_ONCE(port->speed);
	attr->active_width = READ_ONCE(port->width);
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_4096;
	attr->gid_tbl_len = SIM_TABLE;
	attr->pkey_tbl_len = SIM_TABLE;
	return 0;
}

/* No RDMA_CORE_CAP_IB_MAD and the like: nothing of the core attaches. */
static int sim_get_port_immutable(struct ib_device *ib, port_num_t num,
				  struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_CAP_PROT_IB;
	immutable->gid_tbl_len = SIM_TABLE;
	immutable->pkey_tbl_len = SIM_TABLE;
	return 0;
}

static int sim_query_pkey(struct ib_device *ib, port_num_t num, u16 index,
			  u16 *pkey)
{
	struct sim_port *port = sim_port(ib, num);

	if (index >= SIM_TABLE)
		return -EINVAL;
	spin_lock(&port->lock);
	*pkey = port->pkey[index];
	spin_unlock(&port->lock);
	return 0;
}

static int sim_query_gid(struct ib_device *ib, port_num_t num, int index,
			 union ib_gid *gid)
{
	struct sim_port *port = sim_port(ib, num);

	if (index < 0 || index >= SIM_TABLE)
		return -EINVAL;
	spin_lock(&port->lock);
	*gid = port->gid[index];
	spin_unlock(&port->lock);
	return 0;
}

/* The core moves only devices that have it to another network namespace. */
static void sim_disassociate_ucontext(struct ib_ucontext *context)
{
}

static const struct ib_device_ops sim_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.query_device = sim_query_device,
	.query_port = sim_query_port,
	.get_port_immutable = sim_get_port_immutable,
	.query_pkey = sim_query_pkey,
	.query_gid = sim_query_gid,
	.disassociate_ucontext = sim_disassociate_ucontext,
};

static int get_words(char *buf, size_t size, const char __user *ubuf,
		     size_t len)
{
	if (len >= size)
		return -EINVAL;
	if (copy_from_user(buf, ubuf, len))
		return -EFAULT;
	buf[len] = '\0';
	return 0;
}

static ssize_t pkey_write(struct file *file, const char __user *ubuf,
			  size_t len, loff_t *pos)
{
	struct sim_port *port = file->private_data;
	unsigned int index, value;
	char buf[32];
	int ret;

	ret = get_words(buf, sizeof(buf), ubuf, len);
	if (ret)
		return ret;
	if (sscanf(buf, "%u %i", &index, &value) != 2 || index >= SIM_TABLE ||
	    value > U16_MAX)
		return -EINVAL;
	spin_lock(&port->lock);
	port->pkey[index] = value;
	spin_unlock(&port->lock);
	return len;
}

static const struct file_operations pkey_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = pkey_write,
};

static ssize_t gid_write(struct file *file, const char __user *ubuf,
			 size_t len, loff_t *pos)
{
	struct sim_port *port = file->private_data;
	unsigned int index;
	u64 prefix, id;
	char buf[64];
	int ret;

	ret = get_words(buf, sizeof(buf), ubuf, len);
	if (ret)
		return ret;
	if (sscanf(buf, "%u %llx %llx", &index, &prefix, &id) != 3 ||
	    index >= SIM_TABLE)
		return -EINVAL;
	spin_lock(&port->lock);
	port->gid[index].global.subnet_prefix = cpu_to_be64(prefix);
	port->gid[index].global.interface_id = cpu_to_be64(id);
	spin_unlock(&port->lock);
	return len;
}

static const struct file_operations gid_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = gid_write,
};

static ssize_t event_write(struct file *file, const char __user *ubuf,
			   size_t len, loff_t *pos)
{
	struct sim_dev *sim = file->private_data;
	struct ib_event event = { .device = &sim->ib };
	unsigned int number, port;
	char buf[32];
	int ret;

	ret = get_words(buf, sizeof(buf), ubuf, len);
	if (ret)
		return ret;
	if (sscanf(buf, "%u %u", &number, &port) != 2)
		return -EINVAL;
	event.event = number;
	event.element.port_num = port;
	ib_dispatch_event(&event);
	return len;
}

static const struct file_operations event_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = event_write,
};

static void make_files(struct sim_dev *sim)
{
	unsigned int i;

	for (i = 0; i < sim->ib.phys_port_cnt; i++) {
		struct sim_port *port = &sim->port[i];
		struct dentry *dir;
		char num[12];

		snprintf(num, sizeof(num), "%u", i + 1);
		dir = debugfs_create_dir(num, sim->dir);
		debugfs_create_u32("state", 0600, dir, &port->state);
		debugfs_create_u32("phys_state", 0600, dir, &port->phys_state);
		debugfs_create_u32("lid", 0600, dir, &port->lid);
		debugfs_create_u32("sm_lid", 0600, dir, &port->sm_lid);
		debugfs_create_u32("speed", 0600, dir, &port->speed);
		debugfs_create_u32("width", 0600, dir, &port->width);
		debugfs_create_u32("fail", 0600, dir, &port->fail);
		debugfs_create_file("pkey", 0200, dir, port, &pkey_fops);
		debugfs_create_file("gid", 0200, dir, port, &gid_fops);
	}
	debugfs_create_file("event", 0200, sim->dir, sim, &event_fops);
}

static void init_port(struct sim_port *port, unsigned int num, u64 guid)
{
	spin_lock_init(&port->lock);
	port->state = IB_PORT_ACTIVE;
	port->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	port->lid = 16 + num;
	port->sm_lid = 1;
	port->speed = IB_SPEED_EDR;
	port->width = IB_WIDTH_4X;
	port->pkey[0] = 0xffff;
	port->gid[0].global.subnet_prefix = cpu_to_be64(0xfe80000000000000ULL);
	port->gid[0].global.interface_id = cpu_to_be64(guid + num);
}

static struct sim_dev *find(const char *name)
{
	struct sim_dev *sim;

	list_for_each_entry(sim, &devices, list) {
		if (!strcmp(sim->name, name))
			return sim;
	}
	return NULL;
}

static int create(const char *name, unsigned int ports)
{
	struct sim_dev *sim;
	unsigned int i;
	int ret;

	sim = ib_alloc_device(sim_dev, ib);
	if (!sim)
		return -ENOMEM;
	last_guid += 0x100;
	strscpy(sim->name, name, sizeof(sim->name));
	for (i = 0; i < ports; i++)
		init_port(&sim->port[i], i + 1, last_guid);
	sim->ib.node_type = RDMA_NODE_IB_CA;
	sim->ib.node_guid = cpu_to_be64(last_guid);
	sim->ib.phys_port_cnt = ports;
	strscpy(sim->ib.node_desc, KBUILD_MODNAME, sizeof(sim->ib.node_desc));
	ib_set_device_ops(&sim->ib, &sim_ops);

	/* The folder first, as it can fail; files that act once they can. */
	sim->dir = debugfs_create_dir(name, root);
	if (IS_ERR(sim->dir)) {
		ret = PTR_ERR(sim->dir);
		goto err_dealloc;
	}
	ret = ib_register_device(&sim->ib, name, NULL);
	if (ret)
		goto err_dir;
	make_files(sim);
	list_add_tail(&sim->list, &devices);
	return 0;

err_dir:
	debugfs_remove(sim->dir);
err_dealloc:
	ib_dealloc_device(&sim->ib);
	return ret;
}

static void destroy(struct sim_dev *sim)
{
	list_del(&sim->list);
	debugfs_remove(sim->dir);
	ib_unregister_device(&sim->ib);
	ib_dealloc_device(&sim->ib);
}

static ssize_t create_write(struct file *file, const char __user *ubuf,
			    size_t len, loff_t *pos)
{
	char name[IB_DEVICE_NAME_MAX + 1];
	char link[8] = "ib";
	unsigned int ports;
	char buf[128];
	int ret;

	ret = get_words(buf, sizeof(buf), ubuf, len);
	if (ret)
		return ret;
	/* One byte more than a name may have, to tell that it is too long. */
	if (sscanf(buf, "%64s %u %7s", name, &ports, link) < 2 ||
	    strlen(name) >= IB_DEVICE_NAME_MAX || strpbrk(name, "/%") ||
	    strcmp(link, "ib") || ports < 1 || ports > SIM_PORTS)
		return -EINVAL;

	mutex_lock(&devices_lock);
	ret = create(name, ports);
	mutex_unlock(&devices_lock);
	return ret ?: len;
}

static const struct file_operations create_fops = {
	.owner = THIS_MODULE,
	.write = create_write,
};

static ssize_t destroy_write(struct file *file, const char __user *ubuf,
			     size_t len, loff_t *pos)
{
	char name[IB_DEVICE_NAME_MAX + 1];
	struct sim_dev *sim;
	char buf[128];
	int ret;

	ret = get_words(buf, sizeof(buf), ubuf, len);
	if (ret)
		return ret;
	if (sscanf(buf, "%64s", name) != 1)
		return -EINVAL;

	mutex_lock(&devices_lock);
	sim = find(name);
	if (sim)
		destroy(sim);
	else
		ret = -ENODEV;
	mutex_unlock(&devices_lock);
	return ret ?: len;
}

static const struct file_operations destroy_fops = {
	.owner = THIS_MODULE,
	.write = destroy_write,
};

static int __init sim_init(void)
{
	root = debugfs_create_dir("rdmaev_sim", NULL);
	if (IS_ERR(root))
		return PTR_ERR(root);
	debugfs_create_file("create", 0200, root, NULL, &create_fops);
	debugfs_create_file("destroy", 0200, root, NULL, &destroy_fops);
	return 0;
}

/* Open files hold the module, so nobody creates or destroys any more. */
static void __exit sim_exit(void)
{
	while (!list_empty(&devices))
		destroy(list_first_entry(&devices, struct sim_dev, list));
	debugfs_remove(root);
}

module_init(sim_init);
module_exit(sim_exit);

MODULE_DESCRIPTION("Simulated HCA for the tests of rdmaev");
MODULE_LICENSE("Dual BSD/GPL");
