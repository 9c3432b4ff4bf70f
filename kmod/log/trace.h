/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rdmaev

#if !defined(RDMAEV_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RDMAEV_TRACE_H

#include <linux/tracepoint.h>
#include <uapi/rdma/rdmaev.h>

#include "catalogue.h"
#include "log.h"

RDMAEV_HAS_KINDS_UP_TO(PROBE);

/* Export the values of the enums: perf and trace-cmd cannot resolve names. */
TRACE_DEFINE_ENUM(RDMAEV_KIND_DEVICE);
TRACE_DEFINE_ENUM(RDMAEV_KIND_PORT);
TRACE_DEFINE_ENUM(RDMAEV_KIND_ASYNC);
TRACE_DEFINE_ENUM(RDMAEV_KIND_WC);
TRACE_DEFINE_ENUM(RDMAEV_KIND_COMPLETION);
TRACE_DEFINE_ENUM(RDMAEV_KIND_QP);
TRACE_DEFINE_ENUM(RDMAEV_KIND_OBSERVER);
TRACE_DEFINE_ENUM(RDMAEV_KIND_CM);
TRACE_DEFINE_ENUM(RDMAEV_KIND_NOTE);
TRACE_DEFINE_ENUM(RDMAEV_KIND_PROBE);
TRACE_DEFINE_ENUM(RDMAEV_OBJECT_NONE);
TRACE_DEFINE_ENUM(RDMAEV_OBJECT_DEVICE);
TRACE_DEFINE_ENUM(RDMAEV_OBJECT_PORT);
TRACE_DEFINE_ENUM(RDMAEV_OBJECT_QP);
TRACE_DEFINE_ENUM(RDMAEV_OBJECT_CQ);
TRACE_DEFINE_ENUM(RDMAEV_OBJECT_SRQ);
TRACE_DEFINE_ENUM(RDMAEV_OBJECT_WQ);
TRACE_DEFINE_ENUM(RDMAEV_SEVERITY_INFO);
TRACE_DEFINE_ENUM(RDMAEV_SEVERITY_WARNING);
TRACE_DEFINE_ENUM(RDMAEV_SEVERITY_ERROR);

/* One event for each record appended to the log, with all of its fields. */
TRACE_EVENT(rdmaev_record,
	TP_PROTO(const struct rdmaev_record *rec,
		 const struct rdmaev_log_name *name),
	TP_ARGS(rec, name),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u64, cause)
		__field(u64, boottime_ns)
		__field(u64, realtime_ns)
		__field(u32, device)
		__field(u32, generation)
		__field(u32, port)
		__field(u32, object)
		__field(u32, count)
		__field(u32, pid)
		__field(u16, kind)
		__field(u16, code)
		__field(u8, object_type)
		__field(u8, severity)
		__field(u8, source)
		__field(u8, ring)
		__array(char, event, RDMAEV_EVENT_NAME_SIZE)
		__array(char, device_name, RDMAEV_DEVICE_NAME_SIZE)
		__array(u8, body, RDMAEV_BODY_SIZE)
	),

	TP_fast_assign(
		__entry->seq = rec->seq;
		__entry->cause = rec->cause;
		__entry->boottime_ns = rec->boottime_ns;
		__entry->realtime_ns = rec->realtime_ns;
		__entry->device = rec->device;
		__entry->generation = rec->generation;
		__entry->port = rec->port;
		__entry->object = rec->object;
		__entry->count = rec->count;
		__entry->pid = rec->pid;
		__entry->kind = rec->kind;
		__entry->code = rec->code;
		__entry->object_type = rec->object_type;
		__entry->severity = rec->severity;
		__entry->source = rec->source;
		__entry->ring = rec->ring;
		strscpy_pad(__entry->event,
			    rdmaev_event_name(rec->kind, rec->code),
			    sizeof(__entry->event));
		memcpy(__entry->device_name, rdmaev_log_name_text(name),
		       sizeof(__entry->device_name));
		if (rdmaev_has_body(rec))
			memcpy(__entry->body, &rec->body, sizeof(__entry->body));
		else
			memset(__entry->body, 0, sizeof(__entry->body));
	),

	TP_printk("seq=%llu cause=%llu kind=%s code=%u event=%s device=%u generation=%u port=%u object=%s:%u count=%u pid=%u severity=%s source=%u ring=%u",
		  __entry->seq, __entry->cause,
		  __print_symbolic(__entry->kind,
				   { RDMAEV_KIND_DEVICE, "device" },
				   { RDMAEV_KIND_PORT, "port" },
				   { RDMAEV_KIND_ASYNC, "async" },
				   { RDMAEV_KIND_WC, "wc" },
				   { RDMAEV_KIND_COMPLETION, "completion" },
				   { RDMAEV_KIND_QP, "qp" },
				   { RDMAEV_KIND_OBSERVER, "observer" },
				   { RDMAEV_KIND_CM, "cm" },
				   { RDMAEV_KIND_NOTE, "note" },
				   { RDMAEV_KIND_PROBE, "probe" }),
		  __entry->code, __entry->event, __entry->device, __entry->generation,
		  __entry->port,
		  __print_symbolic(__entry->object_type,
				   { RDMAEV_OBJECT_NONE, "none" },
				   { RDMAEV_OBJECT_DEVICE, "device" },
				   { RDMAEV_OBJECT_PORT, "port" },
				   { RDMAEV_OBJECT_QP, "qp" },
				   { RDMAEV_OBJECT_CQ, "cq" },
				   { RDMAEV_OBJECT_SRQ, "srq" },
				   { RDMAEV_OBJECT_WQ, "wq" }),
		  __entry->object, __entry->count, __entry->pid,
		  __print_symbolic(__entry->severity,
				   { RDMAEV_SEVERITY_INFO, "info" },
				   { RDMAEV_SEVERITY_WARNING, "warning" },
				   { RDMAEV_SEVERITY_ERROR, "error" }),
		  __entry->source, __entry->ring)
);

#endif /* RDMAEV_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH log
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
