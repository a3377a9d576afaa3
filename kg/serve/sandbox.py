"""What a worker may not do: reach the network, start a program, write a file, or take more memory than it is given.

A query is refused before it runs when it asks for such a thing; this holds should that ever fail. The network and
programs are closed on Linux (seccomp, x86-64 and arm64); the limits hold wherever the system keeps them.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from dataclasses import dataclass

__all__ = ["close_network", "end_with", "limit_memory"]

_SET_NO_NEW_PRIVILEGES, _SET_SECCOMP = 38, 22
_FILTER_MODE = 2
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES
_LOAD, _EQUALS, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_IO_URING_SETUP = 425
_FOREIGN = 0x40000000
"""Where the numbers of x32 begin, another way into the same system calls."""


@dataclass(frozen=True, slots=True)
class _Machine:
    """What seccomp calls a machine, and its numbers of the system calls that are refused."""

    architecture: int
    refused: tuple[int, ...]


_MACHINES = {
    "x86_64": _Machine(0xC000003E, (41, 42, 59, 322, _IO_URING_SETUP)),
    "aarch64": _Machine(0xC00000B7, (198, 203, 221, 281, _IO_URING_SETUP)),
}
"""By name: socket, connect, execve, execveat, io_uring_setup."""


def close_network() -> bool:
    """Takes from this process, for good, sockets and the start of programs; whether the system let it."""
    machine = _MACHINES.get(platform.machine())
    if sys.platform != "linux" or machine is None or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    program = _program(machine)
    code = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code)))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    if prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    return bool(prctl(_SET_SECCOMP, _FILTER_MODE, ctypes.addressof(header), 0, 0) == 0)


def _program(machine: _Machine) -> bytes:
    """The filter as BPF: refuse another architecture, x32 and the listed calls; allow the rest."""
    checks = [(_AT_LEAST, _FOREIGN), *((_EQUALS, number) for number in machine.refused)]
    last = len(checks)
    lines = [
        (_LOAD, 0, 0, 4),
        (_EQUALS, 0, last + 2, machine.architecture),
        (_LOAD, 0, 0, 0),
        *((kind, last - index, 0, value) for index, (kind, value) in enumerate(checks)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(struct.pack("HBBI", *line) for line in lines)


def end_with(pipe: int, on: bool) -> None:
    """While `on`, ends this process as soon as nobody holds the other end of the pipe, whatever it is doing.

    The system then sends SIGIO, which ends a process that does not expect it. It does so, too, when something can
    be read from the pipe.
    """
    if sys.platform == "win32":
        return
    import fcntl

    flags = fcntl.fcntl(pipe, fcntl.F_GETFL)
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETFL, flags | os.O_ASYNC if on else flags & ~os.O_ASYNC)


def limit_memory(more: int) -> None:
    """Lets this process take `more` bytes beyond what it has now, write no file and leave no core dump."""
    if sys.platform == "win32":
        return
    import resource

    limits = [(resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)]
    if sys.platform == "linux":
        limits.append((resource.RLIMIT_AS, _address_space() + more))
    for kind, value in limits:
        resource.setrlimit(kind, (value, value))


def _address_space() -> int:
    import resource
    from pathlib import Path

    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
