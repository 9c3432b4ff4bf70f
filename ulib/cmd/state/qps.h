/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* QPs that the observer knows, by owner */
#ifndef ULIB_QPS_H
#define ULIB_QPS_H

#include <stddef.h>
#include <stdint.h>

#include <rdmaev.h>

/* States of QPs, and one for those of which it is not known or has no name */
#define QP_STATES	(RDMAEV_QP_ERR + 2)

/**
 * struct qp_owner - QPs of a process or ULP on one device
 * @qps: first of them
 * @count: number of them
 * @states: number of them by &enum rdmaev_qp_state
 */
struct qp_owner {
	const struct rdmaev_qp *qps;
	size_t count;
	size_t states[QP_STATES];
};

/* QPs of all devices. 0, or -1 with errno; free *@list in either case. */
int list_qps(struct rdmaev *h, struct rdmaev_qp **list, size_t *count, uint64_t *seq);

/*
 * Sort QPs by device and owner: those with the most QPs first. Returns the owners, *@count of
 * them, or NULL with errno; free it.
 */
struct qp_owner *find_qp_owners(struct rdmaev_qp *list, size_t n, size_t *count);

#endif /* ULIB_QPS_H */
