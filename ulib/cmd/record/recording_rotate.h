/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Files of a recording: FILE, and FILE.1, FILE.2 and so on before it */
#ifndef ULIB_RECORDING_ROTATE_H
#define ULIB_RECORDING_ROTATE_H

#include <stdint.h>

/*
 * Give @path the name FILE.1, and each older file the next number; @keep of them are
 * kept, with 0 none. 0, or -1 with errno. It is no error if there is no @path.
 */
int recording_rotate(const char *path, unsigned int keep);

#endif /* ULIB_RECORDING_ROTATE_H */
