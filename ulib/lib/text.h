/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Text built piece by piece in a buffer of fixed size, counted like snprintf(3). */
#ifndef ULIB_TEXT_H
#define ULIB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* Terminal colours */
#define RED		"\033[31m"
#define GREEN		"\033[32m"
#define YELLOW		"\033[33m"
#define DIM		"\033[2m"
#define PLAIN		"\033[0m"

/**
 * struct text - text being built
 * @buf: where it goes, may be NULL if @size is 0
 * @size: bytes in @buf
 * @len: length of the whole text so far, also of what did not fit
 */
struct text {
	char *buf;
	size_t size;
	size_t len;
};

/* Append formatted text. */
void text_printf(struct text *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Write as many bytes as fit, of more. */
void text_cut(struct text *t, const char *s);

/* Append @n bytes. Inline, as most are constants: these take no call. */
static inline void text_bytes(struct text *t, const char *s, size_t n)
{
	if (t->len < t->size && n <= t->size - t->len)
		memcpy(t->buf + t->len, s, n);
	else
		text_cut(t, s);
	t->len += n;
}

/* Append a plain string. */
static inline void text_put(struct text *t, const char *s)
{
	text_bytes(t, s, strlen(s));
}

/* Append a number. */
void text_number(struct text *t, unsigned long long number);

/* Append a name from outside, safe for a terminal and free of blanks. */
void text_name(struct text *t, const char *s);

/* Append a text from outside, safe for a terminal. */
void text_words(struct text *t, const char *s);

/* Append a JSON string with its quotes, or null for NULL. */
void text_json(struct text *t, const char *s);

/* Append an array: names of the bits that are set, numbers of those without a name. */
void text_json_bits(struct text *t, uint32_t bits,
		    const char *(*name)(unsigned int bit));

/* Append one of our own names, or the number that has none, or null. */
void text_json_name(struct text *t, bool is_known, const char *name, unsigned long long number);

/* Append ,"KEY": */
void text_key(struct text *t, const char *key);

/* Append ,"KEY": and one of our own names, or the number that has none. */
void text_key_name(struct text *t, const char *key, const char *name,
		   unsigned long long number);

/* Append ,"KEY": and a number, or null. */
void text_key_number(struct text *t, const char *key, bool is_known,
		     unsigned long long number);

/* Append nanoseconds as a string, which is exact however large they are, or null. */
void text_json_ns(struct text *t, bool is_known, uint64_t ns);

/* Append ,"KEY": and nanoseconds, or null. */
void text_key_ns(struct text *t, const char *key, bool is_known, uint64_t ns);

/* Append spaces until @column characters follow position @from. */
void text_pad(struct text *t, size_t from, size_t column);

/* Append a length of time for people: 850ms, 12s, 3m05s, 3h12m, 2d4h. */
void text_duration(struct text *t, uint64_t ns);

/* Append a time for people: RDMAEV_STYLE_UTC, or _MONO, which is seconds since boot. */
void text_time(struct text *t, uint64_t realtime_ns, uint64_t boottime_ns,
	       unsigned int style);

/* Append a time in UTC as a JSON string. */
void text_json_time(struct text *t, uint64_t realtime_ns);

/* Append a GUID as sysfs writes it: four groups of four hexadecimal digits. */
void text_guid(struct text *t, uint64_t guid);

/* Append a GID as inet_ntop(3) writes an IPv6 address, which takes ten times as long. */
void text_gid(struct text *t, const uint8_t gid[16]);

/* Terminate the text and return its length. */
int text_end(struct text *t);

#endif /* ULIB_TEXT_H */
