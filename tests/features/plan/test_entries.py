"""How a plan changes: all of a change or nothing, in an order that can be worked off."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.features.plan.entries import (
    LONGEST,
    MOST_ENTRIES,
    EntryChange,
    Plan,
    PlanError,
    changed,
    rendered,
    without,
)

CHAIN = changed(
    Plan(),
    [EntryChange(text="Read"), EntryChange(text="Write", after=(1,)), EntryChange(text="Ship", after=(2,))],
)


def do(plan: Plan, entry: int, state: str) -> Plan:
    """The plan with an entry in another state."""
    return changed(plan, [EntryChange.model_validate({"id": entry, "state": state})])


def states(plan: Plan) -> list[str]:
    return [entry.state for entry in plan.entries]


@pytest.mark.row(65)
def test_blocked_entry_is_next_once_what_it_waits_for_is_done_or_cancelled() -> None:
    """A blocked task becomes actionable on completion; so does one behind a cancelled task."""
    plan = do(CHAIN, 1, "done")
    assert plan.next and plan.next.id == 2
    plan = do(plan, 2, "cancelled")
    assert plan.next and plan.next.id == 3
    assert rendered(do(plan, 3, "done")) == (
        "Plan: 2 of 2 done\n- [x] 1. Read\n- [-] 2. Write\n- [x] 3. Ship\n\nNothing is left to do."
    )


@pytest.mark.row(65)
def test_begun_entry_is_next_before_an_earlier_one() -> None:
    plan = changed(Plan(), [EntryChange(text="a"), EntryChange(text="b", state="inProgress")])
    assert plan.next and plan.next.text == "b"


@pytest.mark.parametrize("state", ["inProgress", "done"])
def test_entry_that_must_wait_cannot_begin(state: str) -> None:
    with pytest.raises(PlanError, match="Entry 3 comes after 2: do or cancel that first"):
        do(CHAIN, 3, state)


@pytest.mark.row(65)
def test_several_changes_are_judged_together() -> None:
    both = [EntryChange(id=1, state="done"), EntryChange.model_validate({"id": 2, "state": "in_progress"})]
    assert states(changed(CHAIN, both)) == ["done", "inProgress", "pending"]
    assert states(changed(CHAIN, both[::-1])) == ["done", "inProgress", "pending"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"id": 9, "state": "done"}, "There is no entry 9. There are: 1, 2, 3."),
        ({"state": "done"}, "A new entry needs a text"),
        ({"text": " \n "}, "A new entry needs a text"),
        ({"text": "x", "after": [7]}, "There is no entry 7"),
        ({"id": 1, "after": [3]}, "Entries wait for each other"),
        ({"id": 1, "after": [1]}, "Entry 1 waits for itself. Change `after`."),
    ],
)
def test_change_that_makes_no_sense_says_why(change: dict[str, object], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        changed(CHAIN, [EntryChange.model_validate(change)])


@pytest.mark.row(65)
def test_list_that_is_sent_whole_again_does_not_double() -> None:
    again = [EntryChange(text="read", state="done"), EntryChange(text="Write"), EntryChange(text="Tell")]
    plan = changed(CHAIN, again)
    assert [(entry.text, entry.state) for entry in plan.entries] == [
        ("read", "done"), ("Write", "pending"), ("Ship", "pending"), ("Tell", "pending")
    ]  # fmt: skip
    assert plan.entries[1].after == (1,)


def test_new_entries_begin_a_new_plan_when_nothing_of_the_old_one_is_left() -> None:
    over = do(do(do(CHAIN, 1, "done"), 2, "done"), 3, "cancelled")
    assert rendered(changed(over, [EntryChange(text="Next task")])).startswith(
        "Plan: 0 of 1 done\n- [ ] 1. Next"
    )
    assert states(do(over, 3, "pending")) == ["done", "done", "pending"], "an old one may be opened again"


@pytest.mark.row(65)
def test_removed_entry_keeps_nobody_waiting_and_its_id_is_not_given_again() -> None:
    plan = without(CHAIN, [1])
    assert plan.next and plan.next.id == 2
    plan = changed(without(plan, [3]), [EntryChange(text="New")])
    assert [entry.id for entry in plan.entries] == [2, 4]
    with pytest.raises(PlanError, match="There is no entry 1"):
        without(plan, [2, 1])


def test_plan_has_a_largest_size() -> None:
    full = changed(Plan(), [EntryChange(text=f"step {number}") for number in range(MOST_ENTRIES)])
    with pytest.raises(PlanError, match="at most 100 entries"):
        changed(full, [EntryChange(text="one more")])
    with pytest.raises(ValueError, match=f"at most {LONGEST}"):
        EntryChange(text="x" * (LONGEST + 1))


CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "id": st.integers(0, 5),
        "text": st.sampled_from(["", "a", "b", "c\nd", "e"]),
        "state": st.sampled_from(["pending", "in_progress", "done", "cancelled"]),
        "after": st.lists(st.integers(0, 5), max_size=3),
    },
).map(EntryChange.model_validate)


@given(st.lists(st.lists(CHANGES, max_size=4), max_size=8))
def test_any_changes_leave_a_plan_that_can_be_worked_off(changes: list[list[EntryChange]]) -> None:
    """What is refused changes nothing; there is a next entry as long as anything is open."""
    plan = Plan()
    for each in changes:
        try:
            plan = changed(plan, each)
        except PlanError as problem:
            assert str(problem).endswith((".", "its id."))
        ids = [entry.id for entry in plan.entries]
        assert len(set(ids)) == len(ids)
        assert max(ids, default=0) <= plan.last
        assert plan.is_open == (plan.next is not None)
        assert len(rendered(plan).splitlines()) == (len(ids) + 3 if ids else 1)
