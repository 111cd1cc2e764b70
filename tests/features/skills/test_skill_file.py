"""What the front matter of a skill comes to, the cases of the specification's own validator among them."""

from pathlib import Path

import pytest

from agls.features.skills.offered import named_skills
from agls.features.skills.places import Origin, SkillFolder
from agls.features.skills.skill_file import NOT_FOLLOWED, OPEN_BLOCK, SkillFile, find_skills, name_of
from support.instruction_folders import FolderScene

GOOD = "---\nname: pdf\ndescription: Read PDFs.\n---\nDo it.\n"


def found(root: Path, text: str, folder: str = "pdf") -> SkillFile:
    scene = FolderScene(root)
    scene.file(f".agls/skills/{folder}/SKILL.md", text)
    look = scene.glance.look(scene.folders(), ())
    (skill,) = find_skills([SkillFolder(f"{root}/.agls/skills", "project", ours=True)], look)
    return skill


def test_skill_of_the_specification_has_no_remarks(tmp_path: Path) -> None:
    more = "license: MIT\ncompatibility: git\nallowed-tools: Bash(git:*) Read\nmetadata:\n  author: me\n---\n"
    skill = found(tmp_path, GOOD.replace("---\nDo", f"{more}Do"))
    assert (skill.problem, list(skill.remarks), skill.for_model) == ("", [], True)
    assert list(skill.wishes) == ["Bash(git:*)", "Read"]


@pytest.mark.parametrize(
    ("name", "remark"),
    [
        ("PDF", "lower-case"),
        ("-pdf", "lower-case"),
        ("pdf-", "lower-case"),
        ("pdf--forms", "lower-case"),
        ("pdf_forms", "lower-case"),
        ("p" * 65, "lower-case"),
        ("other", "is not that of its folder"),
    ],
)
def test_name_against_the_specification_is_a_remark_and_the_folder_counts(
    tmp_path: Path, name: str, remark: str
) -> None:
    skill = found(tmp_path, GOOD.replace("pdf", name))
    assert (skill.name, skill.problem, skill.for_model) == ("pdf", "", True)
    assert remark in skill.remarks[0]


def test_keys_about_the_file_are_no_mistake_and_a_mistyped_one_is(tmp_path: Path) -> None:
    about = "title: PDF\nkind: skill\nauthor: me\ntags: [a]\ncategory: b\ntriggers:\n  - pdf\n"
    assert list(found(tmp_path / "a", GOOD.replace("name: pdf", f"name: pdf\n{about}")).remarks) == []
    slips = found(
        tmp_path / "b", GOOD.replace("name: pdf", "name: pdf\nallowed_tools: Read\nargument_hnt: x")
    )
    assert [each.rpartition("write ")[2] for each in slips.remarks] == ["allowed-tools", "argument-hint"]


@pytest.mark.parametrize("key", NOT_FOLLOWED)
def test_key_that_is_not_followed_is_named_with_what_holds_instead(tmp_path: Path, key: str) -> None:
    skill = found(tmp_path, GOOD.replace("name: pdf", f"name: pdf\n{key}: fork"))
    assert list(skill.remarks) == [NOT_FOLLOWED[key]]


@pytest.mark.parametrize(
    ("body", "lines", "remarks"),
    [
        ("Status: !`git status`\n", ["git status"], []),
        ("```!\ngit status\n```\n", ["git status"], []),
        ("```md\n!`git status`\n```\n", [], []),
        ("~~~\n```!\ngit status\n```\n~~~\nNow: !`date`\n", ["date"], []),
        ("```!\ngit status\n", [], [OPEN_BLOCK]),
        ("Call `it!` or say `!` twice.\n", [], []),
    ],
)
def test_lines_to_run_before_are_found_outside_of_blocks_of_code(
    tmp_path: Path, body: str, lines: list[str], remarks: list[str]
) -> None:
    skill = found(tmp_path, GOOD + body)
    assert (skill.problem, list(skill.lines), list(skill.remarks)) == ("", lines, remarks)


@pytest.mark.parametrize("name", ["技能", "мой-навык", "café"])
def test_names_may_have_letters_of_any_script(tmp_path: Path, name: str) -> None:
    skill = found(tmp_path, GOOD.replace("pdf", name), name)
    assert (skill.name, list(skill.remarks)) == (name, [])


