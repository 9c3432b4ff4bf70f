// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * librdmaev: recordings, without a module: records and lists come back as they were
 * written; a file cut at any byte has all whole frames and says that it is cut; a
 * file of a later version can be read; one that is damaged anywhere does no harm.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "record/recording_write.h"
#include "kselftest_harness.h"

#define RECORDS		12
#define FIRST		1000

static char path[64];

static struct rdmaev_record made_up(uint64_t seq)
{
	struct rdmaev_record r = {
		.seq = seq, .boottime_ns = 1000 * seq,
		.realtime_ns = 7000000 + 1000 * seq, .device = (uint32_t)(seq % 2),
		.generation = 1 + (uint32_t)(seq % 2),
		.port = 1,
		.kind = seq % 3 ? RDMAEV_KIND_ASYNC : RDMAEV_KIND_PORT,
		.code = seq % 3 ? RDMAEV_ASYNC_PORT_ERR : RDMAEV_PORT_STATE,
		.severity = 1 + seq % 3,
		.count = 1,
	};

	snprintf(r.device_name, sizeof(r.device_name), "dev%u", r.device);
	return r;
}

static const struct recording_header header = {
	.order = RECORDING_ORDER,
	.version = RECORDING_VERSION,
	.instance = 0x1234,
	.boottime_ns = 1,
	.realtime_ns = 2,
	.abi_version = 1,
	.rings = 3,
	.ring_records = 8192,
	.boot_id = "b0071d",
	.host = "node17",
	.kernel = "6.1.0",
};

static int append_devices(struct recording_writer *w, uint64_t seq)
{
	const struct rdmaev_device devices[3] = {
		{ .index = 0, .generation = 1, .ports = 1, .name = "dev0",
		  .flags = RDMAEV_DEVICE_FLAG_REMOVED },
		{ .index = 1, .generation = 2, .ports = 2, .name = "dev1",
		  .remover_comm = "0123456789abcdef" },	/* without a NUL */
		{ .index = 2, .generation = 3, .ports = 1, .name = "dev2" },
	};
	struct recording_list list = { .list = RECORDING_DEVICES, .seq = seq };

	return recording_append_list(w, &list, devices, 3);
}

static int append_ports(struct recording_writer *w, uint64_t seq)
{
	const struct rdmaev_port ports[3] = {
		{ .device = 0, .generation = 1, .port = 1 },
		{ .device = 1, .generation = 2, .port = 1, .state = RDMAEV_STATE_ACTIVE },
		{ .device = 1, .generation = 2, .port = 2 },
	};
	struct recording_list list = { .list = RECORDING_PORTS, .seq = seq };

	return recording_append_list(w, &list, ports, 3);
}

static const struct rdmaev_observed observed = { .observed = 1, .gaps = 2, .off = 4 };

static int append_observed(struct recording_writer *w)
{
	struct recording_list list = { .list = RECORDING_OBSERVED, .seq = 1 };

	return recording_append_list(w, &list, &observed, 1);
}

/* Begin a file; in a folder of its own for each process, as tests run in some. */
static int begin(struct recording_writer *w)
{
	snprintf(path, sizeof(path), "/tmp/rdmaev-recording.%d", (int)getpid());
	unlink(path);
	return recording_create(w, path, &header);
}

/* A whole recording; its records in frames of 1 to 4 */
static int write_sample(void)
{
	struct recording_end end = { 999999, 999999 };
	struct rdmaev_record records[RECORDS];
	struct recording_writer w;
	uint64_t i, n;
	int ret = begin(&w);

	for (i = 0; i < RECORDS; i++)
		records[i] = made_up(FIRST + i);
	ret |= append_devices(&w, 1) | append_ports(&w, 1);
	for (i = 0; i < RECORDS; i += n) {
		n = 1 + i % 4;
		if (n > RECORDS - i)
			n = RECORDS - i;
		ret |= recording_append_records(&w, &records[i], n);
	}
	ret |= append_devices(&w, FIRST + RECORDS - 1);
	ret |= append_observed(&w);
	ret |= recording_append(&w, RECORDING_END, &end, sizeof(end), NULL, 0);
	ret |= recording_sync(&w);
	return ret | recording_finish(&w);
}

