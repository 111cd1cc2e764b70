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
