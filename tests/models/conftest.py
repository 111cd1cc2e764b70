"""What the tests of models share."""

import pytest

from agls.models.endpoint import Dialect
from support.model_dialects import DIALECTS


@pytest.fixture(params=DIALECTS)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    """Each dialect in turn."""
    return request.param
