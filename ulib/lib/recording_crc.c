// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The CRC of a frame: what writes a recording and what reads it */
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

uint32_t recording_crc(uint32_t crc, const void *bytes, size_t size)
{
	const uint8_t *byte = bytes;

	pthread_once(&tables_once, fill_tables);
	crc = ~crc;
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
