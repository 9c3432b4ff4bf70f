// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Walks through tables for readers, which take turns */
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "access.h"
#include "payer.h"
#include "turn.h"
#include "work.h"

#define NET_TURN_BITS	6

/*
 * Readers without all rights take turns, by account of who pays: others wait for one of
 * a user's processes at most, and nobody for those of another user, unless there are
 * more than payer.c has accounts. Root of several containers is one payer, so its turns
 * are by network namespace, where two may share one by chance; a user could make very
 * many of these.
 */
static struct mutex turns[RDMAEV_PAYERS + (1 << NET_TURN_BITS)];

/* A walk through a table for a reader, which waits for it */
struct turn_walk {
	struct work_struct work;
	void (*walk)(void *data);
	void *data;
};

static void turn_walk_fn(struct work_struct *work)
{
	struct turn_walk *walk = container_of(work, struct turn_walk, work);

	walk->walk(walk->data);
}

/**
 * rdmaev_walk - walk through a table for a reader
 * @cred: its credentials
 * @walk: takes locks that others wait for; allocates and accesses no memory of a process
 * @data: passed to @walk
 *
 * For a reader without all rights, a worker does that: its own thread, which can be
 * preempted with a lock held, may have the lowest priority, or a cgroup without time
 * left.
 *
 * Context: process, without any lock.
 */
void rdmaev_walk(const struct rdmaev_cred *cred, void (*walk)(void *data), void *data)
{
	struct turn_walk w = { .walk = walk, .data = data };

	if (cred->all) {
		walk(data);
		return;
	}
	INIT_WORK_ONSTACK(&w.work, turn_walk_fn);
	queue_work(rdmaev_walk_wq, &w.work);
	flush_work(&w.work);
	destroy_work_on_stack(&w.work);
}

/**
 * rdmaev_turn - wait for a turn, and walk through a table for a reader
 * @cred: its credentials
 * @walk: as for rdmaev_walk()
 * @data: passed to @walk
 *
 * Context: process, without any lock.
 *
 * Return: 0; -EINTR: the reader is being killed.
 */
int rdmaev_turn(const struct rdmaev_cred *cred, void (*walk)(void *data), void *data)
{
	int turn, ret;

	if (cred->all) {
		rdmaev_walk(cred, walk, data);
		return 0;
	}
	/* The account is not given to another payer meanwhile. */
	turn = cred->payer ? rdmaev_payer_charge(cred->payer, RDMAEV_SHARE_TURNS,
					       U32_MAX) :
			     RDMAEV_PAYERS + hash_64(cred->net, NET_TURN_BITS);
	ret = mutex_lock_killable(&turns[turn]);
	if (!ret) {
		rdmaev_walk(cred, walk, data);
		mutex_unlock(&turns[turn]);
	}
	if (cred->payer)
		rdmaev_payer_uncharge(turn, RDMAEV_SHARE_TURNS);
	return ret;
}

/** rdmaev_turns_init - initialize; before there is a reader */
void rdmaev_turns_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(turns); i++)
		mutex_init(&turns[i]);
}
