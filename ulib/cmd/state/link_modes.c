// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ask a network device for its link modes. The kernel has their names as strings,
 * for example 100000baseKR4/Full, so that modes to come are understood, too.
 */
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/recorded.h"
#include "link_modes.h"
#include "netdev.h"

/* More words in the mask of link modes than any kernel has; the ABI's limit */
#define WORDS_MAX	127

/* Of three masks: supported, advertised, advertised by the link partner */
struct settings {
	struct ethtool_link_settings head;
	uint32_t masks[3 * WORDS_MAX];
};

static int link_modes_ask(int fd, const char *netdev, void *request)
{
	struct ifreq ifr = { .ifr_data = request };

	memcpy(ifr.ifr_name, netdev, strnlen(netdev, IF_NAMESIZE - 1));
	return ioctl(fd, SIOCETHTOOL, &ifr);
}

/* The first call returns the number of words. */
static int get_settings(int fd, const char *netdev, struct settings *s)
{
	memset(s, 0, sizeof(*s));
	s->head.cmd = ETHTOOL_GLINKSETTINGS;
	if (link_modes_ask(fd, netdev, s) || s->head.link_mode_masks_nwords >= 0)
		return -1;
	s->head.link_mode_masks_nwords = (int8_t)-s->head.link_mode_masks_nwords;
	s->head.cmd = ETHTOOL_GLINKSETTINGS;
	if (link_modes_ask(fd, netdev, s) || s->head.link_mode_masks_nwords <= 0)
		return -1;
	return 0;
}

/* Names of all modes, ETH_GSTRING_LEN bytes each; NULL: not known. Free it. */
static struct ethtool_gstrings *get_names(int fd, const char *netdev, unsigned int words)
{
	struct ethtool_gstrings *names = calloc(1, sizeof(*names) +
						32UL * words * ETH_GSTRING_LEN);

	if (!names)
		return NULL;
	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = ETH_SS_LINK_MODES;
	if (!link_modes_ask(fd, netdev, names) && names->len <= 32 * words)
		return names;
	free(names);
	return NULL;
}

/* 100000 for "100000baseKR4/Full"; 0 for "Pause" */
static uint32_t speed_of(const char *name)
{
	char *end;
	unsigned long mbps = strtoul(name, &end, 10);

	return strncmp(end, "base", 4) ? 0 : (uint32_t)mbps;
}

static uint32_t link_modes_fastest(const struct ethtool_gstrings *names, const uint32_t *mask,
				   const uint32_t *other)
{
	uint32_t most = 0, bit;

	for (bit = 0; bit < names->len; bit++) {
		char name[ETH_GSTRING_LEN + 1] = "";

		if (!(mask[bit / 32] & other[bit / 32] & 1U << bit % 32))
			continue;
		memcpy(name, &names->data[bit * ETH_GSTRING_LEN], ETH_GSTRING_LEN);
		if (speed_of(name) > most)
			most = speed_of(name);
	}
	return most;
}

static struct link_modes read_modes(int fd, const char *netdev)
{
	const uint32_t *supported, *of_partner;
	struct link_modes modes = { 0 };
	struct ethtool_gstrings *names;
	struct settings s;
	unsigned int words;

	if (get_settings(fd, netdev, &s))
		return modes;
	if (s.head.speed && s.head.speed != (uint32_t)SPEED_UNKNOWN)
		modes.speed = s.head.speed;
	words = (unsigned int)s.head.link_mode_masks_nwords;
	names = get_names(fd, netdev, words);
	if (!names)
		return modes;
	supported = s.masks;
	of_partner = s.masks + 2UL * words;
	modes.supported = link_modes_fastest(names, supported, supported);
	modes.common = link_modes_fastest(names, supported, of_partner);
	free(names);
	return modes;
}

static struct link_modes recorded_modes(const struct rdmaev_port *port)
{
	const struct recording_host_port *host = recorded_host_port(port->generation, port->port);

	if (!host)
		return (struct link_modes){ 0 };
	return (struct link_modes){
		.speed = host->speed,
		.common = host->common,
		.supported = host->supported,
	};
}

struct link_modes read_link_modes(const struct rdmaev_port *port)
{
	struct link_modes modes = { 0 };
	char netdev[IF_NAMESIZE];
	int fd;

	if (recorded_file())
		return recorded_modes(port);
	if (!find_netdev(port, netdev))
		return modes;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return modes;
	modes = read_modes(fd, netdev);
	close(fd);
	return modes;
}
