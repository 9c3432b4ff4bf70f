/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared by the parts of rdmaev_gen: gen_device.c makes events of devices,
 * gen_object.c of objects, gen_record.c records without either and notes,
 * gen_main.c their files; gen_find.c finds a device.
 */
#ifndef RDMAEV_TEST_GEN_H
#define RDMAEV_TEST_GEN_H

#include <linux/debugfs.h>
#include <rdma/ib_verbs.h>

/*
 * The device called @name. Until ib_device_put() it stays, also when its
 * clients have removed it. NULL: there is none, or it is being removed.
 */
struct ib_device *gen_get_device(const char *name);

void gen_device_files(struct dentry *dir);
void gen_object_files(struct dentry *dir);
void gen_record_files(struct dentry *dir);

/* Report the event to rdmaev, if a test has asked for that. */
void gen_report(const struct ib_event *event);
void gen_record_exit(void);

#endif /* RDMAEV_TEST_GEN_H */
