// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The file of acknowledged conditions. A line for each port:
 *
 *	BOOT_ID INSTANCE GENERATION PORT CONDITIONS OUTAGES SPEED WIDTH STALLED FAILURES DEVICE
 *
 * INSTANCE to FAILURES are hexadecimal. DEVICE is for people: within an instance
 * of the log the generation identifies the device, also after it was removed and
 * added again, as the list of devices links its generations by the node GUID.
 * Lines of another boot or instance are void, and dropped by the next write: what
 * happened in between is not known.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acks.h"
#include "base/complain.h"
#include "ports.h"
#include "renamed.h"

#define BOOT_ID_SIZE	37

/**
 * struct ack - a line of the file
 * @generation: generation of the device
 * @port: port number
 * @conditions: acknowledged CONDITION_*
 * @outages: number of outages at that time
 * @speed: active speed of the link at that time
 * @width: active width likewise
 * @stalled: number of stalled CQs likewise
 * @failures: number of DEVICE_FATAL events likewise
 */
struct ack {
	uint32_t generation;
	uint32_t port;
	uint32_t conditions;
	uint32_t outages;
	uint32_t speed;
	uint32_t width;
	uint32_t stalled;
	uint32_t failures;
};

static void get_boot_id(char id[BOOT_ID_SIZE])
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!f || fscanf(f, "%36s", id) != 1)
		strcpy(id, "unknown");
	if (f)
		fclose(f);
}

/* True if the line is of this boot and instance. */
static bool parse_ack(const char *line, const char *boot_id, uint64_t instance,
		      struct ack *ack)
{
	char id[BOOT_ID_SIZE];
	unsigned long long of;

	return sscanf(line, "%36s %llx %x %x %x %x %x %x %x %x", id, &of,
		      &ack->generation, &ack->port, &ack->conditions, &ack->outages,
		      &ack->speed, &ack->width, &ack->stalled,
		      &ack->failures) == 10 &&
	       !strcmp(id, boot_id) && of == instance;
}

static const struct rdmaev_device *ack_before(const struct host_health *all,
					      const struct rdmaev_device *device)
{
	return device_before(all->before.devices, all->before.devices_count, device);
}

/* The port was acknowledged, in this generation of its device or an earlier one. */
static bool is_of(const struct host_health *all, const struct ack *ack,
		  const struct port_health *port)
{
	const struct rdmaev_device *device = port->device;

	while (device && device->generation != ack->generation)
		device = ack_before(all, device);
	return device && ack->port == port->port->port;
}

static const struct rdmaev_port *find_port(const struct snapshot *s, uint32_t generation,
					   uint32_t port)
{
	size_t i;

	for (i = 0; i < s->ports_count; i++)
		if (s->ports[i].generation == generation && s->ports[i].port == port)
			return &s->ports[i];
	return NULL;
}

/* Counters begin at 0 with each generation. */
static uint32_t acked_count(const struct ack *ack, uint32_t generation, uint32_t count)
{
	return generation == ack->generation ? count : 0;
}

/* The removed port was known not to be ACTIVE. */
static bool was_down(const struct rdmaev_port *port)
{
	return port->state && port->state < RDMAEV_STATE_ACTIVE &&
	       !(port->flags & RDMAEV_PORT_FLAG_QUERY_FAILED);
}

/*
 * The port had no other outage in earlier generations, from the acknowledged
 * one on. One that begins while the device is not there is no outage
 * of either, so a port that is down has to have been down at each removal.
 */
static bool was_no_worse(const struct host_health *all, const struct ack *ack,
			 const struct port_health *health)
{
	const struct rdmaev_device *device = health->device;

	while (device->generation != ack->generation) {
		const struct rdmaev_port *port;

		device = ack_before(all, device);
		port = find_port(&all->before, device->generation, ack->port);
		if (!port || port->outages != acked_count(ack, device->generation, ack->outages) ||
		    (health->conditions & CONDITION_DOWN && !was_down(port)))
			return false;
	}
	return true;
}

