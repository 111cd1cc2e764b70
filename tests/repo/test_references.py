"""References name what exists: `scripts/check` refuses others."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

from agls_protocol.methods import METHODS

ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("references", ROOT / "scripts" / "references.py")
assert _spec
assert _spec.loader
references = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(references)


def test_every_reference_of_the_repository_names_what_exists() -> None:
    assert references.broken(references.listed(*references.TEXTS)) == []


def test_check_refuses_broken_references() -> None:
    assert "scripts/references.py" in (ROOT / "scripts" / "check").read_text()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(protocol 4.9, point 2)", ["protocol 4.9"]),
        ("(protocol, part 6)", ["protocol, part 6"]),
        ("(protocol#cancel, #no-such-section)", ["protocol#no-such-section"]),
        ("protocol/README.md#nowhere", ["protocol#nowhere"]),
        ("`promises.md` R20", ["R20", "promises.md"]),
        ("SECURITY.md, P3 and P99", ["P99"]),
        ("docs/decisions/999", ["decision 999"]),
        ("see decision 998", ["decision 998"]),
        ("`no-such-page.md` says why", ["no-such-page.md"]),
        (
            "(protocol#cancel, #order), SECURITY.md, P3; `ARCHITECTURE.md`; docs/decisions/112; part 3 of 4",
            [],
        ),
        ("an agent reads `AGENTS.md` and RFC 7396, section 2", []),
    ],
)
def test_broken_reference_in_a_text_is_found(text: str, found: list[str]) -> None:
    assert list(references.broken_in("server/agls/some.py", text)) == found


@pytest.mark.parametrize(
    ("link", "broken"),
    [
        ("[page](no-such.md)", True),
        ("[page](README.md#no-such-section)", True),
        ("[here](#nowhere)", True),
        ("[page](../README.md#a-model)", False),
        ("[site](https://example.org/no-such.md#x)", False),
    ],
)
def test_broken_link_of_a_page_is_found(link: str, broken: bool) -> None:
    assert bool(list(references.broken_in("docs/some.md", link))) is broken


def test_every_method_is_named_by_the_protocol_page() -> None:
    page = (ROOT / "protocol" / "README.md").read_text()
    assert [method for method in METHODS if f"`{method}`" not in page] == []


ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text()
ROOTS = (ROOT, ROOT / "server" / "agls")


def answers() -> dict[str, list[str]]:
    """The questions of ARCHITECTURE.md, and the files that answer each."""
    table = ARCHITECTURE.partition("## Where is …")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ")]
    pattern = re.compile(r"`([\w./-]+\.(?:py|tsx?|lua|json))`|\]\(([\w./-]+\.md)")
    return {
        question.strip(): [first or second for first, second in pattern.findall(where)]
        for question, where in rows[1:]
    }


def test_newcomers_questions_are_answered_by_files_that_exist() -> None:
    for question, files in answers().items():
        assert files, question
        missing = [file for file in files if not any((root / file).exists() for root in ROOTS)]
        assert missing == [], question


def test_newcomers_questions_are_answered_by_three_files_at_most() -> None:
    numbers = sorted(len(files) for files in answers().values())
    assert len(numbers) >= 10
    assert numbers[-1] <= 3


def test_the_architecture_page_names_files_that_exist() -> None:
    names = re.findall(r"`([\w./-]+\.(?:py|tsx?|lua|md))`", ARCHITECTURE)
    assert [name for name in names if not any((root / name).exists() for root in ROOTS)] == []


def test_functions_named_for_newcomers_stand_in_the_file_before_them() -> None:
    table = ARCHITECTURE.partition("## Where is …")[2].partition("\n## ")[0]
    places = re.findall(r"`([\w./-]+\.(?:py|tsx?))` \(([^)]*)\)", table)
    assert places
    for file, remark in places:
        text = next((root / file).read_text() for root in ROOTS if (root / file).exists())
        missing = [name for name in re.findall(r"`([\w.]+)`", remark) if name.rpartition(".")[2] not in text]
        assert missing == [], file


def test_the_architecture_page_has_the_layers_of_the_linter() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    block = ARCHITECTURE.partition("## Layers")[2].split("```")[1]
    page = [part.split(">") for part in re.split(r"inside the \w+:", block)]
    linter = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    assert [[layer.strip(" ()\n") for layer in part] for part in page] == linter


PAGES = sorted(references.listed("server/agls/**/README.md"))


@pytest.mark.parametrize("page", PAGES)
def test_modules_that_a_readme_names_exist(page: str) -> None:
    """A name alone is a module in the folder of its page or below; a path begins there or in `agls`."""
    folder, text = (ROOT / page).parent, (ROOT / page).read_text()
    names = set(re.findall(r"`((?:[\w.-]+/)*\w+\.py)`", text)) - {"conftest.py"}  # of a user's own tests
    places = [folder, *ROOTS, ROOT / "server"]
    missing = [n for n in names if not any((p / n).exists() for p in places) and not any(folder.rglob(n))]
    assert missing == []
