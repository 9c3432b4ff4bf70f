// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What the observer observes, and what not and why: from the list of its hooks */
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "facts.h"

/* Asked again with more room if it has more. */
#define HOOKS_ROOM	32

int list_hooks(struct rdmaev *h, struct observer *o)
{
	size_t room = HOOKS_ROOM, i;
	ssize_t n;

	for (;;) {
		struct rdmaev_hook *larger;

		larger = realloc(o->hooks, room * sizeof(*larger));
		if (!larger)
			return -1;
		o->hooks = larger;
		n = rdmaev_hooks(h, 0, larger, room, &o->seq);
		if (n < 0)
			return -1;
		if ((size_t)n <= room)
			break;
		room = (size_t)n;
	}
	o->count = (size_t)n;
	for (i = 0; i < o->count; i++) {
		struct rdmaev_hook *hook = &o->hooks[i];

		hook->symbol[sizeof(hook->symbol) - 1] = '\0';
		hook->module[sizeof(hook->module) - 1] = '\0';
		hook->parameter[sizeof(hook->parameter) - 1] = '\0';
	}
	return 0;
}

/*
 * Which of the states of several hooks is that of the fact: the largest. A hook
 * that is off is so on purpose, whatever is wrong with others.
 */
static unsigned int hook_weight(const struct rdmaev_hook *hook)
{
	static const unsigned char weights[] = {
		[RDMAEV_HOOK_ARMED] = 0,
		[RDMAEV_HOOK_WAITING] = 1,
		[RDMAEV_HOOK_MISSING] = 2,
		[RDMAEV_HOOK_BLIND] = 3,
		[RDMAEV_HOOK_FAILED] = 4,
		[RDMAEV_HOOK_OFF] = 5,
	};

	return hook->state && hook->state < ARRAY_SIZE(weights) ?
	       weights[hook->state] : ARRAY_SIZE(weights);
}

bool find_fact(const struct observer *o, unsigned int bit, struct fact_state *fact)
{
	const struct rdmaev_hook *worst = NULL, *best = NULL, *hook;

	*fact = (struct fact_state){ .bit = bit };
	for (hook = o->hooks; hook < o->hooks + o->count; hook++) {
		if (!(hook->facts & 1U << bit))
			continue;
		fact->missed += hook->missed;
		if (hook->flags & RDMAEV_HOOK_FLAG_ALTERNATIVE) {
			if (!best || hook_weight(hook) < hook_weight(best))
				best = hook;
		} else if (!worst || hook_weight(hook) > hook_weight(worst)) {
			worst = hook;
		}
	}
	fact->hook = !worst || (best && hook_weight(best) > hook_weight(worst)) ? best : worst;
	if (fact->hook)
		fact->state = fact->hook->state;
	return fact->hook;
}

void put_fact(struct text *t, unsigned int bit)
{
	if (observed_name(bit))
		text_put(t, observed_name(bit));
	else
		text_printf(t, "%u", bit);
}

const char *fact_state_name(uint32_t state)
{
	return state == RDMAEV_HOOK_ARMED ? "observed" : hook_state_name(state);
}

void put_why(struct text *t, const struct fact_state *fact)
{
	const struct rdmaev_hook *hook = fact->hook;

	switch (fact->state) {
	case RDMAEV_HOOK_ARMED:
		if (fact->missed)
			text_printf(t, "%llu calls missed",
				    (unsigned long long)fact->missed);
		break;
	case RDMAEV_HOOK_WAITING:
		text_put(t, "module ");
		text_name(t, hook->module);
		text_put(t, " is not loaded");
		break;
	case RDMAEV_HOOK_MISSING:
		text_put(t, "this kernel has no ");
		text_name(t, hook->symbol);
		text_put(t, " that can be traced");
		break;
	case RDMAEV_HOOK_OFF:
		text_put(t, "parameter ");
		text_name(t, hook->parameter);
		text_put(t, " of rdmaev_observe is 0");
		break;
	case RDMAEV_HOOK_BLIND:
		if (hook->mechanism == RDMAEV_OBSERVES_BY_KPROBE)
			text_put(t, "kprobes or ftrace are switched off, or have failed");
		else
			text_put(t, "ftrace is switched off, or has failed");
		break;
	case RDMAEV_HOOK_FAILED:
		text_name(t, hook->symbol);
		text_printf(t, " cannot be hooked: %s", strerror(-hook->error));
		break;
	}
}

void put_remedy(struct text *t, const struct fact_state *fact)
{
	switch (fact->state) {
	case RDMAEV_HOOK_ARMED:
		if (fact->missed)
			text_put(t, "rdmaev explain OBSERVER_MISSED");
		break;
	case RDMAEV_HOOK_WAITING:
		text_put(t, "none needed: observed once it is loaded");
		break;
	case RDMAEV_HOOK_MISSING:
		break;
	case RDMAEV_HOOK_OFF:
		text_put(t, "rmmod rdmaev_observe; modprobe rdmaev_observe ");
		text_name(t, fact->hook->parameter);
		text_put(t, "=1");
		break;
	case RDMAEV_HOOK_BLIND:
		text_put(t, "sysctl kernel.ftrace_enabled=1");
		if (fact->hook->mechanism == RDMAEV_OBSERVES_BY_KPROBE)
			text_put(t, "; echo 1 > /sys/kernel/debug/kprobes/enabled");
		break;
	case RDMAEV_HOOK_FAILED:
		text_put(t, "reload rdmaev_observe; the kernel log may say more");
		break;
	}
}
