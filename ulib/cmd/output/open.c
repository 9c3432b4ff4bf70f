// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Open the node for commands, and print messages about its problems. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/recorded.h"
#include "open.h"
#include "open_folder.h"
#include "output.h"

static struct rdmaev *open_netlink(unsigned int flags)
{
	struct rdmaev *h = rdmaev_open(NULL, flags | RDMAEV_NETLINK);

	if (h)
		return h;
	switch (errno) {
	case ENOENT:
		complain("no generic netlink family rdmaev: load the module (modprobe rdmaev)");
		break;
	case ENOTSUP:
		complain("unsupported version of the generic netlink family rdmaev: %s",
			 "install the same version of command and module");
		break;
	default:
		complain("generic netlink: %s", strerror(errno));
	}
	return NULL;
}

void complain_node(const char *path)
{
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
		complain("%s does not exist: load the module (modprobe rdmaev)", path);
		break;
	case ENODEV:
	case ENXIO:
		complain("%s: module not loaded: load it (modprobe rdmaev)", path);
		break;
	case EACCES:
	case EPERM:
		complain("%s: access denied: %s", path,
			 "its mode is not 0444, or the container denies access; try --netlink");
		break;
	case ENOTSUP:
		complain("%s: not an rdmaev node, or unsupported ABI version: %s",
			 path, "install the same version of command and module");
		break;
	default:
		complain("%s: %s", path, strerror(errno));
	}
}

static void complain_recording(const char *path)
{
	switch (errno) {
	case ENOENT:
		complain("%s does not exist; rdmaev record %s makes it", path, path);
		break;
	case ENOTSUP:
		complain("%s: not a recording, or of a version or byte order that this command cannot read",
			 path);
		break;
	case EBADMSG:
		complain("%s: cut in its header, nothing can be read", path);
		break;
	default:
		complain("%s: %s", path, strerror(errno));
	}
}

/* What is missing of it is neither in the records nor in the lists. */
static void note_end(const char *path, const struct recording_file *file)
{
	if (file->left_out)
		complain("%s: is cut or damaged: the last %llu bytes are left out, all records before them are there",
			 path, (unsigned long long)file->left_out);
	else if (!file->is_ended)
		complain("%s: has no end: it is still being recorded, or was until the recorder was killed",
			 path);
}

/* A pipe has no size: what comes is kept in memory first. */
static struct rdmaev *open_stdin(void)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	struct rdmaev *h = NULL;
	char buf[65536];
	ssize_t n = -1;
	int error;

	while (fd >= 0 && (n = read(STDIN_FILENO, buf, sizeof(buf))) > 0) {
		if (write(fd, buf, (size_t)n) != n) {
			n = -1;
			break;
		}
	}
	if (!n) {
		snprintf(buf, sizeof(buf), "/proc/self/fd/%d", fd);
		h = rdmaev_open(buf, RDMAEV_NONBLOCK);
	}
	error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return h;
}

static struct rdmaev *open_recording(const struct options *o, const char *path)
{
	struct rdmaev *h = strcmp(path, "-") ? rdmaev_open(path, RDMAEV_NONBLOCK) : open_stdin();

	if (!h) {
		complain_recording(path);
		return NULL;
	}
	if (!recording_of(h)) {
		complain("%s: is a node, not a recording; --node %s reads it", path, path);
		rdmaev_close(h);
		return NULL;
	}
	if (!o->quiet)
		note_end(path, recording_of(h));
	return h;
}

/* Opened before anything asks for the time */
static struct rdmaev *opened[FILES_MAX];
/* The one that open_node() returns next */
static struct rdmaev *next;
/* CLOCK_REALTIME of the end of the latest */
static uint64_t latest_end;

int open_files(struct options *o)
{
	size_t i;

	if (o->file && (o->node || o->netlink)) {
		complain("--file and --%s exclude each other", o->node ? "node" : "netlink");
		return -1;
	}
	if (expand_folders(o) < 0)
		return -1;
	for (i = 0; i < o->files_count; i++) {
		opened[i] = open_recording(o, o->files[i]);
		if (!opened[i])
			return -1;
		if (recording_of(opened[i])->realtime_ns > latest_end)
			latest_end = recording_of(opened[i])->realtime_ns;
	}
	if (i)
		open_use(0);
	return 0;
}

void close_files(void)
{
	free_folders();
}

void open_use(size_t file)
{
	next = opened[file];
	recorded_use(recording_of(next));
	recorded_go_on(latest_end);
}

const char *open_host(const struct options *o, size_t file)
{
	const char *host = recording_of(opened[file])->header.host;

	return *host ? host : o->files[file];
}

static struct rdmaev *try_open(const struct options *o, unsigned int flags)
{
	const char *path = o->node ? o->node : RDMAEV_NODE;
	struct rdmaev *h = next;

	next = NULL;
	if (h)
		return h;
	if (o->netlink && o->node) {
		complain("--node and --netlink exclude each other");
		return NULL;
	}
	if (o->netlink)
		return open_netlink(flags);
	h = rdmaev_open(o->node, flags);
	if (h) {
		recorded_use(recording_of(h));
		return h;
	}
	complain_node(path);
	return NULL;
}

struct rdmaev *open_node(const struct options *o, unsigned int flags)
{
	struct rdmaev *h = try_open(o, flags);

	output_set_reader(h);
	return h;
}

void close_node(struct rdmaev *h)
{
	output_set_reader(NULL);
	if (recording_of(h))
		recorded_use(NULL);
	rdmaev_close(h);
}

static bool released;

const char *reader_error(void)
{
	if (errno == ENODATA && recorded_file())
		return "the recording does not have them";
	if (errno != ENODEV)
		return strerror(errno);
	released = true;
	return "all readers were hung up (rdmaev release), or the module was unloaded";
}

bool is_released(void)
{
	return released;
}

unsigned int time_style(const struct options *o)
{
	return (o->utc ? RDMAEV_STYLE_UTC : 0) | (o->mono ? RDMAEV_STYLE_MONO : 0);
}
