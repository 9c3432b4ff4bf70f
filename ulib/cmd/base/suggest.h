/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Suggestions for names that do not exist. */
#ifndef ULIB_SUGGEST_H
#define ULIB_SUGGEST_H

#include <stddef.h>

#include "text.h"

#define GUESSES	3

/**
 * struct guess - names that are like a name that does not exist
 * @name: as given
 * @best: the names that are most like it, best first; they must stay valid
 * @score: of each, how unlike it is
 * @count: number of them
 */
struct guess {
	const char *name;
	const char *best[GUESSES];
	unsigned int score[GUESSES];
	size_t count;
};

/* Take a name that exists into account. */
void consider(struct guess *g, const char *candidate);

/* Append ", did you mean A or B?", or nothing if no name is like it. */
void put_guess(struct text *t, const struct guess *g);

/* The same as a string, which the next call overwrites. */
const char *guess_text(const struct guess *g);

#endif /* ULIB_SUGGEST_H */
