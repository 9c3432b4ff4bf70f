// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The fuzzer: random numbers, memory, and reports of failures. */
#include <sys/mman.h>

#include "fuzz.h"

/* Low, so that 32-bit calls can reach it. */
#define ARENA_ADDR	0x20000000UL
#define ARENA_STRIDE	0x01000000UL
#define ARENA_SIZE	(256UL << 10)
#define PAGE		4096UL

/* Enough to find the defect; later failures are often its consequences. */
#define FAILURES_MAX	5

struct fuzz fuzz;

static char *arenas[ARENAS];
static char *readonly;
static char *readonly_view;

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

uint64_t rnd(void)
{
	fuzz.random += 0x9e3779b97f4a7c15ULL;
	return mix(fuzz.random);
}

uint32_t below(uint32_t n)
{
	return (rnd() >> 32) * n >> 32;
}

/* An unusual number */
uint64_t odd_number(void)
{
	switch (below(8)) {
	case 0:
		return 0;
	case 1:
		return 1 + below(16);
	case 2:
		return 1ULL << below(64);
	case 3:
		return (1ULL << below(64)) - 1;
	case 4:
		return (1ULL << below(64)) + 1;
	case 5:
		return ~0ULL >> below(64);
	case 6:
		return -(uint64_t)below(256);
	default:
		return rnd();
	}
}

void fuzz_begin(void)
{
	const char *seed = getenv("RDMAEV_FUZZ_SEED");

	/* The same at each call: a check finds changed bytes. */
	fuzz.seed = seed ? strtoull(seed, NULL, 0) : 1;
	fuzz.step = 0;
	fuzz.hash = 0;
	fuzz.failures = 0;
}

void fuzz_step(uint64_t step)
{
	fuzz.step = step;
	fuzz.random = mix(fuzz.seed + mix(step));
}

void begin_call(const char *name, uint64_t a, uint64_t b, uint64_t c)
{
	memmove(&fuzz.recent[1], &fuzz.recent[0], sizeof(fuzz.recent) - sizeof(fuzz.recent[0]));
	fuzz.recent[0] = (struct past) {
		.step = fuzz.step,
		.call = name,
		.values = { a, b, c },
	};
	fuzz.call = name;
	fuzz.values[0] = a;
	fuzz.values[1] = b;
	fuzz.values[2] = c;
	fuzz.hash = mix(fuzz.hash + fuzz.random);
	fuzz.arg_size = 0;
	fuzz.nallowed = 0;
	fuzz.may_succeed = 0;
}

static void dump(const unsigned char *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < n && i < 256; i++)
		printf("%s%02x%s", i % 32 ? "" : "#    ", bytes[i],
		       i % 32 == 31 ? "\n" : i % 4 == 3 ? " " : "");
	if (n % 32)
		printf("\n");
}

static void tell_past(void)
{
	unsigned int i;

	printf("# before that:\n");
	for (i = 1; i < RECENT && fuzz.recent[i].call; i++)
		printf("#    step %llu: %s(0x%llx, 0x%llx, 0x%llx) = %ld\n",
		       (unsigned long long)fuzz.recent[i].step, fuzz.recent[i].call,
		       (unsigned long long)fuzz.recent[i].values[0],
		       (unsigned long long)fuzz.recent[i].values[1],
		       (unsigned long long)fuzz.recent[i].values[2], fuzz.recent[i].ret);
}

void bad(const char *format, ...)
{
	va_list ap;

	printf("# seed 0x%llx step %llu: %s(0x%llx, 0x%llx, 0x%llx): ",
	       (unsigned long long)fuzz.seed, (unsigned long long)fuzz.step,
	       fuzz.call, (unsigned long long)fuzz.values[0],
	       (unsigned long long)fuzz.values[1], (unsigned long long)fuzz.values[2]);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
	if (fuzz.arg_size)
		dump(fuzz.arg, fuzz.arg_size);
	if (!fuzz.failures)
		tell_past();
	fflush(stdout);
	if (++fuzz.failures >= FAILURES_MAX) {
		printf("# that is enough\n");
		exit(1);
	}
}

void may_fail(int error)
{
	if (fuzz.nallowed < ARRAY_SIZE(fuzz.allowed))
		fuzz.allowed[fuzz.nallowed++] = error;
}

