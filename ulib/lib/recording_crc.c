// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The CRC of a frame: what writes a recording and what reads it */
#include "recording.h"

/* Four bits at a time: fast enough, with a table that anybody can check */
uint32_t recording_crc(uint32_t crc, const void *bytes, size_t size)
{
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	const uint8_t *byte = bytes;

	crc = ~crc;
	for (; size; size--, byte++) {
		crc ^= *byte;
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

uint32_t recording_frame_crc(const struct recording_frame *frame, const void *payload)
{
	struct recording_frame head = *frame;

	head.crc = 0;
	return recording_crc(recording_crc(0, &head, sizeof(head)), payload, frame->size);
}
