// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Every asynchronous event on every link type, reported by simulated devices
 * and their objects: it has one record with the right fields.
 */
#include <rdmaev.h>

#include "sim_link.h"

#define IB	RDMAEV_PROTOCOL_IB
#define ROCE	RDMAEV_PROTOCOL_ROCE
#define IWARP	RDMAEV_PROTOCOL_IWARP
#define ALL	(IB | ROCE | IWARP)

#define PORT	2	/* that QPs are bound to and events are about */

struct spec {
	unsigned int number;
	const char *name;
	unsigned int object_type;
	int affiliated;
	unsigned int severity;
	unsigned int ring;
	unsigned int protocols;
};

#define EXPECTED(number, name, object, scope, sev, ring_, protocols)	\
	{ number, name, RDMAEV_OBJECT_##object, scope,			\
	  RDMAEV_SEVERITY_##sev, RDMAEV_RING_##ring_, protocols }
#define AFFILIATED	1
#define UNAFFILIATED	0

/*
 * Written after the InfiniBand Architecture Specification and the drivers, not
 * after include/internal/catalogue.def, which is tested here.
 */
static const struct spec specs[] = {
	EXPECTED(0, "CQ_ERR", CQ, AFFILIATED, ERROR, ERROR, ALL),
	EXPECTED(1, "QP_FATAL", QP, AFFILIATED, ERROR, ERROR, ALL),
	EXPECTED(2, "QP_REQ_ERR", QP, AFFILIATED, ERROR, ERROR, ALL),
	EXPECTED(3, "QP_ACCESS_ERR", QP, AFFILIATED, ERROR, ERROR, ALL),
	EXPECTED(4, "COMM_EST", QP, AFFILIATED, INFO, INFO, IB | ROCE),
	EXPECTED(5, "SQ_DRAINED", QP, AFFILIATED, INFO, INFO, IB | ROCE),
	EXPECTED(6, "PATH_MIG", QP, AFFILIATED, INFO, INFO, IB | ROCE),
	EXPECTED(7, "PATH_MIG_ERR", QP, AFFILIATED, ERROR, ERROR, IB | ROCE),
	EXPECTED(8, "DEVICE_FATAL", DEVICE, UNAFFILIATED, ERROR, PORT, ALL),
	EXPECTED(9, "PORT_ACTIVE", PORT, UNAFFILIATED, INFO, PORT, ALL),
	EXPECTED(10, "PORT_ERR", PORT, UNAFFILIATED, ERROR, PORT, ALL),
	EXPECTED(11, "LID_CHANGE", PORT, UNAFFILIATED, INFO, PORT, IB),
	EXPECTED(12, "PKEY_CHANGE", PORT, UNAFFILIATED, INFO, PORT, IB),
	EXPECTED(13, "SM_CHANGE", PORT, UNAFFILIATED, INFO, PORT, IB),
	EXPECTED(14, "SRQ_ERR", SRQ, AFFILIATED, ERROR, ERROR, ALL),
	EXPECTED(15, "SRQ_LIMIT_REACHED", SRQ, AFFILIATED, INFO, INFO, ALL),
	EXPECTED(16, "QP_LAST_WQE_REACHED", QP, AFFILIATED, INFO, INFO, IB | ROCE),
	EXPECTED(17, "CLIENT_REREGISTER", PORT, UNAFFILIATED, INFO, PORT, IB),
	EXPECTED(18, "GID_CHANGE", PORT, UNAFFILIATED, INFO, INFO, IB | ROCE),
	EXPECTED(19, "WQ_FATAL", WQ, AFFILIATED, ERROR, ERROR, IB | ROCE),
	EXPECTED(20, "DEVICE_SPEED_CHANGE", DEVICE, UNAFFILIATED, INFO, PORT,
		 IB | ROCE),
};

static const struct spec unknown =
	EXPECTED(200, "EVENT_200", NONE, UNAFFILIATED, INFO, INFO, 0);

/* The names in text and JSON */
static const char * const type_name[] = {
	[RDMAEV_OBJECT_NONE] = NULL,
	[RDMAEV_OBJECT_DEVICE] = "device",
	[RDMAEV_OBJECT_PORT] = "port",
	[RDMAEV_OBJECT_QP] = "qp",
	[RDMAEV_OBJECT_CQ] = "cq",
	[RDMAEV_OBJECT_SRQ] = "srq",
	[RDMAEV_OBJECT_WQ] = "wq",
};

static const char * const type_text[] = {
	[RDMAEV_OBJECT_QP] = "QP",
	[RDMAEV_OBJECT_CQ] = "CQ",
	[RDMAEV_OBJECT_SRQ] = "SRQ",
	[RDMAEV_OBJECT_WQ] = "WQ",
};

static const char * const severity_name[] = {
	[RDMAEV_SEVERITY_INFO] = "info",
	[RDMAEV_SEVERITY_ERROR] = "error",
};

static const char * const ring_name[] = {
	[RDMAEV_RING_PORT] = "port",
	[RDMAEV_RING_ERROR] = "error",
	[RDMAEV_RING_INFO] = "info",
};

static const char * const contexts[] = { "process", "softirq", "hardirq" };
#define CONTEXTS ARRAY_SIZE(contexts)

/* Read asynchronous events of a device, from now on. */
static struct rdmaev *open_events(const char *name)
{
	struct rdmaev *h = rdmaev_open(NULL, RDMAEV_NONBLOCK);
	struct rdmaev_filter f;

	rdmaev_filter_init(&f);
	f.kinds = 1U << RDMAEV_KIND_ASYNC;
	filter_target(&f, name, 0);
	if (h && rdmaev_set_filter(h, &f)) {
		rdmaev_close(h);
		h = NULL;
	}
	return h;
}

/* Read @n events. True if these came, and no more. */
static int take(struct rdmaev *h, struct rdmaev_record *events, int n)
{
	struct rdmaev_record more;
	int i;

	for (i = 0; i < n; i++) {
		if (rdmaev_wait(h, 30000000000) != 1 ||
		    rdmaev_read(h, &events[i], 1) != 1) {
			fprintf(stderr, "# %d events came, not %d\n", i, n);
			return 0;
		}
	}
	sleep_ms(100);
	if (rdmaev_read(h, &more, 1) == -1 && errno == EAGAIN)
		return 1;
	fprintf(stderr, "# more than %d events: code %u port %u\n", n,
		more.code, more.port);
	return 0;
}

/* True if @text contains @part; prints both otherwise. */
__attribute__((format(printf, 2, 3)))
static int has(const char *text, const char *format, ...)
{
	char part[128];
	va_list ap;

	va_start(ap, format);
	vsnprintf(part, sizeof(part), format, ap);
	va_end(ap);
	if (strstr(text, part))
		return 1;
	fprintf(stderr, "# no %s in: %s\n", part, text);
	return 0;
}

/* A @number below 0: unknown */
static int has_text(const struct rdmaev_record *ev, const struct spec *spec,
		    unsigned int type, long number, unsigned int port)
{
	int is_error = spec->severity == RDMAEV_SEVERITY_ERROR;
	char text[512];

	if (rdmaev_format(ev, RDMAEV_STYLE_HUMAN | RDMAEV_STYLE_COLOR, text,
			  sizeof(text)) >= (int)sizeof(text))
		return 0;
	/* Errors are red, and nothing else is. */
	if (is_error != !!strstr(text, "\033[31m")) {
		fprintf(stderr, "# wrong colour: %s\n", text);
		return 0;
	}
	rdmaev_format(ev, RDMAEV_STYLE_HUMAN, text, sizeof(text));
	return (port ? has(text, " sim0/%u ", port) : has(text, " sim0 ")) &&
	       has(text, " %s ", spec->name) &&
	       (type < RDMAEV_OBJECT_QP ||
		(number < 0 ? has(text, " %s ? ", type_text[type]) :
			      has(text, " %s %ld ", type_text[type], number)));
}

static int has_json(const struct rdmaev_record *ev, const struct spec *spec,
		    unsigned int type, long number, unsigned int port,
		    const char *source)
{
	char text[1024], at[16] = "null";

	if (port)
		snprintf(at, sizeof(at), "%u", port);
	if (rdmaev_format(ev, RDMAEV_STYLE_JSON, text, sizeof(text)) >=
	    (int)sizeof(text))
		return 0;
	return has(text, "\"kind\":\"async\"") &&
	       has(text, "\"event\":\"%s\"", spec->name) &&
	       has(text, "\"code\":%u,", spec->number) &&
	       has(text, "\"severity\":\"%s\"", severity_name[spec->severity]) &&
	       has(text, "\"device\":\"sim0\"") &&
	       has(text, "\"port\":%s,", at) &&
	       (type ? has(text, "\"object\":\"%s\"", type_name[type]) :
		       has(text, "\"object\":null")) &&
	       (type < RDMAEV_OBJECT_QP || number < 0 ?
			has(text, "\"object_id\":null") :
			has(text, "\"object_id\":%ld,", number)) &&
	       has(text, "\"source\":\"%s\"", source) &&
	       has(text, "\"ring\":\"%s\"", ring_name[spec->ring]);
}

/* Expected fields of the event and the device, the same for all sources */
#define EXPECT_SPEC(ev, spec) do {					\
	const struct rdmaev_record *_r = (ev);			\
									\
	EXPECT_EQ(_r->kind, RDMAEV_KIND_ASYNC);				\
	EXPECT_EQ(_r->code, (spec)->number);				\
	EXPECT_EQ(_r->severity, (spec)->severity);			\
	EXPECT_EQ(_r->ring, (spec)->ring);				\
	EXPECT_EQ(_r->device, self->index);				\
	EXPECT_EQ(_r->generation, self->generation);			\
	EXPECT_EQ(_r->count, 1);					\
	EXPECT_EQ(_r->cause, 0);					\
	EXPECT_EQ(_r->pid, 0);						\
} while (0)

