// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Times and positions in the log, as --since and --until take them. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "text.h"
#include "when.h"

#define NS_PER_SEC	1000000000ULL
#define INSTANCE_DIGITS	16

static void skip_blanks(const char **p)
{
	while (isspace((unsigned char)**p))
		(*p)++;
}

/* The rest of @text after @word, in any case; NULL if it begins otherwise. */
static const char *after_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	if (strncasecmp(text, word, len) || isalnum((unsigned char)text[len]))
		return NULL;
	return text + len;
}

/* Exactly @digits digits */
static bool take_digits(const char **p, unsigned int digits, int *value)
{
	*value = 0;
	for (; digits; digits--, (*p)++) {
		if (!isdigit((unsigned char)**p))
			return false;
		*value = *value * 10 + (**p - '0');
	}
	return true;
}

static int parse_seq(const char *text, uint64_t *seq)
{
	char *end;

	if (*text == '#')
		text++;
	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	*seq = strtoull(text, &end, 10);
	return errno || *end || *seq > INT64_MAX ? -1 : 0;
}

int parse_cursor(const char *text, uint64_t *instance, uint64_t *seq)
{
	if (strspn(text, "0123456789abcdefABCDEF") != INSTANCE_DIGITS ||
	    text[INSTANCE_DIGITS] != ':' || text[INSTANCE_DIGITS + 1] == '#')
		return -1;
	*instance = strtoull(text, NULL, 16);
	return parse_seq(text + INSTANCE_DIGITS + 1, seq);
}

void print_cursor(char text[CURSOR_SIZE], uint64_t instance, uint64_t seq)
{
	snprintf(text, CURSOR_SIZE, "%0*llx:%llu", INSTANCE_DIGITS,
		 (unsigned long long)instance, (unsigned long long)seq);
}

/* Nanoseconds of a unit of time, and the rest of the text in @p; 0: no unit. */
static uint64_t take_unit(const char **p)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "us", 1000 }, { "ms", 1000000 },
		{ "s", NS_PER_SEC }, { "sec", NS_PER_SEC }, { "secs", NS_PER_SEC },
		{ "second", NS_PER_SEC }, { "seconds", NS_PER_SEC },
		{ "m", 60 * NS_PER_SEC }, { "min", 60 * NS_PER_SEC },
		{ "mins", 60 * NS_PER_SEC }, { "minute", 60 * NS_PER_SEC },
		{ "minutes", 60 * NS_PER_SEC },
		{ "h", 3600 * NS_PER_SEC }, { "hr", 3600 * NS_PER_SEC },
		{ "hour", 3600 * NS_PER_SEC }, { "hours", 3600 * NS_PER_SEC },
		{ "d", 86400 * NS_PER_SEC }, { "day", 86400 * NS_PER_SEC },
		{ "days", 86400 * NS_PER_SEC },
		{ "w", 604800 * NS_PER_SEC }, { "week", 604800 * NS_PER_SEC },
		{ "weeks", 604800 * NS_PER_SEC },
	};
	size_t i, len = 0;

	while (isalpha((unsigned char)(*p)[len]))
		len++;
	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (strlen(units[i].name) != len ||
		    strncasecmp(*p, units[i].name, len))
			continue;
		*p += len;
		return units[i].ns;
	}
	return 0;
}

/* 10 min, 1h30m, 2.5 days: at least one number with a unit */
static bool take_duration(const char **p, uint64_t *ns)
{
	double sum = 0;

	do {
		double number;
		uint64_t unit;
		char *end;

		if (strspn(*p, "0123456789.") == 0)
			return false;
		if ((*p)[strcspn(*p, "0123456789")] == '\0')
			return false;
		number = strtod(*p, &end);
		/* A hexadecimal number or one with an exponent is a mistake. */
		if (end == *p || (size_t)(end - *p) != strspn(*p, "0123456789."))
			return false;
		*p = end;
		skip_blanks(p);
		unit = take_unit(p);
		if (!unit)
			return false;
		sum += number * (double)unit;
		skip_blanks(p);
	} while (isdigit((unsigned char)**p) || **p == '.');
	*ns = sum < 9e18 ? (uint64_t)(sum + 0.5) : UINT64_MAX / 2;
	return true;
}

int parse_duration(const char *text, uint64_t *ns)
{
	return take_duration(&text, ns) && !*text && *ns ? 0 : -1;
}

/* 10 min ago, -10min; in boot time, which starts at 0 */
static int parse_relative(struct when *when, const char *text, const struct now *now)
{
	bool negative = *text == '-';
	const char *rest;
	uint64_t ns;

	if (negative)
		text++;
	skip_blanks(&text);
	if (!take_duration(&text, &ns))
		return -1;
	rest = after_word(text, "ago");
	if (rest)
		text = rest;
	skip_blanks(&text);
	if (*text || negative == !!rest)
		return -1;
	when->type = WHEN_BOOTTIME;
	when->ns = ns < now->boottime_ns ? now->boottime_ns - ns : 0;
	return 0;
}

