# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What happens on the RDMA devices of this host, by librdmaev.

    import rdmaev

    for event in rdmaev.watch(devices=["mlx5_*"], severity="error"):
        print(event, event.advice)

    async for event in rdmaev.watch():
        ...

    for port in rdmaev.status():
        print(port.name, port.port.state)

Events are frozen dataclasses, one class for each kind (PortEvent, WcEvent, ...), with the names
and numbers of the library's headers as enums. A number of a later kernel is kept, with a name made
of it, and a kind of a later kernel is an Event. A reader that falls behind gets a LostEvent with
the exact number of lost events.

Errors are Error, an OSError, with errno and the remedy: NotLoadedError, AccessError, HungUpError.
A name or number that cannot be is a ValueError.

Nothing is kept between calls: each of watch(), log(), status(), counters(), cqs() and qps() opens
a reader of its own; Reader has all calls. Threads may share a Reader, not an EventStream; neither
can be used in a child after fork(). Ctrl-C ends a call that waits in the main thread.

rdmaev(4) describes the records, librdmaev(3) the library, rdmaev(8) the command.
`python3 -m rdmaev` prints events.
"""
from typing import List

from . import _abi, _bodies
from ._abi import *
from ._abi import VERSION as __version__
from ._bodies import *
from ._events import DeviceEvent, Event, LostEvent, PortEvent, UnknownCode
from ._library import AccessError, Error, HungUpError, NotLoadedError
from ._lists import Counter, Cq, Device, Info, Observer, Port, PortStatus, Qp
from ._reader import Reader
from ._select import Chosen, Selection
from ._watch import EventStream, log, watch

__all__ = [
    "AccessError", "Chosen", "Counter", "Cq", "Device", "DeviceEvent", "Error", "Event",
    "EventStream", "HungUpError", "Info", "LostEvent", "NotLoadedError", "Observer", "Port",
    "PortEvent", "PortStatus", "Qp", "Reader", "Selection", "UnknownCode", "__version__",
    "counters", "cqs", "log", "qps", "status", "watch"
]
__all__ += _abi.__all__
__all__ += _bodies.__all__


def status(netlink: bool = False) -> List[PortStatus]:
    """Each port with its device, see Reader.status()."""
    with Reader(netlink=netlink) as reader:
        return reader.status()


def counters(removed: bool = False, netlink: bool = False) -> List[Counter]:
    """Counters of all devices and ports that are not 0, see Reader.counters()."""
    with Reader(netlink=netlink) as reader:
        return reader.counters(removed=removed)


def cqs(sums: bool = False, netlink: bool = False) -> List[Cq]:
    """CQs that this process may see, see Reader.cqs()."""
    with Reader(netlink=netlink) as reader:
        return reader.cqs(sums=sums)


def qps(netlink: bool = False) -> List[Qp]:
    """QPs that the observer knows, and this process may see, see Reader.qps()."""
    with Reader(netlink=netlink) as reader:
        return reader.qps()
