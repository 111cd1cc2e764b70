"""Names that somebody else gave: they forge no entry, and what is listed can be read as it is listed."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .attacker import House, call

pytestmark = pytest.mark.promise("P3")

FORGED = "a\nforged.txt\t17\x1b[2K\u202e"


def test_a_name_forges_no_entry_and_is_read_as_it_is_listed(house: House) -> None:
    (house.workspace / FORGED).write_text("the needle of the forger\n")
    with Path(house.workspace, "bad\udcff.txt").open("w") as file:
        file.write("words in a file whose name is no text\n")
    spelled = r"a\nforged.txt\t17\x1b[2K\u202e"
    loot = house.attack(
        call("list_dir"),
        call("glob", pattern="*forged*"),
        call("grep", pattern="needle"),
        call("grep", pattern="needle", output="files"),
        call("read_file", path=spelled),
        call("read_file", path=r"bad\xff.txt"),
    )
    listed, globbed, grepped, files, forged, bad = loot.answers
    assert listed.splitlines() == [f"{spelled}\t25", "bad\\xff.txt\t38"]
    assert globbed == files == spelled
    assert grepped == f"{spelled}\n1:the needle of the forger"
    assert "the needle of the forger" in forged
    assert "words in a file" in bad


def test_writing_into_a_workspace_that_is_gone_says_so(house: House) -> None:
    gone = f"rm -rf {house.workspace}"
    loot = house.attacks(
        [[call("shell", command=gone)], [call("write_file", path="new.txt", content="x")]], mode="allowAll"
    )
    assert f"The folder {house.workspace} is gone" in loot.answers[1]
    assert not house.workspace.exists()


def test_a_full_disk_brings_no_traceback_from_the_log(tmp_path: Path) -> None:
    (tmp_path / "agls.log").symlink_to("/dev/full")
    program = (
        "import logging, pathlib, sys; from agls.doors.logs import begin_log;"
        "begin_log(pathlib.Path(sys.argv[1]), lambda: ()); logging.warning('a word'); logging.shutdown()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert shutil.disk_usage(tmp_path).free