/* boot, boot+10min, and boot+SECONDS as --mono prints them */
static int parse_boot(struct when *when, const char *text)
{
	const char *rest = after_word(text, "boot");
	char *end;

	if (!rest)
		return -1;
	skip_blanks(&rest);
	when->type = WHEN_BOOTTIME;
	when->ns = 0;
	if (!*rest)
		return 0;
	if (*rest++ != '+')
		return -1;
	skip_blanks(&rest);
	if (isdigit((unsigned char)*rest) &&
	    strspn(rest, "0123456789.") == strlen(rest)) {
		double seconds = strtod(rest, &end);
		const char *dot = strchr(rest, '.');

		if (*end || seconds > 9e9)
			return -1;
		when->ns = (uint64_t)(seconds * 1e9 + 0.5);
		when->width_ns = NS_PER_SEC;
		for (; dot && *++dot && when->width_ns > 1; )
			when->width_ns /= 10;
		return 0;
	}
	return take_duration(&rest, &when->ns) && !*rest ? 0 : -1;
}

/**
 * struct zone - how a time on the clock is meant
 * @utc: with an offset, not local time
 * @offset: seconds ahead of UTC
 */
struct zone {
	bool utc;
	int offset;
};

/* Z, UTC, +01:00, -0530; nothing: local time */
static bool take_zone(const char **p, struct zone *zone)
{
	const char *rest;
	int sign, hours, minutes;

	*zone = (struct zone) { 0 };
	skip_blanks(p);
	rest = after_word(*p, "Z");
	if (!rest)
		rest = after_word(*p, "UTC");
	if (rest) {
		*p = rest;
		zone->utc = true;
		return true;
	}
	if (**p != '+' && **p != '-')
		return true;
	sign = *(*p)++ == '-' ? -1 : 1;
	if (!take_digits(p, 2, &hours))
		return false;
	if (**p == ':')
		(*p)++;
	if (!take_digits(p, 2, &minutes) || hours > 14 || minutes > 59)
		return false;
	zone->utc = true;
	zone->offset = sign * (hours * 3600 + minutes * 60);
	return true;
}

/**
 * struct clock_time - a time on the clock
 * @tm: date and time
 * @ns: fraction of the second
 * @width_ns: as in &struct when
 */
struct clock_time {
	struct tm tm;
	uint64_t ns;
	uint64_t width_ns;
};

/* .064: the fraction of a second */
static void take_fraction(const char **p, struct clock_time *c)
{
	uint64_t unit = NS_PER_SEC;

	c->width_ns = NS_PER_SEC;
	if ((**p != '.' && **p != ',') || !isdigit((unsigned char)(*p)[1]))
		return;
	for ((*p)++; isdigit((unsigned char)**p); (*p)++) {
		/* Digits beyond nanoseconds do not count. */
		unit /= 10;
		c->ns += unit * (uint64_t)(**p - '0');
		if (unit)
			c->width_ns = unit;
	}
}

/* 08:00, 08:00:11, 08:00:11.064 */
static bool take_time(const char **p, struct clock_time *c)
{
	if (!take_digits(p, 2, &c->tm.tm_hour) || *(*p)++ != ':' ||
	    !take_digits(p, 2, &c->tm.tm_min) || c->tm.tm_hour > 23 ||
	    c->tm.tm_min > 59)
		return false;
	if (**p != ':')
		return true;
	(*p)++;
	if (!take_digits(p, 2, &c->tm.tm_sec) || c->tm.tm_sec > 59)
		return false;
	take_fraction(p, c);
	return true;
}

/* 2026-11-20; the day must exist */
static bool take_date(const char **p, struct clock_time *c)
{
	struct tm day = { 0 };
	int year, month;

	if (!take_digits(p, 4, &year) || *(*p)++ != '-' ||
	    !take_digits(p, 2, &month) || *(*p)++ != '-' ||
	    !take_digits(p, 2, &c->tm.tm_mday) || year < 1970)
		return false;
	c->tm.tm_year = year - 1900;
	c->tm.tm_mon = month - 1;
	day.tm_year = c->tm.tm_year;
	day.tm_mon = c->tm.tm_mon;
	day.tm_mday = c->tm.tm_mday;
	timegm(&day);
	return day.tm_mon == c->tm.tm_mon && day.tm_mday == c->tm.tm_mday;
}

static bool is_same_time(const struct tm *a, const struct tm *b)
{
	return a->tm_mday == b->tm_mday && a->tm_hour == b->tm_hour &&
	       a->tm_min == b->tm_min;
}

/*
 * Seconds since the epoch. A local time that occurs twice, when the clock is set
 * back, is the first of them; one that is skipped counts as if the clock had not
 * been set forward yet.
 */
static time_t seconds_of(const struct tm *tm, const struct zone *zone)
{
	struct tm utc = *tm, winter = *tm, summer = *tm;
	time_t in_winter, in_summer;
	bool is_winter, is_summer;

	if (zone->utc)
		return timegm(&utc) - zone->offset;
	/* Days out of range are those of the neighbouring months. */
	timegm(&utc);
	winter.tm_isdst = 0;
	summer.tm_isdst = 1;
	in_winter = mktime(&winter);
	in_summer = mktime(&summer);
	/* Older libraries fail for a summer that the zone does not have. */
	is_winter = in_winter >= 0 && is_same_time(&winter, &utc);
	is_summer = in_summer >= 0 && is_same_time(&summer, &utc);
	if (is_winter && is_summer)
		return in_winter < in_summer ? in_winter : in_summer;
	return is_summer ? in_summer : in_winter;
}

