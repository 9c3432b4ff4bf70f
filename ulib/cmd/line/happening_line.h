/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The line of a happening */
#ifndef ULIB_HAPPENING_LINE_H
#define ULIB_HAPPENING_LINE_H

#include "happening.h"
#include "text.h"

/* The line of a happening; @style as of rdmaev_format(), without JSON */
void happening_line(struct text *t, const struct happening *h, unsigned int style);

#endif /* ULIB_HAPPENING_LINE_H */
