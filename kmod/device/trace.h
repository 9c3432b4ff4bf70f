/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rdmaev

#if !defined(RDMAEV_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RDMAEV_TRACE_H

#include <linux/tracepoint.h>
#include <uapi/rdma/rdmaev.h>

/* One event for each record in the log, with its numbers; seq is the key. */
TRACE_EVENT(rdmaev_record,
	TP_PROTO(const struct rdmaev_record *rec),
	TP_ARGS(rec),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u64, cause)
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
	),

	TP_fast_assign(
		__entry->seq = rec->seq;
		__entry->cause = rec->cause;
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
	),

	TP_printk("seq=%llu cause=%llu kind=%u code=%u device=%u generation=%u port=%d object=%u:%u count=%u pid=%u severity=%u source=%u ring=%u",
		  __entry->seq, __entry->cause, __entry->kind, __entry->code,
		  __entry->device, __entry->generation, __entry->port,
		  __entry->object_type, __entry->object, __entry->count,
		  __entry->pid, __entry->severity, __entry->source,
		  __entry->ring)
);

#endif /* RDMAEV_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH device
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
