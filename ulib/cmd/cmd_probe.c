// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev probe: print the probes of ports, or have devices probed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/status.h"
#include "catalogue.h"
#include "cmd.h"
#include "internal.h"
#include "option/arguments.h"
#include "output/histogram.h"
#include "output/open.h"
#include "output/output.h"
#include "output/refresh.h"
#include "output/table.h"
#include "state/probes.h"
#include "state/snapshot.h"
#include "state/targets.h"

#define ON_MS		1000	/* `rdmaev probe DEV on` */

/**
 * struct probes - what is printed
 * @o: command line
 * @targets: devices and ports given as arguments, @targets_count of them
 * @h: reader
 * @s: devices
 * @list: probes, @count of them
 * @seq: newest record when they were listed
 * @again: not the first output
 */
struct probes {
	const struct options *o;
	struct target *targets;
	size_t targets_count;
	struct rdmaev *h;
	struct snapshot s;
	struct rdmaev_probe *list;
	size_t count;
	uint64_t seq;
	bool again;
};

/* Of the selected ports, those in the snapshot. */
static bool probe_selected(const struct probes *p, const struct rdmaev_probe *probe)
{
	size_t i;

	for (i = 0; i < p->s.ports_count; i++)
		if (p->s.ports[i].generation == probe->generation &&
		    p->s.ports[i].port == probe->port)
			return find_device(&p->s, probe->generation);
	return false;
}

static void complain_list(void)
{
	complain("cannot list the probes: %s", errno == ENOTTY ?
		 "install the same version of command and module" :
		 reader_error());
}

static int take_probes(struct probes *p)
{
	size_t i, kept = 0;
	ssize_t n;

	if (take_snapshot(p->h, &p->s, false, false) ||
	    select_targets(p->h, &p->s, p->targets, p->targets_count, p->again))
		return -1;
	n = list_probes(p->h, &p->list, &p->seq);
	if (n < 0) {
		complain_list();
		return -1;
	}
	for (i = 0; i < (size_t)n; i++)
		if (probe_selected(p, &p->list[i]))
			p->list[kept++] = p->list[i];
	p->count = kept;
	if (!n && !p->o->quiet)
		complain(p->o->file ? "the recording has no probe" :
			 "no port can be probed: modprobe rdmaev_probe, if it is not loaded");
	return 0;
}

static void put_port(struct text *t, const struct probes *p,
		     const struct rdmaev_probe *probe)
{
	text_name(t, find_device(&p->s, probe->generation)->name);
	text_printf(t, "/%u", probe->port);
}

static void fill_row(struct table *table, const struct probes *p,
		     const struct rdmaev_probe *probe)
{
	bool sent = probe->sent;
	struct text *t;

	table_row(table);
	put_port(table_cell(table), p, probe);
	put_known(table_cell(table), probe_state_name(probe->state), probe->state);
	table_duration(table, true, age(&p->s, probe->since_ns));
	t = table_cell(table);
	if (probe->method)
		put_known(t, probe_method_name(probe->method), probe->method);
	else
		text_put(t, "-");
	table_duration(table, probe->interval_ms, probe->interval_ms * 1000000ULL);
	table_count(table, sent, probe->sent);
	table_count(table, sent, probe->completed);
	table_count(table, sent || probe->failed, probe->failed);
	table_count(table, sent, probe->late);
	table_count(table, sent, probe->lost);
	table_duration(table, probe->completed, probe->newest_ns);
	table_duration(table, probe->completed, probe->longest_ns);
	t = table_cell(table);
	put_probe_problem(t, probe);
	if (!t->len)
		text_put(t, "-");
}

/* How many requests took how long, from the fastest to the slowest */
static enum output print_latency(const struct probes *p,
				 const struct rdmaev_probe *probe)
{
	char title[5 * RDMAEV_DEVICE_NAME_SIZE];
	struct text t = { .buf = title, .size = sizeof(title) };

	text_put(&t, "Latency of ");
	put_port(&t, p, probe);
	text_put(&t, ", number of requests");
	text_end(&t);
	return print_histogram(title, probe->latency, 1);
}

