#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The Python package with a log that is too small: losses are exact.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../watching.sh"
. "$(dirname "$0")/python.sh"
needs_module "it cannot get a smaller log"

rmmod rdmaev
load records=64
still_add pysim
run_python loss
still_del pysim
plan
