"""A ranking by the cost of decisions is far surer than one by scores."""

import pytest
from tests.benchmarks.league_skill import measure


@pytest.mark.slow
def test_its_variance_is_less_than_a_fifth() -> None:
    found = measure(1000)
    assert found.variances >= 5
    assert found.agree_given_away > found.agree_scores
