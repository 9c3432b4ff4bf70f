/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the parts of rdmaev_sim share: sim_main.c makes the devices, sim_port.c
 * is their ports, sim_cq.c, sim_qp.c and sim_verbs.c their objects, sim_event.c
 * what they report.
 */
#ifndef RDMAEV_TEST_SIM_MODULE_H
#define RDMAEV_TEST_SIM_MODULE_H

#include <linux/list.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "compat.h"

#define SIM_PORTS	8
#define SIM_TABLE	8	/* entries in the GID and in the P_Key table */
#define SIM_MAX_CQE	16384

/* One that sets opcode and vendor error of failed completions. See NAME/driver. */
#define SIM_DRIVER_ID	RDMA_DRIVER_CXGB4

enum sim_link {
	SIM_IB,
	SIM_ROCE,
	SIM_IWARP,
};

/* The numbers are written by debugfs, one by one. */
struct sim_port {
	struct net_device *netdev;	/* NULL on InfiniBand */
	unsigned int ngids;
	unsigned int npkeys;
	u32 state;
	u32 phys_state;
	u32 lid;
	u32 sm_lid;
	u32 speed;
	u32 width;
	u32 fail;
	spinlock_t lock;		/* an entry of a table changes in one */
	u16 pkey[SIM_TABLE];
	union ib_gid gid[SIM_TABLE];	/* RoCE: the core has the table */
};

/*
 * Made when its driver is bound, freed when that is unbound. dir goes last, and
 * dispatch before the device is unregistered: debugfs_remove() waits for
 * whoever is inside one of these files, so a device that is gone reports no
 * event to the core. Objects go on reporting theirs until they are destroyed.
 */
struct sim_dev {
	struct ib_device ib;
	struct dentry *dir;
	struct dentry *dispatch[2];
	char name[IB_DEVICE_NAME_MAX];
	enum sim_link link;
	struct sim_port port[SIM_PORTS];

	/*
	 * Protects the list and the numbers. Who has an object report events
	 * holds it for reading, so destroying the object waits for that: the
	 * fence that drivers have in destroy_qp() and the like.
	 */
	struct rw_semaphore objects_lock;
	struct list_head objects;
	u32 last_number;
};

enum sim_type {
	SIM_QP,
	SIM_CQ,
	SIM_SRQ,
	SIM_WQ,
};

/* A QP, CQ, SRQ or WQ, embedded in what the core or create_wq() allocates. */
struct sim_object {
	struct list_head list;
	enum sim_type type;
	raw_spinlock_t lock;		/* held over events in hard interrupt */
	union {
		struct ib_qp *qp;
		struct ib_cq *cq;
		struct ib_srq *srq;
		struct ib_wq *wq;
	};
};

static inline struct sim_dev *to_sim(struct ib_device *ib)
{
	return container_of(ib, struct sim_dev, ib);
}

static inline struct sim_port *sim_port(struct ib_device *ib, unsigned int num)
{
	return &to_sim(ib)->port[num - 1];
}

extern const struct ib_device_ops sim_port_ops;
extern const struct ib_device_ops sim_verbs_ops;
extern const struct ib_device_ops sim_cq_ops;
extern const struct ib_device_ops sim_qp_ops;
extern const struct ib_device_ops sim_qp_life_ops;

int sim_ports_init(struct sim_dev *sim, u64 guid);
void sim_ports_exit(struct sim_dev *sim);
void sim_port_files(struct sim_dev *sim);
void sim_event_files(struct sim_dev *sim);
void sim_cq_files(struct sim_dev *sim);
void sim_qp_files(struct sim_dev *sim);

void sim_publish(struct sim_dev *sim, struct sim_object *obj,
		 enum sim_type type);
void sim_retract(struct sim_dev *sim, struct sim_object *obj);
u32 sim_next_number(struct sim_dev *sim);
struct sim_object *sim_find_object(struct sim_dev *sim, enum sim_type type,
				   u32 number);
void sim_cq_add(struct ib_cq *ibcq, const struct ib_wc *wc, bool solicited);

#endif /* RDMAEV_TEST_SIM_MODULE_H */
