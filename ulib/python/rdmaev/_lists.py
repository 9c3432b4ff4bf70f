# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What the module lists: devices, ports, counters, CQs, QPs, and the log itself."""
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Any, Dict, Optional, Set, Type, TypeVar

from ._abi import (
    CODES, CODE_OTHER, CqFlag, DeviceFlag, GidType, Kind, Observed, OpenEnum, OutageFlag, Part,
    PhysState, PortFlag, PortState, Protocol, QpState, QpType, WcCode, WcOpcode,
)
from ._events import UnknownCode
from ._values import slots, values, values_of_all

L = TypeVar("L")


@slots
@dataclass(frozen=True)
class Observer:
    """What the observer observes, and what it does not and why; all 0: it is not loaded."""

    observed: Observed
    #: calls have been missed, but those about objects of processes
    gaps: Observed
    #: observed as soon as a module is loaded
    waiting: Observed
    #: this kernel has no function for it that can be traced
    missing: Observed
    #: tracing is switched off, or has failed
    blind: Observed
    #: functions cannot be hooked for another reason
    failed: Observed
    #: a parameter of the observer disables it
    off: Observed


@slots
@dataclass(frozen=True)
class Info:
    """State of the log, the position of the reader, and what is observed."""

    abi_version: int
    features: int
    #: random number of this load of the module; a seq of another one is not valid
    instance: int
    record_size: int
    rings: int
    #: capacity of each ring
    ring_records: int
    #: seq of the oldest record that is kept; 0: none
    oldest_seq: int
    newest_seq: int
    #: seq of the next record of this reader
    position: int
    #: records reported as lost to this reader
    lost: int
    observer: Observer


@slots
@dataclass(frozen=True)
class Device:
    """A device. Times are nanoseconds."""

    index: int
    #: number of this registration
    generation: int
    ports: int
    #: enum rdma_node_type: 1 CA, 2 switch, 3 router, 4 RNIC
    node_type: int
    node_guid: int
    #: CLOCK_BOOTTIME when it was added
    since_ns: int
    flags: DeviceFlag
    #: Source: bit n is source n
    sources: int
    name: str
    #: empty: built into the kernel
    driver: str
    #: seq of the newest record about it; 0: none
    last_seq: int
    last_boottime_ns: int
    last_realtime_ns: int
    last_port: Optional[int]
    last_kind: Kind
    last_code: int
    #: device files that it lacks, as the newest DEVICE_INCOMPLETE says
    missing: Part
    #: generation of the device that it was before it was removed and added; 0: unknown
    previous: int
    #: while it is being removed, process whose thread does that; 0: a kernel thread does
    remover_pid: int
    #: CLOCK_BOOTTIME when the removal was seen to begin; 0: it is not being removed
    removing_since_ns: int
    #: name of that thread
    remover_comm: str
    #: connections that were accepted, by the binary logarithm of the microseconds that it took;
    #: those that are 0 are left out
    connecting: Dict[int, int]


@slots
@dataclass(frozen=True)
class Port:
    """A port, as the last query of the module found it. Times are nanoseconds."""

    #: index of the device
    device: int
    generation: int
    port: int
    #: enum rdma_link_layer: 1 InfiniBand, 2 Ethernet
    link_layer: int
    protocols: Protocol
    #: NOP: no query has succeeded, or the device is being removed
    state: PortState
    phys_state: PhysState
    lid: int
    sm_lid: int
    #: bits of enum ib_port_speed and ib_port_width
    speed: int
    width: int
    #: outages in this generation
    outages: int
    gids: int
    pkeys: int
    #: CLOCK_BOOTTIME since when it is in this state
    state_since_ns: int
    transitions: int
    flags: PortFlag
    #: of the current outage
    outage_flags: OutageFlag
    #: CLOCK_BOOTTIME since when it is not ACTIVE; 0: it is, or never was (PortFlag.NEVER_ACTIVE)
    down_since_ns: int
    #: duration of the last outage that has ended; 0: none has. So the next three
    down_last_ns: int
    down_longest_ns: int
    down_total_ns: int
    #: part of it in which the network device was set down
    down_admin_ns: int
    #: index of the network device; 0: none
    netdev: int
    #: of the fastest link that was ACTIVE
    best_speed: int
    best_width: int
    gid_type: GidType
    gid: IPv6Address
    #: bytes; 0: unknown
    mtu: int
    #: negative errno of the newest query, if PortFlag.QUERY_FAILED; else 0
    query_error: int
    #: CLOCK_BOOTTIME since when queries fail; 0: the newest has succeeded
    query_failed_since_ns: int


