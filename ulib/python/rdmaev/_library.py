# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The shared library: its functions, and what their errors mean."""
import ctypes
import errno
import os
from typing import Any, Dict, Tuple, Type

from . import _abi


class Error(OSError):
    """A call of librdmaev failed. errno is that of the library; the text has the remedy."""


class NotLoadedError(Error, FileNotFoundError):
    """The kernel module rdmaev is not loaded."""


class HungUpError(Error):
    """The reader was hung up (rdmaev release), or the module was unloaded. Open another one."""


class AccessError(Error, PermissionError):
    """This process may not do that."""


# What to do, by call and errno; calls without an entry have the one of ""
_REMEDIES: Dict[Tuple[str, int], Tuple[Type[Error], str]] = {
    ("open", errno.ENOENT): (NotLoadedError, "the module is not loaded: modprobe rdmaev"),
    ("open", errno.ENODEV): (NotLoadedError, "the module is not loaded: modprobe rdmaev"),
    ("open", errno.ENXIO): (NotLoadedError, "the module is not loaded: modprobe rdmaev"),
    ("open", errno.EACCES): (AccessError, "the mode of the node was changed: chmod 444 it"),
    ("open", errno.ENOTSUP): (Error, "not an rdmaev node, or of another version than the "
                              "library: install module and library of the same version"),
    ("open", errno.EMFILE): (Error, "too many open files: close readers, or raise ulimit -n"),
    ("seek", errno.EINVAL): (Error, "before the first record: seek to 0 for the oldest kept"),
    ("seek", errno.ENXIO): (Error, "past the end of the log: it is of an earlier load of the "
                            "module, see Info.instance; seek to 0"),
    ("notify", errno.ENOENT): (Error, "no such CQ among those that this process may see"),
    ("notify", errno.EBUSY): (Error, "notifications of this CQ are recorded for another reader"),
    ("notify", errno.EOPNOTSUPP): (Error, "ib_core or a process polls this CQ, or the "
                                   "reader uses netlink: use the node"),
    ("", errno.ENODEV): (HungUpError, "no such device; or the module is being unloaded: open "
                         "another reader"),
    ("", errno.EACCES): (AccessError, "needs CAP_NET_ADMIN"),
    ("", errno.EPERM): (AccessError, "needs CAP_NET_ADMIN"),
}


def failed(call: str, what: str) -> Error:
    """The exception for the errno of the library: what failed, why, and the remedy."""
    number = ctypes.get_errno()
    general: Tuple[Type[Error], str] = (Error, os.strerror(number))
    kind, text = _REMEDIES.get((call, number)) or _REMEDIES.get(("", number)) or general
    return kind(number, f"cannot {call} {what}: {text}")


def _load() -> Any:
    try:
        library = ctypes.CDLL(_abi.SONAME, use_errno=True)
        for name, (result, arguments) in _abi.PROTOTYPES.items():
            function = getattr(library, name)
            function.restype = result
            function.argtypes = arguments
    except (OSError, AttributeError) as error:
        raise ImportError(f"{error}: install librdmaev of version {_abi.VERSION}, and run "
                          "ldconfig, or name its folder in LD_LIBRARY_PATH") from error
    return library


library: Any = _load()


def text_of(name: bytes) -> str:
    """A name of the kernel. Bytes that are not UTF-8 are kept, as in names of files."""
    return os.fsdecode(name)


def optional_text(name: Any) -> Any:
    """A constant string of the library; None if it knows none."""
    return None if name is None else text_of(name)
