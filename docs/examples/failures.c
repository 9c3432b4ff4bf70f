// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Prints the number of failed completions of each CQ, 64 CQs at a time.
 *
 *	cc failures.c $(pkg-config --cflags --libs librdmaev) -o failures
 *	./failures
 */
#include <stdio.h>
#include <rdmaev.h>

static int print_failures(struct rdmaev *h)
{
	struct rdmaev_cq_stats list[64];
	unsigned long long failed;
	uint64_t after = 0;
	ssize_t n, i;
	int status;

	do {
		n = rdmaev_cqs(h, RDMAEV_ANY, 0, after, list, 64, NULL);
		for (i = 0; i < n && i < 64; i++) {
			failed = 0;
			for (status = 0; status < RDMAEV_WC_STATUSES; status++)
				failed += list[i].failures[status];
			printf("device %u CQ %u: %llu failed\n", list[i].device,
			       list[i].cq, failed);
			after = list[i].id;
		}
	} while (n > 64);
	return n < 0 ? -1 : 0;
}

int main(void)
{
	struct rdmaev *h = rdmaev_open(NULL, 0);

	if (!h || print_failures(h) < 0) {
		perror("failures");
		return 1;
	}
	rdmaev_close(h);
	return 0;
}
