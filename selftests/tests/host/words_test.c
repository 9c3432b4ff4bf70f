// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Names in librdmaev: names and numbers of events, completion statuses and QP
 * states, compared with those of libibverbs; and their spellings.
 */
#include <ctype.h>

#include <infiniband/verbs.h>
#include <rdmaev.h>

#include "common.h"
#include "kselftest_harness.h"

/*
 * struct verbs - values of libibverbs, which the catalogue is compared with;
 * explain.golden has all names
 * @number: value in rdmaev
 * @verbs: value of the constant in its header
 * @name: of that constant, without its prefix
 * @text: text in its library
 */
struct verbs {
	unsigned int number;
	unsigned int verbs;
	const char *name;
	const char *text;
};

#define EVENT(number, name, text) { number, IBV_EVENT_##name, #name, text }
#define STATUS(number, name, text) { number, IBV_WC_##name, #name, text }
#define STATE(number, name) { number, IBV_QPS_##name, #name, NULL }

static const struct verbs verbs_events[] = {
	EVENT(0, CQ_ERR, "CQ error"),
	EVENT(1, QP_FATAL, "local work queue catastrophic error"),
	EVENT(2, QP_REQ_ERR, "invalid request local work queue error"),
	EVENT(3, QP_ACCESS_ERR, "local access violation work queue error"),
	EVENT(4, COMM_EST, "communication established"),
	EVENT(5, SQ_DRAINED, "send queue drained"),
	EVENT(6, PATH_MIG, "path migrated"),
	EVENT(7, PATH_MIG_ERR, "path migration request error"),
	EVENT(8, DEVICE_FATAL, "local catastrophic error"),
	EVENT(9, PORT_ACTIVE, "port active"),
	EVENT(10, PORT_ERR, "port error"),
	EVENT(11, LID_CHANGE, "LID change"),
	EVENT(12, PKEY_CHANGE, "P_Key change"),
	EVENT(13, SM_CHANGE, "SM change"),
	EVENT(14, SRQ_ERR, "SRQ catastrophic error"),
	EVENT(15, SRQ_LIMIT_REACHED, "SRQ limit reached"),
	EVENT(16, QP_LAST_WQE_REACHED, "last WQE reached"),
	EVENT(17, CLIENT_REREGISTER, "client reregistration"),
	EVENT(18, GID_CHANGE, "GID table change"),
	EVENT(19, WQ_FATAL, "WQ fatal"),
};

static const struct verbs verbs_statuses[] = {
	STATUS(0, SUCCESS, "success"),
	STATUS(1, LOC_LEN_ERR, "local length error"),
	STATUS(2, LOC_QP_OP_ERR, "local QP operation error"),
	STATUS(3, LOC_EEC_OP_ERR, "local EE context operation error"),
	STATUS(4, LOC_PROT_ERR, "local protection error"),
	STATUS(5, WR_FLUSH_ERR, "Work Request Flushed Error"),
	STATUS(6, MW_BIND_ERR, "memory management operation error"),
	STATUS(7, BAD_RESP_ERR, "bad response error"),
	STATUS(8, LOC_ACCESS_ERR, "local access error"),
	STATUS(9, REM_INV_REQ_ERR, "remote invalid request error"),
	STATUS(10, REM_ACCESS_ERR, "remote access error"),
	STATUS(11, REM_OP_ERR, "remote operation error"),
	STATUS(12, RETRY_EXC_ERR, "transport retry counter exceeded"),
	STATUS(13, RNR_RETRY_EXC_ERR, "RNR retry counter exceeded"),
	STATUS(14, LOC_RDD_VIOL_ERR, "local RDD violation error"),
	STATUS(15, REM_INV_RD_REQ_ERR, "remote invalid RD request"),
	STATUS(16, REM_ABORT_ERR, "aborted error"),
	STATUS(17, INV_EECN_ERR, "invalid EE context number"),
	STATUS(18, INV_EEC_STATE_ERR, "invalid EE context state"),
	STATUS(19, FATAL_ERR, "fatal error"),
	STATUS(20, RESP_TIMEOUT_ERR, "response timeout error"),
	STATUS(21, GENERAL_ERR, "general error"),
	STATUS(22, TM_ERR, "TM error"),
	STATUS(23, TM_RNDV_INCOMPLETE, "TM software rendezvous"),
};

