// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Pieces of an HTML page about records. */
#include <stdarg.h>
#include <time.h>

#include "catalogue.h"
#include "incident/incident_parts.h"
#include "page.h"

void page_printf(const struct page *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(p->out, format, args);
	va_end(args);
}

void page_put(const struct page *p, const char *html)
{
	fputs(html, p->out);
}

void page_text(const struct page *p, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			page_put(p, "&amp;");
			break;
		case '<':
			page_put(p, "&lt;");
			break;
		case '>':
			page_put(p, "&gt;");
			break;
		case '"':
			page_put(p, "&quot;");
			break;
		case '\'':
			page_put(p, "&#39;");
			break;
		default:
			fputc(*text, p->out);
		}
	}
}

void page_words(const struct page *p, struct text *t)
{
	text_end(t);
	page_text(p, t->buf);
}

bool page_has(const struct page *p, uint64_t seq)
{
	size_t i = seq ? find_seq(p->report->log, seq) : NONE;

	return i != NONE && p->report->shown[i];
}

void page_seq(const struct page *p, uint64_t seq)
{
	unsigned long long n = seq;

	if (page_has(p, seq))
		page_printf(p, "<a href=\"#r%llu\">#%llu</a>", n, n);
	else
		page_printf(p, "#%llu", n);
}

void page_link(const struct page *p, uint64_t seq)
{
	if (page_has(p, seq))
		page_printf(p, "<a href=\"#r%llu\">", (unsigned long long)seq);
	else
		page_put(p, "<a>");
}

void page_link_end(const struct page *p)
{
	page_put(p, "</a>\n");
}

void page_time(const struct page *p, const struct rdmaev_record *r)
{
	char buf[64];
	struct text t = { .buf = buf, .size = sizeof(buf) };

	text_time(&t, r->realtime_ns, r->boottime_ns, p->report->style);
	text_end(&t);
	page_text(p, buf + (t.len > p->date_len ? p->date_len : 0));
}

void page_place(const struct page *p, const struct rdmaev_record *r)
{
	char buf[5 * RDMAEV_DEVICE_NAME_SIZE];
	struct text t = { .buf = buf, .size = sizeof(buf) };

	put_place(&t, r);
	page_words(p, &t);
}

void page_event(const struct page *p, unsigned int kind, unsigned int code)
{
	char buf[64];
	struct text t = { .buf = buf, .size = sizeof(buf) };

	put_event_name(&t, kind, code);
	page_words(p, &t);
}

void page_duration(const struct page *p, uint64_t ns)
{
	char buf[32];
	struct text t = { .buf = buf, .size = sizeof(buf) };

	text_duration(&t, ns);
	page_words(p, &t);
}

uint64_t page_realtime(const struct page *p, uint64_t boottime_ns)
{
	return p->report->now.realtime_ns - p->report->now.boottime_ns + boottime_ns;
}

const char *page_class(unsigned int severity)
{
	return severity == RDMAEV_SEVERITY_ERROR ? "e" :
	       severity == RDMAEV_SEVERITY_WARNING ? "w" : "n";
}