/* Reported by the device's event handler. */
static void expect_handler(struct __test_metadata *_metadata,
			   struct _test_data_link *self, const struct spec *spec,
			   unsigned int port, const struct rdmaev_record *ev)
{
	static const struct rdmaev_async_body zero;
	const struct rdmaev_record *r = ev;

	EXPECT_SPEC(ev, spec);
	EXPECT_EQ(r->source, RDMAEV_SOURCE_HANDLER);
	EXPECT_EQ(r->object_type, spec->object_type);
	EXPECT_EQ(r->object, 0);
	EXPECT_EQ(r->port, port ?: RDMAEV_NO_PORT);
	EXPECT_EQ(memcmp(&r->body.async, &zero, sizeof(zero)), 0);
	EXPECT_TRUE(has_text(ev, spec, spec->object_type, -1, port));
	EXPECT_TRUE(has_json(ev, spec, spec->object_type, -1, port, "handler"));
}

/* Reported by the ULP that has the object. */
static void expect_ulp(struct __test_metadata *_metadata,
		       struct _test_data_link *self, const struct spec *spec,
		       unsigned int type, const struct object *obj,
		       unsigned int port, const struct rdmaev_record *ev)
{
	const struct rdmaev_record *r = ev;
	struct rdmaev_async_body body = { .info.known = RDMAEV_KNOWN_OBJECT };
	long number = obj->number;

	if (type == RDMAEV_OBJECT_QP) {
		body.info.known |= RDMAEV_KNOWN_QP_TYPE;
		body.info.qp_type = RDMAEV_QPT_RC;
	}
	/* A CQ and an SRQ use no other objects here, a WQ uses a CQ. */
	if (obj->send_cq >= 0) {
		body.info.known |= RDMAEV_KNOWN_SEND_CQ;
		body.queues.send_cq = obj->send_cq;
	}
	if (obj->recv_cq >= 0) {
		body.info.known |= RDMAEV_KNOWN_RECV_CQ;
		body.queues.recv_cq = obj->recv_cq;
	}
	if (obj->srq >= 0 && srqs_have_numbers()) {
		body.info.known |= RDMAEV_KNOWN_SRQ;
		body.queues.srq = obj->srq;
	}
	if (type == RDMAEV_OBJECT_SRQ && !srqs_have_numbers()) {
		body.info.known = 0;
		number = -1;
	}
	/* Only the driver knows what an unknown event is about. */
	if (spec == &unknown) {
		memset(&body, 0, sizeof(body));
		type = RDMAEV_OBJECT_NONE;
		number = -1;
		port = 0;
	}
	strcpy(body.info.owner, ULP_NAME);

	EXPECT_SPEC(ev, spec);
	EXPECT_EQ(r->source, RDMAEV_SOURCE_ULP);
	EXPECT_EQ(r->object_type, type);
	EXPECT_EQ(r->object, number < 0 ? 0 : number);
	EXPECT_EQ(r->port, port ?: RDMAEV_NO_PORT);
	EXPECT_EQ(r->body.info.known, body.info.known);
	EXPECT_EQ(r->body.async.queues.send_cq, body.queues.send_cq);
	EXPECT_EQ(r->body.async.queues.recv_cq, body.queues.recv_cq);
	EXPECT_EQ(r->body.async.queues.srq, body.queues.srq);
	EXPECT_STREQ(r->body.info.owner, body.info.owner);
	EXPECT_EQ(memcmp(&r->body.async, &body, sizeof(body)), 0);
	EXPECT_TRUE(has_text(ev, spec, type, number, port));
	EXPECT_TRUE(has_json(ev, spec, type, number, port, "ulp"));
}

