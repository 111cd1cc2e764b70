"""Reasoning that stands in the text, in leading tags."""

import pytest

from agls.models.dialects.thinking import LeadingThought


def divided(text: str, size: int) -> tuple[str, str]:
    divider = LeadingThought()
    parts = [divider.feed(text[i : i + size]) for i in range(0, len(text), size)] + [divider.close()]
    return "".join(thinking for thinking, _ in parts), "".join(said for _, said in parts)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 100])
@pytest.mark.parametrize(
    ("text", "thinking", "said"),
    [
        ("<think>why</think>\n\nbecause", "why", "because"),
        (" \n<thinking>a </think> b</thinking>c", "a </think> b", "c"),
        ("<reasoning>cut off", "cut off", ""),
        ("<think>cut in the tag</thi", "cut in the tag</thi", ""),
        ("no tag <think>x</think>", "", "no tag <think>x</think>"),
        ("<thin air", "", "<thin air"),
        ("<", "", "<"),
        ("<think></think>", "", ""),
        ("<think>a</think>b<think>c</think>", "a", "b<think>c</think>"),
        ("", "", ""),
        ("  \n", "", "  \n"),
    ],
)
def test_a_leading_block_is_thinking_however_it_is_cut(
    text: str, thinking: str, said: str, size: int
) -> None:
    assert divided(text, size) == (thinking, said)


def test_text_without_a_tag_is_handed_on_at_once() -> None:
    divider = LeadingThought()
    assert divider.feed("<b") == ("", "<b")
    assert divider.feed("<think>") == ("", "<think>")
