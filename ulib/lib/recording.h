/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The log in a file: its format, which rdmaev-recording(5) describes, and what a
 * program gets out of it. A later version appends fields to structures, adds types
 * of frames and lists, and sets bits of features for all else.
 */
#ifndef ULIB_RECORDING_H
#define ULIB_RECORDING_H

#include "internal.h"

/* First bytes of a file; frames follow without a gap */
#define RECORDING_MAGIC		"RDMAEV\r\n"
#define RECORDING_MAGIC_SIZE	8

#define RECORDING_VERSION	1

/* Reads as another number on a host of the other byte order */
#define RECORDING_ORDER		0x01020304

/**
 * enum recording_type - type of a frame; readers skip others
 * @RECORDING_HEADER: &struct recording_header, the first frame
 * @RECORDING_RECORDS: &struct recording_records, and records
 * @RECORDING_LIST: &struct recording_list, and its entries
 * @RECORDING_END: &struct recording_end: the recording was ended, not cut
 */
enum recording_type {
	RECORDING_HEADER = 1,
	RECORDING_RECORDS = 2,
	RECORDING_LIST = 3,
	RECORDING_END = 4,
};

/**
 * struct recording_frame - head of a frame
 * @type: &enum recording_type
 * @size: bytes that follow the head
 * @crc: CRC-32 (of IEEE 802.3) of the head, with 0 in place of @crc, and of what
 *	follows it
 * @reserved: zero
 */
struct recording_frame {
	uint32_t type;
	uint32_t size;
	uint32_t crc;
	uint32_t reserved;
};

/**
 * struct recording_header - what was recorded where
 * @order: RECORDING_ORDER
 * @version: RECORDING_VERSION of the program that wrote it
 * @features: bits of what a reader must know to read it; none in version 1
 * @instance: instance of the log
 * @boottime_ns: CLOCK_BOOTTIME when the file was begun
 * @realtime_ns: CLOCK_REALTIME at the same moment
 * @abi_version: as in &struct rdmaev_info
 * @rings: likewise
 * @ring_records: likewise
 * @reserved: zero
 * @boot_id: boot of the host, NUL-terminated
 * @host: name of the host, NUL-terminated
 * @kernel: release of its kernel, NUL-terminated
 */
struct recording_header {
	uint32_t order;
	uint32_t version;
	uint64_t features;
	uint64_t instance;
	uint64_t boottime_ns;
	uint64_t realtime_ns;
	uint32_t abi_version;
	uint32_t rings;
	uint32_t ring_records;
	uint32_t reserved;
	char boot_id[40];
	char host[72];
	char kernel[72];
};

/**
 * struct recording_records - records of the log, in their order; what was lost in
 *	between is an RDMAEV_KIND_LOST record
 * @entry_size: bytes from one to the next
 * @count: number of records
 */
struct recording_records {
	uint32_t entry_size;
	uint32_t count;
};

/**
 * enum recording_list_type - a list of the library; the last one of each type in a
 *	file is valid at its end
 * @RECORDING_DEVICES: &struct rdmaev_device, removed devices too
 * @RECORDING_PORTS: &struct rdmaev_port, those of removed devices too
 * @RECORDING_COUNTERS: &struct rdmaev_counter, likewise
 * @RECORDING_CQS: &struct rdmaev_cq_stats of each CQ
 * @RECORDING_CQ_SUMS: &struct rdmaev_cq_stats of each device
 * @RECORDING_OBSERVED: one &struct rdmaev_observed
 * @RECORDING_PROBES: &struct rdmaev_probe
 * @RECORDING_HOST_PORTS: &struct recording_host_port of each port
 * @RECORDING_QPS: &struct rdmaev_qp of each QP
 * @RECORDING_LISTS: number of types
 */
enum recording_list_type {
	RECORDING_DEVICES = 0,
	RECORDING_PORTS = 1,
	RECORDING_COUNTERS = 2,
	RECORDING_CQS = 3,
	RECORDING_CQ_SUMS = 4,
	RECORDING_OBSERVED = 5,
	RECORDING_PROBES = 6,
	RECORDING_HOST_PORTS = 7,
	RECORDING_QPS = 8,
	RECORDING_LISTS = 9,
};