/* Nothing is wrong that was not then, and nothing is worse. */
static bool is_still_acked(const struct host_health *all, const struct ack *ack,
			   const struct port_health *health)
{
	const struct rdmaev_port *port = health->port;

	return health->conditions && !(health->conditions & ~ack->conditions) &&
	       port->outages == acked_count(ack, port->generation, ack->outages) &&
	       health->stalled <= ack->stalled &&
	       health->failures == acked_count(ack, port->generation, ack->failures) &&
	       (!(health->conditions & CONDITION_SLOW) ||
		link_rate(port->speed, port->width) >= link_rate(ack->speed, ack->width)) &&
	       was_no_worse(all, ack, health);
}

static void apply_ack(struct host_health *all, const struct ack *ack)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		struct port_health *port = &all->list[i];

		if (is_of(all, ack, port))
			port->is_acked = is_still_acked(all, ack, port);
	}
}

void read_acks(struct host_health *all)
{
	char boot_id[BOOT_ID_SIZE], *line = NULL;
	FILE *f = fopen(ACKS_FILE, "re");
	size_t size = 0;
	struct ack ack;

	if (!f)
		return;
	get_boot_id(boot_id);
	while (getline(&line, &size, f) >= 0)
		if (parse_ack(line, boot_id, all->instance, &ack))
			apply_ack(all, &ack);
	free(line);
	fclose(f);
}

/* True if write_ports() writes another line for the port. */
static bool is_replaced(const struct host_health *all, const struct ack *ack)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		if (is_of(all, ack, &all->list[i]))
			return true;
	return false;
}

static void keep_others(FILE *to, const struct host_health *all,
			const char *boot_id)
{
	FILE *from = fopen(ACKS_FILE, "re");
	char *line = NULL;
	size_t size = 0;
	struct ack ack;

	if (!from)
		return;
	while (getline(&line, &size, from) >= 0)
		if (parse_ack(line, boot_id, all->instance, &ack) &&
		    !is_replaced(all, &ack))
			fputs(line, to);
	free(line);
	fclose(from);
}

static void write_ports(FILE *to, const struct host_health *all,
			const char *boot_id)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		const struct port_health *port = &all->list[i];
		char buf[256];
		struct text name = { .buf = buf, .size = sizeof(buf) };

		if (!port->conditions)
			continue;
		text_name(&name, port->device->name);
		text_end(&name);
		fprintf(to, "%s %llx %x %x %x %x %x %x %x %x %s\n", boot_id,
			(unsigned long long)all->instance,
			port->port->generation, port->port->port,
			port->conditions, port->port->outages, port->port->speed,
			port->port->width, port->stalled, port->failures, buf);
	}
}

/* Write a new file and move it over the old one: readers see either. */
static int replace_acks(const struct host_health *all)
{
	static const char temporary[] = ACKS_FILE ".new";
	char boot_id[BOOT_ID_SIZE];
	FILE *f = fopen(temporary, "we");
	bool failed;

	if (!f)
		return -1;
	get_boot_id(boot_id);
	keep_others(f, all, boot_id);
	write_ports(f, all, boot_id);
	/* For checks that run without privilege, whatever the umask is */
	failed = ferror(f) || fchmod(fileno(f), 0644);
	if (fclose(f) || failed || rename(temporary, ACKS_FILE)) {
		unlink(temporary);
		return -1;
	}
	return 0;
}

int write_acks(const struct host_health *all)
{
	int fd, ret = -1;

	/* The folder is the lock against other writers. */
	if (mkdir(ACKS_DIR, 0755) ? errno != EEXIST : chmod(ACKS_DIR, 0755))
		goto out;
	fd = open(ACKS_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		goto out;
	if (!flock(fd, LOCK_EX))
		ret = replace_acks(all);
	close(fd);
out:
	if (ret)
		complain("cannot write %s: %s", ACKS_FILE, strerror(errno));
	return ret;
}
