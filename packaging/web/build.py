"""Builds the box in a tab, for any server of static files: build/web/, and build/shutthebox-web.zip of it.

Needs node and npm, which fetches Pyodide: CPython for browsers. Its parts are taken as they are, but for
the modules of the standard library that the box does not use. What is in it stands in sbom.cdx.json, with the
licences. Building a commit again gives the same bytes.
"""

import gzip
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from html import escape
from importlib import metadata
from io import BytesIO
from pathlib import Path
from string import Template

from sbom import sbom

from shutthebox import __version__
from shutthebox.simulator.page.texts import tab_texts
from shutthebox.translations import ENGLISH, translations

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
PACKAGE = PROJECT / "firmware/shutthebox"
PAGE = PACKAGE / "simulator/page"

PYODIDE = "314.0.7"
PYODIDE_SHA512 = (
    "d18bd7c4485f11da4b7dbfd790cd8114078c44eab488c517d9bcf31fda4eb6dc"
    "8c716930abe1db139bb2b860fcd8b37bcb6abe48dbe2ffa579244b0e943d91d4"
)
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")
LIBRARIES = ("gpiozero", "colorzero")

UNUSED = re.compile(
    r"^(_pyrepl|asyncio/(__main__|tools|windows_events|windows_utils|proactor_events)|_pyio|_pydatetime|_pylong|uuid|concurrent/interpreters|ctypes/(macholib|util)|curses|dbm|email/mime|"
    r"ensurepip|idlelib|lib2to3|multiprocessing|pydoc|pydoc_data|test|tkinter|turtle|turtledemo|unittest|venv|"
    r"webbrowser|wsgiref|xml|xmlrpc|zoneinfo/_tz|"
    r"antigravity|bdb|cProfile|cgi|cmd|code|doctest|ftplib|http/(server|cookiejar|cookies)|imaplib|"
    r"mailbox|mimetypes|modulefinder|netrc|nntplib|optparse|pdb|pickletools|plistlib|poplib|profile|profiling|"
    r"pstats|pyclbr|smtplib|socketserver|sqlite3/__main__|tarfile|this|timeit|trace|tracemalloc)"
    r"(/|\.py)|^encodings/(?!(__init__|aliases|ascii|cp437|idna|latin_1|raw_unicode_escape|unicode_escape|"
    r"utf_8|utf_8_sig)\.py)"
)
"""Of the standard library, what neither the box nor Pyodide's start imports; `tests/box/tab` does without."""

MAX_BYTES = 7_000_000
"""When compressed, over the wire."""


def main() -> int:
    """Builds the page; returns 2 if node or npm is missing, 1 for any other fault."""
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            print(
                f"make web: {tool} not found: on Debian and Raspberry Pi OS, run sudo apt install npm",
                file=sys.stderr,
            )
            return 2
    parts, done = PROJECT / "build/web-parts", PROJECT / "build/web"
    # Another make beside this one finds the page whole or not at all.
    to = done.with_suffix(".part")
    shutil.rmtree(to, ignore_errors=True)
    (to / "pyodide").mkdir(parents=True)
    try:
        core = fetch_pyodide(parts)
    except subprocess.CalledProcessError:
        print(f"make web: npm can't download pyodide {PYODIDE}; check the network", file=sys.stderr)
        return 1
    for name in CORE:
        shutil.copyfile(core / name, to / "pyodide" / name)
    write_library(core / "python_stdlib.zip", to / "pyodide/python_stdlib.zip")
    sources = parts / "sources.zip"
    write_sources(sources)
    subprocess.run(
        ["node", str(HERE / "compile.mjs"), str(core), str(sources), str(to / "box.zip")], check=True
    )
    write_page(to)
    bill = sbom(PYODIDE, PYODIDE_SHA512, LIBRARIES, __version__)
    (to / "sbom.cdx.json").write_text(json.dumps(bill, indent=1) + "\n", "utf-8")
    packed = sum(len(gzip.compress(path.read_bytes())) for path in to.rglob("*") if path.is_file())
    if packed > MAX_BYTES:
        print(f"make web: {packed:,} bytes compressed; at most {MAX_BYTES:,} are allowed", file=sys.stderr)
        return 1
    write_archive(to, PROJECT / "build/shutthebox-web.zip")
    ours = count_own_bytes(to)
    shutil.rmtree(done, ignore_errors=True)
    to.rename(done)
    print(f"{done}/index.html: {packed / 1e6:.1f} MB over the wire, {ours / 1e6:.2f} MB of them ours")
    return 0


