"""`file:` URIs as editors write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.engine.ports import WorkspaceError
from agls.workspace.uris import is_file_uri, to_path, to_uri


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/a/b.py", "file:///a/b.py"),
        ("/a b/c#d?e%f", "file:///a%20b/c%23d%3Fe%25f"),
        ("/c:/x@y", "file:///c%3A/x%40y"),
        ("/ä/日本.txt", "file:///%C3%A4/%E6%97%A5%E6%9C%AC.txt"),
        ("/bad\udcff", "file:///bad%FF"),
    ],
)
def test_a_path_becomes_the_uri_an_editor_writes_and_back(path: str, uri: str) -> None:
    assert to_uri(path) == uri
    assert to_path(uri) == path


@given(st.text(st.characters(exclude_characters="\0/", exclude_categories=["Cs"]), min_size=1))
def test_every_name_survives_the_round_trip(name: str) -> None:
    assert to_path(to_uri(f"/{name}")) == f"/{name}"


@pytest.mark.parametrize("uri", ["file://localhost/a", "FILE:///a", "file:/a", "file:///a#L3", "file:///%61"])
def test_other_spellings_are_understood(uri: str) -> None:
    assert to_path(uri) == "/a"


@pytest.mark.parametrize(
    "uri",
    [
        "file://server/share/a",
        "file:///folder/..%2F..%2Fetc/passwd",
        "file:///a%2fb",
        "file:///a%00b",
        "untitled:Untitled-1",
        "https://example.org/a",
        "file://[broken/a",
    ],
)
def test_uri_of_no_local_file_is_refused(uri: str) -> None:
    with pytest.raises(WorkspaceError, match=r"plain path|not a URI"):
        to_path(uri)


def test_only_file_uris_are_taken_for_uris() -> None:
    assert is_file_uri("file:///a")
    assert not is_file_uri("file:a")
    assert not is_file_uri("untitled:Untitled-1")
