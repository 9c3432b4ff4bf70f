// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Operations of another module in place of those that are there, see NAME/cover */
#include <linux/debugfs.h>

#include "files.h"
#include "sim.h"

/* They call what was there before, or the driver's. */
static int covering_poll_cq(struct ib_cq *cq, int n, struct ib_wc *wc)
{
	struct sim_dev *sim = to_sim(cq->device);

	if (READ_ONCE(sim->cover_skips))
		return sim_cq_ops.poll_cq(cq, n, wc);
	return sim->covered_poll_cq(cq, n, wc);
}

static int covering_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			      struct ib_udata *udata)
{
	struct sim_dev *sim = to_sim(qp->device);

	if (READ_ONCE(sim->cover_skips))
		return sim_qp_ops.modify_qp(qp, attr, mask, udata);
	return sim->covered_modify_qp(qp, attr, mask, udata);
}

static int covering_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	struct sim_dev *sim = to_sim(qp->device);

	if (READ_ONCE(sim->cover_skips))
		return sim_qp_life_ops.destroy_qp(qp, udata);
	return sim->covered_destroy_qp(qp, udata);
}

static void cover(struct sim_dev *sim, bool skips)
{
	struct ib_device *ib = &sim->ib;

	WRITE_ONCE(sim->cover_skips, skips);
	sim->covered_poll_cq = ib->ops.poll_cq;
	sim->covered_modify_qp = ib->ops.modify_qp;
	sim->covered_destroy_qp = ib->ops.destroy_qp;
	/* Pairs with the address dependencies of callers. */
	smp_wmb();
	WRITE_ONCE(ib->ops.poll_cq, covering_poll_cq);
	WRITE_ONCE(ib->ops.modify_qp, covering_modify_qp);
	WRITE_ONCE(ib->ops.destroy_qp, covering_destroy_qp);
}

static void uncover(struct sim_dev *sim)
{
	struct ib_device *ib = &sim->ib;

	WRITE_ONCE(ib->ops.poll_cq, sim->covered_poll_cq);
	WRITE_ONCE(ib->ops.modify_qp, sim->covered_modify_qp);
	WRITE_ONCE(ib->ops.destroy_qp, sim->covered_destroy_qp);
}

/* One write at a time, while nobody uses the device */
static int cover_write(void *data, const char *text)
{
	struct sim_dev *sim = data;
	const struct ib_device *ib = &sim->ib;
	bool is_covered = ib->ops.poll_cq == covering_poll_cq &&
			  ib->ops.modify_qp == covering_modify_qp &&
			  ib->ops.destroy_qp == covering_destroy_qp;

	if (*text == '0' && is_covered)
		uncover(sim);
	else if ((*text == '1' || *text == '2') && !is_covered)
		cover(sim, *text == '2');
	else if (*text == '1' && is_covered)
		WRITE_ONCE(sim->cover_skips, false);
	else
		return -EINVAL;
	return 0;
}
DEFINE_WRITE_ATTRIBUTE(cover);

/* After the device has its directory */
void sim_cover_files(struct sim_dev *sim)
{
	debugfs_create_file("cover", 0200, sim->dir, sim, &cover_fops);
}
