/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the parts of the rdmaev command share. */
#ifndef ULIB_CMD_H
#define ULIB_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <rdmaev.h>

#include "text.h"

/* Exit status, a promise of rdmaev(8). */
enum {
	STATUS_OK = 0,
	STATUS_TIMEOUT = 1,
	STATUS_ERROR = 2,
	STATUS_RELEASED = 3,
};

#define EVENTS_MAX	64

/**
 * struct event_id - an event asked for with -e
 * @kind: enum rdmaev_kind
 * @code: code of that kind
 */
struct event_id {
	unsigned int kind;
	unsigned int code;
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
 * struct options - the command line
 * @node: path of the node, or NULL
 * @netlink: --netlink
 * @json: -j
 * @quiet: -q
 * @utc: --utc
 * @mono: --mono
 * @fault: --fault
 * @removed: --removed
 * @events: -e, @events_count of them
 * @notifies: --notify, @notifies_count of them
 * @severity: --severity, or 0
 * @since: --since, or -1 for now
 * @limit: -n, or 0
 * @timeout_ns: -t, or -1
 * @watch_ns: --watch, or 0
 */
struct options {
	const char *node;
	bool netlink;
	bool json;
	bool quiet;
	bool utc;
	bool mono;
	bool fault;
	bool removed;
	struct event_id events[EVENTS_MAX];
	size_t events_count;
	struct notify notifies[NOTIFIES_MAX];
	size_t notifies_count;
	unsigned int severity;
	int64_t since;
	uint64_t limit;
	int64_t timeout_ns;
	int64_t watch_ns;
};

/**
 * struct target - devices asked for, or one of their ports
 * @text: as given
 * @name: name, or what names begin with
 * @name_len: length of @name
 * @is_prefix: there was a `*` at the end of the name, which stands for any rest
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
 * @name: what it is called by
 * @synopsis: name and arguments in short
 * @summary: what it does, in the list of commands
 * @usage: its arguments
 * @help: what it does; options.c knows which options it takes
 * @run: does it
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
int run_devices(struct options *o, int argc, char **argv);
int run_stats(struct options *o, int argc, char **argv);
int run_cqs(struct options *o, int argc, char **argv);
int run_explain(struct options *o, int argc, char **argv);
int run_release(struct options *o, int argc, char **argv);

/* Options before (@command NULL) and after the name of a command. */
#define OPTIONS_HELP	(-2)
#define OPTIONS_VERSION	(-3)
int parse_options(struct options *o, int argc, char **argv,
		  const struct command *command);

/* Append the help on these options. */
void put_options(struct text *t, const struct command *command);

/* Add the events of a list "NAME,NAME" to those asked for; 0 or -1. */
int parse_events(struct options *o, const char *list);

/* DEV[/PORT] each, to be freed; NULL after a message. */
struct target *parse_targets(int argc, char **argv);

/* True if a device of this name is asked for. */
bool is_target(const struct target *target, const char *name);

/* "rdmaev: ..." on standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "PORT_EER: no such event, did you mean ...?" on standard error. */
void complain_event(const char *name);

/* The same of events, statuses and QP states. */
void complain_word(const char *name);

/* Open the node or netlink, or say why not and what to do. */
struct rdmaev *open_node(const struct options *o, unsigned int flags);
/* By errno: why the node cannot be opened. */
void complain_node(const char *path);
/* Close it; NULL is allowed. */
void close_node(struct rdmaev *h);

/* Text of errno, where it cannot be that a device is missing. */
const char *reader_error(void);
/* True if that has told that the kernel has hung up. */
bool is_released(void);

/* In nanoseconds */
uint64_t boottime(void);
uint64_t realtime(void);
int64_t monotonic(void);

/* From now to @deadline of monotonic(), for ppoll(2). */
const struct timespec *time_until(int64_t deadline, struct timespec *ts);

/* RDMAEV_STYLE_* of times, as the options have it. */
unsigned int time_style(const struct options *o);

/*
 * Call @show, which returns an exit status: once, or with --watch again and again
 * until it fails, a signal comes or the kernel hangs up @h. On a terminal what it
 * prints is shown in place.
 */
int refresh(const struct options *o, struct rdmaev *h, int (*show)(void *arg),
	    void *arg);

/**
 * enum output - what became of output
 * @OUTPUT_DONE: written
 * @OUTPUT_STOP: no more is wanted: nobody reads it, or a signal came
 * @OUTPUT_FAILED: not written; a message was given
 */
enum output {
	OUTPUT_DONE = 0,
	OUTPUT_STOP = 1,
	OUTPUT_FAILED = 2,
};

/*
 * Take the signals that end the program from a descriptor, so that none is missed
 * and no line is cut; one also ends a write that waits for a slow reader. -1 after a
 * message.
 */
int catch_signals(void);
/* And no more of that; @fd may be -1. */
void release_signals(int fd);
/* The reader that is open: it lets go of the module while output waits, too. */
void output_set_reader(struct rdmaev *h);
enum output output_line(const char *line);
/* A line of any length: @put is called twice, first to learn how long it is. */
enum output output_item(void (*put)(struct text *t, const void *of, size_t item),
			const void *of, size_t item);
/* All lines from here to the end of the frame take the place of those before. */
void output_frame(void);
enum output output_frame_end(void);
enum output output_flush(void);
/* Flush and turn the result into an exit status. */
int output_finish(int status);
/* True if standard output is a terminal that can do more than print. */
bool output_is_terminal(void);
/* True if it wants colours, too. */
bool output_color(void);
/* Columns of the terminal, or 80. */
size_t output_columns(void);

#endif /* ULIB_CMD_H */
