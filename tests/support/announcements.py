"""The file that a voice reads, as the box writes it."""

import json
from pathlib import Path

from shutthebox.speech.speech_file import FILE_NAME, VERSION


def published(folder: Path, *texts: str, started: int = 1, first: int = 1) -> None:
    said = [
        {"number": number, "text": text, "language": "en", "waits": False}
        for number, text in enumerate(texts, first)
    ]
    document = {"version": VERSION, "started": started, "said": said}
    (folder / FILE_NAME).write_text(json.dumps(document))
