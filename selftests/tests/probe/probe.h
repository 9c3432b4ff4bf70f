/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Helpers of tests of rdmaev_probe: its list, its records, and a device to probe */
#ifndef RDMAEV_TEST_PROBE_H
#define RDMAEV_TEST_PROBE_H

#include "sim.h"

#define PROBE_PARAMS "/sys/module/rdmaev_probe/parameters/"

#define FAST_MS		20	/* from one request to the next */
#define LATE_MS		300
#define LOST_MS		1000

static inline int probe_param(const char *name, unsigned int value)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), PROBE_PARAMS "%s", name);
	snprintf(text, sizeof(text), "%u", value);
	return put(path, text);
}

static inline int probe_load(void)
{
	/* rdma_cm, which it needs for iWARP, is loaded by its dependencies only */
	return access("/sys/module/rdmaev_probe", F_OK) &&
	       (sh("modprobe rdma_cm") ||
		sh("insmod $RDMAEV_TOP/kmod/rdmaev_probe.ko"));
}

static inline int probe_set(int fd, uint32_t device, uint32_t ms)
{
	struct rdmaev_probe_set set = {
		.size = sizeof(set),
		.device = device,
		.interval_ms = ms,
	};

	return ioctl(fd, RDMAEV_IOC_PROBE, &set);
}

/* The probe of a port; 0 if there is none. */
static inline int probe_get(int fd, uint32_t device, uint32_t port, struct rdmaev_probe *res)
{
	struct rdmaev_probe list[8];
	struct rdmaev_probes req = {
		.size = sizeof(req),
		.entry_size = sizeof(list[0]),
		.count = ARRAY_SIZE(list),
		.entries = (uintptr_t)list,
		.device = device,
	};
	unsigned int i;

	if (ioctl(fd, RDMAEV_IOC_PROBES, &req))
		return 0;
	for (i = 0; i < req.count && i < ARRAY_SIZE(list); i++) {
		if (list[i].port == port) {
			*res = list[i];
			return 1;
		}
	}
	return 0;
}

/* Wait until rdmaev knows that port 1 is down: the core takes its time to pass on an event. */
static inline int port_is_down(int fd, uint32_t index)
{
	uint64_t end = now_ms() + SOON_MS;
	struct rdmaev_port ports[8];

	while (snapshot(fd, index, ports, ARRAY_SIZE(ports)) < 1 ||
	       ports[0].state != STATE_DOWN) {
		if (now_ms() > end)
			return 0;
		sleep_ms(5);
	}
	return 1;
}

/* Wait until the probe of a port is in a state. */
static inline int probe_is(int fd, uint32_t device, uint32_t port, unsigned int state,
			   struct rdmaev_probe *res)
{
	uint64_t end = now_ms() + SOON_MS;

	while (probe_get(fd, device, port, res) && res->state != state) {
		if (now_ms() > end) {
			fprintf(stderr, "# state %u, not %u\n", res->state, state);
			return 0;
		}
		sleep_ms(5);
	}
	return res->state == state;
}

/* Wait for @n more requests that complete. */
static inline int probe_completes(int fd, uint32_t device, uint32_t port, unsigned int n,
				  struct rdmaev_probe *res)
{
	uint64_t end = now_ms() + SOON_MS, from;

	if (!probe_get(fd, device, port, res))
		return 0;
	for (from = res->completed; res->completed < from + n;
	     probe_get(fd, device, port, res)) {
		if (now_ms() > end)
			return 0;
		sleep_ms(5);
	}
	return 1;
}

/* The first @room probes of all devices; returns how many there are, -1 and errno. */
static inline int probe_list(int fd, struct rdmaev_probe *list, unsigned int room)
{
	struct rdmaev_probes req = {
		.size = sizeof(req),
		.entry_size = sizeof(list[0]),
		.count = room,
		.entries = (uintptr_t)list,
		.device = RDMAEV_ANY,
	};

	return ioctl(fd, RDMAEV_IOC_PROBES, &req) ? -1 : (int)req.count;
}

/* sim0 with two ports of a link type, and kernel verbs. */
static inline int sim_create_probed(const char *link)
{
	char text[32];

	snprintf(text, sizeof(text), "%s verbs", link);
	return sim_create_link("sim0", 2, text) ||
	       (strcmp(link, "ib") && (bring_up("sim0_1") || bring_up("sim0_2")));
}

static inline int sim_hold(int yes)
{
	return put(SIM "sim0/hold", yes ? "1" : "0");
}

/* @result: -errno, 1: the call hangs, 0: it works */
static inline int sim_fault(const char *call, int result)
{
	char text[32];

	snprintf(text, sizeof(text), "%s %d", call, result);
	return put(SIM "sim0/fault", text);
}

#endif /* RDMAEV_TEST_PROBE_H */
