# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Which events a reader gets: the kernel's filter, made of what a program names."""
import ctypes
import os
from fnmatch import fnmatchcase
from typing import (
    Any, Dict, Iterable, Iterator, NamedTuple, Optional, Set, Tuple, Type, TypeVar, Union,
)

from . import _abi
from ._abi import CODES, CODE_BIT_OTHER, Kind, ObjectType, OpenEnum, Severity, rdmaev_filter
from ._events import Event
from ._library import library

E = TypeVar("E", bound=OpenEnum)

#: One value or several, by name or number
Names = Union[str, int, Iterable[Union[str, int]]]
Devices = Union[str, Iterable[str]]
#: A name or pattern such as "PORT_*", a member of AsyncCode, PortCode, ..., or several
Events = Union[str, OpenEnum, Iterable[Union[str, OpenEnum]]]


class Selection(NamedTuple):
    """The events that a program wants; None: all.

    devices: "mlx5_0", "mlx5_*" (a `*` at the end only), "mlx5_0/1" for a port; 16 at most.
    """

    devices: Optional[Devices] = None
    severity: Optional[Names] = None
    kinds: Optional[Names] = None
    events: Optional[Events] = None
    qp: Optional[int] = None
    pid: Optional[int] = None
    uid: Optional[int] = None
    cgroup: Optional[int] = None


def _several(value: Any) -> Iterator[Any]:
    return iter([value]) if isinstance(value, (str, int)) else iter(value)


def _mask(cls: Type[E], what: str, names: Optional[Names]) -> int:
    """Bits of the members that are named; 0: all."""
    mask = 0
    for name in () if names is None else _several(names):
        member = cls.__members__.get(name.upper()) if isinstance(name, str) else cls(name)
        if member is None or not 0 < member < 32:
            raise ValueError(f"{what} {name!r}: must be one of "
                             + ", ".join(n.lower() for n in cls.__members__))
        mask |= 1 << member
    if names is not None and not mask:
        raise ValueError(f"{what}: names none; leave it out for all")
    return mask


def _codes_of(name: Union[str, OpenEnum]) -> Iterator[Tuple[Kind, int]]:
    """Kind and code of a name, of all that match a pattern, or of a member."""
    kinds = {cls: kind for kind, cls in CODES.items()}
    if isinstance(name, OpenEnum):
        if type(name) not in kinds:
            raise ValueError(f"event {name!r}: must be of a class of codes, such as AsyncCode")
        yield kinds[type(name)], int(name)
    elif set(name) & set("*?["):
        pattern = name.upper().replace("-", "_")
        for cls, kind in kinds.items():
            yield from ((kind, int(code)) for code in cls if fnmatchcase(code.name, pattern))
    else:
        kind_of, code_of = ctypes.c_uint(), ctypes.c_uint()
        if not library.rdmaev_event_parse(os.fsencode(name), kind_of, code_of):
            yield Kind(kind_of.value), code_of.value


def _find_codes(events: Events) -> Set[Tuple[Kind, int]]:
    found: Set[Tuple[Kind, int]] = set()
    for name in _several(events):
        codes = set(_codes_of(name))
        if not codes:
            raise ValueError(f"event {name!r}: no such event; rdmaev explain lists them")
        found |= codes
    if not found:
        raise ValueError("events: names none; leave it out for all")
    return found


def _put_codes(f: Any, codes: Set[Tuple[Kind, int]]) -> None:
    """Other kinds do not pass; codes from 63 on have a bit in common, see Chosen."""
    masks: Dict[Kind, int] = {}
    for kind, code in codes:
        masks[kind] = masks.get(kind, 0) | 1 << min(code, CODE_BIT_OTHER)
    f.kinds &= sum(1 << kind for kind in masks)
    if not f.kinds:
        raise ValueError("events: none of them is of these kinds")
    for kind, mask in masks.items():
        f.codes[kind] = mask


def _put_target(target: Any, text: str) -> None:
    name, slash, port = text.partition("/")
    if slash and not (port.isascii() and port.isdigit() and int(port) < _abi.NO_PORT):
        raise ValueError(f"device {text!r}: the port must be a number, such as {name}/1")
    raw = os.fsencode(name)
    if not 0 < len(raw) < _abi.DEVICE_NAME_SIZE or b"\0" in raw or b"*" in raw[:-1]:
        raise ValueError(f"device {text!r}: must be a name, with a * at the end only, of "
                         f"{_abi.DEVICE_NAME_SIZE - 1} bytes at most")
    target.device = raw
    if slash:
        target.flags, target.port = _abi.TARGET_PORT, int(port)


def _put_devices(f: Any, devices: Devices) -> None:
    names = list(_several(devices))
    if not 0 < len(names) <= _abi.TARGETS:
        raise ValueError(f"devices: {len(names)} named, must be 1 to {_abi.TARGETS}; leave it out "
                         "for all, or use a pattern such as mlx5_*")
    for target, name in zip(f.target, names):
        _put_target(target, name)
    f.targets = len(names)


def _number(what: str, number: int, least: int, bits: int = 32) -> int:
    if not least <= number < 1 << bits:
        raise ValueError(f"{what} {number}: must be a number from {least} to {(1 << bits) - 1}")
    return number


class Chosen:
    """A selection for the kernel and beside it. ValueError: there is no such name."""

    def __init__(self, s: Selection) -> None:
        self._codes = None if s.events is None else _find_codes(s.events)
        self._qp = s.qp
        #: passes every event that is selected, and those that has() rejects
        self.filter = self._make_filter(s)

    def _make_filter(self, s: Selection) -> Any:
        f = rdmaev_filter()
        library.rdmaev_filter_init(f)
        f.kinds = _mask(Kind, "kind", s.kinds)
        f.severities = _mask(Severity, "severity", s.severity)
        if s.devices is not None:
            _put_devices(f, s.devices)
        if self._codes is not None:
            f.kinds = f.kinds or 0xffffffff
            _put_codes(f, self._codes)
        if s.qp is not None:
            f.object_types, f.object = 1 << ObjectType.QP, _number("qp", s.qp, 0)
            f.flags |= _abi.FILTER_OBJECT
        if s.pid is not None:
            f.pid = _number("pid", s.pid, 1)
            f.flags |= _abi.FILTER_PID
        if s.uid is not None:
            f.uid = _number("uid", s.uid, 0)
            f.flags |= _abi.FILTER_UID
        if s.cgroup is not None:
            f.cgroup = _number("cgroup", s.cgroup, 1, 64)
            f.flags |= _abi.FILTER_CGROUP
        return f

    def has(self, event: Event) -> bool:
        """The event is one of those that are selected; a loss always is."""
        if event.kind == Kind.LOST:
            return True
        return (self._qp is None or event.object == self._qp) and (
            self._codes is None or (event.kind, int(event.code)) in self._codes)
