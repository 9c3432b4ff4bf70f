// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests of released versions, as bytes: each has the answer that it had then. This
 * program knows no header of rdmaev. selftests/held/1.0/requests describes its lines.
 */
#include <ctype.h>
#include <glob.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "links.h"
#include "kselftest_harness.h"

#define NODE	"/dev/infiniband/rdmaev"
#define ROOM	4096

/* What a byte must be */
enum held_byte { HELD_EQUAL, HELD_ANY, HELD_LEAST };

/**
 * struct pattern - bytes to send, or to compare with
 * @len: number of bytes
 * @bytes: bytes
 * @is: &enum held_byte of each; HELD_LEAST begins a number of four bytes
 */
struct pattern {
	size_t len;
	uint8_t bytes[ROOM];
	uint8_t is[ROOM];
};

/* Sets of attributes, as bits */
#define TYPES	4

/**
 * struct request - a request with its answer
 * @name: its name
 * @how: "ioctl", or "do" or "dump" of netlink; empty: none
 * @cmd: number of the ioctl
 * @error: errno, or 0
 * @arg: what is sent
 * @answer: what comes back, or as long as no bytes: @arg
 * @entry: the first entry
 * @types: attributes that messages have, @types_count sets of them
 * @types_count: same
 */
struct request {
	char name[64];
	char how[8];
	unsigned int cmd;
	int error;
	struct pattern arg;
	struct pattern answer;
	struct pattern entry;
	uint64_t types[TYPES];
	unsigned int types_count;
};

static uint8_t entries[1 << 16];
static uint32_t device;

static void add_bytes(struct pattern *p, const void *bytes, size_t len, enum held_byte is,
		      unsigned int times)
{
	for (; times && p->len + len <= ROOM; times--, p->len += len) {
		memcpy(p->bytes + p->len, bytes, len);
		memset(p->is + p->len, is, len);
	}
}

/* A word of a line; 0, or -1: it is wrong. */
static int add_word(struct pattern *p, char *word)
{
	char *times = strchr(word, '*');
	unsigned int n = times ? atoi(times + 1) : 1, byte;
	enum held_byte is = HELD_EQUAL;
	uint64_t address = (uintptr_t)entries;
	uint8_t bytes[64];
	size_t len = 0;

	if (!strcmp(word, "INDEX")) {
		add_bytes(p, &device, sizeof(device), is, 1);
		return 0;
	}
	if (!strcmp(word, "ENTRIES")) {
		add_bytes(p, &address, sizeof(address), is, 1);
		return 0;
	}
	if (!strncmp(word, "..", 2)) {
		add_bytes(p, "", 1, HELD_ANY, n);
		return word[2] && !times ? -1 : 0;
	}
	for (; len < sizeof(bytes) && sscanf(word, "%2x", &byte) == 1; word += 2)
		bytes[len++] = byte;
	if (*word == '+')
		is = HELD_LEAST;
	else if (*word && *word != '*')
		return -1;
	add_bytes(p, bytes, len, is, n);
	return len && (is == HELD_EQUAL || len == sizeof(uint32_t)) ? 0 : -1;
}

static int add_line(struct pattern *p, char *words)
{
	char *word;

	while ((word = strsep(&words, " ")))
		if (*word && add_word(p, word))
			return -1;
	return 0;
}

/* A line after the first one of a request */
static int take_line(struct request *r, char *line)
{
	char *words = strchr(line, ' '), *word;
	uint64_t *types;

	if (!words)
		return -1;
	*words++ = '\0';
	if (!strcmp(line, "arg"))
		return add_line(&r->arg, words);
	if (!strcmp(line, "answer"))
		return add_line(&r->answer, words);
	if (!strcmp(line, "entry"))
		return add_line(&r->entry, words);
	if (!strcmp(line, "error"))
		return (r->error = atoi(words)) ? 0 : -1;
	if (strcmp(line, "types") || r->types_count == TYPES)
		return -1;
	types = &r->types[r->types_count++];
	while ((word = strsep(&words, " ")))
		*types |= 1ULL << atoi(word);
	return 0;
}