@pytest.mark.parametrize(
    ("change", "remark"),
    [
        (("name: pdf\n", ""), "it says no name: write `name: pdf`"),
        (("Read PDFs.", "x" * 1_025), "its description should have at most 1,024 characters"),
        (("name: pdf\n", "name: pdf\ncontext: other\n"), "its context 'other' is not known here"),
        (("name: pdf\n", "name: pdf\nagent: Explore\n"), "agent counts only with `context: fork`"),
        (("name: pdf\n", "name: pdf\ndisallowed-tools: Bsh\n"), "tools in disallowed-tools that are not"),
        (("name: pdf\n", "name: pdf\ndisallowed-tools: Bash(rm *)\n"), "forbid some calls of a tool"),
        (("name: pdf\n", "name: pdf\nhooks: none\n"), "its hooks are no map of events"),
        (("name: pdf\n", "name: pdf\nshell: powershell\n"), "shell is not followed"),
        (("name: pdf\n", f"name: pdf\ncompatibility: {'x' * 501}\n"), "its compatibility should have"),
    ],
)
def test_what_else_is_against_the_specification_is_a_remark(
    tmp_path: Path, change: tuple[str, str], remark: str
) -> None:
    skill = found(tmp_path, GOOD.replace(*change))
    assert skill.for_model
    assert remark in skill.remarks[0]


def test_when_to_use_a_skill_is_description_enough(tmp_path: Path) -> None:
    skill = found(tmp_path, GOOD.replace("description", "when_to_use"))
    assert (skill.for_model, skill.catalogued, list(skill.remarks)) == (True, skill.description, [])


def test_skill_without_a_description_is_for_its_user_only(tmp_path: Path) -> None:
    skill = found(tmp_path, "Only text.\n")
    assert (skill.problem, skill.for_model, skill.for_user) == ("", False, True)
    assert any("no description" in remark for remark in skill.remarks)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("---\nname: 'x\n---\nDo it.", "line "),
        ("---\n- one\n---\nDo it.", "line 1: "),
        ("---\nname: pdf\ndescription: x y\n---\n", "it has no text behind its front matter"),
    ],
)
def test_file_that_cannot_be_read_names_the_line_or_what_is_missing(
    tmp_path: Path, text: str, problem: str
) -> None:
    skill = found(tmp_path, text)
    assert problem in skill.problem
    assert not skill.for_model


def test_colon_in_a_description_loads(tmp_path: Path) -> None:
    assert found(tmp_path, GOOD.replace("Read PDFs.", "Read: PDFs")).description == "Read: PDFs"


def test_folder_names_become_names_that_can_be_typed() -> None:
    assert [name_of(each) for each in ("My Skill", "a__b", "--", "Ünï")] == ["my-skill", "a-b", "", "ünï"]


def test_first_skill_of_a_name_counts_and_a_broken_one_hides_no_other() -> None:
    def skill(origin: Origin, problem: str = "") -> SkillFile:
        path = f"/{origin}/pdf/SKILL.md"
        return SkillFile("pdf", SkillFolder(f"/{origin}", origin), path, path, path, problem=problem)

    broken, first, second = named_skills(
        [skill("project", "bad"), skill("user"), skill("bundled")], {"user:pdf"}
    )
    assert (broken.counts, first.counts, second.hidden_by) == (False, True, "/user/pdf/SKILL.md")
    assert first.commands == ("pdf",)
    (hidden,) = named_skills([skill("user")], {"pdf"})
    assert (hidden.commands, hidden.command_by) == (("user:pdf",), "a command of agls")


def test_links_out_of_the_project_are_refused_and_the_same_file_is_one_skill(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    (outside / "deeper/one").mkdir(parents=True)
    (outside / "SKILL.md").write_text(GOOD)
    (outside / "deeper/one/SKILL.md").write_text(GOOD)
    scene = FolderScene(root)
    scene.file(".agents/skills/pdf/SKILL.md", GOOD)
    skills = root / ".claude/skills"
    skills.mkdir(parents=True)
    (skills / "pdf").symlink_to("../../.agents/skills/pdf")
    (skills / "out").symlink_to(outside)
    look = scene.glance.look(scene.folders(), ())
    folders = [SkillFolder(str(root / name), "project") for name in (".agents/skills", ".claude/skills")]
    pdf, out = find_skills(folders, look)
    assert (pdf.name, pdf.problem, out.name) == ("pdf", "", "out")
    assert "is outside the workspace" in out.problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("---\nname: [x\n---\n", "line 2: a [ or { is not closed"),
        (
            "---\nname: pdf\nmetadata: {a: b\ndescription: Read.\n---\nDo it.\n",
            "line 3: a [ or { is not closed",
        ),
        (
            "---\r\nname: pdf\r\ndescription: Read.\r\n",
            "line 1: the front matter that begins here has no end",
        ),
    ],
)
def test_mistake_in_the_front_matter_is_named_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    assert found(tmp_path, text).problem.startswith(problem)


def test_line_between_rules_at_the_beginning_is_no_front_matter(tmp_path: Path) -> None:
    skill = found(tmp_path, "---\nRead this first.\n")
    assert skill.problem == ""
