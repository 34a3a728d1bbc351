"""Makes a release: every file that people get, a bill of materials, checksums and a signature.

    make release KEY=NAME-OF-A-GNUPG-KEY [CERT=FILE CERT_KEY=FILE] [URL=ADDRESS] [PARTS="python deb"]

Everything is built twice, from two clones of the last commit in two places, and compared byte for byte: a
file that can't be made again is not released. Only files with the time of their signing are not compared;
they are named.
The result lies in dist/shutthebox-VERSION.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
SUMS = "SHA256SUMS"


class ReleaseError(Exception):
    """The release can't be made; the text says why."""


@dataclass(frozen=True)
class Build:
    """One of the two builds.

    Attributes:
        source: a clone of the commit.
        out: where the files of the release go.
        tools: the Python that has requirements.txt.
        options: for the image: its certificate, and the key to that.
        url: the address at which the files of the release will be; empty where nobody knows.
    """

    source: Path
    out: Path
    tools: Path
    options: tuple[str, ...]
    url: str = ""

    def run(self, *command: str | Path, cwd: Path | None = None) -> None:
        """Runs a command in the source, with its output in a log.

        Raises:
            ReleaseError: with the end of the log, if it fails.
        """
        log = self.out.parent / "log"
        with log.open("ab") as file:
            done = subprocess.run(
                [str(word) for word in command], cwd=cwd or self.source, stdout=file, stderr=file, check=False
            )
        if done.returncode:
            last = log.read_text(errors="replace").splitlines()[-20:]
            raise ReleaseError("\n".join([f"{' '.join(map(str, command))} failed:", *last]))

    def collect(self, pattern: str) -> None:
        """Takes over files of the source.

        Raises:
            ReleaseError: if there are none.
        """
        found = sorted(self.source.glob(pattern))
        if not found:
            raise ReleaseError(f"{pattern}: not built")
        for path in found:
            shutil.copy(path, self.out)


def build_python_packages(build: Build) -> None:
    """Wheels and source distributions, and what the box's wheel brings with it."""
    for folder in (".", "libraries/gpiozero-gpiod", "libraries/luma-spans", "league/uplink", "league"):
        build.run(build.tools, "-m", "build", "--outdir", build.out, folder)
    check_distributions(build)
    with tempfile.TemporaryDirectory() as venv:
        build.run(build.tools, "-m", "venv", "--without-pip", venv)
        python = Path(venv, "bin/python")
        # By name, so that nothing tells where the wheels were found.
        build.run(
            build.tools, "-m", "pip", "--python", python, "install", "--quiet", "--find-links", build.out,
            f"shutthebox[box,sim]=={version(build.source)}",
        )  # fmt: skip
        build.run(
            build.tools, "-m", "cyclonedx_py", "environment", "--output-reproducible",
            "--output-file", build.out / "shutthebox.cdx.json", python,
        )  # fmt: skip
    check_arm64_wheels(build)
    check_wheel_plays(build)


def check_distributions(build: Build) -> None:
    """Proves that an index takes the five distributions, and can show their descriptions."""
    made = sorted([*build.out.glob("*.whl"), *build.out.glob("*.tar.gz")])
    build.run(build.tools, "-m", "twine", "check", "--strict", *made)


def check_wheel_plays(build: Build) -> None:
    """Proves that one command plays the simulated box from the wheel, on an account that has nothing yet.

    Raises:
        ReleaseError: if its page can't be had.
    """
    wheel = f"./shutthebox-{version(build.source)}-py3-none-any.whl[sim]"
    tools = build.tools.parent
    runners = {"pipx": ["run", "--pip-args=--find-links=.", "--spec"], "uvx": ["--find-links=.", "--from"]}
    for runner, options in runners.items():
        play = ["shutthebox", "sim", "--no-browser", "--port", "0"]
        command = ["timeout", "900", str(tools / runner), *options, wheel, *play]
        with (
            tempfile.TemporaryDirectory() as home,
            (build.out.parent / "log").open("ab") as log,
            subprocess.Popen(
                command, cwd=build.out, env={**os.environ, "HOME": home},
                stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True,
            ) as box,
        ):  # fmt: skip
            assert box.stdout is not None
            try:
                address = next((found[0] for line in box.stdout if (found := _ADDRESS.search(line))), None)
                if address is None:
                    raise ReleaseError(f"{runner}: the box doesn't start from its wheel")
                urllib.request.urlopen(address, timeout=60).close()
            except OSError as error:
                raise ReleaseError(f"{runner}: {address}: {error}") from None
            finally:
                os.killpg(box.pid, signal.SIGTERM)


