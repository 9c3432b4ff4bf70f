// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev report: the log as one HTML page. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/complain.h"
#include "base/recorded.h"
#include "base/status.h"
#include "cmd.h"
#include "incident/incident_read.h"
#include "option/arguments.h"
#include "output/open.h"
#include "output/output.h"
#include "report/page_file.h"
#include "report/report.h"
#include "state/renamed.h"
#include "state/snapshot.h"
#include "state/targets.h"

/* Rows on a page, if -n does not say how many */
#define ROWS		10000

/**
 * struct request - a run of report
 * @o: command line
 * @targets: devices and ports, @targets_count of them
 * @log: the log
 * @snapshot: devices and ports
 * @system: names of host and kernel
 * @report: the page
 */
struct request {
	const struct options *o;
	struct target *targets;
	size_t targets_count;
	struct incident_log log;
	struct snapshot snapshot;
	struct utsname system;
	struct report report;
};

/* A position of another log is before or after all records of this one. */
static int check_cursors(const struct request *q)
{
	const struct when *since = &q->o->since, *until = &q->o->until;

	if (since->type == WHEN_CURSOR && since->instance != q->log.instance &&
	    !q->o->quiet)
		complain("--since %s: is of an earlier log: the module was reloaded, or the host rebooted; beginning with the first record of the new log",
			 since->text);
	if (until->type == WHEN_CURSOR && until->instance != q->log.instance) {
		complain("--until %s: is of an earlier log: the module was reloaded, or the host rebooted",
			 until->text);
		return -1;
	}
	return 0;
}

static bool is_seq(const struct request *q, const struct when *when)
{
	return when->type == WHEN_SEQ ||
	       (when->type == WHEN_CURSOR && when->instance == q->log.instance);
}

static bool is_in_time(const struct request *q, const struct rdmaev_record *r)
{
	const struct when *since = &q->o->since, *until = &q->o->until;

	if (is_seq(q, since) && r->seq < since->seq)
		return false;
	if (is_seq(q, until) && r->seq > until->seq)
		return false;
	return is_since(since, r->realtime_ns, r->boottime_ns) &&
	       is_until(until, r->realtime_ns, r->boottime_ns) &&
	       until->type != WHEN_START;
}

static bool is_on_page(const struct request *q, const struct rdmaev_record *r)
{
	const char *name = name_now(q->log.devices, q->log.devices_count, r->generation);

	return is_in_time(q, r) && is_selected(&q->o->select, r) &&
	       (r->kind == RDMAEV_KIND_OBSERVER ||
		is_of_targets(q->targets, q->targets_count, r, name));
}

/* Show the newest records of those that are wanted. */
static int choose_records(struct request *q)
{
	size_t limit = ROWS, i = q->log.count;
	struct report *report = &q->report;

	if (q->o->limit)
		limit = q->o->limit < i ? (size_t)q->o->limit : i;
	report->shown = calloc(i + 1, sizeof(*report->shown));
	if (!report->shown) {
		complain("out of memory");
		return -1;
	}
	while (i--) {
		if (!is_on_page(q, &q->log.nodes[i].r))
			continue;
		if (report->shown_count == limit) {
			report->older++;
			continue;
		}
		report->shown[i] = true;
		report->shown_count++;
	}
	return 0;
}

static bool is_target_port(const struct request *q, const struct rdmaev_port *port)
{
	const char *name = name_now(q->snapshot.devices, q->snapshot.devices_count,
				    port->generation);
	struct rdmaev_record r = { .port = port->port };

	return is_of_targets(q->targets, q->targets_count, &r, name);
}

static bool has_record(const struct request *q, uint32_t generation)
{
	size_t i;

	for (i = 0; i < q->log.count; i++)
		if (q->report.shown[i] && q->log.nodes[i].r.generation == generation)
			return true;
	return false;
}

