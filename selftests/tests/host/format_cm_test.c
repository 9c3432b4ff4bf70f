// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events of rdma_cm as text and as JSON: both ends of the connection, QP and
 * owner, and why it was refused or ended.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>

#include "format.h"
#include "kselftest_harness.h"

/* An address as in a record: an IPv4 one is IPv4-mapped. */
static void set_addr(uint8_t *addr, const char *name)
{
	char mapped[64];

	snprintf(mapped, sizeof(mapped), "%s%s", strchr(name, ':') ? "" : "::ffff:", name);
	if (inet_pton(AF_INET6, mapped, addr) != 1)
		abort();
}

/* A connection of a process, from 192.0.2.1:45678 to 192.0.2.2:4420 */
static struct rdmaev_record made_up_cm(unsigned int code, int status)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_CM, code);
	struct rdmaev_cm_body *body = &e.body.cm;

	e.object_type = RDMAEV_OBJECT_QP;
	e.object = 20;
	e.port = 1;
	e.pid = 206;
	e.source = RDMAEV_SOURCE_OBSERVER;
	body->info.known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_UID | RDMAEV_KNOWN_PID_NS |
			   RDMAEV_KNOWN_LOCAL_ADDR | RDMAEV_KNOWN_PEER_ADDR;
	body->status = status;
	body->family = RDMAEV_FAMILY_INET;
	body->port_space = RDMAEV_PORT_SPACE_TCP;
	body->local_port = 45678;
	body->peer_port = 4420;
	body->info.uid = 1000;
	body->info.pid_ns = 9;
	strcpy(body->info.owner, "rping");
	set_addr(body->local_addr, "192.0.2.1");
	set_addr(body->peer_addr, "192.0.2.2");
	return e;
}

#define SUBJECT "QP 20 of rping[206]: "
#define ENDS "connection from 192.0.2.1:45678 to 192.0.2.2:4420"

/* Each code that is recorded, and statuses that it can have */
TEST(outcomes)
{
	static const struct {
		unsigned int code;
		int status;
		const char *human;
	} cases[] = {
		{ RDMAEV_CM_ADDR_ERROR, -ETIMEDOUT, " CM_ADDR_ERROR        " SUBJECT ENDS
		  " failed: address not resolved: Connection timed out (-110)  #41" },
		{ RDMAEV_CM_ROUTE_ERROR, -EINVAL, " CM_ROUTE_ERROR       " SUBJECT ENDS
		  " failed: path not resolved: Invalid argument (-22)  #41" },
		{ RDMAEV_CM_CONNECT_ERROR, -ENOMEM, " CM_CONNECT_ERROR     " SUBJECT ENDS
		  " failed: Cannot allocate memory (-12)  #41" },
		{ RDMAEV_CM_UNREACHABLE, -ETIMEDOUT, " CM_UNREACHABLE       " SUBJECT ENDS
		  " failed: the peer did not answer  #41" },
		{ RDMAEV_CM_UNREACHABLE, -EHOSTUNREACH, " CM_UNREACHABLE       " SUBJECT ENDS
		  " failed: No route to host (-113)  #41" },
		{ RDMAEV_CM_REJECTED, -ECONNREFUSED, " CM_REJECTED          " SUBJECT ENDS
		  " refused: Connection refused (-111)  #41" },
		{ RDMAEV_CM_DISCONNECTED, 0, " CM_DISCONNECTED      " SUBJECT ENDS " closed  #41" },
		{ RDMAEV_CM_DISCONNECTED, -ETIMEDOUT, " CM_DISCONNECTED      " SUBJECT ENDS
		  " closed: the peer did not answer  #41" },
		{ RDMAEV_CM_DISCONNECTED, -ECONNRESET, " CM_DISCONNECTED      " SUBJECT ENDS
		  " closed: Connection reset by peer (-104)  #41" },
		{ RDMAEV_CM_DEVICE_REMOVAL, 0, " CM_DEVICE_REMOVAL    " SUBJECT ENDS
		  ": device is being removed  #41" },
		{ RDMAEV_CM_MULTICAST_ERROR, -ENETUNREACH, " CM_MULTICAST_ERROR   " SUBJECT
		  "multicast join from 192.0.2.1:45678 to 192.0.2.2:4420"
		  " failed: Network is unreachable (-101)  #41" },
		{ RDMAEV_CM_ADDR_CHANGE, 0, " CM_ADDR_CHANGE       " SUBJECT ENDS
		  ": hardware address has changed  #41" },
		{ RDMAEV_CM_ADDRINFO_ERROR, -ENODATA, " CM_ADDRINFO_ERROR    " SUBJECT ENDS
		  " failed: service name not resolved: No data available (-61)  #41" },
		/* The answer to a UD QP, which has no connection */
		{ RDMAEV_CM_UNREACHABLE, 1, ENDS " refused: SIDR status 1 (UNSUPPORTED)  #41" },
		{ RDMAEV_CM_UNREACHABLE, 5, ENDS
		  " refused: SIDR status 5 (UNSUPPORTED_VERSION)  #41" },
		{ RDMAEV_CM_UNREACHABLE, 6, ENDS " refused: SIDR status 6  #41" },
		{ RDMAEV_CM_UNREACHABLE, INT_MAX, " refused: SIDR status 2147483647  #41" },
		{ RDMAEV_CM_CONNECT_RESPONSE, 0, " CM_CONNECT_RESPONSE  " SUBJECT ENDS
		  " accepted  #41" },
		{ RDMAEV_CM_ESTABLISHED, 0, " CM_ESTABLISHED       " SUBJECT ENDS
		  " established  #41" },
		/* Codes that are only counted now, or have no name */
		{ RDMAEV_CM_INTERNAL, -5000, ENDS ": -5000  #41" },
		{ 20, 7, " CM_20                " SUBJECT ENDS ": status 7  #41" },
		{ 65535, INT_MIN, " CM_65535             " SUBJECT ENDS ": -2147483648  #41" },
	};
	struct rdmaev_record e;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		e = made_up_cm(cases[i].code, cases[i].status);
		EXPECT_STREQ(end_of(HUMAN(&e), cases[i].human), cases[i].human)
			TH_LOG("%u: %s", i, HUMAN(&e));
		EXPECT_HAS(JSON(&e), "\"reason\":null,");
	}
}

