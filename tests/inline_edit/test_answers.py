"""The code of a model's answer: whatever it stands in, and however it is cut into pieces."""

import random

import pytest

from agls.inline_edit import CodeStream

ANSWERS = {
    "plain": ("x = 1\ny = 2", "x = 1\ny = 2"),
    "blank lines around": ("\n\n    x = 1\n\n", "    x = 1"),
    "blank lines inside": ("a\n\n  \nb", "a\n\n  \nb"),
    "fenced": ("```python\nx = 1\n```", "x = 1"),
    "fenced, with words behind": ("```\nx = 1\n```\nThat is it.", "x = 1"),
    "fenced, with a fence in a line": ('```py\nx = "```"\n\n    y = 2\n```\n', 'x = "```"\n\n    y = 2'),
    "fence without an end": ("```py\nx = 1\n", "x = 1"),
    "ticks that are no fence": ("``x``\n", "``x``"),
    "a fence inside": ("Read this:\n```\nx\n```\nand that", "Read this:\n```\nx\n```\nand that"),
    "nothing": ("\n", ""),
    "windows": ("```\r\nx = 1\r\ny\r\n```\r\n", "x = 1\ny"),
}


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_code_of_an_answer_in_pieces_is_that_of_the_whole(name: str, size: int) -> None:
    answer, code = ANSWERS[name]
    stream = CodeStream()
    pieces = [stream.add(answer[at : at + size]) for at in range(0, len(answer), size)]
    assert "".join([*pieces, stream.rest()]) == code


def test_code_comes_before_the_answer_is_over() -> None:
    stream = CodeStream()
    assert [stream.add(piece) for piece in ("```py", "\nx =", " 1", "\n")] == ["", "x =", " 1", ""]


def test_code_of_random_answers_in_random_pieces_is_that_of_the_whole() -> None:
    chance = random.Random(18)
    for _ in range(2000):
        answer = "".join(chance.choice(["`", "``", "```", "\n", " ", "x", "\r\n"]) for _ in range(12))
        whole, stream, code, left = CodeStream(), CodeStream(), "", answer
        expected = whole.add(answer) + whole.rest()
        while left:
            size = chance.randint(1, 3)
            code, left = code + stream.add(left[:size]), left[size:]
        assert code + stream.rest() == expected, repr(answer)
