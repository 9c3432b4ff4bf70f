/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Opcodes of completions, failed completions */
#ifndef RDMAEV_WC_H
#define RDMAEV_WC_H

#include <rdma/ib_verbs.h>

struct rdmaev_cq_state;

extern const u8 rdmaev_wc_opcodes[U8_MAX + 1];

void rdmaev_wc_init(void);
void rdmaev_wc_failed(struct rdmaev_cq_state *cq, const struct ib_wc *wc);

/* &enum rdmaev_wc_opcode of a completion */
static inline unsigned int rdmaev_wc_opcode(const struct ib_wc *wc)
{
	return rdmaev_wc_opcodes[(u8)wc->opcode];
}

#endif /* RDMAEV_WC_H */
