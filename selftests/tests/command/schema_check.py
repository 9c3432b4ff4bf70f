#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Validate lines of rdmaev -j against definitions of the JSON Schema.

Usage: schema_check.py SCHEMA [--strict] <LINES

Each line is the name of a definition, a blank and an object. Prints each line that
is not valid, and why, then the sorts of lines that are. With --strict, the first line
of each sort is changed in each place instead, by a key that is added or left out; prints
each changed line that is still valid.
"""
import copy
import json
import sys

import jsonschema

# Keys that only some objects have
OPTIONAL = {"outage", "gid_type_before", "netdev_before", "gid_type_after", "netdev_after"}


def objects(value, path=()):
    """Objects in a value, with their paths, except those whose keys are data."""
    if isinstance(value, dict):
        if path[-1:] not in (("completions",), ("failures",)):
            yield path, value
        for key, member in value.items():
            yield from objects(member, path + (key,))
    elif isinstance(value, list):
        for i, member in enumerate(value):
            yield from objects(member, path + (i,))


def at(value, path):
    for step in path:
        value = value[step]
    return value


def changed(value):
    """Copies of a value that no longer fit."""
    for path, found in objects(value):
        added = copy.deepcopy(value)
        at(added, path)["added"] = 1
        yield "with the key added in " + str(path), added
        for key in found.keys() - OPTIONAL:
            less = copy.deepcopy(value)
            del at(less, path)[key]
            yield f"without {key} in {path}", less


def reason(error):
    """The innermost failure."""
    while error.context:
        error = min(error.context, key=lambda e: (len(e.context or ()), -len(e.path)))
    return f"{'/'.join(str(p) for p in error.absolute_path)}: {error.message[:300]}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    strict = "--strict" in sys.argv[2:]
    jsonschema.Draft7Validator.check_schema(schema)
    validators = {
        name: jsonschema.Draft7Validator(
            {"$ref": "#/definitions/" + name, "definitions": schema["definitions"]})
        for name in schema["definitions"]
    }
    valid = set()
    seen = set()
    for line in sys.stdin.buffer:
        name, text = line.decode("utf-8").split(" ", 1)
        value = json.loads(text)
        sort = name + "." + str(value.get("kind")) if name == "record" else name
        if strict and sort in seen:
            continue
        seen.add(sort)
        if strict:
            for what, other in changed(value):
                if validators[name].is_valid(other):
                    print(f"{sort}: valid {what}")
            continue
        error = jsonschema.exceptions.best_match(validators[name].iter_errors(value))
        if error:
            print(f"{sort}: {reason(error)}: {text.strip()[:300]}")
        else:
            valid.add(sort)
    print(*sorted(valid), sep="\n", end="\n" if valid else "")


main()
