"""PDFs are read as text: whole, by their pages, and with a word on what cannot be read."""

import asyncio
from pathlib import Path

import pytest

from agls.features.files.settings import Settings
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.file_tools import file_tools
from support.pdf_files import pdf
from support.toolbox import Toolbox

PAGES = [f"Words of page {number}\nand a second line" for number in range(1, 6)]


@pytest.fixture
def report(root: Path) -> Path:
    path = root / "report.pdf"
    path.write_bytes(pdf(PAGES, title="The Report"))
    return path


async def test_pdf_is_read_as_the_text_of_its_pages(tools: Toolbox, report: Path) -> None:
    outcome = await tools.call("read_file", path="report.pdf")
    assert outcome.status == "completed"
    lines = outcome.text.split("\n")
    assert lines[:4] == [
        '[report.pdf: PDF "The Report", pages 1 to 5 of 5.]',
        "1\t[Page 1]",
        "2\tWords of page 1",
        "3\tand a second line",
    ]
    assert lines[-1].endswith("\tand a second line"), "it is whole, so nothing is said of going on"


@pytest.mark.parametrize(
    ("pages", "first", "last"), [("3", 3, 3), ("2-4", 2, 4), ("4-", 4, 5), (" 5 - 9 ", 5, 5)]
)
async def test_pages_of_a_pdf_are_chosen(
    tools: Toolbox, report: Path, pages: str, first: int, last: int
) -> None:
    text = (await tools.call("read_file", path="report.pdf", pages=pages)).text
    for number in range(1, 6):
        assert (f"Words of page {number}" in text) is (first <= number <= last)


@pytest.mark.parametrize(
    ("pages", "problem"),
    [
        ("0", "'0' are no pages of a PDF. Write 3 for one, 2-5 for several, 7- to the end."),
        ("5-2", "'5-2' are no pages of a PDF."),
        ("one", "'one' are no pages of a PDF."),
        ("9", "report.pdf ends with page 5."),
    ],
)
async def test_pages_that_are_not_there_are_refused(
    tools: Toolbox, report: Path, pages: str, problem: str
) -> None:
    outcome = await tools.call("read_file", path="report.pdf", pages=pages)
    assert (outcome.status, problem in outcome.text) == ("failed", True)


async def test_long_pdf_comes_in_pages_and_says_where_to_go_on(root: Path) -> None:
    """What is asked for next begins where the last answer ended, to the end of the PDF."""
    (root / "long.pdf").write_bytes(pdf([f"Page {n}: {'word ' * 60}" for n in range(1, 21)]))
    small = file_tools(Settings(read_characters=2_000))
    tools = Toolbox(small, OpenWorkspace(str(root), (), FakeEditor(), Processes()))
    seen: list[str] = []
    wanted = ""
    while True:
        text = (await tools.call("read_file", path="long.pdf", pages=wanted)).text
        assert len(text) < 2_500
        seen += [line for line in text.split("\n") if "\tPage" in line]
        if "go on with pages " not in text:
            break
        wanted = text.rpartition("go on with pages ")[2].removesuffix(".]")
    assert [line.split("\t")[1].partition(":")[0] for line in seen] == [f"Page {n}" for n in range(1, 21)]


async def test_page_that_is_too_long_goes_on_by_its_lines(root: Path) -> None:
    (root / "long.pdf").write_bytes(
        pdf(["\n".join(f"Line {n} of a long page" for n in range(1, 101)), "end"])
    )
    small = file_tools(Settings(read_characters=1_000))
    tools = Toolbox(small, OpenWorkspace(str(root), (), FakeEditor(), Processes()))
    first = (await tools.call("read_file", path="long.pdf", pages="1")).text
    assert "go on with offset" in first
    offset = int(first.rpartition("offset ")[2].removesuffix(".]"))
    more = (await tools.call("read_file", path="long.pdf", pages="1", offset=offset)).text
    last = first.split("\n")[-2].split("\t")[1]
    assert f"Line {int(last.split()[1]) + 1} of a long page" in more


async def test_pdf_without_text_says_so_and_what_could_read_it(tools: Toolbox, root: Path) -> None:
    (root / "scan.pdf").write_bytes(pdf(["", ""]))
    outcome = await tools.call("read_file", path="scan.pdf")
    assert (outcome.status, outcome.text) == (
        "completed",
        "[scan.pdf: PDF, pages 1 to 2 of 2: no text, so they are probably images of text. "
        "A program for text recognition (ocrmypdf, tesseract) can make text of them.]",
    )


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (pdf(["secret"], password="p"), "locked.pdf: The PDF cannot be read (it needs a password)."),
        (b"%PDF-1.7\n\0damaged", "locked.pdf: The PDF cannot be read ("),
    ],
)
async def test_pdf_that_cannot_be_read_is_a_failure_that_says_why(
    tools: Toolbox, root: Path, data: bytes, problem: str
) -> None:
    (root / "locked.pdf").write_bytes(data)
    outcome = await tools.call("read_file", path="locked.pdf")
    assert (outcome.status, outcome.text.startswith(problem)) == ("failed", True)


async def test_pdf_that_was_read_is_not_written_over_as_text(tools: Toolbox, report: Path) -> None:
    before = report.read_bytes()
    await tools.call("read_file", path="report.pdf")
    for name, arguments in (
        ("write_file", {"content": "x"}),
        ("edit_file", {"old_text": "Words of page 1", "new_text": "x"}),
    ):
        outcome = await tools.call(name, path="report.pdf", **arguments)
        assert (outcome.status, report.read_bytes()) == ("failed", before)


async def test_pages_of_a_text_file_are_refused_with_what_to_use(tools: Toolbox, root: Path) -> None:
    (root / "a.txt").write_text("x\n")
    outcome = await tools.call("read_file", path="a.txt", pages="1")
    assert (outcome.status, "offset and limit" in outcome.text) == ("failed", True)


async def test_cancel_ends_the_program_that_reads_a_pdf(tools: Toolbox, root: Path) -> None:
    (root / "long.pdf").write_bytes(pdf(["word " * 2_000] * 1_000))  # read in a second or more
    reading = asyncio.ensure_future(tools.call("read_file", path="long.pdf", pages="1-"))
    await asyncio.sleep(0.3)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(5):
            await reading
