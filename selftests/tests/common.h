/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Helpers of all C tests: the node, the event generator, modules and their
 * parameters. All tests run as root in a machine of their own.
 */
#ifndef RDMAEV_TEST_COMMON_H
#define RDMAEV_TEST_COMMON_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <rdma/rdmaev.h>

#include "links.h"

#define NODE "/dev/infiniband/rdmaev"
/* The maker of events, see selftests/modules/gen_main.c */
#define GEN_DIR "/sys/kernel/debug/rdmaev_gen/"
#define GEN GEN_DIR "run"
#define GEN_RAISE GEN_DIR "raise"
#define GEN_REPORT GEN_DIR "report"
#define GEN_QP GEN_DIR "qp"
#define GEN_CM GEN_DIR "cm"
#define GEN_NOTE GEN_DIR "note"
#define GEN_OBSERVER GEN_DIR "observer"

/* An event number that no kernel defines: only rdmaev handles it. */
#define TEST_EVENT 77U

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Milliseconds to wait for what must come: a machine that has much else to do
 * may take many seconds
 */
#define SOON_MS 30000

/* By how much the checks of this kernel slow it down, see run_tests. */
static inline unsigned int slowness(void)
{
	const char *text = getenv("RDMAEV_SLOW");
	int by = text ? atoi(text) : 1;

	return by > 1 ? by : 1;
}

#define KERNEL(major, minor)	((major) * 1000 + (minor))

/* The kernel that runs, by KERNEL(); 0 if it has no version. */
static inline int kernel_version(void)
{
	struct utsname name;
	int major, minor;

	if (uname(&name) || sscanf(name.release, "%d.%d", &major, &minor) != 2)
		return 0;
	return KERNEL(major, minor);
}

/* For the harness: its time limits are for an idle machine without checks. */
#define alarm(s) alarm((s) * 4 * slowness())

/* Run a shell command; 0 if it succeeded. */
__attribute__((format(printf, 1, 2)))
static inline int sh(const char *format, ...)
{
	char cmd[512];
	va_list ap;
	int ret;

	va_start(ap, format);
	vsnprintf(cmd, sizeof(cmd), format, ap);
	va_end(ap);
	ret = system(cmd);
	return WIFEXITED(ret) ? WEXITSTATUS(ret) : -1;
}

/* Write a text to a file of the kernel; 0 if it was accepted. */
static inline int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -1;
	ret = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
	close(fd);
	return ret;
}

/* Load a module that run_tests does not load by itself, unless it is loaded. */
static inline int load_from(const char *folder, const char *name, const char *params)
{
	char path[512];
	int fd, ret;

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	if (!access(path, F_OK))
		return 0;
	snprintf(path, sizeof(path), "%s/%s/%s.ko", getenv("RDMAEV_TOP"), folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ret = syscall(SYS_finit_module, fd, params, 0);
	if (ret)
		perror(path);
	close(fd);
	return ret;
}

/* A test module */
static inline int load_module(const char *name)
{
	return load_from("selftests/modules", name, "");
}

static inline int load_observer(const char *params)
{
	return load_from("kmod", "rdmaev_observe", params);
}

/* With its hooks for the owners of objects alone: another module reports their events. */
static inline int load_owners(void)
{
	return load_observer("user=0 kernel=0 states=0 connections=0");
}

/*
 * True if rdmaev can be loaded again: it is not built in, and the rig has said
 * where the file of the module is.
 */
static inline int can_reload(void)
{
	return getenv("RDMAEV_TOP") && !access("/sys/module/rdmaev/refcnt", F_OK);
}

#define NO_RELOAD "rdmaev is built in, or its file is not known: cannot be loaded again"

/*
 * True if SRQs have a number. The kernel lists SRQs since Linux 5.13; before
 * that they have none. Needs a device.
 */
static inline int srqs_have_numbers(void)
{
	static int answer = -1;

	if (answer < 0)
		answer = !sh("rdma resource show | grep -qw srq");
	return answer;
}

/*
 * Network namespaces share the RDMA devices, or each has its own: "exclusive".
 */
static inline int netns_mode(const char *mode)
{
	uint8_t shared = !strcmp(mode, "shared");
	unsigned int i;

	/*
	 * The kernel refuses while there is another namespace, and removing one
	 * takes time.
	 */
	for (i = 0; i < 300 && rdma_netns_shared(shared); i++)
		usleep(100000);
	return i < 300 ? 0 : -1;
}

/* Remove the namespace "other", and share the devices again. */
static inline void netns_undo(void)
{
	if (!access("/run/netns/other", F_OK))
		sh("ip netns del other");
	netns_mode("shared");
}

/* Change a parameter of the module. */
static inline int param(const char *name, unsigned int value)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), "/sys/module/rdmaev/parameters/%s", name);
	snprintf(text, sizeof(text), "%u", value);
	return put(path, text);
}

static inline int open_node(int flags)
{
	return open(NODE, O_RDONLY | O_CLOEXEC | flags);
}

/* Report @count events; returns how many another handler received. */
static inline long gen(const char *mode, const char *dev, unsigned int event,
		       unsigned int port, unsigned long count)
{
	char buf[128];
	long seen;
	FILE *f;
	int fd, n;

	n = snprintf(buf, sizeof(buf), "%s %s %u %u %lu", mode, dev, event,
		     port, count);
	fd = open(GEN, O_WRONLY);
	if (fd < 0 || write(fd, buf, n) != n) {
		perror("rdmaev_gen: is the module loaded?");
		return -1;
	}
	close(fd);
	f = fopen(GEN, "r");
	if (!f || fscanf(f, "delivered=%ld", &seen) != 1)
		seen = -1;
	if (f)
		fclose(f);
	return seen;
}

