# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Made from include/rdmaev.yaml: selftests/described --write
"""Events whose body is described field by field."""
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Dict, Optional, Tuple, Type, Union

from ._abi import (
    Family, Kind, Observed, PortSpace, ProbeCall, ProbeMethod, QpState, QpType, WcOpcode,
)
from ._events import Event, Refusal
from ._values import slots


@slots
@dataclass(frozen=True)
class ObjectEvent(Event):
    """An event of an object and its owner. Fields that are unknown are None."""

    #: number of the owner's pid namespace, constant while the module is loaded, 0 for the initial
    #: one
    pid_ns: Optional[int]
    #: number of the CQ of the send queue of a QP
    send_cq: Optional[int]
    #: number of the CQ of the receive queue of a QP, or of the CQ of a WQ or SRQ
    recv_cq: Optional[int]
    #: number of the SRQ of a QP
    srq: Optional[int]
    #: name of the thread that created the object, or of the ULP that owns it
    owner: str
    #: user of the owner, if that is a process, in the user namespace of the reader; 65534 if it
    #: has none there
    uid: Optional[int]
    #: id of the cgroup (version 2) of the owner, the inode number of its directory in
    #: /sys/fs/cgroup
    cgroup: Optional[int]
    #: type of the QP (enum ib_qp_type)
    qp_type: Optional[QpType]
    #: state of the QP (enum ib_qp_state)
    qp_state: Optional[QpState]
    #: number of the QP at the other end of a connected QP
    peer_qpn: Optional[int]
    #: LID of the other end, if the connection is routed by LID
    peer_lid: Optional[int]
    #: GID of the other end, if the connection is routed by GID
    peer_gid: Optional[IPv6Address]


@slots
@dataclass(frozen=True)
class AsyncEvent(ObjectEvent):
    """An asynchronous event of verbs (AsyncCode)."""


@slots
@dataclass(frozen=True)
class WcEvent(ObjectEvent):
    """An unsuccessful completion; the code is its status (WcCode)."""

    #: vendor error of the completion; 0 for drivers that are not known to set it
    vendor_err: int
    #: operation, from drivers that are known to set it; of others RECV if the QP uses the CQ for
    #: receives alone, else OTHER
    opcode: WcOpcode
    #: wr_id of the request; None: a ULP posted it, which has wr_id_hash
    wr_id: Optional[int]
    #: the same for the same wr_id while the module is loaded
    wr_id_hash: Optional[int]
    #: number of the CQ from which the completion was polled
    cq: Optional[int]
    #: further failed completions of the QP, which have no record of their own and are not included
    #: in count
    folded: int


@slots
@dataclass(frozen=True)
class CompletionEvent(Event):
    """Health of a CQ (CompletionCode)."""

    #: nanoseconds since the first notification (CQ_NOTIFIED), or since the first one that no poll
    #: has followed
    time_ns: int
    #: notifications; of CQ_STALLED and CQ_RECOVERED, those since the last poll
    notifications: int
    #: successful completions polled; of CQ_NOTIFIED since the previous record or the request for
    #: it, of CQ_STALLED in total, of CQ_RECOVERED 0
    completions: int
    #: failed completions polled; since when, as for completions
    failures: int
    #: first polls after a notification that found no completion; since when, as for completions
    empty_polls: int
    #: name of the ULP whose CQ it is
    owner: str


@slots
@dataclass(frozen=True)
class QpEvent(Event):
    """A QP was moved to another state, or destroyed, or could not be (QpCode)."""

    #: state of the QP before (enum ib_qp_state), of QP_FAILED the one in which it was found; the
    #: new state is in the event
    before: Optional[QpState]
    #: 0, or the negative errno of the request
    result: int
    #: number of the signal that ended the process, if one did
    signal: int
    #: name of the process or ULP that owns the QP
    owner: str
    #: user of the owner, if that is a process, in the user namespace of the reader; 65534 if it
    #: has none there
    uid: Optional[int]
    #: number of the owner's pid namespace, constant while the module is loaded, 0 for the initial
    #: one
    pid_ns: Optional[int]
    #: id of the cgroup (version 2) of the owner, the inode number of its directory in
    #: /sys/fs/cgroup
    cgroup: Optional[int]
    #: type of the QP (enum ib_qp_type)
    qp_type: Optional[QpType]
    #: kernel function that made the request, cut to 23 bytes; none for a system call of a program
    caller: Optional[str]
    #: process that made the request, in the pid namespace of the reader; none for a kernel thread,
    #: if unknown, or if it is not in that namespace, which in netlink is that of the process that
    #: sent the request, in a notification the initial one, with 0 outside of the initial network
    #: namespace
    caller_pid: int
    #: name of the thread that made the request
    caller_comm: str
    #: of a failed request, index of the port's own GID that it asked for
    gid_index: Optional[int]
    #: that GID; none if there was no such GID, or on kernels with PREEMPT_RT
    gid: Optional[IPv6Address]
    #: of a failed request, bytes of the path MTU that it asked for; 0 for a number that is none
    path_mtu: Optional[int]
    #: number of the QP at the other end of a connected QP; of a failed request, what it asked for
    peer_qpn: Optional[int]
    #: LID of the other end, if the connection is routed by LID; of a failed request, what it asked
    #: for
    peer_lid: Optional[int]
    #: GID of the other end, if the connection is routed by GID; of a failed request, what it asked
    #: for
    peer_gid: Optional[IPv6Address]
    #: with signal, whether the kernel sent it as memory ran out, of the host or of a cgroup
    flags: int


