"""References name what exists: `scripts/check` refuses others."""

import importlib.util
import re
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


def answers() -> dict[str, list[str]]:
    """The questions of ARCHITECTURE.md, and the files that answer each."""
    page = (ROOT / "ARCHITECTURE.md").read_text()
    table = page.partition("## Where is …")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ")]
    pattern = re.compile(r"`([\w./-]+\.(?:py|tsx?|lua|json))`|\]\(([\w./-]+\.md)")
    return {
        question.strip(): [first or second for first, second in pattern.findall(where)]
        for question, where in rows[1:]
    }


def test_newcomers_questions_are_answered_by_files_that_exist() -> None:
    for question, files in answers().items():
        assert files, question
        missing = [f for f in files if not ((ROOT / f).exists() or (ROOT / "server" / "agls" / f).exists())]
        assert missing == [], question


def test_newcomers_questions_are_answered_by_three_files_at_most() -> None:
    numbers = sorted(len(files) for files in answers().values())
    assert len(numbers) >= 10
    assert numbers[-1] <= 3
