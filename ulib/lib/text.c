// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Text built piece by piece, and the rules that make foreign bytes harmless. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "internal.h"

/* Digits of a number with zeros in front, at most */
#define WIDTH_MAX	20

void text_cut(struct text *t, const char *s)
{
	if (t->len < t->size)
		memcpy(t->buf + t->len, s, t->size - t->len);
}

/* Digits of a number, with zeros in front up to @width */
static void put_digits(struct text *t, unsigned long long number, bool is_hex,
		       unsigned int width)
{
	char digits[WIDTH_MAX];
	char *end = digits + sizeof(digits), *at = end;

	for (; is_hex && number >= 16; number /= 16)
		*--at = "0123456789abcdef"[number % 16];
	for (; number >= 10 && !is_hex; number /= 10)
		*--at = (char)('0' + number % 10);
	*--at = "0123456789abcdef"[number];
	while (end - at < (ptrdiff_t)width)
		*--at = '0';
	text_bytes(t, at, (size_t)(end - at));
}

void text_number(struct text *t, unsigned long long number)
{
	put_digits(t, number, false, 0);
}

static void put_signed(struct text *t, int number, unsigned int width)
{
	unsigned int magnitude = (unsigned int)number;

	if (number < 0) {
		text_put(t, "-");
		magnitude = -magnitude;
		width -= width > 0;
	}
	put_digits(t, magnitude, false, width);
}

/* The rest of a format, by the C library; returns its end. */
static const char *put_rest(struct text *t, const char *format, va_list *args)
{
	size_t room = t->len < t->size ? t->size - t->len : 0;
	int n = vsnprintf(room ? t->buf + t->len : NULL, room, format, *args);

	if (n > 0)
		t->len += (size_t)n;
	return format + strlen(format);
}

/* One conversion of a format; returns what follows it. */
static const char *put_conversion(struct text *t, const char *format, va_list *args)
{
	const char *c = format + 1;
	unsigned int width = 0;

	if (*c == '0')
		while (*c >= '0' && *c <= '9')
			width = 10 * width + (unsigned int)(*c++ - '0');
	if (width > WIDTH_MAX)
		return put_rest(t, format, args);
	if (*c == 'u' || *c == 'x') {
		put_digits(t, va_arg(*args, unsigned int), *c == 'x', width);
	} else if (*c == 'd') {
		put_signed(t, va_arg(*args, int), width);
	} else if (*c == 's' && !width) {
		text_put(t, va_arg(*args, const char *));
	} else if (!strncmp(c, "llu", 3) || !strncmp(c, "llx", 3)) {
		c += 2;
		put_digits(t, va_arg(*args, unsigned long long), *c == 'x', width);
	} else if (!strncmp(c, "zu", 2)) {
		c++;
		put_digits(t, va_arg(*args, size_t), false, width);
	} else {
		return put_rest(t, format, args);
	}
	return c + 1;
}

/* vsnprintf() takes some 700 instructions a call, and a record needs dozens of calls. */
void text_printf(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	while (*format) {
		const char *next = strchrnul(format, '%');

		text_bytes(t, format, (size_t)(next - format));
		format = *next ? put_conversion(t, next, &args) : next;
	}
	va_end(args);
}

/* How many characters at the beginning of @s are fit for any text */
static size_t plain_length(const char *s)
{
	size_t n = 0;

	while (s[n] > 0x20 && s[n] < 0x7f && s[n] != '\\' && s[n] != '"' && s[n] != '\'')
		n++;
	return n;
}

/*
 * Only printing ASCII goes to a terminal as it is: any other byte can be a
 * control character in one encoding or the other. Quotes and backslashes are
 * written as numbers too, so that the text can be pasted into a shell and
 * turned back into the name.
 */
void text_name(struct text *t, const char *s)
{
	while (*s) {
		size_t n = plain_length(s);

		text_bytes(t, s, n);
		s += n;
		if (*s)
			text_printf(t, "\\x%02x", (unsigned char)*s++);
	}
}