static inline struct rdmaev_info get_info(int fd)
{
	struct rdmaev_info info = { .size = sizeof(info) };

	if (ioctl(fd, RDMAEV_IOC_INFO, &info)) {
		perror("RDMAEV_IOC_INFO");
		exit(1);
	}
	return info;
}

static inline struct rdmaev_filter filter_all(void)
{
	struct rdmaev_filter f = {
		.size = sizeof(f),
	};

	return f;
}

/* Select these codes of a kind; once for each kind */
static inline void filter_codes(struct rdmaev_filter *f, unsigned int kind, uint64_t codes)
{
	f->codes[kind] = codes;
}

/* Add a device, with 0, or one of its ports. A name that is too long gets no NUL. */
static inline void filter_target(struct rdmaev_filter *f, const char *device, uint32_t port)
{
	struct rdmaev_target *t = &f->target[f->targets++];
	size_t len = strlen(device);

	memcpy(t->device, device, len < sizeof(t->device) ? len : sizeof(t->device));
	t->flags = port ? RDMAEV_TARGET_PORT : 0;
	t->port = port;
}

/* Seq of the next record of a reader, which is read; 0 if there is none */
static inline uint64_t next_record(int fd, struct rdmaev_record *rec)
{
	return read(fd, rec, sizeof(*rec)) == sizeof(*rec) ? rec->seq : 0;
}

static inline int filter_kinds(int fd, unsigned int kinds)
{
	struct rdmaev_filter f = filter_all();

	f.kinds = kinds;
	return ioctl(fd, RDMAEV_IOC_FILTER, &f);
}

/* Select the events of the generator only. */
static inline int filter_test_events(int fd)
{
	struct rdmaev_filter f = filter_all();

	f.kinds = 1U << RDMAEV_KIND_ASYNC;
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1ULL << RDMAEV_CODE_BIT_OTHER);
	return ioctl(fd, RDMAEV_IOC_FILTER, &f);
}

/* A device by name; 0 if there is none. */
static inline int find_device(int fd, const char *name, struct rdmaev_device *found)
{
	struct rdmaev_device list[64];
	struct rdmaev_devices req = {
		.size = sizeof(req),
		.entry_size = sizeof(list[0]),
		.count = 64,
		.entries = (uintptr_t)list,
	};
	unsigned int i;

	if (ioctl(fd, RDMAEV_IOC_DEVICES, &req))
		return 0;
	for (i = 0; i < req.count && i < 64; i++) {
		if (!strcmp(list[i].name, name)) {
			*found = list[i];
			return 1;
		}
	}
	return 0;
}

/* Index of a device by name, -1 if there is none. */
static inline long device_index(int fd, const char *name)
{
	struct rdmaev_device dev;

	return find_device(fd, name, &dev) ? (long)dev.index : -1;
}

/* True if records of RDMAEV_KIND_QP can be appended: not without kprobes. */
static inline int has_qp_records(void)
{
	return !access(GEN_QP, F_OK);
}

/* Append one about a device, by a process, if the kernel can; -1 if that failed. */
static inline int append_qp_record_of(int fd, const char *name, pid_t owner)
{
	struct rdmaev_device dev;
	char text[128];

	if (!has_qp_records())
		return 0;
	if (!find_device(fd, name, &dev))
		return -1;
	snprintf(text, sizeof(text), "%u %u 20 %u %u -22 9 %u %u ulp_function", dev.index,
		 dev.generation, RDMAEV_QP_DESTROY, RDMAEV_QP_RTS, owner, owner);
	return put(GEN_QP, text);
}

static inline int append_qp_record(int fd, const char *name)
{
	return append_qp_record_of(fd, name, getpid());
}

/* Append one of RDMAEV_KIND_CM, likewise. */
static inline int append_cm_record(int fd, const char *name)
{
	struct rdmaev_device dev;
	char text[128];

	if (!has_qp_records())
		return 0;
	if (!find_device(fd, name, &dev))
		return -1;
	snprintf(text, sizeof(text), "%u %u 20 %u -110 %u", dev.index, dev.generation,
		 RDMAEV_CM_UNREACHABLE, getpid());
	return put(GEN_CM, text);
}

/* Append a note of a ULP about a port of a device. */
static inline int append_note(const char *name)
{
	char text[128];

	snprintf(text, sizeof(text), "%s - 1 %u 1 keep-alive expired", name,
		 RDMAEV_SEVERITY_ERROR);
	return put(GEN_NOTE, text);
}

/* Append a record of RDMAEV_KIND_OBSERVER. */
static inline int append_observer_record(void)
{
	char text[64];

	snprintf(text, sizeof(text), "%u 2 4 5000000000 3 0", RDMAEV_OBSERVER_MISSED);
	return put(GEN_OBSERVER, text);
}

static inline uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

static inline void sleep_ms(unsigned int ms)
{
	usleep(ms * 1000);
}

/* 0 if it ended by itself, with success, within @ms. */
static inline int join_child(pid_t pid, unsigned int ms)
{
	uint64_t end = now_ms() + ms;
	int status;

	for (;;) {
		pid_t ret = waitpid(pid, &status, WNOHANG);

		if (ret)
			return ret == pid ? status : -1;
		if (now_ms() > end)
			break;
		sleep_ms(5);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

#endif /* RDMAEV_TEST_COMMON_H */
