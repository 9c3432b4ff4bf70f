/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Generic netlink: sockets and messages, and the attributes of the family. */
#ifndef ULIB_GENL_H
#define ULIB_GENL_H

#include "internal.h"

struct rdmaev_attr_set;

/**
 * struct genl - a socket for requests
 * @fd: the socket; -1: to be opened by the next request
 * @family: id of the family
 * @seq: number of the last request and of its answer
 * @dumps: the last request was a dump
 * @interrupted: the list changed during the dump: entries may be missing
 */
struct genl {
	int fd;
	uint16_t family;
	uint32_t seq;
	bool dumps;
	bool interrupted;
};

/* Size of request attributes: more than a filter and some numbers take */
#define REQUEST_MAX	2560

/**
 * struct request - a request; zero all but @attrs before use
 * @cmd: command
 * @dump: list all
 * @len: bytes used in @attrs
 * @attrs: attributes, see put()
 */
struct request {
	uint8_t cmd;
	bool dump;
	size_t len;
	char attrs[REQUEST_MAX];
};

/**
 * struct attrs - attributes that are not parsed yet
 * @at: the next one
 * @left: bytes
 */
struct attrs {
	const char *at;
	size_t left;
};

/**
 * struct attr - an attribute
 * @type: type
 * @size: bytes of @data
 * @data: payload; not aligned
 */
struct attr {
	unsigned int type;
	size_t size;
	const char *data;
};

/* Handles a message of an answer: 0, or -1 with errno. */
typedef int (*genl_fn)(void *arg, struct attrs attrs);

int genl_open(struct genl *g, uint16_t family);
void genl_close(struct genl *g);
void genl_renew(struct genl *g);

void genl_begin(struct request *r, uint8_t cmd, bool dump);
void genl_put(struct request *r, uint16_t type, const void *data, size_t size);
void genl_put_u32(struct request *r, uint16_t type, uint32_t value);
/* Attributes put between these calls are nested. */
size_t genl_nest_begin(struct request *r, uint16_t type);
void genl_nest_end(struct request *r, size_t nest);

int genl_send(struct genl *g, const struct request *r);
int genl_receive(struct genl *g, genl_fn fn, void *arg);
int genl_call(struct genl *g, const struct request *r, genl_fn fn, void *arg);

bool attr_next(struct attrs *attrs, struct attr *attr);

/**
 * struct genl_family - a family to look up
 * @id: its id
 * @group: number of its group @group_name, 0 if it has none
 * @group_name: set by the caller
 */
struct genl_family {
	uint16_t id;
	uint32_t group[2];
	const char *group_name[2];
};

int genl_find(struct genl_family *f, const char *name);

/*
 * Decode a message of the family into @entry or @record; the caller zeroes an
 * entry. Both return false for a message without one, such as a position.
 */
bool parse_entry(const struct rdmaev_attr_set *set, struct attrs attrs, void *entry,
		 uint64_t *seq);
bool parse_record(struct attrs attrs, struct rdmaev_record *record,
		  uint64_t *position);

bool nl_is_filter(const struct rdmaev_filter *f);
void nl_put_filter(struct request *r, const struct rdmaev_filter *f);

int nl_list_devices(struct genl *g, struct rdmaev_devices *devices);
int nl_list_ports(struct genl *g, struct rdmaev_ports *ports);
int nl_list_counters(struct genl *g, struct rdmaev_counters *counters);
int nl_list_cqs(struct genl *g, struct rdmaev_cqs *cqs);
int nl_list_qps(struct genl *g, struct rdmaev_qps *qps);
int nl_list_probes(struct genl *g, struct rdmaev_probes *probes);

#endif /* ULIB_GENL_H */
