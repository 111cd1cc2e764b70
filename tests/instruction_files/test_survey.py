"""Which instruction files count, in which order, and why others do not."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agls.features.instructions.settings import Settings
from agls.instruction_files import OwnInstructions, fitted
from agls.workspace.texts import hash_of
from support.fake_editor import FakeEditor
from support.instruction_folders import FolderScene

pytestmark = pytest.mark.promise("P1")


@pytest.fixture
def scene(tmp_path: Path) -> FolderScene:
    root = tmp_path / "repo" / "app"
    root.mkdir(parents=True)
    return FolderScene(root)


def told(scene: FolderScene) -> list[str]:
    """The texts that are told from the beginning."""
    return [text.text for text in scene.files.survey().always]


def why(scene: FolderScene) -> dict[str, str]:
    """The files that are left out, and why."""
    return {omitted.path.rpartition("repo/")[2]: omitted.why for omitted in scene.files.survey().omitted}


def test_order_is_administrator_user_and_folders_from_the_outermost(
    tmp_path: Path, scene: FolderScene
) -> None:
    (scene.root.parent / ".git").mkdir()
    (tmp_path / "managed.md").write_text("managed")
    (tmp_path / "user.md").write_text("user")
    extra = tmp_path / "extra"
    extra.mkdir()
    (extra / "AGENTS.md").write_text("extra")
    scene = FolderScene(scene.root, extra)
    scene.own = OwnInstructions(str(tmp_path / "managed.md"), str(tmp_path / "user.md"))
    (scene.root.parent / "AGENTS.md").write_text("root")
    (scene.root.parent / "CLAUDE.local.md").write_text("root local")
    scene.file("CLAUDE.md", "app")
    scene.file("CLAUDE.local.md", "app local")
    scene.file(".claude/rules/deep/always.md", "app rule")
    assert told(scene) == ["managed", "user", "root", "root local", "app", "app local", "app rule", "extra"]


def test_steering_of_kiro_counts_as_its_inclusion_says(scene: FolderScene) -> None:
    for name, head in {
        "always": "inclusion: always",
        "some": "inclusion: fileMatch\nfileMatchPattern: ['**/*.ts', '**/*.tsx']",
        "asked": "inclusion: manual",
        "chosen": "inclusion: auto\nname: chosen\ndescription: Of the database.",
    }.items():
        scene.file(f".kiro/steering/{name}.md", f"---\n{head}\n---\n{name}")
    scene.file(".kiro/steering/plain.md", "plain")
    assert told(scene) == ["always", "plain"]
    assert [text.globs for text in scene.files.survey().texts if text.when == "touched"] == [
        ("**/*.ts", "**/*.tsx")
    ]
    assert [text.description for text in scene.files.survey().described] == ["Of the database."]
    assert why(scene) == {".kiro/steering/asked.md": "it counts only where somebody names it"}


def test_one_file_of_a_folder_counts_and_the_others_are_named_with_the_reason(scene: FolderScene) -> None:
    names = ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md"]
    for name in names:
        scene.file(name, name)
    for first in range(4):
        assert told(scene) == [names[first]]
        shadowed = f"{names[first]} of the same folder counts"
        assert why(scene) == dict.fromkeys(names[first + 1 :], shadowed)
        (scene.root / names[first]).unlink()


def as_folder(path: Path) -> None:
    path.mkdir()


def as_pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (lambda path: path.write_text(" \n"), "it is empty"),
        (lambda path: path.write_text("<!-- to be written -->\n"), "it is empty"),
        (as_folder, "AGENTS.override.md is a folder, not a file."),
        (as_pipe, "AGENTS.override.md is not a regular file (a device, a pipe or a socket)."),
        (lambda path: path.write_bytes(b"\0\1" * 30), "AGENTS.override.md is not a text file (60 bytes)."),
    ],
)
def test_file_that_says_nothing_leaves_its_place_to_the_next_one(
    scene: FolderScene, made: Callable[[Path], object], reason: str
) -> None:
    made(scene.root / "AGENTS.override.md")
    scene.file("AGENTS.md", "ours")
    scene.file("CLAUDE.md", "theirs")
    assert told(scene) == ["ours"]
    found = why(scene)
    assert found.pop("AGENTS.override.md").startswith(reason)
    assert found == {
        "CLAUDE.md": "AGENTS.md of the same folder counts",
    }


def test_files_of_other_products_count_only_where_there_is_nothing_else(scene: FolderScene) -> None:
    for name in (".github/copilot-instructions.md", ".cursorrules", "GEMINI.md"):
        scene.file(name, name)
    assert told(scene) == [".github/copilot-instructions.md", ".cursorrules", "GEMINI.md"]
    scene.file("AGENTS.md", "agents")
    assert told(scene) == ["agents"]
    assert set(why(scene).values()) == {"the folder has other instruction files"}


def test_same_text_by_link_or_copy_is_sent_once(scene: FolderScene) -> None:
    scene.file("AGENTS.md", "same")
    (scene.root / "CLAUDE.local.md").symlink_to("AGENTS.md")
    assert told(scene) == ["same"]
    assert why(scene) == {"CLAUDE.local.md": "it is the same text as AGENTS.md"}
    (scene.root / "CLAUDE.local.md").unlink()
    scene.file("CLAUDE.local.md", "same\n")
    assert told(scene) == ["same"]


def test_link_to_what_is_no_markdown_or_outside_is_not_read(tmp_path: Path, scene: FolderScene) -> None:
    scene.file(".env", "KEY=canary")
    (scene.root / "AGENTS.md").symlink_to(".env")
    assert told(scene) == []
    assert "not a Markdown file" in str(why(scene))
    (tmp_path / "out.md").write_text("canary")
    (scene.root / "AGENTS.md").unlink()
    (scene.root / "AGENTS.md").symlink_to(tmp_path / "out.md")
    assert told(scene) == []
    assert why(scene) == {"AGENTS.md": f"it leads to {tmp_path / 'out.md'}, which is outside the workspace"}


def test_imports_follow_their_file_and_code_blocks_import_nothing(scene: FolderScene) -> None:
    scene.file("AGENTS.md", "See @docs/style.md, `@no.md` and @dataclass\n```\n@no.md\n```\nme@mail.md")
    scene.file("docs/style.md", "style @../more.md")
    scene.file("more.md", "more @AGENTS.md @more.md")
    scene.file("no.md", "no")
    survey = scene.files.survey()
    assert [text.text.split()[0] for text in survey.always] == ["See", "style", "more"]
    assert [text.imported_by for text in survey.always] == ["", "AGENTS.md", "docs/style.md"]
    assert survey.omitted == (), "what imports itself is there already"


def test_import_from_outside_the_trusted_folder_is_named_and_not_followed(
    tmp_path: Path, scene: FolderScene
) -> None:
    (tmp_path / "keys.md").write_text("canary")
    names = "@../../keys.md @/etc/passwd.md @~/keys.md"
    scene.file("AGENTS.md", names)
    assert told(scene) == [names]
    outside = [o for o in scene.files.survey().omitted if "outside the trusted folder" in o.why and o.problem]
    assert [o.path for o in outside] == ["../../keys.md", "/etc/passwd.md", "~/keys.md"]


def test_import_that_is_no_file_is_named_when_its_name_is_that_of_a_text(scene: FolderScene) -> None:
    """Of the same folder or another; what may be a person, a package or a decorator is not."""
    scene.file("AGENTS.md", "@styel.md @docs/gone.txt @ann @types/node @dataclass.field")
    assert why(scene) == {
        "styel.md": "AGENTS.md imports it, but there is no such file",
        "docs/gone.txt": "AGENTS.md imports it, but there is no such file",
    }
    assert not any(omitted.problem for omitted in scene.files.survey().omitted)
    scene.file("styel.md", "found")
    assert "found" in told(scene)


def test_imports_end_after_four_hops_and_twenty_files(scene: FolderScene) -> None:
    scene.file("AGENTS.md", "@hop1.md")
    for hop in range(1, 7):
        scene.file(f"hop{hop}.md", f"{hop} @hop{hop + 1}.md")
    assert [text[0] for text in told(scene)] == ["@", "1", "2", "3", "4"]
    scene.file("AGENTS.md", " ".join(f"@many/{n}.md" for n in range(30)))
    for number in range(30):
        scene.file(f"many/{number}.md", f"text {number}")
    assert len(told(scene)) == 21


def test_comments_are_dropped_but_not_in_code(scene: FolderScene) -> None:
    scene.file("AGENTS.md", "a <!-- hidden\n -->b `<!-- kept -->`\n```\n<!-- kept -->\n```\n<!-- open")
    assert told(scene) == ["a b `<!-- kept -->`\n```\n<!-- kept -->\n```\n<!-- open"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".claude/rules/ts.md", "---\npaths:\n  - src/**/*.ts\n---\nrule"),
        (".cursor/rules/ts.mdc", "---\ndescription: x\nglobs: *.js,*.ts\nalwaysApply: false\n---\nrule"),
        (".cursor/rules/ts.md", '---\ndescription: x\nglobs: ["**/*.ts"]\nalwaysApply: false\n---\nrule'),
        (".github/instructions/ts.instructions.md", '---\napplyTo: "**/*.{ts,tsx}"\n---\nrule'),
        (".clinerules/ts.md", "---\npaths: ['src/**']\n---\nrule"),
        (".windsurf/rules/ts.md", "---\ntrigger: glob\nglobs: src/\n---\nrule"),
        (".claude/rules/not.md", '---\npaths: ["**/*.ts", "**/*.py", "!docs/**"]\n---\nrule'),
        (".claude/rules/not.md", "---\npaths:\n  - !docs/\n---\nrule"),
        (".cursor/rules/not.mdc", "---\nglobs: **, !docs/**\n---\nrule"),
        (".claude/rules/dot.md", "---\npaths: ./src/**/*.ts\n---\nrule"),
        (".claude/rules/slash.md", "---\npaths: /src/**\n---\nrule"),
    ],
)
def test_rule_with_globs_waits_for_a_file_that_fits(scene: FolderScene, path: str, text: str) -> None:
    scene.file(path, text)
    assert told(scene) == []
    touched = scene.files.touched([f"{scene.root}/docs/a.py"])
    assert touched.texts == ()
    touched = scene.files.touched([f"{scene.root}/src/app/a.ts"])
    assert [(rule.path, rule.text) for rule in touched.texts] == [(path, "rule")]


def test_rule_with_only_a_description_is_listed_and_others_are_always_sent(scene: FolderScene) -> None:
    scene.file(".cursor/rules/a.mdc", "---\ndescription: for  releases\n---\nlong")
    scene.file(".cursor/rules/b.mdc", "---\ndescription: x\nalwaysApply: yes\n---\nalways")
    scene.file(".clinerules/c.md", "plain")
    assert told(scene) == ["always", "plain"]
    assert [(text.path, text.description) for text in scene.files.survey().described] == [
        (".cursor/rules/a.mdc", "for releases")
    ]


def test_rules_that_wait_to_be_named_and_prose_between_lines(scene: FolderScene) -> None:
    scene.file(".cursor/rules/manual.mdc", "---\ndescription:\nglobs:\nalwaysApply: false\n---\nmanual")
    scene.file(".windsurf/rules/manual.md", "---\ntrigger: manual\nglobs: **/*.x\n---\nother")
    scene.file(".cursor/rules/quoted.mdc", '---\nglobs: "**/*.ts", "*.tsx"\n---\nquoted')
    scene.file(".cursor/rules/prose.mdc", "---\n\n# Title\n\n---\nprose")
    scene.file(".roo/rules/roo.md", "roo")
    scene.file(".clinerules/workflows/flow.md", "flow")
    assert told(scene) == ["---\n\n# Title\n\n---\nprose", "roo"]
    named = [path for path, reason in why(scene).items() if "somebody names it" in reason]
    assert [path.rpartition("/")[2] for path in named] == ["manual.mdc", "manual.md"]
    (waiting,) = [text for text in scene.files.survey().texts if text.when == "touched"]
    assert waiting.globs == ("**/*.ts", "*.tsx")


def test_rule_with_broken_front_matter_is_named_with_its_line(scene: FolderScene) -> None:
    scene.file(".claude/rules/a.md", '---\npaths: "x\n---\nrule')
    scene.file(".claude/rules/b.md", "---\na: &x 1\nb: [*x]\n---\nrule")
    assert told(scene) == []
    assert "line 2: a quote begins here" in why(scene)[".claude/rules/a.md"]
    assert "aliases are not read" in why(scene)[".claude/rules/b.md"]


def test_deeper_folders_count_for_the_files_in_them(scene: FolderScene) -> None:
    scene.file("AGENTS.md", "root")
    scene.file("a/AGENTS.md", "a")
    scene.file("a/b/CLAUDE.md", "b")
    scene.file("c/AGENTS.md", "c")
    touched = scene.files.touched([f"{scene.root}/a/b/x.py"])
    assert [text.text for text in touched.texts] == ["a", "b"]


def test_without_trust_nothing_is_opened(scene: FolderScene) -> None:
    scene.file("AGENTS.md", "root")
    scene.file(".claude/rules/a.md", "rule")
    scene.trusted = False
    assert told(scene) == []
    assert scene.files.touched([f"{scene.root}/a.py"]).texts == ()
    closed = {omitted.path: omitted.why for omitted in scene.files.unread()}
    assert f"{scene.root}/AGENTS.md" in closed
    assert "is not trusted" in closed[f"{scene.root}/AGENTS.md"]


def test_change_of_any_file_is_seen_at_the_next_look(scene: FolderScene) -> None:
    file = scene.file("AGENTS.md", "one")
    assert told(scene) == ["one"]
    file.write_text("two")
    assert told(scene) == ["two"]
    (scene.root / "CLAUDE.local.md").write_text("local")
    assert told(scene) == ["two", "local"]
    file.unlink()
    assert told(scene) == ["local"]


def test_folder_in_which_nothing_changed_is_not_looked_at_again(
    scene: FolderScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.file("AGENTS.md", "one")
    monkeypatch.setattr("agls.workspace.path_stamps._is_final", lambda _: True)
    for _ in range(3):
        assert told(scene) == ["one"]
    assert scene.glance.looks == 1
    scene.file(".claude/rules/a.md", "rule")
    assert told(scene) == ["one", "rule"]
    assert scene.glance.looks == 2


def test_text_of_the_editor_counts_before_that_of_the_disk(tmp_path: Path) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_text("disk")
    editor = FakeEditor({file.as_uri(): "typed"})
    scene = FolderScene(tmp_path, editor=editor)
    assert told(scene) == ["typed"]
    editor.type(file.as_uri(), "typed on")
    assert told(scene) == ["typed on"]
    assert hash_of("typed on") != hash_of("disk")


def test_claudes_own_file_counts_when_the_user_agreed_and_has_none(
    tmp_path: Path, scene: FolderScene
) -> None:
    (tmp_path / "claude.md").write_text("claude")
    scene.own = OwnInstructions(user=str(tmp_path / "user.md"), claude=str(tmp_path / "claude.md"))
    assert told(scene) == []
    scene.settings = Settings(claude_home=True)
    assert told(scene) == ["claude"]
    (tmp_path / "user.md").write_text("user @~/claude.md @~/deep/no.md")
    scene.own = OwnInstructions(user=str(tmp_path / "user.md"), home=str(tmp_path))
    assert told(scene) == ["user @~/claude.md @~/deep/no.md", "claude"]
    assert why(scene) == {
        "~/deep/no.md": f"{tmp_path / 'user.md'} imports it, but it is not beside that file"
    }


def test_nearest_files_get_their_characters_first_and_each_cut_is_said(scene: FolderScene) -> None:
    (scene.root.parent / ".git").mkdir()
    (scene.root.parent / "AGENTS.md").write_text("r" * 30)
    scene.file("AGENTS.md", "a" * 30)
    texts = fitted(scene.files.survey().always, 40, 100)
    assert texts[1].text == "a" * 30
    assert (
        texts[0].text
        == "r" * 10 + "\n[The rest of this file is left out: it has 30 characters, 10 are here.]"
    )
    assert [text.cut for text in texts] == [20, 0]
    scene.file("AGENTS.md", "a" * 2_000_000)
    assert fitted(scene.files.survey().always, 40, 100)[1].cut == 1_999_960, "a large one is cut, too"