/* The next request of a file; 1, 0: there is none, -1: the file is wrong. */
static int next_request(FILE *f, struct request *r)
{
	char line[512];

	memset(r, 0, sizeof(*r));
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line == '#')
			continue;
		if (!*line && *r->how)
			return 1;
		if (!*line)
			continue;
		if (*r->how) {
			if (take_line(r, line))
				return -1;
		} else if (sscanf(line, "ioctl %63s %x", r->name, &r->cmd) == 2) {
			strcpy(r->how, "ioctl");
		} else if (sscanf(line, "netlink %63s %7s", r->name, r->how) != 2) {
			return -1;
		}
	}
	return *r->how ? 1 : 0;
}

/* Offset of the first byte that is wrong, or -1 */
static long differs(const struct pattern *p, const uint8_t *got)
{
	uint32_t least, is;
	size_t i;

	for (i = 0; i < p->len; i++) {
		if (p->is[i] == HELD_EQUAL && p->bytes[i] != got[i])
			return i;
		if (p->is[i] != HELD_LEAST)
			continue;
		memcpy(&least, p->bytes + i, sizeof(least));
		memcpy(&is, got + i, sizeof(is));
		if (is < least)
			return i;
		i += sizeof(is) - 1;
	}
	return -1;
}

/* Send it on a file of its own; a text about what is wrong, or NULL */
static const char *wrong_ioctl(const struct request *r)
{
	const struct pattern *answer = r->answer.len ? &r->answer : &r->arg;
	int fd = open(NODE, O_RDONLY | O_NONBLOCK | O_CLOEXEC), error;
	uint8_t arg[ROOM + 64], after[64];
	static char text[128];
	long at;

	if (fd < 0)
		return "cannot open the device file";
	memset(after, 0xa5, sizeof(after));
	memset(arg, 0xa5, sizeof(arg));
	memset(entries, 0x5a, sizeof(entries));
	memcpy(arg, r->arg.bytes, r->arg.len);
	error = ioctl(fd, r->cmd, arg) ? errno : 0;
	close(fd);
	if (error != r->error) {
		snprintf(text, sizeof(text), "errno %d, not %d", error, r->error);
		return text;
	}
	at = differs(answer, arg);
	if (at >= 0) {
		snprintf(text, sizeof(text), "byte %ld is %02x, not %02x", at, arg[at],
			 answer->bytes[at]);
		return text;
	}
	if (memcmp(arg + r->arg.len, after, sizeof(after)))
		return "more bytes were written than the structure has";
	at = differs(&r->entry, entries);
	if (at >= 0) {
		snprintf(text, sizeof(text), "byte %ld of the entry is %02x, not %02x", at,
			 entries[at], r->entry.bytes[at]);
		return text;
	}
	return NULL;
}

/* Attributes of a message, as bits; the number of the family if it is in there */
static uint64_t types_of(const struct nlmsghdr *nlh, uint16_t *family)
{
	const char *at = (const char *)NLMSG_DATA(nlh) + GENL_HDRLEN;
	const char *end = (const char *)nlh + nlh->nlmsg_len;
	struct nlattr attr;
	uint64_t types = 0;

	for (; at + sizeof(attr) <= end; at += NLA_ALIGN(attr.nla_len)) {
		memcpy(&attr, at, sizeof(attr));
		if (attr.nla_len < NLA_HDRLEN)
			break;
		types |= 1ULL << (attr.nla_type & NLA_TYPE_MASK & 63);
		if (family && attr.nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(family, at + NLA_HDRLEN, sizeof(*family));
	}
	return types;
}

/**
 * struct talk - a request on its way
 * @seen: sets of attributes of the request that a message had, as bits
 * @odd: number of messages with none of the sets
 * @error: errno in the end
 * @family: of the messages; 0: look for one in them
 */
struct talk {
	unsigned int seen;
	unsigned int odd;
	int error;
	uint16_t family;
};

/* 1 at the end */
static int take_message(const struct request *r, const struct nlmsghdr *nlh, struct talk *t)
{
	unsigned int i, fits = 0;
	uint64_t types;

	if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE) {
		/* Both begin with a negative errno or 0. */
		t->error = -*(const int *)NLMSG_DATA(nlh);
		return 1;
	}
	types = types_of(nlh, t->family ? NULL : &t->family);
	for (i = 0; i < r->types_count; i++)
		fits |= (types & r->types[i]) == r->types[i] ? 1U << i : 0;
	t->seen |= fits;
	t->odd += r->types_count && !fits;
	return 0;
}

