/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The sample ULP, selftests/modules/rdmaev_sample, on a device of each driver:
 * its commands, and their results.
 */
#ifndef RDMAEV_TEST_SAMPLE_H
#define RDMAEV_TEST_SAMPLE_H

#include "common.h"

#define SAMPLE "/sys/kernel/debug/rdmaev_sample"
#define SAMPLE_OWNER "rdmaev_sample"

static const struct sample_device {
	const char *type;
	const char *name;
	const char *address;
} rxe = { "rxe", "smp_rxe", "10.7.1.1" }, siw = { "siw", "smp_siw", "10.7.2.1" };

/*
 * Results, valid while the file is open
 * @fd: the file
 * @error: errno of the command, 0 if it succeeded
 */
struct sample {
	int fd;
	int error;
	char text[4096];
};

/* Run a command and read the results. 0: there is no such file. */
__attribute__((format(printf, 3, 4)))
static inline int sample_do(struct sample *s, const char *file, const char *format, ...)
{
	char path[64], cmd[256];
	va_list ap;
	ssize_t n;

	va_start(ap, format);
	n = vsnprintf(cmd, sizeof(cmd), format, ap);
	va_end(ap);
	snprintf(path, sizeof(path), SAMPLE "/%s", file);
	s->fd = open(path, O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		return 0;
	s->error = write(s->fd, cmd, n) == n ? 0 : errno;
	n = read(s->fd, s->text, sizeof(s->text) - 1);
	s->text[n < 0 ? 0 : n] = '\0';
	return 1;
}

/* The module and a device, once for all tests; run_tests removes them. */
static inline int sample_ready(const struct sample_device *dev)
{
	uint64_t end = now_ms() + SOON_MS;
	struct sample s = {};

	if (access(SAMPLE, F_OK) && load_module("rdmaev_sample"))
		return 0;
	if (!sh("rdma link show %s/1 >/dev/null 2>&1", dev->name))
		return 1;
	/*
	 * iWARP connects through the loopback device. A large MTU makes fewer
	 * packets.
	 */
	if (sh("ip link set lo up; ip link add %s_d mtu 9000 type dummy && "
	       "ip link set %s_d up && ip addr add %s/24 dev %s_d && "
	       "rdma link add %s type %s netdev %s_d",
	       dev->name, dev->name, dev->address, dev->name, dev->name, dev->type,
	       dev->name))
		return 0;
	/* The address appears in the device's GID table a little later. */
	for (;;) {
		if (!sample_do(&s, "make", "%s %s nothing", dev->name, dev->address))
			return 0;
		close(s.fd);
		if (!s.error)
			return 1;
		if (now_ms() > end)
			return 0;
		sleep_ms(50);
	}
}

/* One end, see selftests/modules/sample_main.c. */
struct sample_numbers {
	unsigned int qp, send_cq, recv_cq, srq;
	int has_srq;			/* and the SRQ has a number */
};

static inline int sample_numbers(const struct sample *s, const char *end,
				 struct sample_numbers *n)
{
	const char *text = strstr(s->text, end);
	char format[64];
	int found;

	if (!text)
		return 0;
	snprintf(format, sizeof(format), "%s qp=%%u send_cq=%%u recv_cq=%%u srq=%%u", end);
	found = sscanf(text, format, &n->qp, &n->send_cq, &n->recv_cq, &n->srq);
	n->has_srq = found == 4 && srqs_have_numbers();
	return found >= 3;
}

/*
 * The number in the line "KEY END QUEUE WHAT=CODE count=N", 0 if it is missing
 */
static inline unsigned int sample_count(const struct sample *s, const char *key,
					const char *end, const char *queue,
					const char *what, unsigned int code)
{
	char line[64];
	const char *found;

	snprintf(line, sizeof(line), "\n%s %s %s %s=%u count=", key, end, queue, what, code);
	found = strstr(s->text, line);
	return found ? strtoul(found + strlen(line), NULL, 10) : 0;
}

/* Sums of the counters of a device's CQs, including destroyed ones; 0: none */
static inline int sample_sums(int fd, unsigned int device, struct rdmaev_cq_stats *sums)
{
	struct rdmaev_cqs req = {
		.size = sizeof(req),
		.flags = RDMAEV_CQS_SUMS,
		.entry_size = sizeof(*sums),
		.count = 1,
		.entries = (uintptr_t)sums,
		.device = device,
	};

	return !ioctl(fd, RDMAEV_IOC_CQS, &req) && req.count == 1;
}

/* The first completion of its kind, from the line "KEY END QUEUE ..." */
struct sample_first {
	unsigned int status, opcode, vendor_err;
};

static inline int sample_first(const struct sample *s, const char *key, const char *end,
			       const char *queue, struct sample_first *f)
{
	const char *found;
	char line[64];

	snprintf(line, sizeof(line), "\n%s %s %s ", key, end, queue);
	found = strstr(s->text, line);
	return found && sscanf(found + strlen(line), "status=%u opcode=%u vendor_err=%u",
			       &f->status, &f->opcode, &f->vendor_err) == 3;
}

#endif /* RDMAEV_TEST_SAMPLE_H */
