/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Others whose records a user might touch: a ULP, and a program of another user */
#ifndef VICTIM_H
#define VICTIM_H

#include "common.h"
#include "program.h"
#include "ucm.h"

#define ULP "/sys/kernel/debug/rdmaev_ulp/"
#define SIM "/sys/kernel/debug/rdmaev_sim/"

/* A soft RoCE device with an address, connections, and the observer. Returns 0 if not. */
static inline int victim_ready(const char *dev, const char *address)
{
	return ucm_ready(dev, address);
}

/* Number of the @nth object of a type that the ULP has on sim0, -1: none */
static inline int of_ulp(const char *type, int nth)
{
	char line[256], dev[32], its_type[32];
	FILE *f = fopen(ULP "objects", "r");
	int number, found = -1;

	while (f && found < 0 && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%31s %31s %d", dev, its_type, &number) == 3 &&
		    !strcmp(dev, "sim0") && !strcmp(its_type, type) && !--nth)
			found = number;
	}
	if (f)
		fclose(f);
	return found;
}

/* A ULP with objects on sim0. Returns 0 if that fails. */
static inline int ulp_begin(void)
{
	return !load_module("rdmaev_sim") && !load_module("rdmaev_ulp") &&
	       !put(SIM "create", "sim0 1 ib") && !put(ULP "source", "tester") &&
	       !put(ULP "create", "sim0");
}

static inline int ulp_end(void)
{
	return !put(ULP "destroy", "sim0") && !put(ULP "source", "\n") &&
	       !put(SIM "destroy", "sim0");
}

/* An event of an object, from its driver: @path is the file of the device for that */
static inline int raise_event(const char *path, const char *object, unsigned int number,
			      unsigned int event)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %u %u", object, number, event);
	return put(path, text);
}

/* Of the first object of a type. Returns 0. */
static inline int ulp_raise(const char *type, unsigned int event)
{
	return raise_event(SIM "sim0/raise", type, of_ulp(type, 1), event);
}

/* The CQs of a process on the device, at most @max. Returns how many. */
static inline int cqs_of(const char *dev, pid_t pid, unsigned int *number, int max)
{
	char command[128];
	int n = 0;
	FILE *f;

	snprintf(command, sizeof(command), "rdma resource show cq dev %s -j | "
		 "jq '.[] | select(.pid == %d) | .cqn'", dev, pid);
	f = popen(command, "r");
	while (f && n < max && fscanf(f, "%u", &number[n]) == 1)
		n++;
	if (f)
		pclose(f);
	return n;
}

/* Another user's program on a device, that waits for the end of its input */
struct victim {
	const char *dev;
	pid_t pid;
	int fd;
	uint32_t qpn;
	unsigned int cqn;
};

static inline struct victim victim_begin(const char *dev, uid_t uid)
{
	struct victim v = { .dev = dev, .fd = -1 };
	int to[2], from[2];

	if (pipe(to) || pipe(from))
		return v;
	v.pid = fork();
	if (!v.pid) {
		struct program p = {};

		close(to[1]);
		if (setgid(uid) || setuid(uid) || !program_begin(&p, dev, 0))
			_exit(2);
		if (write(from[1], &p.qp[0]->qp_num, sizeof(v.qpn)) == sizeof(v.qpn))
			(void)!read(to[0], &v.qpn, 1);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	if (read(from[0], &v.qpn, sizeof(v.qpn)) == sizeof(v.qpn) &&
	    cqs_of(dev, v.pid, &v.cqn, 1) == 1)
		v.fd = to[1];
	close(from[0]);
	return v;
}

static inline int victim_end(const struct victim *v)
{
	int status = -1;

	close(v->fd);
	return waitpid(v->pid, &status, 0) == v->pid ? status : -1;
}

/* An event of its QP or CQ. Returns 0. */
static inline int victim_raise(const struct victim *v, const char *type, unsigned int event)
{
	char object[80];

	snprintf(object, sizeof(object), "%s %s", v->dev, type);
	return raise_event(GEN_RAISE, object, strcmp(type, "cq") ? v->qpn : v->cqn, event);
}

#endif /* VICTIM_H */