static struct rdmaev *sample(void)
{
	return write_sample() ? NULL : rdmaev_open(path, 0);
}

FIXTURE(recording) {
	struct rdmaev *h;
	struct rdmaev_record r[2 * RECORDS];
};

FIXTURE_SETUP(recording)
{
	self->h = sample();
	ASSERT_NE(self->h, NULL);
}

FIXTURE_TEARDOWN(recording)
{
	rdmaev_close(self->h);
	unlink(path);
}

TEST_F(recording, records_come_back)
{
	struct rdmaev_record want;
	uint64_t i;

	ASSERT_EQ(rdmaev_read(self->h, self->r, 2 * RECORDS), RECORDS);
	for (i = 0; i < RECORDS; i++) {
		want = made_up(FIRST + i);
		EXPECT_EQ(memcmp(&self->r[i], &want, sizeof(want)), 0);
	}
}

TEST_F(recording, end_is_an_error_at_once)
{
	struct pollfd p = { .fd = rdmaev_fd(self->h), .events = POLLIN };

	EXPECT_EQ(rdmaev_wait(self->h, -1), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->r, RECORDS), RECORDS);
	EXPECT_EQ(rdmaev_read(self->h, self->r, 1), -1);
	EXPECT_EQ(errno, ENODATA);
	errno = 0;
	EXPECT_EQ(rdmaev_wait(self->h, -1), -1);
	EXPECT_EQ(errno, ENODATA);
	EXPECT_EQ(poll(&p, 1, 0), 1);
}

TEST_F(recording, position)
{
	struct { struct rdmaev_info info; uint64_t more; } larger;
	struct rdmaev_info info;

	EXPECT_EQ(rdmaev_seek(self->h, 0, SEEK_CUR), FIRST);
	EXPECT_EQ(rdmaev_seek(self->h, FIRST + 5, SEEK_SET), FIRST + 5);
	ASSERT_EQ(rdmaev_read(self->h, self->r, 1), 1);
	EXPECT_EQ(self->r[0].seq, FIRST + 5);
	EXPECT_EQ(rdmaev_seek(self->h, 0, SEEK_CUR), FIRST + 6);
	EXPECT_EQ(rdmaev_seek(self->h, -3, SEEK_END), FIRST + RECORDS - 3);
	EXPECT_EQ(rdmaev_read(self->h, self->r, RECORDS), 3);
	EXPECT_EQ(rdmaev_seek(self->h, 0, SEEK_END), FIRST + RECORDS);
	EXPECT_EQ(rdmaev_seek(self->h, 0, SEEK_SET), FIRST);
	EXPECT_EQ(rdmaev_seek(self->h, 1, SEEK_SET), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->r, 1), 1);
	EXPECT_EQ(self->r[0].seq, FIRST);
	EXPECT_EQ(rdmaev_seek(self->h, FIRST + RECORDS + 1, SEEK_SET), -1);
	EXPECT_EQ(errno, ENXIO);
	EXPECT_EQ(rdmaev_seek(self->h, 1, SEEK_END), -1);
	EXPECT_EQ(errno, ENXIO);
	EXPECT_EQ(rdmaev_seek(self->h, -1, SEEK_SET), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(rdmaev_seek(self->h, 0, 17), -1);
	EXPECT_EQ(errno, EINVAL);
	/* A program that knows more, and one that knows less, than any version does */
	memset(&larger, 0xff, sizeof(larger));
	ASSERT_EQ(rdmaev_info_sized(self->h, &larger.info, sizeof(larger)), 0);
	EXPECT_EQ(larger.info.newest_seq, FIRST + RECORDS - 1);
	EXPECT_EQ(larger.more, 0);
	memset(&larger, 0xff, sizeof(larger));
	ASSERT_EQ(rdmaev_info_sized(self->h, &larger.info, RDMAEV_INFO_SIZE_VER0), 0);
	EXPECT_EQ(larger.info.newest_seq, FIRST + RECORDS - 1);
	EXPECT_EQ(*((unsigned char *)&larger + RDMAEV_INFO_SIZE_VER0), 0xff);
	errno = 0;
	EXPECT_EQ(rdmaev_info_sized(self->h, &larger.info, RDMAEV_INFO_SIZE_VER0 - 1), -1);
	EXPECT_EQ(errno, EINVAL);
	ASSERT_EQ(rdmaev_info(self->h, &info), 0);
	EXPECT_EQ(info.instance, header.instance);
	EXPECT_EQ(info.oldest_seq, FIRST);
	EXPECT_EQ(info.newest_seq, FIRST + RECORDS - 1);
	EXPECT_EQ(info.record_size, RDMAEV_RECORD_SIZE);
	EXPECT_EQ(info.ring_records, 8192);
	EXPECT_EQ(memcmp(&info.observer, &observed, sizeof(observed)), 0);
}

