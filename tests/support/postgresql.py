"""A real PostgreSQL server for tests, in a folder of its own and on a socket only."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest


class Postgresql:
    """A server. Skips the test where PostgreSQL is not installed.

    Args:
        fsync: whether it waits for the disk, as it does by default outside of tests.
    """

    def __init__(self, *, fsync: bool = False) -> None:
        self._fsync = "on" if fsync else "off"
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not programs:
            pytest.skip("NOT TESTED: the league on PostgreSQL, because it is not installed")
        # A short path, because that of a socket must not be longer than 107 bytes. And not in a folder of the
        # test, which only root may enter.
        self._folder = Path(tempfile.mkdtemp(prefix="league-pg-", dir="/tmp"))
        self._bin, self._data = programs[-1].parent, self._folder / "data"
        # As root PostgreSQL refuses to run; Debian's package brings this user.
        self._as = []
        if os.getuid() == 0:
            self._as = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
            shutil.chown(self._folder, "postgres")
        self._count, self._databases = 0, list[str]()
        self._run("initdb", "-D", self._data, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8")
        self.start()

    def start(self) -> None:
        """Starts it and waits until it takes connections."""
        options = (
            f"-c listen_addresses='' -c unix_socket_directories='{self._folder}'"
            f" -c max_connections=200 -c fsync={self._fsync}"
        )
        log = self._data.with_name("server.log")
        self._run("pg_ctl", "-D", self._data, "-l", log, "-w", "-o", options, "start")

    def archive(self) -> None:
        """Keeps its log, and makes the copy that the log goes on from."""
        self._run("/usr/bin/mkdir", self._folder / "log")
        self._set_as_documented("archive_mode = .*", "archive_command = .*")
        self._run("pg_ctl", "-D", self._data, "-m", "fast", "stop")
        self.start()
        copy = self._folder / "copy"
        self._run("pg_basebackup", "-h", self._folder, "-U", "postgres", "-D", copy, "-c", "fast")

    def lose_the_disk(self) -> None:
        """Crashes, and comes back from the copy and the log."""
        self.kill()
        shutil.rmtree(self._data)
        self._run("/usr/bin/cp", "-a", self._folder / "copy", self._data)
        self._set_as_documented("restore_command = [^`]*")
        self._run("/usr/bin/touch", self._data / "recovery.signal")
        self.start()

    def _set_as_documented(self, *settings: str) -> None:
        """Settings as docs/league.md gives them, with this folder in place of the other machine's disk."""
        page = Path("docs/league.md").read_text("utf-8")
        lines = [re.search(setting, page)[0] for setting in settings]  # type: ignore[index]
        with (self._data / "postgresql.conf").open("a") as config:
            config.writelines(f"{line}\n".replace("/mnt/league", str(self._folder)) for line in lines)

    def kill(self) -> None:
        """A crash: it has to recover at its next start."""
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "stop")

    def stop(self) -> None:
        """Stops it for ever."""
        self._run("pg_ctl", "-D", self._data, "-m", "fast", "stop")
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def pid(self) -> int:
        """Of its first process."""
        return int((self._data / "postmaster.pid").read_text().split()[0])

    def new_database(self) -> str:
        """Makes an empty database and returns its URL."""
        self._count += 1
        name = f"league{self._count}"
        self._run("createdb", "-h", self._folder, "-U", "postgres", name)
        self._databases.append(name)
        return f"postgresql://postgres@/{name}?host={self._folder}"

    def drop_databases(self) -> None:
        """Drops all that were made."""
        while self._databases:
            self._run("dropdb", "--force", "-h", self._folder, "-U", "postgres", self._databases.pop())

    def _run(self, program: str, *args: object) -> None:
        command = [*self._as, str(self._bin / program), *map(str, args)]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=120, check=False)
        assert done.returncode == 0, done.stderr + done.stdout
