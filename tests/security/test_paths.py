"""P4: the file tools stay in the workspace, whatever path the model gives.

The model asks every tool for every path in one run; the user is away. What it read is what came back
to the model server; what it changed shows on the disk.
"""

import threading

import pytest

from .attacker import CANARY, Call, House, call, snapshot

pytestmark = pytest.mark.promise("P4")

SPELLINGS = {
    "absolute": "{outside}/canary.txt",
    "double slash": "//{outside}/canary.txt",
    "parents": "../elsewhere/canary.txt",
    "parents from below": "src/../../elsewhere/canary.txt",
    "parents from a missing folder": "nowhere/../../elsewhere/canary.txt",
    "through the root": "{root}/../elsewhere/canary.txt",
    "many parents": "../../../../../../../../../../../../../../../../{outside}/canary.txt",
    "sibling with the same prefix": "{root}-evil/canary.txt",
    "link to a file": "link.txt",
    "link to a folder": "folder/canary.txt",
    "link to a link": "chain/canary.txt",
    "parent after a link": "folder/../elsewhere/canary.txt",
    "link to the parent": "up/elsewhere/canary.txt",
    "link to /": "slash{outside}/canary.txt",
    "dangling link": "dangling/new.txt",
    "magic link": "/proc/self/root{outside}/canary.txt",
    "link to a magic link": "magic{outside}/canary.txt",
    "folder of the process": "/proc/self/cwd/../elsewhere/canary.txt",
    "environment": "/proc/self/environ",
    "uri": "file://{outside}/canary.txt",
    "uri with dots": "file://{root}/../elsewhere/canary.txt",
    "uri with encoded dots": "file://{root}/%2e%2e/elsewhere/canary.txt",
    "uri with encoded slashes": "file://{root}/..%2felsewhere%2fcanary.txt",
    "uri of another machine": "file://evil.example{outside}/canary.txt",
    "NUL": "src\0/../../elsewhere/canary.txt",
    "state": "{state}/trust.json",
    "config": "{home}/config.toml",
    "ssh": "{home}/.ssh/id_rsa",
}
WORDS = [f"x{number}x" for number in range(len(SPELLINGS))]  # no two calls are identical


def patches_at(path: str, word: str) -> list[str]:
    """Patches that name it: to add, change, delete, and to move from and to there."""
    sections = (
        f"*** Add File: {path}\n+{word}",
        f"*** Update File: {path}\n@@\n-{CANARY}\n+{word}",
        f"*** Delete File: {path}",
        f"*** Update File: {path}\n*** Move to: src/{word}.py",
        f"*** Update File: src/a.py\n*** Move to: {path}\n@@\n-a = 1\n+{word}",
        f"*** Add File: src/{word}.py\n+x\n*** Add File: {path}\n+{word}",
    )
    diffs = (f"--- {path}\n+++ {path}\n@@ -1 +1 @@\n-{CANARY}\n+{word}\n",)
    return [*(f"*** Begin Patch\n{section}\n*** End Patch" for section in sections), *diffs]


def every_tool_at(path: str, word: str) -> list[Call]:
    """A call of every tool that takes a path, aimed there."""
    folder = path.rpartition("/")[0] or path
    return [
        call("read_file", path=path),
        call("list_dir", path=path),
        call("list_dir", path=folder),
        call("glob", pattern="**", path=folder),
        call("glob", pattern=f"../elsewhere/{word}*", path=""),
        call("grep", pattern="canary", path=path),
        call("grep", pattern="canary-.*", path=folder),
        call("grep", pattern="canary", path="", glob=path[:900]),
        call("code_intelligence", operation="diagnostics", path=path),
        call("code_intelligence", operation="hover", path=path, symbol="canary"),
        call("rename_symbol", path=path, symbol="canary", new_name=word),
        call("write_file", path=path, content=word),
        call("edit_file", path=path, old_text=CANARY, new_text=word),
        call("edit_file", path=path, old_text="canary", new_text=word, replace_all=True),
        call("multi_edit", path=path, edits=[{"old_text": CANARY, "new_text": word}]),
        call("edit_notebook", path=path, cell=0, source=word),
        call("move_file", path=path, to=f"{word}.txt"),
        call("move_file", path="src/a.py", to=path),
        call("delete_file", path=path),
        *(call("apply_patch", patch=patch) for patch in patches_at(path, word)),
        call("shell", command=f"touch {word}", cwd=folder),
        call("shell", command=f"touch {word}", cwd=path),
    ]


@pytest.fixture
def trap(house: House) -> House:
    """A workspace full of links that lead out of it, and a home with things worth stealing."""
    house.surround()
    links = {
        "link.txt": house.outside / "canary.txt",
        "folder": house.outside,
        "chain": "folder",
        "up": "..",
        "slash": "/",
        "dangling": house.outside / "missing",
        "magic": "/proc/self/root",
    }
    for name, target in links.items():
        (house.workspace / name).symlink_to(target)
    return house


