"""Policies add up, and only make things stricter."""

from agls.engine.ports import Effect
from agls.engine.vocabulary import Limits
from agls.features.policy.manifests import NamedManifest, Policies
from agls.features.policy.settings import Manifest

WRITES = frozenset({Effect.WRITES})


def policy(*manifests: Manifest) -> Policies:
    return Policies([NamedManifest(str(number), each) for number, each in enumerate(manifests)])


def test_lowest_limit_holds_and_none_is_raised() -> None:
    held = policy(
        Manifest.model_validate({"budget": {"maxTurns": 20, "maxCostUsd": 1.5}}),
        Manifest.model_validate({"budget": {"max_turns": 10}}),
    )
    assert held.limited(Limits(max_turns=30, max_seconds=5)) == Limits(
        max_turns=10, max_cost_usd=1.5, max_seconds=5
    )
    assert held.limited(Limits(max_turns=3, max_cost_usd=0.5)) == Limits(max_turns=3, max_cost_usd=0.5)


def test_tool_that_one_forbids_is_forbidden() -> None:
    held = policy(Manifest(deny_tools=("a",)), Manifest(deny_tool_prefixes=("mcp__",)))
    assert [held.denial(name, WRITES) for name in ("a", "mcp__x", "b")] == [
        "the policy of 0 forbids the tool a",
        "the policy of 1 forbids the tool mcp__x",
        "",
    ]
    assert policy(Manifest()).denial("a", WRITES) == ""
    assert policy(Manifest()).is_empty


def test_invisible_characters_are_removed_from_texts() -> None:
    held = policy(Manifest.model_validate({"hooks": {"beforePrompt": ["a\u202eb"]}}))
    assert "\u202e" not in held.before_prompt()[0]
