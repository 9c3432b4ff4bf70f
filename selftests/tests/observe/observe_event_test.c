// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The same events as in event/inject_test.c, reported by the observer only */
#define OBSERVED
#include "../event/verbs_events.h"
