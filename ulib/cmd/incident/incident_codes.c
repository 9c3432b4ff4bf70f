// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What a record says, for rules that join records */
#include "incident_codes.h"

static bool is_unreachable_async(unsigned int code)
{
	return code == RDMAEV_ASYNC_QP_FATAL || code == RDMAEV_ASYNC_PATH_MIG_ERR;
}

static bool is_unreachable_wc(unsigned int code)
{
	return code == RDMAEV_WC_LOC_QP_OP_ERR || code == RDMAEV_WC_RETRY_EXC_ERR ||
	       code == RDMAEV_WC_WR_FLUSH_ERR;
}

/*
 * Closed in order: both ends could be reached. siw closes its connections
 * when its network device is about to go down, some milliseconds before
 * PORT_ERR, and the records are those of a peer that ends: no request, status
 * 0. An administrator who stops a service on both hosts and then sets the
 * link down gets the same records, so no time is short enough for a rule.
 */
static bool is_unreachable_cm(unsigned int code, int status)
{
	switch (code) {
	case RDMAEV_CM_ADDR_ERROR:
	case RDMAEV_CM_ROUTE_ERROR:
	case RDMAEV_CM_CONNECT_ERROR:
	case RDMAEV_CM_UNREACHABLE:
		return true;
	case RDMAEV_CM_DISCONNECTED:
		return status != 0;
	default:
		return false;
	}
}

bool is_unreachable(const struct rdmaev_record *r)
{
	switch (r->kind) {
	case RDMAEV_KIND_ASYNC:
		return is_unreachable_async(r->code);
	case RDMAEV_KIND_WC:
		return is_unreachable_wc(r->code);
	case RDMAEV_KIND_QP:
		return r->code == RDMAEV_QP_ERR;
	case RDMAEV_KIND_CM:
		return is_unreachable_cm(r->code, r->body.cm.status);
	default:
		return false;
	}
}

bool is_own_request(const struct rdmaev_record *r)
{
	return r->kind == RDMAEV_KIND_QP && r->body.qp.caller_pid &&
	       (!r->pid || r->body.qp.caller_pid == r->pid);
}