/* Reasons of a refused connection, by name and in words */
TEST(reasons)
{
	static const struct {
		int status;
		const char *human, *json;
	} cases[] = {
		{ 1, ENDS " refused: it has no QP left (NO_QP)  #41", "\"NO_QP\"" },
		{ 8, " CM_REJECTED          " SUBJECT ENDS
		  " refused: nobody listens there (INVALID_SERVICE_ID)  #41",
		  "\"INVALID_SERVICE_ID\"" },
		{ 10, ENDS " refused: it still has an older connection (STALE_CONN)  #41",
		  "\"STALE_CONN\"" },
		{ 28, ENDS " refused: its program or ULP refused (CONSUMER_DEFINED)  #41",
		  "\"CONSUMER_DEFINED\"" },
		{ 35, ENDS " refused: unknown vendor option (VENDOR_OPTION_NOT_SUPPORTED)  #41",
		  "\"VENDOR_OPTION_NOT_SUPPORTED\"" },
		{ 0, ENDS " refused  #41", "null" },
		{ 34, ENDS " refused: reason 34  #41", "null" },
		{ INT_MAX, ENDS " refused: reason 2147483647  #41", "null" },
		{ INT_MIN, ENDS " refused: -2147483648  #41", "null" },
	};
	struct rdmaev_record e;
	unsigned int i;
	char json[128];

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		e = made_up_cm(RDMAEV_CM_REJECTED, cases[i].status);
		EXPECT_STREQ(end_of(HUMAN(&e), cases[i].human), cases[i].human)
			TH_LOG("%u: %s", i, HUMAN(&e));
		snprintf(json, sizeof(json), "\"cm\":{\"claimed\":false,\"status\":%d,\"reason\":%s,",
			 cases[i].status, cases[i].json);
		EXPECT_HAS(JSON(&e), json);
	}
}

