"""``yesteryear proposals``."""

from __future__ import annotations

from yesteryear.cli.invocation import SCOPE, Invocation, command


@command(*SCOPE)
def proposals(call: Invocation) -> None:
    """List what somebody asked in talk to have forgotten as a whole, oldest first.

    Nothing of it is forgotten yet. A plain yes in the talk carries it out, and so does `yesteryear confirm`; a no or
    `yesteryear refute` withdraws it. What nobody answers lapses. With --json one a line.

    Example:
      yesteryear proposals --user ana
    """
    from yesteryear.cli.dates import read_zone
    from yesteryear.cli.removal import show_proposal

    with call.open() as engine:
        memory = call.memory(engine)
        found, zone = memory.proposals(), read_zone(memory)
    for proposal in found:
        if call.output.is_json:
            call.output.document(proposal.to_dict())
        else:
            show_proposal(proposal, call.output, zone=zone)
    if not found:
        call.output.note("nobody has asked to forget anything as a whole")
