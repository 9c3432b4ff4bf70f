/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Folders of recordings */
#ifndef ULIB_OPEN_FOLDER_H
#define ULIB_OPEN_FOLDER_H

#include "option/options.h"

/* Put the recordings in a folder in place of its name. 0, or -1 after a message */
int expand_folders(struct options *o);
/* Nobody needs their names any more. */
void free_folders(void);

#endif /* ULIB_OPEN_FOLDER_H */
