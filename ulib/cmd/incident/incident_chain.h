/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Records by a key, the newest first, so that a rule does not walk through the log. A
 * chain has all records whose keys have the same hash: compare the key.
 */
#ifndef ULIB_INCIDENT_CHAIN_H
#define ULIB_INCIDENT_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "incident.h"

/**
 * struct chain - records by a key
 * @newest: by hash, NONE: no record
 * @older: of each record the one before it in its chain, or NONE
 * @bits: number of bits of a hash
 */
struct chain {
	uint32_t *newest;
	uint32_t *older;
	unsigned int bits;
};

/* Make room for records 0 to @count - 1. 0, or -1 if memory is short. Free it in either case. */
int chain_init(struct chain *chain, size_t count);
void chain_free(struct chain *chain);

/* Take all records out. */
void chain_clear(struct chain *chain);

/* Add a record, which is newer than all others, and in no chain yet. */
void chain_add(struct chain *chain, uint64_t key, size_t i);

/* The newest record, of this key or another one; or NONE */
size_t chain_newest(const struct chain *chain, uint64_t key);

static inline size_t chain_older(const struct chain *chain, size_t i)
{
	return chain->older[i];
}

/* A key of two numbers */
static inline uint64_t key_of(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* A key with one more number, or with the @size bytes at @bytes, a multiple of 8 */
uint64_t key_add(uint64_t key, uint64_t number);
uint64_t key_add_bytes(uint64_t key, const void *bytes, size_t size);

#endif /* ULIB_INCIDENT_CHAIN_H */
