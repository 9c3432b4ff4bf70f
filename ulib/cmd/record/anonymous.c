// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Stand-ins for addresses, GUIDs, and names of hosts and processes: the same for the same,
 * so that what belongs together can still be joined, numbered in the order of their first
 * use, so that nothing can be computed from them.
 */
#include <errno.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anonymous.h"

/**
 * struct standin - what stands for something
 * @class: &enum standin_class
 * @key: what is replaced, zero after its end
 * @number: in its class, from 1
 * @next: the one that was made before
 */
struct standin {
	enum standin_class class;
	char key[24];
	unsigned int number;
	struct standin *next;
};

static int standin_compare(const void *a, const void *b)
{
	const struct standin *p = a, *q = b;

	if (p->class != q->class)
		return p->class < q->class ? -1 : 1;
	return memcmp(p->key, q->key, sizeof(p->key));
}

/* The number of its stand-in; 0: no memory */
static unsigned int standin_number(struct anonymous *a, enum standin_class class,
				   const void *key, size_t size)
{
	struct standin wanted = { .class = class }, **found, *made;

	memcpy(wanted.key, key, size < sizeof(wanted.key) ? size : sizeof(wanted.key));
	found = tfind(&wanted, &a->root, standin_compare);
	if (found)
		return (*found)->number;
	made = malloc(sizeof(*made));
	if (!made)
		return 0;
	*made = wanted;
	made->number = a->counts[class] + 1;
	if (!tsearch(made, &a->root, standin_compare)) {
		free(made);
		return 0;
	}
	made->next = a->all;
	a->all = made;
	return ++a->counts[class];
}

static int out_of_memory(void)
{
	errno = ENOMEM;
	return -1;
}

static enum standin_class class_of_address(const uint8_t address[16])
{
	static const uint8_t mapped[] = { [10] = 0xff, [11] = 0xff };

	if (!memcmp(address, mapped, sizeof(mapped)))
		return STANDIN_IPV4;
	if (address[0] == 0xfe && (address[1] & 0xc0) == 0x80)
		return STANDIN_LINK_LOCAL;
	return address[0] == 0xff ? STANDIN_MULTICAST : STANDIN_ADDRESS;
}

/* None, or of this host whatever its name is */
static bool is_everybodys(const uint8_t address[16])
{
	static const uint8_t none[15], loopback[] = { [10] = 0xff, [11] = 0xff, [12] = 127 };
	static const uint8_t any[16] = { [10] = 0xff, [11] = 0xff };

	return (!memcmp(address, none, sizeof(none)) && address[15] <= 1) ||
	       !memcmp(address, any, sizeof(any)) ||
	       !memcmp(address, loopback, sizeof(loopback));
}

/* 10.0.0.1, fe80::1, ff0e::1, 2001:db8::1: as the class has them */
static int replace_address(struct anonymous *a, uint8_t address[16])
{
	static const uint8_t begins[][13] = {
		[STANDIN_IPV4] = { [10] = 0xff, [11] = 0xff, [12] = 10 },
		[STANDIN_LINK_LOCAL] = { 0xfe, 0x80 },
		[STANDIN_MULTICAST] = { 0xff, 0x0e },
		[STANDIN_ADDRESS] = { 0x20, 0x01, 0x0d, 0xb8 },
	};
	const enum standin_class class = class_of_address(address);
	unsigned int number;

	if (is_everybodys(address))
		return 0;
	number = standin_number(a, class, address, 16);
	if (!number)
		return out_of_memory();
	memset(address, 0, 16);
	memcpy(address, begins[class], sizeof(begins[class]));
	address[13] = (uint8_t)(number >> 16);
	address[14] = (uint8_t)(number >> 8);
	address[15] = (uint8_t)number;
	return 0;
}

static int replace_guid(struct anonymous *a, __u64 *guid)
{
	const uint64_t key = *guid;

	if (!key)
		return 0;
	*guid = standin_number(a, STANDIN_GUID, &key, sizeof(key));
	return *guid ? 0 : out_of_memory();
}

/* Not threads of the kernel that nobody has named */
static int replace_name(struct anonymous *a, char *name, size_t size)
{
	size_t len = strnlen(name, size);
	unsigned int number;

	if (!len || !strncmp(name, "kworker/", 8))
		return 0;
	number = standin_number(a, STANDIN_PROCESS, name, len);
	if (!number)
		return out_of_memory();
	memset(name, 0, size);
	snprintf(name, size, "proc%u", number);
	return 0;
}

static int replace_owner(struct anonymous *a, struct rdmaev_object_info *info)
{
	/* The name of a ULP is no secret. */
	return info->known & RDMAEV_KNOWN_UID ?
	       replace_name(a, info->owner, sizeof(info->owner)) : 0;
}

