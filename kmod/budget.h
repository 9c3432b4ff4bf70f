/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Budgets: how many records about objects of processes a user may cause */
#ifndef RDMAEV_BUDGET_H
#define RDMAEV_BUDGET_H

#include <linux/types.h>

int rdmaev_budget_init(void);
void rdmaev_budget_exit(void);

bool rdmaev_budget_take(u32 uid, bool can_fold);

#endif /* RDMAEV_BUDGET_H */
