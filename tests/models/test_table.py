"""The table of model servers in the documentation says what the tests prove, no more and no less."""

from agls.models.endpoint import DialectName
from agls.models.errors import REMEDIES
from support.model_recordings import own
from support.model_table import NOTHING, PAGE, in_page, table


def test_the_table_is_fresh() -> None:
    assert in_page() == table(), "run scripts/models-table"


def test_every_dialect_with_an_exchange_of_its_own_is_in_the_table() -> None:
    assert all(f"| {exchange.dialect} |" in table() for exchange in own())
    assert table().count("\n|") > 25
    assert NOTHING in table()


def test_the_page_names_every_dialect_and_every_kind_of_failure() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for dialect in DialectName.__args__:
        assert f"| `{dialect}`" in page, f"a row for {dialect} in the table of dialects of docs/models.md"
    kinds = ("auth", "quota", "modelNotFound", "contextTooLong", "network", *REMEDIES)
    assert all(f"`{kind}`" in page for kind in kinds)
