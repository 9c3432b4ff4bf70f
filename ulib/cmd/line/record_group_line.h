/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The line of a group */
#ifndef ULIB_RECORD_GROUP_LINE_H
#define ULIB_RECORD_GROUP_LINE_H

#include "record_group.h"
#include "text.h"

/* The line of a group; @style as of rdmaev_format(), without JSON */
void record_group_line(struct text *t, const struct record_group *h, unsigned int style);

#endif /* ULIB_RECORD_GROUP_LINE_H */
