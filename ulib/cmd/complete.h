/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completion of command lines */
#ifndef ULIB_COMPLETE_H
#define ULIB_COMPLETE_H

#include <stddef.h>

#include "option/options.h"

/* rdmaev __complete: candidates for the last word; returns the exit status. */
int complete(int argc, char **argv, const struct command *commands, size_t n);

#endif /* ULIB_COMPLETE_H */