static int print_table(const struct probes *p)
{
	static const char * const titles[] = {
		"PORT", "STATE", "FOR", "METHOD", "EVERY", "SENT", "COMPLETED",
		"FAILED", "LATE", "LOST", "NEWEST", "LONGEST", "PROBLEM",
	};
	enum output result = OUTPUT_DONE;
	struct table table;
	size_t i;

	table_start(&table, titles, ARRAY_SIZE(titles));
	for (i = 0; i < p->count; i++)
		fill_row(&table, p, &p->list[i]);
	if (table_print(&table) != STATUS_OK)
		return STATUS_ERROR;
	for (i = 0; p->o->verbose && i < p->count && result == OUTPUT_DONE; i++)
		result = print_latency(p, &p->list[i]);
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

static void put_json(struct text *t, const void *of, size_t item)
{
	const struct probes *p = of;
	const struct rdmaev_probe *probe = &p->list[item];

	json_device(t, find_device(&p->s, probe->generation));
	text_printf(t, ",\"port\":%u", probe->port);
	text_key_name(t, "state", probe_state_name(probe->state), probe->state);
	text_key_ns(t, "since_ns", true, probe->since_ns);
	text_put(t, ",\"method\":");
	if (probe->method)
		text_json(t, probe_method_name(probe->method));
	else
		text_put(t, "null");
	text_key_number(t, "interval_ms", probe->interval_ms, probe->interval_ms);
	text_key_number(t, "qp", probe->qp, probe->qp);
	text_key_number(t, "cq", probe->qp, probe->cq);
	text_put(t, ",\"call\":");
	json_probe_error(t, probe->call, probe->error);
	text_key_number(t, "sent", true, probe->sent);
	text_key_number(t, "completed", true, probe->completed);
	text_key_number(t, "failed", true, probe->failed);
	text_key_number(t, "late", true, probe->late);
	text_key_number(t, "lost", true, probe->lost);
	text_key_number(t, "rebuilt", true, probe->rebuilt);
	text_key_ns(t, "newest_ns", probe->completed, probe->newest_ns);
	text_key_ns(t, "longest_ns", probe->completed, probe->longest_ns);
	text_key(t, "latency");
	json_histogram(t, probe->latency);
	text_key_number(t, "seq", true, p->seq);
	text_put(t, "}");
}

static int print_json(const struct probes *p)
{
	enum output result = OUTPUT_DONE;
	size_t i;

	for (i = 0; i < p->count && result == OUTPUT_DONE; i++)
		result = output_item(put_json, p, i);
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

static int probe_show(void *arg)
{
	struct probes *p = arg;
	int status = STATUS_ERROR;

	p->list = NULL;
	p->count = 0;
	if (!take_probes(p)) {
		status = STATUS_OK;
		if (p->o->json)
			status = print_json(p);
		else if (p->count)
			status = print_table(p);
	}
	free(p->list);
	free_snapshot(&p->s);
	p->again = true;
	return status;
}

/* Milliseconds of "on", "off" or a number, -1: it is another argument. */
static long long parse_interval(const char *text)
{
	char *end;
	long long ms;

	if (!strcmp(text, "on"))
		return ON_MS;
	if (!strcmp(text, "off"))
		return 0;
	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	ms = strtoll(text, &end, 10);
	if (errno)
		return INT64_MAX;
	return *end ? -1 : ms;
}

static int set_device(struct rdmaev *h, const struct rdmaev_device *device, uint32_t ms)
{
	if (!rdmaev_probe_set(h, device->index, ms))
		return 0;
	switch (errno) {
	case EPERM:
		complain("%s: needs CAP_NET_ADMIN on the host; run as root", device->name);
		break;
	case EOPNOTSUPP:
		complain("%s: cannot be probed: rdmaev_probe is not loaded (modprobe rdmaev_probe), or the device has no kernel verbs",
			 device->name);
		break;
	case EPROTONOSUPPORT:
		complain("probe DEV %s works only without --netlink", ms ? "on" : "off");
		break;
	case ENODEV:
		complain("%s: was removed meanwhile", device->name);
		break;
	default:
		complain("%s: %s", device->name, reader_error());
	}
	return -1;
}

static int set_devices(struct probes *p, uint32_t ms)
{
	int status = STATUS_OK;
	size_t i;

	for (i = 0; i < p->targets_count; i++) {
		if (p->targets[i].port != RDMAEV_ANY) {
			complain("%s: all ports of a device are probed, or none: name the device",
				 p->targets[i].text);
			return STATUS_ERROR;
		}
	}
	if (take_snapshot(p->h, &p->s, false, false) ||
	    select_targets(p->h, &p->s, p->targets, p->targets_count, false))
		status = STATUS_ERROR;
	for (i = 0; status == STATUS_OK && i < p->s.devices_count; i++)
		if (set_device(p->h, &p->s.devices[i], ms))
			status = STATUS_ERROR;
	if (status == STATUS_OK && !p->s.devices_count) {
		complain("%s: no such device", p->targets[0].text);
		status = STATUS_ERROR;
	}
	free_snapshot(&p->s);
	return status;
}

int run_probe(struct options *o, int argc, char **argv)
{
	long long ms = argc ? parse_interval(argv[argc - 1]) : -1;
	struct probes p = { .o = o };
	int status = STATUS_ERROR;

	if (ms > RDMAEV_PROBE_INTERVAL_MAX_MS) {
		complain("%s: at most %u milliseconds", argv[argc - 1],
			 RDMAEV_PROBE_INTERVAL_MAX_MS);
		return STATUS_ERROR;
	}
	argc -= ms >= 0;
	if (ms >= 0 && !argc) {
		complain("probe %s needs a device: rdmaev probe rxe0 %s, or '*' for all",
			 argv[0], argv[0]);
		return STATUS_ERROR;
	}
	p.targets = parse_targets(argc, argv);
	p.targets_count = (size_t)argc;
	if (p.targets)
		p.h = open_node(o, RDMAEV_NONBLOCK);
	if (p.h)
		status = ms >= 0 ? set_devices(&p, (uint32_t)ms) :
				   refresh(o, p.h, probe_show, &p);
	close_node(p.h);
	free(p.targets);
	return output_finish(status);
}
