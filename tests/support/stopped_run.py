"""A run with everything in it behind a real model server, for tests that end it at any of its events.

Thinking, text, two reads side by side, a shell command and an edit (both after a permission question), a
form, and an answer that has no end: so a run ends only because somebody ends it.
"""

from collections.abc import Mapping, Sequence

from support.model_server import Answer, Failure, ModelServer, Reply, Request
from support.wire import Message

PAUSE = 0.004  # seconds between two pieces, so that they are events of their own
READS = Reply(
    ["I ", "read."], thinking="I should look first.", delay=PAUSE,
    calls=[("read_file", {"path": "a.txt"}), ("read_file", {"path": "open.txt"})],
)  # fmt: skip
RUNS = Reply("I run.", calls=[("shell", {"command": "echo one; sleep 0.02; touch made.txt; echo two"})])
EDITS = Reply(
    "I edit.",
    calls=[("edit_file", {"path": "open.txt", "old_text": "old line", "new_text": "new line"})],
)
ASKS = Reply("I ask.", calls=[("ask_user", {"question": "Which?", "choices": ["red", "blue"]})])
WORK = (READS, RUNS, EDITS, ASKS)
WORDS = ["All ", "of ", "it ", "done."]
ENDLESS = Reply(WORDS, delay=PAUSE, cut_after=1 + len(WORDS), then="hang")
HALVES = ("left half", "right half")  # what the two helpers of "a tree" do
PARTS: Mapping[str, Sequence[Answer]] = {
    "everything": [*WORK, ENDLESS],
    "all of it": [*WORK, Reply(WORDS, delay=PAUSE)],
    "shortly": [Reply(["It ", "is ", "done."], thinking="Easy.", delay=PAUSE)],
    "a tree": [],  # see `play`
    HALVES[0]: [RUNS, ENDLESS],
    HALVES[1]: [READS, ENDLESS],
    "next": [Reply("The next one.")],
}
EVENTS = 80  # of "everything", and a few


def play(request: Request) -> Answer:
    """What the model says: the newest prompt decides, and how often it spoke since."""
    messages: list[Message] = request.body["messages"]
    part, place = newest(request)
    spoken = sum(message["role"] == "assistant" for message in messages[place:])
    known = PARTS.get(part, ())
    if part == "a tree":
        name = str(messages[place]["content"]).rpartition("a tree (")[2].partition(")")[0]
        tasks = [{"prompt": f"{half} ({name})", "label": half[0]} for half in HALVES]
        known = (Reply(calls=[("delegate", {"tasks": tasks})]), Reply("All done."))
    return known[spoken] if spoken < len(known) else Failure(400, f"{part!r} has no more to say")


def newest(request: Request) -> tuple[str, int]:
    """Which part the newest prompt is, "" for none, and its place. Prompts without an answer are one."""
    found = ("", 0)
    for place, message in enumerate(request.body["messages"]):
        if message["role"] == "user":
            said = str(message["content"])
            last = max(PARTS, key=lambda part: said.rfind(f"{part} ("))
            found = (last, place) if f"{last} (" in said else found
    return found


def posts_of(model: ModelServer, name: str) -> list[Request]:
    """The requests of the session whose prompts bear this name in parentheses."""
    return [request for request in model.posts if f"({name})" in str(request.body["messages"])]


def is_last(event: Message) -> bool:
    """Whether the answer that has no end says its last word."""
    return event["type"] == "itemDelta" and event["data"].get("append", "").endswith("done.")
