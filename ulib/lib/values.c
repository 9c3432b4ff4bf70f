// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Names of the numbers in records: as the RDMA core and its tools spell them. */
#include <signal.h>

#include "catalogue.h"
#include "internal.h"

static const char *name_at(const char * const *names, size_t count,
			   unsigned long long n)
{
	return n < count ? names[n] : NULL;
}

RDMAEV_HAS_KINDS_UP_TO(PROBE);

const char *kind_name(unsigned int kind)
{
	static const char * const names[] = {
		[RDMAEV_KIND_DEVICE] = "device",
		[RDMAEV_KIND_PORT] = "port",
		[RDMAEV_KIND_ASYNC] = "async",
		[RDMAEV_KIND_WC] = "wc",
		[RDMAEV_KIND_COMPLETION] = "completion",
		[RDMAEV_KIND_LOST] = "lost",
		[RDMAEV_KIND_QP] = "qp",
		[RDMAEV_KIND_OBSERVER] = "observer",
		[RDMAEV_KIND_CM] = "cm",
		[RDMAEV_KIND_NOTE] = "note",
		[RDMAEV_KIND_PROBE] = "probe",
	};

	return name_at(names, ARRAY_SIZE(names), kind);
}

const char *severity_name(unsigned int severity)
{
	static const char * const names[] = {
		[RDMAEV_SEVERITY_INFO] = "info",
		[RDMAEV_SEVERITY_WARNING] = "warning",
		[RDMAEV_SEVERITY_ERROR] = "error",
	};

	return name_at(names, ARRAY_SIZE(names), severity);
}

const char *outage_begin_name(unsigned int flags)
{
	if (flags & RDMAEV_OUTAGE_AT_ADD)
		return "unknown";
	return flags & RDMAEV_OUTAGE_BEGIN_FOUND ? "query" : "event";
}

const char *qp_type_name(unsigned int type)
{
	static const char * const names[] = {
		[RDMAEV_QPT_SMI] = "SMI",
		[RDMAEV_QPT_GSI] = "GSI",
		[RDMAEV_QPT_RC] = "RC",
		[RDMAEV_QPT_UC] = "UC",
		[RDMAEV_QPT_UD] = "UD",
		[RDMAEV_QPT_RAW_PACKET] = "RAW_PACKET",
		[RDMAEV_QPT_XRC_INI] = "XRC_INI",
		[RDMAEV_QPT_XRC_TGT] = "XRC_TGT",
		[RDMAEV_QPT_DRIVER] = "DRIVER",
	};

	return name_at(names, ARRAY_SIZE(names), type);
}

const char *gid_type_name(unsigned int type)
{
	static const char * const names[] = {
		[RDMAEV_GID_IB] = "IB",
		[RDMAEV_GID_ROCE_V1] = "RoCE v1",
		[RDMAEV_GID_ROCE_V2] = "RoCE v2",
		[RDMAEV_GID_IWARP] = "iWARP",
	};

	return name_at(names, ARRAY_SIZE(names), type);
}

const char *object_name(unsigned int object)
{
	static const char * const names[] = {
		[RDMAEV_OBJECT_DEVICE] = "device",
		[RDMAEV_OBJECT_PORT] = "port",
		[RDMAEV_OBJECT_QP] = "qp",
		[RDMAEV_OBJECT_CQ] = "cq",
		[RDMAEV_OBJECT_SRQ] = "srq",
		[RDMAEV_OBJECT_WQ] = "wq",
	};

	return name_at(names, ARRAY_SIZE(names), object);
}

const char *source_name(unsigned int source)
{
	static const char * const names[] = {
		[RDMAEV_SOURCE_RDMAEV] = "rdmaev",
		[RDMAEV_SOURCE_HANDLER] = "handler",
		[RDMAEV_SOURCE_ULP] = "ulp",
		[RDMAEV_SOURCE_OBSERVER] = "observer",
	};

	return name_at(names, ARRAY_SIZE(names), source);
}

const char *ring_name(unsigned int ring)
{
	static const char * const names[] = {
		[RDMAEV_RING_PORT] = "port",
		[RDMAEV_RING_ERROR] = "error",
		[RDMAEV_RING_INFO] = "info",
		[RDMAEV_RING_USER] = "user",
	};

	return ring == RDMAEV_RING_ANY ? "any" : name_at(names, ARRAY_SIZE(names), ring);
}