void text_words(struct text *t, const char *s)
{
	while (*s) {
		size_t n = plain_length(s);

		if (!n && (*s == ' ' || *s == '"' || *s == '\''))
			n = 1;
		text_bytes(t, s, n);
		s += n;
		if (!n)
			text_printf(t, "\\x%02x", (unsigned char)*s++);
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
		size_t n = plain_length(s);
		uint32_t point;

		text_bytes(t, s, n);
		s += n;
		if (n)
			continue;
		n = utf8_decode(s, &point);
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
			text_bytes(t, s, n);
		s += n;
	}
	text_put(t, "\"");
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

void text_key(struct text *t, const char *key)
{
	text_put(t, ",\"");
	text_put(t, key);
	text_put(t, "\":");
}

void text_json_name(struct text *t, bool is_known, const char *name, unsigned long long number)
{
	if (!is_known)
		return text_put(t, "null");
	if (!name)
		return text_number(t, number);
	text_put(t, "\"");
	text_put(t, name);
	text_put(t, "\"");
}

void text_key_name(struct text *t, const char *key, const char *name,
		   unsigned long long number)
{
	text_key(t, key);
	text_json_name(t, true, name, number);
}

void text_key_number(struct text *t, const char *key, bool is_known,
		     unsigned long long number)
{
	text_key(t, key);
	text_json_name(t, is_known, NULL, number);
}

void text_json_ns(struct text *t, bool is_known, uint64_t ns)
{
	if (!is_known)
		return text_put(t, "null");
	text_put(t, "\"");
	text_number(t, ns);
	text_put(t, "\"");
}

void text_key_ns(struct text *t, const char *key, bool is_known, uint64_t ns)
{
	text_key(t, key);
	text_json_ns(t, is_known, ns);
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

static char *put_two(char *at, int number)
{
	*at++ = (char)('0' + number / 10);
	*at++ = (char)('0' + number % 10);
	return at;
}

/* "2026-11-20", @between, "10:00:00"; nanoseconds of 64 bits end in the year 2554. */
static void put_date(struct text *t, const struct tm *tm, char between)
{
	char date[sizeof("2026-11-20 10:00:00")], *at = date;
	int year = tm->tm_year + 1900;

	at = put_two(at, year / 100);
	at = put_two(at, year % 100);
	*at++ = '-';
	at = put_two(at, tm->tm_mon + 1);
	*at++ = '-';
	at = put_two(at, tm->tm_mday);
	*at++ = between;
	at = put_two(at, tm->tm_hour);
	*at++ = ':';
	at = put_two(at, tm->tm_min);
	*at++ = ':';
	at = put_two(at, tm->tm_sec);
	text_bytes(t, date, (size_t)(at - date));
}

void text_time(struct text *t, uint64_t realtime_ns, uint64_t boottime_ns,
	       unsigned int style)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	unsigned int ms = (unsigned int)(realtime_ns / 1000000 % 1000);
	struct tm tm;

	if (style & RDMAEV_STYLE_MONO) {
		text_printf(t, "%llu.%06llu", (unsigned long long)boottime_ns / 1000000000,
			    (unsigned long long)boottime_ns / 1000 % 1000000);
		return;
	}
	if (style & RDMAEV_STYLE_UTC ? gmtime_r(&seconds, &tm) :
				       localtime_r(&seconds, &tm))
		put_date(t, &tm, ' ');
	text_put(t, ".");
	put_digits(t, ms, false, 3);
	text_put(t, style & RDMAEV_STYLE_UTC ? "Z" : "");
}

void text_json_time(struct text *t, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	struct tm tm;

	text_put(t, "\"");
	if (gmtime_r(&seconds, &tm))
		put_date(t, &tm, 'T');
	text_put(t, ".");
	put_digits(t, realtime_ns % 1000000000, false, 9);
	text_put(t, "Z\"");
}

void text_guid(struct text *t, uint64_t guid)
{
	text_printf(t, "%04x:%04x:%04x:%04x", (unsigned int)(guid >> 48),
		    (unsigned int)(guid >> 32 & 0xffff),
		    (unsigned int)(guid >> 16 & 0xffff),
		    (unsigned int)(guid & 0xffff));
}

/* The longest run of at least two words of 0; it ends at its begin if there is none. */
static void find_zeros(const unsigned int words[8], unsigned int *begin, unsigned int *end)
{
	unsigned int i, n = 0;

	*begin = 0;
	*end = 0;
	for (i = 0; i < 8; i++) {
		n = words[i] ? 0 : n + 1;
		if (n < 2 || n <= *end - *begin)
			continue;
		*begin = i + 1 - n;
		*end = i + 1;
	}
}

void text_gid(struct text *t, const uint8_t gid[16])
{
	unsigned int words[8], begin, end, i;

	for (i = 0; i < 8; i++)
		words[i] = (unsigned int)gid[2 * i] << 8 | gid[2 * i + 1];
	find_zeros(words, &begin, &end);
	for (i = 0; i < 8; i++) {
		if (i == begin && end)
			text_put(t, "::");
		if (i >= begin && i < end)
			continue;
		if (i && i != end)
			text_put(t, ":");
		if (i == 6 && !begin && (end == 6 || (end == 5 && words[5] == 0xffff)))
			break;
		put_digits(t, words[i], true, 0);
	}
	if (i < 8)
		text_printf(t, "%u.%u.%u.%u", gid[12], gid[13], gid[14], gid[15]);
}

int text_end(struct text *t)
{
	if (t->size)
		t->buf[t->len < t->size ? t->len : t->size - 1] = '\0';
	return (int)t->len;
}
