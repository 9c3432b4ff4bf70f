# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""ulib/python/rdmaev/_bodies.py, from include/rdmaev.yaml"""
import sys
import textwrap

# What the class of a kind is derived from, if not from Event
BASES = {"async": "ObjectEvent", "wc": "ObjectEvent", "cm": "Refusal, Event"}
# Types of fields whose numbers have names that drivers may extend, or that are addresses
TYPES = {
    "qp-type": "QpType", "qp-state": "QpState", "before": "QpState", "family": "Family",
    "port-space": "PortSpace", "gid": "IPv6Address", "peer-gid": "IPv6Address",
    "flags": "int",
}
ADDRESS = "Union[IPv6Address, IPv4Address, None]"
# Two fields in place of one
WR_ID = '''    #: wr_id of the request; None: a ULP posted it, which has wr_id_hash
    wr_id: Optional[int]
    #: the same for the same wr_id while the module is loaded
    wr_id_hash: Optional[int]'''

HEAD = '''# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# {made}
"""Events whose body is described field by field."""
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Dict, Optional, Tuple, Type, Union

from ._abi import (
{names}
)
from ._events import Event, Refusal
from ._values import slots


@slots
@dataclass(frozen=True)
class ObjectEvent(Event):
    """An event of an object and its owner. Fields that are unknown are None."""

'''


def camel(name):
    """Name of a class"""
    return "".join(part.capitalize() for part in name.split("-"))


def type_of(attr, is_known):
    """Type of a field in Python"""
    name = attr["name"]
    if name.endswith("-addr"):
        return ADDRESS
    kind = TYPES.get(name) or (camel(attr["enum"]) if "enum" in attr else
                               "str" if attr["type"] == "string" else "int")
    return f"Optional[{kind}]" if is_known else kind


def fields(attrs, sent):
    """Lines of the fields of a class"""
    for attr in attrs:
        if attr["name"] == "wr-id":
            yield WR_ID
            continue
        doc = " ".join(attr.get("doc", "").split())
        yield from textwrap.wrap(doc, 99, initial_indent="    #: ", subsequent_indent="    #: ")
        yield f"    {attr['name'].replace('-', '_')}: {type_of(attr, sent(attr['name']))}"


def about(spec):
    """What a body is: its documentation, after the name of its structure"""
    doc = " ".join(spec["doc"].split()).partition(". ")[2]
    if not doc:
        sys.exit(f"include/rdmaev.yaml: {spec['name']}: doc: struct NAME. What it is")
    return doc


def classes(kinds, sets, sent, made):
    """The module; @sent: is an attribute of a set sent only with its bit of known?"""
    attrs = {kind: [attr for attr in sets[f"{kind}-body"]["attributes"] if attr["name"] != "known"]
             for kind in kinds}
    of_object = {attr["name"] for attr in attrs["async"]}
    attrs["wc"] = [attr for attr in attrs["wc"] if attr["name"] not in of_object]
    lines = list(fields(attrs["async"], lambda name: sent("async-body", name)))
    for kind in kinds:
        lines += ["", "", "@slots", "@dataclass(frozen=True)",
                  f"class {camel(kind)}Event({BASES.get(kind, 'Event')}):",
                  f'    """{about(sets[kind + "-body"])} ({camel(kind)}Code)."""']
        if kind != "async":
            lines += ["", *fields(attrs[kind], lambda name, kind=kind: sent(f"{kind}-body", name))]
    text = "\n".join(lines) + "\n"
    text += "\n\n# Class of each kind, and its member of the body of a record\n"
    text += "BODIES: Dict[Kind, Tuple[Type[Event], str]] = {\n"
    text += "".join(f'    Kind.{kind.upper()}: ({camel(kind)}Event, "{kind}"),\n'
                    for kind in kinds) + "}\n"
    offered = ", ".join(f'"{name}"' for name in
                        ["ObjectEvent"] + [f"{camel(kind)}Event" for kind in kinds])
    text += "\n__all__ = [\n" + "\n".join(textwrap.wrap(
        offered, 99, initial_indent="    ", subsequent_indent="    ")) + "\n]\n"
    used = {"Kind"} | {camel(attr["enum"]) for kind in kinds for attr in attrs[kind]
            if "enum" in attr and attr["name"] not in TYPES} | set(TYPES.values())
    used = sorted(used - {"IPv6Address", "int"})
    names = "\n".join(textwrap.wrap(", ".join(used) + ",", 100, initial_indent="    ",
                                    subsequent_indent="    "))
    return HEAD.replace("{made}", made).replace("{names}", names) + text
