"""What one run of the box has done."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Ran:
    code: int
    events: list[list[str]]
    modules: list[str]
    asked: int
    messages: list[str]
    scores: str
    throws: list[str]
    counted: int