static ssize_t read_filtered(struct rdmaev *h, const struct rdmaev_filter *f,
			     struct rdmaev_record *r)
{
	ssize_t n;

	if (rdmaev_set_filter(h, f) < 0 || rdmaev_seek(h, 1, SEEK_SET) < 0)
		return -1;
	n = rdmaev_read(h, r, RECORDS);
	return n < 0 && errno == ENODATA ? 0 : n;
}

TEST_F(recording, filters)
{
	struct rdmaev_filter f;
	ssize_t n, i;

	rdmaev_filter_init(&f);
	f.kinds = 1U << RDMAEV_KIND_PORT;
	n = read_filtered(self->h, &f, self->r);
	EXPECT_EQ(n, RECORDS / 3);
	for (i = 0; i < n; i++)
		EXPECT_EQ(self->r[i].kind, RDMAEV_KIND_PORT);
	f.kinds = 0;
	f.targets = 1;
	strcpy(f.target[0].device, "dev1");
	EXPECT_EQ(read_filtered(self->h, &f, self->r), RECORDS / 2);
	strcpy(f.target[0].device, "dev*");
	EXPECT_EQ(read_filtered(self->h, &f, self->r), RECORDS);
	f.target[0].flags = RDMAEV_TARGET_PORT;
	f.target[0].port = 2;
	EXPECT_EQ(read_filtered(self->h, &f, self->r), 0);
	f.target[0].flags = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), -1);
	f.target[0].port = 0;
	f.severities = 1U << RDMAEV_SEVERITY_ERROR;
	EXPECT_EQ(read_filtered(self->h, &f, self->r), RECORDS / 3);
	f.severities = 0;
	f.codes[RDMAEV_KIND_ASYNC] = 1;
	EXPECT_EQ(read_filtered(self->h, &f, self->r), RECORDS / 3);
	f.codes[RDMAEV_KIND_ASYNC] = 0;
	f.codes[0] = 1;
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), -1);
	EXPECT_EQ(errno, EINVAL);
	f.codes[0] = 0;
	f.flags = RDMAEV_FILTER_OBJECT;
	f.object = 17;
	EXPECT_EQ(read_filtered(self->h, &f, self->r), 0);
	EXPECT_EQ(read_filtered(self->h, NULL, self->r), RECORDS);
}

