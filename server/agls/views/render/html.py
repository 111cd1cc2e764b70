"""What happened in a session as one HTML page: nothing is loaded from elsewhere, nothing in it runs."""

from collections.abc import Iterable, Sequence
from html import escape

from agls.engine.vocabulary import JsonObject
from agls.regex import regex
from agls.views.escape import escape_controls
from agls.views.render.walker import Work, render

_IMAGE = regex(r"image/(png|jpeg|gif|webp)")
_BASE64 = regex(r"[A-Za-z0-9+/=\s]*")
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
    """Return the whole page. `info` is what the session is called and where it works."""
    title = " ".join(str(info.get("title") or "A session with agls").split())
    body = "".join(render(events, HtmlFormat()))
    return _PAGE.format(
        title=_safe(title), session=_safe(session_id), folder=_safe(str(info.get("cwd", ""))), body=body
    )


class HtmlFormat:
    """Implements `PageFormat`."""

    def user(self, item_id: str, blocks: Sequence[JsonObject]) -> str:
        """Return what the user said."""
        return _section("user", "You", "".join(_block(block) for block in blocks))

    def message(self, text: str, cut: str) -> str:
        """Return what the model said."""
        note = f'<p class="note">({_safe(cut)})</p>' if cut else ""
        return _section("agent", "agls", _text(text) + note)

    def thought(self, text: str) -> str:
        """Return what the model thought, folded."""
        return f'<details class="thought"><summary>Thought</summary>{_pre(text)}</details>\n'

    def work(self, work: Work) -> str:
        """Return a call, folded: its command or its input, its diffs, output and images."""
        parts = [_pre(f"$ {work.command}" if work.command else work.input)]
        parts.append(f"<p>exit code {work.exit_code}</p>" if work.exit_code is not None else "")
        parts += map(_pre, work.patches)
        parts.append(_pre(work.output) if work.output else "")
        parts += map(_image, work.images)
        summary = _safe(f"{work.title}: {work.status}")
        return f"<details><summary>{summary}</summary>{''.join(parts)}</details>\n"

    def edit(self, title: str, uris: Sequence[str], patches: Sequence[str]) -> str:
        """Return an edit that was made outside of a call."""
        summary = _safe(f"{title}: {', '.join(uris)}")
        return f"<details open><summary>{summary}</summary>{''.join(map(_pre, patches))}</details>\n"

    def note(self, title: str, text: str) -> str:
        """Return what was said in the user's place."""
        return f'<section class="note"><p>{_safe(title)}</p>{_text(text)}</section>\n'

    def question(self, title: str, text: str) -> str:
        """Return a question, and what must be seen before a yes."""
        return _section("note", "Asked", _text(title) + (_pre(text) if text else ""))

    def answer(self, words: str) -> str:
        """Return how a question ended."""
        return f'<p class="note">Answered: {_safe(words)}</p>\n'

    def rule(self, words: str) -> str:
        """Return a line across the page, with the reason for it."""
        return f'<hr><p class="note">{_safe(words)}</p>\n'


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


def _section(kind: str, heading: str, body: str) -> str:
    return f'<section class="{kind}"><h2>{heading}</h2>{body}</section>\n'


def _safe(text: str) -> str:
    return escape(escape_controls(text.replace("\r\n", "\n")))


def _text(text: str) -> str:
    return f'<div class="text">{_safe(text)}</div>'


def _pre(text: str) -> str:
    return f"<pre>{_safe(text)}</pre>"
