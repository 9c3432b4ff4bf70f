/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Calls of ioctl() by the fuzzer: their tables and structures */
#ifndef RDMAEV_TEST_FUZZ_IOCTL_H
#define RDMAEV_TEST_FUZZ_IOCTL_H

#include "fuzz.h"

#define PAGE		4096U

union arg {
	char bytes[2 * PAGE];
	__u32 size;
	struct rdmaev_info info;
	struct rdmaev_filter filter;
	struct rdmaev_wakeup wakeup;
	struct rdmaev_notify notify;
	struct rdmaev_devices list;	/* common to all lists */
	struct rdmaev_ports ports;
	struct rdmaev_cqs cqs;
	struct rdmaev_counters counters;
	struct rdmaev_probes probes;
	struct rdmaev_qps qps;
	struct rdmaev_probe_set probe;
};

/**
 * struct command - an ioctl
 * @nr: its number
 * @name: its name
 * @size: size of its structure
 * @min_size: size in the first version that had it
 * @entry: size of an entry of the list
 * @min_entry: size of an entry in the first version
 * @flags: valid flags
 * @answers: it writes to its structure
 * @act: function that makes a call
 */
struct command {
	unsigned int nr;
	const char *name;
	uint32_t size;
	uint32_t min_size;
	uint32_t entry;
	uint32_t min_entry;
	uint32_t flags;
	int answers;
	void (*act)(struct reader *r, const struct command *c);
};

/* fuzz_ioctl.c */

/* Make the call, with @arg at any place. 0: it has failed. */
int run(struct reader *r, const struct command *c, union arg *arg);

/* fuzz_filter.c */

/* Some of the valid bits */
uint32_t choose_bits(uint32_t valid);
/* Make a part of a filter wrong: the call has to fail. */
void spoil_filter(struct rdmaev_filter *f);

/* fuzz_list.c */

/* Ask for a list, of any size, and compare it with the complete one. */
void act_list(struct reader *r, const struct command *c);

#endif /* RDMAEV_TEST_FUZZ_IOCTL_H */
