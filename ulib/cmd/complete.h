/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completion of command lines */
#ifndef ULIB_COMPLETE_H
#define ULIB_COMPLETE_H

#include "cmd.h"

/* rdmaev __complete: candidates for the last word; returns the exit status. */
int complete(int argc, char **argv, const struct command *commands, size_t n);

/* What help calls the value of an option (-e, --event); NULL: it takes none. */
const char *option_argument(const char *word);

/* Call @show for each option, as it is given, that @command takes. */
void list_options(const struct command *command,
		  void (*show)(const char *name, void *arg), void *arg);

#endif /* ULIB_COMPLETE_H */
