/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* rdmaev wait DEV/PORT up|down */
#ifndef ULIB_WAIT_STATE_H
#define ULIB_WAIT_STATE_H

#include <stdbool.h>

#include "option/options.h"

/* Words that name a state and not an event; NULL at the end */
extern const char * const state_words[];

/* True if @word is one of them. */
bool is_state_word(const char *word);

/* Wait until the ports named by @argv[0] have the state @argv[1]; exit status. */
int wait_state(struct options *o, char **argv);

#endif /* ULIB_WAIT_STATE_H */
