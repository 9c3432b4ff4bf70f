# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""watch() and log(): events, one after the other."""
import asyncio
from collections import deque
from typing import Deque, Optional

from ._events import Event
from ._reader import Reader
from ._select import Chosen, Devices, Events, Names, Selection


def _set(future: "asyncio.Future[None]") -> None:
    """Also if it was cancelled, or is called again before its task runs."""
    if not future.done():
        future.set_result(None)


class EventStream:
    """Events, for `for` and `async for`; a context manager. Made by watch() and log().

    Not for two threads or tasks at the same time: each needs a stream of its own.
    """

    def __init__(self, reader: Reader, chosen: Chosen, since: Optional[int],
                 is_endless: bool) -> None:
        self.reader = reader
        self._chosen = chosen
        self._ready: Deque[Event] = deque()
        self._is_waiting = False
        reader.select(chosen)
        if since is not None:
            reader.seek(since)
        #: seq after which the stream ends; None: never
        self._last = None if is_endless else reader.info().newest_seq

    def close(self) -> None:
        """Close the reader; the stream has ended."""
        self.reader.close()

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _fill(self) -> bool:
        """Read what is there; False: nothing was."""
        events = self.reader.read()
        self._ready.extend(event for event in events if self._chosen.has(event))
        return bool(events)

    def _next(self) -> Optional[Event]:
        """The next event that is there; None: none yet, or the stream has ended."""
        while not self._ready and self._fill():
            pass
        if not self._ready or (self._last is not None and self._ready[0].seq > self._last):
            return None
        return self._ready.popleft()

    def __iter__(self) -> "EventStream":
        return self

    def __next__(self) -> Event:
        while True:
            event = self._next()
            if event:
                return event
            if self._last is not None:
                raise StopIteration
            self.reader.wait()

    def __aiter__(self) -> "EventStream":
        return self

    async def __anext__(self) -> Event:
        if self._is_waiting:
            raise RuntimeError("another task waits for this stream: use one for each task")
        if not self._ready:
            # Other tasks run between two batches, whatever comes in
            await asyncio.sleep(0)
        while True:
            event = self._next()
            if event:
                return event
            if self._last is not None:
                raise StopAsyncIteration
            await self._readable()

    async def _readable(self) -> None:
        """Nothing is taken from the log before this returns, so it can be cancelled."""
        loop = asyncio.get_running_loop()
        readable: "asyncio.Future[None]" = loop.create_future()
        fd = self.reader.fileno()
        self._is_waiting = True
        loop.add_reader(fd, _set, readable)
        try:
            await readable
        finally:
            self._is_waiting = False
            loop.remove_reader(fd)


def _stream(selection: Selection, since: Optional[int], path: Optional[str], netlink: bool,
            is_endless: bool) -> EventStream:
    chosen = Chosen(selection)
    reader = Reader(path, netlink)
    try:
        return EventStream(reader, chosen, since, is_endless)
    except BaseException:
        reader.close()
        raise


def watch(devices: Optional[Devices] = None, severity: Optional[Names] = None,
          kinds: Optional[Names] = None, events: Optional[Events] = None, *,
          qp: Optional[int] = None, pid: Optional[int] = None, uid: Optional[int] = None,
          cgroup: Optional[int] = None, since: Optional[int] = None,
          path: Optional[str] = None, netlink: bool = False) -> EventStream:
    """Events as they happen, without an end.

    devices: "mlx5_0", "mlx5_*", "mlx5_0/1" for a port, or several, 16 at most; they need not be
    there yet. severity, kinds: names or members of Severity and Kind. events: names or patterns
    such as "PORT_*", or members of AsyncCode, PortCode and so on. qp, pid, uid, cgroup: a number, the
    last three of the owner. An event has to pass all of them, a LostEvent none. since: first the events that are still kept from this
    seq on, 0 for all. path, netlink: see Reader.

        for event in rdmaev.watch(devices=["mlx5_*"], severity="error"):
            print(event)
    """
    selection = Selection(devices, severity, kinds, events, qp, pid, uid, cgroup)
    return _stream(selection, since, path, netlink, True)


def log(devices: Optional[Devices] = None, severity: Optional[Names] = None,
        kinds: Optional[Names] = None, events: Optional[Events] = None, *,
        qp: Optional[int] = None, pid: Optional[int] = None, uid: Optional[int] = None,
        cgroup: Optional[int] = None, since: int = 0, path: Optional[str] = None,
        netlink: bool = False) -> EventStream:
    """The events that are still kept, up to the newest one now. Arguments as of watch().

    since: from this seq on. If it is no longer kept, a LostEvent comes first. With the path of a
    recording, its events:

        for event in rdmaev.log(path="/var/log/rdmaev.rec"):
            print(event)
    """
    selection = Selection(devices, severity, kinds, events, qp, pid, uid, cgroup)
    return _stream(selection, since, path, netlink, False)
