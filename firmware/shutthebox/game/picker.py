"""A choice made with the levers: lever n flipped and put back is choice n."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Picker:
    """A list to choose from.

    Attributes:
        heading: what is chosen.
        options: as shown.
        cursor: index of the choice so far.
        levers: how many levers there are to choose with.
    """

    heading: str
    options: tuple[str, ...]
    cursor: int
    levers: int

    @property
    def page_size(self) -> int:
        """Options that have a lever of their own at a time; with more pages the last lever turns them."""
        return self.levers if len(self.options) <= self.levers else max(1, self.levers - 1)

    @property
    def page(self) -> int:
        """Index of the first option of the page shown."""
        return self.cursor - self.cursor % self.page_size

    def choose(self, lever: int) -> "Picker":
        """The picker after lever n was flipped and put back; a lever without an option changes nothing."""
        if len(self.options) > self.levers and lever == self.levers:
            # On a box with a single lever this is the only one: it walks through the options.
            following = self.page + self.page_size
            return replace(self, cursor=following if following < len(self.options) else 0)
        at = self.page + lever - 1
        return replace(self, cursor=at) if lever <= self.page_size and at < len(self.options) else self