static const struct verbs verbs_states[] = {
	STATE(0, RESET), STATE(1, INIT), STATE(2, RTR), STATE(3, RTS),
	STATE(4, SQD), STATE(5, SQE), STATE(6, ERR),
};

/* @prefix and @name, in upper or lower case, with - or with _ */
static const char *spelt(const char *prefix, const char *name, bool capitals,
			 char dash)
{
	static char buf[64];
	char *c;

	snprintf(buf, sizeof(buf), "%s%s", prefix, name);
	for (c = buf; *c; c++) {
		if (*c == '_')
			*c = dash;
		else if (!capitals)
			*c = tolower(*c);
	}
	return buf;
}

#define FOR_EACH_SPELLING(i, prefixes)	\
	for ((i) = 0; (i) < 4 * ARRAY_SIZE(prefixes); (i)++)
#define SPELT(i, prefixes, name)	\
	spelt((prefixes)[(i) / 4], name, (i) & 1, (i) & 2 ? '-' : '_')

/* Every event under its number, in every spelling */
TEST(events)
{
	static const char * const prefixes[] = { "", "IB_EVENT_", "IBV_EVENT_" };
	unsigned int i, n, kind, code;
	char number[16];

	for (n = 0; n < ARRAY_SIZE(verbs_events); n++) {
		const struct verbs *v = &verbs_events[n];

		ASSERT_EQ(v->number, n);
		ASSERT_EQ(v->verbs, n);
		EXPECT_STREQ(rdmaev_event_name(RDMAEV_KIND_ASYNC, n), v->name);
		/*
		 * libibverbs did not have a text for the last one for a long
		 * time.
		 */
		if (n != IBV_EVENT_WQ_FATAL || strcmp(ibv_event_type_str(n), "unknown"))
			EXPECT_STREQ(ibv_event_type_str(n), v->text);
		FOR_EACH_SPELLING(i, prefixes) {
			kind = 99;
			code = 99;
			EXPECT_EQ(rdmaev_event_parse(SPELT(i, prefixes, v->name),
						     &kind, &code), 0)
				TH_LOG("%s", SPELT(i, prefixes, v->name));
			EXPECT_EQ(kind, RDMAEV_KIND_ASYNC);
			EXPECT_EQ(code, n);
		}
		snprintf(number, sizeof(number), "%u", n);
		EXPECT_EQ(rdmaev_event_parse(number, &kind, &code), 0);
		EXPECT_EQ(kind, RDMAEV_KIND_ASYNC);
		EXPECT_EQ(code, n);
	}
	/* Values that only a later libibverbs has are named here, too. */
	for (; n < 64; n++)
		if (strcmp(ibv_event_type_str(n), "unknown"))
			EXPECT_NE(rdmaev_event_name(RDMAEV_KIND_ASYNC, n), NULL)
				TH_LOG("%u", n);
}

