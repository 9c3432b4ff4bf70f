/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared by the parts of the fuzzer: random numbers, memory that shows what was
 * written to it, expected results of calls, and a model of the log and its
 * readers.
 *
 * Each step has its own random numbers, made of the seed and its number. So a
 * step depends on these only, and never on answers of the kernel.
 */
#ifndef RDMAEV_TEST_FUZZ_H
#define RDMAEV_TEST_FUZZ_H

#include "common.h"

/* Bytes before and after the memory for arguments and answers */
#define GUARD_BYTES	64
#define GUARD		0xa5

#define READERS		5
#define DEVICES		8
#define CQS		16
#define RECENT		64

/* Use of the memory: argument of a call, its target, or data to compare with */
enum arena { ARGUMENT, POINTED, ARENAS };

/**
 * struct place - memory that is given to the kernel
 * @addr: address
 * @readable: readable bytes from there on
 * @writable: writable bytes from there on
 * @view: the same memory, writable for the test; NULL if there is none
 */
struct place {
	char *addr;
	size_t readable;
	size_t writable;
	char *view;
};

/**
 * struct reader - an open node, and its expected state
 * @fd: descriptor
 * @twin: dup() of it, or -1
 * @plain: never has a filter: all that it reads is known beforehand
 * @stays: never moved by lseek(): each record is delivered or lost
 * @filter: its filter, if not @plain
 * @start: newest seq when it was opened
 * @pos: seq of the next record; with a filter the kernel may be beyond it
 * @next: index of the next record in each ring
 * @silent: what comes before this index was passed or overwritten before it was
 *	wanted
 * @any_count: records that a loss of RDMAEV_RING_ANY has to report
 * @any_last: the newest of these records
 * @delivered: records read
 * @lost: records reported lost
 * @watermark: as set by RDMAEV_IOC_WAKEUP
 * @delay_us: the same
 */
struct reader {
	int fd;
	int twin;
	int plain;
	int stays;
	struct rdmaev_filter filter;
	uint64_t start;
	uint64_t pos;
	uint64_t next[RDMAEV_RINGS];
	uint64_t silent[RDMAEV_RINGS];
	uint64_t any_count;
	uint64_t any_last;
	uint64_t delivered;
	uint64_t lost;
	uint32_t watermark;
	uint32_t delay_us;
};

struct cq_known {
	uint32_t number;
	int attached;
	struct reader *owner;		/* of its notification request */
};

/**
 * struct fuzz - a run
 * @seed: seed of all random numbers
 * @step: number of the step
 * @random: state of the random numbers of this step
 * @hash: of all calls
 * @failures: expectations that failed
 * @racing: events come at any time: what depends on them is not checked
 * @call: name of the current call
 * @values: numbers that distinguish it
 * @arg: its argument
 * @arg_size: bytes of that
 * @recent: calls before it, for reports
 * @allowed: errors that it may return; if there are any, it must fail
 * @nallowed: number of entries of @allowed
 * @may_succeed: it need not fail nevertheless
 * @features: from RDMAEV_IOC_INFO
 * @instance: from RDMAEV_IOC_INFO
 * @records: records that each ring keeps
 * @live: indexes of existing devices, sim0 first
 * @nlive: number of entries of @live
 * @gone: index of a removed device
 * @has_gone: there is a removed device
 * @cqs: CQs of sim0
 * @ncqs: number of entries of @cqs
 * @readers: open nodes
 */
struct fuzz {
	uint64_t seed;
	uint64_t step;
	uint64_t random;
	uint64_t hash;
	unsigned int failures;
	int racing;

	const char *call;
	uint64_t values[3];
	struct past {
		uint64_t step;
		const char *call;
		uint64_t values[3];
		long ret;
	} recent[RECENT];
	const void *arg;
	size_t arg_size;
	int allowed[8];
	unsigned int nallowed;
	int may_succeed;

	uint64_t features;
	uint64_t instance;
	uint64_t records;
	uint32_t live[DEVICES];
	unsigned int nlive;
	uint32_t gone;
	int has_gone;
	struct cq_known cqs[CQS];
	unsigned int ncqs;
	struct reader readers[READERS];
};

extern struct fuzz fuzz;

/* fuzz.c */
void fuzz_begin(void);
void fuzz_step(uint64_t step);
uint64_t rnd(void);
uint32_t below(uint32_t n);
uint64_t odd_number(void);
void begin_call(const char *name, uint64_t a, uint64_t b, uint64_t c);
void may_fail(int error);
void judge(long ret, int error);
__attribute__((format(printf, 1, 2))) void bad(const char *format, ...);

int memory_init(void);
struct place place(enum arena which, size_t size);
void guard(const struct place *p, size_t size);
void check_guard(const struct place *p, size_t written, size_t size);

/* fuzz_log.c */
void log_begin(int fd);
void log_end(void);
void log_catch_up(void);
uint64_t log_newest(void);
uint64_t log_oldest(void);
int log_remembers(uint32_t device);
const struct rdmaev_record *log_any_record(uint64_t seq);
const struct rdmaev_record *log_record(uint64_t seq);
void check_counters(const struct rdmaev_counter *list, unsigned int count, int gone,
		    uint32_t device, uint32_t port, uint64_t known);

int reader_open(struct reader *r, int plain, int stays);
void reader_close(struct reader *r);
void reader_moved(struct reader *r, uint64_t pos, int oldest);
void reader_filtered(struct reader *r, const struct rdmaev_filter *filter, uint64_t before,
		     uint64_t after);
void reader_take(struct reader *r, const struct rdmaev_record *recs, size_t n, size_t room,
		 uint64_t newest);
uint64_t reader_waiting(const struct reader *r, uint64_t *first_ns, int *exact);

/* fuzz_record.c */
void check_record(const struct rdmaev_record *rec);

/* fuzz_ioctl.c */
void do_ioctl(struct reader *r);
int ask_info(struct reader *r, struct rdmaev_info *info);
uint32_t choose_device(int *exists);

/* fuzz_filter.c */
void fill_filter(struct rdmaev_filter *f);
uint32_t wrong_bit(uint32_t valid);

/* fuzz_file.c */
void do_file(struct reader *r);

/* fuzz_genl.c */
void genl_begin_epoch(void);
void genl_end_epoch(void);
void do_genl(void);

/* fuzz_genl_groups.c */
void genl_listen(int wait);

static inline int one_in(uint32_t n)
{
	return !below(n);
}

#endif /* RDMAEV_TEST_FUZZ_H */
