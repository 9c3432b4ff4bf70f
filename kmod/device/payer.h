/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What users may cause and hold: records about objects of their processes, and
 * entries of tables.
 */
#ifndef RDMAEV_PAYER_H
#define RDMAEV_PAYER_H

#include <linux/types.h>

/*
 * A payer, see &struct rdmaev_owner, is a uid of the initial user namespace, or one of
 * the following, which have one account each.
 */
#define RDMAEV_PAYER_UNKNOWN	U32_MAX
#define RDMAEV_PAYER_INCOMING	(U32_MAX - 1)	/* connections that no process has accepted yet */
#define RDMAEV_PAYER_NOT_ROOT	(U32_MAX - 2)	/* uid 0 without the rights of root */
#define RDMAEV_PAYER_NO_OWNER	(U32_MAX - 3)	/* uid 0 with objects of unknown owners */
#define RDMAEV_PAYER_USERS	RDMAEV_PAYER_NO_OWNER	/* smaller ones are uids */

/* Accounts that there are at most */
#define RDMAEV_PAYERS		1024

/* What a payer holds a share of: observed objects, then others */
enum rdmaev_share {
	RDMAEV_SHARE_QPS,
	RDMAEV_SHARE_CQS,
	RDMAEV_SHARE_CONNECTIONS,
	RDMAEV_SHARE_OWNERS,
	RDMAEV_SHARE_OBJECTS,
	RDMAEV_SHARE_BURSTS = RDMAEV_SHARE_OBJECTS,
	RDMAEV_SHARE_CAUSES,
	RDMAEV_SHARE_STREAMS,
	RDMAEV_SHARE_REQUESTS,
	RDMAEV_SHARE_TURNS,
	RDMAEV_SHARES,
};

int rdmaev_payers_init(void);
void rdmaev_payers_exit(void);

bool rdmaev_payer_may_record(u32 uid, bool can_fold);
bool rdmaev_payer_may_ask(u32 uid, u32 max);
int rdmaev_payer_charge(u32 uid, enum rdmaev_share share, u32 max);
void rdmaev_payer_uncharge(unsigned int account, enum rdmaev_share share);
void rdmaev_payers_forget(enum rdmaev_share share);
void rdmaev_payer_miss(u32 uid, enum rdmaev_share share);
bool rdmaev_payer_miss_again(u32 uid);

#endif /* RDMAEV_PAYER_H */
