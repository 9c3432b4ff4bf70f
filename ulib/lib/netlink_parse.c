// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Convert attributes of the netlink family to structures of the ABI. An
 * attribute without a field is skipped, a field without an attribute is zero.
 */
#include <internal/attributes.h>
#include <string.h>

#include "genl.h"

/* A number of 4 or 8 bytes. */
static bool parse_number(const struct attr *attr, uint64_t *value)
{
	uint32_t small;

	if (attr->size == sizeof(*value)) {
		memcpy(value, attr->data, sizeof(*value));
		return true;
	}
	if (attr->size != sizeof(small))
		return false;
	memcpy(&small, attr->data, sizeof(small));
	*value = small;
	return true;
}

/* Returns false if the number does not fit. */
static bool store_number(const struct rdmaev_attr *field, uint64_t value, char *dst)
{
	uint8_t u8 = (uint8_t)value;
	uint16_t u16 = (uint16_t)value;
	uint32_t u32 = (uint32_t)value;

	switch (field->size) {
	case sizeof(u8):
		*dst = (char)u8;
		return u8 == value;
	case sizeof(u16):
		memcpy(dst, &u16, sizeof(u16));
		return u16 == value;
	case sizeof(u32):
		memcpy(dst, &u32, sizeof(u32));
		return u32 == value;
	default:
		memcpy(dst, &value, sizeof(value));
		return true;
	}
}

/* There may be more or fewer of them than here. */
static bool parse_counters(const struct rdmaev_attr *field, const struct attr *attr, char *dst)
{
	struct attrs counters = { .at = attr->data, .left = attr->size };
	struct attr counter;
	uint64_t value;

	while (attr_next(&counters, &counter)) {
		size_t at = (counter.type - 1U) * sizeof(value);

		if (!counter.type || at >= field->size)
			continue;
		if (!parse_number(&counter, &value))
			return false;
		memcpy(dst + at, &value, sizeof(value));
	}
	return true;
}

/* An array may be longer or shorter than here. */
static bool parse_store(const struct rdmaev_attr *field, const struct attr *attr, char *dst)
{
	size_t size = attr->size < field->size ? attr->size : field->size;
	uint64_t value;

	if (field->size <= sizeof(value))
		return parse_number(attr, &value) &&
		       store_number(field, value, dst + field->offset);
	if (field->is_counters)
		return parse_counters(field, attr, dst + field->offset);
	memcpy(dst + field->offset, attr->data, size);
	if (field->is_text)
		dst[field->offset + field->size - 1] = '\0';
	return true;
}

/*
 * Fill in @dst, which is zero, and @last: the number in the attribute of the
 * type that the set names. Returns how many fields were found.
 */
static unsigned int parse_set(const struct rdmaev_attr_set *set, struct attrs attrs,
			      void *dst, uint64_t *last)
{
	const uint32_t no_port = RDMAEV_NO_PORT;
	unsigned int found = 0, i;
	struct attr attr;

	for (i = 0; i < set->n; i++)
		if (set->attrs[i].is_port)
			memcpy((char *)dst + set->attrs[i].offset, &no_port, sizeof(no_port));
	while (attr_next(&attrs, &attr)) {
		if (last && attr.type == set->type)
			parse_number(&attr, last);
		for (i = 0; i < set->n; i++) {
			if (set->attrs[i].type == attr.type)
				found += parse_store(&set->attrs[i], &attr, dst);
		}
	}
	return found;
}

bool parse_entry(const struct rdmaev_attr_set *set, struct attrs attrs, void *entry,
		 uint64_t *seq)
{
	return parse_set(set, attrs, entry, seq);
}

bool parse_record(struct attrs attrs, struct rdmaev_record *record,
		  uint64_t *position)
{
	const struct rdmaev_attr_set *body;
	struct attr attr;

	memset(record, 0, sizeof(*record));
	if (!parse_set(&rdmaev_record_attrs, attrs, record, position))
		return false;
	if (record->kind >= ARRAY_SIZE(rdmaev_body_attrs))
		return true;
	body = &rdmaev_body_attrs[record->kind];
	while (attr_next(&attrs, &attr)) {
		struct attrs nested = { .at = attr.data, .left = attr.size };

		if (attr.type == body->type)
			parse_set(body, nested, &record->body, NULL);
	}
	return true;
}
