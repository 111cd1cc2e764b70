"""Entries in files that people write, too."""

from agls.features.memory.entries import (
    EntryOrigin,
    entries_in,
    with_change,
    with_entry,
    without_entries,
)

BY_HAND = """\
# For everything

Answer in French,
and briefly.

## Tests
- Run them with `make`.
  Twice, if they are flaky.

  Never skip any.
* Use tabs - no blanks. <!-- 2026-11-23, model, ses_1 -->
1. Numbered <!-- only a remark -->

<!-- nothing but a comment -->
```sh
make test

make lint
```
"""
HERE = EntryOrigin("2026-11-24", "user")


def texts(text: str) -> list[str]:
    return [entry.text for entry in entries_in(text)]


def test_list_items_and_paragraphs_written_by_hand_are_entries() -> None:
    assert texts(BY_HAND) == [
        "Answer in French,\nand briefly.",
        "Run them with `make`.\nTwice, if they are flaky.\n\nNever skip any.",
        "Use tabs - no blanks.",
        "Numbered",
        "```sh\nmake test\n\nmake lint\n```",
    ]
    assert [str(entry.origin) for entry in entries_in(BY_HAND)] == [
        "",
        "",
        "2026-11-23, model, ses_1",
        "",
        "",
    ]


def test_new_file_has_a_heading_and_entries_follow_at_the_end() -> None:
    text = with_entry("", "For everything", "Use tabs.", EntryOrigin("2026-11-23", "model", "ses_1"))
    assert text == "# For everything\n\n- Use tabs. <!-- 2026-11-23, model, ses_1 -->\n"
    assert texts(with_entry(text, "", "Answer in French.", HERE)) == ["Use tabs.", "Answer in French."]


def test_changes_leave_every_other_line_of_a_file_as_it_was() -> None:
    entries = entries_in(BY_HAND)
    changed = with_change(BY_HAND, entries[1], "Run them with `ninja`.", HERE)
    assert changed == BY_HAND.replace(
        "- Run them with `make`.\n  Twice, if they are flaky.\n\n  Never skip any.\n",
        "- Run them with `ninja`. <!-- 2026-11-24, user -->\n",
    )
    assert without_entries(BY_HAND, [entries[2], entries[0]]) == BY_HAND.replace(
        "Answer in French,\nand briefly.\n", ""
    ).replace("* Use tabs - no blanks. <!-- 2026-11-23, model, ses_1 -->\n", "")


def test_empty_file_and_file_of_headings_have_no_entries() -> None:
    assert texts("") == texts("# One\n\n## Two\n<!-- a\nb -->\n") == []
