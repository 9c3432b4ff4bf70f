// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Events of a program, which rdmaev_gen reports as a ULP that monitors it */
#include "verbs_events.h"
