# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Structures of the library as dataclasses: values by the hints of their fields."""
import dataclasses
import functools
from ipaddress import IPv6Address
from typing import (
    Any, Collection, Dict, Optional, Type, TypeVar, Union, get_args, get_origin, get_type_hints,
)

from ._abi import NO_PORT, Known
from ._library import text_of

T = TypeVar("T")

# Fields that another one's bit of Known is about, beside those of their own name
_KNOWN = {"before": "QP_STATE", "local_port": "LOCAL_ADDR",
          "peer_port": "PEER_ADDR"}


# Structures in others, and what the names of their fields begin with
_PARTS = (("info", ""), ("queues", ""), ("peer", "peer_"), ("origin", ""))

# Fields that may be NO_PORT
_PORTS = {"port", "last_port"}


def slots(cls: Type[T]) -> Type[T]:
    """The same dataclass with slots, as dataclass(slots=True) of Python 3.10 makes it."""
    names = tuple(cls.__dict__.get("__annotations__", {}))
    members = {k: v for k, v in cls.__dict__.items() if k not in (*names, "__dict__", "__weakref__")}
    make: Any = type(cls)
    made: Type[T] = make(cls.__name__, cls.__bases__, {**members, "__slots__": names})
    return made


@functools.lru_cache(maxsize=None)
def _types(cls: type) -> Dict[str, Any]:
    """{field: type}, of an optional one without None."""
    types = {}
    hints = get_type_hints(cls)
    for field in dataclasses.fields(cls):
        hint = hints[field.name]
        if get_origin(hint) is Union:
            hint = get_args(hint)[0]
        types[field.name] = hint
    return types


def _value(kind: Any, raw: Any) -> Any:
    if kind is str:
        return text_of(bytes(raw))
    if kind is IPv6Address:
        return IPv6Address(bytes(raw))
    if dataclasses.is_dataclass(kind):
        return kind(**values(kind, raw))
    return raw if kind is int else kind(raw)


def known_bit(name: str) -> Optional[Known]:
    """The bit that says whether a field of a body is set; None if it always is."""
    return Known.__members__.get(_KNOWN.get(name, name.upper()))


def values(cls: type, structure: Any, known: Optional[int] = None,
           skip: Collection[str] = (), prefix: str = "") -> Dict[str, Any]:
    """Values of those fields of a dataclass that a structure has, except @skip; their names
    begin with @prefix there. With @known, a field without its bit there is None."""
    found: Dict[str, Any] = {}
    for name, kind in _types(cls).items():
        field = name[len(prefix):]
        if name in skip or not name.startswith(prefix) or not hasattr(structure, field):
            continue
        bit = None if known is None else known_bit(name)
        is_set = not bit or bool((known or 0) & bit)
        if name in _PORTS and getattr(structure, field) == NO_PORT:
            is_set = False
        found[name] = _value(kind, getattr(structure, field)) if is_set else None
    return found


def values_of_all(cls: type, structure: Any, known: Optional[int],
                  skip: Collection[str] = ()) -> Dict[str, Any]:
    """values() of the structures in another one, and of that."""
    found: Dict[str, Any] = {}
    for member, prefix in _PARTS:
        if hasattr(structure, member):
            found.update(values(cls, getattr(structure, member), known, skip, prefix))
    return {**found, **values(cls, structure, known, skip)}
