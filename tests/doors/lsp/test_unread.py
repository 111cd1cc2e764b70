"""What an editor said and nobody could read: the text of that document is unknown, and is not written to."""

import json
from collections.abc import Callable

import pytest

from support.wire import Message

from .conftest import Serve
from .test_editing import Opened, edit_call, read_call

TEXT = "one\ntwo\n"
LARGEST = 32 * 1024 * 1024


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def not_utf8(message: Message) -> bytes:
    """As an editor writes a buffer in another encoding."""
    return framed(json.dumps(message).encode().replace(b"typed", b"t\xffped"))


def too_deep(message: Message) -> bytes:
    deep = json.loads("[" * 500 + "]" * 500)
    return framed(json.dumps({**message, "params": {**message["params"], "_meta": deep}}).encode())


def too_large(message: Message) -> bytes:
    """With what matters at the end."""
    body = json.dumps({"_meta": "x" * LARGEST, **dict(reversed(message.items()))}).encode()
    return framed(body)


def too_many(message: Message) -> bytes:
    body = json.dumps({**message, "params": {**message["params"], "_meta": [0] * 600_000}}).encode()
    return framed(body)


@pytest.mark.parametrize("garble", [not_utf8, too_deep, too_large, too_many])
def test_document_with_an_unreadable_change_is_not_used_until_reopened(
    serve: Serve, garble: Callable[[Message], bytes]
) -> None:
    opened = Opened(serve, TEXT, read_call(), edit_call("two", "2"), "done")
    wire, editor = opened.wire, opened.editor
    tell = editor.notify
    editor.notify = lambda method, params: wire.write(
        garble({"jsonrpc": "2.0", "method": method, "params": params})
    )
    editor.type(opened.uri, 0, "typed\n")
    refused = wire.until(lambda m: m.get("id", 0) is None)["error"]
    assert refused["code"] in {-32600, -32700}
    editor.notify = tell
    editor.append(opened.uri, "more\n")
    opened.run()
    assert opened.call["status"] == "failed"
    assert "open it again" in opened.call["output"]
    assert (opened.text, editor.asked) == ("typed\none\ntwo\nmore\n", [])
    assert opened.file.read_text() == TEXT, "nor was it written behind the editor's back"

    editor.close(opened.uri)
    editor.open(opened.uri, "typed\none\ntwo\nmore\n")
    opened.run()
    assert opened.call["status"] == "completed", opened.call
    assert opened.text == "typed\none\n2\nmore\n"


def test_unreadable_message_about_no_document_leaves_documents_usable(serve: Serve) -> None:
    opened = Opened(serve, TEXT, read_call(), edit_call("two", "2"), "done")
    opened.wire.write(framed(b'{"jsonrpc":"2.0","id":7,"method":"agent/run","params":{"input":"\xff"}}'))
    about = json.dumps({"a": '{"method":"textDocument/didChange"}'}).encode()
    opened.wire.write(framed(about[:-1]))
    opened.run()
    assert (opened.call["status"], opened.text) == ("completed", "one\n2\n")


def test_a_document_whose_opening_could_not_be_read_is_not_written_on_the_disk(serve: Serve) -> None:
    opened = Opened(serve, TEXT, read_call(), edit_call("two", "2"), "done")
    opened.editor.close(opened.uri)
    document = {"uri": opened.uri, "languageId": "text", "version": 1, "text": "typed"}
    said = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}
    opened.wire.write(not_utf8(said))
    opened.run()
    assert (opened.call["status"], opened.file.read_text()) == ("failed", TEXT)


def test_a_lost_document_is_known_by_every_name_of_its_file(serve: Serve) -> None:
    opened = Opened(serve, TEXT, read_call(), edit_call("two", "2"), "done")
    opened.editor.close(opened.uri)
    link = opened.wire.workspace / "link.txt"
    link.symlink_to(opened.file)
    opened.editor.open_file(link)
    change = {"textDocument": {"uri": link.as_uri(), "version": 2}, "contentChanges": [{"text": "typed"}]}
    opened.wire.write(not_utf8({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": change}))
    opened.run()
    assert (opened.call["status"], opened.file.read_text()) == ("failed", TEXT)


@pytest.mark.parametrize(
    ("change", "text"),
    [({"range": None, "text": "one\ntwo\nand more\n"}, "one\n2\nand more\n"), ({"text": None}, "")],
    ids=["no range", "no text"],
)
def test_null_members_of_a_document_change_count_as_absent(serve: Serve, change: Message, text: str) -> None:
    opened = Opened(serve, TEXT, read_call(), edit_call("two", "2"), "done")
    document = opened.editor.documents[opened.uri]
    document.text, document.version = change["text"] or "", 2
    changed = {"textDocument": {"uri": opened.uri, "version": 2}, "contentChanges": [change]}
    opened.wire.notify("textDocument/didChange", changed)
    opened.run()
    assert opened.text == text
    assert (opened.call["status"] == "failed") == (not text)