/* Addresses of each family, and ends that are not known */
TEST(ends)
{
	static const struct {
		unsigned int family;
		const char *local, *peer;
		unsigned int code;
		const char *human, *json;
	} cases[] = {
		{ RDMAEV_FAMILY_INET6, "2001:db8::1", "2001:db8::2", RDMAEV_CM_DISCONNECTED,
		  ": connection from [2001:db8::1]:45678 to [2001:db8::2]:4420 closed  #41",
		  "\"family\":10,\"port_space\":262,\"local_addr\":\"2001:db8::1\","
		  "\"local_port\":45678,\"peer_addr\":\"2001:db8::2\",\"peer_port\":4420," },
		{ RDMAEV_FAMILY_INET6, "192.0.2.1", "fe80::2", RDMAEV_CM_DISCONNECTED,
		  " from [::ffff:192.0.2.1]:45678 to [fe80::2]:4420 closed  #41",
		  "\"local_addr\":\"::ffff:192.0.2.1\"," },
		{ RDMAEV_FAMILY_IB, "fe80::1", "fe80::2", RDMAEV_CM_DISCONNECTED,
		  " from [fe80::1]:45678 to [fe80::2]:4420 closed  #41",
		  "\"family\":27,\"port_space\":262,\"local_addr\":\"fe80::1\"," },
		{ 77, "fe80::1", "fe80::2", RDMAEV_CM_DISCONNECTED,
		  " from [fe80::1]:45678 to [fe80::2]:4420 closed  #41", "\"family\":77," },
		{ RDMAEV_FAMILY_INET, NULL, "192.0.2.2", RDMAEV_CM_ADDR_ERROR,
		  ": connection to 192.0.2.2:4420 failed: address not resolved  #41",
		  "\"family\":2,\"port_space\":262,\"local_addr\":null,\"local_port\":null,"
		  "\"peer_addr\":\"192.0.2.2\",\"peer_port\":4420," },
		/* It listens. */
		{ RDMAEV_FAMILY_INET, "0.0.0.0", NULL, RDMAEV_CM_DEVICE_REMOVAL,
		  ": endpoint at 0.0.0.0:45678: device is being removed  #41",
		  "\"local_addr\":\"0.0.0.0\",\"local_port\":45678,"
		  "\"peer_addr\":null,\"peer_port\":null," },
		{ RDMAEV_FAMILY_INET, "192.0.2.1", NULL, RDMAEV_CM_MULTICAST_ERROR,
		  ": multicast join at 192.0.2.1:45678 failed  #41", "\"peer_addr\":null," },
		{ 0, NULL, NULL, RDMAEV_CM_DEVICE_REMOVAL,
		  ": connection: device is being removed  #41",
		  "\"family\":0,\"port_space\":262,\"local_addr\":null,\"local_port\":null,"
		  "\"peer_addr\":null,\"peer_port\":null," },
	};
	struct rdmaev_record e;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rdmaev_cm_body *body = &e.body.cm;

		e = made_up_cm(cases[i].code, 0);
		body->family = cases[i].family;
		body->info.known &= ~(uint32_t)(RDMAEV_KNOWN_LOCAL_ADDR | RDMAEV_KNOWN_PEER_ADDR);
		if (cases[i].local) {
			body->info.known |= RDMAEV_KNOWN_LOCAL_ADDR;
			set_addr(body->local_addr, cases[i].local);
		}
		if (cases[i].peer) {
			body->info.known |= RDMAEV_KNOWN_PEER_ADDR;
			set_addr(body->peer_addr, cases[i].peer);
		}
		EXPECT_STREQ(end_of(HUMAN(&e), cases[i].human), cases[i].human)
			TH_LOG("%u: %s", i, HUMAN(&e));
		EXPECT_HAS(JSON(&e), cases[i].json)
			TH_LOG("%u: %s", i, JSON(&e));
	}
}

/* QP and owner, as far as they are known */
TEST(owners)
{
	const uint32_t qp = RDMAEV_KNOWN_OBJECT, user = RDMAEV_KNOWN_UID,
		       peer = RDMAEV_KNOWN_PEER_QPN;
	const struct {
		uint32_t known, pid;
		const char *owner, *human, *json;
	} cases[] = {
		{ qp | user, 206, "rping", " QP 20 of rping[206]: connection closed  #41",
		  "\"object\":\"qp\",\"object_id\":20,\"count\":1,\"cause\":0,"
		  "\"pid\":206,\"comm\":\"rping\",\"cm\":{" },
		{ qp | user | peer, 206, "rping",
		  " QP 20 of rping[206], peer QP 18: connection closed  #41", "\"peer_qpn\":18," },
		{ qp | peer, 0, "nvme_rdma", " QP 20 of nvme_rdma, peer QP 18: connection closed  #41",
		  "\"pid\":0,\"comm\":null,\"cm\":{" },
		{ qp, 0, "", " QP 20: connection closed  #41",
		  "\"owner\":null,\"uid\":null," },
		{ qp | user, 206, "", " QP 20 pid 206: connection closed  #41",
		  "\"comm\":null," },
		{ user, 206, "rping", " rping[206]: connection closed  #41",
		  "\"object_id\":null," },
		{ user, 206, "", " pid 206: connection closed  #41",
		  "\"owner\":null,\"uid\":1000," },
		{ 0, 0, "nvme_rdma", " nvme_rdma: connection closed  #41",
		  "\"owner\":\"nvme_rdma\",\"uid\":null," },
		/* Nothing is known; the QP of the peer says nothing alone. */
		{ peer, 0, "", " CM_DISCONNECTED      connection closed  #41", "\"peer_qpn\":18," },
	};
	struct rdmaev_record e;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		e = made_up_cm(RDMAEV_CM_DISCONNECTED, 0);
		e.pid = cases[i].pid;
		e.body.info.known = cases[i].known;
		e.body.cm.peer_qpn = 18;
		memset(e.body.info.owner, 0, sizeof(e.body.info.owner));
		strcpy(e.body.info.owner, cases[i].owner);
		EXPECT_STREQ(end_of(HUMAN(&e), cases[i].human), cases[i].human)
			TH_LOG("%u: %s", i, HUMAN(&e));
		EXPECT_HAS(JSON(&e), cases[i].json)
			TH_LOG("%u: %s", i, JSON(&e));
	}
}

