// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests that are refused before a driver is asked, so that its operations do not see
 * them: ib_core cannot resolve the address in a request to move a QP, or the rdma cgroup of
 * a process does not admit one more object. Kretprobes, as only the result says so.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cgroup_rdma.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <rdma/ib_verbs.h>

#include "ftrace.h"
#include "object/object.h"
#include "object/qp_end.h"
#include "object/qp_request.h"
#include "refusal.h"

/*
 * Requests that may run at the same time; more are counted in nmissed. Of
 * processes, which can have them wait for a peer's address, at most REFUSAL_SHARE and as many
 * more for each payer; once half are in use, REFUSAL_FEW for each payer. The last
 * REFUSAL_SHARE are for the kernel.
 */
#define REFUSAL_REQUESTS	1024
#define REFUSAL_SHARE		128
#define REFUSAL_FEW		8

/* Only requests that set one of these can be refused by the core. */
#define REFUSAL_ADDRESS		(IB_QP_AV | IB_QP_ALT_PATH)

/* Accounts, besides those of rdmaev_qp_request_begin() */
#define REFUSAL_BY_KERNEL	(-1)
#define REFUSAL_BY_PROCESS	(-2)

/* Requests of processes that have not returned */
static atomic_t refusal_of_processes = ATOMIC_INIT(0);

/* One of many requests of processes, @n. Returns false if it is missed. */
static noinline bool refusal_begin_many(int *account, int n)
{
	u32 max = REFUSAL_SHARE;

	if (n > REFUSAL_REQUESTS / 2)
		max = n <= REFUSAL_REQUESTS - REFUSAL_SHARE ? REFUSAL_FEW : 0;
	*account = rdmaev_qp_request_begin(max);
	if (*account >= 0)
		return true;
	atomic_dec(&refusal_of_processes);
	return false;
}

/* A request of a process begins. Returns false if it is missed. */
static bool refusal_begin(int *account)
{
	int n = atomic_inc_return(&refusal_of_processes);

	*account = REFUSAL_BY_PROCESS;
	return likely(n <= REFUSAL_SHARE) || refusal_begin_many(account, n);
}

static void refusal_end(int account)
{
	if (account == REFUSAL_BY_KERNEL)
		return;
	atomic_dec(&refusal_of_processes);
	if (unlikely(account >= 0))
		rdmaev_qp_request_end(account);
}

/**
 * struct refusal_move - a request with an address that has not returned
 * @qp: QP, exists until the request returns
 * @attr: its attributes, likewise
 * @attr_mask: which attributes are set
 * @account: who pays
 */
struct refusal_move {
	const struct ib_qp *qp;
	const struct ib_qp_attr *attr;
	int attr_mask;
	int account;
};

/*
 * Entry of _ib_modify_qp(), which the exported functions and ib_drain_qp()
 * call. Returns 1 to ignore the call.
 */
static int refusal_move_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct refusal_move *move = (struct refusal_move *)instance->data;

	move->attr_mask = regs_get_kernel_argument(regs, 2);
	if (!(move->attr_mask & IB_QP_STATE) || !(move->attr_mask & REFUSAL_ADDRESS))
		return 1;
	move->qp = (void *)regs_get_kernel_argument(regs, 0);
	move->attr = (void *)regs_get_kernel_argument(regs, 1);
	move->account = REFUSAL_BY_KERNEL;
	return rdmaev_qp_is_user(move->qp) && !refusal_begin(&move->account);
}

static int refusal_move_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct refusal_move *move = (struct refusal_move *)instance->data;
	int ret = (int)regs_return_value(regs);

	/* observe_modify_qp() has seen it otherwise. */
	if (ret)
		rdmaev_qp_moved(move->qp, move->attr, move->attr_mask, ret, "");
	refusal_end(move->account);
	return 0;
}

/**
 * struct refusal_charge - an object of a process that its cgroup has not admitted yet
 * @ib: device, exists until the call returns
 * @resource: what it is counted as
 * @account: who pays
 */
struct refusal_charge {
	const struct ib_device *ib;
	enum rdmacg_resource_type resource;
	int account;
};

/* Entry of ib_rdmacg_try_charge(), which ib_uverbs calls before it makes an object */
static int refusal_charge_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct refusal_charge *charge = (struct refusal_charge *)instance->data;

	charge->ib = (void *)regs_get_kernel_argument(regs, 1);
	charge->resource = regs_get_kernel_argument(regs, 2);
	return !refusal_begin(&charge->account);
}

