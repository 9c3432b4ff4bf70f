# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A handle of the library that threads can share, and that is closed once."""
import os
import threading
import weakref
from typing import Any

from ._library import library


class _State:
    """Apart from the handle, so that it can be closed when nothing refers to that."""

    def __init__(self, pointer: int) -> None:
        self.pointer = pointer
        self.lock = threading.Lock()
        self.users = 0
        self.is_closed = False
        self.pid = os.getpid()

    def close(self) -> None:
        """Close it now, or when the last call that uses it returns."""
        if self.pid != os.getpid():
            # After fork() there is no other thread, also if one had the lock or waited
            self.lock, self.users = threading.Lock(), 0
        with self.lock:
            is_last = not self.is_closed and not self.users
            self.is_closed = True
        if is_last:
            library.rdmaev_close(self.pointer)


class Handle:
    """with handle as pointer: call the library."""

    def __init__(self, pointer: int) -> None:
        self._state = _State(pointer)
        self._finalizer = weakref.finalize(self, self._state.close)

    def close(self) -> None:
        """Close it; again does nothing."""
        self._finalizer()

    def __enter__(self) -> Any:
        state = self._state
        if state.pid != os.getpid():
            raise ValueError("this reader was opened before fork(): open one in this process")
        with state.lock:
            if state.is_closed:
                raise ValueError("this reader is closed: open another one")
            state.users += 1
        return state.pointer

    def __exit__(self, *exception: object) -> None:
        state = self._state
        with state.lock:
            state.users -= 1
            is_last = state.is_closed and not state.users
        if is_last:
            library.rdmaev_close(state.pointer)
