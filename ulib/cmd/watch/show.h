/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The lines of watch, log and wait */
#ifndef ULIB_WATCH_SHOW_H
#define ULIB_WATCH_SHOW_H

#include "watch/watch.h"

/* Result of watch_show(): continue, end with success, or end with an error. */
enum show_result {
	SHOW_MORE,
	SHOW_END,
	SHOW_ERROR,
};

/* Print the records of one read. */
enum show_result watch_show(struct watch *w);
/* Print all that was read: nothing follows, or it is not known what. */
enum show_result watch_show_rest(struct watch *w);
/* Say what was overwritten: before the first line, and at the end if there is none. */
void watch_note_overwritten(struct watch *w);

#endif /* ULIB_WATCH_SHOW_H */
