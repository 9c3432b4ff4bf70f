/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Ways through the log and its trees */
#ifndef ULIB_INCIDENT_TREE_H
#define ULIB_INCIDENT_TREE_H

#include <stddef.h>
#include <stdint.h>

struct incident_log;

/* Index of the first record with this seq or a larger one, or the number of records */
size_t find_from(const struct incident_log *log, uint64_t seq);

/* Index of the record with this seq, or NONE */
size_t find_seq(const struct incident_log *log, uint64_t seq);

/* The removal of the device of this generation, or NONE */
size_t find_removal(const struct incident_log *log, uint32_t generation);

/* Find all removals, before one can be found. 0, or -1 if memory is short. */
int list_removals(struct incident_log *log);

/* Root of the tree of a record */
size_t root_of(const struct incident_log *log, size_t i);

/* Next node of the tree of @root after @node, depth first; NONE: it was the last */
size_t next_in_tree(const struct incident_log *log, size_t root, size_t node);

#endif /* ULIB_INCIDENT_TREE_H */
