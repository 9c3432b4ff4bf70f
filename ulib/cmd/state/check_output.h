/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The result of a check as monitoring systems want it */
#ifndef ULIB_CHECK_OUTPUT_H
#define ULIB_CHECK_OUTPUT_H

#include "health.h"
#include "option/options.h"

/* Exit status of the plug-ins of Nagios for what is not known */
#define NAGIOS_UNKNOWN	3

/*
 * Print one line, and return the exit status of the format. @all is NULL if
 * nothing is known, after a message on standard error.
 */
int print_check(enum check_format format, const struct host_health *all);

#endif /* ULIB_CHECK_OUTPUT_H */
