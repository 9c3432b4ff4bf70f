/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The subcommands */
#ifndef ULIB_CMD_H
#define ULIB_CMD_H

#include "option/options.h"

/* Subcommands; they return the exit status. */
int run_watch(struct options *o, int argc, char **argv);
int run_log(struct options *o, int argc, char **argv);
int run_wait(struct options *o, int argc, char **argv);
int run_status(struct options *o, int argc, char **argv);
int run_ack(struct options *o, int argc, char **argv);
int run_why(struct options *o, int argc, char **argv);
int run_report(struct options *o, int argc, char **argv);
int run_devices(struct options *o, int argc, char **argv);
int run_stats(struct options *o, int argc, char **argv);
int run_cqs(struct options *o, int argc, char **argv);
int run_observer(struct options *o, int argc, char **argv);
int run_probe(struct options *o, int argc, char **argv);
int run_explain(struct options *o, int argc, char **argv);
int run_release(struct options *o, int argc, char **argv);
int run_record(struct options *o, int argc, char **argv);

#endif /* ULIB_CMD_H */