const char *state_name(unsigned long long state)
{
	static const char * const names[] = {
		[RDMAEV_STATE_DOWN] = "DOWN",
		[RDMAEV_STATE_INIT] = "INIT",
		[RDMAEV_STATE_ARMED] = "ARMED",
		[RDMAEV_STATE_ACTIVE] = "ACTIVE",
		[RDMAEV_STATE_ACTIVE_DEFER] = "ACTIVE_DEFER",
	};

	return name_at(names, ARRAY_SIZE(names), state);
}

const char *phys_state_name(unsigned long long state)
{
	static const char * const names[] = {
		[RDMAEV_PHYS_SLEEP] = "SLEEP",
		[RDMAEV_PHYS_POLLING] = "POLLING",
		[RDMAEV_PHYS_DISABLED] = "DISABLED",
		[RDMAEV_PHYS_TRAINING] = "TRAINING",
		[RDMAEV_PHYS_LINK_UP] = "LINK_UP",
		[RDMAEV_PHYS_LINK_ERROR_RECOVERY] = "LINK_ERROR_RECOVERY",
		[RDMAEV_PHYS_PHY_TEST] = "PHY_TEST",
	};

	return name_at(names, ARRAY_SIZE(names), state);
}

static const struct speed {
	unsigned int bit;
	unsigned int rate;
	const char *name;
} speeds[] = {
	{ 1, 25, "SDR" },    { 2, 50, "DDR" },	  { 4, 100, "QDR" },
	{ 8, 100, "FDR10" }, { 16, 140, "FDR" },  { 32, 250, "EDR" },
	{ 64, 500, "HDR" },  { 128, 1000, "NDR" }, { 256, 2000, "XDR" },
};

static const struct speed *speed_find(unsigned long long bit)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(speeds); i++)
		if (speeds[i].bit == bit)
			return &speeds[i];
	return NULL;
}

const char *speed_name(unsigned long long speed)
{
	const struct speed *s = speed_find(speed);

	return s ? s->name : NULL;
}

unsigned int speed_rate(unsigned long long speed)
{
	const struct speed *s = speed_find(speed);

	return s ? s->rate : 0;
}

const char *width_name(unsigned long long width)
{
	static const char * const names[] = {
		[1] = "1X", [2] = "4X", [4] = "8X", [8] = "12X", [16] = "2X",
	};

	return name_at(names, ARRAY_SIZE(names), width);
}

unsigned int width_lanes(unsigned long long width)
{
	static const unsigned char lanes[] = {
		[1] = 1, [2] = 4, [4] = 8, [8] = 12, [16] = 2,
	};

	return width < sizeof(lanes) ? lanes[width] : 0;
}

const char *node_type_name(unsigned int type)
{
	static const char * const names[] = {
		[1] = "CA",
		[2] = "SWITCH",
		[3] = "ROUTER",
		[4] = "RNIC",
		[5] = "USNIC",
		[6] = "USNIC_UDP",
		[7] = "UNSPECIFIED",
	};

	return name_at(names, ARRAY_SIZE(names), type);
}

const char *link_layer_name(unsigned int layer)
{
	static const char * const names[] = {
		[1] = "InfiniBand",
		[2] = "Ethernet",
	};

	return name_at(names, ARRAY_SIZE(names), layer);
}

/* Signals that end a process by default */
const char *signal_name(unsigned int number)
{
	static const char * const names[] = {
		[SIGHUP] = "SIGHUP",
		[SIGINT] = "SIGINT",
		[SIGQUIT] = "SIGQUIT",
		[SIGILL] = "SIGILL",
		[SIGTRAP] = "SIGTRAP",
		[SIGABRT] = "SIGABRT",
		[SIGBUS] = "SIGBUS",
		[SIGFPE] = "SIGFPE",
		[SIGKILL] = "SIGKILL",
		[SIGUSR1] = "SIGUSR1",
		[SIGSEGV] = "SIGSEGV",
		[SIGUSR2] = "SIGUSR2",
		[SIGPIPE] = "SIGPIPE",
		[SIGALRM] = "SIGALRM",
		[SIGTERM] = "SIGTERM",
		[SIGXCPU] = "SIGXCPU",
		[SIGXFSZ] = "SIGXFSZ",
		[SIGVTALRM] = "SIGVTALRM",
		[SIGPROF] = "SIGPROF",
		[SIGIO] = "SIGIO",
		[SIGSYS] = "SIGSYS",
	};

	return name_at(names, ARRAY_SIZE(names), number);
}

