/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Probes of ports, for several commands */
#ifndef ULIB_PROBES_H
#define ULIB_PROBES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <rdmaev.h>

#include "text.h"

/* All probes, none if rdmaev_probe is not loaded. -1 with errno; free *list. */
ssize_t list_probes(struct rdmaev *h, struct rdmaev_probe **list, uint64_t *seq);

/* True if the port does not complete requests, as its probe finds. */
bool probe_is_failing(const struct rdmaev_probe *probe);

/* "lost", "create_qp failed: ...": what is wrong; nothing if all is well */
void put_probe_problem(struct text *t, const struct rdmaev_probe *probe);

#endif /* ULIB_PROBES_H */