/* True if the call returned what was expected */
void judge(long ret, int error)
{
	unsigned int i;

	fuzz.recent[0].ret = ret < 0 ? -error : ret;
	if (ret >= 0) {
		if (fuzz.nallowed && !fuzz.may_succeed)
			bad("%ld, and not %s", ret, strerror(fuzz.allowed[0]));
		return;
	}
	for (i = 0; i < fuzz.nallowed; i++) {
		if (fuzz.allowed[i] == error)
			return;
	}
	bad("%s, and not %s", strerror(error),
	    fuzz.nallowed ? strerror(fuzz.allowed[0]) : "success");
}

static char *map(unsigned long addr, size_t size, int prot, int fd)
{
	return mmap((void *)addr, size, prot,
		    MAP_SHARED | MAP_FIXED_NOREPLACE | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
}

/* Shared: the parent sees what a child reads to it. */
int memory_init(void)
{
	unsigned long addr = ARENA_ADDR;
	int i, fd;

	for (i = 0; i < ARENAS; i++, addr += ARENA_STRIDE) {
		arenas[i] = map(addr, ARENA_SIZE, PROT_READ | PROT_WRITE, -1);
		if (arenas[i] == MAP_FAILED)
			return -1;
	}
	fd = memfd_create("readonly", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, ARENA_SIZE))
		return -1;
	readonly = map(addr, ARENA_SIZE, PROT_READ, fd);
	readonly_view = map(addr + ARENA_STRIDE, ARENA_SIZE, PROT_READ | PROT_WRITE, fd);
	close(fd);
	return readonly == MAP_FAILED || readonly_view == MAP_FAILED ? -1 : 0;
}

/*
 * Memory for @size bytes: usable most of the time, more often if something else
 * is wrong already.
 */
struct place place(enum arena which, size_t size)
{
	char *end = arenas[which] + ARENA_SIZE;
	struct place p = {};
	size_t off;

	switch (which == ARGUMENT && fuzz.nallowed && !one_in(4) ? 8 : below(16)) {
	case 0:
		return p;
	case 1:		/* not mapped */
		p.addr = end + below(4) * PAGE;
		return p;
	case 2:		/* of the kernel, or not canonical */
		p.addr = one_in(2) ? (char *)0xffffffff81000000UL + (odd_number() & 0xffffff) :
				     (char *)0x8000000000000000UL + (odd_number() >> 2);
		return p;
	case 3:
		off = GUARD_BYTES + below(PAGE);
		p.addr = readonly + off;
		p.view = readonly_view + off;
		p.readable = ARENA_SIZE - off;
		return p;
	case 4:		/* a part of it */
		p.readable = size > 1 ? 1 + below(size - 1 < ARENA_SIZE / 2 ? size - 1 :
						   ARENA_SIZE / 2) : 0;
		break;
	case 5 ... 8:	/* exactly the size, with nothing behind it */
		p.readable = size < ARENA_SIZE / 2 ? size : ARENA_SIZE / 2;
		break;
	default:
		p.readable = ARENA_SIZE - GUARD_BYTES - below(PAGE);
		break;
	}
	p.addr = end - p.readable;
	p.view = p.addr;
	p.writable = p.readable;
	return p;
}

static size_t guarded(const struct place *p, size_t size)
{
	size_t room = p->readable;

	return size + GUARD_BYTES < room ? size + GUARD_BYTES : room;
}

/* Fill the @size bytes and their surroundings. */
void guard(const struct place *p, size_t size)
{
	if (p->view)
		memset(p->view - GUARD_BYTES, GUARD, GUARD_BYTES + guarded(p, size));
}

static int is_filled(const char *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if ((unsigned char)bytes[i] != GUARD)
			return 0;
	}
	return 1;
}

/* At most the first @written of the @size bytes may have changed. */
void check_guard(const struct place *p, size_t written, size_t size)
{
	size_t end = guarded(p, size);

	if (!p->view)
		return;
	if (!is_filled(p->view - GUARD_BYTES, GUARD_BYTES))
		bad("wrote before the memory that it was given");
	if (written < end && !is_filled(p->view + written, end - written))
		bad("wrote more than %zu bytes", written);
}
