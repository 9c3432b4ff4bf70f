// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Users have shares of the open files of the node, and root has no limit. */
#include <sys/resource.h>

#include "users.h"
#include "kselftest_harness.h"
#include "genl.h"

/* Open files of the node that a user may have */
#define FILES 1024

FIXTURE(files) {
};

FIXTURE_SETUP(files)
{
	struct rlimit limit = { .rlim_cur = 4 * FILES, .rlim_max = 4 * FILES };

	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

FIXTURE_TEARDOWN(files)
{
	children_kill();
}

/* Is a dump of history refused? */
static int is_dump_refused(void)
{
	static struct genl g;
	int ret = 0;

	if (genl_open(&g))
		return 0;
	genl_begin(&g, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
	if (!genl_send(&g)) {
		while (genl_next(&g))
			;
		ret = g.error == EMFILE;
	}
	genl_close(&g);
	return ret;
}

/* Opens the node as often as it may, and says how often that was, each time */
static int use_files(unsigned int n, int from, int to)
{
	static int fd[2 * FILES];
	unsigned int i, opened;
	char byte;

	while (read(from, &byte, 1) == 1) {
		for (opened = 0; opened < 2 * FILES; opened++) {
			fd[opened] = open_node(O_NONBLOCK);
			if (fd[opened] < 0)
				break;
		}
		if (opened != n || errno != EMFILE || !is_dump_refused())
			return 3;
		for (i = 1; i < opened; i++)
			close(fd[i]);
		/* One stays open. */
		n = FILES - 1;
		if (write(to, &byte, 1) != 1)
			return 4;
	}
	return 0;
}

TEST_F(files, of_users)
{
	struct child greedy, other;

	greedy = child_begin(GREEDY_UID, use_files, FILES);
	ASSERT_TRUE(child_uses_all(&greedy));
	/* What is closed is given back. */
	EXPECT_TRUE(child_uses_all(&greedy));
	other = child_begin(OTHER_UID, use_files, FILES);
	EXPECT_TRUE(child_uses_all(&other));
	EXPECT_EQ(child_end(&other), 0);
	EXPECT_EQ(child_end(&greedy), 0);
}

TEST_F(files, of_root)
{
	static int fd[2 * FILES];
	int i;

	for (i = 0; i < 2 * FILES; i++) {
		fd[i] = open_node(O_NONBLOCK);
		ASSERT_GE(fd[i], 0);
	}
	for (i = 0; i < 2 * FILES; i++)
		close(fd[i]);
}

TEST_HARNESS_MAIN
