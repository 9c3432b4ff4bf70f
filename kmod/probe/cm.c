// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The probe of an iWARP port: a QP of iWARP is connected by rdma_cm alone, and
 * needs a peer. So there are two QPs, connected with each other by an address
 * of the port's network device. The work of the port waits for the events of
 * rdma_cm, not longer than for a lost request, and not when the device leaves.
 */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/inetdevice.h>
#include <linux/jiffies.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <net/addrconf.h>
#include <rdma/ib_verbs.h>

#include "cm.h"
#include "compat.h"
#include "probe.h"
#include "watch.h"

/* Bit of cm_events for all events that refuse or end a connection */
#define CM_ENDED	31

static bool cm_has_ended(unsigned int event)
{
	switch (event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
	case RDMA_CM_EVENT_CONNECT_REQUEST:
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
	case RDMA_CM_EVENT_ESTABLISHED:
		return false;
	default:
		return true;
	}
}

/* Is it the request of this port? Others may connect to the address, too. */
static bool cm_is_own(const struct probe_port *port,
		      const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;

	return param->private_data_len >= sizeof(port->cm_nonce) &&
	       !memcmp(param->private_data, &port->cm_nonce,
		       sizeof(port->cm_nonce));
}

/*
 * Context: process, with the handler lock of @id. Events of all three ids come
 * here.
 */
static int cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct probe_port *port = id->context;

	/* The request is refused: rdma_cm destroys its id. */
	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST &&
	    (!cm_is_own(port, event) || cmpxchg(&port->cm_peer, NULL, id)))
		return -EACCES;
	if (cm_has_ended(event->event))
		set_bit(CM_ENDED, &port->cm_events);
	else if (event->event != RDMA_CM_EVENT_ESTABLISHED ||
		 id == port->obj.id)
		set_bit(event->event, &port->cm_events);
	wake_up_all(&port->cm_wait);
	return 0;
}

static bool cm_is_over(struct probe_port *port, unsigned int event)
{
	return test_bit(event, &port->cm_events) ||
	       test_bit(CM_ENDED, &port->cm_events) ||
	       READ_ONCE(port->is_leaving);
}

static int cm_wait(struct probe_port *port, unsigned int event)
{
	unsigned long limit = msecs_to_jiffies(probe_lost_ms());

	if (!wait_event_timeout(port->cm_wait, cm_is_over(port, event), limit))
		return -ETIMEDOUT;
	if (!test_bit(event, &port->cm_events))
		return -ECONNREFUSED;
	/* Pairs with cmpxchg() in cm_event(). */
	smp_rmb();
	return 0;
}

static bool cm_get_ipv4(const struct net_device *netdev,
			struct sockaddr_storage *addr)
{
	struct sockaddr_in *in = (struct sockaddr_in *)addr;
	const struct in_device *dev = __in_dev_get_rcu(netdev);
	const struct in_ifaddr *ifa;

	ifa = dev ? rcu_dereference(dev->ifa_list) : NULL;
	if (!ifa)
		return false;
	in->sin_family = AF_INET;
	in->sin_addr.s_addr = ifa->ifa_local;
	return true;
}

#if IS_ENABLED(CONFIG_IPV6)
static bool cm_get_ipv6(const struct net_device *netdev,
			struct sockaddr_storage *addr)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct inet6_dev *dev = __in6_dev_get(netdev);
	const struct inet6_ifaddr *ifa;
	bool found = false;

	if (!dev)
		return false;
	read_lock_bh(&dev->lock);
	ifa = list_first_entry_or_null(&dev->addr_list, struct inet6_ifaddr,
				       if_list);
	if (ifa) {
		in6->sin6_family = AF_INET6;
		in6->sin6_addr = ifa->addr;
		in6->sin6_scope_id = netdev->ifindex;
		found = true;
	}
	read_unlock_bh(&dev->lock);
	return found;
}
#else
static bool cm_get_ipv6(const struct net_device *netdev,
			struct sockaddr_storage *addr)
{
	return false;
}
#endif

/* Get an address of the network device of the port, and its namespace. */
static int cm_get_addr(struct probe_port *port, struct sockaddr_storage *addr,
		       struct net **net)
{
	struct net_device *netdev;
	int ret = -EADDRNOTAVAIL;

	netdev = rdmaev_get_netdev(probe_ib(port), port->num);
	if (!netdev)
		return -ENODEV;
	memset(addr, 0, sizeof(*addr));
	rcu_read_lock();
	if (cm_get_ipv4(netdev, addr) || cm_get_ipv6(netdev, addr)) {
		*net = maybe_get_net(dev_net(netdev));
		ret = *net ? 0 : -ENODEV;
	}
	rcu_read_unlock();
	dev_put(netdev);
	return ret;
}

