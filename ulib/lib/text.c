// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Text built piece by piece, and the rules that make foreign bytes harmless. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "internal.h"

static void put_bytes(struct text *t, const char *s, size_t n)
{
	if (t->len < t->size) {
		size_t room = t->size - t->len;

		memcpy(t->buf + t->len, s, n < room ? n : room);
	}
	t->len += n;
}

void text_put(struct text *t, const char *s)
{
	put_bytes(t, s, strlen(s));
}

void text_printf(struct text *t, const char *format, ...)
{
	size_t room = t->len < t->size ? t->size - t->len : 0;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(room ? t->buf + t->len : NULL, room, format, args);
	va_end(args);
	if (n > 0)
		t->len += (size_t)n;
}

/*
 * Only printing ASCII goes to a terminal as it is: any other byte can be a
 * control character in one encoding or the other. Quotes and backslashes are
 * written as numbers too, so that the text can be pasted into a shell and
 * turned back into the name.
 */
void text_name(struct text *t, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c <= 0x20 || c >= 0x7f || c == '\\' || c == '"' || c == '\'')
			text_printf(t, "\\x%02x", c);
		else
			put_bytes(t, s, 1);
	}
}

void text_words(struct text *t, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c >= 0x7f || c == '\\')
			text_printf(t, "\\x%02x", c);
		else
			put_bytes(t, s, 1);
	}
}

/* Length of the valid UTF-8 sequence at @s and its code point, or 0. */
static size_t utf8_decode(const char *text, uint32_t *point)
{
	const unsigned char *s = (const unsigned char *)text;
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n, i;

	if (s[0] < 0x80) {
		*point = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;

	*point = s[0] & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (s[i] & 0x3f);
	}
	if (*point < smallest[n] || *point > 0x10ffff ||
	    (*point >= 0xd800 && *point <= 0xdfff))
		return 0;
	return n;
}

/* Characters that control a terminal, in case JSON is printed on one */
static int is_control(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point <= 0x9f) ||
	       (point >= 0x200b && point <= 0x200f) ||
	       (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

void text_json(struct text *t, const char *s)
{
	if (!s) {
		text_put(t, "null");
		return;
	}
	text_put(t, "\"");
	while (*s) {
		uint32_t point;
		size_t n = utf8_decode(s, &point);

		if (!n) {
			text_put(t, "\\ufffd");
			s++;
			continue;
		}
		if (point == '"' || point == '\\')
			text_printf(t, "\\%c", (int)point);
		else if (is_control(point))
			text_printf(t, "\\u%04x", (unsigned int)point);
		else
			put_bytes(t, s, n);
		s += n;
	}
	text_put(t, "\"");
}

void text_json_number(struct text *t, unsigned long long number)
{
	text_printf(t, number > 1ULL << 53 ? "\"%llu\"" : "%llu", number);
}

void text_json_bits(struct text *t, uint32_t bits,
		    const char *(*name)(unsigned int bit))
{
	const char *before = "";
	unsigned int bit;

	text_put(t, "[");
	for (bit = 0; bit < 32; bit++) {
		if (!(bits >> bit & 1))
			continue;
		text_put(t, before);
		if (name(bit))
			text_json(t, name(bit));
		else
			text_printf(t, "%u", bit);
		before = ",";
	}
	text_put(t, "]");
}

void text_key_name(struct text *t, const char *key, const char *name,
		   unsigned long long number)
{
	text_printf(t, ",\"%s\":", key);
	if (name)
		text_json(t, name);
	else
		text_json_number(t, number);
}

void text_key_number(struct text *t, const char *key, bool is_known,
		     unsigned long long number)
{
	text_printf(t, ",\"%s\":", key);
	if (is_known)
		text_json_number(t, number);
	else
		text_put(t, "null");
}

void text_pad(struct text *t, size_t from, size_t column)
{
	while (t->len - from < column)
		text_put(t, " ");
}

void text_duration(struct text *t, uint64_t ns)
{
	unsigned long long s = ns / 1000000000;

	if (ns < 1000000)
		text_printf(t, "%lluus", (unsigned long long)ns / 1000);
	else if (s < 1)
		text_printf(t, "%llums", (unsigned long long)ns / 1000000);
	else if (s < 60)
		text_printf(t, "%llus", s);
	else if (s < 3600)
		text_printf(t, "%llum%02llus", s / 60, s % 60);
	else if (s < 86400)
		text_printf(t, "%lluh%02llum", s / 3600, s / 60 % 60);
	else
		text_printf(t, "%llud%lluh", s / 86400, s / 3600 % 24);
}

void text_time(struct text *t, uint64_t realtime_ns, uint64_t boottime_ns,
	       unsigned int style)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	unsigned int ms = (unsigned int)(realtime_ns / 1000000 % 1000);
	char date[40] = "";
	struct tm tm;

	if (style & RDMAEV_STYLE_MONO) {
		text_printf(t, "%llu.%06llu", (unsigned long long)boottime_ns / 1000000000,
			    (unsigned long long)boottime_ns / 1000 % 1000000);
		return;
	}
	if (style & RDMAEV_STYLE_UTC ? gmtime_r(&seconds, &tm) :
				       localtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
	text_printf(t, "%s.%03u%s", date, ms, style & RDMAEV_STYLE_UTC ? "Z" : "");
}

void text_json_time(struct text *t, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	char date[40] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	text_printf(t, "\"%s.%09uZ\"", date, (unsigned int)(realtime_ns % 1000000000));
}

void text_guid(struct text *t, uint64_t guid)
{
	text_printf(t, "%04x:%04x:%04x:%04x", (unsigned int)(guid >> 48),
		    (unsigned int)(guid >> 32 & 0xffff),
		    (unsigned int)(guid >> 16 & 0xffff),
		    (unsigned int)(guid & 0xffff));
}

int text_end(struct text *t)
{
	if (t->size)
		t->buf[t->len < t->size ? t->len : t->size - 1] = '\0';
	return (int)t->len;
}