@slots
@dataclass(frozen=True)
class PortStatus:
    """A port and its device, true of the same seq.

    Facts, not a verdict: `rdmaev status` also looks at the log, at CQs and at what the link could
    do before it calls a port degraded.
    """

    device: Device
    port: Port
    #: seq of the newest record that both include
    seq: int

    @property
    def name(self) -> str:
        """DEVICE/PORT, as the command names it"""
        return f"{self.device.name}/{self.port.port}"

    @property
    def is_active(self) -> bool:
        """The port is up, when its driver last answered."""
        return self.port.state >= PortState.ACTIVE


@slots
@dataclass(frozen=True)
class Counter:
    """Occurrences of one event of a device or port; exact for last_seq."""

    #: index of the device
    device: int
    generation: int
    #: None: not about one port
    port: Optional[int]
    kind: Kind
    #: None: all codes without a counter of their own
    code: Optional[OpenEnum]
    count: int
    last_seq: int
    last_boottime_ns: int
    last_realtime_ns: int


@slots
@dataclass(frozen=True)
class Cq:
    """Counters of a CQ, or of all CQs of a device (CqFlag.SUM). Times are nanoseconds."""

    #: ascends in the order of creation
    id: int
    #: index of the device
    device: int
    generation: int
    cq: int
    flags: CqFlag
    cqs: int
    #: capacity in completions
    cqe: int
    pid: int
    uid: int
    since_ns: int
    last_ns: int
    notifications: int
    polls: int
    empty_polls: int
    owner: str
    #: successful completions by operation; those that are 0 are left out
    completions: Dict[WcOpcode, int]
    #: unsuccessful ones by status; the last one counts all larger numbers
    failures: Dict[WcCode, int]


@slots
@dataclass(frozen=True)
class Qp:
    """A QP that the observer knows, in the last state that a request has set or its driver has
    reported. None: not known, or not of this type of QP, or of no process."""

    #: index of the device
    device: int
    generation: int
    port: Optional[int]
    qp: int
    #: process that has created it; 0: none, or it has ended
    pid: int
    #: when that began, in nanoseconds since boot; 0: no process, or not known
    started_ns: int
    uid: Optional[int]
    cgroup: Optional[int]
    pid_ns: Optional[int]
    #: name of the thread that has created it, or of the ULP; empty: unknown
    owner: str
    qp_type: Optional[QpType]
    qp_state: Optional[QpState]
    send_cq: Optional[int]
    recv_cq: Optional[int]
    srq: Optional[int]
    peer_qpn: Optional[int]
    peer_lid: Optional[int]
    peer_gid: Optional[IPv6Address]


def _counts(key: Type[L], numbers: Any) -> Dict[L, int]:
    make: Any = key
    return {make(i): n for i, n in enumerate(numbers) if n}


def entry_of(cls: Type[L], entry: Any) -> L:
    """The dataclass of an entry of a list."""
    if cls is Qp:
        return cls(**values_of_all(cls, entry, entry.info.known))
    skip: Set[str] = {"code"} if cls is Counter else {"completions", "failures", "connecting"}
    found = values(cls, entry, skip=skip)
    if cls is Counter:
        is_other = entry.code == CODE_OTHER
        found["code"] = None if is_other else CODES.get(Kind(entry.kind), UnknownCode)(entry.code)
    elif cls is Device:
        found["connecting"] = {i: n for i, n in enumerate(entry.connecting) if n}
    elif cls is Cq:
        found["completions"] = _counts(WcOpcode, entry.completions)
        found["failures"] = _counts(WcCode, entry.failures)
    return cls(**found)