static int cm_create_id(struct probe_port *port, struct net *net,
			struct rdma_cm_id **id)
{
	struct rdma_cm_id *new;

	new = rdma_create_id(net, cm_event, port, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(new))
		return PTR_ERR(new);
	*id = new;
	return 0;
}

/* An address of another device than the port's is of no use. */
static int cm_check_id(const struct probe_port *port,
		       const struct rdma_cm_id *id)
{
	return id->device == probe_ib(port) && id->port_num == port->num ?
	       0 : -EADDRNOTAVAIL;
}

static int cm_listen(struct probe_port *port, struct net *net,
		     struct sockaddr *addr)
{
	int ret = cm_create_id(port, net, &port->obj.listener);

	ret = ret ?: rdma_bind_addr(port->obj.listener, addr);
	ret = ret ?: cm_check_id(port, port->obj.listener);
	return ret ?: rdma_listen(port->obj.listener, 1);
}

static int cm_resolve(struct probe_port *port, struct net *net)
{
	struct probe_objects *obj = &port->obj;
	int ret = cm_create_id(port, net, &obj->id);

	ret = ret ?: rdma_resolve_addr(obj->id, NULL, (struct sockaddr *)
				       &obj->listener->route.addr.src_addr,
				       probe_lost_ms());
	ret = ret ?: cm_wait(port, RDMA_CM_EVENT_ADDR_RESOLVED);
	ret = ret ?: cm_check_id(port, obj->id);
	ret = ret ?: rdma_resolve_route(obj->id, probe_lost_ms());
	return ret ?: cm_wait(port, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

static int cm_accept(struct probe_port *port, struct ib_qp_init_attr *attr,
		     struct rdma_conn_param *param)
{
	struct rdma_cm_id *peer = port->cm_peer;
	int ret;

	port->obj.peer = peer;
	ret = rdma_create_qp(peer, port->obj.pd, attr);
	if (ret)
		return ret;
	port->obj.peer_qp = peer->qp;
	rdma_lock_handler(peer);
	ret = rdma_accept(peer, param);
	rdma_unlock_handler(peer);
	return ret;
}

static int cm_connect(struct probe_port *port, struct ib_qp_init_attr *attr)
{
	struct rdma_conn_param param = {
		.private_data = &port->cm_nonce,
		.private_data_len = sizeof(port->cm_nonce),
	};
	struct ib_qp_init_attr of_peer = *attr;
	int ret;

	ret = rdma_create_qp(port->obj.id, port->obj.pd, attr);
	if (ret)
		return ret;
	port->obj.qp = port->obj.id->qp;
	ret = rdma_connect(port->obj.id, &param);
	ret = ret ?: cm_wait(port, RDMA_CM_EVENT_CONNECT_REQUEST);
	ret = ret ?: cm_accept(port, &of_peer, &param);
	return ret ?: cm_wait(port, RDMA_CM_EVENT_ESTABLISHED);
}

/* No request comes any more. */
static void cm_destroy_listener(struct probe_port *port)
{
	if (port->obj.listener)
		rdma_destroy_id(port->obj.listener);
	port->obj.listener = NULL;
}

/**
 * probe_cm_make - make two connected QPs
 * @port: port with a PD and a CQ
 * @attr: attributes of the QPs
 *
 * Return: 0 or -errno; then probe_cm_unmake() destroys what was made.
 */
int probe_cm_make(struct probe_port *port, struct ib_qp_init_attr *attr)
{
	struct sockaddr_storage addr;
	struct net *net;
	int ret;

	probe_set_method(port, RDMAEV_PROBE_BY_CM);
	probe_call(port, RDMAEV_PROBE_CALL_CONNECT);
	port->cm_events = 0;
	port->cm_peer = NULL;
	port->cm_nonce = get_random_u64();
	ret = cm_get_addr(port, &addr, &net);
	if (ret)
		return ret;
	ret = cm_listen(port, net, (struct sockaddr *)&addr);
	ret = ret ?: cm_resolve(port, net);
	put_net(net);
	ret = ret ?: cm_connect(port, attr);
	cm_destroy_listener(port);
	return ret;
}

/**
 * probe_cm_unmake - destroy the connection and the peer's QP
 * @port: port whose own QP is destroyed; nothing happens if it has no ids
 *
 * No event comes any more when this returns.
 */
void probe_cm_unmake(struct probe_port *port)
{
	struct probe_objects *obj = &port->obj;

	/* A request that came, and was not accepted */
	if (!obj->peer)
		obj->peer = port->cm_peer;
	port->cm_peer = NULL;
	if (obj->peer_qp)
		rdma_destroy_qp(obj->peer);
	obj->peer_qp = NULL;
	if (obj->peer)
		rdma_destroy_id(obj->peer);
	obj->peer = NULL;
	if (obj->id)
		rdma_destroy_id(obj->id);
	obj->id = NULL;
}
