/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The lists of a recording, out of the log */
#ifndef ULIB_RECORDING_LISTS_H
#define ULIB_RECORDING_LISTS_H

#include <stdbool.h>

#include <rdmaev.h>

#include "recording_write.h"

/*
 * Append the lists as they are now, those of CQs and QPs only with @all: there may be
 * thousands. 0, or -1: with @w->error, or after a message. A list that the kernel module
 * does not have is left out.
 */
int recording_append_lists(struct recording_writer *w, struct rdmaev *h, bool all);

#endif /* ULIB_RECORDING_LISTS_H */
