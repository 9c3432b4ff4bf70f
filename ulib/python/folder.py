#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Print the folder for packages below a prefix that this Python searches.

folder.py PREFIX
"""
import site
import sys


def main():
    prefix = sys.argv[1].rstrip("/")
    folders = site.getsitepackages()
    for folder in folders:
        if folder.startswith(prefix + "/lib/"):
            print(folder)
            return
    # Nowhere there: PYTHONPATH has to name it
    name = folders[0].rsplit("/", 1)[1]
    print(f"{prefix}/lib/python{sys.version_info.major}.{sys.version_info.minor}/{name}")


main()
