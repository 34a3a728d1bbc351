"""A connection to the league: one request at a time over HTTPS, kept open between requests.

It runs in a thread of its own, because looking up a name may take long. No answer can hurt: little of it is
read, within a limited time, and no redirect is followed.
"""

import http.client
import ssl
import threading
import urllib.request
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from queue import SimpleQueue
from socket import SHUT_RDWR
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from shutthebox.errors import one_line
from shutthebox.files import reason
from shutthebox_uplink.settings import Enrolment, SettingsError

MAX_BYTES = 64 * 1024
"""The most bytes of an answer that are read, besides its head, which the library bounds. A receipt has less
than 1,000."""

SILENT_S = 20.0
"""Seconds without a byte after which a connection is given up."""

WHOLE_S = 60.0
"""Seconds after which a request is given up, however slowly it still goes on."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer has come.

    Attributes:
        path: of the request.
        status: of HTTP.
        body: as far as it was read.
        wait_s: seconds that the server asks to wait; 0 if it doesn't.
    """

    path: str
    status: int
    body: bytes
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """There was no answer, for this reason; one line.

    Attributes:
        path: of the request.
        reason: why not.
        is_certificate: the server's certificate isn't valid, which time won't heal.
    """

    path: str
    reason: str
    is_certificate: bool = False


Result: TypeAlias = Answer | NoAnswer


class League:
    """The league's server.

    Args:
        enrolment: has its address, and the authority of its certificate.
        tell: called with each result, in the thread.
        silent_s: seconds without a byte after which a connection is given up.
        whole_s: seconds after which a request is given up.

    Raises:
        SettingsError: if the enrolment's authority can't be used.
    """

    def __init__(
        self,
        enrolment: Enrolment,
        tell: Callable[[Result], None],
        *,
        silent_s: float = SILENT_S,
        whole_s: float = WHOLE_S,
    ) -> None:
        self._url, self._tell = urlsplit(enrolment.url), tell
        self._silent_s, self._whole_s = silent_s, whole_s
        self._tls = _tls(enrolment) if self._url.scheme == "https" else None
        self._connection: http.client.HTTPConnection | None = None
        self._prefix, self._headers = self._url.path, dict[str, str]()
        self._requests: SimpleQueue[tuple[str, bytes] | None] = SimpleQueue()
        self._is_busy = False
        threading.Thread(target=self._run, name="league", daemon=True).start()

    @property
    def is_busy(self) -> bool:
        """Whether a request is under way."""
        return self._is_busy

    def post(self, path: str, body: bytes) -> None:
        """Sends a request. The one before must have had its result."""
        self._is_busy = True
        self._requests.put((path, body))

    def close(self) -> None:
        """Ends the connection, and a request that is under way. Never waits."""
        self._requests.put(None)
        self._hang_up()

    def _run(self) -> None:
        while (request := self._requests.get()) is not None:
            path, body = request
            timer = threading.Timer(self._whole_s, self._hang_up)
            timer.daemon = True
            timer.start()
            try:
                result: Result = self._send(path, body)
            except (OSError, http.client.HTTPException, ValueError) as error:
                self._close()
                is_certificate = isinstance(error, ssl.SSLCertVerificationError)
                result = NoAnswer(path, one_line(_reason(error)), is_certificate)
            finally:
                timer.cancel()
            self._is_busy = False
            self._tell(result)
        self._close()

    def _send(self, path: str, body: bytes) -> Answer:
        if (connection := self._connection) is not None and connection.sock is not None:
            with suppress(ConnectionError, http.client.RemoteDisconnected):
                return self._exchange(connection, path, body)
            # The server has closed it meanwhile; an entry may come twice.
            self._close()
        self._connection = connection = self._new_connection()
        return self._exchange(connection, path, body)

    def _exchange(self, connection: http.client.HTTPConnection, path: str, body: bytes) -> Answer:
        headers = {"Content-Type": "application/jose", **self._headers}
        connection.request("POST", self._prefix + path, body, headers)
        answer = connection.getresponse()
        found = answer.read(MAX_BYTES)
        if not answer.isclosed() and answer.read(1):
            self._close()  # whatever else it has to say
        return Answer(path, answer.status, found, _seconds(answer.headers))

    def _new_connection(self) -> http.client.HTTPConnection:
        """A connection, by way of the proxy that the environment names."""
        url, proxy = self._url, _proxy(self._url.scheme, self._url.netloc)
        host, port = url.hostname or "", url.port
        self._prefix, self._headers = url.path, {}
        if self._tls is not None:
            if proxy is None:
                return http.client.HTTPSConnection(host, port, timeout=self._silent_s, context=self._tls)
            connection = http.client.HTTPSConnection(
                proxy.host, proxy.port, timeout=self._silent_s, context=self._tls
            )
            connection.set_tunnel(host, port or 443, proxy.headers)
            return connection
        if proxy is None:
            return http.client.HTTPConnection(host, port, timeout=self._silent_s)
        self._prefix, self._headers = f"http://{url.netloc}{url.path}", proxy.headers
        return http.client.HTTPConnection(proxy.host, proxy.port, timeout=self._silent_s)

    def _hang_up(self) -> None:
        """Has the thread's reading or writing end."""
        connection = self._connection
        if connection is not None and (sock := connection.sock) is not None:
            with suppress(OSError):
                sock.shutdown(SHUT_RDWR)

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


@dataclass(frozen=True, slots=True)
class _Proxy:
    host: str
    port: int
    headers: dict[str, str]


def _proxy(scheme: str, netloc: str) -> _Proxy | None:
    found = urllib.request.getproxies().get(scheme)
    if not found or urllib.request.proxy_bypass(netloc):
        return None
    parts = urlsplit(found if "://" in found else f"http://{found}")
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError(f"{scheme}_proxy: use an address such as http://proxy.example:3128")
    headers = {}
    if parts.username is not None:
        known = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Proxy-Authorization"] = f"Basic {b64encode(known.encode()).decode()}"
    return _Proxy(parts.hostname, parts.port or 80, headers)


def _tls(enrolment: Enrolment) -> ssl.SSLContext:
    """TLS 1.2 or later, with the system's authorities or the enrolment's."""
    try:
        context = ssl.create_default_context(cafile=enrolment.ca)
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise SettingsError(f"league.ca: {enrolment.ca}: {why}; use a certificate as PEM") from None
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _seconds(headers: Message) -> float:
    """The seconds of `Retry-After`; 0 without any."""
    text = headers.get("Retry-After", "")
    return float(text) if text.isascii() and text.isdecimal() and len(text) < 7 else 0.0


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate isn't valid: {error.verify_message}"
    if isinstance(error, OSError) and not isinstance(error, ssl.SSLError | TimeoutError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
