// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev release: hang up all readers so that the module can be unloaded. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/complain.h"
#include "base/status.h"
#include "cmd.h"
#include "output/open.h"

/* Time for programs to close the node: the longest delay of a driver reload. */
#define LIMIT_NS	2000000000LL

static int open_raw(const struct options *o)
{
	const char *path = o->node ? o->node : RDMAEV_NODE;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		complain_node(path);
	return fd;
}

static int release_ask(int fd, uint32_t flags, uint32_t *readers)
{
	struct rdmaev_release release = { .size = sizeof(release), .flags = flags };
	int ret = ioctl(fd, RDMAEV_IOC_RELEASE, &release);

	*readers = release.readers;
	if (ret < 0 && errno == EPERM)
		complain("only the administrator of the host can hang up all readers: run as root");
	else if (ret < 0)
		complain("cannot hang up the readers: %s", reader_error());
	return ret;
}

static int release_readers(int fd, const struct options *o)
{
	int64_t deadline = monotonic() + LIMIT_NS;
	uint32_t readers, left;

	if (release_ask(fd, 0, &readers) < 0)
		return STATUS_ERROR;
	for (left = readers; left && monotonic() < deadline;) {
		poll(NULL, 0, 10);
		if (release_ask(fd, RDMAEV_RELEASE_QUERY, &left) < 0)
			return STATUS_ERROR;
	}
	if (left) {
		complain("%u of %u readers still open after %u s: end these programs (fuser -v %s)",
			 left, readers, (unsigned int)(LIMIT_NS / 1000000000),
			 o->node ? o->node : RDMAEV_NODE);
		return STATUS_TIMEOUT;
	}
	if (readers && !o->quiet)
		complain("%u reader%s hung up and closed", readers,
			 readers == 1 ? "" : "s");
	return STATUS_OK;
}

int run_release(struct options *o, int argc, char **argv)
{
	int fd, status;

	if (argc) {
		complain("%s: release takes no arguments", argv[0]);
		return STATUS_ERROR;
	}
	if (o->netlink) {
		complain("--netlink: netlink readers do not hold the module, nothing to release");
		return STATUS_ERROR;
	}
	fd = open_raw(o);
	if (fd < 0)
		return STATUS_ERROR;
	status = release_readers(fd, o);
	close(fd);
	return status;
}
