"""An action that no other box may send and no league ranks, as a newcomer might add one."""

from typing import ClassVar, cast

from shutthebox.rules.actions import Action, BareAction
from shutthebox.rules.match import Match


class Void(BareAction):
    """Always allowed, and changes nothing."""

    __slots__ = ()

    WORD = "void"
    PEER_MAY_SEND: ClassVar = False
    IS_RANKED: ClassVar = False

    def apply(self, match: Match) -> Match:
        return match

    def why_not(self, match: Match) -> str | None:
        return None


VOID = cast(Action, Void())
