/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A BPF program that counts the calls of a function, as tracing tools attach them */
#ifndef OBSERVE_BPF_H
#define OBSERVE_BPF_H

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "common.h"

#define BPF_TRACING "/sys/kernel/tracing/"

/* @map: an array with the counter. @event: the probe that the program is attached to */
struct bpf_counter {
	int map, program, event;
};

static inline int bpf_call(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* counter = lookup(map, &0); if (counter) atomic add 1; return 0 */
static inline int bpf_load(int map)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10, .off = -4 },
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2,
		  .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -4 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_map_lookup_elem },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
		/* BPF_XADD, as it was called before BPF_ATOMIC */
		{ .code = BPF_STX | 0xc0 | BPF_DW, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_KPROBE,
		.insns = (uintptr_t)insns,
		.insn_cnt = sizeof(insns) / sizeof(*insns),
		.license = (uintptr_t)"GPL",
	};

	return bpf_call(BPF_PROG_LOAD, &attr);
}

/* Attach to @function; 0 or -1 */
static inline int bpf_attach(struct bpf_counter *c, const char *function)
{
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 8,
		.max_entries = 1,
	};
	struct perf_event_attr event = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(event),
		.sample_period = 1,
	};
	FILE *f;

	c->map = bpf_call(BPF_MAP_CREATE, &map);
	if (c->map < 0)
		return -1;
	c->program = bpf_load(c->map);
	if (c->program < 0 ||
	    sh("echo p:rdmaev_bpf %s >>" BPF_TRACING "kprobe_events", function))
		return -1;
	f = fopen(BPF_TRACING "events/kprobes/rdmaev_bpf/id", "r");
	if (!f || fscanf(f, "%llu", &event.config) != 1)
		return -1;
	fclose(f);
	c->event = syscall(SYS_perf_event_open, &event, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (c->event < 0)
		return -1;
	return ioctl(c->event, PERF_EVENT_IOC_SET_BPF, c->program) ||
	       ioctl(c->event, PERF_EVENT_IOC_ENABLE) ? -1 : 0;
}

static inline uint64_t bpf_count(const struct bpf_counter *c)
{
	uint64_t value = 0;
	uint32_t key = 0;
	union bpf_attr attr = {
		.map_fd = c->map,
		.key = (uintptr_t)&key,
		.value = (uintptr_t)&value,
	};

	return bpf_call(BPF_MAP_LOOKUP_ELEM, &attr) ? UINT64_MAX : value;
}

static inline int bpf_detach(struct bpf_counter *c)
{
	close(c->event);
	close(c->program);
	close(c->map);
	return sh("echo -:rdmaev_bpf >>" BPF_TRACING "kprobe_events");
}

#endif /* OBSERVE_BPF_H */