TEST(statuses)
{
	static const char * const prefixes[] = { "", "IB_WC_", "IBV_WC_", "WC_" };
	unsigned int i, n, kind, code, status;
	char number[16];

	for (n = 0; n < ARRAY_SIZE(verbs_statuses); n++) {
		const struct verbs *v = &verbs_statuses[n];

		ASSERT_EQ(v->number, n);
		ASSERT_EQ(v->verbs, n);
		EXPECT_STREQ(rdmaev_wc_status_name(n), v->name);
		EXPECT_STREQ(rdmaev_event_name(RDMAEV_KIND_WC, n), v->name);
		EXPECT_STREQ(ibv_wc_status_str(n), v->text);
		ASSERT_NE(rdmaev_wc_status_describe(n), NULL);
		EXPECT_STREQ(rdmaev_event_describe(RDMAEV_KIND_WC, n),
			     rdmaev_wc_status_describe(n));
		EXPECT_STREQ(rdmaev_event_advice(RDMAEV_KIND_WC, n),
			     rdmaev_wc_status_advice(n));
		FOR_EACH_SPELLING(i, prefixes) {
			kind = 99;
			code = 99;
			status = 99;
			EXPECT_EQ(rdmaev_event_parse(SPELT(i, prefixes, v->name),
						     &kind, &code), 0)
				TH_LOG("%s", SPELT(i, prefixes, v->name));
			EXPECT_EQ(kind, RDMAEV_KIND_WC);
			EXPECT_EQ(code, n);
			EXPECT_EQ(rdmaev_wc_status_parse(SPELT(i, prefixes, v->name),
							 &status), 0);
			EXPECT_EQ(status, n);
		}
		snprintf(number, sizeof(number), "wc-%u", n);
		EXPECT_EQ(rdmaev_event_parse(number, &kind, &code), 0);
		EXPECT_EQ(kind, RDMAEV_KIND_WC);
		EXPECT_EQ(code, n);
		status = 99;
		EXPECT_EQ(rdmaev_wc_status_parse(number + 3, &status), 0);
		EXPECT_EQ(status, n);
	}
	for (; n < 64; n++) {
		EXPECT_EQ(rdmaev_wc_status_name(n), NULL);
		EXPECT_EQ(rdmaev_wc_status_describe(n), NULL);
		EXPECT_EQ(rdmaev_wc_status_advice(n), NULL);
		EXPECT_STREQ(ibv_wc_status_str(n), "unknown");
	}
}

TEST(cm_reasons)
{
	static const char * const prefixes[] = { "", "IB_CM_REJ_", "REJ_" };
	unsigned int i, known = 0;
	char number[16];
	int n, reason;

	for (n = 0; n < 64; n++) {
		const char *name = rdmaev_cm_reason_name(n);

		snprintf(number, sizeof(number), "rej-%d", n);
		reason = -1;
		EXPECT_EQ(rdmaev_cm_reason_parse(number, &reason), 0);
		EXPECT_EQ(reason, n);
		reason = -1;
		EXPECT_EQ(rdmaev_cm_reason_parse(number + 4, &reason), 0);
		EXPECT_EQ(reason, n);
		EXPECT_EQ(!name, !rdmaev_cm_reason_describe(n));
		EXPECT_EQ(!name, !rdmaev_cm_reason_advice(n));
		if (!name)
			continue;
		known++;
		EXPECT_GT(strlen(rdmaev_cm_reason_describe(n)), 10);
		EXPECT_GT(strlen(rdmaev_cm_reason_advice(n)), 10);
		FOR_EACH_SPELLING(i, prefixes) {
			reason = -1;
			EXPECT_EQ(rdmaev_cm_reason_parse(SPELT(i, prefixes, name),
							 &reason), 0)
				TH_LOG("%s", SPELT(i, prefixes, name));
			EXPECT_EQ(reason, n);
		}
	}
	EXPECT_GT(known, 30);
	EXPECT_EQ(rdmaev_cm_reason_name(-1), NULL);
	EXPECT_EQ(rdmaev_cm_reason_name(-111), NULL);
	EXPECT_EQ(rdmaev_cm_reason_describe(-111), NULL);
	EXPECT_EQ(rdmaev_cm_reason_advice(-111), NULL);
}

/* Each opcode that completions are counted by, and no more */
TEST(opcodes)
{
	static const char * const names[RDMAEV_OPCODES] = {
		"OTHER", "SEND", "WRITE", "READ", "ATOMIC", "MEMORY", "RECV",
		"RECV_IMM",
	};
	unsigned int i;

	for (i = 0; i < RDMAEV_OPCODES; i++)
		EXPECT_STREQ(rdmaev_wc_opcode_name(i), names[i]);
	EXPECT_EQ(rdmaev_wc_opcode_name(i), NULL);
	EXPECT_EQ(rdmaev_wc_opcode_name(128), NULL);
	EXPECT_EQ(rdmaev_wc_opcode_name(~0U), NULL);
}