/* All ports now, and those of removed devices with a record on the page */
static int choose_ports(struct request *q)
{
	const struct snapshot *s = &q->snapshot;
	struct report *report = &q->report;
	size_t i;

	report->ports = calloc(s->ports_count + 1, sizeof(*report->ports));
	if (!report->ports) {
		complain("out of memory");
		return -1;
	}
	for (i = 0; i < s->ports_count; i++) {
		const struct rdmaev_port *port = &s->ports[i];

		if (!is_target_port(q, port) ||
		    (port->flags & RDMAEV_PORT_FLAG_REMOVED &&
		     !has_record(q, port->generation)))
			continue;
		report->ports[report->ports_count++] = *port;
	}
	return 0;
}

/* Where the chart begins or ends, if an option says so; else 0 */
static uint64_t chart_end(const struct request *q, const struct when *when)
{
	const struct now *now = &q->report.now;
	uint64_t offset = now->realtime_ns - now->boottime_ns;
	size_t i = NONE;

	if (is_seq(q, when))
		i = find_seq(&q->log, when->seq);
	if (i != NONE)
		return q->log.nodes[i].r.boottime_ns;
	if (when->type == WHEN_BOOTTIME)
		return when->ns;
	if (when->type == WHEN_REALTIME && when->ns > offset)
		return when->ns - offset;
	return 0;
}

static void choose_times(struct request *q)
{
	struct report *report = &q->report;
	uint64_t end;

	report->now.boottime_ns = boottime();
	report->now.realtime_ns = realtime();
	end = chart_end(q, &q->o->until);
	/* With -n the first record is later. */
	if (!report->older)
		report->begin_ns = chart_end(q, &q->o->since);
	if (end && end < report->now.boottime_ns)
		report->end_ns = end;
}

static int make_report(struct request *q, struct rdmaev *h)
{
	const struct recording_file *file = recorded_file();
	struct report *report = &q->report;

	if (check_targets(h, q->o, TARGETS_LOG, q->targets, q->targets_count) < 0)
		return -1;
	/* That may have set a filter. Trees are made of all records. */
	if (rdmaev_set_filter(h, NULL) < 0) {
		complain("cannot set the filter: %s", reader_error());
		return -1;
	}
	if (read_incidents(h, &q->log) < 0 || take_snapshot(h, &q->snapshot, true, false) < 0 ||
	    check_cursors(q) < 0 || choose_records(q) < 0 || choose_ports(q) < 0)
		return -1;
	choose_times(q);
	uname(&q->system);
	report->host = file ? file->header.host : q->system.nodename;
	report->kernel = file ? file->header.kernel : q->system.release;
	report->log = &q->log;
	report->style = time_style(q->o);
	return prepare_report(report);
}

/* The page in memory, so that a file is written only if there is all of it */
static int write_page(const struct request *q)
{
	char *html = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&html, &len);
	int ret = -1;

	if (!out)
		complain("out of memory");
	else
		ret = write_report(out, &q->report);
	if (out && fclose(out) && !ret) {
		complain("out of memory");
		ret = -1;
	}
	if (!ret)
		ret = write_page_file(q->o->output, html, len);
	free(html);
	return ret;
}

/* Say what cannot be, before anything is read. */
static int check_options(const struct options *o)
{
	struct rdmaev_filter f;

	if (o->json) {
		complain("report writes HTML; rdmaev log -j and rdmaev why -j print the same as JSON");
		return -1;
	}
	if (!o->output && isatty(STDOUT_FILENO)) {
		complain("the page is HTML, and standard output a terminal; write it to a file: rdmaev report -o report.html");
		return -1;
	}
	rdmaev_filter_init(&f);
	if (fill_filter(&f, &o->select) < 0) {
		complain("the options exclude every event: check -e, --kind and --severity");
		return -1;
	}
	return 0;
}

int run_report(struct options *o, int argc, char **argv)
{
	struct request q = { .o = o };
	int status = STATUS_ERROR;
	struct rdmaev *h = NULL;

	if (check_options(o) < 0)
		return STATUS_ERROR;
	q.targets = parse_targets(argc, argv);
	q.targets_count = (size_t)argc;
	if (q.targets)
		h = open_node(o, RDMAEV_NONBLOCK);
	if (h && !make_report(&q, h) && !write_page(&q))
		status = STATUS_OK;
	free_report(&q.report);
	free_incidents(&q.log);
	free_snapshot(&q.snapshot);
	free(q.targets);
	close_node(h);
	return output_finish(status);
}
