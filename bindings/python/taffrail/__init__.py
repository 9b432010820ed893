# SPDX-License-Identifier: LGPL-2.1-or-later
"""Events for Taffrail, which records them while the program runs.

    request = taffrail.event("app", "request", id=int, url=str)
    request(id=7, url="/x")

    @taffrail.trace                     a function's begin and end
    with taffrail.scope("app/step"):    a block's
    taffrail.Handler()                  what logging is given

docs/python.md describes them.
"""
from ._event import Event, event
from ._handler import Handler
from ._scope import scope, trace

__all__ = ["Event", "Handler", "event", "scope", "trace"]
