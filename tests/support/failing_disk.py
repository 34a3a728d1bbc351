"""A file system that shows a folder, and fails from its n-th operation on: a stick that is pulled out.

It is a server of FUSE, as the kernel speaks to it, in a process of its own: nothing of the program under
test is replaced. Needs root and /dev/fuse.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import stat
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LACKING = (
    "" if os.geteuid() == 0 and os.access("/dev/fuse", os.R_OK | os.W_OK) else "needs root and /dev/fuse"
)

_MS_NOSUID_NODEV = 2 | 4
_MNT_DETACH = 2
_LARGEST = 1 << 17
_IN, _OUT = struct.Struct("<IIQQIIII"), struct.Struct("<IiQ")
_ATTR, _ENTRY = struct.Struct("<QQQQQQIIIIIIIIII"), struct.Struct("<QQQQII")
_ROOT, _DIRECT_IO = 1, 1


class FailingDisk:
    """One that is mounted.

    Attributes:
        path: where.
    """

    def __init__(self, path: Path, server: subprocess.Popen[bytes]) -> None:
        self.path, self._server = path, server

    def fail_from(self, operation: int | None, error: int = errno.ENODEV) -> int:
        """Counts anew, and lets the operation of this number and all later ones fail; None for none.

        Returns:
            How many there were before.
        """
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(struct.pack("<QI", 1 << 62 if operation is None else operation, error))
        self._server.stdin.flush()
        return int.from_bytes(self._server.stdout.read(8), "little")


@contextmanager
def failing_disk(folder: Path, at: Path) -> Iterator[FailingDisk]:
    """Shows the folder at another place."""
    at.mkdir(exist_ok=True)
    command = [sys.executable, __file__, str(folder), str(at)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        try:
            disk = FailingDisk(at, server)
            disk.fail_from(None)  # it is mounted once it answers
            yield disk
        finally:
            server.kill()
            ctypes.CDLL(None).umount2(os.fsencode(at), _MNT_DETACH)


class _Server:
    """Answers the kernel; a node is a path, by its number."""

    def __init__(self, folder: str) -> None:
        self.paths, self.numbers = {_ROOT: folder}, {folder: _ROOT}
        self.files: dict[int, int] = {}
        self.done, self.fails_from, self.error = 0, 1 << 62, 0

    def answer(self, code: int, node: int, body: bytes) -> bytes | None:
        """The answer to an operation; None for one that wants none. Raises OSError."""
        match code:
            case 2 | 36 | 42:  # FORGET, INTERRUPT, BATCH_FORGET
                return None
            case 26:  # INIT
                major, minor, ahead, _ = struct.unpack_from("<IIII", body)
                return struct.pack(
                    "<IIIIHHIIHHI28x", major, min(minor, 31), ahead, 0, 9, 9, _LARGEST, 1, 32, 0, 0
                )
        self.done += 1
        if self.done >= self.fails_from:
            raise OSError(self.error, "")
        return self._do(code, self.paths[node], body)

    def _do(self, code: int, path: str, body: bytes) -> bytes:
        match code:
            case 1:  # LOOKUP
                return self._entry(self._child(path, body))
            case 3:  # GETATTR
                return bytes(16) + self._attr(path)
            case 4:  # SETATTR
                valid, size = struct.unpack_from("<I12xQ", body)
                if valid & 8:
                    os.truncate(path, size)
                return bytes(16) + self._attr(path)
            case 9:  # MKDIR
                child = self._child(path, body[8:])
                Path(child).mkdir()
                return self._entry(child)
            case 10:  # UNLINK
                Path(self._child(path, body)).unlink()
            case 11:  # RMDIR
                Path(self._child(path, body)).rmdir()
            case 12 | 45:  # RENAME, RENAME2
                names = body[8 if code == 12 else 16 :].split(b"\0")
                self._rename(
                    self._child(path, names[0]),
                    self._child(self.paths[struct.unpack_from("<Q", body)[0]], names[1]),
                )
            case 14 | 27:  # OPEN, OPENDIR
                return self._open(path, struct.unpack_from("<I", body)[0])
            case 15:  # READ
                file, offset, size = struct.unpack_from("<QQI", body)
                return os.pread(file, size, offset)
            case 16:  # WRITE
                file, offset, size = struct.unpack_from("<QQI", body)
                return struct.pack("<Ixxxx", os.pwrite(file, body[40 : 40 + size], offset))
            case 17:  # STATFS
                return struct.pack("<QQQQQIIII24x", 1 << 20, 1 << 20, 1 << 20, 99, 99, 4096, 255, 4096, 0)
            case 18 | 29:  # RELEASE, RELEASEDIR
                os.close(struct.unpack_from("<Q", body)[0])
            case 20 | 30:  # FSYNC, FSYNCDIR
                os.fsync(struct.unpack_from("<Q", body)[0])
            case 25 | 34 | 38:  # FLUSH, ACCESS, DESTROY
                pass
            case 28:  # READDIR
                file, offset, size = struct.unpack_from("<QQI", body)
                return self._listed(path, offset, size)
            case 35:  # CREATE
                flags, mode = struct.unpack_from("<II", body)
                child = self._child(path, body[16:])
                opened = self._open(child, flags | os.O_CREAT, mode)
                return self._entry(child) + opened
            case _:
                raise OSError(errno.ENOSYS, "")
        return b""

    def _child(self, path: str, name: bytes) -> str:
        return f"{path}/{os.fsdecode(name.split(bytes(1))[0])}"

    def _rename(self, before: str, after: str) -> None:
        Path(before).rename(after)
        for number, path in self.paths.items():
            if path == before or path.startswith(f"{before}/"):
                self.paths[number] = after + path[len(before) :]
        self.numbers = {path: number for number, path in self.paths.items()}

    def _open(self, path: str, flags: int, mode: int = 0) -> bytes:
        return struct.pack("<QIxxxx", os.open(path, flags & ~os.O_NOFOLLOW, mode), _DIRECT_IO)

    def _attr(self, path: str) -> bytes:
        found = os.lstat(path)
        times = int(found.st_atime), int(found.st_mtime), int(found.st_ctime), 0, 0, 0
        owner = found.st_mode, found.st_nlink, found.st_uid, found.st_gid
        return _ATTR.pack(found.st_ino, found.st_size, found.st_blocks, *times, *owner, 0, 4096, 0)

    def _entry(self, path: str) -> bytes:
        attr = self._attr(path)
        number = self.numbers.setdefault(path, len(self.paths) + 1)
        self.paths[number] = path
        return _ENTRY.pack(number, 0, 0, 0, 0, 0) + attr

    def _listed(self, path: str, offset: int, size: int) -> bytes:
        listed = b""
        for at, child in enumerate(sorted(Path(path).iterdir())[offset:], offset + 1):
            found, encoded = child.lstat(), os.fsencode(child.name)
            entry = (
                struct.pack("<QQII", found.st_ino, at, len(encoded), stat.S_IFMT(found.st_mode) >> 12)
                + encoded
            )
            entry += bytes(-len(entry) % 8)
            if len(listed) + len(entry) > size:
                break
            listed += entry
        return listed


def _main(folder: str, at: str) -> None:
    kernel, asked = os.open("/dev/fuse", os.O_RDWR), sys.stdin.fileno()
    options = f"fd={kernel},rootmode=40755,user_id=0,group_id=0,allow_other".encode()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"stick", os.fsencode(at), b"fuse", _MS_NOSUID_NODEV, options):
        raise OSError(ctypes.get_errno(), "mount")
    server = _Server(folder)
    while True:
        ready, _, _ = select.select([kernel, asked], [], [])
        if kernel in ready:
            request = os.read(kernel, _LARGEST + 4096)
            _, code, unique, node, *_ = _IN.unpack_from(request)
            try:
                answer, error = server.answer(code, node, request[_IN.size :]), 0
            except OSError as wrong:
                answer, error = b"", -(wrong.errno or errno.EIO)
            if answer is not None:
                os.write(kernel, _OUT.pack(_OUT.size + len(answer), error, unique) + answer)
        elif asked in ready:
            said = os.read(asked, 12)
            if not said:
                return
            os.write(sys.stdout.fileno(), server.done.to_bytes(8, "little"))
            server.fails_from, server.error = struct.unpack("<QI", said)
            server.done = 0


if __name__ == "__main__":
    _main(*sys.argv[1:])
