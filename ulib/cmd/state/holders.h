/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a removal of a device waits for */
#ifndef ULIB_HOLDERS_H
#define ULIB_HOLDERS_H

#include <rdmaev.h>

#include "text.h"

/*
 * A removal waits until programs close the device, unless its driver can take it from
 * them. They have files of ib_uverbs open: of the node of the device or, once the removal
 * has taken that away, of any that is gone. And it waits for each kernel ULP in turn: the
 * stack of the process that removes the device has its module. What the user may not see
 * is left out; so is all if the log was recorded.
 *
 * ", which waits in nvme_rdma, held by python3[155], ibv_asyncwatch[160] and 3 others", or
 * nothing
 */
void put_holders(struct text *t, const struct rdmaev_device *device);
void json_holders(struct text *t, const struct rdmaev_device *device);

#endif /* ULIB_HOLDERS_H */
