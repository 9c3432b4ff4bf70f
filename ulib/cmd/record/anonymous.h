/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Records and lists without addresses and names of hosts and processes */
#ifndef ULIB_ANONYMOUS_H
#define ULIB_ANONYMOUS_H

#include <stddef.h>

#include "recording.h"

/**
 * enum standin_class - what a stand-in is for; each has numbers of its own
 * @STANDIN_IPV4: an IPv4 address, also as a GID
 * @STANDIN_LINK_LOCAL: an address or a GID of the link alone
 * @STANDIN_MULTICAST: of a group
 * @STANDIN_ADDRESS: any other address or GID
 * @STANDIN_GUID: a GUID
 * @STANDIN_PROCESS: name of a process or a thread
 */
enum standin_class {
	STANDIN_IPV4,
	STANDIN_LINK_LOCAL,
	STANDIN_MULTICAST,
	STANDIN_ADDRESS,
	STANDIN_GUID,
	STANDIN_PROCESS,
	STANDIN_CLASSES
};

struct standin;

/**
 * struct anonymous - what stands for what, as long as it lives
 * @root: tree of all that was replaced
 * @all: the stand-ins in it, the newest first
 * @counts: stand-ins of each class
 */
struct anonymous {
	void *root;
	struct standin *all;
	unsigned int counts[STANDIN_CLASSES];
};

void anonymous_header(struct recording_header *header);
/* 0, or -1 with ENOMEM */
int anonymous_records(struct anonymous *a, struct rdmaev_record *records, size_t n);
/* Entries of a list of &enum recording_list_type, each as this version has it */
int anonymous_list(struct anonymous *a, unsigned int list, void *entries, size_t count);
void anonymous_free(struct anonymous *a);

#endif /* ULIB_ANONYMOUS_H */
