"""The table of model servers in the documentation says what the tests prove, no more and no less."""

import pytest

from agls.models.endpoint import DialectName
from agls.models.errors import REMEDIES
from support.model_recordings import own, recorded
from support.model_table import NOTHING, PAGE, in_page, table


def test_the_table_is_fresh() -> None:
    if not recorded():
        pytest.skip("../shared/wire/recordings is not there")
    assert in_page() == table(), "run scripts/models-table"


def test_every_server_with_an_exchange_of_its_own_is_in_the_table() -> None:
    assert all(f"| {exchange.dialect} |" in in_page() for exchange in own())
    assert in_page().count("\n|") > 25
    assert NOTHING in in_page()


def test_the_page_names_every_dialect_and_every_kind_of_failure() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for dialect in DialectName.__args__:
        assert f"`{dialect}`" in page
    kinds = ("auth", "quota", "modelNotFound", "contextTooLong", "network", *REMEDIES)
    assert all(f"`{kind}`" in page for kind in kinds)
