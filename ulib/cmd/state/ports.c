// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Print protocol, rate, address and network device of a port. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/recorded.h"
#include "catalogue.h"
#include "netdev.h"
#include "ports.h"

void put_protocol(struct text *t, const struct rdmaev_port *port)
{
	unsigned int bit;

	for (bit = 0; protocol_name(bit); bit++)
		if (port->protocols == 1U << bit)
			return text_put(t, protocol_name(bit));
	if (port->protocols)
		text_printf(t, "0x%x", port->protocols);
	else
		text_put(t, "-");
}

void json_protocols(struct text *t, const struct rdmaev_port *port)
{
	const char *comma = "";
	unsigned int bit;

	text_put(t, ",\"protocols\":[");
	for (bit = 0; protocol_name(bit); bit++) {
		if (!(port->protocols & 1U << bit))
			continue;
		text_put(t, comma);
		text_json(t, protocol_name(bit));
		comma = ",";
	}
	text_put(t, "]");
}

unsigned int link_rate(uint32_t speed, uint32_t width)
{
	return speed_rate(speed) * width_lanes(width);
}

void put_rate(struct text *t, uint32_t speed, uint32_t width)
{
	unsigned int rate = link_rate(speed, width);

	if (!rate)
		return text_put(t, "-");
	text_printf(t, "%u", rate / 10);
	if (rate % 10)
		text_printf(t, ".%u", rate % 10);
	text_printf(t, " Gb/sec (%s %s)", width_name(width), speed_name(speed));
}

void json_rate(struct text *t, const char *key, uint32_t speed, uint32_t width)
{
	unsigned int rate = link_rate(speed, width);

	text_key_number(t, key, rate, rate * 100ULL);
}

/* The first GID as text; false if there is none. */
static bool gid_text(const struct rdmaev_port *port, bool short_form,
		     char text[INET6_ADDRSTRLEN])
{
	struct in6_addr gid;

	memcpy(&gid, port->gid, sizeof(gid));
	if (IN6_IS_ADDR_UNSPECIFIED(&gid))
		return false;
	if (short_form && IN6_IS_ADDR_V4MAPPED(&gid))
		return inet_ntop(AF_INET, &port->gid[12], text, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, &gid, text, INET6_ADDRSTRLEN);
}

void put_address(struct text *t, const struct rdmaev_port *port)
{
	char gid[INET6_ADDRSTRLEN];

	if (port->lid)
		text_printf(t, "LID %u", port->lid);
	else if (gid_text(port, true, gid))
		text_put(t, gid);
	else
		text_put(t, "-");
}

void json_gid(struct text *t, const struct rdmaev_port *port)
{
	char gid[INET6_ADDRSTRLEN];

	if (!gid_text(port, false, gid))
		return text_put(t, ",\"gid\":null,\"gid_type\":null");
	text_put(t, ",\"gid\":");
	text_json(t, gid);
	text_key_name(t, "gid_type", gid_type_name(port->gid_type), port->gid_type);
}

const char *netdev_name(const struct rdmaev_port *port, char name[IF_NAMESIZE])
{
	const struct recording_host_port *recorded;

	if (!recorded_file())
		return find_netdev(port, name);
	recorded = recorded_host_port(port->generation, port->port);
	return recorded && *recorded->netdev ? recorded->netdev : NULL;
}

void put_netdev(struct text *t, const struct rdmaev_port *port)
{
	char buf[IF_NAMESIZE];
	const char *name = netdev_name(port, buf);

	if (name)
		text_name(t, name);
	else
		text_put(t, "-");
}

void json_netdev(struct text *t, const struct rdmaev_port *port)
{
	char buf[IF_NAMESIZE];

	text_put(t, ",\"netdev\":");
	text_json(t, netdev_name(port, buf));
}

void json_link_modes(struct text *t, const struct link_modes *modes)
{
	text_key_number(t, "link_mbps", modes->speed, modes->speed);
	text_key_number(t, "link_common_mbps", modes->common, modes->common);
	text_key_number(t, "link_supported_mbps", modes->supported, modes->supported);
}