/* The device reports the event, about a port or about itself. */
static void try_unaffiliated(struct __test_metadata *_metadata,
			     struct _test_data_link *self, struct rdmaev *h,
			     const struct spec *spec)
{
	unsigned int port = spec->number == DEVICE_FATAL ? 0 : PORT;
	struct rdmaev_record ev;
	int ok;

	/* The core would consume this one: straight to the handlers. */
	if (spec->number == GID_CHANGE)
		ok = gen("process", "sim0", spec->number, PORT, 1) == 1;
	else
		ok = !event(spec->number, PORT);
	ASSERT_TRUE(ok);
	ASSERT_TRUE(take(h, &ev, 1));
	expect_handler(_metadata, self, spec, port, &ev);
}

/* Each object of the type reports it, in each context; others do not. */
static int try_affiliated(struct __test_metadata *_metadata,
			  struct _test_data_link *self, struct rdmaev *h,
			  const struct spec *spec, unsigned int type,
			  unsigned int qp_port)
{
	unsigned int port = type == RDMAEV_OBJECT_QP ? qp_port : 0;
	struct object list[MAX_OBJECTS], after[MAX_OBJECTS];
	struct rdmaev_record ev[CONTEXTS];
	int i, j, n, tried = 0;
	unsigned int c;

	/* New objects, so that no event has an earlier one as its cause. */
	ulp_destroy("sim0");
	EXPECT_EQ(ulp_create("sim0", PORT), 0);
	n = ulp_objects("sim0", list);
	EXPECT_EQ(n, 6);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(list[i].calls, 0);
		if (strcmp(list[i].type, type_name[type]))
			continue;
		tried++;
		for (c = 0; c < CONTEXTS; c++)
			ASSERT_EQ(sim_raise(&list[i], spec->number,
					    contexts[c], 1), 0);
		ASSERT_TRUE(take(h, ev, CONTEXTS));
		for (c = 0; c < CONTEXTS; c++)
			expect_ulp(_metadata, self, spec, type, &list[i], port,
				   &ev[c]);
		ASSERT_EQ(ulp_objects("sim0", after), n);
		for (j = 0; j < n; j++) {
			EXPECT_EQ(after[j].calls, list[j].calls +
						  (i == j ? (int)CONTEXTS : 0));
			if (i == j)
				EXPECT_EQ(after[j].last, (int)spec->number);
		}
		memcpy(list, after, sizeof(list));
	}
	return tried;
}

