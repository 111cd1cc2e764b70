"""What happened in a session as one HTML page: nothing is loaded from elsewhere, nothing in it runs."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from html import escape

from agls.engine.vocabulary import JsonObject
from agls.views.escape import escape_controls
from agls.views.wire_json import is_object

_IMAGE = re.compile(r"image/(png|jpeg|gif|webp)")
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; font-size: .9em; margin: .3rem 0; }}
section, details {{ border-left: .2rem solid #8886; padding: .1rem 0 .1rem .8rem; margin: 1rem 0; }}
section.user {{ border-color: #2a6fdb; }}
section h2 {{ font-size: .85rem; margin: 0; opacity: .7; }}
.text {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
.thought, .note {{ opacity: .7; font-style: italic; }}
img {{ max-width: 100%; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p><code>{session}</code> {folder}</p>
{body}</body>
</html>
"""


def html_page(session_id: str, info: JsonObject, events: Iterable[JsonObject]) -> str:
    """The whole page. `info` is what the session is called and where it works."""
    title = " ".join(str(info.get("title") or "A session with agls").split())
    body = "".join(TOLD[event["type"]](event["data"]) for event in events if event["type"] in TOLD)
    return _PAGE.format(
        title=_safe(title), session=_safe(session_id), folder=_safe(str(info.get("cwd", ""))), body=body
    )


def _safe(text: str) -> str:
    return escape(escape_controls(text.replace("\r\n", "\n")))


def _item(data: JsonObject) -> str:
    item = data["item"]
    tell = ITEMS.get(item["kind"])
    return "" if tell is None or item.get("discarded") else tell(item)


def _user(item: JsonObject) -> str:
    return _section("user", "You", "".join(_block(block) for block in item.get("content", [])))


def _block(block: JsonObject) -> str:
    match block["type"]:
        case "text":
            return _text(block["text"])
        case "resource":
            return f"<details><summary>{_safe(block['uri'])}</summary>{_pre(block['text'])}</details>"
        case "resourceLink":
            return f"<p><code>{_safe(block['uri'])}</code></p>"
        case "image":
            return _image(block)
        case other:
            return f"<p>({_safe(str(other))})</p>"


def _image(block: JsonObject) -> str:
    kind, data = str(block.get("mimeType", "")), str(block.get("data", ""))
    if not (_IMAGE.fullmatch(kind) and _BASE64.fullmatch(data)):
        return "<p>(image)</p>"
    return f'<img alt="image" src="data:{kind};base64,{"".join(data.split())}">\n'


def _message(item: JsonObject) -> str:
    cut = "" if item["status"] == "completed" else f'<p class="note">({_safe(item["status"])})</p>'
    text = item.get("text", "")
    return _section("agent", "agls", _text(text) + cut) if text or cut else ""


def _thought(item: JsonObject) -> str:
    text = item.get("text", "").strip()
    return f'<details class="thought"><summary>Thought</summary>{_pre(text)}</details>\n' if text else ""


def _call(item: JsonObject) -> str:
    parts: list[str] = []
    if terminal := item.get("terminal"):
        code = terminal.get("exitCode")
        parts.append(_pre(f"$ {terminal['command']}"))
        parts.append(f"<p>exit code {code}</p>" if code is not None else "")
    else:
        parts.append(_pre(json.dumps(item.get("input", {}), ensure_ascii=False, indent=1)))
    parts += [_pre(change["patch"]) for change in item.get("changes", []) if change["patch"]]
    parts.append(_pre(item["output"]) if item.get("output") else "")
    parts += map(_image, item.get("images", []))
    summary = f"{item.get('title') or item['name']}: {item['status']}"
    return f"<details><summary>{_safe(summary)}</summary>{''.join(parts)}</details>\n"


def _edit(item: JsonObject) -> str:
    uris = ", ".join(change["uri"] for change in item["changes"])
    patches = "".join(_pre(change["patch"]) for change in item["changes"] if change["patch"])
    summary = _safe(f"{item['title']}: {uris}")
    return f"<details open><summary>{summary}</summary>{patches}</details>\n"


def _said(item: JsonObject) -> str:
    heading = f"<p>{_safe(str(item.get('title', item['kind'])))}</p>"
    return f'<section class="note">{heading}{_text(item.get("text", ""))}</section>\n'


ITEMS: Mapping[str, Callable[[JsonObject], str]] = {
    "userMessage": _user,
    "message": _message,
    "thought": _thought,
    "toolCall": _call,
    "task": _call,
    "fileEdit": _edit,
    "notice": _said,
    "compaction": _said,
}


def _asked(data: JsonObject) -> str:
    shown = data.get("shown")
    text = str(shown["text"]) if is_object(shown) else ""
    return _section("note", "Asked", _text(data["title"]) + (_pre(text) if text else ""))


def _answered(data: JsonObject) -> str:
    return f'<p class="note">Answered: {_safe(" ".join((data["outcome"], data.get("optionId", ""))))}</p>\n'


def _ended(data: JsonObject) -> str:
    why = data.get("error", {}).get("message", data.get("detail", ""))
    return f'<hr><p class="note">{_safe(data["stopReason"])}{_safe(f": {why}" if why else "")}</p>\n'


def _went_back(data: JsonObject) -> str:
    what = "The conversation went back" if data["conversation"] else "Files went back"
    return f'<hr><p class="note">{what} ({_safe(data["checkpointId"])})</p>\n'


TOLD: Mapping[str, Callable[[JsonObject], str]] = {
    "itemCompleted": _item,
    "requestOpened": _asked,
    "requestResolved": _answered,
    "runEnded": _ended,
    "historyRewound": _went_back,
}


def _section(kind: str, heading: str, body: str) -> str:
    return f'<section class="{kind}"><h2>{heading}</h2>{body}</section>\n'


def _text(text: str) -> str:
    return f'<div class="text">{_safe(text)}</div>'


def _pre(text: str) -> str:
    return f"<pre>{_safe(text)}</pre>"
