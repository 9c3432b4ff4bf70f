// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Folders of recordings: a name of one with --file stands for all files in it that are. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "open_folder.h"
#include "recording.h"

/* Not a folder within, nor anything else that has another magic */
static bool is_recording(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char magic[RECORDING_MAGIC_SIZE];
	struct stat st;
	bool is;

	if (fd < 0)
		return false;
	is = !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	     read(fd, magic, sizeof(magic)) == sizeof(magic) &&
	     !memcmp(magic, RECORDING_MAGIC, sizeof(magic));
	close(fd);
	return is;
}

/* Paths made here */
static char *paths[FILES_MAX];
static size_t paths_count;

static int add_path(struct options *o, const char *path)
{
	if (o->files_count == FILES_MAX) {
		complain("more than %d recordings", FILES_MAX);
		return -1;
	}
	o->files[o->files_count++] = path;
	return 0;
}

static int add_entry(struct options *o, const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0) {
		complain("out of memory");
		return -1;
	}
	if (!is_recording(path)) {
		free(path);
		return 0;
	}
	if (add_path(o, path) < 0) {
		free(path);
		return -1;
	}
	paths[paths_count++] = path;
	return 0;
}

static int expand_folder(struct options *o, const char *folder)
{
	size_t before = o->files_count;
	struct dirent **entries;
	int i, n, ret = 0;

	n = scandir(folder, &entries, NULL, alphasort);
	if (n < 0) {
		complain("%s: %s", folder, strerror(errno));
		return -1;
	}
	for (i = 0; i < n; i++) {
		if (!ret)
			ret = add_entry(o, folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (ret || o->files_count > before)
		return ret;
	complain("%s: has no recording; rdmaev record %s/FILE makes one", folder, folder);
	return -1;
}

int expand_folders(struct options *o)
{
	const size_t given = o->files_count;
	const char *names[FILES_MAX];
	struct stat st;
	size_t i;

	memcpy(names, o->files, given * sizeof(*names));
	o->files_count = 0;
	for (i = 0; i < given; i++) {
		bool is_folder = !stat(names[i], &st) && S_ISDIR(st.st_mode);

		if ((is_folder ? expand_folder(o, names[i]) : add_path(o, names[i])) < 0)
			return -1;
	}
	o->file = given ? o->files[0] : NULL;
	return 0;
}

void free_folders(void)
{
	while (paths_count)
		free(paths[--paths_count]);
}
