/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The subcommands */
#ifndef ULIB_CMD_H
#define ULIB_CMD_H

#include "option/options.h"

/* Subcommands; they return the exit status. */
#define COMMAND(name, ...)	int run_##name(struct options *o, int argc, char **argv);
#include "commands.def"
#undef COMMAND

#endif /* ULIB_CMD_H */
