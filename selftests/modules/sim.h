/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared by the parts of rdmaev_sim: sim_main.c makes the devices, sim_port.c
 * their ports, sim_cq.c, sim_qp.c and sim_verbs.c their objects, sim_event.c
 * their events, sim_fault.c their faults, sim_cover.c operations of others.
 */
#ifndef RDMAEV_TEST_SIM_MODULE_H
#define RDMAEV_TEST_SIM_MODULE_H

#include <linux/list.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "compat.h"
#include "objects.h"

#define SIM_PORTS	8
#define SIM_TABLE	8	/* entries of the GID and of the P_Key table */
#define SIM_MAX_CQE	16384

/*
 * A driver that sets opcode and vendor error of failed completions, see
 * NAME/driver
 */
#define SIM_DRIVER_ID	RDMA_DRIVER_CXGB4

/* Calls that fail or hang on request, see NAME/fault; SIM_CREATE_RC: of an RC QP */
enum sim_call {
	SIM_ALLOC_PD,
	SIM_CREATE_CQ,
	SIM_CREATE_QP,
	SIM_CREATE_RC,
	SIM_MODIFY_QP,
	SIM_CREATE_AH,
	SIM_REQ_NOTIFY,
	SIM_POST_SEND,
	SIM_POLL_CQ,
	SIM_DESTROY_AH,
	SIM_DESTROY_QP,
	SIM_DESTROY_CQ,
	SIM_CALLS,
};

enum sim_link {
	SIM_IB,
	SIM_ROCE,
	SIM_IWARP,
	SIM_SWITCH,	/* InfiniBand, its port is 0 */
};

/* debugfs writes the numbers one by one. */
struct sim_port {
	struct net_device *netdev;	/* NULL on InfiniBand */
	struct ib_port_immutable *immutable;
	unsigned int ngids;
	unsigned int npkeys;
	u32 state;
	u32 phys_state;
	u32 lid;
	u32 sm_lid;
	u32 speed;
	u32 width;
	u32 mtu;
	u32 fail;
	u32 queries;
	u32 hang;
	spinlock_t lock;		/* protects the entries of the tables */
	u16 pkey[SIM_TABLE];
	union ib_gid gid[SIM_TABLE];	/* RoCE: the table is in the core */
};

/*
 * Made when its driver is bound, freed when that is unbound. dir is removed
 * last: objects continue to report events until they are destroyed.
 */
struct sim_dev {
	struct ib_device ib;
	struct dentry *dir;
	char name[IB_DEVICE_NAME_MAX];
	enum sim_link link;
	struct sim_port port[SIM_PORTS];
	int fault[SIM_CALLS];	/* -errno, or SIM_HANG; 0: none */
	bool held;		/* sends do not complete, see NAME/hold */
	/* Operations that NAME/cover has replaced */
	int (*covered_poll_cq)(struct ib_cq *cq, int n, struct ib_wc *wc);
	int (*covered_modify_qp)(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
				 struct ib_udata *udata);
	int (*covered_destroy_qp)(struct ib_qp *qp, struct ib_udata *udata);
	bool cover_skips;	/* those in their place do not call them */

	/*
	 * Protects the list and the numbers. Held for reading while an object
	 * reports events, so destroying the object waits for that: the fence
	 * that drivers have in destroy_qp() and the like.
	 */
	struct rw_semaphore objects_lock;
	struct list_head objects;
	u32 last_number;
};

/*
 * A QP, CQ, SRQ or WQ, embedded in memory that the core or create_wq()
 * allocates
 */
struct sim_object {
	struct list_head list;
	enum object_type type;
	raw_spinlock_t lock;		/* held during events in hard interrupt */
	union {
		void *any;
		struct ib_qp *qp;
		struct ib_cq *cq;
		struct ib_srq *srq;
		struct ib_wq *wq;
	};
};

/* A fault: the call does not return until the fault ends. */
#define SIM_HANG	1

static inline struct sim_dev *to_sim(struct ib_device *ib)
{
	return container_of(ib, struct sim_dev, ib);
}

static inline unsigned int sim_first_port(const struct sim_dev *sim)
{
	return sim->link == SIM_SWITCH ? 0 : 1;
}

static inline struct sim_port *sim_port(struct ib_device *ib, unsigned int num)
{
	return &to_sim(ib)->port[num - sim_first_port(to_sim(ib))];
}

extern const struct ib_device_ops sim_port_ops;
extern const struct ib_device_ops sim_verbs_ops;
extern const struct ib_device_ops sim_kernel_verbs_ops;
extern const struct ib_device_ops sim_user_verbs_ops;
extern const struct ib_device_ops sim_cq_ops;
extern const struct ib_device_ops sim_qp_ops;
extern const struct ib_device_ops sim_qp_life_ops;
extern bool sim_is_leaving;

int sim_ports_init(struct sim_dev *sim, u64 guid);
void sim_ports_exit(struct sim_dev *sim);
void sim_ports_enable_mad(struct sim_dev *sim);
void sim_port_files(struct sim_dev *sim);
void sim_event_files(struct sim_dev *sim);
void sim_cover_files(struct sim_dev *sim);
void sim_cq_files(struct sim_dev *sim);
void sim_qp_files(struct sim_dev *sim);
void sim_fault_files(struct sim_dev *sim);

int sim_fault(struct ib_device *ib, enum sim_call call);

void sim_publish(struct sim_dev *sim, struct sim_object *obj,
		 enum object_type type);
void sim_retract(struct sim_dev *sim, struct sim_object *obj);
u32 sim_next_number(struct sim_dev *sim);
struct sim_object *sim_find_object(struct sim_dev *sim, enum object_type type,
				   u32 number);
void sim_cq_add(struct ib_cq *ibcq, const struct ib_wc *wc, bool solicited);

#endif /* RDMAEV_TEST_SIM_MODULE_H */
