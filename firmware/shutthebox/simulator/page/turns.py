"""The turns of the match for the page: each throw, its tiles, and the score."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from shutthebox.rules.actions import Action, apply
from shutthebox.rules.match import Match
from shutthebox.rules.tiles import to_numbers

SHOWN = 60
"""How many of the latest turns the page gets."""

TurnDocument: TypeAlias = dict[str, Any]
"""As JSON: the seat from 0, each throw's dice and tiles, and the score once the turn is over."""


class TurnList:
    """Follows a match incrementally."""

    def __init__(self) -> None:
        self._beginning: Match | None = None
        self._match: Match | None = None
        self._count = 0
        self._turns: list[TurnDocument] = []

    def follow(self, beginning: Match | None, actions: Sequence[Action]) -> list[TurnDocument]:
        """The latest turns after these actions; none without a match."""
        if beginning is not self._beginning or len(actions) < self._count:
            self._beginning = self._match = beginning
            self._count, self._turns = 0, []
        for action in actions[self._count :]:
            self._take(action)
        self._count = len(actions)
        # A copy, because the page's server compares it with what it has sent.
        return [{**turn, "throws": [dict(throw) for throw in turn["throws"]]} for turn in self._turns]

    def _take(self, action: Action) -> None:
        before = self._match
        assert before is not None, "actions are of a match"
        player = before.player
        after = self._match = apply(before, action)
        if action.faces:
            if not self._turns or self._turns[-1]["player"] != player or self._turns[-1]["score"] is not None:
                self._turns = [*self._turns, {"player": player, "throws": [], "score": None}][-SHOWN:]
            self._turns[-1]["throws"].append({"dice": list(action.faces), "tiles": [], "opened": []})
        elif (action.shuts or action.opens) and self._turns:
            shut, opened = action.shuts, action.opens
            if before.turn.opens:
                shut, opened = opened, shut
            self._turns[-1]["throws"][-1]["tiles"] = list(to_numbers(shut))
            self._turns[-1]["throws"][-1]["opened"] = list(to_numbers(opened))
        row = after.round.rows[player]
        if self._turns and self._turns[-1]["player"] == player and row.outcome is not None:
            self._turns[-1]["score"] = after.scores[player]
