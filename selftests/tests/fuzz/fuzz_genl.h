/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Netlink requests of the fuzzer.
 */
#ifndef RDMAEV_TEST_FUZZ_GENL_H
#define RDMAEV_TEST_FUZZ_GENL_H

#include "fuzz.h"
#include "genl.h"

#define NEST_MAX	4096U		/* size of nested attributes */

/* Kinds of request that an attribute is valid in, and required in */
#define IN_DO		1
#define NEEDED		2
#define IN_DUMP		4

#define RULES		3	/* attributes of a command, at most */
#define GENL_COMMANDS	(RDMAEV_CMD_MAX - 1)	/* all but the notification */

struct rule {
	uint16_t type;
	uint16_t size;
	int where;
};

/**
 * struct command - a command of the family
 * @cmd: its number
 * @name: its name
 * @where: IN_DO, IN_DUMP
 * @rules: attributes that it takes
 * @nr: ioctl that returns the same list, 0 if there is none
 * @entry: size of an entry of that list
 * @set: attributes of an entry
 */
struct command {
	uint8_t cmd;
	const char *name;
	int where;
	struct rule rules[RULES];
	unsigned int nr;
	uint32_t entry;
	const struct rdmaev_attr_set *set;
};

/**
 * struct request - a request before it is sent
 * @c: its command
 * @is_dump: NLM_F_DUMP
 * @n: number of attributes
 * @attrs: attributes; the last ones may be wrong
 * @filter: the filter in its attribute, if that is valid
 * @cut: bytes that are missing at the end
 * @more: bytes at the end that are no attribute
 */
struct request {
	const struct command *c;
	int is_dump;
	unsigned int n;
	struct {
		uint16_t type;
		uint16_t size;
		union {
			char bytes[NEST_MAX + 100];
			__u16 u16;
			__u32 u32;
			__u64 u64;
		};
	} attrs[10];
	struct rdmaev_filter filter;
	unsigned int cut;
	unsigned int more;
};

/* fuzz_genl_request.c */
const struct command *request_command(unsigned int which);
void request_fill(struct request *req);
void request_spoil(struct request *req);
void request_put(struct genl *g, const struct request *req);
const void *request_value(const struct request *req, uint16_t type);
uint32_t request_number(const struct request *req, uint16_t type, uint32_t otherwise);

/* fuzz_genl_groups.c */
void groups_begin_epoch(void);
void groups_end_epoch(void);
void act_groups(void);

#endif /* RDMAEV_TEST_FUZZ_GENL_H */
