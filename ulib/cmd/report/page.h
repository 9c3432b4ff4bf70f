/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Pieces of an HTML page about records */
#ifndef ULIB_PAGE_H
#define ULIB_PAGE_H

#include "report.h"

/**
 * struct page - a page being written
 * @out: where it goes
 * @report: its contents
 * @date_len: characters of a time that all times of the page share, with the
 *	blank after them: the date, if it is the same
 */
struct page {
	FILE *out;
	const struct report *report;
	size_t date_len;
};

/* Write HTML. Only numbers and fixed words may be arguments. */
void page_printf(const struct page *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void page_put(const struct page *p, const char *html);
/* Write any text, so that it is only text in HTML. */
void page_text(const struct page *p, const char *text);
/* End a text in a buffer, and write it as page_text() does. */
void page_words(const struct page *p, struct text *t);

/* True if this record has a row on the page. */
bool page_has(const struct page *p, uint64_t seq);
/* "#1041", a link if the record has a row */
void page_seq(const struct page *p, uint64_t seq);
/* Begin an element: a link to the row of the record, or one without effect. */
void page_link(const struct page *p, uint64_t seq);
void page_link_end(const struct page *p);

/* Time of a record, without the date if the page has a single one */
void page_time(const struct page *p, const struct rdmaev_record *r);
/* "rxe0/1" */
void page_place(const struct page *p, const struct rdmaev_record *r);
/* "PORT_ERR" */
void page_event(const struct page *p, unsigned int kind, unsigned int code);
void page_duration(const struct page *p, uint64_t ns);

/* CLOCK_REALTIME of a CLOCK_BOOTTIME, as the clock is set now */
uint64_t page_realtime(const struct page *p, uint64_t boottime_ns);
/* Class of a severity: "e" error, "w" warning, "n" none */
const char *page_class(unsigned int severity);

#endif /* ULIB_PAGE_H */
