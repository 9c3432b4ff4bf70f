// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Find devices without the nodes that other devices have. The module rdmaev knows the
 * nodes below the parent of a device, and has them on record. It does not know those of
 * a device without a parent, as soft RoCE over a dummy device, nor which node is whose if
 * several devices have the same parent.
 * sysfs has the device of each node. It does not say which nodes a driver supports, nor
 * whether ib_uverbs and ib_umad are wanted, so devices of the same driver are compared.
 * A device that is the only one of its driver has no other to be compared with.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/recorded.h"
#include "parts.h"

/* The core makes the nodes one after the other, after rdmaev has recorded the device. */
#define GRACE_NS	3000000000ULL

/**
 * struct node - an entry of a class in sysfs
 * @device: name of its RDMA device
 * @port: its port, 0: it is of the whole device
 */
struct node {
	char device[RDMAEV_DEVICE_NAME_SIZE];
	uint32_t port;
};

/**
 * struct nodes - the entries of a class
 * @list: entries, @count of them
 * @is_loaded: the class exists
 */
struct nodes {
	struct node *list;
	size_t count;
	bool is_loaded;
};

/* The first line of an attribute; false if there is none or it is empty. */
static bool read_attribute(int class, const char *entry, const char *name,
			   char *line, size_t size)
{
	char path[512];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", entry, name);
	fd = openat(class, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, line, size - 1);
	close(fd);
	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return *line;
}

/* False: it is not of a device; a node of ib_umad has a port. */
static bool read_node(int class, const char *entry, bool has_port, struct node *node)
{
	char port[16];

	memset(node, 0, sizeof(*node));
	if (!read_attribute(class, entry, "ibdev", node->device, sizeof(node->device)))
		return false;
	if (!has_port)
		return true;
	if (!read_attribute(class, entry, "port", port, sizeof(port)))
		return false;
	node->port = (uint32_t)strtoul(port, NULL, 10);
	return true;
}

/* None if the class does not exist: nobody has loaded its module. */
static int read_nodes(struct nodes *nodes, const char *path, bool has_port)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	struct node *more;
	int ret = 0;

	memset(nodes, 0, sizeof(*nodes));
	if (!dir)
		return 0;
	nodes->is_loaded = true;
	while ((entry = readdir(dir))) {
		more = realloc(nodes->list, (nodes->count + 1) * sizeof(*more));
		if (!more) {
			complain("out of memory");
			ret = -1;
			break;
		}
		nodes->list = more;
		nodes->count += read_node(dirfd(dir), entry->d_name, has_port,
					  &more[nodes->count]);
	}
	closedir(dir);
	return ret;
}

static bool has_node(const struct nodes *nodes, const char *device, uint32_t port)
{
	size_t i;

	for (i = 0; i < nodes->count; i++)
		if (!strcmp(nodes->list[i].device, device) && nodes->list[i].port == port)
			return true;
	return false;
}

/**
 * struct known - a port and its nodes
 * @device: its device; NULL: sysfs does not have it, or not for long
 * @port: the port
 * @parts: RDMAEV_PART_* that it has
 * @wanted: RDMAEV_PART_* that it can have
 */
struct known {
	const struct rdmaev_device *device;
	const struct rdmaev_port *port;
	uint32_t parts;
	uint32_t wanted;
};

bool is_in_sysfs(const struct rdmaev_device *device)
{
	char path[sizeof("/sys/class/infiniband/") + RDMAEV_DEVICE_NAME_SIZE];
	char there[32], guid[32];
	struct text t = { .buf = guid, .size = sizeof(guid) };

	text_guid(&t, device->node_guid);
	text_end(&t);
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s", device->name);
	return read_attribute(AT_FDCWD, path, "node_guid", there, sizeof(there)) &&
	       !strcmp(there, guid);
}

static const struct rdmaev_device *device_of(const struct snapshot *s,
					     const struct rdmaev_port *port)
{
	size_t i;

	for (i = 0; i < s->devices_count; i++) {
		const struct rdmaev_device *device = &s->devices[i];

		if (device->generation == port->generation)
			return *device->driver &&
			       !(device->flags & (RDMAEV_DEVICE_FLAG_REMOVED |
						  RDMAEV_DEVICE_FLAG_REMOVING)) &&
			       is_in_sysfs(device) ? device : NULL;
	}
	return NULL;
}

