"""`agent/setOption`: an option of a session."""

from agls.doors.agent.call import Call
from agls.doors.agent.door import Door
from agls.doors.options import by_user, check_name, read_options
from agls.engine.facts import SessionChanged
from agls_protocol.sessions import OptionsResult, SetOptionParams


async def set_option(door: Door, params: SetOptionParams, call: Call) -> OptionsResult:
    """Set it, or take it back with null. What no run could begin with is refused."""
    check_name(params.option_id)
    given = read_options({params.option_id: params.value})
    session = (await door.open(params.session_id, call)).session
    door.world.check_mode(session.state.cwd, given, by_user=by_user(params.chosen_by))
    if params.value is not None:
        await door.check(session.state.cwd, {**session.state.options, params.option_id: params.value})
    door.world.choose(session.session_id, given)
    session.log.record(SessionChanged(options={params.option_id: params.value}))
    await session.log.sync()
    return OptionsResult(dict(session.state.options))
