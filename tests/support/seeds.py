"""Seeds of tests that are made by chance: a few always, many in the long runs."""

import pytest
from _pytest.mark import ParameterSet


def seeds(count: int, *, usual: int) -> list[ParameterSet]:
    """The first `usual` seeds, and the others up to `count` as long runs."""
    return [pytest.param(seed, marks=[pytest.mark.slow] * (seed >= usual)) for seed in range(count)]
