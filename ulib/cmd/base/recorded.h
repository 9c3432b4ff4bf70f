/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The recording that a command reads in place of the log (--file), if any */
#ifndef ULIB_RECORDED_H
#define ULIB_RECORDED_H

#include "recording.h"

/* Read it from now on: its end is the present. NULL: the log again */
void recorded_use(const struct recording_file *file);
/* The present is this later time, when a recording of another host ends. */
void recorded_go_on(uint64_t realtime_ns);
/* The present */
uint64_t recorded_boottime(void);
uint64_t recorded_realtime(void);

/* The recording, or NULL */
const struct recording_file *recorded_file(void);

/* What its host knew of a port; NULL: nothing */
const struct recording_host_port *recorded_host_port(uint32_t generation, uint32_t port);

/* True if errno after rdmaev_read() says that there are no more records now. */
bool recorded_all(int error);

#endif /* ULIB_RECORDED_H */
