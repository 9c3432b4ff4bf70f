// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Parts of lines that records of several kinds have */
#include <stdio.h>
#include <string.h>

#include "format.h"

struct name get_name(const char *array, size_t size)
{
	struct name name;

	snprintf(name.text, sizeof(name.text), "%.*s", (int)size, array);
	return name;
}

struct name owner_name(const struct rdmaev_record *r)
{
	const struct rdmaev_object_info *info = &r->body.info;
	bool is_ulp = !r->pid && r->source != RDMAEV_SOURCE_OBSERVER;

	if (r->kind == RDMAEV_KIND_QP)
		return GET_NAME(r->body.qp.owner);
	if (r->kind == RDMAEV_KIND_CM)
		return GET_NAME(r->body.cm.owner);
	if (r->kind == RDMAEV_KIND_NOTE)
		return GET_NAME(r->body.note.owner);
	/* Completions are seen of ULPs only, by the observer, too. */
	if (r->kind == RDMAEV_KIND_WC)
		return GET_NAME(info->source_name);
	if (event_has_queues(r) && (info->comm[0] || !is_ulp))
		return GET_NAME(info->comm);
	if (event_has_queues(r))
		return GET_NAME(info->source_name);
	if (r->kind == RDMAEV_KIND_COMPLETION)
		return GET_NAME(r->body.completion.source_name);
	return GET_NAME("");
}

void put_owner(struct text *t, const char *before, const char *of,
	       const struct rdmaev_record *r)
{
	struct name name = owner_name(r);

	if (name.text[0]) {
		text_printf(t, "%s%s", before, of);
		text_name(t, name.text);
		if (r->pid)
			text_printf(t, "[%u]", r->pid);
	} else if (r->pid) {
		text_printf(t, "%spid %u", before, r->pid);
	}
}

#define MAX_ERRNO 4095 /* the kernel's, in linux/err.h */

void put_errno(struct text *t, int result)
{
	char buf[64];

	/* Any number can be in a record, also one that is no errno. */
	if (result < 0 && result >= -MAX_ERRNO)
		text_printf(t, "%s (%d)", strerror_r(-result, buf, sizeof(buf)), result);
	else
		text_printf(t, "%d", result);
}
