/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The header of the library. All symbols that are not there are hidden. */
#ifndef ULIB_VERBS_VERBS_H
#define ULIB_VERBS_VERBS_H

#pragma GCC visibility push(default)
#include <rdmaev_verbs.h>
#pragma GCC visibility pop

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif /* ULIB_VERBS_VERBS_H */