/* The protocols in @protocols, or all others */
static void try_all(struct __test_metadata *_metadata,
		    struct _test_data_link *self,
		    const struct _fixture_variant_link *variant, int occurs)
{
	/* rdmaev_ulp does not bind the QPs of iWARP to a port. */
	unsigned int qp_port = variant->protocol == IWARP ? 0 : PORT;
	struct rdmaev *h = open_events("sim0");
	unsigned int i;
	int tried;

	ASSERT_NE(h, NULL);
	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		const struct spec *spec = &specs[i];

		if (!!(spec->protocols & variant->protocol) != occurs)
			continue;
		if (!spec->affiliated) {
			try_unaffiliated(_metadata, self, h, spec);
			continue;
		}
		tried = try_affiliated(_metadata, self, h, spec,
				       spec->object_type, qp_port);
		/* Two CQs, two QPs, an SRQ and a WQ. */
		EXPECT_EQ(tried, spec->object_type <= RDMAEV_OBJECT_CQ ? 2 : 1);
	}
	rdmaev_close(h);
}

TEST_F_TIMEOUT(link, events, 300)
{
	try_all(_metadata, self, variant, 1);
}

/* Drivers report them anyway; siw does so with LID_CHANGE. */
TEST_F_TIMEOUT(link, events_of_other_link_types, 300)
{
	try_all(_metadata, self, variant, 0);
}

TEST_F_TIMEOUT(link, unknown_event, 300)
{
	unsigned int qp_port = variant->protocol == IWARP ? 0 : PORT;
	struct rdmaev *h = open_events("sim0");
	unsigned int type;

	ASSERT_NE(h, NULL);
	/* The element is not read, whichever handler gets the event. */
	for (type = RDMAEV_OBJECT_QP; type <= RDMAEV_OBJECT_WQ; type++)
		EXPECT_GE(try_affiliated(_metadata, self, h, &unknown, type,
					 qp_port), 1);
	/* An event of the device may be about a port. */
	try_unaffiliated(_metadata, self, h, &unknown);
	rdmaev_close(h);
}

/*
 * A pointer to an object in an event of the device is not taken for a port
 * number.
 */
