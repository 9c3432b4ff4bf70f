// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The remedy for a request to connect a QP that has failed: by its addresses and its result */
#include <errno.h>

#include "incident_records.h"
#include "incident/incident_remedy.h"

#define V6	{ 0xfe, 0x80, [15] = 1 }
#define V4	{ [10] = 0xff, 0xff, 10, 9, 0, 77 }

#define INDEX	RDMAEV_KNOWN_GID_INDEX
#define OWN	(INDEX | RDMAEV_KNOWN_GID)
#define PEER	RDMAEV_KNOWN_PEER_GID

TEST(remedies)
{
	static const struct {
		unsigned int code;
		int result;
		uint32_t known;
		uint8_t own[RDMAEV_GID_SIZE], peer[RDMAEV_GID_SIZE];
		const char *begin;
	} cases[] = {
		{ RDMAEV_QP_RTR, -ENODATA, INDEX | PEER, {}, V4, "The port has no GID at" },
		{ RDMAEV_QP_RTR, -EINVAL, INDEX | PEER, {}, V4, "The port has no GID at" },
		/* Where the GID is never known, it says nothing. */
		{ RDMAEV_QP_RTR, -ETIMEDOUT, INDEX | PEER, {}, V4, "Nobody answered" },
		{ RDMAEV_QP_RTR, -ENETUNREACH, OWN | PEER, V6, V4, "The own GID and that" },
		{ RDMAEV_QP_RTR, -ETIMEDOUT, OWN | PEER, V4, V6, "The own GID and that" },
		{ RDMAEV_QP_RTR, -ETIMEDOUT, OWN | PEER, V4, V4, "Nobody answered" },
		{ RDMAEV_QP_RTR, -EHOSTUNREACH, OWN | PEER, V6, V6, "The own GID has no route" },
		{ RDMAEV_QP_RTR, -ENETUNREACH, OWN | PEER, V4, V4, "The own GID has no route" },
		/* Routed by LID, or it is about something else */
		{ RDMAEV_QP_RTR, -ETIMEDOUT, RDMAEV_KNOWN_PEER_LID, {}, {}, NULL },
		{ RDMAEV_QP_RTR, -EINVAL, OWN | PEER, V4, V4, NULL },
		{ RDMAEV_QP_RTR, -EINVAL, OWN, V4, {}, NULL },
		{ RDMAEV_QP_RTR, 0, INDEX | PEER, {}, V4, NULL },
		{ RDMAEV_QP_RTS, -ETIMEDOUT, OWN | PEER, V4, V4, NULL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rdmaev_record r = record(0, 1, 1, RDMAEV_KIND_QP, cases[i].code);
		const char *remedy, *begin = cases[i].begin;

		r.body.info.known = cases[i].known;
		r.body.qp.result = cases[i].result;
		memcpy(r.body.qp.origin.gid, cases[i].own, RDMAEV_GID_SIZE);
		memcpy(r.body.qp.peer.gid, cases[i].peer, RDMAEV_GID_SIZE);
		remedy = incident_remedy(&r);
		ASSERT_NE(remedy, NULL);
		if (!begin)
			begin = rdmaev_event_advice(RDMAEV_KIND_QP, cases[i].code);
		EXPECT_EQ(strncmp(remedy, begin, strlen(begin)), 0)
			TH_LOG("%u: %s", i, remedy);
	}
}

/* That of the event */
TEST(other_remedies)
{
	struct rdmaev_record r = event(0, 1, 1, RDMAEV_ASYNC_PORT_ERR);

	EXPECT_STREQ(incident_remedy(&r), rdmaev_event_advice(r.kind, r.code));
	r.code = 77;
	EXPECT_EQ(incident_remedy(&r), NULL);
}

TEST_HARNESS_MAIN