TEST_F(recording, lists)
{
	struct rdmaev_device devices[4];
	struct rdmaev_port ports[4];
	struct rdmaev_counter counter;
	uint64_t seq = 0;

	ASSERT_EQ(rdmaev_devices(self->h, devices, 4, 0, &seq), 2);
	EXPECT_STREQ(devices[0].remover_comm, "0123456789abcde");
	EXPECT_EQ(seq, FIRST + RECORDS - 1);
	EXPECT_STREQ(devices[0].name, "dev1");
	EXPECT_EQ(rdmaev_devices(self->h, devices, 1, RDMAEV_DEVICES_REMOVED, NULL), 3);
	EXPECT_STREQ(devices[0].name, "dev0");
	EXPECT_STREQ(devices[1].name, "dev2");
	EXPECT_EQ(rdmaev_devices(self->h, NULL, 0, 2, NULL), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(rdmaev_ports(self->h, RDMAEV_ANY, 0, ports, 4, &seq), 2);
	EXPECT_EQ(seq, 1);
	EXPECT_EQ(ports[0].state, RDMAEV_STATE_ACTIVE);
	EXPECT_EQ(rdmaev_ports(self->h, 0, RDMAEV_PORTS_REMOVED, ports, 4, NULL), 1);
	EXPECT_EQ(rdmaev_ports(self->h, 0, 0, ports, 4, NULL), -1);
	EXPECT_EQ(errno, ENODEV);
	EXPECT_EQ(rdmaev_ports_sized(self->h, 1, 0, ports, 8, 4, NULL), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(rdmaev_counters(self->h, RDMAEV_ANY, RDMAEV_ANY, 0, &counter, 1, NULL), -1);
	EXPECT_EQ(errno, ENODATA);
}

TEST_F(recording, calls_that_need_a_kernel)
{
	EXPECT_EQ(rdmaev_notify(self->h, 1, 1, 1, 1), -1);
	EXPECT_EQ(errno, EOPNOTSUPP);
	EXPECT_EQ(rdmaev_probe_set(self->h, 1, 1), -1);
	EXPECT_EQ(errno, EPROTONOSUPPORT);
	EXPECT_EQ(rdmaev_set_wakeup(self->h, 64, 1000), 0);
	EXPECT_EQ(rdmaev_set_wakeup(self->h, 0, 0), -1);
	EXPECT_EQ(errno, EINVAL);
}

/* As rdmaev-recording(5) has it: files of today are to be read for ever. */
TEST(layout)
{
	EXPECT_EQ(sizeof(struct recording_frame), 16);
	EXPECT_EQ(offsetof(struct recording_frame, crc), 8);
	EXPECT_EQ(sizeof(struct recording_header), 240);
	EXPECT_EQ(offsetof(struct recording_header, instance), 16);
	EXPECT_EQ(offsetof(struct recording_header, boot_id), 56);
	EXPECT_EQ(offsetof(struct recording_header, host), 96);
	EXPECT_EQ(offsetof(struct recording_header, kernel), 168);
	EXPECT_EQ(sizeof(struct recording_records), 8);
	EXPECT_EQ(sizeof(struct recording_list), 40);
	EXPECT_EQ(offsetof(struct recording_list, seq), 16);
	EXPECT_EQ(sizeof(struct recording_host_port), 40);
	EXPECT_EQ(offsetof(struct recording_host_port, netdev), 24);
	EXPECT_EQ(sizeof(struct recording_end), 16);
	EXPECT_EQ(RECORDING_LISTS, 9);
	/* The sum of zlib */
	EXPECT_EQ(recording_crc(0, "123456789", 9), 0xcbf43926);
}

/* A file cut anywhere */

TEST(cut_at_each_byte)
{
	size_t frame = sizeof(struct recording_frame);
	ssize_t n, before = 0;
	struct rdmaev_record r[RECORDS];
	struct stat st;
	int64_t size;

	ASSERT_EQ(write_sample(), 0);
	ASSERT_EQ(stat(path, &st), 0);
	/* Backwards, so that one file serves */
	for (size = st.st_size - 1; size >= 0; size--) {
		struct rdmaev *h;

		ASSERT_EQ(truncate(path, size), 0);
		errno = 0;
		h = rdmaev_open(path, RDMAEV_NONBLOCK);
		if (size < (int64_t)(RECORDING_MAGIC_SIZE + frame + sizeof(header))) {
			EXPECT_EQ(h, NULL);
			EXPECT_EQ(errno, size < RECORDING_MAGIC_SIZE ? ENOTSUP : EBADMSG);
			continue;
		}
		ASSERT_NE(h, NULL);
		n = rdmaev_read(h, r, RECORDS);
		if (n < 0)
			n = 0;
		if (n)
			EXPECT_EQ(r[n - 1].seq, FIRST + (uint64_t)n - 1);
		if (size < st.st_size - 1)
			EXPECT_LE(n, before);
		before = n;
		EXPECT_EQ(rdmaev_read(h, r, 1), -1);
		/* Between two frames, nothing says that one is missing. */
		EXPECT_TRUE(errno == EBADMSG || errno == ENODATA);
		rdmaev_close(h);
	}
	unlink(path);
}

/* A file of a later version */

static int append_longer_records(struct recording_writer *w)
{
	struct {
		struct rdmaev_record r;
		char more[64];
	} longer[2] = { { .r = made_up(1), .more = "new" }, { .r = made_up(2) } };
	const struct recording_records head = { sizeof(longer[0]), 2 };

	return recording_append(w, RECORDING_RECORDS, &head, sizeof(head), longer,
				sizeof(longer));
}

static int append_longer_list(struct recording_writer *w)
{
	struct {
		struct rdmaev_device device;
		char more[32];
	} longer[2] = {
		{ .device = { .index = 3, .generation = 1, .name = "a" } },
		{ .device = { .index = 4, .generation = 2, .name = "b" } },
	};
	struct recording_list list = {
		.list = RECORDING_DEVICES,
		.entry_size = sizeof(longer[0]),
		.count = 2,
	};

	return recording_append(w, RECORDING_LIST, &list, sizeof(list), longer,
				sizeof(longer));
}

TEST(later_version)
{
	struct recording_list unknown = { .list = 77, .entry_size = 4, .count = 1 };
	struct rdmaev_record r[4], want = made_up(2);
	struct rdmaev_device devices[2];
	struct recording_writer w;
	struct rdmaev *h;

	ASSERT_EQ(begin(&w), 0);
	EXPECT_EQ(recording_append(&w, 4711, "anything", 8, "else", 4), 0);
	EXPECT_EQ(append_longer_records(&w), 0);
	EXPECT_EQ(recording_append(&w, RECORDING_LIST, &unknown, sizeof(unknown), "xxxx", 4), 0);
	EXPECT_EQ(append_longer_list(&w), 0);
	ASSERT_EQ(recording_finish(&w), 0);
	h = rdmaev_open(path, 0);
	ASSERT_NE(h, NULL);
	ASSERT_EQ(rdmaev_read(h, r, 4), 2);
	EXPECT_EQ(memcmp(&r[1], &want, sizeof(want)), 0);
	EXPECT_EQ(rdmaev_read(h, r, 4), -1);
	EXPECT_EQ(errno, ENODATA);
	ASSERT_EQ(rdmaev_devices(h, devices, 2, 0, NULL), 2);
	EXPECT_STREQ(devices[1].name, "b");
	rdmaev_close(h);
	unlink(path);
}

static int open_errno(const struct recording_header *head)
{
	struct recording_writer w;
	struct rdmaev *h;

	snprintf(path, sizeof(path), "/tmp/rdmaev-recording.%d", (int)getpid());
	unlink(path);
	if (recording_create(&w, path, head) < 0 || recording_finish(&w) < 0)
		return -1;
	errno = 0;
	h = rdmaev_open(path, 0);
	rdmaev_close(h);
	unlink(path);
	return errno;
}

TEST(version_that_must_be_known)
{
	struct recording_header head = header;

	EXPECT_EQ(open_errno(&head), 0);
	head.version = 2;
	EXPECT_EQ(open_errno(&head), 0);
	head.features = 1;
	EXPECT_EQ(open_errno(&head), ENOTSUP);
	head.features = 0;
	head.order = 0x04030201;
	EXPECT_EQ(open_errno(&head), ENOTSUP);
}

TEST(losses)
{
	struct rdmaev_record r[4] = {
		{ .seq = 9, .kind = RDMAEV_KIND_LOST, .count = 9,
		  .body.lost = { .first = 1, .last = 9, .count = 9 } },
		made_up(10),
		{ .seq = 14, .kind = RDMAEV_KIND_LOST, .count = 4,
		  .body.lost = { .first = 11, .last = 14, .count = 4 } },
		made_up(15),
	}, got[4];
	struct recording_writer w;
	struct rdmaev_filter f;
	struct rdmaev_info info;
	struct rdmaev *h;

	ASSERT_EQ(begin(&w), 0);
	EXPECT_EQ(recording_append_records(&w, r, 4), 0);
	EXPECT_EQ(recording_finish(&w), 0);
	h = rdmaev_open(path, 0);
	ASSERT_NE(h, NULL);
	EXPECT_EQ(rdmaev_read(h, got, 4), 4);
	EXPECT_EQ(memcmp(got, r, sizeof(r)), 0);
	EXPECT_EQ(rdmaev_info(h, &info), 0);
	EXPECT_EQ(info.lost, 13);
	EXPECT_EQ(info.oldest_seq, 10);
	/* They pass every filter, but for those before the oldest record. */
	rdmaev_filter_init(&f);
	f.kinds = 1U << RDMAEV_KIND_CM;
	EXPECT_EQ(rdmaev_set_filter(h, &f), 0);
	EXPECT_EQ(rdmaev_seek(h, 0, SEEK_SET), 10);
	ASSERT_EQ(rdmaev_read(h, got, 4), 1);
	EXPECT_EQ(got[0].body.lost.count, 4);
	rdmaev_close(h);
	unlink(path);
}

/* A file that is damaged anywhere, also where the sum says that all is well */

static uint32_t random_state;

static uint32_t any(uint32_t below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % below;
}

/* Correct the sums of the frames as far as they can be found. */
static void mend(char *file, size_t size)
{
	size_t at = RECORDING_MAGIC_SIZE;
	struct recording_frame frame;

	while (at + sizeof(frame) <= size) {
		memcpy(&frame, file + at, sizeof(frame));
		if (frame.size > size - at - sizeof(frame))
			return;
		frame.crc = recording_frame_crc(&frame, file + at + sizeof(frame));
		memcpy(file + at, &frame, sizeof(frame));
		at += sizeof(frame) + frame.size;
	}
}

/* Everything that a program can ask for; format what comes. */
static void use_all(struct rdmaev *h)
{
	/* The largest entry */
	struct rdmaev_cq_stats list[4];
	void *to = list;
	struct rdmaev_record r[8];
	uint64_t last = 0;
	char line[4096];
	ssize_t n, i;

	rdmaev_devices(h, to, 4, RDMAEV_DEVICES_REMOVED, NULL);
	rdmaev_ports(h, any(4), 0, to, 4, NULL);
	rdmaev_counters(h, RDMAEV_ANY, any(3), 0, to, 4, NULL);
	rdmaev_cqs(h, RDMAEV_ANY, any(2), 0, to, 4, NULL);
	rdmaev_probes(h, RDMAEV_ANY, 0, to, 4, NULL);
	rdmaev_qps(h, RDMAEV_ANY, 0, 0, to, 4, NULL);
	rdmaev_seek(h, any(2) ? any(2000) : 0, SEEK_SET);
	while ((n = rdmaev_read(h, r, 8)) > 0) {
		for (i = 0; i < n; i++) {
			if (r[i].seq < last)
				abort();
			last = r[i].seq;
			rdmaev_format(&r[i], RDMAEV_STYLE_HUMAN, line, sizeof(line));
			rdmaev_format(&r[i], RDMAEV_STYLE_JSON, line, sizeof(line));
		}
	}
}

static size_t read_file(char *to, size_t room)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, to, room);

	close(fd);
	return n > 0 ? (size_t)n : 0;
}