def fetch_pyodide(parts: Path) -> Path:
    """The folder of Pyodide's npm package, fetched once.

    Raises:
        RuntimeError: if its hash isn't the known one.
    """
    folder = parts / f"pyodide-{PYODIDE}"
    if not folder.is_dir():
        parts.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["npm", "pack", "--silent", "--fetch-retries=1", "--fetch-timeout=60000", f"pyodide@{PYODIDE}"],
            cwd=parts,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        packed = (parts / f"pyodide-{PYODIDE}.tgz").read_bytes()
        if hashlib.sha512(packed).hexdigest() != PYODIDE_SHA512:
            raise RuntimeError(f"pyodide {PYODIDE}: the download doesn't have the known hash")
        with tarfile.open(fileobj=BytesIO(packed)) as tar:
            tar.extractall(parts / "unpacked", filter="data")
        (parts / "unpacked/package").rename(folder)
    return folder


def write_library(whole: Path, to: Path) -> None:
    """The standard library without what is not used."""
    with (
        zipfile.ZipFile(whole) as library,
        zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made,
    ):
        for entry in library.infolist():
            if not UNUSED.match(entry.filename):
                made.writestr(entry, library.read(entry), zipfile.ZIP_DEFLATED, 9)


def write_sources(to: Path) -> None:
    """Our package without what a browser has no use for, and the libraries of the simulated pins."""
    unused = re.compile(
        r"cli/|engine/|odds/terminal/(estimate|head_start|policies)\.py|owner/(stick/|card\.py|update\.py)|web/scoreboard/|runtime/daemon\.py|[A-Z]+\.md|"
        r"simulator/page/(server|film_thread|page_files|request_guard)\.py|"
        r"simulator/page/.*\.(?!py)\w+$|.*__pycache__"
    )
    with zipfile.ZipFile(to, "w") as made:
        for path in sorted(PACKAGE.rglob("*")):
            name = path.relative_to(PACKAGE).as_posix()
            if path.is_file() and not unused.match(name):
                made.write(path, f"shutthebox/{name}")
        for library in LIBRARIES:
            for file in metadata.files(library) or ():
                of_pi = re.match(
                    r"gpiozero/pins/(lgpio|native|pigpio|rpigpio)\.|gpiozerocli", file.as_posix()
                )
                if not of_pi and (file.suffix == ".py" or file.name in ("METADATA", "entry_points.txt")):
                    made.write(str(file.locate()), file.as_posix())


def write_page(to: Path) -> None:
    """The page of `shutthebox sim`, with another way to the box."""
    _ = translations()[ENGLISH]
    for path in PAGE.iterdir():
        if path.suffix in (".js", ".css", ".svg", ".png", ".webmanifest") and path.name != "wire.js":
            shutil.copy(path, to / path.name)
    for name in ("wire.js", "worker.js", "lock.js", "memory.js", "old-browser.js"):
        shutil.copy(HERE / name, to / name)
    index = Template((PAGE / "index.html").read_text("utf-8")).substitute(
        language=ENGLISH,
        needs_script=escape(_("The box needs JavaScript.")),
        lost=escape(_("No connection to the box. Trying again…")),
    )
    index = index.replace(
        "<title>", f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n  <title>', 1
    )
    index = index.replace("<main", f"{loading_markup(to)}\n\n  <main", 1)
    (to / "index.html").write_text(index, "utf-8")
    files = ["./", *sorted(path.relative_to(to).as_posix() for path in to.rglob("*") if path.is_file())]
    digest = hashlib.sha256(b"".join((to / name).read_bytes() for name in files[1:])).hexdigest()[:12]
    offline = Template((HERE / "offline.js").read_text("utf-8"))
    (to / "offline.js").write_text(
        offline.substitute(version=f"{__version__}-{digest}", files=json.dumps(files)), "utf-8"
    )


def write_archive(folder: Path, to: Path) -> None:
    """Packs the folder so that nothing but names and contents counts."""
    with zipfile.ZipFile(to, "w") as made:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())
                entry.external_attr = 0o644 << 16
                made.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)


def loading_markup(to: Path) -> str:
    """What the page has until the box runs: a bar for what is fetched, and its texts by language."""
    bytes_fetched = sum((to / name).stat().st_size for name in FETCHED)
    texts = {language: tab_texts(translate) for language, translate in translations().items()}
    script = json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c")
    return (
        '<p id="loading" class="notice loading" role="status"><span></span> '
        f'<progress max="{bytes_fetched}"></progress></p>\n'
        '  <p id="note" class="notice loading" role="status" hidden></p>\n'
        f'  <script type="application/json" id="loading-texts">{script}</script>\n'
        '  <script src="old-browser.js"></script>'
    )


FETCHED = ("box.zip", "pyodide/python_stdlib.zip", "pyodide/pyodide.asm.wasm")
"""What takes its time before the box runs."""

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)


def count_own_bytes(to: Path) -> int:
    """The bytes of the page without Pyodide's."""
    return sum(path.stat().st_size for path in to.iterdir() if path.is_file())


if __name__ == "__main__":
    sys.exit(main())
