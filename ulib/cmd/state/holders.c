// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Find what a removal of a device waits for. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/recorded.h"
#include "holders.h"

/* ib_uverbs has two: one for its first 32 nodes */
#define MAJORS	4

#define CLASS	"/sys/class/infiniband_verbs"

/* Those that are named */
#define HOLDERS	8

/**
 * struct holders - processes with open files of a device
 * @list: their pids and names, @count of them
 * @others: number of others
 * @waits_in: kernel module in which the removal waits; empty: not known
 */
struct holders {
	struct {
		unsigned int pid;
		char comm[16];
	} list[HOLDERS];
	size_t count;
	size_t others;
	char waits_in[64];
};

/**
 * struct nodes - which files are meant
 * @majors: numbers of ib_uverbs, @count of them
 * @node: node of the device, if @has_node; else all that are gone
 */
struct nodes {
	unsigned int majors[MAJORS];
	size_t count;
	bool has_node;
	dev_t node;
};

static void read_majors(struct nodes *nodes)
{
	FILE *f = fopen("/proc/devices", "re");
	char line[128], name[64];
	unsigned int major;

	if (!f)
		return;
	while (nodes->count < MAJORS && fgets(line, sizeof(line), f))
		if (sscanf(line, "%u %63s", &major, name) == 2 &&
		    !strcmp(name, "infiniband_verbs"))
			nodes->majors[nodes->count++] = major;
	fclose(f);
}

/* The first line of a file; empty if it cannot be read */
static void read_line(int dir, const char *path, char *line, size_t size)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, line, size - 1);

	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
}

/* The node of the device, until the removal takes it away */
static void read_node(struct nodes *nodes, const char *device)
{
	DIR *class = opendir(CLASS);
	struct dirent *entry;

	if (!class)
		return;
	while (!nodes->has_node && (entry = readdir(class))) {
		char path[300], line[RDMAEV_DEVICE_NAME_SIZE];
		unsigned int major, minor;

		snprintf(path, sizeof(path), "%s/ibdev", entry->d_name);
		read_line(dirfd(class), path, line, sizeof(line));
		if (strcmp(line, device))
			continue;
		snprintf(path, sizeof(path), "%s/dev", entry->d_name);
		read_line(dirfd(class), path, line, sizeof(line));
		if (sscanf(line, "%u:%u", &major, &minor) != 2)
			continue;
		nodes->node = makedev(major, minor);
		nodes->has_node = true;
	}
	closedir(class);
}

static bool is_wanted(const struct nodes *nodes, dev_t file)
{
	char path[64];
	size_t i;

	if (nodes->has_node)
		return file == nodes->node;
	for (i = 0; i < nodes->count; i++)
		if (nodes->majors[i] == major(file))
			break;
	if (i == nodes->count)
		return false;
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u", major(file), minor(file));
	return access(path, F_OK);
}

static bool has_open(const struct nodes *nodes, int proc, const char *pid)
{
	bool is_found = false;
	struct dirent *entry;
	char path[32];
	struct stat st;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "%.16s/fd", pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return false;
	}
	while (!is_found && (entry = readdir(dir)))
		is_found = *entry->d_name != '.' && !fstatat(fd, entry->d_name, &st, 0) &&
			   S_ISCHR(st.st_mode) && is_wanted(nodes, st.st_rdev);
	closedir(dir);
	return is_found;
}

static void add_holder(struct holders *holders, int proc, const char *pid)
{
	char path[32];

	if (holders->count == HOLDERS) {
		holders->others++;
		return;
	}
	snprintf(path, sizeof(path), "%.16s/comm", pid);
	read_line(proc, path, holders->list[holders->count].comm,
		  sizeof(holders->list[0].comm));
	holders->list[holders->count++].pid = (unsigned int)strtoul(pid, NULL, 10);
}

/* The innermost module of a stack, of which a line is "[<0>] function+0x12/0x34 [module]" */
static void read_waits_in(struct holders *holders, const struct rdmaev_device *device)
{
	char path[32], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stack", device->remover_pid);
	f = device->remover_pid ? fopen(path, "re") : NULL;
	if (!f)
		return;
	while (!*holders->waits_in && fgets(line, sizeof(line), f))
		sscanf(line, "[<%*[^>]>] %*[^ ] [%63[^]]]", holders->waits_in);
	fclose(f);
}

static struct holders find_holders(const struct rdmaev_device *device)
{
	struct holders holders = { .count = 0 };
	struct nodes nodes = { .count = 0 };
	struct dirent *entry;
	DIR *proc;

	if (recorded_file() || !(device->flags & RDMAEV_DEVICE_FLAG_REMOVING))
		return holders;
	read_waits_in(&holders, device);
	read_majors(&nodes);
	read_node(&nodes, device->name);
	proc = opendir("/proc");
	if (!proc)
		return holders;
	while ((entry = readdir(proc)))
		if (*entry->d_name >= '1' && *entry->d_name <= '9' &&
		    has_open(&nodes, dirfd(proc), entry->d_name))
			add_holder(&holders, dirfd(proc), entry->d_name);
	closedir(proc);
	return holders;
}

void put_holders(struct text *t, const struct rdmaev_device *device)
{
	const struct holders holders = find_holders(device);
	size_t i;

	if (*holders.waits_in) {
		text_put(t, ", which waits in ");
		text_name(t, holders.waits_in);
	}
	for (i = 0; i < holders.count; i++) {
		text_put(t, i ? ", " : ", held by ");
		text_name(t, holders.list[i].comm);
		text_printf(t, "[%u]", holders.list[i].pid);
	}
	if (holders.others)
		text_printf(t, " and %zu other%s", holders.others,
			    holders.others == 1 ? "" : "s");
}

void json_holders(struct text *t, const struct rdmaev_device *device)
{
	const struct holders holders = find_holders(device);
	size_t i;

	text_key(t, "waits_in");
	text_json(t, *holders.waits_in ? holders.waits_in : NULL);
	text_put(t, ",\"holders\":[");
	for (i = 0; i < holders.count; i++) {
		text_printf(t, "%s{\"pid\":%u,\"comm\":", i ? "," : "", holders.list[i].pid);
		text_json(t, holders.list[i].comm);
		text_put(t, "}");
	}
	text_printf(t, "],\"other_holders\":%zu", holders.others);
}
