// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Made from include/rdmaev.yaml: selftests/described --write */
#include "catalogue.h"
#include "internal.h"

const char *kind_name(unsigned int number)
{
	static const char * const names[] = {
		[1] = "device",
		[2] = "port",
		[3] = "async",
		[4] = "wc",
		[5] = "completion",
		[6] = "lost",
		[7] = "qp",
		[8] = "observer",
		[9] = "cm",
		[10] = "note",
		[11] = "probe",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

const char *severity_name(unsigned int number)
{
	static const char * const names[] = {
		[1] = "info",
		[2] = "warning",
		[3] = "error",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

const char *object_name(unsigned int number)
{
	static const char * const names[] = {
		[1] = "device",
		[2] = "port",
		[3] = "qp",
		[4] = "cq",
		[5] = "srq",
		[6] = "wq",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

const char *source_name(unsigned int number)
{
	static const char * const names[] = {
		[0] = "rdmaev",
		[1] = "handler",
		[2] = "ulp",
		[3] = "observer",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

const char *ring_name(unsigned int number)
{
	static const char * const names[] = {
		[0] = "port",
		[1] = "error",
		[2] = "info",
		[3] = "user",
		[255] = "any",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

const char *qp_type_name(unsigned int number)
{
	static const char * const names[] = {
		[0] = "SMI",
		[1] = "GSI",
		[2] = "RC",
		[3] = "UC",
		[4] = "UD",
		[8] = "RAW_PACKET",
		[9] = "XRC_INI",
		[10] = "XRC_TGT",
		[255] = "DRIVER",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

const char *gid_type_name(unsigned int number)
{
	static const char * const names[] = {
		[1] = "IB",
		[2] = "RoCE v1",
		[3] = "RoCE v2",
		[4] = "iWARP",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

const char *netdev_change_name(unsigned int number)
{
	static const char * const names[] = {
		[1] = "deleted",
		[2] = "moved",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

const char *state_name(unsigned long long number)
{
	static const char * const names[] = {
		[1] = "DOWN",
		[2] = "INIT",
		[3] = "ARMED",
		[4] = "ACTIVE",
		[5] = "ACTIVE_DEFER",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

const char *phys_state_name(unsigned long long number)
{
	static const char * const names[] = {
		[1] = "SLEEP",
		[2] = "POLLING",
		[3] = "DISABLED",
		[4] = "TRAINING",
		[5] = "LINK_UP",
		[6] = "LINK_ERROR_RECOVERY",
		[7] = "PHY_TEST",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

const char *observed_name(unsigned int bit)
{
	static const char * const names[] = {
		[0] = "user events",
		[1] = "kernel events",
		[2] = "QP states",
		[3] = "QP ends",
		[4] = "user CQs",
		[5] = "kernel CQs",
		[6] = "connections",
		[7] = "connection owners",
		[8] = "polled CQs",
	};

	return bit < ARRAY_SIZE(names) ? names[bit] : NULL;
}

const char *qp_flag_name(unsigned int bit)
{
	static const char * const names[] = {
		[0] = "out_of_memory",
	};

	return bit < ARRAY_SIZE(names) ? names[bit] : NULL;
}

const char *part_name(unsigned int bit)
{
	static const char * const names[] = {
		[0] = "uverbs",
		[1] = "umad",
	};

	return bit < ARRAY_SIZE(names) ? names[bit] : NULL;
}

const char *protocol_name(unsigned int bit)
{
	static const char * const names[] = {
		[0] = "IB",
		[1] = "RoCE",
		[2] = "iWARP",
	};

	return bit < ARRAY_SIZE(names) ? names[bit] : NULL;
}

const char *probe_state_name(unsigned int number)
{
	static const char * const names[] = {
		[0] = "off",
		[1] = "inactive",
		[2] = "starting",
		[3] = "ok",
		[4] = "late",
		[5] = "lost",
		[6] = "failed",
		[7] = "stuck",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

const char *probe_method_name(unsigned int number)
{
	static const char * const names[] = {
		[1] = "RC",
		[2] = "UD",
		[3] = "rdma_cm",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

const char *probe_call_name(unsigned int number)
{
	static const char * const names[] = {
		[1] = "alloc_pd",
		[2] = "create_cq",
		[3] = "create_qp",
		[4] = "modify_qp",
		[5] = "create_ah",
		[6] = "connect",
		[7] = "req_notify_cq",
		[8] = "post_send",
		[9] = "poll_cq",
		[10] = "destroy_ah",
		[11] = "destroy_qp",
		[12] = "destroy_cq",
		[13] = "dealloc_pd",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

const char *rdmaev_wc_opcode_name(unsigned int number)
{
	static const char * const names[] = {
		[0] = "OTHER",
		[1] = "SEND",
		[2] = "WRITE",
		[3] = "READ",
		[4] = "ATOMIC",
		[5] = "MEMORY",
		[6] = "RECV",
		[7] = "RECV_IMM",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}
