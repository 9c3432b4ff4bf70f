/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Where watch, log and wait begin, and where log ends */
#ifndef ULIB_WATCH_START_H
#define ULIB_WATCH_START_H

#include "watch/watch.h"

/* All functions return 0, or -1 after a message. */

/* Select the records, and go to where the cursor file or --since says. */
int watch_start(struct watch *w);
/* Print the records in the log up to now, then end. */
int watch_end_here(struct watch *w);
/* End with the log, or where --until says. */
int watch_end_log(struct watch *w);

#endif /* ULIB_WATCH_START_H */
