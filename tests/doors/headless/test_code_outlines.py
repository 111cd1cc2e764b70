"""What a model learns of code where no language server is, in `agls run`: an outline of the text."""

import os

import pytest

from doors.headless.conftest import Agls
from support.code_samples import plant

from .test_code_intelligence import Asked, calls

pytestmark = pytest.mark.timeout(120)
WHY = "Language servers are not started in a folder that the user does not trust"
BY = f"[From an outline of the text: names as they are written, no types. {WHY}.]"
IN_PYTHON: list[tuple[Asked, str]] = [
    (
        {"operation": "document_symbols", "path": "shop.py"},
        "shop.py\n1-3: class Priced\n2-3:   method price\n6-8: class Shop\n7-8:   method price\n"
        "11-13: function total",
    ),
    (
        {"operation": "definition", "path": "main.py", "symbol": "total"},
        "shop.py\n11:def total(items: list[int]) -> int:  (in total)",
    ),
    (
        {"operation": "definition", "path": "shop.py", "symbol": "Shop.price"},
        "shop.py\n7:    def price(self) -> int:  (in price)",
    ),
    ({"operation": "definition", "symbol": "Priced"}, "shop.py\n1-3: class Priced"),
    (
        {"operation": "workspace_symbols", "symbol": "PRIC"},
        "shop.py\n1-3: class Priced\n2-3: method price (in Priced)\n7-8: method price (in Shop)",
    ),
]
IN_TYPESCRIPT: list[tuple[Asked, str]] = [
    (
        {"operation": "document_symbols", "path": "shop.ts"},
        "shop.ts\n1-3: interface Priced\n2:   method price\n4-8: class Shop\n5-7:   method price\n"
        "10-12: function total",
    ),
    (
        {"operation": "definition", "path": "main.ts", "symbol": "total"},
        "shop.ts\n10:export function total(items: number[]): number {  (in total)",
    ),
    ({"operation": "workspace_symbols", "symbol": "shop"}, "shop.ts\n4-8: class Shop"),
]
IN_C: list[tuple[Asked, str]] = [
    (
        {"operation": "document_symbols", "path": "shop.c"},
        "shop.c\n2-6: function total\n8-11: function price\n13: variable wrong",
    ),
    (
        {"operation": "definition", "path": "shop.c", "symbol": "total", "line": 10},
        "shop.c\n2:int total(int count, const int *items) {  (in total)",
    ),
]


@pytest.mark.row(41)
@pytest.mark.parametrize(
    ("language", "cases"), [("python", IN_PYTHON), ("typescript", IN_TYPESCRIPT), ("c", IN_C)]
)
def test_outline_answers_for_symbols_and_definitions_where_no_language_server_may(
    agls: Agls, language: str, cases: list[tuple[Asked, str]]
) -> None:
    plant(agls.workspace, language)
    told = calls(agls, *(("code_intelligence", asked) for asked, _ in cases))
    assert told == [f"{expected}\n{BY}" for _, expected in cases]


def test_questions_about_types_are_not_answered_from_an_outline(agls: Agls) -> None:
    plant(agls.workspace, "python")
    about = {"path": "shop.py", "symbol": "total"}
    operations = ("references", "hover", "implementations", "call_hierarchy", "diagnostics")
    told = calls(agls, *(("code_intelligence", {"operation": each, **about}) for each in operations))
    assert told == [f"{WHY}. Use grep and read_file instead."] * len(operations)


def test_outline_says_which_language_server_is_missing(agls: Agls) -> None:
    (agls.workspace / "shop.go").write_text("package shop\n\nfunc Total() int { return 1 }\n")
    assert agls.run("trust", str(agls.workspace)).code == 0
    agls.environment["PATH"] = os.environ["PATH"]
    (told,) = calls(agls, ("code_intelligence", {"operation": "definition", "symbol": "Total"}))
    assert told == (
        "shop.go\n3: function Total\n[From an outline of the text: names as they are written, no types. "
        "No language server for it is installed (gopls).]"
    )


def test_language_server_that_fails_is_named_beside_the_outline(agls: Agls) -> None:
    plant(agls.workspace, "python")
    assert agls.run("trust", str(agls.workspace)).code == 0
    config = agls.config_file.read_text()
    agls.configure(f'{config}\n[code_intelligence.languages.python]\ncommand = ["false"]\n')
    (told,) = calls(agls, ("code_intelligence", {"operation": "document_symbols", "path": "shop.py"}))
    assert told.startswith("shop.py\n1-3: class Priced\n")
    credit = told.rpartition("\n")[2]
    assert credit.startswith("[From an outline of the text: names as they are written, no types.")
    assert "false" in credit


def test_files_that_are_hidden_are_in_no_outline(agls: Agls) -> None:
    (agls.workspace / ".gitignore").write_text("made/\n")
    for name in ("made/shop.py", "shop.py"):
        path = agls.workspace / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("def total():\n    return 1\n")
    (told,) = calls(agls, ("code_intelligence", {"operation": "workspace_symbols", "symbol": "total"}))
    assert told == f"shop.py\n1-2: function total\n{BY}"
