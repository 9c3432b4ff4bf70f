// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The newest records of a log that is read from its beginning, for log -n. */
#include <stdlib.h>

#include "newest.h"

#define FIRST_ROOM	64

static int grow(struct newest *n)
{
	size_t room = n->room ? 2 * n->room : FIRST_ROOM, i;
	struct rdmaev_record *records = calloc(room, sizeof(*records));

	if (!records)
		return -1;
	for (i = 0; i < n->used; i++)
		records[i] = n->records[(n->first + i) % n->room];
	free(n->records);
	n->records = records;
	n->room = room;
	n->first = 0;
	return 0;
}

static bool is_lost(const struct rdmaev_record *r)
{
	return r->kind == RDMAEV_KIND_LOST;
}

bool newest_take(struct newest *n, struct rdmaev_record *r)
{
	if (!n->used)
		return false;
	*r = n->records[n->first];
	n->first = (n->first + 1) % n->room;
	n->used--;
	n->counted -= !is_lost(r);
	return true;
}

int newest_add(struct newest *n, const struct rdmaev_record *r)
{
	struct rdmaev_record old;

	if (n->used == n->room && grow(n) < 0)
		return -1;
	n->records[(n->first + n->used) % n->room] = *r;
	n->used++;
	n->counted += !is_lost(r);
	/* A loss before the oldest record that is kept does not matter either. */
	while ((n->counted > n->limit ||
		(n->dropped && is_lost(&n->records[n->first]))) &&
	       newest_take(n, &old))
		n->dropped = old.seq;
	return 0;
}

void newest_free(struct newest *n)
{
	free(n->records);
	*n = (struct newest) { 0 };
}
