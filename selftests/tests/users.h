/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Programs of other users, which use what they have as often as a test asks them to */
#ifndef RDMAEV_TEST_USERS_H
#define RDMAEV_TEST_USERS_H

#include <sys/prctl.h>

#include "common.h"

#define GREEDY_UID 60200
#define OTHER_UID 60201

/* A child that is another user, and waits for the end of its input */
struct child {
	pid_t pid;
	int to, from;
};

/* Those that have not ended: a device cannot be removed while they use it. */
static pid_t children[16];

static inline struct child child_begin(uid_t uid, int (*use)(unsigned int, int, int),
				       unsigned int n)
{
	struct child child = {};
	int to[2], from[2], i = 0;

	if (pipe(to) || pipe(from))
		return child;
	child.pid = fork();
	if (!child.pid) {
		close(to[1]);
		/* A change of the user clears it. */
		if (setgid(uid) || setuid(uid) || prctl(PR_SET_PDEATHSIG, SIGKILL))
			_exit(2);
		_exit(use(n, to[0], from[1]));
	}
	while (children[i])
		i++;
	children[i] = child.pid;
	close(to[0]);
	close(from[1]);
	child.to = to[1];
	child.from = from[0];
	return child;
}

/* Has it use all that it has. Returns 0 if that fails. */
static inline int child_uses_all(const struct child *child)
{
	char byte = 0;

	return write(child->to, &byte, 1) == 1 && read(child->from, &byte, 1) == 1;
}

static inline int child_end(const struct child *child)
{
	int status = -1, i = 0;

	close(child->to);
	close(child->from);
	while (children[i] != child->pid)
		i++;
	children[i] = 0;
	return waitpid(child->pid, &status, 0) == child->pid ? status : -1;
}

/* Of a test that has failed */
static inline void children_kill(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(children); i++) {
		if (children[i] <= 0)
			continue;
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

#endif /* RDMAEV_TEST_USERS_H */
