/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RDMAEV_CDEV_H
#define RDMAEV_CDEV_H

int rdmaev_cdev_init(void);
void rdmaev_cdev_start(void);
void rdmaev_cdev_exit(void);

#endif /* RDMAEV_CDEV_H */
