"""The bill of materials of the box in a tab: each of its parts, its version and its licence, as CycloneDX."""

from importlib import metadata
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]

CORE_PARTS = (
    ("CPython", "3.14.2", "Python-2.0.1", "https://github.com/python/cpython"),
    ("Emscripten", "5.0.3", "MIT", "https://github.com/emscripten-core/emscripten"),
    ("musl", None, "MIT", "https://git.musl-libc.org/cgit/musl"),
    (
        "LLVM runtime libraries",
        None,
        "Apache-2.0 WITH LLVM-exception",
        "https://github.com/llvm/llvm-project",
    ),
    ("SQLite", "3.39.0", "blessing", "https://www.sqlite.org/src"),
    ("zlib", "1.3.1", "Zlib", "https://github.com/madler/zlib"),
    ("bzip2", "1.0.6", "bzip2-1.0.6", "https://sourceware.org/git/bzip2.git"),
    ("liblzma", None, "0BSD", "https://github.com/tukaani-project/xz"),
    ("zstd", "1.5.7", "BSD-3-Clause", "https://github.com/facebook/zstd"),
    ("LZ4", None, "BSD-2-Clause", "https://github.com/lz4/lz4"),
    ("Expat", "2.7.3", "MIT", "https://github.com/libexpat/libexpat"),
    ("libmpdec", "2.5.1", "BSD-2-Clause", "https://www.bytereef.org/mpdecimal"),
    ("libffi", None, "MIT", "https://github.com/libffi/libffi"),
    ("hiwire", None, "MPL-2.0", "https://github.com/pyodide/hiwire"),
)
"""Name, version, licence and source of each part of Pyodide's core; no version where it tells none."""


def sbom(pyodide: str, digest: str, libraries: tuple[str, ...], version: str) -> dict[str, Any]:
    """The document; the same for the same parts, because it names no time.

    Args:
        pyodide: version of Pyodide.
        digest: SHA-512 of its npm package.
        libraries: Python distributions beside the box, as they are installed here.
        version: of the box.
    """
    ours = _component("shutthebox", version, "MIT", text=(PROJECT / "LICENSE").read_text("utf-8"))
    core = _component(
        "pyodide", pyodide, "MPL-2.0", "https://github.com/pyodide/pyodide", purl=f"pkg:npm/pyodide@{pyodide}"
    ) | {"hashes": [{"alg": "SHA-512", "content": digest}]}
    core["components"] = [_component(*part) for part in CORE_PARTS]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": ours | {"type": "application"}},
        "components": [core, *map(_installed, libraries), _font()],
    }


def _installed(name: str) -> dict[str, Any]:
    found = metadata.distribution(name)
    licence = found.metadata["License-Expression"] or found.metadata["License"]
    (text,) = (file.read_text("utf-8") for file in found.files or () if file.name.startswith("LICENSE."))
    urls = dict(line.split(", ", 1) for line in found.metadata.get_all("Project-URL", []))
    purl = f"pkg:pypi/{name}@{found.version}"
    return _component(name, found.version, licence, urls["Source Code"], text, purl)


def _font() -> dict[str, Any]:
    """The font of the panel, with its licence, as a component."""
    folder = PROJECT / "firmware/shutthebox/adapters/display/spleen"
    text = (folder / "LICENSE").read_text("utf-8")
    return _component("Spleen", None, "BSD-2-Clause", "https://github.com/fcambus/spleen", text)


def _component(
    name: str,
    version: str | None,
    licence: str,
    source: str | None = None,
    text: str | None = None,
    purl: str | None = None,
) -> dict[str, Any]:
    by_id: dict[str, Any] = {"license": {"id": licence}}
    if text is not None:
        by_id["license"]["text"] = {"contentType": "text/plain", "content": text}
    component = {
        "type": "library",
        "name": name,
        "version": version,
        "licenses": [{"expression": licence} if " " in licence else by_id],
        "purl": purl,
        "externalReferences": [{"type": "vcs", "url": source}] if source else None,
    }
    return {key: value for key, value in component.items() if value is not None}
