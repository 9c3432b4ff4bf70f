/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Values of options that select records: 0, or -1 after a message. */
#ifndef ULIB_SELECTING_H
#define ULIB_SELECTING_H

#include "options.h"

int add_kinds(struct options *o, const char *value);
int add_severities(struct options *o, const char *value);
int add_qps(struct options *o, const char *value);
int add_pids(struct options *o, const char *value);
int add_comm(struct options *o, const char *value);
int add_ulp(struct options *o, const char *value);

/* Add the events of a list "NAME,NAME" to the selected ones; 0, or -1 after a message. */
int parse_events(struct options *o, const char *list);

#endif /* ULIB_SELECTING_H */
