// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Names of the numbers in records: as ib_core and its tools spell them. */
#include <signal.h>

#include "catalogue.h"
#include "internal.h"

static const char *name_at(const char * const *names, size_t count,
			   unsigned long long n)
{
	return n < count ? names[n] : NULL;
}

const char *outage_begin_name(unsigned int flags)
{
	if (flags & RDMAEV_OUTAGE_AT_ADD)
		return "unknown";
	return flags & RDMAEV_OUTAGE_BEGIN_FOUND ? "query" : "event";
}

static const struct speed {
	unsigned int bit;
	unsigned int rate;
	const char *name;
} speeds[] = {
	{ 1, 25, "SDR" },    { 2, 50, "DDR" },	  { 4, 100, "QDR" },
	{ 8, 100, "FDR10" }, { 16, 140, "FDR" },  { 32, 250, "EDR" },
	{ 64, 500, "HDR" },  { 128, 1000, "NDR" }, { 256, 2000, "XDR" },
};

static const struct speed *speed_find(unsigned long long bit)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(speeds); i++)
		if (speeds[i].bit == bit)
			return &speeds[i];
	return NULL;
}

const char *speed_name(unsigned long long speed)
{
	const struct speed *s = speed_find(speed);

	return s ? s->name : NULL;
}

unsigned int speed_rate(unsigned long long speed)
{
	const struct speed *s = speed_find(speed);

	return s ? s->rate : 0;
}

const char *width_name(unsigned long long width)
{
	static const char * const names[] = {
		[1] = "1X", [2] = "4X", [4] = "8X", [8] = "12X", [16] = "2X",
	};

	return name_at(names, ARRAY_SIZE(names), width);
}

unsigned int width_lanes(unsigned long long width)
{
	static const unsigned char lanes[] = {
		[1] = 1, [2] = 4, [4] = 8, [8] = 12, [16] = 2,
	};

	return width < sizeof(lanes) ? lanes[width] : 0;
}

const char *node_type_name(unsigned int type)
{
	static const char * const names[] = {
		[1] = "CA",
		[2] = "SWITCH",
		[3] = "ROUTER",
		[4] = "RNIC",
		[5] = "USNIC",
		[6] = "USNIC_UDP",
		[7] = "UNSPECIFIED",
	};

	return name_at(names, ARRAY_SIZE(names), type);
}

const char *link_layer_name(unsigned int layer)
{
	static const char * const names[] = {
		[1] = "InfiniBand",
		[2] = "Ethernet",
	};

	return name_at(names, ARRAY_SIZE(names), layer);
}

/* Signals that end a process by default */
const char *signal_name(unsigned int number)
{
	static const char * const names[] = {
		[SIGHUP] = "SIGHUP",
		[SIGINT] = "SIGINT",
		[SIGQUIT] = "SIGQUIT",
		[SIGILL] = "SIGILL",
		[SIGTRAP] = "SIGTRAP",
		[SIGABRT] = "SIGABRT",
		[SIGBUS] = "SIGBUS",
		[SIGFPE] = "SIGFPE",
		[SIGKILL] = "SIGKILL",
		[SIGUSR1] = "SIGUSR1",
		[SIGSEGV] = "SIGSEGV",
		[SIGUSR2] = "SIGUSR2",
		[SIGPIPE] = "SIGPIPE",
		[SIGALRM] = "SIGALRM",
		[SIGTERM] = "SIGTERM",
		[SIGXCPU] = "SIGXCPU",
		[SIGXFSZ] = "SIGXFSZ",
		[SIGVTALRM] = "SIGVTALRM",
		[SIGPROF] = "SIGPROF",
		[SIGIO] = "SIGIO",
		[SIGSYS] = "SIGSYS",
	};

	return name_at(names, ARRAY_SIZE(names), number);
}
