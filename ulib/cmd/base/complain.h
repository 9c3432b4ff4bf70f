/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Messages on standard error */
#ifndef ULIB_COMPLAIN_H
#define ULIB_COMPLAIN_H

#include <stddef.h>

#include <rdmaev.h>

/* "rdmaev: ..." on standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Messages that follow are about this recording: "rdmaev: node17.rec: ..."; NULL: none */
void complain_about(const char *name);
/* "PORT_EER: no such event, did you mean ...?" on standard error. */
void complain_event(const char *name);
/* The same of wait, which also takes one of @states, NULL at the end */
void complain_awaited(const char *name, const char * const *states);
/* The last message, "" if there was none */
const char *last_complaint(void);
/* "rxe: no such device, did you mean rxe0?"; @text begins with the name. */
void complain_device(const char *text, size_t name_len,
		     const struct rdmaev_device *list, size_t n);
/* The same for all that rdmaev explain knows. */
void complain_word(const char *name);

#endif /* ULIB_COMPLAIN_H */
