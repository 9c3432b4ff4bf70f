// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Records by a key, the newest first */
#include <stdlib.h>
#include <string.h>

#include "incident_chain.h"

/* 2^64 divided by the golden ratio: spreads keys that differ little */
#define SPREAD	0x9e3779b97f4a7c15ULL

int chain_init(struct chain *chain, size_t count)
{
	while (count >> (chain->bits + 1))
		chain->bits++;
	chain->newest = malloc(sizeof(*chain->newest) << chain->bits);
	chain->older = calloc(count + 1, sizeof(*chain->older));
	if (!chain->newest || !chain->older)
		return -1;
	chain_clear(chain);
	return 0;
}

void chain_clear(struct chain *chain)
{
	/* NONE in each */
	memset(chain->newest, 0xff, sizeof(*chain->newest) << chain->bits);
}

void chain_free(struct chain *chain)
{
	free(chain->newest);
	free(chain->older);
}

static size_t chain_hash(const struct chain *chain, uint64_t key)
{
	key ^= key >> 32;
	return chain->bits ? key * SPREAD >> (64 - chain->bits) : 0;
}

void chain_add(struct chain *chain, uint64_t key, size_t i)
{
	size_t hash = chain_hash(chain, key);

	chain->older[i] = chain->newest[hash];
	chain->newest[hash] = (uint32_t)i;
}

size_t chain_newest(const struct chain *chain, uint64_t key)
{
	return chain->newest[chain_hash(chain, key)];
}

uint64_t key_add(uint64_t key, uint64_t number)
{
	key = (key ^ number) * SPREAD;
	return key ^ key >> 29;
}

uint64_t key_add_bytes(uint64_t key, const void *bytes, size_t size)
{
	uint64_t number;
	size_t at;

	for (at = 0; at < size; at += sizeof(number)) {
		memcpy(&number, (const char *)bytes + at, sizeof(number));
		key = key_add(key, number);
	}
	return key;
}
