// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Values of options, and devices and ports. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/clock.h"
#include "base/complain.h"

int parse_number(const char *text, uint64_t max, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return errno || *end || *number > max ? -1 : 0;
}

/* Shorter intervals are of no use. */
#define WATCH_MIN_NS	100000000

static int parse_seconds(const char *text, int64_t *ns)
{
	double seconds;
	char *end;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return -1;
	seconds = strtod(text, &end);
	if (end == text || *end || !isfinite(seconds) || seconds > 9e9)
		return -1;
	*ns = (int64_t)(seconds * 1e9);
	return 0;
}

int set_timeout(struct options *o, const char *value)
{
	return parse_seconds(value, &o->timeout_ns);
}

int set_watch(struct options *o, const char *value)
{
	if (parse_seconds(value, &o->watch_ns) < 0)
		return -1;
	return o->watch_ns < WATCH_MIN_NS ? -1 : 0;
}

int add_file(struct options *o, const char *value)
{
	if (!*value || o->files_count == FILES_MAX)
		return -1;
	o->files[o->files_count++] = value;
	o->file = o->files[0];
	return 0;
}

static int set_when(struct when *when, const char *value)
{
	const struct now now = {
		.realtime_ns = realtime(),
		.boottime_ns = boottime(),
	};

	return parse_when(when, value, &now);
}

int set_since(struct options *o, const char *value)
{
	return set_when(&o->since, value);
}

int set_until(struct options *o, const char *value)
{
	return set_when(&o->until, value);
}

/* A time on the clock and one since boot cannot be compared: the clock may be set. */
static bool is_before(const struct when *until, const struct when *since)
{
	if (until->type != since->type)
		return false;
	if (until->type == WHEN_SEQ)
		return until->seq < since->seq;
	return (until->type == WHEN_REALTIME || until->type == WHEN_BOOTTIME) &&
	       until->ns + until->width_ns <= since->ns;
}

int check_range(const struct options *o)
{
	if (!is_before(&o->until, &o->since))
		return 0;
	complain("--until %s: is before --since %s", o->until.text, o->since.text);
	return -1;
}

int set_pace(struct options *o, const char *value)
{
	char *end;

	if (!isdigit((unsigned char)*value) && *value != '.')
		return -1;
	o->pace = strtod(value, &end);
	return end == value || *end || !(o->pace >= 0.001) || o->pace > 1e9 ? -1 : 0;
}

/* A smaller file has hardly room for the lists. */
#define SIZE_MIN	4096

/* "4096", "512K", "64M", "2G" */
int set_size(struct options *o, const char *value)
{
	static const char units[] = "KMG";
	unsigned int shift = 0;
	const char *unit;
	char *end;

	if (!isdigit((unsigned char)*value))
		return -1;
	errno = 0;
	o->size = strtoull(value, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		shift = 10 * (unsigned int)(unit - units + 1);
		end++;
	}
	if (errno || *end || o->size > UINT64_MAX >> 16 >> shift)
		return -1;
	o->size <<= shift;
	return o->size < SIZE_MIN ? -1 : 0;
}

int set_age(struct options *o, const char *value)
{
	return parse_duration(value, &o->age_ns) < 0 || o->age_ns > INT64_MAX / 4 ? -1 : 0;
}

int set_format(struct options *o, const char *value)
{
	if (!strcmp(value, "nagios"))
		o->format = CHECK_NAGIOS;
	else if (!strcmp(value, "npd"))
		o->format = CHECK_NPD;
	else
		return -1;
	return 0;
}

int set_color(struct options *o, const char *value)
{
	if (!strcmp(value, "auto"))
		o->color = COLOR_AUTO;
	else if (!strcmp(value, "always"))
		o->color = COLOR_ALWAYS;
	else if (!strcmp(value, "never"))
		o->color = COLOR_NEVER;
	else
		return -1;
	return 0;
}

/*
 * DEV:CQ[:EVERY[:USEC]]. A name can contain colons, so up to three numbers are
 * split off from the end.
 */
static int parse_notify(const char *text, struct notify *notify)
{
	char *copy = strdup(text), *colon;
	uint64_t numbers[3];
	size_t n = 0;

	if (!copy)
		return -1;
	while (n < ARRAY_SIZE(numbers) && (colon = strrchr(copy, ':')) &&
	       !parse_number(colon + 1, UINT32_MAX, &numbers[n])) {
		*colon = '\0';
		n++;
	}
	notify->text = text;
	notify->name_len = strlen(copy);
	free(copy);
	if (!n || !notify->name_len)
		return -1;
	notify->cq = (uint32_t)numbers[n - 1];
	notify->every = n > 1 ? (uint32_t)numbers[n - 2] : 1000;
	notify->delay_us = n > 2 ? (uint32_t)numbers[n - 3] : 100000;
	return notify->every && notify->delay_us <= RDMAEV_DELAY_MAX_US ? 0 : -1;
}

int add_notify(struct options *o, const char *text)
{
	if (o->notifies_count == NOTIFIES_MAX) {
		complain("--notify given more than %d times", NOTIFIES_MAX);
		return -1;
	}
	if (!parse_notify(text, &o->notifies[o->notifies_count])) {
		o->notifies_count++;
		return 0;
	}
	complain("--notify %s: must be DEV:CQ[:EVERY[:USEC]], EVERY 1 or more, USEC up to %u",
		 text, RDMAEV_DELAY_MAX_US);
	return -1;
}

static int parse_target(struct target *target, const char *text)
{
	const char *slash = strrchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	uint64_t port = RDMAEV_ANY;
	bool is_good;

	is_good = len && len < RDMAEV_DEVICE_NAME_SIZE &&
		  !memchr(text, '*', len - 1) &&
		  (!slash || !parse_number(slash + 1, RDMAEV_NO_PORT - 1, &port));
	if (!is_good) {
		complain("%s: must be DEVICE or DEVICE/PORT, such as rxe0 or rxe0/1; DEVICE has up to %d characters, with * only at the end",
			 text, RDMAEV_DEVICE_NAME_SIZE - 1);
		return -1;
	}
	target->text = text;
	target->name = text;
	target->is_prefix = text[len - 1] == '*';
	target->name_len = target->is_prefix ? len - 1 : len;
	target->port = (uint32_t)port;
	return 0;
}

struct target *parse_targets(int argc, char **argv)
{
	struct target *targets = calloc((size_t)argc + 1, sizeof(*targets));
	int i;

	if (!targets)
		complain("out of memory");
	for (i = 0; targets && i < argc; i++) {
		if (parse_target(&targets[i], argv[i]) < 0) {
			free(targets);
			return NULL;
		}
	}
	return targets;
}

bool is_target(const struct target *target, const char *name)
{
	return !strncmp(name, target->name, target->name_len) &&
	       (target->is_prefix || !name[target->name_len]);
}

static bool has_name(const struct target *target, const struct rdmaev_record *r,
		     const char *name_now)
{
	bool has_old_name = r->kind == RDMAEV_KIND_DEVICE && *r->body.device.old_name;

	return is_target(target, r->device_name) ||
	       (has_old_name && is_target(target, r->body.device.old_name)) ||
	       (name_now && is_target(target, name_now));
}

bool is_of_targets(const struct target *targets, size_t count,
		   const struct rdmaev_record *r, const char *name_now)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (has_name(&targets[i], r, name_now) &&
		    (targets[i].port == RDMAEV_ANY || r->port == RDMAEV_NO_PORT ||
		     targets[i].port == r->port))
			return true;
	return !count;
}
