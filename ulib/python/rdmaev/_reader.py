# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A reader: the calls of librdmaev."""
import ctypes
import errno
import os
import time
from typing import Any, Callable, List, Optional, Tuple, Type, TypeVar

from . import _abi
from ._abi import rdmaev_record
from ._decode import event_of
from ._events import Event
from ._handle import Handle
from ._library import failed, library
from ._lists import Counter, Cq, Device, Info, Port, PortStatus, Qp, entry_of
from ._select import Chosen
from ._values import values

L = TypeVar("L")

_BATCH = 256
_TRIES = 8


class Reader:
    """A position in the log, which starts at its end. A context manager.

    path: another node than /dev/infiniband/rdmaev, or a recording (rdmaev record), whose reader
    starts at its first record and does not wait at its end: wait() fails with ENODATA, or with
    EBADMSG if the file is cut there. netlink: use generic netlink, as is done
    without a node, in a container for example.

    Threads may share a reader: each event goes to one of them. A reader that was opened before
    fork() cannot be used in the child. close() lets calls of other threads finish; it does not
    wake a thread that waits.
    """

    def __init__(self, path: Optional[str] = None, netlink: bool = False) -> None:
        flags = _abi.NONBLOCK | (_abi.NETLINK if netlink else 0)
        pointer = library.rdmaev_open(None if path is None else os.fsencode(path), flags)
        if not pointer:
            raise failed("open", path or ("generic netlink" if netlink else "the log"))
        self._handle = Handle(pointer)

    def close(self) -> None:
        """Close the reader; again does nothing."""
        self._handle.close()

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def fileno(self) -> int:
        """Descriptor to wait for in select, poll and event loops; only for that."""
        return self._call("get", "the descriptor", library.rdmaev_fd)

    def _call(self, call: str, what: str, function: Callable[..., Any], *arguments: Any) -> int:
        with self._handle as handle:
            result: int = function(handle, *arguments)
        if result < 0:
            raise failed(call, what)
        return result

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Wait until there is something to read, at most timeout seconds; False: nothing.

        Signals are handled meanwhile: Ctrl-C raises KeyboardInterrupt in the main thread.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = -1 if end is None else max(0, int((end - time.monotonic()) * 1e9))
            with self._handle as handle:
                result = library.rdmaev_wait(handle, left)
            if result >= 0:
                return bool(result)
            if ctypes.get_errno() != errno.EINTR:
                raise failed("wait for", "events")

    def read(self, count: int = _BATCH) -> List[Event]:
        """Up to count events that are there, without waiting; none, as at the end of a
        recording: [].
        """
        records = (rdmaev_record * max(1, count))()
        while True:
            with self._handle as handle:
                got = library.rdmaev_read(handle, records, len(records))
            if got >= 0:
                return [event_of(records[i]) for i in range(got)]
            if ctypes.get_errno() in (errno.EAGAIN, errno.ENODATA, errno.EBADMSG):
                return []
            if ctypes.get_errno() != errno.EINTR:
                raise failed("read", "events")

    def select(self, chosen: Chosen) -> None:
        """Set the kernel's filter: other events do not wake the reader."""
        self._call("set", "the filter", library.rdmaev_set_filter, chosen.filter)

    def set_wakeup(self, watermark: int, delay_us: int = 0) -> None:
        """Be woken by watermark records, or delay_us microseconds after the first one."""
        self._call("set", "the wake-up", library.rdmaev_set_wakeup, watermark, delay_us)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a seq (0: the oldest kept), or with SEEK_END to the last -offset records.

        Returns the seq of the next record.
        """
        return self._call("seek", f"to {offset}", library.rdmaev_seek, offset, whence)

    def info(self) -> Info:
        """State of the log and position of this reader."""
        info = _abi.rdmaev_info()
        self._call("read", "the state of the log", library.rdmaev_info_sized, info,
                   ctypes.sizeof(info))
        return Info(**values(Info, info))

    def _list(self, cls: Type[L], entry: Any, ask: Callable[..., Any]) -> Tuple[List[L], int]:
        """All entries, and the seq that they are true of."""
        room, seq = 64, ctypes.c_uint64()
        while True:
            entries = (entry * room)()
            there = self._call("list", f"the {cls.__name__.lower()}s", ask, entries,
                               ctypes.sizeof(entry), room, seq)
            if there <= room:
                return [entry_of(cls, entries[i]) for i in range(there)], seq.value
            room = there + 16

    def _devices(self, removed: bool) -> Tuple[List[Device], int]:
        flags = _abi.DEVICES_REMOVED if removed else 0
        return self._list(Device, _abi.rdmaev_device, lambda handle, entries, size, room, seq:
                          library.rdmaev_devices_sized(handle, entries, size, room, flags, seq))

    def _ports(self, removed: bool) -> Tuple[List[Port], int]:
        flags = _abi.PORTS_REMOVED if removed else 0
        return self._list(Port, _abi.rdmaev_port, lambda handle, *rest:
                          library.rdmaev_ports_sized(handle, _abi.ANY, flags, *rest))

    def devices(self, removed: bool = False) -> List[Device]:
        """The devices; removed: those that were removed, too, first."""
        return self._devices(removed)[0]

    def ports(self, removed: bool = False) -> List[Port]:
        """The ports, as the last query of the module found them."""
        return self._ports(removed)[0]

    def status(self) -> List[PortStatus]:
        """Each port with its device: state, rate, address and outages.

        Facts, not a verdict, see PortStatus. Apply newer events to it to get the state at any
        later time.
        """
        for _ in range(_TRIES):
            devices, devices_seq = self._devices(False)
            ports, ports_seq = self._ports(False)
            if devices_seq == ports_seq:
                break
        # Something happens all the time: what is older than this is in both
        seq = min(devices_seq, ports_seq)
        by_generation = {device.generation: device for device in devices}
        return [PortStatus(by_generation[port.generation], port, seq) for port in ports
                if port.generation in by_generation]

    def counters(self, device: int = _abi.ANY, port: int = _abi.ANY,
                 removed: bool = False) -> List[Counter]:
        """Counters that are not 0, of a device (its index) or port, or of all."""
        flags = _abi.COUNTERS_REMOVED if removed else 0
        return self._list(Counter, _abi.rdmaev_counter, lambda handle, *rest:
                          library.rdmaev_counters_sized(handle, device, port, flags, *rest))[0]

    def cqs(self, device: int = _abi.ANY, sums: bool = False) -> List[Cq]:
        """CQs, of a device (its index) or of all; sums: one sum for each device instead."""
        flags = _abi.CQS_SUMS if sums else 0
        return self._list(Cq, _abi.rdmaev_cq_stats, lambda handle, *rest:
                          library.rdmaev_cqs_sized(handle, device, flags, 0, *rest))[0]

    def qps(self, device: int = _abi.ANY) -> List[Qp]:
        """QPs that the observer knows, on a device (its index) or on all."""
        return self._list(Qp, _abi.rdmaev_qp, lambda handle, *rest:
                          library.rdmaev_qps_sized(handle, device, 0, 0, *rest))[0]

    def notify(self, device: int, cq: int, every: int, delay_us: int = 0) -> None:
        """Have the completion notifications of a CQ recorded until this reader is closed.

        device: its index. every: an event for so many notifications; 0: stop. delay_us: or this
        many microseconds after the first.
        """
        self._call("notify", f"CQ {cq}", library.rdmaev_notify, device, cq, every, delay_us)
