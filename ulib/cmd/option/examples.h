/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Examples in the help of commands */
#ifndef ULIB_EXAMPLES_H
#define ULIB_EXAMPLES_H

#include "text.h"

/* Append the examples of this command, each below what it does. */
void put_examples(struct text *t, const char *command);

#endif /* ULIB_EXAMPLES_H */
