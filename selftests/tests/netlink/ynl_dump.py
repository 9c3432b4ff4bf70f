#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Dumps by the kernel's YNL library, as JSON: ynl_dump.py FOLDER SPEC OPERATION...

As cli.py does, but for strings that are not ASCII: names of devices and processes may
have any byte.
"""
import json
import sys

sys.path.append(sys.argv[1])
from lib import ynl

ynl.NlAttr.as_strz = lambda attr: attr.raw.decode("utf-8", "replace")[:-1]
family = ynl.YnlFamily(sys.argv[2], "")
for operation in sys.argv[3:]:
    print(json.dumps(family.dump(operation, {}),
                     default=lambda value: value.hex() if isinstance(value, bytes) else sorted(value)))
