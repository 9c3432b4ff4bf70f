/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The recording that is held: what its two files have in common */
#ifndef RDMAEV_MAKE_RECORDING_H
#define RDMAEV_MAKE_RECORDING_H

#include "record/recording_write.h"

#define SECOND		1000000000ULL

/* End the program after a message with errno. */
void fail(const char *what);
/* Append each list; @seq: the newest record */
void append_lists(struct recording_writer *file, uint64_t seq);

#endif /* RDMAEV_MAKE_RECORDING_H */
