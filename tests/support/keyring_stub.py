"""Puts a library `keyring` on the path whose keyring is a file: the real one needs a desktop."""

from pathlib import Path

CODE = '''
"""A keyring in a file."""
import json
from pathlib import Path
from . import errors

FILE = Path(__file__).with_name("held.json")

class Backend:
    priority = PRIORITY

def get_keyring():
    return Backend()

def held():
    return json.loads(FILE.read_text()) if FILE.exists() else {}

def get_password(service, name):
    if (FILE.parent / "locked").exists():
        raise errors.KeyringError("locked")
    return held().get(f"{service} {name}")

def set_password(service, name, value):
    if (FILE.parent / "locked").exists():
        raise errors.KeyringError("locked")
    FILE.write_text(json.dumps({**held(), f"{service} {name}": value}))

def delete_password(service, name):
    FILE.write_text(json.dumps({k: v for k, v in held().items() if k != f"{service} {name}"}))
'''


def make_keyring(folder: Path, priority: int = 5) -> Path:
    """Make the library in `folder`, which belongs on the path; gives the library's own folder."""
    package = folder / "keyring"
    package.mkdir(parents=True)
    (package / "errors.py").write_text("class KeyringError(Exception):\n    pass\n")
    (package / "__init__.py").write_text(CODE.replace("PRIORITY", str(priority)))
    return package
