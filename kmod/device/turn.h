/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Walks through tables for readers, which take turns */
#ifndef RDMAEV_TURN_H
#define RDMAEV_TURN_H

struct rdmaev_cred;

void rdmaev_turns_init(void);
void rdmaev_walk(const struct rdmaev_cred *cred, void (*walk)(void *data), void *data);
int rdmaev_turn(const struct rdmaev_cred *cred, void (*walk)(void *data), void *data);

#endif /* RDMAEV_TURN_H */