static void talk(const struct request *r, uint16_t type, struct talk *t)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC), n, end = 0;
	static char answer[1 << 16] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct nlmsghdr *nlh;
	struct {
		struct nlmsghdr hdr;
		uint8_t bytes[ROOM];
	} msg = {
		.hdr.nlmsg_len = NLMSG_HDRLEN + r->arg.len,
		.hdr.nlmsg_type = type,
		.hdr.nlmsg_flags = NLM_F_REQUEST |
				   (strcmp(r->how, "dump") ? NLM_F_ACK : NLM_F_DUMP),
	};

	memcpy(msg.bytes, r->arg.bytes, r->arg.len);
	if (fd < 0 || send(fd, &msg, msg.hdr.nlmsg_len, 0) < 0)
		end = 1;
	t->error = end ? errno : 0;
	while (!end) {
		n = recv(fd, answer, sizeof(answer), 0);
		if (n <= 0) {
			t->error = errno;
			break;
		}
		for (nlh = (void *)answer; !end && NLMSG_OK(nlh, n); nlh = NLMSG_NEXT(nlh, n))
			end = take_message(r, nlh, t);
	}
	close(fd);
}

/* The number of the family; 0: there is none */
static uint16_t find_family(void)
{
	char get[] = "03 01 0000 0b00 0200 72646d61657600 00";
	struct request r = { .how = "do" };
	struct talk t = {};

	if (add_line(&r.arg, get))
		return 0;
	talk(&r, GENL_ID_CTRL, &t);
	return t.error ? 0 : t.family;
}

static const char *wrong_message(const struct request *r)
{
	struct talk t = { .family = find_family() };
	static char text[128];

	if (!t.family)
		return "no family rdmaev";
	talk(r, t.family, &t);
	if (t.error != r->error)
		snprintf(text, sizeof(text), "errno %d, not %d", t.error, r->error);
	else if (t.odd)
		snprintf(text, sizeof(text), "%u messages lack attributes", t.odd);
	else if (t.seen != (1U << r->types_count) - 1)
		snprintf(text, sizeof(text), "messages are missing");
	else
		return NULL;
	return text;
}

/* A soft RoCE device */
FIXTURE(held) {
	glob_t files;
};

FIXTURE_SETUP(held)
{
	const char *top = getenv("RDMAEV_TOP");
	char path[512];

	snprintf(path, sizeof(path), "%s/selftests/held/*/requests", top ? top : ".");
	ASSERT_EQ(glob(path, 0, NULL, &self->files), 0);
	ASSERT_EQ(rxe_add("held0"), 0);
	device = rdma_index("held0");
}

FIXTURE_TEARDOWN(held)
{
	EXPECT_EQ(rxe_del("held0"), 0);
	globfree(&self->files);
}

/* Send all of one sort; number of those with a wrong answer, -1: a file is wrong. */
static int send_all(const glob_t *files, int ioctls, unsigned int *sent)
{
	static struct request r;
	int wrong = 0, ret = 1;
	const char *text;
	size_t i;
	FILE *f;

	*sent = 0;
	for (i = 0; i < files->gl_pathc && ret >= 0; i++) {
		f = fopen(files->gl_pathv[i], "r");
		if (!f)
			return -1;
		while ((ret = next_request(f, &r)) > 0) {
			if (strcmp(r.how, "ioctl") ? ioctls : !ioctls)
				continue;
			text = ioctls ? wrong_ioctl(&r) : wrong_message(&r);
			if (text)
				printf("# %s: %s: %s\n", files->gl_pathv[i], r.name, text);
			wrong += !!text;
			++*sent;
		}
		if (ret < 0)
			printf("# %s: %s: bad line\n", files->gl_pathv[i], r.name);
		fclose(f);
	}
	fflush(stdout);
	return ret < 0 ? -1 : wrong;
}

TEST_F(held, ioctls)
{
	unsigned int sent;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		SKIP(return, "the bytes are those of the other byte order");
	EXPECT_EQ(send_all(&self->files, 1, &sent), 0);
	EXPECT_GT(sent, 50);
}

TEST_F(held, messages)
{
	unsigned int sent;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		SKIP(return, "the bytes are those of the other byte order");
	EXPECT_EQ(send_all(&self->files, 0, &sent), 0);
	EXPECT_GT(sent, 20);
}

TEST_HARNESS_MAIN
