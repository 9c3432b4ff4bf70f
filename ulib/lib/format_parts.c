// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Parts of lines that records of several kinds have */
#include <string.h>

#include "format.h"

struct name get_name(const char *array, size_t size)
{
	struct name name;
	size_t len = strnlen(array, size);

	memcpy(name.text, array, len);
	name.text[len] = '\0';
	return name;
}

struct name owner_name(const struct rdmaev_record *r)
{
	if (event_has_known(r))
		return GET_NAME(r->body.info.owner);
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