_ADDRESS = re.compile(r"http://\S+")

#: The Pythons of the Debians that the box runs on, and the newest.
PYTHONS = ("3.11", "3.13", "3.14")
ARM64 = [f"--platform=manylinux{name}_aarch64" for name in ("2014", "_2_28", "_2_34")]


def check_arm64_wheels(build: Build) -> None:
    """Proves that a Pi has to compile nothing: every dependency has a wheel for it."""
    for python in PYTHONS:
        with tempfile.TemporaryDirectory() as folder:
            build.run(
                build.tools, "-m", "pip", "download", "--quiet", "--find-links", build.out, "--dest", folder,
                *ARM64, "--python-version", python, "--implementation", "cp", "--only-binary=:all:",
                f"shutthebox[box,sim]=={version(build.source)}", "shutthebox-uplink",
            )  # fmt: skip


def build_debian_packages(build: Build) -> None:
    """The packages for a Pi that runs already, and those of a league."""
    build.run("make", "web", "deb", "openskill-deb")
    build.collect("build/deb/*.deb")


def build_image(build: Build) -> None:
    """The card with the box in a tab, an update for one that plays, and every package in them."""
    build.run("make", "web")
    build.run("make", "-C", "packaging/image", *build.options, "all", "bundle")
    for name in ("card.img.xz", "shutthebox-*.raucb", "manifest"):
        build.collect(f"build/image/{name}")
    card = (build.out / "card.img.xz").rename(
        build.out / f"shutthebox-{version(build.source)}-pi-arm64.img.xz"
    )
    if build.url:
        shutil.copy(build.source / "firmware/shutthebox/simulator/page/icon-192.png", build.out / ICON)
        listed = imager_list(card, build.url, version(build.source), int(os.environ["SOURCE_DATE_EPOCH"]))
        (build.out / "rpi-imager.json").write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    (build.out / "manifest").rename(build.out / "image-packages.txt")
    epoch = os.environ["SOURCE_DATE_EPOCH"]
    at = subprocess.check_output(["date", "--utc", f"--date=@{epoch}", "+%Y-%m-%dT%H:%M:%SZ"], text=True)
    build.run(
        build.tools.parent / "debsbom", "generate", "--sbom-type", "cdx", "--distro-name", "Shut the Box",
        "--distro-version", version(build.source), "--distro-arch", "arm64", "--timestamp", at.strip(),
        "--cdx-serialnumber", "00000000-0000-4000-8000-" + hashlib.sha256(epoch.encode()).hexdigest()[:12],
        "--root", build.source / "build/image/root.tar", "--out", build.out / "image",
    )  # fmt: skip


ICON = "icon.png"

#: The Pis that the card plays on, by the words of Raspberry Pi Imager.
PIS = {"Raspberry Pi 4": "pi4-64bit", "Raspberry Pi 3": "pi3-64bit", "Raspberry Pi Zero 2 W": "pi3-64bit"}


def imager_list(card: Path, url: str, released: str, epoch: int) -> dict[str, Any]:
    """Returns what Raspberry Pi Imager reads as a custom repository: the card, its sizes and hashes."""
    size, digest = 0, hashlib.sha256()
    with lzma.open(card) as file:
        while block := file.read(1 << 20):
            size += len(block)
            digest.update(block)
    base = url.rstrip("/")
    entry = {
        "name": f"Shut the Box {released}",
        "description": "Takes name, Wi-Fi, SSH key, time zone and language from Imager's settings",
        "icon": f"{base}/{ICON}",
        "url": f"{base}/{card.name}",
        "extract_size": size,
        "extract_sha256": digest.hexdigest(),
        "image_download_size": card.stat().st_size,
        "image_download_sha256": hashlib.sha256(card.read_bytes()).hexdigest(),
        "release_date": datetime.fromtimestamp(epoch, UTC).date().isoformat(),
        "init_format": "cloudinit",
        "devices": sorted(set(PIS.values())),
    }
    devices = [
        {
            "name": name,
            "description": "64 bit",
            "icon": f"{base}/{ICON}",
            "tags": [tag],
            "matching_type": "exclusive",
        }
        for name, tag in PIS.items()
    ]
    return {"imager": {"devices": devices}, "os_list": [entry]}


