/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The node, netlink or a recording, and messages about their problems */
#ifndef ULIB_OPEN_H
#define ULIB_OPEN_H

#include <stdbool.h>

#include <rdmaev.h>

#include "option/options.h"

/*
 * With --file, open all recordings; open_node() is to return the first, and its end is the
 * present from now on. 0, or -1 after a message
 */
int open_files(struct options *o);
/* When the command has ended */
void close_files(void);
/* Have open_node() return this one of several; the end of the latest is the present. */
void open_use(size_t file);
/* Name of its host, or its own if it has none */
const char *open_host(const struct options *o, size_t file);
/* Open node, netlink or recording, or print the reason and the remedy. */
struct rdmaev *open_node(const struct options *o, unsigned int flags);
/* Print, by errno, why the node cannot be opened. */
void complain_node(const char *path);
/* Close it; NULL is allowed. */
void close_node(struct rdmaev *h);
/* Text of errno for errors that cannot mean a missing device. */
const char *reader_error(void);
/* True if reader_error() found that the kernel has hung up. */
bool is_released(void);

/* RDMAEV_STYLE_* of times according to the options. */
unsigned int time_style(const struct options *o);

#endif /* ULIB_OPEN_H */
