/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the parts of the fuzzer share: random numbers, memory that tells what was
 * written to it, what a call may answer, and a model of the log and its readers.
 *
 * Each step has random numbers of its own, made of the seed and its number. So
 * what a step does depends on these, and never on what the kernel has answered.
 */
#ifndef RDMAEV_TEST_FUZZ_H
#define RDMAEV_TEST_FUZZ_H

#include "common.h"

/* In the memory for arguments and answers, each side of what was asked for. */
#define GUARD_BYTES	64
#define GUARD		0xa5

#define READERS		5
#define DEVICES		8
#define CQS		16
#define RECENT		64

/* Which memory: the argument of a call, what it points to, what is compared with. */
enum arena { ARGUMENT, POINTED, ARENAS };

/**
 * struct place - memory that is given to the kernel
 * @addr: where
 * @readable: bytes from there on that can be read
 * @writable: bytes from there on that can be written
 * @view: the same where we can write it, NULL if nobody can
 */
struct place {
	char *addr;
	size_t readable;
	size_t writable;
	char *view;
};

/**
 * struct reader - an open node, and what we know of it
 * @fd: it
 * @twin: dup() of it, or -1
 * @plain: never given a filter: everything that it reads is known beforehand
 * @stays: never moved by lseek(): all that was appended is delivered or lost
 * @filter: what it wants, if not @plain
 * @start: newest seq when it was opened
 * @pos: seq of the next record; with a filter the kernel may be further
 * @next: index of the next record in each ring
 * @silent: what comes before this index was passed or overwritten before it was
 *	wanted
 * @any_count: records that RDMAEV_RING_ANY is to tell of
 * @any_last: the newest of them
 * @any_wanted: one of them passes the filter, by kind and code, and by severity
 * @delivered: records read
 * @lost: records told as lost
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
	int any_wanted;
	uint64_t delivered;
	uint64_t lost;
	uint32_t watermark;
	uint32_t delay_us;
};

struct cq_known {
	uint32_t number;
	int attached;
	struct reader *owner;		/* has asked for its notifications */
};

/**
 * struct fuzz - a run
 * @seed: what all follows from
 * @step: number of the step
 * @random: state of the random numbers of this step
 * @hash: of all calls
 * @failures: expectations that failed
 * @racing: events come at any time: what depends on them is not looked at
 * @call: the call that is made
 * @values: what tells it from others
 * @arg: its argument
 * @arg_size: bytes of that
 * @recent: the calls before it, for who looks for what went wrong
 * @allowed: how it may fail; it has to if there is any
 * @nallowed: entries of that
 * @may_succeed: and yet it need not fail
 * @features: as RDMAEV_IOC_INFO tells
 * @instance: the same
 * @records: that each ring keeps
 * @live: indexes of the devices that are there, sim0 first
 * @nlive: how many
 * @gone: index of one that is not there any more
 * @has_gone: there was one
 * @cqs: CQs of sim0
 * @ncqs: how many
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
void check_record(const struct rdmaev_record *rec);
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

/* fuzz_ioctl.c */
void do_ioctl(struct reader *r);
int ask_info(struct reader *r, struct rdmaev_info *info);
uint32_t choose_device(int *exists);
void fill_filter(struct rdmaev_filter *f);
uint32_t wrong_bit(uint32_t valid);

/* fuzz_file.c */
void do_file(struct reader *r);

/* fuzz_genl.c */
void genl_begin_epoch(void);
void genl_end_epoch(void);
void genl_listen(int wait);
void do_genl(void);

static inline int one_in(uint32_t n)
{
	return !below(n);
}

#endif /* RDMAEV_TEST_FUZZ_H */
