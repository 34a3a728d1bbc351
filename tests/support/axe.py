"""axe-core, which finds what keeps people out of a page: one script, from its npm package."""

import functools
import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

import pytest

VERSION = "4.14.1"
SHA512 = (
    "1477dafa598d8d065f273d6af302aa203c02e83131707b7fa648cd41bd3d6b73"
    "4f8c22a0dab86ee6a6f64b8afbe804b214d36db85a2826965edfb3a0b9d546b5"
)
_KEPT = Path(__file__).resolve().parents[2] / f"build/axe-core-{VERSION}.tgz"


@functools.cache
def axe_script() -> str:
    """The script, fetched once; skips the test where npm isn't installed or can't fetch it.

    Raises:
        RuntimeError: if it is another one than expected.
    """
    packed = _KEPT.read_bytes() if _KEPT.exists() else _fetch()
    if hashlib.sha512(packed).hexdigest() != SHA512:
        raise RuntimeError(f"axe-core {VERSION} isn't the one whose hash is known: {_KEPT}")
    with tarfile.open(fileobj=BytesIO(packed)) as tar:
        script = tar.extractfile("package/axe.min.js")
        assert script is not None
        return script.read().decode()


def _fetch() -> bytes:
    if shutil.which("npm") is None:
        pytest.skip("NOT TESTED: accessibility, because npm, which fetches axe, isn't installed")
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", "--fetch-retries=1", f"axe-core@{VERSION}"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(
                f"NOT TESTED: accessibility, because npm can't fetch axe: {done.stderr.strip()[-200:]}"
            )
        fetched = Path(folder) / f"axe-core-{VERSION}.tgz"
        _KEPT.parent.mkdir(exist_ok=True)
        # Another test beside this one finds it whole or not at all.
        part = _KEPT.with_name(f"{_KEPT.name}.{Path(folder).name}")
        shutil.copyfile(fetched, part)
        part.rename(_KEPT)
        return fetched.read_bytes()