/* By number of the bit RDMAEV_OBSERVES_BY_* */
const char *observes_by_name(unsigned int bit)
{
	static const char * const names[] = {
		"ftrace", "kprobe", "tracepoint", "operation",
	};

	return name_at(names, ARRAY_SIZE(names), bit);
}

/* By number of the bit RDMAEV_OBSERVED_* */
const char *observed_name(unsigned int bit)
{
	static const char * const names[] = {
		"user events", "kernel events", "QP states", "QP ends",
		"user CQs", "kernel CQs", "connections",
		"connection owners", "polled CQs",
	};

	return name_at(names, ARRAY_SIZE(names), bit);
}

/* By number of the bit RDMAEV_PART_* */
const char *part_name(unsigned int bit)
{
	static const char * const names[] = { "uverbs", "umad" };

	return name_at(names, ARRAY_SIZE(names), bit);
}

const char *probe_state_name(unsigned int state)
{
	static const char * const names[] = {
		[RDMAEV_PROBE_STATE_OFF] = "off",
		[RDMAEV_PROBE_STATE_INACTIVE] = "inactive",
		[RDMAEV_PROBE_STATE_STARTING] = "starting",
		[RDMAEV_PROBE_STATE_OK] = "ok",
		[RDMAEV_PROBE_STATE_LATE] = "late",
		[RDMAEV_PROBE_STATE_LOST] = "lost",
		[RDMAEV_PROBE_STATE_FAILED] = "failed",
		[RDMAEV_PROBE_STATE_STUCK] = "stuck",
	};

	return name_at(names, ARRAY_SIZE(names), state);
}

const char *probe_method_name(unsigned int method)
{
	static const char * const names[] = {
		[RDMAEV_PROBE_BY_RC] = "RC",
		[RDMAEV_PROBE_BY_UD] = "UD",
		[RDMAEV_PROBE_BY_CM] = "rdma_cm",
	};

	return name_at(names, ARRAY_SIZE(names), method);
}

const char *probe_call_name(unsigned int call)
{
	static const char * const names[] = {
		[RDMAEV_PROBE_CALL_ALLOC_PD] = "alloc_pd",
		[RDMAEV_PROBE_CALL_CREATE_CQ] = "create_cq",
		[RDMAEV_PROBE_CALL_CREATE_QP] = "create_qp",
		[RDMAEV_PROBE_CALL_MODIFY_QP] = "modify_qp",
		[RDMAEV_PROBE_CALL_CREATE_AH] = "create_ah",
		[RDMAEV_PROBE_CALL_CONNECT] = "connect",
		[RDMAEV_PROBE_CALL_REQ_NOTIFY] = "req_notify_cq",
		[RDMAEV_PROBE_CALL_POST_SEND] = "post_send",
		[RDMAEV_PROBE_CALL_POLL_CQ] = "poll_cq",
		[RDMAEV_PROBE_CALL_DESTROY_AH] = "destroy_ah",
		[RDMAEV_PROBE_CALL_DESTROY_QP] = "destroy_qp",
		[RDMAEV_PROBE_CALL_DESTROY_CQ] = "destroy_cq",
		[RDMAEV_PROBE_CALL_DEALLOC_PD] = "dealloc_pd",
	};

	return name_at(names, ARRAY_SIZE(names), call);
}

const char *rdmaev_wc_opcode_name(unsigned int opcode)
{
	static const char * const names[] = {
		[RDMAEV_WC_OTHER] = "OTHER",
		[RDMAEV_WC_SEND] = "SEND",
		[RDMAEV_WC_WRITE] = "WRITE",
		[RDMAEV_WC_READ] = "READ",
		[RDMAEV_WC_ATOMIC] = "ATOMIC",
		[RDMAEV_WC_MEMORY] = "MEMORY",
		[RDMAEV_WC_RECV] = "RECV",
		[RDMAEV_WC_RECV_IMM] = "RECV_IMM",
	};

	return name_at(names, ARRAY_SIZE(names), opcode);
}