/**
 * struct recording_list - a list at one time
 * @list: &enum recording_list_type; readers skip others
 * @entry_size: bytes from one entry to the next
 * @count: number of entries
 * @reserved: zero
 * @seq: newest record that the list includes
 * @boottime_ns: CLOCK_BOOTTIME when it was made
 * @realtime_ns: CLOCK_REALTIME at the same moment
 */
struct recording_list {
	uint32_t list;
	uint32_t entry_size;
	uint32_t count;
	uint32_t reserved;
	uint64_t seq;
	uint64_t boottime_ns;
	uint64_t realtime_ns;
};

/**
 * struct recording_host_port - what the host knows of a port besides rdmaev
 * @generation: generation of the device
 * @port: port number
 * @speed: speed of its network device now, in Mb/s; 0: not known
 * @common: the most that both ends of its link can do
 * @supported: the most that it can do
 * @missing: RDMAEV_PART_* that it lacks, and other devices have
 * @netdev: name of its network device, NUL-terminated; empty: none
 */
struct recording_host_port {
	uint32_t generation;
	uint32_t port;
	uint32_t speed;
	uint32_t common;
	uint32_t supported;
	uint32_t missing;
	char netdev[16];
};

#define RECORDING_HOST_PORT_SIZE_VER0	40

/**
 * struct recording_end - when the recording was ended
 * @boottime_ns: CLOCK_BOOTTIME
 * @realtime_ns: CLOCK_REALTIME
 */
struct recording_end {
	uint64_t boottime_ns;
	uint64_t realtime_ns;
};

/* CRC-32 of @size bytes that follow those of @crc, which begins with 0 */
uint32_t recording_crc(uint32_t crc, const void *bytes, size_t size);
/* That of a frame, whatever its field has */
uint32_t recording_frame_crc(const struct recording_frame *frame, const void *payload);

/**
 * struct recording_entries - a list as this library knows it
 * @entries: the entries, each of recording_entry_size(); NULL: not recorded
 * @count: number of entries
 * @seq: newest record that the list includes
 */
struct recording_entries {
	char *entries;
	uint32_t count;
	uint64_t seq;
};

/**
 * struct recording_file - contents of a file
 * @header: its header
 * @records: records, @count of them in @room
 * @count: same
 * @room: same
 * @lists: the last list of each type
 * @boottime_ns: CLOCK_BOOTTIME of the end of the recording
 * @realtime_ns: CLOCK_REALTIME of it
 * @is_ended: it was ended, and is neither cut nor still being written
 * @left_out: bytes after the last whole frame, which is cut or damaged
 */
struct recording_file {
	struct recording_header header;
	struct rdmaev_record *records;
	size_t count;
	size_t room;
	struct recording_entries lists[RECORDING_LISTS];
	uint64_t boottime_ns;
	uint64_t realtime_ns;
	bool is_ended;
	uint64_t left_out;
};

/*
 * Read a file up to its end or to the first frame that is not whole. 0, or -1 with
 * errno: ENOTSUP: no recording, or one that this version cannot read. EBADMSG: it
 * ends within its header. Free it in either case.
 */
int recording_load(struct recording_file *file, int fd);
void recording_free(struct recording_file *file);

/* Bytes of an entry of a list */
size_t recording_entry_size(unsigned int list);
/* Bytes of an entry in version 1: in files and for programs it is as long, or longer. */
size_t recording_entry_least(unsigned int list);

/* Fill in what a program asks for; the results are those of the ioctls. */
int recording_list_devices(const struct recording_file *file, struct rdmaev_devices *devices);
int recording_list_ports(const struct recording_file *file, struct rdmaev_ports *ports);
int recording_list_counters(const struct recording_file *file,
			    struct rdmaev_counters *counters);
int recording_list_cqs(const struct recording_file *file, struct rdmaev_cqs *cqs);
int recording_list_qps(const struct recording_file *file, struct rdmaev_qps *qps);
int recording_list_probes(const struct recording_file *file, struct rdmaev_probes *probes);

/* True if the kernel would accept this filter. */
bool recording_filter_is_valid(const struct rdmaev_filter *f);
/* True if a record passes a filter that is valid. */
bool recording_filter_match(const struct rdmaev_filter *f, const struct rdmaev_record *r);

extern const struct transport_ops recording_ops;

/* What @h reads, or NULL if that is no recording */
const struct recording_file *recording_of(const struct rdmaev *h);

#endif /* ULIB_RECORDING_H */
