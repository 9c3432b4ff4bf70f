// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Simulated HCAs: calls of the driver that fail, or do not return */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/string.h>

#include "files.h"
#include "sim.h"

static const char * const calls[SIM_CALLS] = {
	[SIM_ALLOC_PD] = "alloc_pd",
	[SIM_CREATE_CQ] = "create_cq",
	[SIM_CREATE_QP] = "create_qp",
	[SIM_CREATE_RC] = "create_rc",
	[SIM_MODIFY_QP] = "modify_qp",
	[SIM_CREATE_AH] = "create_ah",
	[SIM_REQ_NOTIFY] = "req_notify",
	[SIM_POST_SEND] = "post_send",
	[SIM_POLL_CQ] = "poll_cq",
	[SIM_DESTROY_AH] = "destroy_ah",
	[SIM_DESTROY_QP] = "destroy_qp",
	[SIM_DESTROY_CQ] = "destroy_cq",
};

/*
 * 0, or the -errno that the call is to return. Sleeps if it is to hang: only
 * callers that may sleep ask for that.
 */
int sim_fault(struct ib_device *ib, enum sim_call call)
{
	const int *fault = &to_sim(ib)->fault[call];

	while (READ_ONCE(*fault) == SIM_HANG && !READ_ONCE(sim_is_leaving))
		msleep(20);
	return min(READ_ONCE(*fault), 0);
}

static int fault_write(void *data, const char *text)
{
	struct sim_dev *sim = data;
	char name[16];
	int call, fault;

	if (sscanf(text, "%15s %d", name, &fault) != 2 || fault > SIM_HANG)
		return -EINVAL;
	call = match_string(calls, SIM_CALLS, name);
	if (call < 0)
		return call;
	WRITE_ONCE(sim->fault[call], fault);
	return 0;
}
DEFINE_WRITE_ATTRIBUTE(fault);

/* After the device has its directory */
void sim_fault_files(struct sim_dev *sim)
{
	debugfs_create_file("fault", 0200, sim->dir, sim, &fault_fops);
}
