/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Values of options. Functions return 0, or -1 for a value that is not valid; add_*
 * have printed a message then.
 */
#ifndef ULIB_ARGUMENTS_H
#define ULIB_ARGUMENTS_H

#include "cmd.h"

int parse_number(const char *text, uint64_t max, uint64_t *number);

int set_count(struct options *o, const char *value);
int set_timeout(struct options *o, const char *value);
int set_watch(struct options *o, const char *value);
int set_since(struct options *o, const char *value);
int set_until(struct options *o, const char *value);
/* 0, or -1 after a message if --until is before --since */
int check_range(const struct options *o);
int set_output(struct options *o, const char *value);
int set_format(struct options *o, const char *value);
int set_color(struct options *o, const char *value);
int set_node(struct options *o, const char *value);
int set_exec(struct options *o, const char *value);
int set_exec_jobs(struct options *o, const char *value);
int set_cursor_file(struct options *o, const char *value);
int set_file(struct options *o, const char *value);
int set_pace(struct options *o, const char *value);
int set_size(struct options *o, const char *value);
int set_age(struct options *o, const char *value);
int set_keep(struct options *o, const char *value);

int add_notify(struct options *o, const char *value);
int add_kinds(struct options *o, const char *value);
int add_severities(struct options *o, const char *value);
int add_qps(struct options *o, const char *value);
int add_pids(struct options *o, const char *value);
int add_comm(struct options *o, const char *value);
int add_ulp(struct options *o, const char *value);

#endif /* ULIB_ARGUMENTS_H */
