# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The YNL tool reads its specification by yaml.safe_load(), which in Python takes most of its time."""
import yaml

yaml.SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
