// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Prints the frequency of the TSC in kHz, for the guest: on a busy machine its kernel can
 * measure a third of it, and then its clock runs three times as fast.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct moment {
	uint64_t ns;
	uint64_t tsc;
};

static uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Of many tries the one in which nothing came in between */
static struct moment now(void)
{
	uint64_t shortest = UINT64_MAX;
	struct moment m = { 0 };
	int i;

	for (i = 0; i < 100; i++) {
		uint64_t before = clock_ns(), tsc = __rdtsc(), took = clock_ns() - before;

		if (took < shortest) {
			shortest = took;
			m = (struct moment){ before + took / 2, tsc };
		}
	}
	return m;
}

int main(void)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	struct moment a = now(), b;

	nanosleep(&pause, NULL);
	b = now();
	printf("%.0f\n", (b.tsc - a.tsc) * 1e6 / (b.ns - a.ns));
	return 0;
}