def build_hardware(build: Build) -> None:
    """The files for a workshop: board, box and harness, as one archive."""
    build.run("make", "-C", "hardware", "fab")
    archive(build, build.source / "hardware/build/fab", "hardware")


def build_tab(build: Build) -> None:
    """The files for any web server, and what is in them under which licence."""
    build.run("make", "web")
    build.collect("build/shutthebox-web.zip")
    name = f"shutthebox-{version(build.source)}-web"
    (build.out / "shutthebox-web.zip").rename(build.out / f"{name}.zip")
    shutil.copy(build.source / "build/web/sbom.cdx.json", build.out / f"{name}.cdx.json")


def build_docs(build: Build) -> None:
    """The pages, as one archive; the box in a tab is on the first."""
    build.run("make", "site")
    archive(build, build.source / "build/docs/site", "docs")


def archive(build: Build, folder: Path, name: str) -> None:
    """Packs a folder so that nothing but names and contents counts."""
    to = build.out / f"shutthebox-{version(build.source)}-{name}.tar.xz"
    build.run(
        "tar", "--create", "--xz", f"--file={to}", "--sort=name", "--owner=0", "--group=0", "--numeric-owner",
        f"--mtime=@{os.environ['SOURCE_DATE_EPOCH']}", "--mode=u+rw,go+r-w", "-C", folder.parent, folder.name,
    )  # fmt: skip


PARTS: dict[str, Callable[[Build], None]] = {
    "python": build_python_packages,
    "deb": build_debian_packages,
    "image": build_image,
    "hardware": build_hardware,
    "web": build_tab,
    "docs": build_docs,
}
#: Carries the time at which it was signed.
SIGNED = "*.raucb"


def version(top: Path) -> str:
    """The version in the package.

    Raises:
        ReleaseError: if none stands there.
    """
    text = (top / "firmware/shutthebox/__init__.py").read_text()
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if found is None:
        raise ReleaseError("firmware/shutthebox/__init__.py: no __version__")
    return found[1]


def check_changelog(text: str, released: str) -> None:
    """Holds CHANGELOG.md to the version and to its own form.

    Raises:
        ReleaseError: naming what is wrong, and what is allowed.
    """
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    if not headings or headings[0] != "[Unreleased]":
        raise ReleaseError("CHANGELOG.md: the first section has to be ## [Unreleased]")
    for heading in headings[1:]:
        if not re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", heading):
            raise ReleaseError(f"CHANGELOG.md: ## {heading}: use ## [1.2.3] - 2026-12-31")
    kinds = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
    for kind in re.findall(r"^### (.*)$", text, re.MULTILINE):
        if kind not in kinds:
            raise ReleaseError(f"CHANGELOG.md: ### {kind}: use one of {', '.join(kinds)}")
    sections = dict(re.findall(r"^## \[(.+?)\].*\n((?:(?!## ).*\n?)*)", text, re.MULTILINE))
    if not sections.get(released, "").strip():
        raise ReleaseError(f"CHANGELOG.md: the section ## [{released}] is missing or empty")
    if sections["Unreleased"].strip():
        raise ReleaseError("CHANGELOG.md: move the entries under [Unreleased] into the version's section")


def hash_files(folder: Path) -> dict[str, str]:
    """SHA-256 of every file in a folder, by name."""
    found = {}
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def find_differences(one: Path, other: Path) -> list[str]:
    """Names of the files that are not the same, byte for byte, in both folders; signed ones apart."""
    signed = {path.name for folder in (one, other) for path in folder.glob(SIGNED)}
    first, second = hash_files(one), hash_files(other)
    names = sorted((first.keys() | second.keys()) - signed)
    return [name for name in names if first.get(name) != second.get(name)]


def write_sums(folder: Path) -> Path:
    """Writes the checksums of a folder, as sha256sum does."""
    lines = [f"{digest}  {name}\n" for name, digest in hash_files(folder).items()]
    sums = folder / SUMS
    sums.write_text("".join(lines))
    return sums