@slots
@dataclass(frozen=True)
class ObserverEvent(Event):
    """The observer was loaded or unloaded, or events have no record (ObserverCode)."""

    #: what the record is about
    facts: Observed
    #: nanoseconds; of OBSERVER_BLIND and OBSERVER_SEEING the time in which records may be missing,
    #: of OBSERVER_STOPPED since OBSERVER_STARTED, of OBSERVER_MISSED since the previous such
    #: record, of OBSERVER_SUPPRESSED, and of OBSERVER_MISSED about a user, since the first of the
    #: events or calls in count; else 0
    time_ns: int
    #: user whose processes the record is about (OBSERVER_SUPPRESSED, OBSERVER_MISSED), unless they
    #: are those of several users
    uid: Optional[int]


@slots
@dataclass(frozen=True)
class CmEvent(Refusal, Event):
    """A connection of rdma_cm was refused, failed or ended (CmCode)."""

    #: 0, a negative errno, or the reason of a rejection
    status: int
    #: address family of both addresses, AF_* of Linux (2 IPv4, 10 IPv6, 27 InfiniBand)
    family: Family
    #: enum rdma_ucm_port_space (262 TCP, 273 UDP, 2 IPoIB, 319 InfiniBand)
    port_space: PortSpace
    #: address of this end; of InfiniBand a GID
    local_addr: Union[IPv6Address, IPv4Address, None]
    #: port of this end, a number in the port space
    local_port: Optional[int]
    #: address of the other end; of InfiniBand a GID
    peer_addr: Union[IPv6Address, IPv4Address, None]
    #: port of the other end, a number in the port space
    peer_port: Optional[int]
    #: name of the process or ULP that owns the connection
    owner: str
    #: user of the owner, if that is a process, in the user namespace of the reader; 65534 if it
    #: has none there
    uid: Optional[int]
    #: number of the owner's pid namespace, constant while the module is loaded, 0 for the initial
    #: one
    pid_ns: Optional[int]
    #: id of the cgroup (version 2) of the owner, the inode number of its directory in
    #: /sys/fs/cgroup
    cgroup: Optional[int]
    #: type of the QP (enum ib_qp_type)
    qp_type: Optional[QpType]
    #: number of the QP at the other end of a connected QP
    peer_qpn: Optional[int]
    #: nanoseconds since the owner first had an address resolved, of a connection that was not
    #: established yet; else, and if that is unknown, 0
    connecting_ns: int


@slots
@dataclass(frozen=True)
class NoteEvent(Event):
    """A ULP reports what happened, in its own words (NoteCode)."""

    #: notes of the same ULP that were not recorded since its previous one
    suppressed: int
    #: name of the ULP
    owner: str
    #: what it reports, in its own words and printable ASCII: to show, not to compare
    text: str


@slots
@dataclass(frozen=True)
class ProbeEvent(Event):
    """A request of rdmaev_probe is late, lost or failed, or completes again (ProbeCode)."""

    #: nanoseconds since the request was posted (PROBE_LATE, PROBE_LOST), the call began
    #: (PROBE_STUCK), or the first record of trouble (PROBE_OK); else 0
    time_ns: int
    #: requests posted on the port so far, this one included
    sent: int
    #: number of the QP of the probe; if it has two, of the one that posts
    qp: int
    #: number of the CQ of the probe, if it has a QP
    cq: int
    #: how the port is probed
    method: ProbeMethod
    #: call that failed (PROBE_FAILED) or does not return (PROBE_STUCK)
    call: ProbeCall
    #: of PROBE_FAILED, the negative errno of the call, or the status of the completion that failed
    #: (enum ib_wc_status)
    error: int
    #: whether the completion is in the CQ (PROBE_LOST): then its notification was lost, and not
    #: the request
    flags: int


# Class of each kind, and its member of the body of a record
BODIES: Dict[Kind, Tuple[Type[Event], str]] = {
    Kind.ASYNC: (AsyncEvent, "async"),
    Kind.WC: (WcEvent, "wc"),
    Kind.COMPLETION: (CompletionEvent, "completion"),
    Kind.QP: (QpEvent, "qp"),
    Kind.OBSERVER: (ObserverEvent, "observer"),
    Kind.CM: (CmEvent, "cm"),
    Kind.NOTE: (NoteEvent, "note"),
    Kind.PROBE: (ProbeEvent, "probe"),
}

__all__ = [
    "ObjectEvent", "AsyncEvent", "WcEvent", "CompletionEvent", "QpEvent", "ObserverEvent",
    "CmEvent", "NoteEvent", "ProbeEvent"
]