static int refusal_charge_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct refusal_charge *charge = (struct refusal_charge *)instance->data;
	int ret = (int)regs_return_value(regs);

	if (ret)
		rdmaev_create_refused(charge->ib, charge->resource == RDMACG_RESOURCE_HCA_HANDLE ?
				      RDMAEV_QP_CREATE_CONTEXT : RDMAEV_QP_CREATE_OBJECT, ret);
	refusal_end(charge->account);
	return 0;
}

enum { REFUSAL_MOVE, REFUSAL_CHARGE };

static struct kretprobe refusals[] = {
	[REFUSAL_MOVE] = {
		.kp.symbol_name = "_ib_modify_qp",
		.entry_handler = refusal_move_entry,
		.handler = refusal_move_return,
		.data_size = sizeof(struct refusal_move),
		.maxactive = REFUSAL_REQUESTS,
	},
	[REFUSAL_CHARGE] = {
		.kp.symbol_name = "ib_rdmacg_try_charge",
		.entry_handler = refusal_charge_entry,
		.handler = refusal_charge_return,
		.data_size = sizeof(struct refusal_charge),
		.maxactive = REFUSAL_REQUESTS,
	},
};

/* A kernel without the cgroup admits all. */
#define REFUSALS	(IS_ENABLED(CONFIG_CGROUP_RDMA) ? ARRAY_SIZE(refusals) : 1)

/* As in struct observe_entry */
static int refusal_status[] = {
	[REFUSAL_MOVE] = OBSERVE_OFF,
	[REFUSAL_CHARGE] = OBSERVE_OFF,
};

/**
 * observe_refusal_sees_move - are failed requests to move a QP seen here, those that a
 *	driver refuses included?
 * @attr_mask: attributes that the requests set
 */
bool observe_refusal_sees_move(int attr_mask)
{
	return attr_mask & REFUSAL_ADDRESS && refusal_status[REFUSAL_MOVE] == OBSERVE_ARMED;
}

static int refusal_arm(struct kretprobe *probe)
{
	int ret = register_kretprobe(probe);

	if (!ret)
		return OBSERVE_ARMED;
	pr_warn("what the core refuses is not observed: no kretprobe on %s (%d)\n",
		probe->kp.symbol_name, ret);
	return ret == -ENOENT ? OBSERVE_MISSING : ret;
}

/** observe_refusals_init - observe requests that are refused; true if any is */
bool observe_refusals_init(void)
{
	bool is_any = false;
	unsigned int i;

	for (i = 0; i < REFUSALS; i++) {
		refusal_status[i] = refusal_arm(&refusals[i]);
		is_any |= refusal_status[i] == OBSERVE_ARMED;
	}
	return is_any;
}

static u64 refusal_missed(const struct kretprobe *probe)
{
	/* Written by any CPU, without a lock. */
	return data_race(probe->nmissed + probe->kp.nmissed);
}

/**
 * observe_refusals_missed - return how many calls were missed, 0 if not observed
 *
 * Because too many ran, or because another kprobe did on their CPU.
 */
u64 observe_refusals_missed(void)
{
	u64 missed = 0;
	unsigned int i;

	for (i = 0; i < REFUSALS; i++)
		missed += refusal_missed(&refusals[i]);
	return missed;
}

/**
 * observe_refusals_each - visit the kretprobes
 * @visit: called for each
 * @data: for @visit
 */
void observe_refusals_each(observe_visit_fn visit, void *data)
{
	unsigned int i;

	for (i = 0; i < REFUSALS; i++) {
		const struct observe_entry entry = {
			.symbol = refusals[i].kp.symbol_name,
			.module = "ib_core",
			.facts = RDMAEV_OBSERVED_QP_STATES,
			.mechanism = OBSERVES_BY_KPROBE,
			.status = refusal_status[i],
			.missed = refusal_missed(&refusals[i]),
		};

		visit(&entry, data);
	}
}

/** observe_refusals_exit - the opposite of observe_refusals_init() */
void observe_refusals_exit(void)
{
	unsigned int i;

	observe_ftrace_keep_on();
	for (i = 0; i < REFUSALS; i++) {
		if (refusal_status[i] != OBSERVE_ARMED)
			continue;
		unregister_kretprobe(&refusals[i]);
		if (refusals[i].nmissed)
			pr_warn("%d calls of %s were missed\n", refusals[i].nmissed,
				refusals[i].kp.symbol_name);
	}
}