static int replace_peer(struct anonymous *a, uint32_t known, struct rdmaev_peer *peer)
{
	return known & RDMAEV_KNOWN_PEER_GID ? replace_address(a, peer->gid) : 0;
}

static int replace_device(struct anonymous *a, struct rdmaev_device_body *body)
{
	return replace_guid(a, &body->node_guid) ||
	       replace_name(a, body->remover_comm, sizeof(body->remover_comm));
}

static int replace_qp(struct anonymous *a, struct rdmaev_qp_body *body)
{
	return replace_owner(a, &body->info) || replace_peer(a, body->info.known, &body->peer) ||
	       replace_name(a, body->caller_comm, sizeof(body->caller_comm)) ||
	       (body->info.known & RDMAEV_KNOWN_GID && replace_address(a, body->origin.gid));
}

static int replace_cm(struct anonymous *a, struct rdmaev_cm_body *body)
{
	return replace_owner(a, &body->info) ||
	       (body->info.known & RDMAEV_KNOWN_LOCAL_ADDR &&
		replace_address(a, body->local_addr)) ||
	       (body->info.known & RDMAEV_KNOWN_PEER_ADDR && replace_address(a, body->peer_addr));
}

/* Anything can be in it. */
static int replace_note(struct anonymous *a, struct rdmaev_note_body *body)
{
	memset(body->text, 0, sizeof(body->text));
	strcpy(body->text, "(text left out)");
	return replace_owner(a, &body->info);
}

static int replace_record(struct anonymous *a, struct rdmaev_record *r)
{
	switch (r->kind) {
	case RDMAEV_KIND_DEVICE:
		return replace_device(a, &r->body.device);
	case RDMAEV_KIND_PORT:
		return r->code != RDMAEV_PORT_GID ? 0 :
		       replace_address(a, r->body.port.before.gid) ||
		       replace_address(a, r->body.port.after.gid);
	case RDMAEV_KIND_ASYNC:
		return replace_owner(a, &r->body.async.info) ||
		       replace_peer(a, r->body.info.known, &r->body.async.peer);
	case RDMAEV_KIND_WC:
		return replace_owner(a, &r->body.wc.info) ||
		       replace_peer(a, r->body.info.known, &r->body.wc.peer);
	case RDMAEV_KIND_COMPLETION:
		return replace_owner(a, &r->body.completion.info);
	case RDMAEV_KIND_QP:
		return replace_qp(a, &r->body.qp);
	case RDMAEV_KIND_CM:
		return replace_cm(a, &r->body.cm);
	case RDMAEV_KIND_NOTE:
		return replace_note(a, &r->body.note);
	case RDMAEV_KIND_LOST:
	case RDMAEV_KIND_OBSERVER:
	case RDMAEV_KIND_PROBE:
		return 0;
	default:
		/* Of a later version: it can have anything. */
		memset(&r->body, 0, sizeof(r->body));
		return 0;
	}
}

void anonymous_header(struct recording_header *header)
{
	memset(header->boot_id, 0, sizeof(header->boot_id));
	memset(header->host, 0, sizeof(header->host));
	/* Two hosts can be told apart. */
	snprintf(header->host, sizeof(header->host), "host-%04llx",
		 (unsigned long long)header->instance & 0xffff);
}

int anonymous_records(struct anonymous *a, struct rdmaev_record *records, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (replace_record(a, &records[i]))
			return -1;
	return 0;
}

static int replace_entry(struct anonymous *a, unsigned int list, void *entry)
{
	struct rdmaev_device *device = entry;
	struct rdmaev_cq_stats *cq = entry;
	struct rdmaev_port *port = entry;
	struct rdmaev_qp *qp = entry;

	switch (list) {
	case RECORDING_DEVICES:
		return replace_guid(a, &device->node_guid) ||
		       replace_name(a, device->remover_comm, sizeof(device->remover_comm));
	case RECORDING_PORTS:
		return replace_address(a, port->gid);
	case RECORDING_CQS:
		return cq->flags & RDMAEV_CQ_USER ?
		       replace_name(a, cq->owner, sizeof(cq->owner)) : 0;
	case RECORDING_QPS:
		return replace_owner(a, &qp->info) ||
		       replace_peer(a, qp->info.known, &qp->peer);
	default:
		return 0;
	}
}

int anonymous_list(struct anonymous *a, unsigned int list, void *entries, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (replace_entry(a, list, (char *)entries + i * recording_entry_size(list)))
			return -1;
	return 0;
}

/* All are in the list, too. */
static void keep_standin(void *standin)
{
	(void)standin;
}

void anonymous_free(struct anonymous *a)
{
	struct standin *standin;

	tdestroy(a->root, keep_standin);
	while ((standin = a->all)) {
		a->all = standin->next;
		free(standin);
	}
}
