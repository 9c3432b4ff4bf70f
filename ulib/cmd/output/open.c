// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Open the node for commands, and print messages about its problems. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/complain.h"
#include "base/recorded.h"
#include "open.h"
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

static struct rdmaev *open_recording(const struct options *o)
{
	struct rdmaev *h;

	if (o->node || o->netlink) {
		complain("--file and --%s exclude each other", o->node ? "node" : "netlink");
		return NULL;
	}
	h = rdmaev_open(o->file, RDMAEV_NONBLOCK);
	if (!h) {
		complain_recording(o->file);
		return NULL;
	}
	if (!recording_of(h)) {
		complain("%s: is a node, not a recording; --node %s reads it", o->file, o->file);
		rdmaev_close(h);
		return NULL;
	}
	recorded_use(recording_of(h));
	if (!o->quiet)
		note_end(o->file, recording_of(h));
	return h;
}

/* Opened before anything asks for the time */
static struct rdmaev *opened;

int open_file(const struct options *o)
{
	if (o->file)
		opened = open_recording(o);
	return o->file && !opened ? -1 : 0;
}

static struct rdmaev *try_open(const struct options *o, unsigned int flags)
{
	const char *path = o->node ? o->node : RDMAEV_NODE;
	struct rdmaev *h = opened;

	opened = NULL;
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
