// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Owners that --comm and --ulp name. A process may start later, so a name that
 * no process has is no error; but it is often misspelt, or is that of a kernel module.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/suggest.h"
#include "cqs.h"
#include "format.h"
#include "owners.h"

#define BATCH	256

/**
 * struct owner - an owner of objects
 * @name: its name
 * @is_process: a process, else a kernel module
 */
struct owner {
	struct name name;
	bool is_process;
};

/**
 * struct owners - owners of objects
 * @list: each once, @count of them
 */
struct owners {
	struct owner *list;
	size_t count;
};

static void add_owner(struct owners *all, const struct name *name, bool is_process)
{
	struct owner *larger;
	size_t i;

	if (!name->text[0])
		return;
	for (i = 0; i < all->count; i++)
		if (all->list[i].is_process == is_process &&
		    !strcmp(all->list[i].name.text, name->text))
			return;
	larger = realloc(all->list, (all->count + 1) * sizeof(*larger));
	if (!larger)
		return;
	all->list = larger;
	larger[all->count++] = (struct owner){
		.name = *name, .is_process = is_process,
	};
}

static void add_log_owners(struct owners *all, struct rdmaev *h)
{
	int64_t at = rdmaev_seek(h, 0, SEEK_CUR);
	struct rdmaev_record records[BATCH];
	struct rdmaev_filter f;
	struct rdmaev_info info;
	ssize_t n, i;

	rdmaev_filter_init(&f);
	if (at < 0 || rdmaev_info(h, &info) < 0 || rdmaev_set_filter(h, &f) < 0 ||
	    rdmaev_seek(h, 0, SEEK_SET) < 0)
		return;
	do {
		do
			n = rdmaev_read(h, records, BATCH);
		while (n < 0 && errno == EINTR);
		for (i = 0; i < n; i++) {
			struct name name = owner_name(&records[i]);

			add_owner(all, &name, is_of_process(&records[i]));
		}
	} while (n > 0 && records[n - 1].seq < info.newest_seq);
	rdmaev_seek(h, at, SEEK_SET);
}

static void add_cq_owners(struct owners *all, struct rdmaev *h)
{
	struct rdmaev_cq_stats *list;
	size_t count, i;
	uint64_t seq;

	if (!list_cqs(h, 0, &list, &count, &seq))
		for (i = 0; i < count; i++) {
			struct name name = GET_NAME(list[i].owner);

			add_owner(all, &name, list[i].flags & RDMAEV_CQ_USER);
		}
	free(list);
}

static bool has_owner(const struct owners *all, const char *pattern, bool is_process)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		if (all->list[i].is_process == is_process &&
		    !fnmatch(pattern, all->list[i].name.text, 0))
			return true;
	return false;
}

static void note_owner(const struct owners *all, const char *pattern, bool is_process)
{
	const char *option = is_process ? "--comm" : "--ulp";
	struct guess guess = { .name = pattern };
	size_t i;

	if (*pattern == '!' || has_owner(all, pattern, is_process))
		return;
	if (has_owner(all, pattern, !is_process)) {
		complain("%s %s: is %s: use %s %s", option, pattern,
			 is_process ? "a ULP" : "a process",
			 is_process ? "--ulp" : "--comm", pattern);
		return;
	}
	for (i = 0; i < all->count && !strpbrk(pattern, "*?["); i++)
		if (all->list[i].is_process == is_process)
			consider(&guess, all->list[i].name.text);
	complain("%s %s: no %s of this name in the log or with a CQ%s", option, pattern,
		 is_process ? "process" : "ULP", guess_text(&guess));
}

void check_owners(struct rdmaev *h, const struct selection *select)
{
	struct owners all = { .list = NULL };
	size_t i;

	if (!select->comms.count && !select->ulps.count)
		return;
	add_log_owners(&all, h);
	add_cq_owners(&all, h);
	for (i = 0; i < select->comms.count; i++)
		note_owner(&all, select->comms.patterns[i], true);
	for (i = 0; i < select->ulps.count; i++)
		note_owner(&all, select->ulps.patterns[i], false);
	free(all.list);
}
