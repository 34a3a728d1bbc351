"""The page's files, as answers with careful headers."""

from collections.abc import Callable
from html import escape
from importlib.resources import files
from pathlib import PurePath
from string import Template

from websockets.datastructures import Headers
from websockets.http11 import Response

from shutthebox.simulator.page.http import HEADERS
from shutthebox.translations import translations

RECORDING_PATH = "/recording.scn"

_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""The types of the files served besides the page itself, by ending."""

_NOBODY = "'none'"

_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; manifest-src 'self'; "
    "connect-src 'self'{socket}; base-uri 'none'; form-action 'none'; frame-ancestors {framed_by}"
)


class PageFiles:
    """Answers requests for the page, its files, and the last recording.

    Args:
        language: returns the page's current language.
        recording: returns the last recorded scenario; empty if there's none.
        framed_by: the origin of the page that may show this one in a frame; None for none.
    """

    def __init__(
        self, language: Callable[[], str], recording: Callable[[], bytes], framed_by: str | None
    ) -> None:
        self._language, self._recording = language, recording
        self._framed_by = framed_by or _NOBODY
        folder = files("shutthebox.simulator") / "page"
        self._index = Template((folder / "index.html").read_text("utf-8"))
        self._files = {
            f"/{file.name}": (file.read_bytes(), _KINDS[ending])
            for file in folder.iterdir()
            if (ending := PurePath(file.name).suffix) in _KINDS
        }

    def answer(self, path: str, host: str) -> Response:
        """The file at a path, or 404.

        Args:
            path: without a query.
            host: the request's Host, where the page opens its socket.
        """
        if found := self._find(path):
            # 'self' only covers the socket in newer browsers.
            return _response(200, "OK", *found, socket=f" ws://{host}", framed_by=self._framed_by)
        return refusal(404, "Not Found", "There is nothing here but the box.\n")

    def _find(self, path: str) -> tuple[bytes, str] | None:
        """A file's content and type; None if there's no such file."""
        if path == "/":
            language = self._language()
            _ = translations()[language]
            needs_script = escape(_("The box needs JavaScript."))
            lost = escape(_("No connection to the box. Trying again…"))
            index = self._index.substitute(language=escape(language), needs_script=needs_script, lost=lost)
            return index.encode(), "text/html; charset=utf-8"
        if path == RECORDING_PATH:
            scenario = self._recording()
            return (scenario, "text/plain; charset=utf-8") if scenario else None
        return self._files.get(path)


def refusal(status: int, phrase: str, why: str) -> Response:
    """A refusal with its reason. It's in English, because only people who try something unusual see it."""
    return _response(status, phrase, why.encode(), "text/plain; charset=utf-8")


def _response(
    status: int, phrase: str, content: bytes, kind: str, *, socket: str = "", framed_by: str = _NOBODY
) -> Response:
    headers = Headers(HEADERS)
    # Where it names somebody, browsers pass over X-Frame-Options.
    headers["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY.format(socket=socket, framed_by=framed_by)
    headers["Content-Type"] = kind
    headers["Content-Length"] = str(len(content))
    headers["Connection"] = "close"
    return Response(status, phrase, headers, content)
