/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Requests to rdma_ucm, without librdmacm, which would know better */
#ifndef UCM_H
#define UCM_H

#include <arpa/inet.h>
#include <sys/wait.h>
#include <rdma/rdma_user_cm.h>

#include "verbs.h"

/* Nobody listens there, unless a test does. */
#define PORT 7777

#define MANY_REFUSED 1000

/* A soft RoCE device with an address, connections, and the observer. Returns 0 if not. */
static inline int ucm_ready(const char *dev, const char *address)
{
	return !sh("modprobe rdma_ucm") && !load_observer("") && !rxe_add(dev) &&
	       !sh("ip address add %s/24 dev %s_d", address, dev);
}

/* A request to rdma_ucm. Returns 0. */
static inline int ucm(int fd, unsigned int cmd, const void *in, size_t in_size, size_t out_size)
{
	struct {
		struct rdma_ucm_cmd_hdr hdr;
		char in[sizeof(struct rdma_ucm_connect)];
	} __attribute__((packed)) req = {
		.hdr = { .cmd = cmd, .in = in_size, .out = out_size },
	};
	size_t size = sizeof(req.hdr) + in_size;

	memcpy(req.in, in, in_size);
	return write(fd, &req, size) != (ssize_t)size;
}

/* Waits for the next event. Returns its number, -1 if that fails. */
static inline int ucm_event(int fd)
{
	struct rdma_ucm_event_resp resp = {};
	struct rdma_ucm_get_event cmd = { .response = (uintptr_t)&resp };

	if (ucm(fd, RDMA_USER_CM_CMD_GET_EVENT, &cmd, sizeof(cmd), sizeof(resp)))
		return -1;
	return resp.event;
}

/* Creates an id. Returns it, -1 if that fails. */
static inline int ucm_id(int fd)
{
	struct rdma_ucm_create_id_resp resp = {};
	struct rdma_ucm_create_id cmd = {
		.uid = 1,	/* without one there are no events */
		.response = (uintptr_t)&resp,
		.ps = RDMA_PS_TCP,
		.qp_type = IBV_QPT_RC,
	};

	if (ucm(fd, RDMA_USER_CM_CMD_CREATE_ID, &cmd, sizeof(cmd), sizeof(resp)))
		return -1;
	return resp.id;
}

/* Binds an id to @address. Returns 0. */
static inline int ucm_bind(int fd, int id, const char *address, uint16_t port)
{
	struct rdma_ucm_bind_ip bind = { .id = id };
	struct sockaddr_in *to = (void *)&bind.addr;

	to->sin_family = AF_INET;
	to->sin_port = htons(port);
	inet_pton(AF_INET, address, &to->sin_addr);
	return ucm(fd, RDMA_USER_CM_CMD_BIND_IP, &bind, sizeof(bind), 0);
}

/* An id with address and route to @address; the device may not have its own yet */
static inline int ucm_resolved(int fd, const char *address)
{
	struct rdma_ucm_resolve_ip resolve = { .timeout_ms = 20000 };
	struct sockaddr_in *to = (void *)&resolve.dst_addr;
	struct rdma_ucm_resolve_route route = { .timeout_ms = 20000 };
	int id = -1, event = RDMAEV_CM_ADDR_ERROR, tries = SOON_MS / 10;

	to->sin_family = AF_INET;
	to->sin_port = htons(PORT);
	inet_pton(AF_INET, address, &to->sin_addr);
	while (event == RDMAEV_CM_ADDR_ERROR && tries--) {
		id = ucm_id(fd);
		if (id < 0)
			return -1;
		resolve.id = id;
		if (!ucm(fd, RDMA_USER_CM_CMD_RESOLVE_IP, &resolve, sizeof(resolve), 0))
			event = ucm_event(fd);
		sleep_ms(10);
	}
	route.id = id;
	if (event != RDMAEV_CM_ADDR_RESOLVED ||
	    ucm(fd, RDMA_USER_CM_CMD_RESOLVE_ROUTE, &route, sizeof(route), 0) ||
	    ucm_event(fd) != RDMAEV_CM_ROUTE_RESOLVED)
		return -1;
	return id;
}

/* Asks for a connection, with the number of a QP that may be somebody else's. Returns 0. */
static inline int ucm_connect(int fd, int id, uint32_t qpn)
{
	struct rdma_ucm_connect connect = {
		.conn_param = { .qp_num = qpn, .retry_count = 7, .valid = 1 },
		.id = id,
	};

	return ucm(fd, RDMA_USER_CM_CMD_CONNECT, &connect, sizeof(connect), 0);
}

/*
 * In a process of @uid: asks for @n connections, at most MANY_REFUSED, to a port where
 * nobody listens, with the number of a QP as above. Returns the exit status.
 */
static inline int refused(const char *address, uid_t uid, uint32_t qpn, unsigned int n)
{
	int status = -1, fd, id[MANY_REFUSED];
	unsigned int i;
	pid_t pid = fork();

	if (!pid) {
		if (uid != getuid() && (setgid(uid) || setuid(uid)))
			_exit(2);
		fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
		for (i = 0; i < n; i++) {
			id[i] = fd < 0 ? -1 : ucm_resolved(fd, address);
			if (id[i] < 0)
				_exit(3);
		}
		for (i = 0; i < n; i++) {
			if (ucm_connect(fd, id[i], qpn) ||
			    ucm_event(fd) != RDMAEV_CM_REJECTED)
				_exit(4);
		}
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

#endif /* UCM_H */