/* RoCE and iWARP have no subnet management: nobody misses that node. */
static void parts_learn(struct known *known, const struct snapshot *s,
			const struct rdmaev_port *port, const struct nodes *uverbs,
			const struct nodes *umad)
{
	const struct rdmaev_device *device = device_of(s, port);

	known->port = port;
	if (!device)
		return;
	known->wanted = RDMAEV_PART_UVERBS;
	if (port->protocols & RDMAEV_PROTOCOL_IB)
		known->wanted |= RDMAEV_PART_UMAD;
	if (has_node(uverbs, device->name, 0))
		known->parts |= RDMAEV_PART_UVERBS;
	if (has_node(umad, device->name, port->port))
		known->parts |= RDMAEV_PART_UMAD;
	if (age(s, device->since_ns) >= GRACE_NS)
		known->device = device;
}

/* What ports of the same driver have and this one lacks */
static uint32_t parts_compare(const struct known *known, const struct known *all, size_t count)
{
	uint32_t missing = 0;
	size_t i;

	if (!known->device)
		return 0;
	for (i = 0; i < count; i++)
		if (all[i].device && !strcmp(all[i].device->driver, known->device->driver))
			missing |= all[i].parts;
	return missing & known->wanted & ~known->parts;
}

/* What the module has on record; nodes of ib_umad are missed by InfiniBand ports alone. */
static uint32_t parts_on_record(const struct snapshot *s, const struct rdmaev_port *port)
{
	size_t i;

	for (i = 0; i < s->devices_count; i++)
		if (s->devices[i].generation == port->generation)
			return s->devices[i].missing &
			       (port->protocols & RDMAEV_PROTOCOL_IB ?
					~0U : ~RDMAEV_PART_UMAD);
	return 0;
}

static enum openable openable_of(const struct known *known)
{
	if (known->parts & RDMAEV_PART_UVERBS)
		return OPENABLE_YES;
	return known->device ? OPENABLE_NO : OPENABLE_UNKNOWN;
}

static int find_missing(struct parts *parts, const struct snapshot *s,
			const struct nodes *uverbs, const struct nodes *umad)
{
	struct known *all = calloc(s->ports_count + 1, sizeof(*all));
	size_t i;

	parts->list = calloc(s->ports_count + 1, sizeof(*parts->list));
	if (!all || !parts->list) {
		complain("out of memory");
		free(all);
		return -1;
	}
	for (i = 0; i < s->ports_count; i++)
		parts_learn(&all[i], s, &s->ports[i], uverbs, umad);
	for (i = 0; i < s->ports_count; i++)
		parts->list[parts->count++] = (struct port_parts){
			.generation = s->ports[i].generation,
			.port = s->ports[i].port,
			.missing = parts_compare(&all[i], all, s->ports_count) |
				   parts_on_record(s, &s->ports[i]),
			.openable = openable_of(&all[i]),
		};
	parts->is_unloaded = s->ports_count && !uverbs->is_loaded;
	free(all);
	return 0;
}

int read_parts(struct parts *parts, const struct snapshot *s)
{
	struct nodes uverbs, umad = { .list = NULL };
	int ret;

	memset(parts, 0, sizeof(*parts));
	if (recorded_file())
		return 0;
	ret = read_nodes(&uverbs, "/sys/class/infiniband_verbs", false);
	if (!ret)
		ret = read_nodes(&umad, "/sys/class/infiniband_mad", true);
	if (!ret)
		ret = find_missing(parts, s, &uverbs, &umad);
	free(uverbs.list);
	free(umad.list);
	return ret;
}

static const struct port_parts *find_parts(const struct parts *parts,
					   const struct rdmaev_port *port)
{
	size_t i;

	for (i = 0; i < parts->count; i++)
		if (parts->list[i].generation == port->generation &&
		    parts->list[i].port == port->port)
			return &parts->list[i];
	return NULL;
}

uint32_t missing_parts(const struct parts *parts, const struct rdmaev_port *port)
{
	const struct port_parts *found = find_parts(parts, port);
	const struct recording_host_port *host;

	if (recorded_file()) {
		host = recorded_host_port(port->generation, port->port);
		return host ? host->missing & (RDMAEV_PART_UVERBS | RDMAEV_PART_UMAD) : 0;
	}
	return found ? found->missing : 0;
}

enum openable openable_by_programs(const struct parts *parts, const struct rdmaev_port *port)
{
	const struct port_parts *found = find_parts(parts, port);

	return found ? found->openable : OPENABLE_UNKNOWN;
}
