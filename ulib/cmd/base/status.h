/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Exit statuses */
#ifndef ULIB_STATUS_H
#define ULIB_STATUS_H

/* Exit status, a promise of rdmaev(8). */
enum {
	STATUS_OK = 0,
	STATUS_TIMEOUT = 1,
	STATUS_PROBLEM = 1,
	STATUS_ERROR = 2,
	STATUS_RELEASED = 3,
};

#endif /* ULIB_STATUS_H */