def main(arguments: Sequence[str] | None = None) -> int:
    """Builds twice, compares, signs."""
    parser = argparse.ArgumentParser(description="makes a release")
    parser.add_argument("--key", required=True, help="GnuPG key that signs the checksums")
    parser.add_argument("--cert", help="certificate that cards take updates by; with --cert-key")
    parser.add_argument("--cert-key", help="the key to it, which signs the update")
    parser.add_argument("--url", default="", help="where the files will be: for the list that Imager reads")
    parser.add_argument("--parts", nargs="*", choices=list(PARTS), default=list(PARTS))
    args = parser.parse_args(arguments)
    try:
        release(args)
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    return 0


def release(args: argparse.Namespace) -> None:
    """Makes the release of the last commit.

    Raises:
        ReleaseError: if something is missing, fails, or is not the same twice.
    """
    if subprocess.check_output(["git", "status", "--porcelain"], cwd=TOP, text=True).strip():
        raise ReleaseError("uncommitted changes; commit them first (git status shows them)")
    released = version(TOP)
    check_changelog((TOP / "CHANGELOG.md").read_text(), released)
    if "image" in args.parts and not (args.cert and args.cert_key):
        raise ReleaseError("image: CERT and CERT_KEY are missing; a card takes updates that they sign")
    asked = ["gpg", "--list-secret-keys", "--with-colons", args.key]
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        raise ReleaseError(f"KEY: GnuPG has no secret key {args.key}")
    last = subprocess.check_output(["git", "log", "-1", "--format=%H %ct"], cwd=TOP, text=True)
    commit, os.environ["SOURCE_DATE_EPOCH"] = last.split()
    tools = TOP / "build/release-tools"
    if not (tools / "done").exists():
        subprocess.run([sys.executable, "-m", "venv", str(tools)], check=True)
        wanted = [
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
            str(TOP / "packaging/release/requirements.txt"),
        ]
        subprocess.run([tools / "bin/pip", *wanted], check=True)
        (tools / "done").touch()
    options = tuple(
        f"{name}={Path(value).resolve()}"
        for name, value in (("CERT", args.cert), ("KEY", args.cert_key))
        if value
    )
    with tempfile.TemporaryDirectory(prefix="release-") as work:
        # The two places differ in the length of their names too.
        outs = [
            build_parts(Path(work, name), commit, args.parts, tools / "bin/python", options, args.url)
            for name in ("one", "another")
        ]
        differing = find_differences(*outs)
        if differing:
            kept = TOP / "build/release-differs"
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(work, kept, symlinks=True, ignore=shutil.ignore_patterns("source"))
            raise ReleaseError(f"the two builds differ (both are in {kept}): {', '.join(differing)}")
        to = TOP / f"dist/shutthebox-{released}"
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(outs[0], to)
    sums = write_sums(to)
    subprocess.run(
        ["gpg", "--yes", "--armor", "--local-user", args.key, "--detach-sign", str(sums)], check=True
    )
    left_out = sorted(set(PARTS) - set(args.parts))
    if left_out:
        print(f"release: built without {', '.join(left_out)}")
    if "image" in args.parts and not args.url:
        print("release: built without rpi-imager.json; to include it, set URL to the address of the files")
    if signed := sorted(path.name for path in to.glob(SIGNED)):
        print(f"release: not compared, because it contains its signing time: {', '.join(signed)}")
    print(f"release: {to.relative_to(TOP)}, built twice with identical bytes")


def build_parts(
    folder: Path, commit: str, parts: Sequence[str], tools: Path, options: tuple[str, ...], url: str = ""
) -> Path:
    """Builds these parts from a clone of that commit, and returns the folder with the files."""
    build = Build(folder / "source", folder / "out", tools, options, url)
    build.out.mkdir(parents=True)
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(TOP), str(build.source)], check=True)
    subprocess.run(["git", "checkout", "--quiet", "--detach", commit], cwd=build.source, check=True)
    for part in parts:
        print(f"release: {folder.name}: {part}", flush=True)
        PARTS[part](build)
    return build.out


if __name__ == "__main__":
    sys.exit(main())
