"""Documents as text: HTML becomes Markdown, a PDF its words. A program of its own.

A document may take any time and memory to read, so it is read by a process that can be ended. It gets one
question as JSON on its standard input and writes one answer as JSON to its standard output.
"""

import io
import json
import logging
import os
import re
import sys
from base64 import b64decode
from html.parser import HTMLParser
from typing import IO, Any
from urllib.parse import urljoin

MOST_MEMORY = 1_000_000_000  # bytes
DEPTH = 6_000  # frames of Python
ENOUGH = 200  # characters of a main part, so that the rest of the page may go
DROPPED = (
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "iframe",
    "canvas",
    "object",
    "embed",
    "head",
    "title",
)
AROUND = ("nav", "footer", "aside", "form", "button", "dialog")
BLOCKS = re.compile(
    "address|article|blockquote|br|d[dlt]|div|fieldset|figure|h[1-6]|header|hr|li|main|ol|p|pre|section|table|tr|ul"
)
_SENT_ON = re.compile(r"[\s\d.]*[;,]?\s*(?:url\s*=\s*)?['\"]?([^'\"]*)['\"]?", re.IGNORECASE)
_NAMES_LANGUAGE = re.compile(
    r"(?:language|lang|highlight-source|highlight|brush:?)-(?!(?:default|none|text)$)([\w+#-]{1,30})"
)
_BEFORE_LANGUAGE = {"sourceCode", "hljs", "brush:"}  # classes beside which the language stands alone
_LANGUAGE = re.compile(r"[a-z][a-z0-9+#]{0,19};?")
_LINKED = re.compile(r"(?:https?|mailto|ftp):", re.IGNORECASE)
_GAPS = re.compile(r"\n[ \t]*(?:\n[ \t]*){2,}")
_TRAILING = re.compile(r"[ \t]+(?=\n)")


def main() -> None:
    """Read the question, and write the title and the text; or what is wrong with the document."""
    _bound()
    asked = json.load(sys.stdin)
    handle: int = asked["handle"]
    source = io.BytesIO(b64decode(asked["data"])) if handle < 0 else os.fdopen(handle, "rb")
    try:
        if asked["kind"] == "pdf":
            answer: dict[str, Any] = pdf_text(source, asked["first"], asked["last"], asked["most"])
        else:
            title, text = markdown(source.read(), asked["base"], asked["charset"])
            answer = {"title": title, "text": text}
    except Exception as problem:  # noqa: BLE001 - libraries raise what they like at documents that are damaged
        answer = {"problem": f"{type(problem).__name__}: {problem}"[:300]}
    sys.stdout.write(json.dumps(answer))


def _bound() -> None:
    """Bound what the libraries may take, and keep what they say out of the answer."""
    logging.disable()
    sys.setrecursionlimit(DEPTH)
    try:
        import resource  # noqa: PLC0415 - not on every platform
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def markdown(data: bytes, base: str, charset: str) -> tuple[str, str]:
    """Return the title of a page, and its main part as Markdown with whole addresses."""
    from bs4 import BeautifulSoup  # noqa: PLC0415 - the tests of this module alone need no more

    soup = BeautifulSoup(data, "html.parser", from_encoding=charset or None)
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    try:
        return title, _tidied(_converted(soup, base))
    except (RecursionError, MemoryError):  # nested deeper than any page for people
        return title, _tidied(_words(data.decode(charset or "utf-8", "replace")))


def _converted(soup: Any, base: str) -> str:
    from markdownify import MarkdownConverter  # noqa: PLC0415 - see above

    if soup.base and soup.base.get("href"):
        base = _joined(base, str(soup.base["href"])) or base
    sent_on = _sent_on(soup, base)
    _name_frames(soup)
    for element in soup(DROPPED):
        element.decompose()
    part = _main_part(soup)
    for element in part(AROUND) if part.name != "[document]" or _length(part) > ENOUGH else ():
        if not element.decomposed and _length(element) < _length(part) / 2:
            element.decompose()
    _complete_links(part, base)
    _simplify(soup, part)
    converter = MarkdownConverter(
        heading_style="ATX",
        bullets="-",
        escape_asterisks=False,
        escape_underscores=False,
        code_language_callback=_language,
        table_infer_header=True,
    )
    return sent_on + converter.convert_soup(part)


def _main_part(soup: Any) -> Any:
    """Return what the page itself calls its main part, if there is one of some length; else all of it."""
    for found in (soup.find_all("main"), soup.find_all(attrs={"role": "main"}), soup.find_all("article")):
        if len(found) == 1 and _length(found[0]) >= ENOUGH:
            return found[0]
    return soup


def _length(element: Any) -> int:
    return sum(len(text.strip()) for text in element.strings)


