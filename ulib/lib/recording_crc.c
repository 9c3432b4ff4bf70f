// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The CRC of a frame: what writes a recording and what reads it */
#include <endian.h>
#include <pthread.h>

#include "recording.h"

/* The polynomial of IEEE 802.3, lowest bit first */
#define POLYNOMIAL	0xedb88320

/* Bytes at a time */
#define SLICES		8

/* tables[n][b]: CRC of the byte b, and n bytes of 0 after it */
static uint32_t tables[SLICES][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void fill_tables(void)
{
	unsigned int byte, bit, n;

	for (byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		tables[0][byte] = crc;
	}
	for (n = 1; n < SLICES; n++)
		for (byte = 0; byte < 256; byte++)
			tables[n][byte] = tables[n - 1][byte] >> 8 ^
					  tables[0][tables[n - 1][byte] & 0xff];
}

static uint32_t crc_byte(uint32_t crc, uint8_t byte)
{
	return crc >> 8 ^ tables[0][(crc ^ byte) & 0xff];
}

/* The bytes that a CRC of 32 bits has been added to, as if nothing was before them */
static uint32_t crc_slices(uint32_t crc, const uint8_t *byte)
{
	return tables[7][(crc ^ byte[0]) & 0xff] ^ tables[6][(crc >> 8 ^ byte[1]) & 0xff] ^
	       tables[5][(crc >> 16 ^ byte[2]) & 0xff] ^ tables[4][crc >> 24 ^ byte[3]] ^
	       tables[3][byte[4]] ^ tables[2][byte[5]] ^ tables[1][byte[6]] ^ tables[0][byte[7]];
}

/*
 * x^203 = x^186 + x^123 + x^85 + x^79 + 1 modulo the polynomial: the CRC stays the same if a
 * bit is set to 0 and added to the bits that are 17, 80, 118, 124 and 203 after it. Both sides
 * squared six times, this is true of words of 64 bits, too, whatever the order of their bytes.
 */
#define REACH		203

/* Words that are set to 0 at a time */
#define WORDS		256

#define WORD		sizeof(uint64_t)

/* What the words before this one add to it */
static uint64_t from_before(const uint64_t *word)
{
	return word[-17] ^ word[-80] ^ word[-118] ^ word[-124] ^ word[-REACH];
}

/* Of a long frame: four times as fast as with tables, which only its end needs */
static uint32_t crc_words(uint32_t crc, const uint8_t **byte, size_t *size)
{
	/* The last ones that were set to 0, and those that follow */
	uint64_t words[REACH + WORDS] = { 0 }, *word, last;
	uint64_t begin = htole64(crc);

	for (; *size >= (WORDS + REACH) * WORD; *size -= WORDS * WORD, *byte += WORDS * WORD) {
		memcpy(words + REACH, *byte, WORDS * WORD);
		words[REACH] ^= begin;
		begin = 0;
		for (word = words + REACH; word < words + REACH + WORDS; word++)
			*word ^= from_before(word);
		memmove(words, words + WORDS, REACH * WORD);
	}
	memset(words + REACH, 0, REACH * WORD);
	crc = 0;
	for (word = words + REACH; word < words + 2 * REACH; word++, *byte += WORD) {
		memcpy(&last, *byte, WORD);
		last ^= from_before(word);
		crc = crc_slices(crc, (const uint8_t *)&last);
	}
	*size -= REACH * WORD;
	return crc;
}

uint32_t recording_crc(uint32_t crc, const void *bytes, size_t size)
{
	const uint8_t *byte = bytes;

	pthread_once(&tables_once, fill_tables);
	crc = ~crc;
	if (size >= (WORDS + REACH) * WORD)
		crc = crc_words(crc, &byte, &size);
	for (; size >= SLICES; size -= SLICES, byte += SLICES)
		crc = crc_slices(crc, byte);
	for (; size; size--, byte++)
		crc = crc_byte(crc, *byte);
	return ~crc;
}

uint32_t recording_frame_crc(const struct recording_frame *frame, const void *payload)
{
	struct recording_frame head = *frame;

	head.crc = 0;
	return recording_crc(recording_crc(0, &head, sizeof(head)), payload, frame->size);
}
