/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared by the parts of rdmaev_ulp. From the bottom up: ulp_qp.c makes CQs and
 * QPs and consumes completions, ulp_result.c writes results, ulp_load.c,
 * ulp_fail.c, ulp_hold.c and ulp_bench.c are the commands of the file run,
 * ulp_object.c has one of each object, ulp_main.c the devices and the files.
 */
#ifndef RDMAEV_TEST_ULP_H
#define RDMAEV_TEST_ULP_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

enum cq_kind {
	CREATED,		/* rdmaev_create_cq() */
	ATTACHED,		/* ib_alloc_cq(), counted in done() */
	DIRECT,			/* the same, polled by this ULP */
	POOL,			/* ib_cq_pool_get(), counted in done() */
	SOFTIRQ,		/* ib_alloc_cq(), left to the observer */
	WORKQUEUE,		/* the same, polled by a workqueue */
	PROCESSED,		/* the same, polled by ib_process_cq_direct() */
	POLLED,			/* ib_create_cq(), polled by this ULP */
};

/* An object, and the calls of the ULP's handler */
struct thing {
	atomic_t calls;
	int last;
};

/* One of each object; NULL or ERR_PTR for those missing, none if pd is NULL */
struct objects {
	struct ib_device *ib;
	struct ib_pd *pd;
	struct ib_cq *send_cq, *recv_cq;
	struct ib_srq *srq;
	struct ib_qp *srq_qp, *qp;
	struct ib_wq *wq;
	struct thing of_send_cq, of_recv_cq, of_srq, of_srq_qp, of_qp, of_wq;
};

/*
 * What the ULP has on a device. Made by the client's add(), freed by its
 * remove(), which waits until no command uses it.
 */
struct kit {
	struct ib_device *ib;
	struct list_head list;		/* in kits, under kits_lock */
	bool busy;			/* under kits_lock */
	bool gone;			/* the device is being removed */
	struct objects objects;		/* under kits_lock */
	struct ib_pd *pd;		/* of all that follows */
	struct cq *kept;		/* of the last command */
	struct hold *hold, *other;
};

/* Completions counted by this ULP */
struct wc_counts {
	atomic_long_t success[RDMAEV_OPCODES];
	atomic_long_t failures[RDMAEV_WC_STATUSES];
};

struct cq {
	struct kit *kit;
	enum cq_kind kind;
	u32 cqe;
	struct rdmaev_ulp *ulp;		/* NULL: run_ulp */
	struct rdmaev_cq *rcq;
	struct rdmaev_cq plain;		/* that of a CQ that rdmaev does not know */
	struct wc_counts counts;
	/* Called by the completion handler of a CREATED one, if set. */
	void (*wake)(struct cq *cq);
	struct work_struct work;
	atomic_long_t wakes, polls, arms;
	atomic_t overruns;
	atomic_t irqs_on;		/* handler called with interrupts on */
	atomic_t late;			/* handler or done() called too late */
	bool dead;
};

/* The wr_cqe of its requests is cqe, whoever polls. */
struct qp {
	struct ib_qp *ib;
	struct ib_cqe cqe;
	struct cq *cq;			/* CQ that counts its completions */
	atomic_long_t consumed;
};

extern struct rdmaev_ulp run_ulp;
/* Protects the list of devices and what is noted to be under it. */
extern struct mutex kits_lock;
extern struct list_head kits;
extern struct workqueue_struct *run_wq;

/* make_cq(): without RDMAEV_CQ_NAME_QP */
#define NO_PROMISE	BIT(31)

/* -EINVAL: there is none. */
int parse_kind(const char *name);

int make_cq(struct cq *cq, struct kit *kit, enum cq_kind kind, u32 cqe,
	    unsigned int flags);
void destroy_cq(struct cq *cq);
int make_qp(struct qp *qp, struct cq *send_cq, struct cq *recv_cq, u32 port);
void destroy_qp(struct qp *qp);
int init_qp(struct ib_qp *qp, u32 port);
int connect_qp(struct ib_qp *qp, u32 port);
int reset_qp(struct ib_qp *qp, u32 port);
int error_qp(struct ib_qp *qp);

int poll(struct cq *cq, int n);
void consume(const struct ib_wc *wc);
void completed(struct ib_cq *ib, void *context);
void count(struct wc_counts *counts, const struct ib_wc *wc);

void post_recv(struct qp *qp, unsigned int n);
void post(struct qp *qp, enum ib_wr_opcode opcode);
void post_bad(struct qp *qp);
bool wait_consumed(struct qp *qp, long n);

void forget(struct kit *kit);

/* kits_lock is held. NULL: there is no device of this name. */
struct kit *find_kit(const char *name);
void destroy_objects(struct objects *o);
void object_files(struct dentry *dir);
void object_exit(void);

/* A result is one line; the rest is cut off. */
struct result {
	char text[1024];
	size_t len;
};

__printf(2, 3)
void tell(struct result *res, const char *format, ...);
void tell_cq(struct result *res, const struct cq *cq);

int run_load(struct kit *kit, const char *args, struct result *res);
int run_wakeup(struct kit *kit, const char *args, struct result *res);
int run_churn(struct kit *kit, const char *args, struct result *res);
int run_fail(struct kit *kit, const char *args, struct result *res);
int run_hold(struct kit *kit, const char *args, struct result *res);
void end_hold(struct kit *kit);
int run_softirq(struct kit *kit, const char *args, struct result *res);
int run_polled(struct kit *kit, const char *args, struct result *res);
int run_bench(struct kit *kit, const char *args, struct result *res);

#endif /* RDMAEV_TEST_ULP_H */
