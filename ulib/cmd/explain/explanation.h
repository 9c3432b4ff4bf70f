/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Explanations of rdmaev explain */
#ifndef ULIB_EXPLANATION_H
#define ULIB_EXPLANATION_H

#include <stdbool.h>

#include "base/port_states.h"
#include "base/relations.h"
#include "output/output.h"

/**
 * struct explanation - what is printed
 * @json: for programs
 * @started: something was printed
 * @result: of the output so far
 */
struct explanation {
	bool json;
	bool started;
	enum output result;
};

/* A line above the explanations that follow; none in JSON */
void explain_heading(struct explanation *p, const char *heading);

/* A row of two texts; the label is printed in the first row only. */
void explain_item(struct explanation *p, const char **label, const char *name,
		  const char *meaning);

void explain_entry(struct explanation *p, const struct catalogue_entry *entry);
void explain_state(struct explanation *p, const struct qp_state *state);
void explain_reason(struct explanation *p, const struct cm_reason *reason);
void explain_port_state(struct explanation *p, const struct port_state *state);
void explain_fault(struct explanation *p, const struct fault *fault);

#endif /* ULIB_EXPLANATION_H */
