// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* States and attributes of ports, for rdmaev explain */
#include <string.h>

#include <rdmaev.h>

#include "catalogue.h"
#include "port_states.h"

const struct port_state port_states[] = {
	{ false, RDMAEV_STATE_DOWN,
	  "The physical link is not up: the port sends and receives nothing.",
	  "See the physical state for how far the link got; check cable and switch port." },
	{ false, RDMAEV_STATE_INIT,
	  "The link is up, and the port waits for the subnet manager to configure it.",
	  "If it lasts, check that a subnet manager runs and reaches the port (sminfo)." },
	{ false, RDMAEV_STATE_ARMED,
	  "The port is configured and receives data packets, but sends none yet.",
	  "If it lasts, check the log of the subnet manager." },
	{ false, RDMAEV_STATE_ACTIVE,
	  "The port sends and receives all packets.",
	  "None needed." },
	{ false, RDMAEV_STATE_ACTIVE_DEFER,
	  "The link has failed and is expected back soon; the configuration is kept.",
	  "If it recurs, check cable and error counters of the link." },
	{ true, RDMAEV_PHYS_SLEEP,
	  "The port neither drives its output nor looks for a peer, to save power.",
	  "Enable the port (ibportstate enable, ip link set up)." },
	{ true, RDMAEV_PHYS_POLLING,
	  "The port looks for a peer, and none has answered.",
	  "Check the cable, and that the port at the other end is enabled." },
	{ true, RDMAEV_PHYS_DISABLED,
	  "The port is switched off: its output is not driven and its input is ignored.",
	  "Enable the port (ibportstate enable, ip link set up)." },
	{ true, RDMAEV_PHYS_TRAINING,
	  "A peer has answered, and both ends agree on width and speed of the link.",
	  "If it lasts or recurs, check cable and settings of speed and FEC at both ends." },
	{ true, RDMAEV_PHYS_LINK_UP,
	  "The physical link is up.",
	  "None needed; if the port is not ACTIVE, see its state." },
	{ true, RDMAEV_PHYS_LINK_ERROR_RECOVERY,
	  "The physical link has failed and is being trained again.",
	  "If it recurs, check cable and error counters of the link (perfquery, ethtool -S)." },
	{ true, RDMAEV_PHYS_PHY_TEST,
	  "The port is in a test mode of its physical layer.",
	  "End the test that was started on the device." },
};

const size_t port_states_count = ARRAY_SIZE(port_states);

const char *port_state_name(const struct port_state *state)
{
	return state->is_physical ? phys_state_name(state->number) :
				    state_name(state->number);
}

bool is_port_state(const struct port_state *state, const char *name)
{
	/* Prefixes of kernel and libibverbs; each begins like the next one. */
	static const char * const prefixes[] = {
		"IB_PORT_PHYS_STATE_", "IB_PORT_", "IBV_PORT_", "PORT_",
		"PHYS_STATE_", "",
	};
	const char *rest = NULL;
	size_t i;

	for (i = 0; !rest; i++)
		rest = name_after_prefix(name, prefixes[i]);
	rest = name_after_prefix(rest, port_state_name(state));
	return rest && !*rest;
}

int port_attribute_code(const char *name)
{
	static const char * const names[] = {
		[RDMAEV_PORT_STATE] = "STATE",
		[RDMAEV_PORT_PHYS_STATE] = "PHYS_STATE",
		[RDMAEV_PORT_LID] = "LID",
		[RDMAEV_PORT_SM_LID] = "SM_LID",
		[RDMAEV_PORT_SPEED] = "SPEED",
		[RDMAEV_PORT_WIDTH] = "WIDTH",
		[RDMAEV_PORT_GID] = "GID",
		[RDMAEV_PORT_PKEY] = "PKEY",
		[RDMAEV_PORT_OUTAGE_UNSEEN] = "OUTAGES",
		[RDMAEV_PORT_MTU] = "MTU",
	};
	unsigned int code;

	for (code = RDMAEV_PORT_STATE; code < ARRAY_SIZE(names); code++) {
		const char *rest = names[code] ? name_after_prefix(name, names[code]) : NULL;

		if (rest && !*rest)
			return (int)code;
	}
	return -1;
}