TEST(states)
{
	static const char * const prefixes[] = { "", "IB_QPS_", "IBV_QPS_", "QPS_" };
	unsigned int i, n, state;
	char number[16];

	for (n = 0; n < ARRAY_SIZE(verbs_states); n++) {
		const struct verbs *v = &verbs_states[n];

		ASSERT_EQ(v->number, n);
		ASSERT_EQ(v->verbs, n);
		EXPECT_STREQ(rdmaev_qp_state_name(n), v->name);
		ASSERT_NE(rdmaev_qp_state_describe(n), NULL);
		EXPECT_GT(strlen(rdmaev_qp_state_describe(n)), 10);
		FOR_EACH_SPELLING(i, prefixes) {
			state = 99;
			EXPECT_EQ(rdmaev_qp_state_parse(SPELT(i, prefixes, v->name),
							&state), 0)
				TH_LOG("%s", SPELT(i, prefixes, v->name));
			EXPECT_EQ(state, n);
		}
		snprintf(number, sizeof(number), "qps_%u", n);
		state = 99;
		EXPECT_EQ(rdmaev_qp_state_parse(number, &state), 0);
		EXPECT_EQ(state, n);
		state = 99;
		EXPECT_EQ(rdmaev_qp_state_parse(number + 4, &state), 0);
		EXPECT_EQ(state, n);
	}
	EXPECT_EQ(rdmaev_qp_state_name(n), NULL);
	EXPECT_EQ(rdmaev_qp_state_name(~0U), NULL);
	EXPECT_EQ(rdmaev_qp_state_describe(n), NULL);
	EXPECT_EQ(rdmaev_qp_state_parse("Error", &state), 0);
	EXPECT_EQ(state, IBV_QPS_ERR);
	EXPECT_EQ(rdmaev_qp_state_parse("ERROR", &state), 0);
	EXPECT_EQ(state, IBV_QPS_ERR);
}

/* Names of other families, invalid numbers; the arguments stay unchanged. */
TEST(parse_refuses)
{
	static const char * const statuses[] = {
		"", "PORT_ERR", "SQD", "IB_WC_", "IB_WC_PORT_ERR", "IBV_WC_SQD",
		"IB_EVENT_RETRY_EXC_ERR", "IB_WC_IBV_WC_SUCCESS", "RETRY_EXC_ER",
		"RETRY_EXC_ERRX", "RETRY EXC ERR", "65536", "-1", "0x1", "WC_",
		"WC_1x", "99999999999999999999", "wc:12", " 1", "1 ",
	};
	static const char * const states[] = {
		"", "PORT_ERR", "SUCCESS", "IB_QPS_", "IB_QPS_PORT_ERR", "SQ",
		"SQDD", "IB_WC_SQD", "IBV_EVENT_SQD", "65536", "-1", "QPS_",
		"Errors", "4294967296", "QPS_4x",
	};
	static const char * const reasons[] = {
		"", "PORT_ERR", "SQD", "IB_CM_REJ_", "REJ_", "REJ_x", "IB_CM_REJ_SQD",
		"STALE_CON", "STALE_CONNX", "STALE CONN", "65536", "-8", "REJ_-8", "0x8",
		"WC_8", "IB_CM_REJ_REJ_STALE_CONN", "CM_REJECTED", "RDMA_CM_EVENT_REJECTED",
	};
	unsigned int i, n = 77;
	int reason = 77;

	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		errno = 0;
		EXPECT_EQ(rdmaev_cm_reason_parse(reasons[i], &reason), -1)
			TH_LOG("'%s'", reasons[i]);
		EXPECT_EQ(errno, ENOENT);
	}
	EXPECT_EQ(reason, 77);
	for (i = 0; i < ARRAY_SIZE(statuses); i++) {
		errno = 0;
		EXPECT_EQ(rdmaev_wc_status_parse(statuses[i], &n), -1)
			TH_LOG("'%s'", statuses[i]);
		EXPECT_EQ(errno, ENOENT);
	}
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		errno = 0;
		EXPECT_EQ(rdmaev_qp_state_parse(states[i], &n), -1)
			TH_LOG("'%s'", states[i]);
		EXPECT_EQ(errno, ENOENT);
	}
	EXPECT_EQ(n, 77);
	errno = 0;
	EXPECT_EQ(rdmaev_wc_status_parse("65535", &n), 0);
	EXPECT_EQ(n, 65535);
	EXPECT_EQ(rdmaev_qp_state_parse("7", &n), 0);
	EXPECT_EQ(n, 7);
	EXPECT_EQ(errno, 0);
}

