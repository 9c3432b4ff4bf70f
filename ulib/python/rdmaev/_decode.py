# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""From a record of the library to an event."""
from dataclasses import fields
from ipaddress import IPv6Address
from typing import Any, Dict, Optional, Tuple, Type

from ._abi import (
    CODES, Family, Kind, Known, ObjectType, PhysState, PortCode, PortState, QpState,
)
from ._bodies import BODIES
from ._events import DeviceEvent, Event, LostEvent, PortEvent, PortValue, UnknownCode
from ._library import text_of
from ._values import values, values_of_all

_HEAD = frozenset(f.name for f in fields(Event))

# Class of each kind, and its member of the body
KINDS: Dict[Kind, Tuple[Type[Event], str]] = {
    Kind.DEVICE: (DeviceEvent, "device"),
    Kind.PORT: (PortEvent, "port"),
    Kind.LOST: (LostEvent, "lost"),
    **BODIES,
}

_STATES = (PortCode.PORT_STATE, PortCode.PORT_OUTAGE, PortCode.PORT_OUTAGE_END)


def _head(record: Any) -> Dict[str, Any]:
    found = values(Event, record, skip=("code", "device", "record"))
    kind = Kind(record.kind)
    found["code"] = CODES.get(kind, UnknownCode)(record.code)
    found["device"] = text_of(record.device_name) or None
    found["device_index"] = record.device if record.generation else None
    if record.object_type < ObjectType.QP:
        found["object"] = None
    found["record"] = bytes(record)
    return found


def _port_value(code: int, value: Any) -> Optional[PortValue]:
    if code == PortCode.PORT_GID:
        return IPv6Address(bytes(value.gid))
    number: int = value.number
    if code in _STATES:
        return PortState(number) if number else None
    return PhysState(number) if code == PortCode.PORT_PHYS_STATE else number


def _address(family: int, address: Optional[IPv6Address]) -> Any:
    """The kernel writes an IPv4 address as an IPv4-mapped one."""
    return address.ipv4_mapped or address if address and family == Family.INET else address


def _special(record: Any, body: Any, found: Dict[str, Any]) -> Dict[str, Any]:
    """Values that are not as the body has them."""
    if record.kind == Kind.PORT:
        return {name: _port_value(record.code, getattr(body, name)) for name in ("before", "after")}
    if record.kind == Kind.WC:
        is_posted = bool(body.info.known & Known.WR_ID)
        return {"wr_id": body.wr_id if is_posted else None,
                "wr_id_hash": None if is_posted else body.wr_id}
    if record.kind == Kind.QP:
        state = body.info.qp_state
        return {"before": QpState(state) if body.info.known & Known.QP_STATE else None}
    if record.kind == Kind.CM:
        return {name: _address(body.family, found[name]) for name in ("local_addr", "peer_addr")}
    if record.kind == Kind.LOST:
        return {"count": body.count}
    return {}


def event_of(record: Any) -> Event:
    """The event of a record; an Event itself if this version does not know its kind."""
    found = _head(record)
    if record.kind not in KINDS:
        return Event(**found)
    cls, member = KINDS[Kind(record.kind)]
    body = getattr(record.body, member)
    info = getattr(body, "info", None)
    known = info.known if info is not None else None
    if known is not None and record.kind != Kind.OBSERVER and not known & Known.OBJECT:
        found["object"] = None
    skip = _HEAD | ({"before", "after"} if cls is PortEvent else set())
    found.update(values_of_all(cls, body, known, skip))
    found.update(_special(record, body, found))
    return cls(**found)
