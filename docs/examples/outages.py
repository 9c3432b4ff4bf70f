#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Prints outages of ports that last, and how long they were.

    python3 outages.py ['mlx5_*']...
"""
import sys

import rdmaev

for event in rdmaev.watch(devices=sys.argv[1:] or None,
                          events=["PORT_OUTAGE", "PORT_OUTAGE_END"]):
    if isinstance(event, rdmaev.LostEvent):
        print(event, flush=True)
        continue
    down = f"{event.down_ns / 1e9:.3f} s"
    if event.code == rdmaev.PortCode.PORT_OUTAGE:
        print(f"{event.device}/{event.port}: down for {down} and still is: {event.advice}",
              flush=True)
    else:
        print(f"{event.device}/{event.port}: back after {down}", flush=True)
