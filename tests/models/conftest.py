"""What the tests of models share."""

import pytest

from agls.models.endpoint import DialectName
from support.model_dialects import DIALECTS


@pytest.fixture(params=DIALECTS)
def dialect(request: pytest.FixtureRequest) -> DialectName:
    """Each dialect in turn."""
    return request.param
