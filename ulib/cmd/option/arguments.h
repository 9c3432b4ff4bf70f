/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Values of options, and devices and ports as arguments. set_* and add_* return 0, or
 * -1 for a value that is not valid; add_* have printed a message then.
 */
#ifndef ULIB_ARGUMENTS_H
#define ULIB_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmaev.h>

#include "options.h"

int parse_number(const char *text, uint64_t max, uint64_t *number);

int set_timeout(struct options *o, const char *value);
int set_watch(struct options *o, const char *value);
int add_file(struct options *o, const char *value);
int set_since(struct options *o, const char *value);
int set_until(struct options *o, const char *value);
/* 0, or -1 after a message if --until is before --since */
int check_range(const struct options *o);
int set_format(struct options *o, const char *value);
int set_color(struct options *o, const char *value);
int set_pace(struct options *o, const char *value);
int set_size(struct options *o, const char *value);
int set_age(struct options *o, const char *value);

int add_notify(struct options *o, const char *value);

/**
 * struct target - selected devices, or one of their ports
 * @text: as given
 * @name: name, or prefix of names
 * @name_len: length of @name
 * @is_prefix: the name ended with a `*`, which matches any rest
 * @port: port number, 0: the whole device
 */
struct target {
	const char *text;
	const char *name;
	size_t name_len;
	bool is_prefix;
	uint32_t port;
};

/* Parse DEV[/PORT] arguments; the caller frees. NULL after a message. */
struct target *parse_targets(int argc, char **argv);
/* True if @target selects a device of this name. */
bool is_target(const struct target *target, const char *name);
/*
 * True if one of them selects this record, by the name that its device had then, or
 * has now (@name_now, NULL: not known); all records if there are none
 */
bool is_of_targets(const struct target *targets, size_t count,
		   const struct rdmaev_record *r, const char *name_now);

#endif /* ULIB_ARGUMENTS_H */
