# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Events: the base of all classes, and those whose body is not as the record has it."""
import ctypes
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta, timezone
from ipaddress import IPv6Address
from typing import Any, Optional, Tuple, Type, Union

from ._abi import (
    CmCode, GidType, Kind, NetdevChange, ObjectType, OpenEnum, OutageFlag, Part, PhysState,
    PortState, RejectReason, Ring, Severity, Source, Style, rdmaev_record,
)
from ._library import library, optional_text, text_of
from ._values import slots

#: Values of an attribute of a port: state, physical state, GID, or a number
PortValue = Union[PortState, PhysState, IPv6Address, int]


class UnknownCode(OpenEnum):
    """Code of a kind that this library does not know"""

    #: none: Python 3.13 refuses to use an enum without members
    NONE = -1


@slots
@dataclass(frozen=True)
class Event:
    """A record of the log, of a kind that this version does not know; base of all others.

    Two events are equal if all of their fields are. str() is the line that the command
    prints, json() its JSON object. Times are nanoseconds.
    """

    #: sequence number: one strict order over all devices, valid for one Info.instance
    seq: int
    #: CLOCK_BOOTTIME when rdmaev received the event
    boottime_ns: int
    #: CLOCK_REALTIME at the same moment; see also time
    realtime_ns: int
    #: seq of the event that this one follows from; 0: unknown
    cause: int
    #: name of the device at that time; None: no device, or unknown
    device: Optional[str]
    #: index of the device, as `rdma dev` shows it; None: no device
    device_index: Optional[int]
    #: number of this registration of the device; 0: no device
    generation: int
    #: port number; None: not about one port
    port: Optional[int]
    kind: Kind
    #: which event of its kind: a member of AsyncCode, PortCode, ...
    code: OpenEnum
    severity: Severity
    source: Source
    ring: Ring
    object_type: ObjectType
    #: number of the QP, CQ, SRQ or WQ; None: another object, or unknown
    object: Optional[int]
    #: occurrences that the event stands for
    count: int
    #: process that owns the object; 0: the kernel, or unknown
    pid: int
    #: the record as the kernel wrote it, 256 bytes
    record: bytes = field(repr=False)

    @property
    def name(self) -> str:
        """Name of the event, such as PORT_ERR; made of the number if it has none."""
        if isinstance(self.code, UnknownCode):
            return f"{self.kind.name}_{self.code.value}"
        return self.code.name

    @property
    def time(self) -> datetime:
        """Time in UTC, cut to microseconds."""
        return (datetime(1970, 1, 1, tzinfo=timezone.utc)
                + timedelta(microseconds=self.realtime_ns // 1000))

    @property
    def description(self) -> Optional[str]:
        """What has happened, in a sentence; None: unknown."""
        description: Optional[str] = optional_text(
            library.rdmaev_event_describe(self.kind, self.code))
        return description

    @property
    def advice(self) -> Optional[str]:
        """What to do about it; None: unknown."""
        advice: Optional[str] = optional_text(library.rdmaev_event_advice(self.kind, self.code))
        return advice

    def format(self, style: int = Style.HUMAN) -> str:
        """Text of the event; style: Style.HUMAN, combined with others by |, or Style.JSON."""
        record = rdmaev_record.from_buffer_copy(self.record)
        size = 1024
        while True:
            text = ctypes.create_string_buffer(size)
            length = library.rdmaev_format(record, style, text, size)
            if length < 0:
                raise ValueError(f"style {style}: must be HUMAN, with UTC or MONO and COLOR, "
                                 "or JSON")
            if length < size:
                return text_of(text.value)
            size = length + 1

    def json(self) -> str:
        """The event as a JSON object, as `rdmaev log -j` prints it."""
        return self.format(Style.JSON)

    def __str__(self) -> str:
        return self.format()

    def __reduce__(self) -> Tuple[Type["Event"], Tuple[Any, ...]]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))


@slots
@dataclass(frozen=True)
class DeviceEvent(Event):
    """A device was added, removed, renamed or moved, or lacks nodes (DeviceCode)."""

    #: node GUID as a number
    node_guid: int
    #: DEVICE_RENAME: the old name; DEVICE_ADD: the name that the device had before, if
    #: another; else empty
    old_name: str
    #: DEVICE_INCOMPLETE: device files that the device lacks
    missing: Part
    #: DEVICE_REMOVE, DEVICE_REMOVED: process whose thread removes the device; 0: a kernel
    #: thread does
    remover_pid: int
    #: DEVICE_REMOVE, DEVICE_REMOVED: CLOCK_BOOTTIME when the removal was seen to begin;
    #: else 0
    removing_since_ns: int
    #: name of that thread
    remover_comm: str
    #: DEVICE_REMOVE, DEVICE_REMOVED: name of the network device with which the device
    #: leaves; else empty
    netdev: str
    netdev_change: NetdevChange


@slots
@dataclass(frozen=True)
class PortEvent(Event):
    """An attribute of a port has changed (PortCode).

    before and after are PortState, PhysState or IPv6Address where the code is about one, else a
    number: LID, P_Key, speed and width as the bits of enum ib_port_speed and ib_port_width.
    None: a state that is unknown.
    """

    before: Optional[PortValue]
    after: Optional[PortValue]
    #: index in the GID or P_Key table
    index: int
    #: how long the value before was in force
    previous_ns: int
    #: outages in this generation, including this change
    outages: int
    gid_type_before: GidType
    gid_type_after: GidType
    #: index of the network device of the GID; 0: none
    netdev_before: int
    netdev_after: int
    #: CLOCK_BOOTTIME when the outage began; 0: not about an outage
    down_since_ns: int
    #: duration of the outage
    down_ns: int
    #: part of it in which the network device was set down
    down_admin_ns: int
    outage_flags: OutageFlag


@slots
@dataclass(frozen=True)
class LostEvent(Event):
    """This reader fell behind: records were overwritten before it could read them.

    count is exact. No filter removes this event.
    """

    #: lower bound of the seq of the lost records
    first: int
    #: seq of the newest one
    last: int


class Refusal:
    """What CmEvent has besides its fields"""

    __slots__ = ()
    code: OpenEnum
    status: int

    @property
    def reason(self) -> Optional[RejectReason]:
        """Why the peer refused the connection; None for other events."""
        is_reason = self.code == CmCode.CM_REJECTED and self.status > 0
        return RejectReason(self.status) if is_reason else None