@pytest.mark.row(33)
@pytest.mark.parametrize("mode", ["ask", "acceptEdits", "plan", "allowAll"])
def test_no_tool_reaches_out_of_the_workspace(trap: House, mode: str) -> None:
    """Links, `..`, file URIs and many more, with every tool."""
    places = {"root": trap.workspace, "outside": trap.outside, "state": trap.state, "home": trap.home}
    calls = [
        made
        for path, word in zip(SPELLINGS.values(), WORDS, strict=True)
        for made in every_tool_at(path.format(**places), word)
    ]
    if mode == "allowAll":  # lets the model read everywhere: only what would change something is tried
        calls = [
            made
            for made in calls
            if made[0]
            in {
                "write_file",
                "edit_file",
                "multi_edit",
                "edit_notebook",
                "apply_patch",
                "move_file",
                "delete_file",
            }
        ]
    work, home = snapshot(trap.folder / "work"), snapshot(trap.home / ".ssh")
    loot = trap.attack(*calls, mode=mode)
    assert len(loot.answers) == len(calls), loot.errors
    if mode != "allowAll":
        assert CANARY not in "".join(loot.answers)
    assert snapshot(trap.folder / "work") == work
    assert snapshot(trap.home / ".ssh") == home
    assert CANARY in trap.config.read_text()


def test_link_of_the_folder_that_cannot_be_followed_ends_no_run(house: House) -> None:
    """After a no the path is looked for in the workspace, where links have the names of its folders."""
    for name in ("etc", "home"):
        (house.workspace / name).symlink_to(f"/proc/1/root/{name}")
    calls = [
        call("read_file", path="/nowhere/etc/x"),
        call("write_file", path="/nowhere/home/x/y", content="x"),
    ]
    loot = house.attack(*calls)
    assert len(loot.answers) == len(calls), loot.events[-1]
    assert all("outside of the workspace" in answer for answer in loot.answers)


def test_every_tool_there_is_was_tried(trap: House) -> None:
    loot = trap.attack(call("read_file", path="src/a.py"), mode="allowAll")
    offered = {tool["function"]["name"] for tool in loot.requests[0].body["tools"]}
    nameless = {
        "delegate",
        "plan",
        "shell_task",
        "web_fetch",
    }  # they take no path; the tools of helpers are these
    found = {"multi_edit", "edit_notebook", "move_file", "delete_file"}  # a model finds it with find_tools
    tried = {name for name, _ in every_tool_at("x", "y")}
    assert (offered - nameless - {"find_tools"}) | found == tried, (
        "a tool more? to every_tool_at, or nameless; to found as well when it is not always loaded"
    )


@pytest.mark.row(33)
def test_folders_that_were_added_are_in_and_their_neighbours_are_not(trap: House) -> None:
    """Added folders can be reached."""
    inside, beside = (
        str(trap.outside / "canary.txt"),
        str(trap.workspace.with_name("repo-evil") / "canary.txt"),
    )
    calls = [call("read_file", path=inside), call("read_file", path=beside)]
    loot = trap.attack(*calls, arguments=("--add-dir", str(trap.outside)))
    assert CANARY in loot.answers[0]
    assert "Not run" in loot.answers[1]


def test_a_link_that_is_swapped_all_the_time_never_carries_a_write_out(house: House) -> None:
    """The attacker has a process that swaps a folder for a link to the outside, as fast as it can."""
    (house.workspace / "real").mkdir()
    turning, stop = house.workspace / "turning", threading.Event()
    turning.symlink_to("real")

    def turn() -> None:
        fresh = house.workspace / "fresh"
        while not stop.is_set():
            for target in ("real", house.outside):
                fresh.symlink_to(target)
                fresh.replace(turning)

    swapper = threading.Thread(target=turn)
    swapper.start()
    try:
        calls = [call("write_file", path=f"turning/new{n}.txt", content="x") for n in range(150)]
        calls += [call("read_file", path="turning/canary.txt", offset=n + 1) for n in range(150)]
        loot = house.attack(*calls, mode="acceptEdits")
    finally:
        stop.set()
        swapper.join()
    assert [path.name for path in house.outside.iterdir()] == ["canary.txt"]
    assert CANARY not in "".join(loot.answers)
    assert any(answer.startswith("Created") for answer in loot.answers), "the attack was a real one"


def test_an_attachment_that_is_a_link_out_of_the_workspace_is_refused_unless_its_target_is_named(
    house: House,
) -> None:
    secret = house.outside / "canary.txt"
    (house.workspace / "shot.png").symlink_to(secret)
    (house.workspace / "folder").symlink_to(house.outside)
    (house.workspace / "chain.png").symlink_to("shot.png")
    (house.workspace / "inner.txt").symlink_to("own.txt")
    house.put("own.txt", "my own words\n")
    for name in (
        "shot.png",
        "folder/canary.txt",
        "chain.png",
        str(house.workspace / "shot.png"),
    ):
        loot = house.attack(arguments=("--attach", name))
        assert loot.code == 2
        assert f"leads to {secret}, outside the folder" in str(loot.events) + loot.errors
        assert not loot.stolen
    assert "my own words" in house.attack(arguments=("--attach", "inner.txt")).seen
    assert house.attack(arguments=("--attach", str(secret))).stolen, "the user named it"
