// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The lists of a recording: what status, devices, stats and others ask the module
 * and the host for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "anonymous.h"
#include "base/clock.h"
#include "base/complain.h"
#include "base/recorded.h"
#include "output/open.h"
#include "recording_lists.h"
#include "state/cqs.h"
#include "state/link_modes.h"
#include "state/netdev.h"
#include "state/parts.h"
#include "state/probes.h"
#include "state/qps.h"

static int append_list(struct recording_writer *w, unsigned int type, uint64_t seq,
		       void *entries, size_t count)
{
	struct recording_list list = {
		.list = type,
		.seq = seq,
		.boottime_ns = boottime(),
		.realtime_ns = realtime(),
	};

	if (w->anonymous && anonymous_list(w->anonymous, type, entries, count) < 0) {
		complain("out of memory");
		return -1;
	}
	return recording_append_list(w, &list, entries, count);
}

static void fill_host_port(struct recording_host_port *entry, const struct rdmaev_port *port,
			   const struct parts *parts)
{
	struct link_modes modes = { 0 };

	entry->generation = port->generation;
	entry->port = port->port;
	if (port->flags & RDMAEV_PORT_FLAG_REMOVED)
		return;
	modes = read_link_modes(port);
	entry->speed = modes.speed;
	entry->common = modes.common;
	entry->supported = modes.supported;
	entry->missing = missing_parts(parts, port);
	find_netdev(port, entry->netdev);
}

/* Of a copy: as they were */
static int copy_host_ports(struct recording_writer *w)
{
	const struct recording_entries *list = &recorded_file()->lists[RECORDING_HOST_PORTS];

	return list->entries ? append_list(w, RECORDING_HOST_PORTS, list->seq, list->entries,
					   list->count) : 0;
}

static int append_host_ports(struct recording_writer *w, const struct snapshot *s)
{
	struct recording_host_port *ports;
	struct parts parts = { 0 };
	int ret = -1;
	size_t i;

	if (recorded_file())
		return copy_host_ports(w);
	ports = calloc(s->ports_count + 1, sizeof(*ports));
	if (!ports) {
		complain("out of memory");
	} else if (!read_parts(&parts, s)) {
		for (i = 0; i < s->ports_count; i++)
			fill_host_port(&ports[i], &s->ports[i], &parts);
		ret = append_list(w, RECORDING_HOST_PORTS, s->seq, ports, s->ports_count);
	}
	free(parts.list);
	free(ports);
	return ret;
}

static int append_snapshot(struct recording_writer *w, struct rdmaev *h)
{
	struct snapshot s = { 0 };
	int ret;

	if (take_snapshot(h, &s, true, true) < 0)
		return -1;
	ret = append_list(w, RECORDING_DEVICES, s.seq, s.devices, s.devices_count) ||
	      append_list(w, RECORDING_PORTS, s.seq, s.ports, s.ports_count) ||
	      append_list(w, RECORDING_COUNTERS, s.seq, s.counters, s.counters_count) ||
	      append_list(w, RECORDING_CQ_SUMS, s.seq, s.sums, s.sums_count) ||
	      append_host_ports(w, &s) ? -1 : 0;
	free_snapshot(&s);
	return ret;
}

static int append_cqs(struct recording_writer *w, struct rdmaev *h)
{
	struct rdmaev_cq_stats *cqs;
	uint64_t seq = 0;
	size_t count;
	int ret = list_cqs(h, 0, &cqs, &count, &seq);

	if (!ret)
		ret = append_list(w, RECORDING_CQS, seq, cqs, count);
	free(cqs);
	return ret;
}

/* A module or a recording that does not have the list is no error. */
static int list_failed(const char *what)
{
	if (errno == ENOTTY || errno == EOPNOTSUPP || (errno == ENODATA && recorded_file()))
		return 0;
	complain("cannot list the %s: %s", what, reader_error());
	return -1;
}

static int append_observed(struct recording_writer *w, struct rdmaev *h)
{
	struct rdmaev_info info;

	if (rdmaev_info(h, &info) < 0) {
		complain("cannot read what is observed: %s", reader_error());
		return -1;
	}
	return append_list(w, RECORDING_OBSERVED, info.newest_seq, &info.observer, 1);
}

static int append_qps(struct recording_writer *w, struct rdmaev *h)
{
	struct rdmaev_qp *qps;
	uint64_t seq = 0;
	size_t count;
	int ret = list_qps(h, &qps, &count, &seq);

	if (ret)
		ret = list_failed("QPs");
	else
		ret = append_list(w, RECORDING_QPS, seq, qps, count);
	free(qps);
	return ret;
}

static int append_probes(struct recording_writer *w, struct rdmaev *h)
{
	struct rdmaev_probe *list;
	uint64_t seq = 0;
	ssize_t n = list_probes(h, &list, &seq);
	int ret;

	if (n < 0)
		ret = list_failed("probes");
	else
		ret = append_list(w, RECORDING_PROBES, seq, list, (size_t)n);
	free(list);
	return ret;
}

int recording_append_lists(struct recording_writer *w, struct rdmaev *h, bool all)
{
	return append_snapshot(w, h) || (all && (append_cqs(w, h) || append_qps(w, h))) ||
	       append_observed(w, h) || append_probes(w, h) ? -1 : 0;
}
