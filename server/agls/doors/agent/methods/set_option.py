"""`agent/setOption`: an option of a session."""

from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.options import by_user, check_name, read_options
from agls.engine.facts import SessionChanged
from agls_protocol.sessions import OptionsResult, SetOptionParams


async def set_option(connection: Connection, params: SetOptionParams, call: Call) -> OptionsResult:
    """Set it, or take it back with null. What no run could begin with is refused."""
    check_name(params.option_id)
    given = read_options({params.option_id: params.value}, "params.value")
    session = (await connection.open(params.session_id, call)).session
    connection.world.check_mode(session.state.cwd, given, by_user=by_user(params.chosen_by))
    if params.value is not None:
        await connection.world.check(
            session.state.cwd, {**session.state.options, params.option_id: params.value}
        )
    connection.world.choose(session.session_id, given)
    session.log.record(SessionChanged(options={params.option_id: params.value}))
    await session.log.sync()
    return OptionsResult(dict(session.state.options))