static void set_today(struct clock_time *c, const struct now *now,
		      const struct zone *zone)
{
	time_t seconds = (time_t)(now->realtime_ns / NS_PER_SEC);
	struct tm tm = { 0 };

	if (zone->utc) {
		seconds += zone->offset;
		gmtime_r(&seconds, &tm);
	} else {
		localtime_r(&seconds, &tm);
	}
	c->tm.tm_year = tm.tm_year;
	c->tm.tm_mon = tm.tm_mon;
	c->tm.tm_mday = tm.tm_mday;
}

static int set_realtime(struct when *when, const struct clock_time *c,
			const struct zone *zone)
{
	time_t seconds = seconds_of(&c->tm, zone);

	if (seconds < 0)
		return -1;
	when->type = WHEN_REALTIME;
	when->ns = (uint64_t)seconds * NS_PER_SEC + c->ns;
	when->width_ns = c->width_ns;
	return 0;
}

/* 01:20: the last time that it was, today or yesterday */
static int parse_time(struct when *when, const char *text, const struct now *now)
{
	struct clock_time c = { .width_ns = 1 };
	struct zone zone;

	if (!take_time(&text, &c) || !take_zone(&text, &zone) || *text)
		return -1;
	set_today(&c, now, &zone);
	if (set_realtime(when, &c, &zone) < 0)
		return -1;
	if (when->ns <= now->realtime_ns)
		return 0;
	c.tm.tm_mday--;
	return set_realtime(when, &c, &zone);
}

/* 2026-11-20, today or yesterday, at midnight or with a time */
static int parse_date(struct when *when, const char *text, const struct now *now)
{
	struct clock_time c = { .width_ns = 1 };
	struct zone zone = { 0 };
	const char *rest;
	int days = 0;

	rest = after_word(text, "today");
	if (!rest) {
		rest = after_word(text, "yesterday");
		days = rest ? -1 : 0;
	}
	if (rest)
		text = rest;
	else if (!take_date(&text, &c))
		return -1;
	if (!rest && *text == 'T' && isdigit((unsigned char)text[1]))
		text++;
	else
		skip_blanks(&text);
	if (isdigit((unsigned char)*text) && !take_time(&text, &c))
		return -1;
	if (!take_zone(&text, &zone) || *text)
		return -1;
	if (rest) {
		set_today(&c, now, &zone);
		c.tm.tm_mday += days;
	}
	return set_realtime(when, &c, &zone);
}

/* @1763625600, @1763625600.25: seconds since the epoch */
static int parse_epoch(struct when *when, const char *text)
{
	struct clock_time c = { .width_ns = 1 };
	uint64_t seconds;
	char *end;

	if (*text != '@' || !isdigit((unsigned char)text[1]))
		return -1;
	errno = 0;
	seconds = strtoull(text + 1, &end, 10);
	if (errno || seconds > INT64_MAX / NS_PER_SEC)
		return -1;
	text = end;
	take_fraction(&text, &c);
	if (*text)
		return -1;
	when->type = WHEN_REALTIME;
	when->ns = seconds * NS_PER_SEC + c.ns;
	when->width_ns = c.width_ns;
	return 0;
}

int parse_when(struct when *when, const char *text, const struct now *now)
{
	*when = (struct when) { .text = text, .width_ns = 1 };
	if (!strcasecmp(text, "start")) {
		when->type = WHEN_START;
		return 0;
	}
	if (!strcasecmp(text, "now")) {
		when->type = WHEN_BOOTTIME;
		when->ns = now->boottime_ns;
		return 0;
	}
	if (!parse_seq(text, &when->seq)) {
		when->type = WHEN_SEQ;
		return 0;
	}
	if (!parse_cursor(text, &when->instance, &when->seq)) {
		when->type = WHEN_CURSOR;
		return 0;
	}
	if (!parse_boot(when, text) || !parse_relative(when, text, now) ||
	    !parse_time(when, text, now) || !parse_date(when, text, now) ||
	    !parse_epoch(when, text))
		return 0;
	when->type = WHEN_NONE;
	return -1;
}

bool is_since(const struct when *when, uint64_t realtime_ns, uint64_t boottime_ns)
{
	if (when->type == WHEN_REALTIME)
		return realtime_ns >= when->ns;
	return when->type != WHEN_BOOTTIME || boottime_ns >= when->ns;
}

bool is_until(const struct when *when, uint64_t realtime_ns, uint64_t boottime_ns)
{
	if (when->type == WHEN_REALTIME)
		return realtime_ns < when->ns + when->width_ns;
	return when->type != WHEN_BOOTTIME || boottime_ns < when->ns + when->width_ns;
}
