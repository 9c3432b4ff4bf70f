// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Get QPs, and find out which of them belong to whom. */
#include <stdlib.h>
#include <string.h>

#include "qps.h"

/* Entries per query, for the first one */
#define PAGE	256

int list_qps(struct rdmaev *h, struct rdmaev_qp **list, size_t *count, uint64_t *seq)
{
	size_t room = PAGE, left;
	uint64_t after = 0, part_seq;
	ssize_t n;

	*list = NULL;
	*count = 0;
	for (;;) {
		struct rdmaev_qp *larger = realloc(*list, room * sizeof(*larger));

		if (!larger)
			return -1;
		*list = larger;
		left = room - *count;
		n = rdmaev_qps(h, RDMAEV_ANY, 0, after, larger + *count, left, &part_seq);
		if (n < 0)
			return -1;
		/* The seq of the first part is valid for the later ones, too. */
		if (!after)
			*seq = part_seq;
		if ((size_t)n <= left)
			break;
		*count = room;
		after = larger[room - 1].id;
		room = *count + (size_t)n - left + PAGE;
	}
	*count += (size_t)n;
	return 0;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* A process is one whatever the names of its threads. */
static int compare_owners(const struct rdmaev_qp *a, const struct rdmaev_qp *b)
{
	uint32_t process_a = a->info.known & RDMAEV_KNOWN_UID;
	uint32_t process_b = b->info.known & RDMAEV_KNOWN_UID;
	int order = compare_numbers(a->device, b->device) ?:
		    compare_numbers(a->generation, b->generation) ?:
		    compare_numbers(process_a, process_b) ?:
		    compare_numbers(a->started_ns, b->started_ns) ?:
		    compare_numbers(a->pid, b->pid) ?:
		    compare_numbers(a->info.uid, b->info.uid);

	if (order || a->started_ns)
		return order;
	return strncmp(a->info.owner, b->info.owner, sizeof(a->info.owner));
}

static int compare_qps(const void *left, const void *right)
{
	const struct rdmaev_qp *a = left, *b = right;

	return compare_owners(a, b) ?: compare_numbers(a->qp, b->qp) ?:
	       compare_numbers(a->id, b->id);
}

static int compare_counts(const void *left, const void *right)
{
	const struct qp_owner *a = left, *b = right;

	return compare_numbers(a->qps->device, b->qps->device) ?:
	       compare_numbers(b->count, a->count) ?: compare_owners(a->qps, b->qps);
}

static unsigned int state_of(const struct rdmaev_qp *qp)
{
	if (!(qp->info.known & RDMAEV_KNOWN_QP_STATE) || qp->info.qp_state > RDMAEV_QP_ERR)
		return QP_STATES - 1;
	return qp->info.qp_state;
}

struct qp_owner *find_qp_owners(struct rdmaev_qp *list, size_t n, size_t *count)
{
	struct qp_owner *owners = calloc(n + 1, sizeof(*owners)), *owner = owners;
	size_t i;

	*count = 0;
	if (!owners || !n)
		return owners;
	qsort(list, n, sizeof(*list), compare_qps);
	for (i = 0; i < n; i++) {
		if (!i || compare_owners(&list[i - 1], &list[i])) {
			owner = &owners[(*count)++];
			owner->qps = &list[i];
		}
		owner->count++;
		owner->states[state_of(&list[i])]++;
	}
	qsort(owners, *count, sizeof(*owners), compare_counts);
	return owners;
}
