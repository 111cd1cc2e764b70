"""What git prints of files that may hold secrets is left out, whichever way it prints it."""

import subprocess
from pathlib import Path

import pytest

from agls.room.patch_secrets import without_secret_patches

CANARY = "canary-4711"
SECRETS = (".env", "deploy/id_rsa", "a folder/server key.pem", "ключ.key", "certs/x.p12")
WAYS = (
    "log -p",
    "log -p --oneline",
    "log -p --graph",
    "log -p --format=%s",
    "log -p --no-prefix",
    "log -p --reverse -U0",
    "log -p --all --stat",
    "log -p --word-diff",
    "log -p --color-words",
    "log -p --color=always",
    "log -p -c",
    "log -p --cc",
    "log -p -m --first-parent",
    "show HEAD~2",
    "show --oneline HEAD~2 HEAD~1",
    "diff HEAD~2",
    "diff --cached HEAD~2",
    "diff -R HEAD~2",
    "diff -M --find-copies-harder HEAD~3 HEAD~2",
    "diff -w --function-context HEAD~1",
    "-c diff.mnemonicPrefix=true diff HEAD~2",
    "-c core.quotePath=false log -p",
    "stash show -p",
    "whatchanged -p",
    "diff-tree -p -r HEAD~2 HEAD",
    "log -L1,3:.env HEAD~1",
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Secrets that come, change and go beside a file that anybody may see."""
    root = tmp_path_factory.mktemp("repository")

    def git(*words: str) -> None:
        known = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b.example"]
        subprocess.run([*known, *words], check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    for number in range(3):
        for name in SECRETS:
            file = root / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"-----BEGIN\n{CANARY}{number}\n\n  b{CANARY}\n+x{CANARY}\nend{number}\n")
        (root / "seen.py").write_text(f"plain = {number}\n")
        git("add", "-A")
        git("commit", "-q", "-m", f"say {number}")
    (root / ".env").write_text(f"new {CANARY}\n")
    (root / "seen.py").write_text("stashed = 1\n")
    git("stash")
    for name in SECRETS:
        (root / name).unlink()
    git("add", "-A")
    git("commit", "-q", "-m", "gone")
    return root


@pytest.mark.parametrize("way", WAYS)
def test_patch_of_a_secret_is_left_out(repository: Path, way: str) -> None:
    words = way.split()
    printed = subprocess.run(
        ["git", "-C", str(repository), "--no-pager", *words], capture_output=True, text=True, check=True
    ).stdout
    assert CANARY in printed, "else it proves nothing"
    text = without_secret_patches(printed)
    assert CANARY not in text
    assert "left out: it may hold keys" in text
    plain = [line for line in printed.splitlines() if "plain = " in line or "stashed" in line]
    if "words" not in way and "word-diff" not in way:
        assert [line for line in text.splitlines() if "plain = " in line or "stashed" in line] == plain


def test_other_text_stays_as_it_is(repository: Path) -> None:
    for words in (["log", "--stat"], ["status"], ["log", "-p", "--", "seen.py"], ["ls-files"]):
        said = ["git", "-C", str(repository), "--no-pager", *words]
        printed = subprocess.run(said, capture_output=True, text=True, check=True).stdout
        assert without_secret_patches(printed) == printed
    assert without_secret_patches("diff --git a/.env b/.env\n") == "diff --git a/.env b/.env\n"