TEST_F_TIMEOUT(link, misdirected, 300)
{
	struct rdmaev *h = open_events("sim0");
	struct object list[MAX_OBJECTS];
	struct rdmaev_record ev;
	unsigned int f;
	int i, n;

	ASSERT_NE(h, NULL);
	ASSERT_EQ(ulp_create("sim0", PORT), 0);
	n = ulp_objects("sim0", list);
	ASSERT_EQ(n, 6);
	for (f = 0; f < ARRAY_SIZE(specs); f++) {
		int tried = 0;

		if (!specs[f].affiliated)
			continue;
		for (i = 0; i < n; i++) {
			if (strcmp(list[i].type,
				   type_name[specs[f].object_type]))
				continue;
			tried++;
			ASSERT_EQ(sim_raise(&list[i], specs[f].number,
					    "dispatch", 1), 0);
			ASSERT_TRUE(take(h, &ev, 1));
			expect_handler(_metadata, self, &specs[f], 0, &ev);
		}
		EXPECT_GE(tried, 1);
		/* Also if the value looks like a port number. */
		ASSERT_EQ(event(specs[f].number, PORT), 0);
		ASSERT_TRUE(take(h, &ev, 1));
		expect_handler(_metadata, self, &specs[f], 0, &ev);
	}
	for (i = 0; i < n; i++) {
		ASSERT_EQ(sim_raise(&list[i], unknown.number, "dispatch", 1), 0);
		ASSERT_TRUE(take(h, &ev, 1));
		expect_handler(_metadata, self, &unknown, 0, &ev);
	}
	/* The ULP does not report it. */
	ASSERT_EQ(ulp_objects("sim0", list), n);
	for (i = 0; i < n; i++)
		EXPECT_EQ(list[i].calls, 0);
	rdmaev_close(h);
}

/* The core consumes GID_CHANGE of a driver. */
TEST_F_TIMEOUT(link, gid_change_of_driver, 120)
{
	struct rdmaev *h = open_events("sim0");
	struct rdmaev_record ev;

	ASSERT_NE(h, NULL);
	ASSERT_EQ(event(GID_CHANGE, PORT), 0);
	EXPECT_TRUE(take(h, &ev, 0));
	rdmaev_close(h);
}

enum {
	EFFECT_NONE, EFFECT_ERROR, EFFECT_ERROR_OR_SQE, EFFECT_VARIES
};

/* What the catalogue has of an event */
struct entry {
	unsigned int kind;
	unsigned int code;
	const char *name;
	unsigned int object_type;
	unsigned int severity;
	unsigned int ring;
	const char *protocols;
	const char *services;
	const char *side;
	const char *role;
	int effect;
	const char *meaning;
	const char *advice;
};

static const struct entry catalogue[] = {
#define TRAITS(...)	__VA_ARGS__
#define TEXT(...)	__VA_ARGS__
#define EVENT(in_kind, in_code, id, traits_, text)	\
	{ .kind = RDMAEV_KIND_##in_kind, .code = in_code, .name = #id, traits_, text },
#include "internal/catalogue.def"
};

static const struct entry *catalogue_find(unsigned int code)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(catalogue); i++) {
		if (catalogue[i].kind == RDMAEV_KIND_ASYNC && catalogue[i].code == code)
			return &catalogue[i];
	}
	return NULL;
}

/* "InfiniBand, RoCE (iWARP by driver)": an exception is in brackets. */
static unsigned int protocol_mask(const char *text)
{
	size_t len = strcspn(text, "(");
	char usual[64];

	snprintf(usual, sizeof(usual), "%.*s", (int)len, text);
	return (strstr(usual, "InfiniBand") ? IB : 0) |
	       (strstr(usual, "RoCE") ? ROCE : 0) |
	       (strstr(usual, "iWARP") ? IWARP : 0);
}

TEST(catalogue_agrees)
{
	const struct entry *entry;
	unsigned int i;

	ASSERT_EQ(catalogue_find(ARRAY_SIZE(specs)), NULL);
	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		ASSERT_EQ(specs[i].number, i);
		entry = catalogue_find(i);
		ASSERT_NE(entry, NULL);
		EXPECT_STREQ(entry->name, specs[i].name);
		EXPECT_EQ(entry->object_type, specs[i].object_type);
		EXPECT_EQ(entry->object_type >= RDMAEV_OBJECT_QP, specs[i].affiliated);
		EXPECT_EQ(entry->severity, specs[i].severity);
		EXPECT_EQ(entry->ring, specs[i].ring);
		EXPECT_EQ(protocol_mask(entry->protocols), specs[i].protocols);
	}
}

TEST_HARNESS_MAIN
