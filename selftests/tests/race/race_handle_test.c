// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Several threads with one handle of the library, which is changed while it is
 * read, with signals all the while: each record goes to exactly one of them. A
 * program that is executed meanwhile gets none of the descriptors.
 */
#include <spawn.h>

#include <rdmaev.h>

#include "account.h"

/* Handles of the library are opened and closed all the while. */
static void handles_on(struct runner *r)
{
	unsigned int flags = 0;

	for (; !is_stopped(r); flags ^= RDMAEV_NETLINK) {
		struct rdmaev *h = rdmaev_open(NULL, flags);

		if (!h)
			wrong(r, "rdmaev_open(%u)", flags);
		rdmaev_close(h);
		r->done++;
	}
}

extern char **environ;

/* A program executed meanwhile has none of their descriptors. */
TEST_F_TIMEOUT(dev, not_passed_to_programs, 120)
{
	unsigned int i, n = rounds(20), lines = 0;
	struct runner r[2] = {};

	for (i = 0; i < 2; i++) {
		r[i].number = i;
		ASSERT_EQ(start(&r[i], handles_on, NULL), 0);
	}
	for (i = 0; i < n; i++) {
		char * const argv[] = { "ls", "-l", "/proc/self/fd", NULL };
		posix_spawn_file_actions_t actions;
		int p[2], status;
		char line[256];
		pid_t pid;
		FILE *f;

		ASSERT_EQ(pipe2(p, O_CLOEXEC), 0);
		posix_spawn_file_actions_init(&actions);
		posix_spawn_file_actions_adddup2(&actions, p[1], 1);
		ASSERT_EQ(posix_spawnp(&pid, "ls", &actions, NULL, argv, environ), 0);
		posix_spawn_file_actions_destroy(&actions);
		close(p[1]);
		f = fdopen(p[0], "r");
		while (fgets(line, sizeof(line), f)) {
			lines += !!strstr(line, " -> ");
			if (strstr(line, "rdmaev") || strstr(line, "socket:") ||
			    strstr(line, "anon_inode"))
				wrong(&r[0], "%s", line);
		}
		fclose(f);
		ASSERT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT_EQ(status, 0);
	}
	for (i = 0; i < 2; i++)
		EXPECT_EQ(stop(&r[i]), 0);
	EXPECT_GE(lines, 3 * n);
	EXPECT_GT(r[0].done + r[1].done, n);
}

/* Two threads with one handle, a third one that changes it, and signals */
struct handle {
	struct rdmaev *h;
	struct account *account;
};

static void take_from_handle(struct runner *r)
{
	struct handle *t = r->data;
	struct rdmaev_record ev[7];
	ssize_t n, i;

	for (;;) {
		n = rdmaev_read(t->h, ev, ARRAY_SIZE(ev));
		if (n < 0 && errno != EINTR)
			wrong(r, "rdmaev_read");
		for (i = 0; i < n; i++) {
			const struct rdmaev_record *rec = &ev[i];

			if (rec->kind != RDMAEV_KIND_ASYNC)
				continue;
			if (rec->code == TEST_EVENT + 1)
				return;
			if (rec->code != TEST_EVENT)
				continue;
			if (strcmp(ev[i].device_name, "sim0"))
				wrong(r, "device %s", ev[i].device_name);
			if (enter_into(t->account, rec))
				wrong(r, "seq %llu twice", (unsigned long long)rec->seq);
			else
				r->done++;
		}
	}
}

static void change_handle(struct runner *r)
{
	struct handle *t = r->data;
	struct rdmaev_filter f;
	unsigned int i;

	for (i = 0; !is_stopped(r); i++) {
		rdmaev_filter_init(&f);
		if (i % 2)
			f.kinds = 1U << RDMAEV_KIND_ASYNC;
		if (rdmaev_set_filter(t->h, &f) || rdmaev_set_wakeup(t->h, 1 + i % 2, 1000) ||
		    rdmaev_seek(t->h, 0, SEEK_CUR) < 1)
			wrong(r, "change");
		r->done++;
		usleep(1000);
	}
	if (rdmaev_set_wakeup(t->h, 1, 0))
		wrong(r, "last change");
}

static int share_handle(struct account *account, unsigned int flags)
{
	struct runner r[4] = {};
	struct handle t = { .h = rdmaev_open(NULL, flags), .account = account };
	unsigned int i, n = rounds(150), sum = 0;
	struct sender sender = { .sig = SIGUSR1 };
	int ret = 0;

	if (!t.h || handle_signal(SIGUSR1, 0))
		return -1;
	for (i = 0; i < 3; i++) {
		r[i].number = i;
		ret |= start(&r[i], i == 2 ? change_handle : take_from_handle, &t);
	}
	sender.to = r[0].id;
	r[3].number = 3;
	ret |= start(&r[3], signal_on, &sender);
	for (i = 0; i < n && !ret; i++) {
		ret = events(TEST_EVENT, 1 + i % 7);
		sum += 1 + i % 7;
		usleep(500);
	}
	ret |= stop(&r[2]);
	ret |= stop(&r[3]);
	ret |= take_all(account, sum);
	/* Each ends with one of these. */
	ret |= events(TEST_EVENT + 1, 1);
	sleep_ms(200);
	ret |= events(TEST_EVENT + 1, 7);
	ret |= ended(&r[0]) | ended(&r[1]);
	fprintf(stderr, "# %u records: %lu and %lu, %lu changes, %lu signals\n", sum,
		r[0].done, r[1].done, r[2].done, r[3].done);
	rdmaev_close(t.h);
	return ret;
}

TEST_F_TIMEOUT(dev, handle_of_the_node, 120)
{
	EXPECT_EQ(share_handle(self->account, 0), 0);
}

TEST_F_TIMEOUT(dev, handle_of_netlink, 120)
{
	EXPECT_EQ(share_handle(self->account, RDMAEV_NETLINK), 0);
}

TEST_HARNESS_MAIN