def _complete_links(part: Any, base: str) -> None:
    """Write addresses in full. What leads to no page, and images that are data, go."""
    for link in part("a"):
        address = _joined(base, str(link.get("href") or ""))
        if _LINKED.match(address) and link.get_text(strip=True):
            link["href"] = address
            del link["title"]
        else:
            link.unwrap()
    for image in part("img"):
        address = _joined(base, str(image.get("src") or ""))
        if _LINKED.match(address) and image.get("alt"):
            image["src"] = address
            del image["title"]
        else:
            image.replace_with(str(image.get("alt") or ""))


def _sent_on(soup: Any, base: str) -> str:
    """Return where the page sends its readers by itself, as a line of its text; "" where it does not."""
    for meta in soup("meta", attrs={"http-equiv": re.compile("^refresh$", re.IGNORECASE)}):
        found = _SENT_ON.fullmatch(str(meta.get("content") or "").strip())
        address = _joined(base, found[1]) if found else ""
        if _LINKED.match(address):
            return f"[This page sends its readers on to {address}]\n\n"
    return ""


def _name_frames(soup: Any) -> None:
    """Make links of the frames that a page consists of, and of those in it that have a title."""
    for frame in soup(("frame", "iframe")):
        name = frame.get("title") or (frame.get("name") or frame.get("src") if frame.name == "frame" else "")
        if not (name and frame.get("src")):
            continue
        link = soup.new_tag("a", href=frame["src"])
        link.string = f"Frame: {name}"
        line = soup.new_tag("p")
        line.append(link)
        frame.insert_before(line)


def _simplify(soup: Any, part: Any) -> None:
    """Make of tables and folded parts what Markdown can say."""
    for summary in part("summary"):
        summary.name = "p"
    for table in part("table"):
        inner = [
            each
            for each in table(("caption", "thead", "tbody", "tfoot", "tr", "td", "th"))
            if each.find_parent("table") is table
        ]
        if table.find("table"):  # it only places what it holds
            for each in (table, *inner):
                each.name = "div"
            continue
        for each in inner:
            if each.name == "caption":
                each.name = "p"
                table.insert_before(each.extract())
        for text in table.find_all(string=re.compile(r"\|")):
            text.replace_with(text.replace("|", "\\|"))


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address.strip()) if address and not address.startswith("#") else ""
    except ValueError:
        return ""


def _language(element: Any) -> str:
    """Return the language of a block of code, as highlighters write it into classes and attributes."""
    inner = element.find("code")
    parents = [each for each in element.parents if each.name == "div" and len(each("pre")) == 1][:2]
    places = [each for each in (element, inner, *parents) if each]
    for place in places:
        names = list(place.get("class") or ())
        found = [match[1] for match in map(_NAMES_LANGUAGE.fullmatch, names) if match]
        if _BEFORE_LANGUAGE.intersection(names):
            found += [name.rstrip(";") for name in names if _LANGUAGE.fullmatch(name) and name != "hljs"]
        found += [str(place[name]) for name in ("data-lang", "data-language", "lang") if place.get(name)]
        if found and place.name in {"pre", "code", "div"}:
            return found[0] if re.fullmatch(r"[\w+#-]{1,30}", found[0]) else ""
    return ""


def _tidied(text: str) -> str:
    return _GAPS.sub("\n\n", _TRAILING.sub("", text)).strip()


class _WordCollector(HTMLParser):
    """Collects the words of a page whatever its nesting, in constant depth."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._hidden = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in {"script", "style"}:
            self._hidden = tag
        if BLOCKS.fullmatch(tag):
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._hidden:
            self._hidden = ""
        if BLOCKS.fullmatch(tag):
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def _words(html: str) -> str:
    collector = _WordCollector()
    collector.feed(html)
    return "".join(collector.parts)


def pdf_text(source: IO[bytes], first: int, last: int, most: int) -> dict[str, Any]:
    """Return the title of a PDF, how many pages it has, and their words, from `first` to `last` (0: the end).

    They are as many as have `most` characters together (0: all), and always one; `last` is the last of them.
    """
    from pypdf import PdfReader  # noqa: PLC0415 - only for these

    reader = PdfReader(source)
    if reader.is_encrypted and not reader.decrypt(""):
        return {"problem": "it needs a password"}
    title = " ".join(str(reader.metadata.title or "").split()) if reader.metadata else ""
    count = len(reader.pages)
    end = min(last or count, count)
    parts: list[str] = []
    number = first - 1
    size = 0
    while number < end:
        text = reader.pages[number].extract_text().strip()
        size += len(text)
        if parts and most and size > most:
            break
        number += 1
        if text:
            parts.append(f"[Page {number}]\n{text}")
    return {"title": title, "text": "\n\n".join(parts), "pages": count, "last": number}


if __name__ == "__main__":
    main()