/* The whole line, and the whole object */
TEST(whole)
{
	struct rdmaev_record e = made_up_cm(RDMAEV_CM_REJECTED, 28);
	struct rdmaev_cm_body *body = &e.body.cm;

	e.severity = RDMAEV_SEVERITY_WARNING;
	e.cause = 40;
	body->info.known |= RDMAEV_KNOWN_QP_TYPE | RDMAEV_KNOWN_CGROUP | RDMAEV_KNOWN_PEER_QPN;
	body->info.qp_type = RDMAEV_QPT_RC;
	body->info.cgroup = 4711;
	body->peer_qpn = 18;
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3/1          CM_REJECTED          "
		     "QP 20 of rping[206], peer QP 18: " ENDS
		     " refused: its program or ULP refused (CONSUMER_DEFINED)  #41 <- #40");
	EXPECT_STREQ(JSON(&e),
		     "{\"seq\":41,\"time\":\"1970-01-02T00:00:00.064000005Z\",\"boottime_ns\":\"12003456789\","
		     "\"kind\":\"cm\",\"event\":\"CM_REJECTED\",\"code\":8,\"severity\":\"warning\","
		     "\"device\":\"dev3\",\"index\":3,\"generation\":7,\"port\":1,\"object\":\"qp\","
		     "\"object_id\":20,\"count\":1,\"cause\":40,\"pid\":206,\"comm\":\"rping\","
		     "\"cm\":{\"claimed\":false,\"status\":28,\"reason\":\"CONSUMER_DEFINED\",\"family\":2,"
		     "\"port_space\":262,\"local_addr\":\"192.0.2.1\",\"local_port\":45678,"
		     "\"peer_addr\":\"192.0.2.2\",\"peer_port\":4420,\"owner\":\"rping\",\"uid\":1000,"
		     "\"pid_ns\":9,\"cgroup\":4711,\"qp_type\":\"RC\",\"peer_qpn\":18,"
		     "\"connecting_ns\":\"0\"},\"source\":\"observer\",\"ring\":\"info\"}");
	body->info.known |= RDMAEV_KNOWN_CLAIMED;
	EXPECT_HAS(JSON(&e), "\"cm\":{\"claimed\":true,");
	body->connecting_ns = 1000000000;
	EXPECT_HAS(HUMAN(&e), " (CONSUMER_DEFINED)  #41 <- #40");
	EXPECT_HAS(JSON(&e), ",\"connecting_ns\":\"1000000000\"}");
	body->connecting_ns = 18200000000;
	EXPECT_HAS(HUMAN(&e), " (CONSUMER_DEFINED), after 18s  #41 <- #40");
	EXPECT_HAS(JSON(&e), ",\"connecting_ns\":\"18200000000\"}");
	e.count = 3;
	EXPECT_HAS(HUMAN(&e), " (CONSUMER_DEFINED), after 18s, x3  #41 <- #40");
	/* An id that is not bound to a device */
	e.generation = 0;
	e.device = 0;
	e.port = RDMAEV_NO_PORT;
	memset(e.device_name, 0, sizeof(e.device_name));
	EXPECT_HAS(HUMAN(&e), "Z -               CM_REJECTED          QP 20 of");
	EXPECT_HAS(JSON(&e), "\"device\":null,\"index\":null,\"generation\":0,\"port\":null,");
	/* Errors are red, refused and closed connections are not. */
	EXPECT_EQ(strstr(text(&e, RDMAEV_STYLE_COLOR), "\033[31m"), NULL);
	e.severity = RDMAEV_SEVERITY_ERROR;
	EXPECT_HAS(text(&e, RDMAEV_STYLE_COLOR), "\033[31mCM_REJECTED");
}

/* A name without a NUL, and bytes that a terminal interprets */
TEST(any_bytes)
{
	struct rdmaev_record e = made_up_cm(RDMAEV_CM_DISCONNECTED, 0);
	unsigned int byte;

	memset(e.body.info.owner, 'o', sizeof(e.body.info.owner));
	EXPECT_HAS(HUMAN(&e), "QP 20 of oooooooooooooooooooo[206]: connection");
	EXPECT_HAS(JSON(&e), "\"owner\":\"oooooooooooooooooooo\",\"uid\"");
	for (byte = 0; byte < 256; byte++) {
		memset(&e.body, byte, sizeof(e.body));
		EXPECT_STRNE(HUMAN(&e), "wrong length");
		EXPECT_STRNE(JSON(&e), "wrong length");
		EXPECT_EQ(strpbrk(HUMAN(&e), "\x9b\033\n"), NULL);
		EXPECT_EQ(strpbrk(JSON(&e), "\x9b\033\n"), NULL);
	}
}

TEST_HARNESS_MAIN
