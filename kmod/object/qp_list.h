/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The list of QPs, for readers */
#ifndef RDMAEV_QP_LIST_H
#define RDMAEV_QP_LIST_H

#include "list_page.h"

/* Of &struct rdmaev_qp */
extern const struct rdmaev_page_ops rdmaev_qp_pages;

#endif /* RDMAEV_QP_LIST_H */
