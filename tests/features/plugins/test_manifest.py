"""What a manifest of a plugin comes to: also one that is partly wrong."""

from pathlib import Path

import pytest

from agls.features.plugins.manifest import PluginManifest, find_manifests
from agls.features.plugins.run_plugins import filled
from support.instruction_folders import FolderScene


def found(root: Path, text: str) -> PluginManifest:
    scene = FolderScene(root)
    scene.file(".codex-plugin/plugin.json", text)
    (manifest,) = find_manifests([str(root)], scene.glance.look(scene.folders(), ()))
    return manifest


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"version": "1"}', 'it has no name: write "name": "..."'),
        ('{"name": "x",\n\n nonsense}', "line 3: it is no JSON"),
        ("[]", "line 1: it is no JSON object"),
        ('{"name": 3}', "it has no name"),
    ],
)
def test_manifest_that_cannot_be_used_is_named_with_the_reason(
    tmp_path: Path, text: str, problem: str
) -> None:
    assert found(tmp_path, text).problem.startswith(problem)


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        (
            '{"name": "x", "apps": "./apps.json"}',
            "what it says of apps counts once it is installed: ",
        ),
        ('{"name": "x", "hooks": {"onExit": "bye"}}', "these keys have no effect here: hooks.onExit"),
        ('{"name": "x", "toolAliases": [{"name": "a b", "baseTool": "c"}]}', "toolAliases: a b needs a name"),
        ('{"name": "x", "virtualTools": [{"name": "a"}]}', "virtualTools: a needs a name"),
    ],
)
def test_key_that_is_wrong_is_a_remark_and_the_rest_counts(tmp_path: Path, text: str, remark: str) -> None:
    manifest = found(tmp_path, text)
    assert (manifest.name, manifest.problem) == ("x", "")
    assert manifest.remarks[0].startswith(remark)


def test_placeholders_are_filled_once_and_unknown_ones_stay() -> None:
    assert filled("{a} {b} {c}", {"a": "{b}", "b": [1, "x"]}) == '{b} [1, "x"] {c}'
