// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Parts of an incident that why and report show */
#include <string.h>

#include "format.h"
#include "incident_parts.h"

/* To be asked before its name is made: there can be very many records. */
static bool is_known(const struct victims *victims, const struct rdmaev_record *r)
{
	size_t i;

	for (i = 0; i < victims->count; i++)
		if (victims->of[i]->pid == r->pid &&
		    !memcmp(victims->of[i]->body.info.owner, r->body.info.owner,
			    RDMAEV_OWNER_SIZE))
			return true;
	return false;
}

static void add_victim(struct victims *victims, const struct rdmaev_record *r)
{
	char buf[NAME_SIZE];
	struct text t = { .buf = buf, .size = sizeof(buf) };
	size_t i;

	if (r->object_type < RDMAEV_OBJECT_QP || is_known(victims, r))
		return;
	put_owner(&t, "", "", r);
	text_end(&t);
	if (!t.len)
		return;
	for (i = 0; i < victims->count; i++)
		if (!strcmp(victims->names[i], buf))
			return;
	if (i == NAMES) {
		victims->others = true;
		return;
	}
	victims->of[victims->count] = r;
	memcpy(victims->names[victims->count++], buf, sizeof(buf));
}

struct victims find_victims(const struct incident_log *log, size_t root)
{
	struct victims victims = { .count = 0 };
	size_t i;

	for (i = root; i != NONE && !victims.others; i = next_in_tree(log, root, i))
		add_victim(&victims, &log->nodes[i].r);
	return victims;
}

void put_victims(struct text *t, const struct victims *victims)
{
	const char *between = "";
	size_t i;

	for (i = 0; i < victims->count; i++) {
		text_printf(t, "%s%s", between, victims->names[i]);
		between = ", ";
	}
	if (victims->others)
		text_put(t, " and others");
}

void put_place(struct text *t, const struct rdmaev_record *r)
{
	if (*r->device_name)
		text_name(t, r->device_name);
	else
		text_put(t, "-");
	if (r->port != RDMAEV_NO_PORT)
		text_printf(t, "/%u", r->port);
}

uint64_t after(const struct rdmaev_record *from, const struct rdmaev_record *to)
{
	return to->boottime_ns > from->boottime_ns ?
	       to->boottime_ns - from->boottime_ns : 0;
}

void put_after(struct text *t, const struct rdmaev_record *from,
	       const struct rdmaev_record *to)
{
	const bool is_earlier = to->boottime_ns < from->boottime_ns;

	text_put(t, is_earlier ? "-" : "+");
	text_duration(t, is_earlier ? after(to, from) : after(from, to));
}

uint64_t incident_ns(const struct incident_log *log, const struct incident *incident)
{
	const struct rdmaev_record *end = &log->nodes[incident->end].r;

	if (end->kind == RDMAEV_KIND_PORT && end->code == RDMAEV_PORT_OUTAGE_END)
		return end->body.port.down_ns;
	return after(&log->nodes[incident->root].r, end);
}

struct fold *find_fold(struct fold *folds, const struct rdmaev_record *r)
{
	struct fold *fold;

	for (fold = folds; fold < &folds[FOLDS]; fold++) {
		if (fold->total && (fold->kind != r->kind || fold->code != r->code))
			continue;
		fold->kind = r->kind;
		fold->code = r->code;
		return fold;
	}
	return NULL;
}

void count_children(const struct incident_log *log, size_t parent,
		    struct fold *folds)
{
	size_t i;

	for (i = log->nodes[parent].child; i != NONE; i = log->nodes[i].sibling) {
		struct fold *fold = find_fold(folds, &log->nodes[i].r);

		if (!fold)
			continue;
		fold->total++;
		fold->last = i;
	}
}
