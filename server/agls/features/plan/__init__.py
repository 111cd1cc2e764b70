"""Plan: the entries of the work, which the model and the user change, and the plan that the user approves."""

from agls.features.plan.record import NOTES
from agls.features.plan.settings import Settings
from agls.room import CallWords, Room, build_of
from agls.room.run_ports import HookPoints, RunInfo
from agls.room.session_ports import Approval, SessionFacts
from agls.room.whole_outputs import WholeOutputs

ROOM = Room(
    "plan",
    Settings,
    build_of(__name__),
    heading="Plan",
    needs=(SessionFacts, RunInfo, Approval, WholeOutputs, HookPoints),
    notes=NOTES,
    has_actions=True,
    tools=("plan", "present_plan"),
    actions_vary=True,
    words={
        "plan": CallWords("Updated the plan", "Updating the plan", "plan"),
        "present_plan": CallWords("Presented a plan", "Presenting a plan", "plan"),
    },
)