static void write_file(const char *from, size_t size)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (write(fd, from, size) != (ssize_t)size)
		abort();
	close(fd);
}

TEST(damaged_anywhere)
{
	static const uint32_t numbers[] = { 0, 1, 2, 3, 4, 8, 127, 255, 256, 0xffffffff };
	static char whole[65536], file[65536];
	const char *seed = getenv("RDMAEV_FUZZ_SEED");
	int run, opened = 0, changes;
	struct rdmaev *h;
	size_t size;

	random_state = seed ? (uint32_t)strtoul(seed, NULL, 0) : 1;
	TH_LOG("seed %u", random_state);
	ASSERT_EQ(write_sample(), 0);
	size = read_file(whole, sizeof(whole));
	ASSERT_GT(size, 1000);
	for (run = 0; run < 1000; run++) {
		memcpy(file, whole, size);
		for (changes = 1 + any(4); changes; changes--) {
			size_t at = any((uint32_t)size / 4) * 4;

			memcpy(file + at, &numbers[any(10)], sizeof(uint32_t));
		}
		if (any(8))
			mend(file, size);
		write_file(file, any(8) ? size : any((uint32_t)size));
		h = rdmaev_open(path, RDMAEV_NONBLOCK);
		if (!h)
			continue;
		opened++;
		use_all(h);
		rdmaev_close(h);
	}
	/* Most damage is behind the header. */
	EXPECT_GT(opened, 500);
	unlink(path);
}

TEST_HARNESS_MAIN
