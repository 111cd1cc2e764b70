"""Which command file has which name."""

from agls.features.commands.offered import named_commands
from agls.prompt_files.command_file import CommandFile
from agls.prompt_files.command_places import CLAUDE, OURS, CommandFolder, CommandPlace, Origin


def file(name: str, origin: Origin = "project", place: CommandPlace = OURS) -> CommandFile:
    return CommandFile(name, CommandFolder("/x", origin, place), f"{place.folder}/{name}.md", "Do it.")


def names(*files: CommandFile, taken: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    return [(each.name, *each.aliases) for each in named_commands(files, taken)]


def test_folders_are_name_spaces_and_the_last_part_suffices_while_it_is_clear() -> None:
    assert names(file("git:log"), file("fix")) == [
        ("git:log", "project:git:log", "log"),
        ("fix", "project:fix"),
    ]
    assert names(file("git:log"), file("svn:log"))[1] == ("svn:log", "project:svn:log")
    assert names(file("git:log"), file("log"))[0] == ("git:log", "project:git:log")


def test_command_of_agls_keeps_its_name_and_the_file_is_reached_by_whose_it_is() -> None:
    (offered,) = named_commands([file("usage")], {"usage"})
    assert (offered.name, offered.hidden_by) == ("project:usage", "a command of agls, or a skill")


def test_nearest_file_has_the_name_and_the_users_own_is_reached_by_a_longer_one() -> None:
    first, second = named_commands([file("fix"), file("fix", "user")], ())
    assert (first.name, second.name, second.hidden_by) == ("fix", "user:fix", ".agls/commands/fix.md")


def test_second_file_of_the_same_origin_and_name_has_none() -> None:
    offered = named_commands([file("fix"), file("fix", place=CLAUDE)], ())[1]
    assert (offered.name, offered.hidden_by) == ("", ".agls/commands/fix.md")


def test_short_names_never_take_the_name_of_another_command() -> None:
    assert names(file("git:usage"), taken=("usage",)) == [("git:usage", "project:git:usage")]
