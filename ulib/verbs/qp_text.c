// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What is wrong with a call of ibv_modify_qp(), in words. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "verbs.h"

struct qp_text {
	char *buf;
	size_t size;
	size_t len;
};

__attribute__((format(printf, 2, 3)))
static void qp_text_add(struct qp_text *t, const char *format, ...)
{
	size_t room = t->len < t->size ? t->size - t->len : 0;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(room ? t->buf + t->len : NULL, room, format, ap);
	va_end(ap);
	if (n > 0)
		t->len += (size_t)n;
}

const char *rdmaev_qp_attr_name(unsigned int attr)
{
	static const struct {
		unsigned int attr;
		const char *name;
	} names[] = {
#define NAME(name) { IBV_QP_##name, #name }
		NAME(STATE), NAME(CUR_STATE), NAME(EN_SQD_ASYNC_NOTIFY),
		NAME(ACCESS_FLAGS), NAME(PKEY_INDEX), NAME(PORT), NAME(QKEY),
		NAME(AV), NAME(PATH_MTU), NAME(TIMEOUT), NAME(RETRY_CNT),
		NAME(RNR_RETRY), NAME(RQ_PSN), NAME(MAX_QP_RD_ATOMIC),
		NAME(ALT_PATH), NAME(MIN_RNR_TIMER), NAME(SQ_PSN),
		NAME(MAX_DEST_RD_ATOMIC), NAME(PATH_MIG_STATE), NAME(CAP),
		NAME(DEST_QPN), NAME(RATE_LIMIT),
#undef NAME
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].attr == attr)
			return names[i].name;
	}
	return NULL;
}

static const char *qp_text_type(unsigned int type)
{
	switch (type) {
	case IBV_QPT_RC:
		return "an RC";
	case IBV_QPT_UC:
		return "a UC";
	case IBV_QPT_UD:
		return "a UD";
	case IBV_QPT_RAW_PACKET:
		return "a raw packet";
	case IBV_QPT_XRC_SEND:
		return "an XRC send";
	case IBV_QPT_XRC_RECV:
		return "an XRC receive";
	default:
		return "a driver's own";
	}
}

static void qp_text_attrs(struct qp_text *t, const char *what, uint32_t attrs)
{
	const char *separator = "";
	unsigned int bit;

	if (!attrs)
		return;
	qp_text_add(t, "; %s: ", what);
	for (bit = 0; bit < 32; bit++) {
		const char *name = rdmaev_qp_attr_name(1U << bit);

		if (!(attrs & 1U << bit))
			continue;
		if (name)
			qp_text_add(t, "%s%s", separator, name);
		else
			qp_text_add(t, "%sbit %u", separator, bit);
		separator = ", ";
	}
}

static void qp_text_state(struct qp_text *t, unsigned int state)
{
	const char *name = rdmaev_qp_state_name(state);

	if (name)
		qp_text_add(t, "%s", name);
	else
		qp_text_add(t, "state %u", state);
}

int rdmaev_qp_check_text(const struct rdmaev_qp_check *c, char *buf, size_t len)
{
	static const char *const transports[] = { "InfiniBand", "RoCE", "iWARP" };
	struct qp_text t = { buf, len, 0 };

	if (c->size < sizeof(*c)) {
		errno = EINVAL;
		return -1;
	}
	qp_text_state(&t, c->from);
	qp_text_add(&t, " -> ");
	qp_text_state(&t, c->to);
	qp_text_add(&t, " of %s QP on %s", qp_text_type(c->type),
		    c->transport <= RDMAEV_QP_IWARP ? transports[c->transport] : "unknown transport");
	if (!c->problems)
		qp_text_add(&t, "; nothing is wrong");
	if (c->problems & RDMAEV_QP_NO_TRANSITION)
		qp_text_add(&t, "; no such transition");
	qp_text_attrs(&t, "missing", c->missing);
	qp_text_attrs(&t, "cannot be set", c->unwanted);
	if (c->problems & RDMAEV_QP_ONLY_BY_CM)
		qp_text_add(&t, "; connect with librdmacm, which does this");
	if (c->problems & RDMAEV_QP_NO_GRH)
		qp_text_add(&t, "; ah_attr.is_global must be 1, with the GID in ah_attr.grh");
	if (c->problems & RDMAEV_QP_OTHER_PORT)
		qp_text_add(&t, "; ah_attr.port_num must be the port of the QP");
	return (int)t.len;
}