TEST(parse)
{
	static const struct {
		const char *name;
		unsigned int kind, code;
	} good[] = {
		{ "PORT_ERR", RDMAEV_KIND_ASYNC, 10 },
		{ "port_err", RDMAEV_KIND_ASYNC, 10 },
		{ "Port-Err", RDMAEV_KIND_ASYNC, 10 },
		{ "IB_EVENT_PORT_ERR", RDMAEV_KIND_ASYNC, 10 },
		{ "ib_event_port_err", RDMAEV_KIND_ASYNC, 10 },
		{ "IBV_EVENT_PORT_ERR", RDMAEV_KIND_ASYNC, 10 },
		{ "ibv-event-port-err", RDMAEV_KIND_ASYNC, 10 },
		{ "10", RDMAEV_KIND_ASYNC, 10 },
		{ "0", RDMAEV_KIND_ASYNC, 0 },
		{ "77", RDMAEV_KIND_ASYNC, 77 },
		{ "EVENT_77", RDMAEV_KIND_ASYNC, 77 },
		{ "65535", RDMAEV_KIND_ASYNC, 65535 },
		{ "PORT_STATE", RDMAEV_KIND_PORT, RDMAEV_PORT_STATE },
		{ "port_gid", RDMAEV_KIND_PORT, RDMAEV_PORT_GID },
		{ "PORT_OUTAGE_UNSEEN", RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE_UNSEEN },
		{ "PORT_OUTAGE", RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE },
		{ "PORT_OUTAGE_END", RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE_END },
		{ "PORT_QUERY_STUCK", RDMAEV_KIND_PORT, RDMAEV_PORT_QUERY_STUCK },
		{ "DEVICE_ADD", RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_ADD },
		{ "DEVICE_INCOMPLETE", RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_INCOMPLETE },
		{ "device-complete", RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_COMPLETE },
		{ "DEVICE_REMOVED", RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_REMOVED },
		{ "LOST", RDMAEV_KIND_LOST, 0 },
		{ "CQ_NOTIFIED", RDMAEV_KIND_COMPLETION, RDMAEV_COMPLETION_NOTIFIED },
		{ "cq-stalled", RDMAEV_KIND_COMPLETION, RDMAEV_COMPLETION_STALLED },
		{ "Cq_Recovered", RDMAEV_KIND_COMPLETION, RDMAEV_COMPLETION_RECOVERED },
		{ "WC_12", RDMAEV_KIND_WC, 12 },
		{ "wc_12", RDMAEV_KIND_WC, 12 },
		{ "WC-77", RDMAEV_KIND_WC, 77 },
		{ "IBV_WC_12", RDMAEV_KIND_WC, 12 },
		{ "WC_65535", RDMAEV_KIND_WC, 65535 },
		{ "SUCCESS", RDMAEV_KIND_WC, 0 },
		{ "QP_RESET", RDMAEV_KIND_QP, RDMAEV_QP_RESET },
		{ "qp-err", RDMAEV_KIND_QP, RDMAEV_QP_ERR },
		{ "QP_DESTROY", RDMAEV_KIND_QP, RDMAEV_QP_DESTROY },
		{ "QP_FATAL", RDMAEV_KIND_ASYNC, 1 },
		{ "OBSERVER_STARTED", RDMAEV_KIND_OBSERVER, RDMAEV_OBSERVER_STARTED },
		{ "observer-blind", RDMAEV_KIND_OBSERVER, RDMAEV_OBSERVER_BLIND },
		{ "CM_REJECTED", RDMAEV_KIND_CM, RDMAEV_CM_REJECTED },
		{ "cm-disconnected", RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED },
		{ "Cm_Addr_Resolved", RDMAEV_KIND_CM, 0 },
		{ "NOTE_INFO", RDMAEV_KIND_NOTE, RDMAEV_NOTE_INFO },
		{ "note-warning", RDMAEV_KIND_NOTE, RDMAEV_NOTE_WARNING },
		{ "NOTE_ERROR", RDMAEV_KIND_NOTE, RDMAEV_NOTE_ERROR },
		{ "PROBE_LATE", RDMAEV_KIND_PROBE, RDMAEV_PROBE_LATE },
		{ "probe_lost", RDMAEV_KIND_PROBE, RDMAEV_PROBE_LOST },
		{ "PROBE_FAILED", RDMAEV_KIND_PROBE, RDMAEV_PROBE_FAILED },
		{ "probe-stuck", RDMAEV_KIND_PROBE, RDMAEV_PROBE_STUCK },
		{ "PROBE_OK", RDMAEV_KIND_PROBE, RDMAEV_PROBE_OK },
	};
	static const char * const bad[] = {
		"", "PORT", "PORT_ERRX", "PORT_ER", "65536", "-1", "+1", " 10",
		"10 ", "0x10", "99999999999999999999", "EVENT_", "EVENT_x",
		"IB_EVENT_", "IBV_EVENT_IB_EVENT_PORT_ERR", "PORT ERR",
		"WC_", "WC_x", "IB_WC_", "WC_65536", "wc:12", "IB_WC_PORT_ERR",
		"IBV_WC_PORT_STATE", "IBV_EVENT_RETRY_EXC_ERR",
		"IB_EVENT_DEVICE_ADD", "SQD", "IB_QPS_SQD", "IB_EVENT_CQ_STALLED",
		"WC_CQ_STALLED", "CQ_STALL", "IB_EVENT_QP_ERR", "IB_QP_ERR", "QP_6",
		"OBSERVER", "OBSERVER_3", "CM_8", "CM", "REJECTED",
		"IB_EVENT_CM_REJECTED", "STALE_CONN", "REJ_8", "NOTE", "NOTE_1",
	};
	unsigned int kind, code, i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		kind = 99;
		code = 99;
		ASSERT_EQ(rdmaev_event_parse(good[i].name, &kind, &code), 0)
			TH_LOG("%s", good[i].name);
		EXPECT_EQ(kind, good[i].kind);
		EXPECT_EQ(code, good[i].code);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		errno = 0;
		EXPECT_EQ(rdmaev_event_parse(bad[i], &kind, &code), -1)
			TH_LOG("'%s'", bad[i]);
		EXPECT_EQ(errno, ENOENT);
	}
}

