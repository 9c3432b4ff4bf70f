/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Internal interface between the parts of the rdmaev command */
#ifndef ULIB_CMD_H
#define ULIB_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <rdmaev.h>

#include "option/select.h"
#include "option/when.h"
#include "text.h"

/* Exit status, a promise of rdmaev(8). */
enum {
	STATUS_OK = 0,
	STATUS_TIMEOUT = 1,
	STATUS_PROBLEM = 1,
	STATUS_ERROR = 2,
	STATUS_RELEASED = 3,
};

#define NOTIFIES_MAX	64

/**
 * struct notify - a CQ named with --notify
 * @text: as given
 * @name_len: length of the device's name, with which it begins
 * @cq: number of the CQ
 * @every: notifications for a record
 * @delay_us: or microseconds after the first of them
 */
struct notify {
	const char *text;
	size_t name_len;
	uint32_t cq;
	uint32_t every;
	uint32_t delay_us;
};

/**
 * enum check_format - format of the result of a check
 * @CHECK_NONE: for people
 * @CHECK_NAGIOS: plug-in of Nagios and its kin
 * @CHECK_NPD: plug-in of node-problem-detector
 */
enum check_format {
	CHECK_NONE,
	CHECK_NAGIOS,
	CHECK_NPD,
};

/**
 * enum color - when output is coloured
 * @COLOR_AUTO: on a terminal, unless NO_COLOR is set
 * @COLOR_ALWAYS: always
 * @COLOR_NEVER: never
 */
