"""What a command may run or obey, by its words."""

import pytest

from agls.room.obeyed import Obeyed, obeyed_by, obeyed_by_script


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("./scripts/x.sh --file=a/b.txt", {"./scripts/x.sh", "a/b.txt"}),
        ("python 'tool.py' | tee out", {"tool.py", "out"}),
        ('"$ROOT"/hooks/check.sh', {"hooks/check.sh"}),
        ("cd 'a b' && sh 'c d.sh'", {"a b/c d.sh"}),
        ("(cd a; make) && sh b.sh", {"b.sh"}),
        ('bash -c "sh -c \'sh \\"in it.sh\\"\'"', {"in it.sh"}),
        ("echo 'a quote that does not end; sh x.sh", {"x.sh"}),
    ],
)
def test_words_that_may_name_files_are_found_in_a_command(command: str, names: set[str]) -> None:
    assert obeyed_by(command).names >= names


def test_files_that_programs_look_for_are_sought_where_they_work() -> None:
    assert obeyed_by("cd a && make -C b").patterns == {
        (folder, pattern) for folder in ("a", "a/b") for pattern in ("makefile", "gnumakefile", "*.mk")
    }
    assert "a/b" not in obeyed_by("cd a && make -C b").folders


def test_script_brings_what_it_runs_and_no_data() -> None:
    script = "#!/bin/sh\n# sh comment.sh\ncd tools\n./run --of data.txt > log.txt"
    script += "\nrm -rf out/old\npython3 x.py\n"
    found = obeyed_by_script(script)
    assert found.names >= {"tools/./run", "tools/x.py"}
    assert not [name for name in found.names if name.endswith(("data.txt", "log.txt", "old", "comment.sh"))]
    assert found.folders == frozenset()


def test_empty_command_obeys_nothing() -> None:
    assert obeyed_by("") == Obeyed()
