// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Messages on standard error. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "catalogue.h"
#include "complain.h"
#include "port_states.h"
#include "relations.h"
#include "suggest.h"

static char last[256];
static const char *about;

void complain_about(const char *name)
{
	about = name;
}

void complain(const char *format, ...)
{
	va_list args, again;

	fputs("rdmaev: ", stderr);
	if (about)
		fprintf(stderr, "%s: ", about);
	va_start(args, format);
	va_copy(again, args);
	vfprintf(stderr, format, args);
	vsnprintf(last, sizeof(last), format, again);
	va_end(again);
	va_end(args);
	fputc('\n', stderr);
}

const char *last_complaint(void)
{
	return last;
}

static void consider_events(struct guess *g)
{
	size_t i;

	for (i = 0; i < catalogue_count; i++)
		consider(g, catalogue[i].name);
}

static void complain_guess(const struct guess *g, const char *what)
{
	complain("%s: no such %s%s (rdmaev explain lists them)", g->name, what,
		 guess_text(g));
}

static bool is_state(const char *name)
{
	size_t i;

	for (i = 0; i < port_states_count; i++)
		if (is_port_state(&port_states[i], name))
			return true;
	return false;
}

void complain_event(const char *name)
{
	struct guess g = { .name = name };

	if (is_state(name)) {
		complain("%s: is a state of a port, not an event; PORT_STATE is its change",
			 name);
		return;
	}
	consider_events(&g);
	complain_guess(&g, "event");
}

void complain_awaited(const char *name, const char * const *states)
{
	struct guess g = { .name = name };

	if (is_state(name)) {
		complain("%s: is a state of a port: wait for up, which is ACTIVE, or for down, which is any other",
			 name);
		return;
	}
	for (; *states; states++)
		consider(&g, *states);
	consider_events(&g);
	complain_guess(&g, "event or state");
}

void complain_device(const char *text, size_t name_len,
		     const struct rdmaev_device *list, size_t n)
{
	char name[RDMAEV_DEVICE_NAME_SIZE];
	struct guess g = { .name = name };
	unsigned int kind, code;
	size_t i;

	snprintf(name, sizeof(name), "%.*s", (int)name_len, text);
	for (i = 0; i < n; i++)
		consider(&g, list[i].name);
	if (!g.count && !strpbrk(name, "0123456789") &&
	    !rdmaev_event_parse(name, &kind, &code))
		complain("%s: no such device: it is an event (rdmaev log -e %s)", text,
			 name);
	else
		complain("%s: no such device%s (rdmaev devices lists them)", text,
			 guess_text(&g));
}

void complain_word(const char *name)
{
	struct guess g = { .name = name };
	size_t i;

	consider_events(&g);
	for (i = 0; i < qp_states_count; i++)
		consider(&g, qp_states[i].name);
	for (i = 0; i < cm_reasons_count; i++)
		consider(&g, cm_reasons[i].name);
	for (i = 0; i < port_states_count; i++)
		consider(&g, port_state_name(&port_states[i]));
	for (i = 0; i < faults_count; i++)
		consider(&g, faults[i].id);
	complain_guess(&g, "event, status, state, reason or fault");
}
