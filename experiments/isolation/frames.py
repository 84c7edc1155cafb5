"""Messages over a stream socket: eight bytes of length, little-endian, then the message."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from typing import Final

_LENGTH: Final = struct.Struct("<Q")
MOST: Final = 2**32  # bytes of a message


def send(stream: socket.socket, message: bytes) -> None:
    """Send one message.

    Raises:
        OSError: if the other end is gone, or does not read within the socket's timeout.
    """
    stream.sendall(_LENGTH.pack(len(message)) + message)


def receive(stream: socket.socket, wait: Callable[[], float] | None = None) -> bytes:
    """The next message.

    Args:
        stream: where it comes from.
        wait: called before each wait: how many seconds may pass until it is called again; what it
            raises ends the waiting. None: as long as the socket allows.

    Raises:
        EOFError: if the other end is gone.
        OSError: for a message that is too long, or what the socket raises.
    """
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size, wait))
    if length > MOST:
        raise OSError(f"a message of {length} bytes: at most {MOST} are allowed")
    return _exactly(stream, length, wait)


def _exactly(stream: socket.socket, count: int, wait: Callable[[], float] | None) -> bytes:
    data = bytearray()
    while len(data) < count:
        if wait is not None:
            stream.settimeout(wait())
        try:
            part = stream.recv(min(count - len(data), 2**20))
        except TimeoutError:
            if wait is None:
                raise
            continue
        if not part:
            raise EOFError("the other end is gone")
        data += part
    return bytes(data)
