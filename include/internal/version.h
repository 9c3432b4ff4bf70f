/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The version of modules, libraries, command and Python package. It stands
 * here and at the head of NEWS; ulib/Makefile reads it with sed. Numbers of the
 * ABI and of the libraries' sonames are others, see docs/abi.md.
 */
#ifndef RDMAEV_VERSION_H
#define RDMAEV_VERSION_H

#define RDMAEV_VERSION	"1.0.0"

#endif /* RDMAEV_VERSION_H */
