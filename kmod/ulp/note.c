// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Notes: what ULPs report in their own words.
 * <rdma/rdmaev_ulp.h> documents the function.
 *
 * A ULP may report any number of them, from any context. Each severity of a ULP
 * has a limit: RDMAEV_NOTE_BURST notes at once, and one more every note_ms.
 * Others are counted: in the counters of the device at once, and in the next
 * note of the ULP that is recorded.
 *
 * The state of the limits is in struct rdmaev_ulp, and belongs to the ULP. It
 * is changed without a lock.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

#include "device/count.h"
#include "device/device.h"
#include "device/device_table.h"
#include "device/payer.h"
#include "log/catalogue.h"
#include "object/cause.h"
#include "object/object.h"
#include "object/ulp_table.h"

static unsigned int note_ms = 100;
module_param(note_ms, uint, 0644);
MODULE_PARM_DESC(note_ms, "milliseconds after which a ULP may record one more note of a severity, beyond 64 at once (default 100, 0: no limit)");

/*
 * Take one note from the limit of a severity. @until is the time at which the
 * ULP is allowed a whole burst again; each note puts it off by note_ms.
 * Returns false if it would be more than a burst away.
 */
static bool note_may_record(atomic64_t *until)
{
	s64 each = (s64)READ_ONCE(note_ms) * NSEC_PER_MSEC;
	s64 now = ktime_get_mono_fast_ns();
	s64 last = now + RDMAEV_NOTE_BURST * each;
	s64 old = atomic64_read(until);
	bool may_pass;
	s64 new;

	if (!each)
		return true;
	do {
		new = max(old, now) + each;
		may_pass = new <= last;
		/* Later only if note_ms was longer then. */
		if (!may_pass)
			new = min(old, last);
	} while (new != old && !atomic64_try_cmpxchg(until, &old, new));
	return may_pass;
}

/* Readers may print the text as it is: leave nothing but printable ASCII. */
static void note_clean(char *text)
{
	size_t len = strlen(text);

	/* Ends as a text for printk() does. */
	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	for (; *text; text++) {
		if (*text < 0x20 || *text > 0x7e)
			*text = '?';
	}
}

static void note_set_object(struct rdmaev_record *rec,
			    const struct ib_device *ib, const struct ib_qp *qp)
{
	if (qp) {
		rec->object_type = RDMAEV_OBJECT_QP;
		rec->object = qp->qp_num;
		rec->body.info.known = RDMAEV_KNOWN_OBJECT;
		/* The real QP of a shared XRC target QP has the port. */
		if (rec->port == RDMAEV_NO_PORT)
			rec->port = rdmaev_qp_port(qp->real_qp ?: qp);
	} else if (rec->port != RDMAEV_NO_PORT) {
		rec->object_type = RDMAEV_OBJECT_PORT;
	} else if (ib) {
		rec->object_type = RDMAEV_OBJECT_DEVICE;
	}
}

/* Called under RCU, for the device and for rdmaev_ulp_unregister(). */
static __printf(3, 0) void note_record(struct rdmaev_ulp *ulp,
				       struct rdmaev_record *rec,
				       const char *fmt, va_list args)
{
	struct rdmaev_ulp_state *state = rdmaev_ulp_state(ulp);
	struct rdmaev_note_body *body = &rec->body.note;
	struct rdmaev_dev *dev = rdmaev_device_find(rec->generation);

	if (!note_may_record(&state->notes_until[rec->code - RDMAEV_NOTE_INFO])) {
		atomic64_inc(&state->notes_suppressed);
		rdmaev_count(dev, rec->port, RDMAEV_KIND_NOTE, rec->code);
		return;
	}
	memcpy(body->info.owner, ulp->name, sizeof(body->info.owner));
	vsnprintf(body->text, sizeof(body->text), fmt, args);
	note_clean(body->text);
	body->suppressed = atomic64_xchg(&state->notes_suppressed, 0);
	rdmaev_record(dev, rec, RDMAEV_PAYER_UNKNOWN);
}

void rdmaev_note(struct rdmaev_ulp *ulp, enum rdmaev_severity severity,
		 const struct ib_device *device, u32 port,
		 const struct ib_qp *qp, const char *fmt, ...)
{
	struct rdmaev_record rec = {
		.port = RDMAEV_NO_PORT,
		.kind = RDMAEV_KIND_NOTE,
		.source = RDMAEV_SOURCE_ULP,
		.count = 1,
	};
	va_list args;

	static_assert((int)RDMAEV_NOTE_INFO == (int)RDMAEV_SEVERITY_INFO &&
		      (int)RDMAEV_NOTE_ERROR == (int)RDMAEV_SEVERITY_ERROR);
	rdmaev_record_set_code(&rec, clamp_t(unsigned int, severity, RDMAEV_NOTE_INFO,
					     RDMAEV_NOTE_ERROR));
	if (qp)
		device = qp->device;
	if (device && rdma_is_port_valid(device, port))
		rec.port = port;
	note_set_object(&rec, device, qp);
	rcu_read_lock();
	if (rdmaev_ulp_is_registered(ulp)) {
		if (device) {
			rec.device = device->index;
			rec.generation = rdmaev_device_generation(device);
		}
		va_start(args, fmt);
		note_record(ulp, &rec, fmt, args);
		va_end(args);
	}
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(rdmaev_note);
