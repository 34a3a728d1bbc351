"""Glicko-2 ratings, after Mark Glickman's *Example of the Glicko-2 system*; its steps are named below."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

_SCALE = 173.7178
_TAU = 0.5
_PRECISION = 1e-6
LARGEST_DEVIATION = 350.0


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating.

    Attributes:
        rating: 1500 for a new player.
        deviation: its standard error; 350 for a new player.
        volatility: how much the rating is expected to change.
    """

    rating: float = 1500.0
    deviation: float = LARGEST_DEVIATION
    volatility: float = 0.06

    def idle(self, periods: int) -> "Rating":
        """After so many periods without a match: the rating is the same and less certain."""
        phi = self.deviation / _SCALE
        grown = math.sqrt(phi * phi + periods * self.volatility * self.volatility) * _SCALE
        return replace(self, deviation=min(grown, LARGEST_DEVIATION))


def rate(player: Rating, results: Sequence[tuple[Rating, float]]) -> Rating:
    """The rating after one period.

    Args:
        player: before it.
        results: against each opponent, as rated before the period: 1 for a win, 0.5 for a draw, 0 for a loss.
    """
    if not results:
        return player.idle(1)
    # Step 2: the scale of the method.
    mu, phi, sigma = (player.rating - 1500) / _SCALE, player.deviation / _SCALE, player.volatility
    # Steps 3 and 4: estimated variance and improvement.
    information = improvement = 0.0
    for opponent, score in results:
        g = 1 / math.sqrt(1 + 3 * (opponent.deviation / _SCALE) ** 2 / math.pi**2)
        expected = 1 / (1 + math.exp(-g * (mu - (opponent.rating - 1500) / _SCALE)))
        information += g * g * expected * (1 - expected)
        improvement += g * (score - expected)
    variance = 1 / information
    delta = variance * improvement
    sigma = _volatility(delta, phi, sigma, variance)
    # Steps 6 to 8.
    phi_star = math.sqrt(phi * phi + sigma * sigma)
    new_phi = 1 / math.sqrt(1 / (phi_star * phi_star) + information)
    new_mu = mu + new_phi * new_phi * improvement
    return Rating(_SCALE * new_mu + 1500, min(_SCALE * new_phi, LARGEST_DEVIATION), sigma)


def _volatility(delta: float, phi: float, sigma: float, variance: float) -> float:
    """Step 5, by the Illinois algorithm."""
    start = math.log(sigma * sigma)

    def f(x: float) -> float:
        e = math.exp(x)
        d = phi * phi + variance + e
        return e * (delta * delta - d) / (2 * d * d) - (x - start) / (_TAU * _TAU)

    low = start
    if delta * delta > phi * phi + variance:
        high = math.log(delta * delta - phi * phi - variance)
    else:
        k = 1
        while f(start - k * _TAU) < 0:
            k += 1
        high = start - k * _TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _PRECISION:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return math.exp(low / 2)