/* Each name can be looked up, and has its texts. */
TEST(words)
{
	unsigned int kind, code, k, c, known[RDMAEV_KIND_MAX + 1] = { 0 };

	for (kind = 0; kind <= RDMAEV_KIND_MAX; kind++) {
		for (code = 0; code < 300; code++) {
			const char *name = rdmaev_event_name(kind, code);
			const char *text = rdmaev_event_describe(kind, code);
			const char *advice = rdmaev_event_advice(kind, code);

			EXPECT_EQ(!name, !text);
			EXPECT_EQ(!name, !advice);
			if (!name)
				continue;
			known[kind]++;
			EXPECT_GT(strlen(text), 10);
			EXPECT_GT(strlen(advice), 5);
			EXPECT_EQ(strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"),
				  strlen(name));
			k = 99;
			c = 99;
			EXPECT_EQ(rdmaev_event_parse(name, &k, &c), 0);
			EXPECT_EQ(k, kind);
			EXPECT_EQ(c, code);
		}
	}
	for (kind = RDMAEV_KIND_DEVICE; kind <= RDMAEV_KIND_MAX; kind++)
		EXPECT_GT(known[kind], 0);
	EXPECT_STREQ(rdmaev_event_name(RDMAEV_KIND_ASYNC, 10), "PORT_ERR");
	EXPECT_EQ(rdmaev_event_name(RDMAEV_KIND_ASYNC, 21), NULL);
	EXPECT_EQ(rdmaev_event_name(~0U, ~0U), NULL);
}

TEST_HARNESS_MAIN
