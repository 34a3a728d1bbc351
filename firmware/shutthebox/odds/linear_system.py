"""Linear systems of chances: ``x = P x + c``, where P says what follows what."""

from fractions import Fraction
from operator import mul
from typing import TypeAlias

Rows: TypeAlias = list[list[tuple[int, float]]]
"""Per position what can follow it, each with its probability; position 0 ends everything."""

SETTLED = 1e-14
"""Relative change of a solution that is down to rounding."""

_MOST_SWEEPS = 5000
_MOST_STEPS = 200


def solve(
    rows: Rows, constants: list[float], guess: list[float], settled: float = SETTLED
) -> list[float] | None:
    """The solution; None if there is none, as play goes round for ever.

    Args:
        rows: P.
        constants: c.
        guess: a solution of a similar system.
        settled: relative change at which the solution is good enough.
    """
    rows, constants = _without_loops(rows, constants)
    x = _accelerated(rows, constants, guess, settled)
    for _ in range(_MOST_SWEEPS):
        following = _sweep(rows, x, constants)
        largest = max(map(abs, following))
        change = max(abs(a - b) for a, b in zip(following, x, strict=True))
        x = following
        if change <= settled * (1.0 + largest):
            return x
        if not largest < 1e17:
            return None
    return None


def _without_loops(rows: Rows, constants: list[float]) -> tuple[Rows, list[float]]:
    """Positions that follow themselves, solved for themselves."""
    straight: Rows = []
    scaled = []
    for at, (row, constant) in enumerate(zip(rows, constants, strict=True)):
        stays = sum(chance for after, chance in row if after == at)
        if stays > 1.0 - 1e-12:
            stays = 0.0
        leaves = 1.0 - stays
        straight.append([(after, chance / leaves) for after, chance in row if after != at] if stays else row)
        scaled.append(constant / leaves)
    return straight, scaled


def _sweep(rows: Rows, x: list[float], constants: list[float] | None) -> list[float]:
    """One pass in rising order, each position with what is new of the smaller ones."""
    new = list(x)
    for at, row in enumerate(rows):
        new[at] = sum([chance * new[after] for after, chance in row])
        if constants is not None:
            new[at] += constants[at]
    return new


def _accelerated(rows: Rows, constants: list[float], x: list[float], settled: float) -> list[float]:
    """BiCGSTAB on the sweep: solves ``x - S x = b`` with S the sweep without constants."""
    size = len(x)

    def dot(a: list[float], b: list[float]) -> float:
        return float(sum(map(mul, a, b)))

    def apply(a: list[float]) -> list[float]:
        return [old - new for old, new in zip(a, _sweep(rows, a, None), strict=True)]

    x = list(x)
    residual = [new - old for old, new in zip(x, _sweep(rows, x, constants), strict=True)]
    shadow = list(residual)
    rho = alpha = omega = 1.0
    v = p = [0.0] * size
    for _ in range(_MOST_STEPS):
        if max(map(abs, residual)) <= settled * (1.0 + max(map(abs, x))):
            break
        rho_new = dot(shadow, residual)
        if rho_new == 0.0 or omega == 0.0:
            break
        beta = rho_new / rho * alpha / omega
        rho = rho_new
        p = [r + beta * (a - omega * b) for r, a, b in zip(residual, p, v, strict=True)]
        v = apply(p)
        across = dot(shadow, v)
        if across == 0.0:
            break
        alpha = rho / across
        s = [r - alpha * b for r, b in zip(residual, v, strict=True)]
        t = apply(s)
        length = dot(t, t)
        omega = dot(t, s) / length if length else 0.0
        x = [a + alpha * b + omega * c for a, b, c in zip(x, p, s, strict=True)]
        residual = [a - omega * b for a, b in zip(s, t, strict=True)]
        if not max(map(abs, x)) < 1e17:
            return [0.0] * size
    return x


def solve_exactly(rows: list[dict[int, Fraction]], constants: list[Fraction]) -> list[Fraction]:
    """The solution in fractions, by elimination from the last position down.

    Raises:
        ZeroDivisionError: if there is none.
    """
    rows = [dict(row) for row in rows]
    constants = list(constants)
    for at in range(len(rows) - 1, 0, -1):
        leaves = 1 - rows[at].pop(at, Fraction(0))
        rows[at] = {after: chance / leaves for after, chance in rows[at].items()}
        constants[at] /= leaves
        for other in range(1, at):
            share = rows[other].pop(at, None)
            if share:
                constants[other] += share * constants[at]
                for after, chance in rows[at].items():
                    rows[other][after] = rows[other].get(after, Fraction(0)) + share * chance
    for at in range(1, len(rows)):
        constants[at] += sum((chance * constants[after] for after, chance in rows[at].items()), Fraction(0))
    return constants
