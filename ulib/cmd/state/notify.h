/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Notifications of CQs that are recorded (--notify) */
#ifndef ULIB_NOTIFY_H
#define ULIB_NOTIFY_H

#include <rdmaev.h>

#include "option/options.h"

/* Record the notifications of --notify, until @h is closed; 0 or -1. */
int ask_notify(struct rdmaev *h, const struct options *o);

#endif /* ULIB_NOTIFY_H */
