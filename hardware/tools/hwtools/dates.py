"""Sets the times in KiCad's exports to SOURCE_DATE_EPOCH, so that builds are reproducible.

    python -m hwtools.dates FOLDER

Without SOURCE_DATE_EPOCH everything stays as it is. No file changes its size, because a PDF counts its bytes.
"""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path

# In Gerber, drill and job files; in STEP; in PDF.
TIMES = {
    rb"(?<=[ ,'\"])\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d": "%Y-%m-%d %H:%M:%S",
    rb"(?<=\(D:)\d{14}(?=\))": "%Y%m%d%H%M%S",
}
GERBERS = (".gbl", ".gbo", ".gbp", ".gbr", ".gbrjob", ".gbs", ".gm1", ".gtl", ".gto", ".gtp", ".gts")
KINDS = (*GERBERS, ".drl", ".pdf", ".step")


def set_times(folder: Path, epoch: int) -> None:
    """Rewrite the times in every export in *folder*, and the files' own, which archives store."""
    then = time.gmtime(epoch)
    for path in sorted(folder.iterdir()):
        if path.suffix in KINDS:
            content = path.read_bytes()
            for pattern, form in TIMES.items():
                written = time.strftime(form, then).encode()

                def same_form(found: re.Match[bytes], written: bytes = written) -> bytes:
                    return written.replace(b" ", b"T") if b"T" in found[0] else written

                content = re.sub(pattern, same_form, content)
            path.write_bytes(content)
            os.utime(path, (epoch, epoch))


if __name__ == "__main__" and (set_to := os.environ.get("SOURCE_DATE_EPOCH")):
    set_times(Path(sys.argv[1]), int(set_to))
