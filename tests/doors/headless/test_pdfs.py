"""The real program reads a PDF: the model gets the text of the pages it wants."""

from doors.headless.conftest import Agls
from support.pdf_files import pdf
from support.rich_run import call


def test_pages_of_a_pdf_reach_the_model_as_text(agls: Agls) -> None:
    (agls.workspace / "report.pdf").write_bytes(pdf([f"Words of page {n}" for n in range(1, 4)], "Report"))
    agls.script(
        {"calls": [call("read_file", path="report.pdf")]},
        {"calls": [call("read_file", path="report.pdf", pages="2")]},
        {"text": "done"},
    )
    done = agls.run("run", "--output", "jsonl", "What does it say?")
    assert done.code == 0, done.err
    ended = [event["data"]["item"] for event in done.events if event["type"] == "itemCompleted"]
    whole, page = (item["output"] for item in ended if item["kind"] == "toolCall")
    assert whole.startswith('[report.pdf: PDF "Report", pages 1 to 3 of 3.]\n')
    assert all(f"Words of page {n}" in whole for n in range(1, 4))
    assert page == '[report.pdf: PDF "Report", page 2 of 3.]\n1\t[Page 2]\n2\tWords of page 2'


def test_pages_of_a_manual_of_any_size_are_read(agls: Agls) -> None:
    """Sixty million bytes. A file that only mentions a PDF at its beginning is read as text."""
    pages = [f"Words of page {n}" for n in range(1, 201)]
    (agls.workspace / "manual.pdf").write_bytes(pdf(pages, "Manual", padding=60_000_000))
    (agls.workspace / "odd.pdf").write_bytes(b"mail\n" + pdf(pages, padding=11_000_000))
    (agls.workspace / "log.txt").write_bytes(b"%%%%PDF-1.4 was made\n" + b"made\n" * 2_400_000)
    agls.script(
        {"calls": [call("read_file", path="manual.pdf", pages="140-142")]},
        {"calls": [call("read_file", path="manual.pdf", pages="201")]},
        {"calls": [call("read_file", path="odd.pdf", pages="3")]},
        {"calls": [call("read_file", path="log.txt", limit=1)]},
        {"text": "done"},
    )
    done = agls.run("run", "--output", "jsonl", "What do they say?")
    assert done.code == 0, done.err
    ended = [event["data"]["item"] for event in done.events if event["type"] == "itemCompleted"]
    some, none, odd, log = (item["output"] for item in ended if item["kind"] == "toolCall")
    assert some.startswith('[manual.pdf: PDF "Manual", pages 140 to 142 of 200.]\n1\t[Page 140]\n')
    assert [f"Words of page {n}" in some for n in (139, 140, 142, 143)] == [False, True, True, False]
    assert none == "manual.pdf ends with page 200."
    assert odd == "[odd.pdf: PDF, page 3 of 200.]\n1\t[Page 3]\n2\tWords of page 3"
    assert log.startswith("1\t%%%%PDF-1.4 was made\n")