enum color {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

/**
 * struct options - the command line
 * @node: path of the node, or NULL
 * @netlink: --netlink
 * @file: --file, or NULL
 * @json: -j
 * @quiet: -q
 * @utc: --utc
 * @mono: --mono
 * @fault: --fault
 * @removed: --removed
 * @notifies: --notify, @notifies_count of them
 * @follow: -f
 * @show_cursor: --show-cursor
 * @cursor_file: --cursor-file, or NULL
 * @select: options that select records
 * @since: --since
 * @until: --until
 * @limit: -n, or 0
 * @timeout_ns: -t, or -1
 * @watch_ns: --watch, or 0
 * @format: --format
 * @verbose: -v
 * @exec: --exec, or NULL
 * @exec_jobs: --exec-jobs
 * @color: --color
 * @output: -o, or NULL
 * @pace: --pace, or 0
 * @size: --size
 * @age_ns: --age, or 0
 * @keep: --keep
 */
struct options {
	const char *node;
	bool netlink;
	const char *file;
	bool json;
	bool quiet;
	bool utc;
	bool mono;
	bool fault;
	bool removed;
	struct notify notifies[NOTIFIES_MAX];
	size_t notifies_count;
	bool follow;
	bool show_cursor;
	const char *cursor_file;
	struct selection select;
	struct when since;
	struct when until;
	uint64_t limit;
	int64_t timeout_ns;
	int64_t watch_ns;
	enum check_format format;
	bool verbose;
	const char *exec;
	uint64_t exec_jobs;
	enum color color;
	const char *output;
	double pace;
	uint64_t size;
	uint64_t age_ns;
	uint64_t keep;
};

/**
 * struct target - selected devices, or one of their ports
 * @text: as given
 * @name: name, or prefix of names
 * @name_len: length of @name
 * @is_prefix: the name ended with a `*`, which matches any rest
 * @port: port number, 0: the whole device
 */
struct target {
	const char *text;
	const char *name;
	size_t name_len;
	bool is_prefix;
	uint32_t port;
};

/**
 * struct command - a subcommand
 * @name: name
 * @synopsis: name and arguments in short
 * @summary: one-line description for the list of commands
 * @usage: arguments
 * @help: description; options.c has the options
 * @run: implementation
 */
struct command {
	const char *name;
	const char *synopsis;
	const char *summary;
	const char *usage;
	const char *help;
	int (*run)(struct options *o, int argc, char **argv);
};

/* Subcommands; they return the exit status. */
int run_watch(struct options *o, int argc, char **argv);
int run_log(struct options *o, int argc, char **argv);
int run_wait(struct options *o, int argc, char **argv);
int run_status(struct options *o, int argc, char **argv);
int run_ack(struct options *o, int argc, char **argv);
int run_why(struct options *o, int argc, char **argv);
int run_report(struct options *o, int argc, char **argv);
int run_devices(struct options *o, int argc, char **argv);
int run_stats(struct options *o, int argc, char **argv);
int run_cqs(struct options *o, int argc, char **argv);
int run_observer(struct options *o, int argc, char **argv);
int run_probe(struct options *o, int argc, char **argv);
int run_explain(struct options *o, int argc, char **argv);
int run_release(struct options *o, int argc, char **argv);
int run_record(struct options *o, int argc, char **argv);

/* Options before (@command NULL) and after the name of a command. */
#define OPTIONS_HELP	(-2)
#define OPTIONS_VERSION	(-3)
int parse_options(struct options *o, int argc, char **argv,
		  const struct command *command);

/* Append the help on these options. */
void put_options(struct text *t, const struct command *command);

/* Add the events of a list "NAME,NAME" to the selected ones; 0, or -1 after a message. */
int parse_events(struct options *o, const char *list);

/* Parse DEV[/PORT] arguments; the caller frees. NULL after a message. */
struct target *parse_targets(int argc, char **argv);

/* True if @target selects a device of this name. */
bool is_target(const struct target *target, const char *name);
/*
 * True if one of them selects this record, by the name that its device had then, or
 * has now (@name_now, NULL: not known); all records if there are none
 */
bool is_of_targets(const struct target *targets, size_t count,
		   const struct rdmaev_record *r, const char *name_now);

/* Add it to a filter that has room for it. */
void add_target(struct rdmaev_filter *f, const struct target *target);

#define TARGETS_LOG	(1U << 0)	/* only past records are wanted */
#define TARGETS_NEW	(1U << 1)	/* a device that never existed, too */
#define TARGETS_ANY_PORT (1U << 2)	/* the caller checks the port */
#define TARGETS_MATCH	(1U << 3)	/* a name with a `*` must match, too */
/* 0, or -1 after a message on targets that cannot be meant. May set a filter. */
int check_targets(struct rdmaev *h, const struct options *o, unsigned int flags,
		  const struct target *targets, size_t count);

/* Record the notifications of --notify, until @h is closed; 0 or -1. */
int ask_notify(struct rdmaev *h, const struct options *o);

/* "rdmaev: ..." on standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "PORT_EER: no such event, did you mean ...?" on standard error. */
void complain_event(const char *name);
/* The same of wait, which also takes one of @states, NULL at the end */
void complain_awaited(const char *name, const char * const *states);
/* The last message, "" if there was none */
const char *last_complaint(void);

/* "rxe: no such device, did you mean rxe0?"; @text begins with the name. */
void complain_device(const char *text, size_t name_len,
		     const struct rdmaev_device *list, size_t n);

/* The same for all that rdmaev explain knows. */
void complain_word(const char *name);

/*
 * With --file, open the recording that open_node() is to return; its end is the
 * present from now on. 0, or -1 after a message
 */
int open_file(const struct options *o);
/* Open node, netlink or recording, or print the reason and the remedy. */
struct rdmaev *open_node(const struct options *o, unsigned int flags);
/* Print, by errno, why the node cannot be opened. */
void complain_node(const char *path);
/* Close it; NULL is allowed. */
void close_node(struct rdmaev *h);

/* Text of errno for errors that cannot mean a missing device. */
const char *reader_error(void);
/* True if reader_error() found that the kernel has hung up. */
bool is_released(void);

/* In nanoseconds; the first two are of the end of a recording that is read. */
uint64_t boottime(void);
uint64_t realtime(void);
int64_t monotonic(void);

/* From now to @deadline of monotonic(), for ppoll(2). */
const struct timespec *time_until(int64_t deadline, struct timespec *ts);

/* RDMAEV_STYLE_* of times according to the options. */
unsigned int time_style(const struct options *o);

/*
 * Call @show, which returns an exit status: once, or with --watch repeatedly
 * until it fails, a signal arrives or the kernel hangs up @h. On a terminal the
 * output is shown in place.
 */
int refresh(const struct options *o, struct rdmaev *h, int (*show)(void *arg),
	    void *arg);

/**
 * enum output - result of output
 * @OUTPUT_DONE: written
 * @OUTPUT_STOP: stop: the reader closed the pipe, or a signal arrived
 * @OUTPUT_FAILED: not written; a message was printed
 */
enum output {
	OUTPUT_DONE = 0,
	OUTPUT_STOP = 1,
	OUTPUT_FAILED = 2,
};

/*
 * Receive the terminating signals through a descriptor, so that none is missed
 * and no line is cut; a signal also ends a write that waits for a slow reader.
 * -1 after a message.
 */
int catch_signals(void);
/* Undo catch_signals(); @fd may be -1. */
void release_signals(int fd);
/* Set the open reader: it drops the module also while output waits. */
void output_set_reader(struct rdmaev *h);
enum output output_line(const char *line);
/* Print a line of any length: @put is called twice, first for the length. */
enum output output_item(void (*put)(struct text *t, const void *of, size_t item),
			const void *of, size_t item);
/* Lines up to the end of the frame replace the previous ones. */
void output_frame(void);
enum output output_frame_end(void);
enum output output_flush(void);
/* Flush and turn the result into an exit status. */
int output_finish(int status);
/* True if standard output is a terminal with cursor control. */
bool output_is_terminal(void);
/* True if output should be coloured. */
bool output_color(const struct options *o);
/* Columns of the terminal, or 80. */
size_t output_columns(void);

#endif /* ULIB_CMD_H */
