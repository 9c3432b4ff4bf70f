// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Read the log, and join its records. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/recorded.h"
#include "incident_own.h"
#include "incident_read.h"
#include "output/open.h"
#include "state/parts.h"
#include "state/snapshot.h"

#define BATCH	256

/* Read the newest records, up to @newest. */
static int read_records(struct rdmaev *h, struct incident_log *log, uint64_t newest)
{
	struct rdmaev_record records[BATCH];
	size_t room = 0;
	ssize_t n;

	if (rdmaev_seek(h, -(int64_t)INCIDENT_RECORDS, SEEK_END) < 0) {
		complain("cannot read the log: %s", reader_error());
		return -1;
	}
	for (;;) {
		do
			n = rdmaev_read(h, records, BATCH);
		while (n < 0 && errno == EINTR);
		if (n <= 0 && recorded_all(errno))
			return 0;
		if (n <= 0) {
			complain("cannot read the log: %s", reader_error());
			return -1;
		}
		if (add_records(log, &room, records, (size_t)n) < 0) {
			complain("out of memory");
			return -1;
		}
		if (records[n - 1].seq >= newest)
			return 0;
	}
}

static int add_gid(struct incident_log *log, uint32_t generation, int dir, const char *index)
{
	char line[INET6_ADDRSTRLEN] = "";
	uint8_t gid[RDMAEV_GID_SIZE];
	int fd = openat(dir, index, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, line, sizeof(line) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	line[strcspn(line, "\n")] = '\0';
	return inet_pton(AF_INET6, line, gid) == 1 ? add_own(log, generation, gid) : 0;
}

/* The GIDs of a port, as sysfs has them: rdmaev lists the first one of them. */
static int add_gids(struct incident_log *log, const struct rdmaev_device *device,
		    uint32_t port)
{
	struct dirent *entry;
	char path[128];
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%u/gids", device->name, port);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!ret && (entry = readdir(dir)))
		ret = *entry->d_name == '.' ? 0 :
		      add_gid(log, device->generation, dirfd(dir), entry->d_name);
	closedir(dir);
	return ret;
}

static bool has_peers(const struct incident_log *log, uint32_t generation)
{
	size_t i;

	for (i = 0; i < log->count; i++) {
		const struct rdmaev_record *r = &log->nodes[i].r;

		if (r->generation == generation && r->kind != RDMAEV_KIND_CM &&
		    r->object_type == RDMAEV_OBJECT_QP &&
		    r->body.info.known & RDMAEV_KNOWN_PEER_GID)
			return true;
	}
	return false;
}

/* GIDs of devices whose QPs have peers: there can be many. */
static int read_own(struct incident_log *log)
{
	const uint32_t gone = RDMAEV_DEVICE_FLAG_REMOVED | RDMAEV_DEVICE_FLAG_REMOVING;
	size_t d;
	uint32_t p;

	if (recorded_file())
		return 0;
	for (d = 0; d < log->devices_count; d++) {
		const struct rdmaev_device *device = &log->devices[d];

		if (device->flags & gone || !has_peers(log, device->generation) ||
		    !is_in_sysfs(device))
			continue;
		for (p = 1; p <= device->ports; p++)
			if (add_gids(log, device, p) < 0)
				return -1;
	}
	return 0;
}

int read_incidents(struct rdmaev *h, struct incident_log *log)
{
	struct snapshot snapshot = { .devices = NULL };
	struct rdmaev_info info;

	memset(log, 0, sizeof(*log));
	if (rdmaev_info(h, &info) < 0) {
		complain("cannot read the log's state: %s", reader_error());
		return -1;
	}
	log->instance = info.instance;
	if (take_snapshot(h, &snapshot, true, false) < 0)
		return -1;
	log->devices = snapshot.devices;
	log->devices_count = snapshot.devices_count;
	log->ports = snapshot.ports;
	log->ports_count = snapshot.ports_count;
	if (!info.newest_seq)
		return 0;
	if (read_records(h, log, info.newest_seq) < 0)
		return -1;
	if (read_own(log) < 0 || join_records(log) < 0) {
		complain("out of memory");
		return -1;
	}
	return 0;
}

int read_lost(struct rdmaev *h, uint64_t now, struct lost_list *lost)
{
	struct rdmaev_filter filter;

	*lost = (struct lost_list){ .now = now };
	rdmaev_filter_init(&filter);
	if (rdmaev_set_filter(h, &filter) < 0) {
		complain("cannot read the log: %s", reader_error());
		return -1;
	}
	if (read_incidents(h, &lost->log) < 0)
		return -1;
	if (list_lost(lost) < 0) {
		complain("out of memory");
		return -1;
	}
	return 0;
}
